// SPDX-License-Identifier: MIT
#ifndef SHL_LAYOUTS_RADIX_H
#define SHL_LAYOUTS_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sorts keys by their bits from `lowest_bit` (a multiple of 8) up; stable. Bytes in which all
// keys agree cost nothing but the count.
void shl_radix_sort(uint64_t *keys, uint64_t *scratch, size_t n, unsigned lowest_bit);

enum { SHL_RADIX_BUCKETS = 256 };

// Counts of n rows by bucket to the buckets' first positions; false if all rows share one.
bool shl_radix_begins(uint32_t count[SHL_RADIX_BUCKETS], size_t n);

#endif
