// SPDX-License-Identifier: MIT
// Incremental sweep and prune (Baraff 1992; Cohen, Lin, Manocha, Ponamgi 1995): the ends of all
// boxes, sorted along each axis, are kept from step to step. Insertion sort repairs the order,
// and only two boxes whose ends are exchanged can begin or cease to overlap.
//
// Rows that take no part have their ends behind all others, so that joining and leaving is but
// a long way to go. When there is more to do than sorting anew would cost, that is done.
#include "layouts/radix.h"
#include "runtime/broad/broad.h"

#include <string.h>

#define UPPER_END (UINT32_C(1) << 31)
enum { SWAPS_A_ROW = 16 };

// Sorts by position, lower ends first at the same position: boxes that touch overlap. Rows that
// take no part end before any of them begins, so that two that leave together are seen to part.
static uint64_t end_at(const shl_box *boxes, uint32_t end, int axis)
{
    const shl_box *box = &boxes[end & ~UPPER_END];
    const bool upper = end & UPPER_END;
    const uint32_t position = shl_broad_live(box)
                                  ? shl_ordered_bits(upper ? box->hi[axis] : box->lo[axis])
                                  : UINT32_MAX - upper;
    return (uint64_t)position << 32 | end;
}

static bool meet(const shl_box *x, const shl_box *y)
{
    return shl_broad_live(x) && shl_broad_live(y) && shl_broad_overlap(x, y);
}

// What a run may change before it is not worth its while: one pair a row.
static size_t notes_max(const shl_broad *b)
{
    return b->rows + (size_t)64;
}

// End `mover` has just gone below `passed`.
static void swapped(shl_broad *b, uint32_t mover, uint32_t passed)
{
    shl_incremental *s = &b->incremental;
    const uint32_t x = mover & ~UPPER_END, y = passed & ~UPPER_END;
    if (!((mover ^ passed) & UPPER_END) || x == y)
        return;
    const shl_box *now = shl_broad_boxes(b), *before = s->boxes.data;
    const bool met = meet(&before[x], &before[y]);
    const uint64_t pair = (uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x);
    if ((mover & UPPER_END) && met) // apart on this axis, so apart
        ((uint64_t *)s->removed.data)[s->removed_count++] = pair;
    if (!(mover & UPPER_END) && !met && meet(&now[x], &now[y]))
        ((uint64_t *)s->added.data)[s->added_count++] = pair;
}

// False when there is too much to do.
static bool repair(shl_broad *b, int axis)
{
    shl_incremental *s = &b->incremental;
    const shl_box *boxes = shl_broad_boxes(b);
    const uint64_t swaps_max = (uint64_t)SWAPS_A_ROW * b->rows;
    uint64_t *ends = s->ends[axis].data;
    for (size_t i = 0; i < 2 * (size_t)s->rows; i++)
        ends[i] = end_at(boxes, (uint32_t)ends[i], axis);
    for (size_t i = 1; i < 2 * (size_t)s->rows; i++) {
        const uint64_t end = ends[i];
        size_t j = i;
        for (; j > 0 && ends[j - 1] > end; j--) {
            swapped(b, (uint32_t)end, (uint32_t)ends[j - 1]);
            ends[j] = ends[j - 1];
            if (s->added_count == notes_max(b) || s->removed_count == notes_max(b))
                return false;
        }
        ends[j] = end;
        s->swaps += i - j;
        if (s->swaps > swaps_max)
            return false;
    }
    return true;
}

// Ascending, each once.
static size_t sort_unique(shl_array *list, size_t n)
{
    uint64_t *pairs = list->data;
    size_t kept = 0;
    if (n > 1)
        shl_radix_sort(pairs, pairs + n, n, 0);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || pairs[i] != pairs[i - 1])
            pairs[kept++] = pairs[i];
    }
    return kept;
}

