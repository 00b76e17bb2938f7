#version 430
// Triangles and distances from them. They come through a buffer texture, three texels each; they
// and the proof of the error bound are in kernels/voronoi/cell_tri.h.
layout(binding = 0) uniform usamplerBuffer tris; // integers: floats might lose an owner's bits
const uint NOWHERE = 0xffffffffu;
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
