// SPDX-License-Identifier: MIT
// Canonical order. Radix sorts from the least significant byte; bytes that never differ, most
// of them in practice, are skipped.
#include "layouts/radix.h"
#include "runtime/queries/overlap/overlap.h"

#include <string.h>

enum { SMALL = 32 };

static bool before(const shoal_pair *x, const shoal_pair *y)
{
    if (x->triangle_a != y->triangle_a)
        return x->triangle_a < y->triangle_a;
    if (x->body_b != y->body_b)
        return x->body_b < y->body_b;
    return x->triangle_b < y->triangle_b;
}

static void insertion_sort(shoal_pair *pairs, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const shoal_pair p = pairs[i];
        size_t j = i;
        for (; j > 0 && before(&p, &pairs[j - 1]); j--)
            pairs[j] = pairs[j - 1];
        pairs[j] = p;
    }
}

void shl_sort_pairs(shoal_pair *pairs, shoal_pair *scratch, size_t n)
{
    if (n <= SMALL) {
        insertion_sort(pairs, n);
        return;
    }
    // Which bits differ at all: few triangles and bodies leave most bytes alone.
    uint32_t differ[3] = {0};
    for (size_t i = 1; i < n; i++) {
        differ[0] |= pairs[i].triangle_b ^ pairs[0].triangle_b;
        differ[1] |= pairs[i].body_b ^ pairs[0].body_b;
        differ[2] |= pairs[i].triangle_a ^ pairs[0].triangle_a;
    }
    shoal_pair *from = pairs, *to = scratch;
    for (unsigned word = 0; word < 3; word++) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            if (!(differ[word] >> shift & 0xff))
                continue;
            uint32_t at[SHL_RADIX_BUCKETS] = {0};
            const size_t offset = word == 0   ? offsetof(shoal_pair, triangle_b)
                                  : word == 1 ? offsetof(shoal_pair, body_b)
                                              : offsetof(shoal_pair, triangle_a);
            const char *key = (const char *)from + offset;
            for (size_t i = 0; i < n; i++)
                at[*(const uint32_t *)(key + i * sizeof *from) >> shift & 0xff]++;
            shl_radix_begins(at, n);
            for (size_t i = 0; i < n; i++)
                to[at[*(const uint32_t *)(key + i * sizeof *from) >> shift & 0xff]++] = from[i];
            shoal_pair *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != pairs)
        memcpy(pairs, from, n * sizeof *pairs);
}
