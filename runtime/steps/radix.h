// SPDX-License-Identifier: MIT
#ifndef SHL_RUNTIME_STEPS_RADIX_H
#define SHL_RUNTIME_STEPS_RADIX_H

#include <stddef.h>
#include <stdint.h>

// Sorts keys by their bits from `lowest_bit` (a multiple of 8) up; stable. Bytes in which all
// keys agree cost nothing but the count.
void shl_radix_sort(uint64_t *keys, uint64_t *scratch, size_t n, unsigned lowest_bit);

#endif
