// SPDX-License-Identifier: MIT
#include "kernels/skinned/skinned_open.h"

#include <float.h>
#include <math.h>

enum { L = SHL_LANES, FACES = 6 };

static const float unit = 1.0f / SHL_WEIGHT_ONE;

// --- How far one point alone would take a child's vertices along each face. ---

typedef struct piece {
    const float *extents; // [SHL_EXTENTS][L]
    uint32_t lane;
} piece;

static float extent(const piece *c, uint32_t row)
{
    return c->extents[row * L + c->lane];
}

static float dot(const float a[3], float x, float y, float z, float sum)
{
    return fmaf(a[2], z, fmaf(a[1], y, fmaf(a[0], x, sum)));
}

// The image of a box.
static void of_box(const shl_point_map *m, const float lo[3], const float hi[3],
                   float out[FACES])
{
    float mid[3], half[3];
    for (int l = 0; l < 3; l++) {
        mid[l] = 0.5f * (lo[l] + hi[l]);
        const float up = hi[l] - mid[l], down = mid[l] - lo[l]; // whatever mid lost
        half[l] = up > down ? up : down;
    }
    for (int k = 0; k < 3; k++) {
        const float *a = m->turn + 3 * k;
        const float size[3] = {fabsf(a[0]), fabsf(a[1]), fabsf(a[2])};
        const float w = dot(a, mid[0], mid[1], mid[2], m->at[k]);
        const float e = dot(size, half[0], half[1], half[2], 0);
        out[k] = w + e;
        out[3 + k] = e - w;
    }
}

static void boxes(const shl_skinned *model, uint32_t point, const shl_point_map *m,
                  const piece *c, float out[FACES])
{
    (void)model;
    (void)point;
    float lo[3], hi[3];
    for (int l = 0; l < 3; l++) {
        hi[l] = extent(c, shl_extent_row(l, false));
        lo[l] = -extent(c, shl_extent_row(l, true));
    }
    of_box(m, lo, hi, out);
}

static void clipped(const shl_skinned *model, uint32_t point, const shl_point_map *m,
                    const piece *c, float out[FACES])
{
    float lo[3], hi[3];
    for (size_t l = 0; l < 3; l++) {
        const float mid = model->zone[shl_group_at(point, SHL_ZONE_ROWS, l)],
                    half = model->zone[shl_group_at(point, SHL_ZONE_ROWS, 3 + l)];
        hi[l] = fminf(extent(c, shl_extent_row((int)l, false)), mid + half);
        lo[l] = fmaxf(-extent(c, shl_extent_row((int)l, true)), mid - half);
        if (lo[l] > hi[l]) // the point does not act on this child, or rounding says so
            lo[l] = hi[l] = 0.5f * (lo[l] + hi[l]);
    }
    of_box(m, lo, hi, out);
}

static void directions(const shl_skinned *model, uint32_t point, const shl_point_map *m,
                       const piece *c, float out[FACES])
{
    (void)model;
    (void)point;
    for (int k = 0; k < 3; k++) {
        const uint8_t *row = m->row[k];
        const float *part = m->part[k];
        const float up =
            dot(part, extent(c, row[0]), extent(c, row[1]), extent(c, row[2]), m->at[k]);
        const float down = dot(part, extent(c, 26u - row[0]), extent(c, 26u - row[1]),
                               extent(c, 26u - row[2]), -m->at[k]);
        out[k] = fminf(up, m->hi[k]);
        out[3 + k] = fminf(down, -m->lo[k]);
    }
}

typedef void region_fn(const shl_skinned *model, uint32_t point, const shl_point_map *m,
                       const piece *c, float out[FACES]);
static region_fn *const regions[SHL_REGIONS] = {boxes, clipped, directions};

// --- All points together: the largest blend of their extremes that weights allow. ---

// One face of one child.
typedef struct series {
    const float *value; // every SHL_SCRATCH_FLOATS
    const float *vary;  // the same: largest less least weight
    const shl_weight_bounds *weight_bounds;
    uint32_t lane, count;
    float least;     // sum of least weights
    float vary_sum;  // of what they vary by
    float base;      // sum of least weights times values
    float vary_base; // of what they vary by times values
    float top;       // largest value of a weight that varies
    float most;      // no value is beyond it, either way
} series;

static float value(const series *s, uint32_t i)
{
    return s->value[(size_t)i * SHL_SCRATCH_FLOATS];
}

static float vary(const series *s, uint32_t i)
{
    return s->vary[(size_t)i * SHL_SCRATCH_FLOATS];
}

static bool acts(const series *s, uint32_t i)
{
    return s->weight_bounds[i].most[s->lane] > 0;
}

static float at_union(const series *s)
{
    float top = -FLT_MAX;
    for (uint32_t i = 0; i < s->count; i++)
        top = fmaxf(top, acts(s, i) ? value(s, i) : -FLT_MAX);
    return top;
}