// The old list without what is removed and with what is added; all three ascend.
static shoal_status merge(shl_broad *b)
{
    shl_incremental *s = &b->incremental;
    const size_t gone = sort_unique(&s->removed, s->removed_count);
    const size_t came = sort_unique(&s->added, s->added_count);
    if (gone + came == 0)
        return SHOAL_OK;
    const size_t n = b->pair_count + came - gone;
    if (n > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    shoal_status st = shl_array_reserve(&b->found, n * sizeof(uint64_t), 0, b->allocator);
    if (st != SHOAL_OK)
        return st;
    const uint64_t *old = b->pairs.data, *out = s->removed.data, *in = s->added.data;
    uint64_t *to = b->found.data;
    for (size_t i = 0, g = 0, c = 0; i < b->pair_count || c < came;) {
        if (c < came && (i == b->pair_count || in[c] < old[i]))
            *to++ = in[c++];
        else if (g < gone && out[g] == old[i])
            g++, i++;
        else
            *to++ = old[i++];
    }
    const shl_array swap = b->pairs;
    b->pairs = b->found;
    b->found = swap;
    b->pair_count = n;
    return SHOAL_OK;
}

static shoal_status reserve(shl_broad *b)
{
    shl_incremental *s = &b->incremental;
    const size_t before = s->warm ? s->rows : 0;
    shoal_status st = SHOAL_OK;
    for (int k = 0; k < 3 && !st; k++)
        st = shl_array_reserve(&s->ends[k], 2 * (size_t)b->rows * sizeof(uint64_t),
                               2 * before * sizeof(uint64_t), b->allocator);
    const size_t notes = 2 * notes_max(b) * sizeof(uint64_t); // and as much to sort them
    if (!st)
        st = shl_array_reserve(&s->added, notes, 0, b->allocator);
    if (!st)
        st = shl_array_reserve(&s->removed, notes, 0, b->allocator);
    if (!st)
        st = shl_array_reserve(&s->boxes, b->rows * sizeof(shl_box), before * sizeof(shl_box),
                               b->allocator);
    return st;
}

// Rows [s->rows, b->rows) as if they had been there and taken no part.
static void append(shl_broad *b)
{
    shl_incremental *s = &b->incremental;
    for (uint32_t i = s->rows; i < b->rows; i++) {
        for (int k = 0; k < 3; k++) {
            ((uint64_t *)s->ends[k].data)[2 * (size_t)i] = i;
            ((uint64_t *)s->ends[k].data)[2 * (size_t)i + 1] = i | UPPER_END;
        }
        ((shl_box *)s->boxes.data)[i] = (shl_box){{1}, {0}};
    }
    s->rows = b->rows;
}

static shoal_status sort_lists(shl_broad *b)
{
    shl_incremental *s = &b->incremental;
    const size_t n = 2 * (size_t)b->rows;
    shoal_status st = shl_array_reserve(&b->keys, n * sizeof(uint64_t), 0, b->allocator);
    for (int k = 0; k < 3 && !st; k++) {
        uint64_t *ends = s->ends[k].data;
        for (uint32_t i = 0; i < n; i++)
            ends[i] = end_at(shl_broad_boxes(b), i / 2 | (i % 2 ? UPPER_END : 0), k);
        // lower ends first: the mark is below the position
        shl_radix_sort(ends, b->keys.data, n, 0);
    }
    return st;
}

shoal_status shl_incremental_update(shl_broad *b, bool *done)
{
    shl_incremental *s = &b->incremental;
    *done = false;
    if (b->rows >= UPPER_END)
        return SHOAL_OK; // the tree does it
    shoal_status st = reserve(b);
    if (st != SHOAL_OK)
        return st;
    *done = s->warm && b->kept;
    s->warm = false;
    s->swaps = s->added_count = s->removed_count = 0;
    if (*done)
        append(b);
    for (int k = 0; k < 3 && *done; k++)
        *done = repair(b, k);
    st = *done ? merge(b) : sort_lists(b);
    if (st != SHOAL_OK)
        return st;
    s->rows = b->rows;
    if (b->rows > 0)
        memcpy(s->boxes.data, b->boxes.data, b->rows * sizeof(shl_box));
    s->warm = true;
    return SHOAL_OK;
}
