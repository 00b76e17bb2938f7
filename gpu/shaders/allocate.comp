// A thread is a brick: those with enough owners get memory for a list. The total is right even if
// there is less memory, so that the host can allocate more.
layout(local_size_x = 64) in;
uniform uint owners; // 2, or 1 if the whole grid is wanted

void main()
{
    uint b = first + gl_GlobalInvocationID.x;
    if (b >= last)
        return;
    uvec4 brick = bricks[b];
    if (brick.x == 0u || (owners == 2u && brick.y == brick.z))
        return;
    uint begin = atomicAdd(total, brick.x);
    if (begin > NOWHERE - brick.x)
        atomicMax(wrapped, 1u);
    atomicMax(longest, brick.x);
    if (begin < capacity && brick.x <= capacity - begin) {
        active_bricks[atomicAdd(active_count, 1u)] = b;
        bricks[b].w = begin;
    }
    bricks[b].x = 0u; // counts again in the next pass
}
