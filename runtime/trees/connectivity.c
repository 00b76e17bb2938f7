// SPDX-License-Identifier: MIT
// The paper's mesh-connectivity tree (Larsson & Akenine-Moller 2001), which leaves the
// partitioner open: separate components first, then patches that grow from seeds far apart.
// Every node of a connected mesh is a patch whose faces hang together by edges.
#include "layouts/radix.h"
#include "runtime/trees/neighbours.h"

#include <math.h>
#include <string.h>

enum {
    FACES_A_PATCH = 6
}; // small nodes: patches of about so many, since not all come out even

// A face waiting to join a patch.
typedef struct wait {
    uint32_t face, next;
} wait;

typedef struct patches {
    const shl_build *build;
    shl_neighbours around;
    uint32_t *stamp;    // [faces] the range a face belongs to
    uint32_t *label;    // [faces] its component or patch within the range
    uint32_t *distance; // [faces] from the nearest seed
    uint32_t *queue;    // [faces]
    wait *waits;        // [SHL_NEIGHBOURS * faces + SHL_LANES]
    uint64_t *keys;     // [2 * faces]
    uint32_t round;     // stamp of the current range
} patches;

static const uint32_t none = UINT32_MAX;

// Neighbour `k` of a face, if it is in the current range.
static inline uint32_t neighbour(const patches *p, uint32_t face, uint32_t k)
{
    const uint32_t other = p->around.face[(size_t)SHL_NEIGHBOURS * face + k];
    return other != SHL_NO_FACE && p->stamp[other] == p->round ? other : SHL_NO_FACE;
}

// --- Components. ---

// Labels all faces of a range by component; returns how many there are.
static uint32_t find_components(patches *p, const shl_tri_range *range)
{
    const uint32_t *order = p->build->order;
    p->round++;
    for (uint32_t i = range->begin; i < range->end; i++) {
        p->stamp[order[i]] = p->round;
        p->label[order[i]] = none;
    }
    uint32_t count = 0;
    for (uint32_t i = range->begin; i < range->end; i++) {
        if (p->label[order[i]] != none)
            continue;
        uint32_t read = 0, write = 0;
        p->queue[write++] = order[i];
        p->label[order[i]] = count;
        while (read < write) {
            const uint32_t face = p->queue[read++];
            for (uint32_t k = 0; k < SHL_NEIGHBOURS; k++) {
                const uint32_t other = neighbour(p, face, k);
                if (other == SHL_NO_FACE || p->label[other] != none)
                    continue;
                p->label[other] = count;
                p->queue[write++] = other;
            }
        }
        count++;
    }
    return count;
}

static double corner(const patches *p, uint32_t face, int axis)
{
    const shl_build_input *in = p->build->in;
    return in->xyz[3 * (size_t)in->triangles[3 * (size_t)face] + axis];
}

// Many components: groups of neighbours along the longest axis, of about the same number of
// faces. `queue` gets the group of each component.
static void group_components(patches *p, const shl_tri_range *range, uint32_t count)
{
    const uint32_t *order = p->build->order;
    const uint32_t faces = range->end - range->begin;
    double low = 0, half = 0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = range->begin; i < range->end; i++) {
            lo = fmin(lo, 0.5 * corner(p, order[i], k));
            hi = fmax(hi, 0.5 * corner(p, order[i], k));
        }
        if (k == 0 || hi - lo > half) {
            half = hi - lo;
            low = lo;
            axis = k;
        }
    }
    const double scale = half > 1e-300 ? 0xffffff / half : 0;
    uint32_t *size = p->distance; // by component
    memset(size, 0, count * sizeof *size);
    for (uint32_t i = range->begin; i < range->end; i++) {
        const uint32_t component = p->label[order[i]];
        if (size[component]++ == 0) // where a component is, its first face tells
            p->keys[component] =
                (uint64_t)((0.5 * corner(p, order[i], axis) - low) * scale) << 32 | component;
    }
    shl_radix_sort(p->keys, p->keys + count, count, 32);
    uint64_t before = 0; // twice the faces
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t component = (uint32_t)p->keys[i];
        p->queue[component] =
            (uint32_t)((before + size[component]) * p->build->arity / (2 * (uint64_t)faces));
        before += 2 * (uint64_t)size[component];
    }
}

// --- Patches of one component. ---

// Distances from a new seed, where it is nearer than those before; returns the farthest face.
static uint32_t spread(patches *p, const shl_tri_range *range, uint32_t seed)
{
    uint32_t read = 0, write = 0;
    p->queue[write++] = seed;
    p->distance[seed] = 0;
    while (read < write) {
        const uint32_t face = p->queue[read++];
        for (uint32_t k = 0; k < SHL_NEIGHBOURS; k++) {
            const uint32_t other = neighbour(p, face, k);
            if (other == SHL_NO_FACE || p->distance[other] <= p->distance[face] + 1)
                continue;
            p->distance[other] = p->distance[face] + 1;
            p->queue[write++] = other;
        }
    }
    const uint32_t *order = p->build->order;
    uint32_t farthest = order[range->begin];
    for (uint32_t i = range->begin; i < range->end; i++) {
        if (p->distance[order[i]] > p->distance[farthest])
            farthest = order[i];
    }
    return farthest;
}

