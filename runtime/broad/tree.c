// SPDX-License-Identifier: MIT
// A tree over the boxes, packed by sort-tile-recursive (Leutenegger, Lopez, Edgington 1997):
// cut into slabs along the widest axis, each slab into strips, and so on down to eights. Cuts
// are made by rank and spreads are measured by quartiles, so neither a far outlier nor a
// cluster spoils them. Boxes much larger than others stand before them, in blocks of their own,
// where they make no small box's block large and are met by no small box's search.
#include "layouts/radix.h"
#include "runtime/broad/broad.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE = 2048,
    FEW = 4096,       // boxes in one slab
    FIND_LEAVES = 32, // at a time
    NOWHERE = 0xffff
};

// The exponent of a box's longest side.
static int size_of(const shl_box *box)
{
    float most = 0;
    for (int k = 0; k < 3; k++)
        most = box->hi[k] - box->lo[k] > most ? box->hi[k] - box->lo[k] : most;
    return (int)((shl_ordered_bits(most) & 0x7fffffff) >> 23);
}

// Sixteen classes of eightfold size, the largest first.
static uint32_t size_class(const shl_box *box, int typical)
{
    const int class = (size_of(box) - typical + 25) / 3;
    return 15 - (uint32_t)(class < 0 ? 0 : class > 15 ? 15 : class);
}

// First by size, then along the axis. The row makes keys differ, so that equal boxes spread.
static uint64_t slab_key(const shl_broad_slabs *s, const shl_box *box, uint32_t row)
{
    const uint64_t at = shl_ordered_bits(shl_broad_centre(box, s->axis)) >> 4;
    return (uint64_t)size_class(box, s->typical_size) << 60 | at << 32 | row;
}

static void sort_floats(float *x, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const float f = x[i];
        uint32_t j = i;
        for (; j > 0 && x[j - 1] > f; j--)
            x[j] = x[j - 1];
        x[j] = f;
    }
}

// As many slabs as come nearest to cubes of eight boxes.
shl_slab_plan shl_broad_choose_slabs(float centre[3][SHL_BROAD_SAMPLE], uint32_t n,
                                     uint32_t leaves)
{
    double spread[3];
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        sort_floats(centre[k], n);
        spread[k] = (double)centre[k][n - 1 - n / 4] - (double)centre[k][n / 4];
        if (spread[k] > spread[axis])
            axis = k;
    }
    const double others = spread[(axis + 1) % 3] * spread[(axis + 2) % 3];
    const double count = cbrt(leaves * (spread[axis] / others) * spread[axis]);
    uint32_t most = leaves < SHL_BROAD_SLABS_MAX ? leaves : SHL_BROAD_SLABS_MAX;
    most = most < 2 ? 2 : most;
    return (shl_slab_plan){axis, count >= most || !(count == count) ? most
                                 : count < 2                        ? 2
                                                                    : (uint32_t)lround(count)};
}

