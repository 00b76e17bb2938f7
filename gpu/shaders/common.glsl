// What all passes of the fused bounds share; site.glsl stands before it.

// Bricks of 4 x 4 x 4 cells, samples at the centres of the cells.
layout(std430, binding = 0) buffer Bricks { uvec4 bricks[]; }; // count, lowest owner, highest, begin
layout(std430, binding = 1) buffer Head { uint total, active_count, longest, wrapped; };
layout(std430, binding = 2) buffer Active { uint active_bricks[]; };
layout(std430, binding = 3) buffer Lists { uint lists[]; };
layout(std430, binding = 4) buffer Least { uint least[]; }; // bits of floats, which are positive

uniform uint first, last;    // rows of this dispatch
uniform uvec3 extent;        // bricks
uniform float cutoff;        // band and rounding
uniform uint capacity;       // of lists
const float RADIUS = 2.5981; // from a brick's centre to its samples, |(1.5, 1.5, 1.5)|

// Bricks [lo, hi) with a sample within the cutoff of the triangle's box.
void bricks_of(uint t, out uvec3 lo, out uvec3 hi)
{
    vec3 a = corner_of(t, 0u), b = corner_of(t, 1u), c = corner_of(t, 2u);
    vec3 from = floor((min(min(a, b), c) - cutoff) * 0.25);
    vec3 to = floor((max(max(a, b), c) + cutoff) * 0.25) + 1.0;
    lo = uvec3(clamp(from, vec3(0), vec3(extent)));
    hi = uvec3(clamp(to, vec3(0), vec3(extent)));
}

bool is_within(Site s, uvec3 brick)
{
    float limit = cutoff + RADIUS;
    return square_to(s, vec3(4u * brick) + 2.0) <= limit * limit;
}
