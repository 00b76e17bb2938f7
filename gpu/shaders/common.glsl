#version 430
// What all passes share. Triangles come through a buffer texture, three texels each; they and
// the proof of the error bound are in kernels/cell_tri.h.
layout(binding = 0) uniform usamplerBuffer tris; // integers: floats might lose an owner's bits

// Bricks of 4 x 4 x 4 cells, samples at the centres of the cells.
layout(std430, binding = 0) buffer Bricks { uvec4 bricks[]; }; // count, lowest owner, highest, begin
layout(std430, binding = 1) buffer Head { uint total, active_count, longest, wrapped; };
layout(std430, binding = 2) buffer Active { uint active_bricks[]; };
layout(std430, binding = 3) buffer Lists { uint lists[]; };
layout(std430, binding = 4) buffer Least { uint least[]; }; // bits of floats, which are positive

uniform uint first, last;    // rows of this dispatch
uniform uvec3 extent;        // bricks
uniform float reach;         // band and rounding
uniform uint room;           // of lists
const uint NOWHERE = 0xffffffffu;
const float RADIUS = 2.5981; // from a brick's centre to its samples, |(1.5, 1.5, 1.5)|
const float TINY = 1e-30;

struct Site {
    vec3 a, b, ab, ac, bc, tab, tac, tbc, v, w;
    float inside;
    uint owner;
};

vec3 corner_of(uint t, uint i)
{
    return uintBitsToFloat(texelFetch(tris, int(3u * t + i)).xyz);
}

vec3 over_square(vec3 e)
{
    float square = dot(e, e);
    return square > TINY ? e / square : vec3(0);
}

Site site_of(uint t)
{
    vec3 a = corner_of(t, 0u), b = corner_of(t, 1u), c = corner_of(t, 2u);
    Site s;
    s.owner = texelFetch(tris, int(3u * t)).w;
    s.a = a;
    s.b = b;
    s.ab = b - a;
    s.ac = c - a;
    s.bc = c - b;
    s.tab = over_square(s.ab);
    s.tac = over_square(s.ac);
    s.tbc = over_square(s.bc);
    vec3 n = cross(s.ab, s.ac);
    float square = dot(n, n);
    bool flat_one = !(square > TINY);
    float factor = flat_one ? 0.0 : 1.0 / square;
    s.v = cross(s.ac, n) * factor;
    s.w = cross(n, s.ab) * factor;
    s.inside = flat_one ? -1.0 : 1.0;
    return s;
}

float segment(vec3 x, vec3 e, vec3 t)
{
    vec3 r = x - clamp(dot(x, t), 0.0, 1.0) * e;
    return dot(r, r);
}

// Squared distance from p to the triangle.
float square_to(Site s, vec3 p)
{
    vec3 x = p - s.a;
    float d = min(min(segment(x, s.ab, s.tab), segment(x, s.ac, s.tac)),
                  segment(p - s.b, s.bc, s.tbc));
    float v = dot(x, s.v), w = dot(x, s.w);
    vec3 r = (x - v * s.ab) - w * s.ac;
    return v >= 0.0 && w >= 0.0 && v + w <= s.inside ? min(d, dot(r, r)) : d;
}

// Bricks [lo, hi) with a sample in reach of the triangle's box.
void bricks_of(uint t, out uvec3 lo, out uvec3 hi)
{
    vec3 a = corner_of(t, 0u), b = corner_of(t, 1u), c = corner_of(t, 2u);
    vec3 from = floor((min(min(a, b), c) - reach) * 0.25);
    vec3 to = floor((max(max(a, b), c) + reach) * 0.25) + 1.0;
    lo = uvec3(clamp(from, vec3(0), vec3(extent)));
    hi = uvec3(clamp(to, vec3(0), vec3(extent)));
}

bool in_reach(Site s, uvec3 brick)
{
    float limit = reach + RADIUS;
    return square_to(s, vec3(4u * brick) + 2.0) <= limit * limit;
}
