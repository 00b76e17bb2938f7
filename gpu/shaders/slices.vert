// An instance is a triangle: the part of the slice that its band may meet, as a rectangle.
layout(location = 0) in uint triangle;
uniform vec2 size;          // of the slice, cells
uniform float height, band; // of the slice's samples
flat out Site site;

void main()
{
    vec3 a = corner_of(triangle, 0u), b = corner_of(triangle, 1u), c = corner_of(triangle, 2u);
    vec3 lo = min(min(a, b), c), hi = max(max(a, b), c);
    float away = max(max(lo.z - height, height - hi.z), 0.0);
    float around = sqrt(max(band * band - away * away, 0.0)) + 0.01; // and rounding
    vec2 corner = vec2((gl_VertexID & 1) == 0 ? lo.x - around : hi.x + around,
                       (gl_VertexID & 2) == 0 ? lo.y - around : hi.y + around);
    site = site_of(triangle);
    gl_Position = vec4(2.0 * corner / size - 1.0, 0.0, 1.0);
}
