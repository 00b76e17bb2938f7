// A thread is a triangle: enters itself in the lists of bricks that have one.
layout(local_size_x = 64) in;

void main()
{
    uint t = first + gl_GlobalInvocationID.x;
    if (t >= last)
        return;
    Site s = site_of(t);
    uvec3 lo, hi;
    bricks_of(t, lo, hi);
    for (uint z = lo.z; z < hi.z; z++)
        for (uint y = lo.y; y < hi.y; y++)
            for (uint x = lo.x; x < hi.x; x++) {
                uint b = (z * extent.y + y) * extent.x + x;
                uint begin = bricks[b].w;
                if (begin != NOWHERE && is_within(s, uvec3(x, y, z))) {
                    uint at = begin + atomicAdd(bricks[b].x, 1u);
                    if (at < capacity)
                        lists[at] = t;
                }
            }
}
