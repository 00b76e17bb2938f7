// SPDX-License-Identifier: MIT
// Within a slab: boxes in tree order, into leaf blocks. Then the blocks above.
#include "layouts/radix.h"
#include "runtime/broad/broad.h"

#include <math.h>

enum { SMALL = 64 }; // sorted by insertion

typedef struct slab {
    const shl_broad_item *items;
    uint64_t *keys, *spare; // coordinate along an axis above, item below
} slab;

static void sort_keys(uint64_t *keys, uint64_t *spare, uint32_t n)
{
    if (n > SMALL) {
        shl_radix_sort(keys, spare, n, 32);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t key = keys[i];
        uint32_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

// Sorts keys [begin, begin + n) so that each eight in turn lie close together.
static void tile(const slab *s, uint32_t begin, uint32_t n)
{
    if (n <= 8)
        return;
    uint64_t *keys = s->keys + begin;
    const uint32_t leaves = (n + 7) / 8;
    const uint32_t samples = n < 256 ? 12 : SHL_BROAD_SAMPLE;
    float centre[3][SHL_BROAD_SAMPLE];
    for (uint32_t i = 0; i < samples; i++) {
        const shl_broad_item *item = &s->items[(uint32_t)keys[(uint64_t)i * n / samples]];
        for (int k = 0; k < 3; k++)
            centre[k][i] = shl_broad_centre(&item->box, k);
    }
    const shl_slab_plan plan = shl_broad_choose_slabs(centre, samples, leaves);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t item = (uint32_t)keys[i];
        const float at = shl_broad_centre(&s->items[item].box, plan.axis);
        keys[i] = (uint64_t)shl_ordered_bits(at) << 32 | item;
    }
    sort_keys(keys, s->spare + begin, n);
    const uint32_t slab_rows = (leaves + plan.count - 1) / plan.count * 8;
    for (uint32_t at = 0; at < n; at += slab_rows)
        tile(s, begin + at, n - at < slab_rows ? n - at : slab_rows);
}

static void put_item(shl_broad *b, uint32_t slot, const shl_broad_item *item)
{
    shl_block *block = &b->tree.level[0][slot / 8];
    for (int k = 0; k < 3; k++) {
        block->lo[k][slot % 8] = item->box.lo[k];
        block->hi[k][slot % 8] = item->box.hi[k];
    }
    ((uint32_t *)b->ids.data)[slot] = item->row;
}

static void order_slab(shl_broad *b, uint32_t begin, uint32_t end)
{
    const slab s = {b->items.data, b->keys.data, (uint64_t *)b->keys.data + b->live};
    bool mixed = false;
    for (uint32_t i = begin; i < end; i++) {
        s.keys[i] = (uint64_t)s.items[i].size_class << 32 | i;
        mixed |= s.items[i].size_class != s.items[begin].size_class;
    }
    if (mixed)
        shl_radix_sort(s.keys + begin, s.spare + begin, end - begin, 32);
    for (uint32_t i = begin, next; i < end; i = next) { // sizes apart
        for (next = i + 1; next < end && s.keys[next] >> 32 == s.keys[i] >> 32;)
            next++;
        tile(&s, i, next - i);
    }
    for (uint32_t i = begin; i < end; i++)
        put_item(b, i, &s.items[(uint32_t)s.keys[i]]);
}

shoal_status shl_broad_order(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++)
        order_slab(b, b->slabs.begin[i], b->slabs.begin[i + 1]);
    if (rows.end == b->slabs.count) { // and what lies behind the last box
        const shl_broad_item empty = {
            {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, 0, 0};
        for (uint32_t i = b->live; i % 8; i++)
            put_item(b, i, &empty);
    }
    return SHOAL_OK;
}

static void merge_block(shl_broad *b, uint32_t level, uint32_t row)
{
    const shl_box_tree *t = &b->tree;
    const uint32_t left = t->blocks[level - 1] - 8 * row;
    b->kernels->block_join(&t->level[level - 1][8 * row], left < 8 ? left : 8,
                           &t->level[level][row]);
}

shoal_status shl_broad_merge(void *ctx, shl_chunk rows)
{
    for (uint32_t i = rows.begin; i < rows.end; i++)
        merge_block(ctx, 1, i);
    return SHOAL_OK;
}

shoal_status shl_broad_levels(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_broad *b = ctx;
    for (uint32_t level = 2; level < b->tree.levels; level++) {
        for (uint32_t i = 0; i < b->tree.blocks[level]; i++)
            merge_block(b, level, i);
    }
    return SHOAL_OK;
}