// Seeds far from each other; returns how many there are.
static uint32_t choose_seeds(patches *p, const shl_tri_range *range, uint32_t wanted,
                             uint32_t seeds[SHL_LANES])
{
    const uint32_t *order = p->build->order;
    for (uint32_t i = range->begin; i < range->end; i++)
        p->distance[order[i]] = none;
    uint32_t next = spread(p, range, order[range->begin]);
    for (uint32_t i = range->begin; i < range->end; i++)
        p->distance[order[i]] = none; // the first face was no seed
    uint32_t count = 0;
    do {
        seeds[count++] = next;
        next = spread(p, range, next);
    } while (count < wanted && p->distance[next] > 0);
    return count;
}

// The smallest patch that can still grow takes the face that has waited longest.
static void grow(patches *p, const shl_tri_range *range, const uint32_t *seeds, uint32_t count)
{
    const uint32_t *order = p->build->order;
    uint32_t head[SHL_LANES], tail[SHL_LANES], size[SHL_LANES] = {0}, waiting = 0;
    for (uint32_t i = range->begin; i < range->end; i++)
        p->label[order[i]] = none;
    for (uint32_t k = 0; k < count; k++) {
        p->waits[waiting] = (wait){seeds[k], none};
        head[k] = tail[k] = waiting++;
    }
    for (;;) {
        uint32_t patch = none;
        for (uint32_t k = 0; k < count; k++) {
            if (head[k] != none && (patch == none || size[k] < size[patch]))
                patch = k;
        }
        if (patch == none)
            return;
        const uint32_t face = p->waits[head[patch]].face;
        head[patch] = p->waits[head[patch]].next;
        if (p->label[face] != none)
            continue;
        p->label[face] = patch;
        size[patch]++;
        for (uint32_t k = 0; k < SHL_NEIGHBOURS; k++) {
            const uint32_t other = neighbour(p, face, k);
            if (other == SHL_NO_FACE || p->label[other] != none)
                continue;
            p->waits[waiting] = (wait){other, none};
            if (head[patch] == none)
                head[patch] = waiting;
            else
                p->waits[tail[patch]].next = waiting;
            tail[patch] = waiting++;
        }
    }
}

// A face with more neighbours in another patch than in its own moves there. Its own patch stays
// in one piece, because at most one neighbour is left behind.
static void smooth(patches *p, const shl_tri_range *range)
{
    const uint32_t *order = p->build->order;
    for (uint32_t i = range->begin; i < range->end; i++) {
        const uint32_t face = order[i];
        uint32_t own = 0, votes[SHL_LANES] = {0}, best = p->label[face];
        for (uint32_t k = 0; k < SHL_NEIGHBOURS; k++) {
            const uint32_t other = neighbour(p, face, k);
            if (other == SHL_NO_FACE)
                continue;
            if (p->label[other] == p->label[face])
                own++;
            else if (++votes[p->label[other]] > votes[best])
                best = p->label[other];
        }
        if (own == 1 && votes[best] >= 2)
            p->label[face] = best;
    }
}

// --- Parts. ---

// Faces by their label, which is below `count`.
static uint32_t gather(patches *p, const shl_tri_range *range, uint32_t count,
                       shl_tri_range out[SHL_LANES])
{
    uint32_t *order = p->build->order;
    uint32_t to[SHL_LANES + 1] = {0}, children = 0;
    for (uint32_t i = range->begin; i < range->end; i++)
        to[p->label[order[i]] + 1]++;
    to[0] = range->begin;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t faces = to[k + 1];
        to[k + 1] += to[k];
        if (faces)
            out[children++] = (shl_tri_range){to[k], to[k + 1], 0};
    }
    const uint32_t n = range->end - range->begin;
    memcpy(p->queue, order + range->begin, n * sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        order[to[p->label[p->queue[i]]]++] = p->queue[i];
    return children;
}

static uint32_t split(void *ctx, const shl_tri_range *range, shl_tri_range out[SHL_LANES])
{
    patches *p = ctx;
    const uint32_t arity = p->build->arity, faces = range->end - range->begin;
    const uint32_t components = find_components(p, range);
    if (components > arity) {
        group_components(p, range, components);
        for (uint32_t i = range->begin; i < range->end; i++) {
            uint32_t *label = &p->label[p->build->order[i]];
            *label = p->queue[*label];
        }
        return gather(p, range, arity, out);
    }
    if (components > 1)
        return gather(p, range, components, out);
    const uint32_t enough = (faces + FACES_A_PATCH - 1) / FACES_A_PATCH;
    uint32_t seeds[SHL_LANES];
    const uint32_t count = choose_seeds(p, range, enough < arity ? enough : arity, seeds);
    grow(p, range, seeds, count);
    smooth(p, range);
    return gather(p, range, count, out);
}

shoal_status shl_build_connectivity(shl_build *b)
{
    const size_t n = b->in->triangle_count, waits = SHL_NEIGHBOURS * n + SHL_LANES;
    patches p = {.build = b};
    shoal_status st = shl_neighbours_find(b->in, b->allocator, &p.around);
    if (st != SHOAL_OK)
        return st;
    const size_t bytes =
        waits * sizeof *p.waits + 2 * n * sizeof *p.keys + 4 * n * sizeof(uint32_t);
    p.waits = shl_zalloc(b->allocator, bytes);
    st = p.waits ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        p.keys = (uint64_t *)(p.waits + waits);
        p.stamp = (uint32_t *)(p.keys + 2 * n);
        p.label = p.stamp + n;
        p.distance = p.label + n;
        p.queue = p.distance + n;
        st = shl_split_all(b, split, &p);
    }
    shl_free(b->allocator, p.waits, bytes);
    shl_neighbours_finish(&p.around, b->allocator);
    return st;
}
