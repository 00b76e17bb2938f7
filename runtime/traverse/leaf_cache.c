// SPDX-License-Identifier: MIT
#include "runtime/traverse/leaf_cache.h"

#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

shoal_status shl_leaf_caches_make(shoal_scene *s)
{
    for (uint32_t i = 0; i < s->workers_count; i++) {
        shl_walker *w = &s->workers[i];
        if (!w->leaves)
            w->leaves = shl_zalloc(&s->allocator, sizeof *w->leaves);
        if (!w->leaves)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

void shl_leaf_caches_finish(shoal_scene *s)
{
    for (uint32_t i = 0; s->workers && i < s->workers_count; i++)
        shl_free(&s->allocator, s->workers[i].leaves, sizeof *s->workers[i].leaves);
}

void shl_leaf_cache_clear(shl_leaf_cache *cache)
{
    if (cache)
        cache->body[0] = cache->body[1] = NULL;
}

// An origin in the middle of the place where both bodies are, and how far coordinates around it
// are off: half a unit in the last place, of float64 and then of float32, or what underflows.
static void move_between(shl_leaf_cache *cache, shl_box *both)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double at = 0.5 * (double)both->lo[k] + 0.5 * (double)both->hi[k];
        cache->origin[k] = at;
        both->lo[k] = (float)((double)both->lo[k] - at);
        both->hi[k] = (float)((double)both->hi[k] - at);
        for (int side = 0; side < 2; side++) {
            const shl_box *box = &cache->body[side]->box;
            most =
                fmax(most, fmax(fabs((double)box->lo[k] - at), fabs((double)box->hi[k] - at)));
        }
    }
    cache->columns.stray = (float)(1.01 * 0x1p-24 * most + 0x1p-140);
}

// Boxes are compared in steps of the place where both bodies are.
void shl_leaf_cache_enter(shl_leaf_cache *cache, const shl_free_body *a, const shl_free_body *b)
{
    if (cache->body[0] == a && cache->body[1] == b)
        return;
    cache->body[0] = a;
    cache->body[1] = b;
    shl_box both;
    for (int k = 0; k < 3; k++) {
        both.lo[k] = a->box.lo[k] > b->box.lo[k] ? a->box.lo[k] : b->box.lo[k];
        both.hi[k] = a->box.hi[k] < b->box.hi[k] ? a->box.hi[k] : b->box.hi[k];
    }
    cache->columns.stray = 0;
    if (shl_is_lazy(a))
        move_between(cache, &both);
    cache->grid = shl_grid_of(&both);
    memset(cache->node1, 0, sizeof cache->node1);
}

// Evaluates a leaf where that is not done yet, and opens it around the origin.
static void open_moved(const shl_kernels *kernels, const shl_free_body *body, uint32_t node,
                       shl_walker *worker, shl_leaf_tris *out)
{
    const shl_leaf_cache *cache = worker->leaves;
    const uint32_t place = shl_reduced_place(kernels, body, node, worker);
    const uint32_t *list = body->tree->list_begin + node;
    const double *xyz = worker->reduced->xyz + 3 * (size_t)worker->reduced->vertex_at[place];
    float near[3 * SHL_LEAF_VERTICES + 4]; // a vertex may be read with the scalar behind it
    kernels->narrow(xyz, list[1] - list[0], cache->origin, near);
    // a tree of this leaf alone
    uint32_t first = 0;
    uint8_t leaf = 1;
    const shl_tree alone = {.first = &first,
                            .count = &body->tree->count[node],
                            .leaf = &leaf,
                            .tri = body->reduced->local + body->tree->first[node],
                            .last_named = SHL_LANES};
    kernels->leaf_open(&alone, near, 0, &cache->grid, out);
    out->first = SHL_LANES * place;
}

static void open_missing(const shl_kernels *kernels, uint32_t base, uint32_t missing, int side,
                         shl_walker *worker)
{
    shl_leaf_cache *cache = worker->leaves;
    const shl_free_body *body = cache->body[side];
    const shl_tree *tree = body->tree;
    for (uint32_t left = shl_is_lazy(body) ? missing : 0; left; left &= left - 1) {
        const uint32_t node = base + (uint32_t)__builtin_ctz(left);
        cache->node1[side][node % SHL_LEAF_PLACES] = node + 1;
        open_moved(kernels, body, node, worker, &cache->leaf[side][node % SHL_LEAF_PLACES]);
    }
    if (shl_is_lazy(body))
        return;
    for (uint32_t left = missing; left; left &= left - 1) {
        const uint32_t node = base + (uint32_t)__builtin_ctz(left);
        const char *tri = (const char *)&tree->tri[tree->first[node]];
        __builtin_prefetch(tri);
        __builtin_prefetch(tri + 64);
        cache->node1[side][node % SHL_LEAF_PLACES] = node + 1;
        worker->count.opened_nodes++;
    }
    for (; missing; missing &= missing - 1) {
        const uint32_t node = base + (uint32_t)__builtin_ctz(missing);
        kernels->leaf_open(tree, body->xyz, node, &cache->grid,
                           &cache->leaf[side][node % SHL_LEAF_PLACES]);
    }
}

void shl_leaves_open(const shl_kernels *kernels, uint32_t base, uint32_t lanes, int side,
                     shl_walker *worker, shl_leaf_row *out)
{
    shl_leaf_cache *cache = worker->leaves;
    if (worker->reduced && worker->reduced->drops != cache->drops) { // rows have gone
        memset(cache->node1, 0, sizeof cache->node1);
        cache->drops = worker->reduced->drops;
    }
    // of one body on both sides, a leaf that side 0 has is good for side 1, too
    const bool alike = cache->body[0] == cache->body[1];
    uint32_t missing = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint32_t node1 = base + lane + 1, place = (base + lane) % SHL_LEAF_PLACES;
        const int found = alike && cache->node1[0][place] == node1 ? 0 : side;
        out->leaf[lane] = &cache->leaf[found][place];
        missing |= (uint32_t)(cache->node1[found][place] != node1) << lane;
    }
    if (missing)
        open_missing(kernels, base, missing, side, worker);
}
