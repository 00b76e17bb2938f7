#version 430
// One light with a shadow, a bright sky and a darker ground; what shines by itself has neither.
layout(binding = 2) uniform sampler2DShadow dark;
uniform vec3 eye, light;
uniform mat4 shadow;
uniform float texel; // of the shadow, in the world
in vec3 world;
flat in vec4 colour;
out vec4 shown;

float lightness(vec3 normal)
{
    // from beside the surface, or it would shade itself
    vec3 at = 0.5 + 0.5 * (shadow * vec4(world + 2.0 * texel * normal, 1.0)).xyz;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0))))
        return 1.0;
    float step = 1.0 / float(textureSize(dark, 0).x);
    at.z -= step;
    float sum = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += texture(dark, vec3(at.xy + step * vec2(x, y), at.z));
    return sum / 9.0;
}

void main()
{
    vec3 to_eye = normalize(eye - world);
    vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
    if (dot(normal, to_eye) < 0.0)
        normal = -normal;
    float key = max(dot(normal, light), 0.0);
    if (key > 0.0)
        key *= lightness(normal);
    float sky = 0.5 + 0.5 * normal.z;
    float shine = pow(max(dot(normal, normalize(light + to_eye)), 0.0), 40.0) * key;
    vec3 base = colour.rgb * colour.rgb; // to about linear, and back below
    vec3 sum = base * (mix(0.14, 0.36, sky) + 0.85 * key) + 0.05 * shine;
    sum = mix(sum, base * (0.75 + 0.25 * dot(normal, to_eye)), colour.a);
    shown = vec4(sqrt(clamp(sum, 0.0, 1.0)), 1.0);
}