static void first_slabs(shl_broad *b, const uint32_t *sample, uint32_t n)
{
    const shl_box *boxes = shl_broad_boxes(b);
    float centre[3][SHL_BROAD_SAMPLE];
    uint32_t few = 0;
    int64_t sizes = 0;
    b->slabs.count = 1;
    if (n == 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        sizes += size_of(&boxes[sample[i]]);
    for (; few < SHL_BROAD_SAMPLE && few < n; few++) {
        const shl_box *box = &boxes[sample[(uint64_t)few * n / SHL_BROAD_SAMPLE]];
        for (int k = 0; k < 3; k++)
            centre[k][few] = shl_broad_centre(box, k);
    }
    const shl_slab_plan c = shl_broad_choose_slabs(centre, few, b->live / 8 + 1);
    b->slabs.typical_size = (int)((sizes + n / 2) / n);
    b->slabs.axis = c.axis;
    b->slabs.count = b->live <= FEW ? 1 : c.count;
}

static uint32_t sample_rows(const shl_broad *b, uint32_t step, uint32_t sample[SAMPLE])
{
    uint32_t n = 0;
    for (uint64_t i = 0; i < b->rows && n < SAMPLE; i += step) {
        if (shl_broad_live(&shl_broad_boxes(b)[i]))
            sample[n++] = (uint32_t)i;
    }
    return n;
}

// Chooses the slabs by a sample, so that each gets about as many boxes.
static void choose_slabs(shl_broad *b)
{
    shl_broad_slabs *s = &b->slabs;
    uint32_t sample[SAMPLE];
    uint32_t n = sample_rows(b, b->rows / SAMPLE + 1, sample);
    if (n < SHL_BROAD_SAMPLE) // most rows take no part; any boxes are better than none
        n = sample_rows(b, 1, sample);
    first_slabs(b, sample, n);
    s->first[0] = 0;
    if (s->count == 1)
        return;
    uint64_t keys[2 * SAMPLE];
    for (uint32_t i = 0; i < n; i++)
        keys[i] = slab_key(s, &shl_broad_boxes(b)[sample[i]], sample[i]);
    shl_radix_sort(keys, keys + SAMPLE, n, 0);
    for (uint32_t i = 1; i < s->count; i++)
        s->first[i] = keys[(uint64_t)i * n / s->count];
}

// Two boxes at least.
shoal_status shl_broad_tree(shl_broad *b)
{
    const shoal_allocator *allocator = b->allocator;
    const shl_broad_slabs *s = &b->slabs;
    choose_slabs(b);
    const uint32_t chunks = shl_chunk_count(b->rows, SHL_BROAD_ROWS);
    const size_t rows = b->live;
    shl_box_tree *t = &b->tree;
    t->count = b->live;
    t->levels = 0;
    size_t blocks = 0;
    for (uint32_t left = b->live;;) {
        left = left / 8 + (left % 8 != 0);
        t->blocks[t->levels++] = left;
        blocks += left;
        if (left <= 1)
            break;
    }
    shoal_status st = SHL_RESERVE(
        allocator, {&b->counts, (size_t)chunks * s->count * sizeof(uint32_t)},
        {&b->slab_keys, b->rows * sizeof(uint16_t)}, {&b->items, rows * sizeof(shl_broad_item)},
        {&b->keys, 2 * rows * sizeof(uint64_t)}, {&b->ids, rows * sizeof(uint32_t)},
        {&b->blocks, blocks * sizeof(shl_block)});
    if (st == SHOAL_OK)
        st = shl_broad_expect(b, t->blocks[0], FIND_LEAVES,
                              2 * SHL_TREE_PAIRS_MAX * sizeof(shl_row_pair));
    if (st != SHOAL_OK)
        return st;
    shl_block *block = b->blocks.data;
    for (uint32_t l = 0; l < t->levels; block += t->blocks[l++])
        t->level[l] = block;
    b->slab_rows = b->rows;
    b->order_rows = s->count;
    b->merge_rows = t->levels > 1 ? t->blocks[1] : 0;
    b->level_rows = 1;
    return SHOAL_OK;
}

// The last slab that begins at or before the key.
static uint32_t slab_of(const shl_broad_slabs *s, uint64_t key)
{
    uint32_t low = 0;
    for (uint32_t n = s->count; n > 1;) {
        const uint32_t half = n / 2;
        low += s->first[low + half] <= key ? half : 0;
        n -= half;
    }
    return low;
}

shoal_status shl_broad_count(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    const shl_box *boxes = shl_broad_boxes(b);
    uint16_t *slab_keys = b->slab_keys.data;
    uint32_t *counts = (uint32_t *)b->counts.data + (size_t)rows.chunk * b->slabs.count;
    memset(counts, 0, b->slabs.count * sizeof *counts);
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        if (!shl_broad_live(&boxes[i])) {
            slab_keys[i] = NOWHERE;
            continue;
        }
        const uint64_t key = slab_key(&b->slabs, &boxes[i], i);
        const uint32_t slab = slab_of(&b->slabs, key);
        counts[slab]++;
        slab_keys[i] = (uint16_t)(key >> 60 << 8 | slab);
    }
    return SHOAL_OK;
}

shoal_status shl_broad_offsets(void *ctx, shl_chunk rows)
{
    (void)rows;
    shl_broad *b = ctx;
    shl_broad_begins(b->counts.data, shl_chunk_count(b->rows, SHL_BROAD_ROWS), b->slabs.count,
                     b->slabs.begin);
    return SHOAL_OK;
}

shoal_status shl_broad_spread(void *ctx, shl_chunk rows)
{
    shl_broad *b = ctx;
    const shl_box *boxes = shl_broad_boxes(b);
    const uint16_t *slab_keys = b->slab_keys.data;
    uint32_t *at = (uint32_t *)b->counts.data + (size_t)rows.chunk * b->slabs.count;
    shl_broad_item *items = b->items.data;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        if (slab_keys[i] != NOWHERE)
            items[at[slab_keys[i] & 0xff]++] = (shl_broad_item){boxes[i], i, slab_keys[i] >> 8};
    }
    return SHOAL_OK;
}
