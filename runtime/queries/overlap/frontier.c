// SPDX-License-Identifier: MIT
// Where the walks start: one seed a body pair, opened breadth-first when there are too few to
// share among threads.
#include "runtime/scene/steps.h"

#include "kernels/block_grow.h"

static bool both_leaves(const shoal_scene *s, const shl_seed *seed)
{
    const shl_body_pair *pair = (const shl_body_pair *)s->body_pairs.data + seed->pair;
    return shl_bodies(s)[pair->a].tree->leaf[seed->nodes.a] &&
           shl_bodies(s)[pair->b].tree->leaf[seed->nodes.b];
}

static shoal_status root_seeds(shoal_scene *s)
{
    shoal_status st = shl_array_reserve(
        &s->seeds, (s->body_pair_count + (size_t)1) * sizeof(shl_seed), 0, &s->allocator);
    if (st != SHOAL_OK)
        return st;
    const bool between = s->queries & (SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST);
    s->seed_count = 0;
    for (uint32_t i = 0; i < s->body_pair_count; i++) {
        const shl_body_pair *pair = (const shl_body_pair *)s->body_pairs.data + i;
        if (pair->a != pair->b && !between)
            continue;
        shl_box a = shl_bodies(s)[pair->a].box;
        const shl_box *b = &shl_bodies(s)[pair->b].box;
        shl_seed seed = {.pair = i};
        if (s->skin.listing)
            shl_grow_box(&a, s->skin.grow);
        for (int k = 0; k < 3; k++) {
            seed.nodes.clip.lo[k] = a.lo[k] > b->lo[k] ? a.lo[k] : b->lo[k];
            seed.nodes.clip.hi[k] = a.hi[k] < b->hi[k] ? a.hi[k] : b->hi[k];
        }
        ((shl_seed *)s->seeds.data)[s->seed_count++] = seed;
    }
    return SHOAL_OK;
}

// One level for every seed; false in *more when nothing could be opened.
static shoal_status open_seeds(shoal_scene *s, uint32_t worker, bool *more)
{
    const size_t size = sizeof(shl_seed);
    shl_walker *walker = &s->workers[worker];
    const float grow = s->skin.listing ? s->skin.grow : 0;
    uint32_t n = 0;
    *more = false;
    for (uint32_t i = 0; i < s->seed_count; i++) {
        shoal_status st = shl_array_reserve(
            &s->seeds_next, (n + (size_t)SHL_DESCEND_MAX) * size, n * size, &s->allocator);
        if (st != SHOAL_OK)
            return st;
        const shl_seed seed = ((const shl_seed *)s->seeds.data)[i];
        shl_seed *out = (shl_seed *)s->seeds_next.data + n;
        if (both_leaves(s, &seed)) {
            out[0] = seed;
            n++;
            continue;
        }
        const shl_body_pair *pair = (const shl_body_pair *)s->body_pairs.data + seed.pair;
        shl_node_pair opened[SHL_DESCEND_MAX];
        const uint32_t k = shl_descend(s->ctx, &shl_bodies(s)[pair->a], &shl_bodies(s)[pair->b],
                                       grow, &seed.nodes, opened, walker);
        for (uint32_t j = 0; j < k; j++)
            out[j] = (shl_seed){opened[j], seed.pair};
        walker->count.node_pairs++;
        n += k;
        *more = true;
    }
    const shl_array swap = s->seeds;
    s->seeds = s->seeds_next;
    s->seeds_next = swap;
    s->seed_count = n;
    return SHOAL_OK;
}

// Larger bundles fill the triangle kernel better, smaller ones are easier to share.
static uint32_t bundle_seeds(shoal_scene *s)
{
    const uint32_t fair = s->seed_count / (SHL_BUNDLES_WANTED * s->workers_count);
    s->seed_bundle = fair < 1 ? 1 : fair < SHL_BUNDLE_MAX ? fair : SHL_BUNDLE_MAX;
    s->bundle_count = shl_chunk_count(s->seed_count, s->seed_bundle);
    return s->bundle_count;
}

// Boxes of bodies of points, and those that are kept from step to step, may be tighter in one
// step than in another with the same state, so the levels that are opened may differ: there is
// room for all that can come of it.
static shoal_status reserve_most(shoal_scene *s)
{
    const size_t seeds = SHL_SEEDS_WANTED * (size_t)SHL_DESCEND_MAX;
    const size_t chunks =
        2 * (size_t)SHL_BUNDLES_WANTED * s->workers_count + seeds / SHL_BUNDLE_MAX;
    shoal_status st = shl_array_reserve(&s->seeds, seeds * sizeof(shl_seed), s->seeds.capacity,
                                        &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&s->seeds_next, (seeds + SHL_DESCEND_MAX) * sizeof(shl_seed), 0,
                               &s->allocator);
    return st == SHOAL_OK
               ? shl_array_reserve(&s->found, chunks * sizeof(shl_found), 0, &s->allocator)
               : st;
}

shoal_status shl_run_seed(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    shoal_scene *s = ctx;
    s->seed_count = 0;
    s->bundle_count = 0;
    s->skin.chunk_count = 0;
    if (s->skin.reused)
        return SHOAL_OK; // there is nothing to walk
    shoal_status st = s->merge_rows || s->front_rows ? reserve_most(s) : SHOAL_OK;
    if (st == SHOAL_OK)
        st = root_seeds(s);
    bool more = true;
    while (st == SHOAL_OK && more && s->seed_count > 0 && s->seed_count < SHL_SEEDS_WANTED)
        st = open_seeds(s, worker, &more);
    uint32_t *chunks = s->skin.listing ? &s->skin.chunk_count : &s->found_count;
    *chunks = bundle_seeds(s);
    if (st == SHOAL_OK)
        st = shl_array_reserve(s->skin.listing ? &s->skin.chunks : &s->found,
                               *chunks * sizeof(shl_found), 0, &s->allocator);
    return st;
}
