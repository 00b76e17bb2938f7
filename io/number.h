// SPDX-License-Identifier: MIT
// Decimal text to numbers: correctly rounded, the same in every locale, bounded by `end`.
#ifndef SHL_IO_NUMBER_H
#define SHL_IO_NUMBER_H

#include <stdint.h>

// Each reads the longest number that starts at `at` and returns the byte after it, or NULL
// where none starts.

// Knows inf, infinity and nan in any case; what overflows is infinite. No hexadecimals.
const char *shl_number_double(const char *at, const char *end, double *out);

// Saturates at +-SHL_NUMBER_HUGE, far beyond what any format may count.
const char *shl_number_integer(const char *at, const char *end, int64_t *out);

#define SHL_NUMBER_HUGE INT64_C(100000000000000000)

#endif
