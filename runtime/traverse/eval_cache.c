// SPDX-License-Identifier: MIT
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

void shl_eval_begin(shl_eval_cache *c)
{
    c->alone_leaf = 1;
    c->alone = (shl_tree){.first = &c->alone_first,
                          .count = &c->alone_count,
                          .leaf = &c->alone_leaf,
                          .tri = c->tri};
}

void shl_eval_drop_leaves(shl_eval_cache *c)
{
    c->leaf_count = c->vertex_count = 0;
    c->drops++;
    memset(c->leaf_at, 0, sizeof c->leaf_at);
}

void shl_eval_clear(shl_eval_cache *c)
{
    shl_eval_drop_leaves(c);
    memset(c->block_key, 0, sizeof c->block_key);
}

static uint32_t mix(uint32_t body1, uint32_t node)
{
    const uint32_t h = (node * 0x9e3779b1u) ^ (body1 * 0x85ebca6bu);
    return h ^ h >> 15;
}

static bool same_key(shl_eval_key key, uint32_t body1, uint32_t node)
{
    return key.body1 == body1 && key.node == node;
}

uint32_t shl_eval_find(const shl_eval_cache *c, uint32_t body, uint32_t node, uint32_t *slot)
{
    *slot = mix(body + 1, node) % SHL_EVAL_SLOTS;
    for (; c->leaf_at[*slot]; *slot = (*slot + 1) % SHL_EVAL_SLOTS) {
        if (same_key(c->leaf_key[c->leaf_at[*slot] - 1u], body + 1, node))
            return c->leaf_at[*slot] - 1u;
    }
    return SHL_NONE;
}

uint32_t shl_eval_take(shl_eval_cache *c, uint32_t body, uint32_t node, uint32_t count,
                       uint32_t slot)
{
    const uint32_t at = c->leaf_count;
    c->leaf_count += count;
    c->leaf_at[slot] = (uint16_t)(at + 1);
    c->leaf_key[at] = (shl_eval_key){body + 1, node};
    return at;
}

// Rows of triangles whose corners are counted from `base`. Two corners are added at once: no
// carry leaves a corner.
static void copy_tris(const shl_tri *from, uint32_t count, uint32_t base, shl_tri *to)
{
    const uint32_t add[4] = {base, base, base, 0};
    uint64_t sum[2], more[2];
    memcpy(more, add, sizeof more);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(sum, &from[i], sizeof sum);
        sum[0] += more[0];
        sum[1] += more[1];
        memcpy(&to[i], sum, sizeof sum);
    }
}

void shl_eval_tris(shl_eval_cache *c, const shl_view *v, uint32_t node, uint32_t at,
                   uint32_t base)
{
    const shl_tree *t = v->tree;
    copy_tris(v->local + t->first[node], t->count[node], base, c->tri + (size_t)SHL_LANES * at);
    c->tree_first[at] = t->first[node];
    c->leaf_node[at] = node;
    c->vertex_at[at] = base;
    c->boxed[at] = false;
}

const shl_block *shl_eval_boxes(shl_eval_cache *c, const shl_kernels *kernels, uint32_t at,
                                uint8_t count)
{
    if (!c->boxed[at]) {
        c->alone_first = SHL_LANES * at;
        c->alone_count = count;
        (void)kernels->node_open[SHOAL_F64](&c->alone, c->xyz, 0, 0, &c->leaf_block[at]);
        c->boxed[at] = true;
    }
    return &c->leaf_block[at];
}

shl_eval_node *shl_eval_open(shl_eval_cache *c, uint32_t body, uint32_t node, int side,
                             bool *found)
{
    const uint32_t slot = mix(body + 1, node) % SHL_EVAL_BLOCKS;
    shl_eval_key *key = &c->block_key[side][slot];
    *found = same_key(*key, body + 1, node);
    *key = (shl_eval_key){body + 1, node};
    return &c->opened[side][slot];
}

void shl_eval_fill(const shl_box *box, uint32_t count, shl_block *out)
{
    for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = lane < count ? box->lo[k] : INFINITY;
            out->hi[k][lane] = lane < count ? box->hi[k] : -INFINITY;
        }
    }
}
