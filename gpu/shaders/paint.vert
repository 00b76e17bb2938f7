#version 430
// A vertex of an instance of a mesh, displaced by its fields.
layout(location = 0) in vec3 rest;
layout(location = 1) in vec4 place_x;
layout(location = 2) in vec4 place_y;
layout(location = 3) in vec4 place_z;
layout(location = 4) in vec4 tint;
layout(binding = 0) uniform samplerBuffer fields; // 3 floats a vertex and field
layout(binding = 1) uniform samplerBuffer shares; // q
uniform int field_count;
uniform int first; // instance of this call
uniform mat4 view;
out vec3 world;
flat out vec4 colour;

void main()
{
    vec3 p = rest;
    int u = 3 * field_count * gl_VertexID, q = field_count * (first + gl_InstanceID);
    for (int j = 0; j < field_count; j++, u += 3)
        p += texelFetch(shares, q + j).x * vec3(texelFetch(fields, u).x, texelFetch(fields, u + 1).x,
                                                texelFetch(fields, u + 2).x);
    vec4 own = vec4(p, 1.0);
    world = vec3(dot(place_x, own), dot(place_y, own), dot(place_z, own));
    colour = tint;
    gl_Position = view * vec4(world, 1.0);
}
