// SPDX-License-Identifier: MIT
// The paper's initial-shape trees (Larsson & Akenine-Moller 2001): a node's box is split along
// its longest side (2 children), its two longest (4) or all three (8), at its centre or at the
// mean of the triangles' midpoints.
#include "runtime/trees/ranges.h"

#include <math.h>
#include <string.h>

typedef struct extent {
    double lo[3], hi[3], middle[3];
} extent;

typedef struct shape {
    const shl_build *build;
    extent *extents;   // [triangle_count]
    uint32_t *scratch; // [triangle_count]
    uint8_t *side;     // [triangle_count] by position: in which sub-volume it lies
} shape;

// Parts before adding: the sum of two finite doubles may not be finite.
static extent extent_of(const shl_build_input *in, uint32_t triangle)
{
    extent out;
    const uint32_t *v = in->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; k++) {
        out.lo[k] = INFINITY;
        out.hi[k] = -INFINITY;
        out.middle[k] = 0;
        for (int c = 0; c < 3; c++) {
            const double x = in->xyz[3 * (size_t)v[c] + k];
            out.lo[k] = fmin(out.lo[k], x);
            out.hi[k] = fmax(out.hi[k], x);
            out.middle[k] += x / 3;
        }
    }
    return out;
}

// Box of a range of triangles, and where to split it along each axis.
static void measure(const shape *s, const shl_tri_range *range, double half[3], double cut[3])
{
    const bool mean = s->build->in->builder == SHOAL_BUILDER_INITIAL_SHAPE_MEAN;
    const double share = 1.0 / (range->end - range->begin);
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY, sum = 0;
        for (uint32_t i = range->begin; i < range->end; i++) {
            const extent *p = &s->extents[s->build->order[i]];
            lo = p->lo[k] < lo ? p->lo[k] : lo;
            hi = p->hi[k] > hi ? p->hi[k] : hi;
            sum += share * p->middle[k];
        }
        half[k] = 0.5 * hi - 0.5 * lo;
        cut[k] = mean ? sum : 0.5 * hi + 0.5 * lo;
    }
}

// The longest axes come first.
static void order_axes(const double half[3], int axes[3])
{
    axes[0] = 0, axes[1] = 1, axes[2] = 2;
    for (int i = 1; i < 3; i++) {
        for (int k = i; k > 0 && half[axes[k]] > half[axes[k - 1]]; k--) {
            const int swap = axes[k];
            axes[k] = axes[k - 1];
            axes[k - 1] = swap;
        }
    }
}

static uint32_t split(void *ctx, const shl_tri_range *range, shl_tri_range out[SHL_LANES])
{
    const shape *s = ctx;
    uint32_t *order = s->build->order;
    const uint32_t arity = s->build->arity;
    double half[3], cut[3];
    int axes[3];
    measure(s, range, half, cut);
    order_axes(half, axes);
    uint32_t count[SHL_LANES] = {0};
    for (uint32_t i = range->begin; i < range->end; i++) {
        const extent *p = &s->extents[order[i]];
        uint32_t side = 0;
        for (int k = 0; k < 3 && 1u << k < arity; k++)
            side |= (uint32_t)(p->middle[axes[k]] > cut[axes[k]]) << k;
        s->side[i] = (uint8_t)side;
        count[side]++;
    }
    uint32_t to[SHL_LANES], children = 0, at = range->begin;
    for (uint32_t side = 0; side < SHL_LANES; side++) {
        to[side] = at;
        at += count[side];
        if (count[side])
            out[children++] = (shl_tri_range){to[side], at, 0};
    }
    memcpy(s->scratch + range->begin, order + range->begin,
           (range->end - range->begin) * sizeof *order);
    for (uint32_t i = range->begin; i < range->end; i++)
        order[to[s->side[i]]++] = s->scratch[i];
    return children;
}

shoal_status shl_build_shape(shl_build *b)
{
    const size_t n = b->in->triangle_count, bytes = n * (sizeof(extent) + sizeof(uint32_t) + 1);
    shape s = {.build = b, .extents = shl_alloc(b->allocator, bytes)};
    if (!s.extents)
        return SHOAL_ERR_MEMORY;
    s.scratch = (uint32_t *)(s.extents + n);
    s.side = (uint8_t *)(s.scratch + n);
    for (uint32_t i = 0; i < n; i++)
        s.extents[i] = extent_of(b->in, i);
    const shoal_status st = shl_split_all(b, split, &s);
    shl_free(b->allocator, s.extents, bytes);
    return st;
}
