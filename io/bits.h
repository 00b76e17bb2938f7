// SPDX-License-Identifier: MIT
// Little-endian numbers in bytes, on any machine.
#ifndef SHL_IO_BITS_H
#define SHL_IO_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t shl_get_bits(const char *at, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = size; i-- > 0;)
        bits = bits << 8 | (unsigned char)at[i];
    return bits;
}

static inline uint32_t shl_get_u32(const char *at)
{
    return (uint32_t)shl_get_bits(at, 4);
}

static inline float shl_get_f32(const char *at)
{
    const uint32_t bits = shl_get_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double shl_get_f64(const char *at)
{
    const uint64_t bits = shl_get_bits(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Each returns the place behind the number.
static inline char *shl_set_bits(char *to, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (char)(unsigned char)(bits >> 8 * i);
    return to + size;
}

static inline char *shl_set_f32(char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return shl_set_bits(to, bits, sizeof bits);
}

static inline char *shl_set_f64(char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return shl_set_bits(to, bits, sizeof bits);
}

#endif
