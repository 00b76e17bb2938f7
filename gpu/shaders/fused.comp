// A group is a brick. First a thread is a cell: its two nearest owners, in one pass over the
// list. Then it is a triangle: the least sum of its distance and the nearest other owner's.
layout(local_size_x = 64) in;
uniform float most;  // larger sums prove nothing
uniform float band;
uniform uvec3 cells; // of the grid; 0: it is not wanted
layout(std430, binding = 5) buffer Grid { uvec4 grid[]; }; // two distances' bits, two owners

// Cells with two owners within the cutoff; no other cell has both a triangle and another owner there.
shared vec3 where[64];
shared vec2 distance_two[64]; // of the nearest owner and of the next
shared uint owner[64], useful_count;

void main()
{
    uint brick = active_bricks[first + gl_WorkGroupID.x], i = gl_LocalInvocationID.x;
    uint begin = bricks[brick].w, end = min(begin + bricks[brick].x, capacity);
    uvec3 corner = 4u * uvec3(brick % extent.x, brick / extent.x % extent.y,
                              brick / (extent.x * extent.y));
    uvec3 cell = corner + uvec3(i & 3u, i >> 2 & 3u, i >> 4);
    vec3 p = vec3(cell) + 0.5;
    const float NONE = uintBitsToFloat(0x7f800000u);
    float d1 = NONE, d2 = NONE;
    uint o1 = NOWHERE, o2 = NOWHERE;
    for (uint k = begin; k < end; k++) {
        Site s = site_of(lists[k]);
        float d = square_to(s, p);
        bool same = s.owner == o1, closer = d < d1;
        float loser = closer ? d1 : d;
        uint losing = closer ? o1 : s.owner;
        bool second = !same && loser < d2;
        d2 = second ? loser : d2;
        o2 = second ? losing : o2;
        o1 = closer ? s.owner : o1;
        d1 = min(d, d1);
    }
    float near = sqrt(d1), next = sqrt(d2);
    if (i == 0u)
        useful_count = 0u;
    barrier();
    if (next <= cutoff) {
        uint at = atomicAdd(useful_count, 1u);
        where[at] = p;
        distance_two[at] = vec2(near, next);
        owner[at] = o1;
    }
    if (all(lessThan(cell, cells))) {
        bool one = near <= band, two = next <= band;
        grid[(cell.z * cells.y + cell.y) * cells.x + cell.x] =
            uvec4(floatBitsToUint(one ? near : NONE), floatBitsToUint(two ? next : NONE),
                  one ? o1 : NOWHERE, two ? o2 : NOWHERE);
    }
    barrier();
    uint count = useful_count;
    if (count == 0u)
        return;
    for (uint k = begin + i; k < end; k += 64u) {
        uint t = lists[k];
        Site s = site_of(t);
        float u = NONE;
        for (uint g = 0u; g < count; g++) {
            float other = owner[g] == s.owner ? distance_two[g].y : distance_two[g].x;
            float own = sqrt(square_to(s, where[g]));
            u = own <= cutoff ? min(u, own + other) : u;
        }
        if (u <= most)
            atomicMin(least[t], floatBitsToUint(u));
    }
}
