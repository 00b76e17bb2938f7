// The distance function of a triangle at a sample: the depth test keeps the nearest. In the second
// round the nearest owner of the first does not take part.
flat in Site site;
layout(binding = 1) uniform usampler2D nearest; // of the first round
uniform float height, band;
uniform bool second;
layout(location = 0) out uvec2 sample_out; // bits of the distance, owner

void main()
{
    if (second && texelFetch(nearest, ivec2(gl_FragCoord.xy), 0).y == site.owner)
        discard;
    float d = sqrt(square_to(site, vec3(gl_FragCoord.xy, height)));
    if (!(d <= band))
        discard;
    sample_out = uvec2(floatBitsToUint(d), site.owner);
    gl_FragDepth = d / (band + 1.0);
}