// g(lambda) of skinned_open.h, and its slope.
static float dual(const series *s, float at, float *slope)
{
    float over = 0, mass = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const float beyond = value(s, i) - at;
        over = fmaf(vary(s, i), fmaxf(beyond, 0), over);
        mass += beyond > 0 ? vary(s, i) : 0;
    }
    *slope = (1 - s->least) - mass;
    return fmaf(1 - s->least, at, s->base) + over;
}

static float at_corner(const series *s)
{
    float first = -FLT_MAX, second = -FLT_MAX, slope;
    for (uint32_t i = 0; i < s->count; i++) {
        const float v = acts(s, i) ? value(s, i) : -FLT_MAX;
        second = fmaxf(second, fminf(first, v));
        first = fmaxf(first, v);
    }
    return dual(s, second > -FLT_MAX ? second : first, &slope);
}

static float clamp(float x, float most)
{
    return fminf(fmaxf(x, -most), most);
}

// Some rounds of Kelley's cutting planes: the next lambda is where the two lines meet that are
// known to touch g from below.
static float least_of(const series *s, int rounds)
{
    const float rest = 1 - s->least;
    // lines below g: value at 0 and slope
    float down = s->base + s->vary_base, down_slope = rest - s->vary_sum;
    float up = s->base, up_slope = rest, best = INFINITY;
    // as if values were spread evenly around their mean
    const float mean = s->vary_base / s->vary_sum;
    float guess = s->top - 2 * (rest / s->vary_sum) * (s->top - mean);
    for (int round = 0; round < rounds; round++) {
        float slope;
        const float bend = up_slope - down_slope;
        const float at = bend > 0 ? clamp(guess, s->most) : 0;
        const float g = dual(s, at, &slope), line = g - slope * at;
        best = fminf(best, g);
        const bool rises = slope > 0;
        if (round && line == (rises ? up : down) && slope == (rises ? up_slope : down_slope))
            break; // both lines as before: all further rounds would be this one
        if (rises) {
            up = line;
            up_slope = slope;
        } else {
            down = line;
            down_slope = slope;
        }
        guess = (down - up) / (up_slope - down_slope);
    }
    return best;
}

static float at_knapsack(const series *s)
{
    return least_of(s, SHL_KNAPSACK_ROUNDS);
}

static float at_dual(const series *s)
{
    return least_of(s, SHL_DUAL_ROUNDS);
}

typedef float blend_fn(const series *s);
static blend_fn *const blends[SHL_BLENDS] = {at_union, at_corner, at_knapsack, at_dual};

static float bound(const shl_skinned *model, const shl_weight_bounds *weight_bounds,
                   uint32_t count, uint32_t lane, uint32_t face, float most,
                   const float *scratch)
{
    series s = {.value = scratch + face * L + lane,
                .vary = scratch + FACES * L + lane,
                .weight_bounds = weight_bounds,
                .lane = lane,
                .count = count,
                .top = -most,
                .most = most};
    for (uint32_t i = 0; i < count; i++) {
        const float least = (float)weight_bounds[i].least[lane] * unit;
        s.least += least;
        s.base = fmaf(least, value(&s, i), s.base);
        s.vary_sum += vary(&s, i);
        s.vary_base = fmaf(vary(&s, i), value(&s, i), s.vary_base);
        s.top = fmaxf(s.top, vary(&s, i) > 0 ? value(&s, i) : -most);
    }
    return fminf(blends[model->blend](&s), most);
}

void shl_skinned_open_ref(const shl_skinned *model, uint32_t block,
                          const shl_skinned_ready *ready, uint32_t count, float *scratch,
                          shl_block *out)
{
    const uint32_t begin = model->bounds_begin[block],
                   points = model->bounds_begin[block + 1] - begin;
    const float *extents = model->extents + (size_t)block * SHL_EXTENTS * L;
    for (uint32_t i = 0; i < points; i++) {
        const uint32_t point = model->bounds_point[begin + i];
        const shl_weight_bounds *bounds = &model->weight_bounds[begin + i];
        float *row = scratch + (size_t)i * SHL_SCRATCH_FLOATS;
        for (uint32_t lane = 0; lane < L; lane++) {
            const piece c = {extents, lane};
            float face[FACES];
            regions[model->region](model, point, &ready->map[point], &c, face);
            for (int f = 0; f < FACES; f++)
                row[f * L + (int)lane] = face[f];
            row[FACES * L + (int)lane] =
                (float)(bounds->most[lane] - bounds->least[lane]) * unit;
        }
    }
    const float more = ready->slack_term * (float)points;
    for (uint32_t lane = 0; lane < L; lane++) {
        for (uint32_t k = 0; k < 3; k++) {
            const float slack = ready->slack[k] + more;
            const float hi = bound(model, model->weight_bounds + begin, points, lane, k,
                                   ready->most, scratch);
            const float lo = bound(model, model->weight_bounds + begin, points, lane, 3 + k,
                                   ready->most, scratch);
            out->hi[k][lane] = lane < count ? ready->base[k] + (hi + slack) : -INFINITY;
            out->lo[k][lane] = lane < count ? ready->base[k] - (lo + slack) : INFINITY;
        }
    }
}
