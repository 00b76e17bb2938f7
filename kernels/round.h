// SPDX-License-Identifier: MIT
// float64 to float32, outwards. Shared by all bodies of a kernel so that they agree to the bit.
#ifndef SHL_KERNELS_ROUND_H
#define SHL_KERNELS_ROUND_H

#include <stdint.h>
#include <string.h>

// The next float below f; f is not -inf or NaN. Below both zeros is the smallest negative.
static inline float shl_next_below(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if ((bits << 1) == 0)
        bits = 0x80000001u;
    else
        bits += (bits >> 31) ? 1u : -1u;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// Largest float not above d. Values beyond the floats give FLT_MAX or -inf. Never -0.
static inline float shl_round_down(double d)
{
    const float f = (float)d;
    return ((double)f > d ? shl_next_below(f) : f) + 0.0f;
}

// Smallest float not below d. Never -0.
static inline float shl_round_up(double d)
{
    return -shl_round_down(-d) + 0.0f;
}

#endif
