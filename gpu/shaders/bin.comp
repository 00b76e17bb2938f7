// A thread is a triangle: counts it in every brick within the cutoff, and tells whose it is.
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
            for (uint x = lo.x; x < hi.x; x++)
                if (is_within(s, uvec3(x, y, z))) {
                    uint b = (z * extent.y + y) * extent.x + x;
                    atomicAdd(bricks[b].x, 1u);
                    atomicMin(bricks[b].y, s.owner);
                    atomicMax(bricks[b].z, s.owner);
                }
}
