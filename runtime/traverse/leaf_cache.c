// SPDX-License-Identifier: MIT
#include "runtime/traverse/leaf_cache.h"

#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

void shl_leaf_cache_clear(shl_leaf_cache *cache)
{
    cache->body1[0] = cache->body1[1] = 0;
}

// An origin in the middle of the place where both bodies are, and how far coordinates around it
// are off: half a unit in the last place, of float64 and then of float32, or what underflows.
static void move_between(shl_leaf_cache *cache, const shl_view *a, const shl_view *b,
                         shl_box *both)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double at = 0.5 * (double)both->lo[k] + 0.5 * (double)both->hi[k];
        cache->origin[k] = at;
        both->lo[k] = (float)((double)both->lo[k] - at);
        both->hi[k] = (float)((double)both->hi[k] - at);
        for (int side = 0; side < 2; side++) {
            const shl_box *box = side ? b->box : a->box;
            most =
                fmax(most, fmax(fabs((double)box->lo[k] - at), fabs((double)box->hi[k] - at)));
        }
    }
    cache->columns.rounding = (float)(1.01 * 0x1p-24 * most + 0x1p-140);
}

// Boxes are compared in steps of the place where both bodies are.
void shl_leaf_cache_enter(shl_leaf_cache *cache, const shl_view *a, const shl_view *b)
{
    if (cache->body1[0] == a->body + 1 && cache->body1[1] == b->body + 1)
        return;
    cache->body1[0] = a->body + 1;
    cache->body1[1] = b->body + 1;
    shl_box both;
    for (int k = 0; k < 3; k++) {
        both.lo[k] = a->box->lo[k] > b->box->lo[k] ? a->box->lo[k] : b->box->lo[k];
        both.hi[k] = a->box->hi[k] < b->box->hi[k] ? a->box->hi[k] : b->box->hi[k];
    }
    cache->columns.rounding = 0;
    if (shl_view_is(a, SHL_VIEW_EVALUATED))
        move_between(cache, a, b, &both);
    cache->grid = shl_grid_of(&both);
    memset(cache->node1, 0, sizeof cache->node1);
}

// Evaluates a leaf where that is not done yet, and opens it around the origin.
static void open_recentred(const shl_view *v, uint32_t node, shl_scratch *scratch,
                           shl_leaf_tris *out)
{
    const shl_leaf_cache *cache = scratch->leaves;
    const uint32_t slot = v->kind->evaluate(v, node, scratch);
    const uint32_t *list = v->tree->list_begin + node;
    const double *xyz = scratch->eval->xyz + 3 * (size_t)scratch->eval->vertex_at[slot];
    float near[3 * SHL_LEAF_VERTICES + 4]; // a vertex may be read with the scalar behind it
    v->kernels->to_f32(xyz, list[1] - list[0], cache->origin, near);
    // a tree of this leaf alone
    uint32_t first = 0;
    uint8_t leaf = 1;
    const shl_tree alone = {.first = &first,
                            .count = &v->tree->count[node],
                            .leaf = &leaf,
                            .tri = (shl_tri *)v->local + v->tree->first[node],
                            .last_named = SHL_LANES};
    v->kernels->leaf_open(&alone, near, 0, &cache->grid, out);
    out->first = SHL_LANES * slot;
}

static void open_missing(const shl_view *v, uint32_t base, uint32_t missing, int side,
                         shl_scratch *scratch)
{
    shl_leaf_cache *cache = scratch->leaves;
    const shl_tree *tree = v->tree;
    const bool recentred = shl_view_is(v, SHL_VIEW_EVALUATED);
    for (uint32_t left = recentred ? missing : 0; left; left &= left - 1) {
        const uint32_t node = base + (uint32_t)__builtin_ctz(left);
        cache->node1[side][node % SHL_LEAF_SLOTS] = node + 1;
        open_recentred(v, node, scratch, &cache->leaf[side][node % SHL_LEAF_SLOTS]);
    }
    if (recentred)
        return;
    for (uint32_t left = missing; left; left &= left - 1) {
        const uint32_t node = base + (uint32_t)__builtin_ctz(left);
        const char *tri = (const char *)&tree->tri[tree->first[node]];
        __builtin_prefetch(tri);
        __builtin_prefetch(tri + 64);
        cache->node1[side][node % SHL_LEAF_SLOTS] = node + 1;
        scratch->count.opened_nodes++;
    }
    for (; missing; missing &= missing - 1) {
        const uint32_t node = base + (uint32_t)__builtin_ctz(missing);
        v->kernels->leaf_open(tree, v->side.xyz, node, &cache->grid,
                              &cache->leaf[side][node % SHL_LEAF_SLOTS]);
    }
}

void shl_leaves_open(const shl_view *v, uint32_t base, uint32_t lanes, int side,
                     shl_scratch *scratch, shl_leaf_row *out)
{
    shl_leaf_cache *cache = scratch->leaves;
    if (scratch->eval && scratch->eval->drops != cache->drops) { // rows have gone
        memset(cache->node1, 0, sizeof cache->node1);
        cache->drops = scratch->eval->drops;
    }
    // of one body on both sides, a leaf that side 0 has is good for side 1, too
    const bool alike = cache->body1[0] == cache->body1[1];
    uint32_t missing = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint32_t node1 = base + lane + 1, slot = (base + lane) % SHL_LEAF_SLOTS;
        const int found = alike && cache->node1[0][slot] == node1 ? 0 : side;
        out->leaf[lane] = &cache->leaf[found][slot];
        missing |= (uint32_t)(cache->node1[found][slot] != node1) << lane;
    }
    if (missing)
        open_missing(v, base, missing, side, scratch);
}
