// SPDX-License-Identifier: MIT
#include "runtime/trees/ranges.h"

#include <string.h>

typedef struct row {
    uint32_t first;
    uint8_t count, leaf;
} row;

// Leaves that fit below a node of a level; more than any mesh has, if so.
static uint64_t room_at(uint32_t level, uint32_t arity)
{
    uint64_t room = 1;
    for (; level < SHL_LEVELS_MAX && room < UINT32_MAX; level++)
        room *= arity;
    return room;
}

// As many pieces as a node may have, all but one of them whole leaves.
static uint32_t split_evenly(const shl_part *p, uint32_t arity, shl_part out[SHL_LANES])
{
    const uint32_t leaves = shl_leaves_of(p->end - p->begin);
    const uint32_t pieces = leaves < arity ? leaves : arity;
    for (uint32_t i = 0; i < pieces; i++) {
        const uint64_t begin = (uint64_t)leaves * i / pieces * SHL_LANES;
        const uint64_t end = (uint64_t)leaves * (i + 1) / pieces * SHL_LANES;
        out[i] = (shl_part){p->begin + (uint32_t)begin,
                            i + 1 < pieces ? p->begin + (uint32_t)end : p->end, p->tag};
    }
    return pieces;
}

// A node's children, whatever the builder thinks of it.
static uint32_t split_part(const shl_build *b, shl_split_fn *split, void *ctx,
                           const shl_part *p, uint64_t room, shl_part out[SHL_LANES])
{
    const uint32_t count = split(ctx, p, out);
    bool fits = count >= 2;
    for (uint32_t i = 0; i < count; i++)
        fits = fits && shl_leaves_of(out[i].end - out[i].begin) <= room;
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

// Splits the parts of a level; their children are the next one. `*count` rows are there.
static shoal_status split_level(shl_build *b, shl_split_fn *split, void *ctx, uint32_t level,
                                shl_array *parts, shl_array *rows, uint32_t *count)
{
    const uint64_t room = room_at(level + 1, b->arity);
    shl_tree *t = b->out;
    for (uint32_t i = t->level[level]; i < t->level[level + 1]; i++) {
        const size_t n = *count, need = n + SHL_LANES;
        shoal_status st = shl_array_reserve(parts, need * sizeof(shl_part),
                                            n * sizeof(shl_part), b->allocator);
        if (st == SHOAL_OK)
            st = shl_array_reserve(rows, need * sizeof(row), n * sizeof(row), b->allocator);
        if (st != SHOAL_OK)
            return st;
        const shl_part p = ((shl_part *)parts->data)[i];
        if (p.end - p.begin <= SHL_LANES) {
            ((row *)rows->data)[i] = (row){p.begin, (uint8_t)(p.end - p.begin), 1};
            t->leaf_count++;
            continue;
        }
        shl_part *children = (shl_part *)parts->data + n;
        const uint32_t made = split_part(b, split, ctx, &p, room, children);
        ((row *)rows->data)[i] = (row){(uint32_t)n, (uint8_t)made, 0};
        *count += made;
    }
    return SHOAL_OK;
}

shoal_status shl_split_all(shl_build *b, shl_split_fn *split, void *ctx)
{
    shl_tree *t = b->out;
    const size_t start = b->in->triangle_count / 6 + 2 * SHL_LANES;
    shl_array parts = {0}, rows = {0};
    shoal_status st = shl_array_reserve(&parts, start * sizeof(shl_part), 0, b->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&rows, start * sizeof(row), 0, b->allocator);
    uint32_t count = 1;
    t->level[1] = 1;
    if (st == SHOAL_OK)
        ((shl_part *)parts.data)[0] = (shl_part){0, b->in->triangle_count, b->root};
    for (uint32_t level = 0; st == SHOAL_OK; level++) {
        st = split_level(b, split, ctx, level, &parts, &rows, &count);
        t->depth = level;
        if (count == t->level[level + 1])
            break;
        t->level[level + 2] = count;
    }
    if (st == SHOAL_OK)
        st = put_rows(b, rows.data, count);
    shl_array_finish(&parts, b->allocator);
    shl_array_finish(&rows, b->allocator);
    return st;
}
