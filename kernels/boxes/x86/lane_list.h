// SPDX-License-Identifier: MIT
// Which lanes a mask names, without a loop whose length no branch predictor can guess.
#ifndef SHL_KERNELS_BOXES_X86_LANE_LIST_H
#define SHL_KERNELS_BOXES_X86_LANE_LIST_H

#include <stdint.h>

// Byte i of row m is the number of the i-th bit set in m.
#define SHL_BIT(m, k)                                                                          \
    ((m) >> (k)&1 ? (uint64_t)(k) << 8 * __builtin_popcount((m) & ((1 << (k)) - 1)) : 0)
#define SHL_ROW(m)                                                                             \
    (SHL_BIT(m, 0) | SHL_BIT(m, 1) | SHL_BIT(m, 2) | SHL_BIT(m, 3) | SHL_BIT(m, 4) |           \
     SHL_BIT(m, 5) | SHL_BIT(m, 6) | SHL_BIT(m, 7))
#define SHL_ROWS_4(m) SHL_ROW(m), SHL_ROW((m) + 1), SHL_ROW((m) + 2), SHL_ROW((m) + 3)
#define SHL_ROWS_16(m)                                                                         \
    SHL_ROWS_4(m), SHL_ROWS_4((m) + 4), SHL_ROWS_4((m) + 8), SHL_ROWS_4((m) + 12)
#define SHL_ROWS_64(m)                                                                         \
    SHL_ROWS_16(m), SHL_ROWS_16((m) + 16), SHL_ROWS_16((m) + 32), SHL_ROWS_16((m) + 48)

static const uint64_t shl_lane_list[256] = {SHL_ROWS_64(0), SHL_ROWS_64(64), SHL_ROWS_64(128),
                                            SHL_ROWS_64(192)};

#undef SHL_BIT
#undef SHL_ROW
#undef SHL_ROWS_4
#undef SHL_ROWS_16
#undef SHL_ROWS_64

#endif
