// SPDX-License-Identifier: MIT
// Sets of boxes that are hard on a broad phase, and the plainest way to find their pairs.
#ifndef TESTS_UNIT_RUNTIME_BROAD_BROAD_SETS_H
#define TESTS_UNIT_RUNTIME_BROAD_BROAD_SETS_H

#include "layouts/tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    SET_RANDOM,
    SET_SIZES,
    SET_CLUSTERS,
    SET_LINE,
    SET_FLAT,
    SET_SKINNED,
    SET_GRID,
    SET_IDENTICAL,
    SET_UNBOUNDED,
    SET_EXTREME,
    SETS
};

static uint64_t set_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x * 0x2545f4914f6cdd1du;
}

static double set_unit(uint64_t *state)
{
    return (double)(set_random(state) >> 11) * 0x1p-53;
}

// Side of a cube of which n in a unit cube have about n overlaps.
static double set_side(uint32_t n)
{
    return 0.5 * cbrt(2.0 / (n + 1));
}

static void set_extreme(uint64_t *r, float *lo, float *hi)
{
    static const float ends[] = {-INFINITY, -FLT_MAX, -1, -FLT_MIN, -1e-45f, -0.0f,
                                 0,         1e-45f,   1,  FLT_MAX,  INFINITY};
    const uint32_t a = (uint32_t)(set_random(r) % 11), b = (uint32_t)(set_random(r) % 11);
    *lo = ends[a < b ? a : b];
    *hi = ends[a < b ? b : a];
}

// One box of a set of about n; every twentieth takes no part.
static shl_box set_box(int set, uint32_t n, uint64_t *r)
{
    shl_box box;
    const uint64_t lot = set_random(r);
    const double side = set_side(n);
    for (int k = 0; k < 3; k++) {
        double at = set_unit(r), size = side * (0.5 + set_unit(r));
        switch (set) {
        case SET_SIZES:
            size *= exp2((double)(lot >> 8 & 15) - 10);
            break;
        case SET_CLUSTERS: // two, far apart, and a box much further
            at = at * 1e-3 + (lot >> 8 & 1) * 1e4 + ((lot >> 9) % 64 == 0 ? 1e30 : 0);
            size *= 1e-3;
            break;
        case SET_LINE:
            at = k == 1 ? at : 0;
            break;
        case SET_FLAT:
            size = k == (int)(lot >> 8) % 3 ? 0 : size;
            break;
        case SET_SKINNED:
            at = floor(at * cbrt(n));
            size = 0;
            break;
        case SET_GRID: // neighbours touch
            at = floor(at * cbrt(2.0 * n));
            size = 1;
            break;
        case SET_IDENTICAL:
            at = size = 0.25;
            break;
        default:
            break;
        }
        box.lo[k] = (float)at;
        box.hi[k] = (float)(at + size);
        if (set == SET_UNBOUNDED && (lot >> (8 + 3 * k)) % 8 == 0)
            box.lo[k] = -INFINITY;
        if (set == SET_UNBOUNDED && (lot >> (20 + 3 * k)) % 8 == 0)
            box.hi[k] = INFINITY;
        if (set == SET_EXTREME)
            set_extreme(r, &box.lo[k], &box.hi[k]);
    }
    if (lot % 20 == 0)
        box = (shl_box){{1, 1, 1}, {0, 0, 0}};
    return box;
}

// All pairs (a << 32 | b) in order, by comparing each with each. The caller frees it.
static uint64_t *set_pairs(const shl_box *boxes, uint32_t n, size_t *count)
{
    uint64_t *pairs = malloc(((size_t)n * n / 2 + 1) * sizeof *pairs);
    *count = 0;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            int apart = boxes[a].lo[0] > boxes[a].hi[0] || boxes[b].lo[0] > boxes[b].hi[0];
            for (int k = 0; k < 3 && !apart; k++)
                apart = boxes[a].hi[k] < boxes[b].lo[k] || boxes[b].hi[k] < boxes[a].lo[k];
            if (!apart)
                pairs[(*count)++] = (uint64_t)a << 32 | b;
        }
    }
    return pairs;
}

#endif
