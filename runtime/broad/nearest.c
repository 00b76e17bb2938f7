// SPDX-License-Identifier: MIT
// Boxes within a distance of a box, and the nearest one, by the tree over all boxes.
#include "runtime/broad/broad.h"

#include <math.h>

enum { STACK_ROWS = (SHL_BOX_TREE_LEVELS + 1) * SHL_LANES };

typedef struct entry {
    uint32_t level, block;
    float gap;
} entry;

static uint32_t push_root(const shl_broad *b, entry *stack)
{
    stack[0] = (entry){b->live > 1 ? b->tree.levels - 1 : 0, 0, 0};
    return b->live > 1;
}

void shl_broad_within(const shl_broad *b, const shl_box *box, float limit,
                      shl_broad_within_fn *found, void *ctx)
{
    const shl_box_tree *t = &b->tree;
    const uint32_t *ids = b->ids.data;
    entry stack[STACK_ROWS];
    for (uint32_t depth = push_root(b, stack); depth;) {
        const entry e = stack[--depth];
        const uint32_t count = e.level ? t->blocks[e.level - 1] : t->count;
        float gap[SHL_LANES];
        b->kernels->block_gap(box, &t->level[e.level][e.block], gap);
        for (uint32_t k = 0, at = 8 * e.block; k < SHL_LANES && at < count; k++, at++) {
            if (!(gap[k] <= limit))
                continue;
            if (e.level)
                stack[depth++] = (entry){e.level - 1, at, gap[k]};
            else
                found(ctx, ids[at], gap[k]);
        }
    }
}

// Nearest blocks first; of equals the lowest row.
uint32_t shl_broad_nearest(const shl_broad *b, const shl_box *box, uint32_t of, float *out)
{
    const shl_box_tree *t = &b->tree;
    const uint32_t *ids = b->ids.data;
    uint32_t best = UINT32_MAX;
    entry stack[STACK_ROWS];
    *out = INFINITY;
    for (uint32_t depth = push_root(b, stack); depth;) {
        const entry e = stack[--depth];
        const uint32_t count = e.level ? t->blocks[e.level - 1] : t->count, from = depth;
        float gap[SHL_LANES];
        if (e.gap > *out)
            continue;
        b->kernels->block_gap(box, &t->level[e.level][e.block], gap);
        for (uint32_t k = 0, at = 8 * e.block; k < SHL_LANES && at < count; k++, at++) {
            if (e.level && !(gap[k] > *out)) {
                uint32_t i = depth++;
                for (; i > from && stack[i - 1].gap < gap[k]; i--)
                    stack[i] = stack[i - 1];
                stack[i] = (entry){e.level - 1, at, gap[k]};
            } else if (!e.level && ids[at] != of &&
                       (best == UINT32_MAX || gap[k] < *out ||
                        (gap[k] == *out && ids[at] < best)) &&
                       shl_broad_may_meet(b, of, ids[at])) {
                best = ids[at];
                *out = gap[k];
            }
        }
    }
    return best;
}
