// SPDX-License-Identifier: MIT
#include "layouts/radix.h"

#include <string.h>

bool shl_radix_begins(uint32_t count[SHL_RADIX_BUCKETS], size_t n)
{
    uint32_t sum = 0;
    for (int i = 0; i < SHL_RADIX_BUCKETS; i++) {
        const uint32_t c = count[i];
        if (c == n)
            return false;
        count[i] = sum;
        sum += c;
    }
    return true;
}

void shl_radix_sort(uint64_t *keys, uint64_t *scratch, size_t n, unsigned lowest_bit)
{
    uint64_t *from = keys, *to = scratch;
    for (unsigned shift = lowest_bit; shift < 64; shift += 8) {
        uint32_t at[SHL_RADIX_BUCKETS] = {0};
        for (size_t i = 0; i < n; i++)
            at[from[i] >> shift & 0xff]++;
        if (!shl_radix_begins(at, n))
            continue;
        for (size_t i = 0; i < n; i++)
            to[at[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}
