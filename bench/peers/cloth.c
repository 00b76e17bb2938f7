// SPDX-License-Identifier: MIT
#include "bench/peers/cloth.h"

#include "scenes/math/portable_math.h"

static const double pi = 3.141592653589793;
static const double layers = 8;
static const double width = 4;                        // in lengths of a layer
static const double gap_open = 0.06, gap_shut = 0.03; // between layers, at time 0 and 1
static const double wave_height = 0.02;
static const double waves = 5;   // across the sheet
static const double shift = 1.9; // radians a layer lags behind the one below

void cloth_triangles(uint32_t *triangles)
{
    const uint32_t row = CLOTH_WIDE + 1;
    for (uint32_t i = 0; i < CLOTH_LONG; i++) {
        for (uint32_t j = 0; j < CLOTH_WIDE; j++) {
            const uint32_t a = i * row + j, b = a + row;
            const uint32_t cell[6] = {a, b, a + 1, a + 1, b, b + 1};
            for (int k = 0; k < 6; k++)
                *triangles++ = cell[k];
        }
    }
}

void cloth_flat(float *xyz)
{
    for (uint32_t i = 0; i <= CLOTH_LONG; i++) {
        for (uint32_t j = 0; j <= CLOTH_WIDE; j++) {
            *xyz++ = (float)(layers * i / CLOTH_LONG);
            *xyz++ = (float)(width * j / CLOTH_WIDE);
            *xyz++ = 0;
        }
    }
}

// A zigzag with round bends: the first terms of a triangle wave, from -1 to 1 in each layer.
static double zigzag(double layer)
{
    const double angle = pi * (layer - 0.5);
    const double sum = shl_sincos_of(angle).sin - shl_sincos_of(3 * angle).sin / 9 +
                       shl_sincos_of(5 * angle).sin / 25;
    return sum / (1 + 1.0 / 9 + 1.0 / 25);
}

void cloth_positions(double time, float *xyz)
{
    const double gap = gap_open + (gap_shut - gap_open) * time;
    for (uint32_t i = 0; i <= CLOTH_LONG; i++) {
        const double layer = layers * i / CLOTH_LONG;
        const double x = 0.5 * zigzag(layer);
        for (uint32_t j = 0; j <= CLOTH_WIDE; j++) {
            const double across = (double)j / CLOTH_WIDE;
            const double angle = 2 * pi * (waves * across + time) + shift * layer;
            const double ripple = 2 * pi * (3 * waves * across - 2 * time) + 7 * x;
            *xyz++ = (float)(x + 0.3 * gap * shl_sincos_of(ripple).sin);
            *xyz++ = (float)(width * across);
            *xyz++ = (float)(gap * layer + wave_height * shl_sincos_of(angle).sin +
                             0.3 * wave_height * shl_sincos_of(ripple + layer).cos);
        }
    }
}
