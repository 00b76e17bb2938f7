// SPDX-License-Identifier: MIT
#include "runtime/trees/ranges.h"

#include <string.h>

typedef struct row {
    uint32_t first;
    uint8_t count, leaf;
} row;

// Leaves that fit below a node of a level; more than any mesh has, if so.
static uint64_t capacity_at(uint32_t level, uint32_t arity)
{
    uint64_t capacity = 1;
    for (; level < SHL_LEVELS_MAX && capacity < UINT32_MAX; level++)
        capacity *= arity;
    return capacity;
}

// As many pieces as a node may have, all but one of them whole leaves.
static uint32_t split_evenly(const shl_tri_range *p, uint32_t arity,
                             shl_tri_range out[SHL_LANES])
{
    const uint32_t leaves = shl_leaves_of(p->end - p->begin);
    const uint32_t pieces = leaves < arity ? leaves : arity;
    for (uint32_t i = 0; i < pieces; i++) {
        const uint64_t begin = (uint64_t)leaves * i / pieces * SHL_LANES;
        const uint64_t end = (uint64_t)leaves * (i + 1) / pieces * SHL_LANES;
        out[i] = (shl_tri_range){p->begin + (uint32_t)begin,
                                 i + 1 < pieces ? p->begin + (uint32_t)end : p->end, p->tag};
    }
    return pieces;
}

// A node's children, whatever the builder thinks of it.
static uint32_t split_range(const shl_build *b, shl_split_fn *split, void *ctx,
                            const shl_tri_range *p, uint64_t capacity,
                            shl_tri_range out[SHL_LANES])
{
    const uint32_t count = split(ctx, p, out);
    bool fits = count >= 2;
    for (uint32_t i = 0; i < count; i++)
        fits = fits && shl_leaves_of(out[i].end - out[i].begin) <= capacity;
    return fits ? count : split_evenly(p, b->arity, out);
}

static shoal_status put_rows(shl_build *b, const row *rows, uint32_t count)
{
    shl_tree *t = b->out;
    t->node_count = count;
    t->first = shl_alloc(b->allocator, count * sizeof *t->first);
    t->count = shl_alloc(b->allocator, count * sizeof *t->count);
    t->leaf = shl_alloc(b->allocator, count * sizeof *t->leaf);
    if (!t->first || !t->count || !t->leaf)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        t->first[i] = rows[i].first;
        t->count[i] = rows[i].count;
        t->leaf[i] = rows[i].leaf;
    }
    return SHOAL_OK;
}

// Splits the ranges of a level; their children are the next one. `*count` rows are there.
static shoal_status split_level(shl_build *b, shl_split_fn *split, void *ctx, uint32_t level,
                                shl_array *ranges, shl_array *rows, uint32_t *count)
{
    const uint64_t capacity = capacity_at(level + 1, b->arity);
    shl_tree *t = b->out;
    for (uint32_t i = t->level[level]; i < t->level[level + 1]; i++) {
        const size_t n = *count, need = n + SHL_LANES;
        shoal_status st = shl_array_reserve(ranges, need * sizeof(shl_tri_range),
                                            n * sizeof(shl_tri_range), b->allocator);
        if (st == SHOAL_OK)
            st = shl_array_reserve(rows, need * sizeof(row), n * sizeof(row), b->allocator);
        if (st != SHOAL_OK)
            return st;
        const shl_tri_range p = ((shl_tri_range *)ranges->data)[i];
        if (p.end - p.begin <= SHL_LANES) {
            ((row *)rows->data)[i] = (row){p.begin, (uint8_t)(p.end - p.begin), 1};
            t->leaf_count++;
            continue;
        }
        shl_tri_range *children = (shl_tri_range *)ranges->data + n;
        const uint32_t count_below = split_range(b, split, ctx, &p, capacity, children);
        ((row *)rows->data)[i] = (row){(uint32_t)n, (uint8_t)count_below, 0};
        *count += count_below;
    }
    return SHOAL_OK;
}

shoal_status shl_split_all(shl_build *b, shl_split_fn *split, void *ctx)
{
    shl_tree *t = b->out;
    const size_t start = b->in->triangle_count / 6 + 2 * SHL_LANES;
    shl_array ranges = {0}, rows = {0};
    shoal_status st = SHL_RESERVE(b->allocator, {&ranges, start * sizeof(shl_tri_range)},
                                  {&rows, start * sizeof(row)});
    uint32_t count = 1;
    t->level[1] = 1;
    if (st == SHOAL_OK)
        ((shl_tri_range *)ranges.data)[0] = (shl_tri_range){0, b->in->triangle_count, b->root};
    for (uint32_t level = 0; st == SHOAL_OK; level++) {
        st = split_level(b, split, ctx, level, &ranges, &rows, &count);
        t->depth = level;
        if (count == t->level[level + 1])
            break;
        t->level[level + 2] = count;
    }
    if (st == SHOAL_OK)
        st = put_rows(b, rows.data, count);
    shl_array_finish(&ranges, b->allocator);
    shl_array_finish(&rows, b->allocator);
    return st;
}
