// SPDX-License-Identifier: MIT
// Affine bounds: a linear field fitted to each displacement field, and how far it is off.
#include "runtime/trees/reduced.h"

#include "kernels/reduced/reduced_open.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLES_MAX = 256, // vertices that a slope is improved with
    ROUNDS = 8,
};

static const double small = 1.0 / 256; // of the field: what is left is not worth more work

// Rest positions as a basis: centre and scale, mean and inverse covariance of (p - c) / scale.
typedef struct basis {
    double centre[3], half[3];
    double scale; // 0: there is no linear part
    double mean[3], inverse[9];
} basis;

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void invert(const double m[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[3 * i + k] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
        }
    }
    const double det = m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
    for (int i = 0; i < 9; i++)
        out[i] /= det;
}

// Mean and inverse covariance from sums with weights that add up to 1; false if all is one
// point. A flat or straight piece has no slope across itself.
static bool invert_spread(const double sum[3], double square[9], double inverse[9])
{
    double trace = 0;
    for (int k = 0; k < 9; k++) {
        square[k] -= sum[k / 3] * sum[k % 3];
        trace += k % 4 == 0 ? square[k] : 0;
    }
    if (!(trace > 1e-12))
        return false;
    for (int k = 0; k < 9; k += 4)
        square[k] += 1e-6 * trace;
    invert(square, inverse);
    return true;
}

static void coordinates(const shl_below *b, const basis *base, uint32_t i, double out[3])
{
    shl_below_value(b, -1, i, out);
    for (int k = 0; k < 3; k++)
        out[k] = (out[k] - base->centre[k]) / base->scale;
}

static void basis_of(const shl_below *b, basis *out)
{
    shl_below_box(b, -1, out->centre, out->half);
    out->scale = fmax(out->half[0], fmax(out->half[1], out->half[2]));
    if (!(out->scale >= 1 / SHL_REDUCED_Q_MAX)) {
        out->scale = 0;
        return;
    }
    double square[9] = {0};
    memset(out->mean, 0, sizeof out->mean);
    for (uint32_t i = 0; i < b->count; i++) {
        double v[3];
        coordinates(b, out, i, v);
        for (int k = 0; k < 3; k++)
            out->mean[k] += v[k];
        for (int k = 0; k < 9; k++)
            square[k] += v[k / 3] * v[k % 3];
    }
    for (int k = 0; k < 9; k++) {
        out->mean[k % 3] /= k < 3 ? b->count : 1;
        square[k] /= b->count;
    }
    if (!invert_spread(out->mean, square, out->inverse))
        out->scale = 0;
}

// The slope of a field in the basis; `cross` is its covariance with places.
static void slope_in(const double cross[9], const double inverse[9], double out[9])
{
    for (int k = 0; k < 9; k++) {
        const double *c = cross + k / 3 * 3, *i = inverse + k % 3;
        out[k] = c[0] * i[0] + c[1] * i[3] + c[2] * i[6];
    }
}

// As floats within the limits of reduced_open.h, or none.
static void store_slope(const shl_below *b, const basis *base, int field, double slope[9])
{
    bool good = true;
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int l = 0; l < 3; l++) {
            const double g = slope[3 * k + l] / base->scale;
            good &= fabs(g) <= SHL_REDUCED_Q_MAX;
            slope[3 * k + l] = (float)g;
            sum += fabs(g) * base->half[l];
        }
        good &= sum * (1 + 0x1p-20) <= 2 * b->model->field_extent[field];
    }
    if (!good)
        memset(slope, 0, 9 * sizeof *slope);
}

// Least squares over all vertices.
static void slope_of(const shl_below *b, const basis *base, int field, double out[9])
{
    double cross[9] = {0};
    memset(out, 0, 9 * sizeof *out);
    if (base->scale == 0)
        return;
    for (uint32_t i = 0; i < b->count; i++) {
        double p[3], d[3];
        coordinates(b, base, i, p);
        shl_below_value(b, field, i, d);
        for (int k = 0; k < 9; k++)
            cross[k] += d[k / 3] * (p[k % 3] - base->mean[k % 3]);
    }
    for (int k = 0; k < 9; k++)
        cross[k] /= b->count;
    slope_in(cross, base->inverse, out);
    store_slope(b, base, field, out);
}

typedef struct sample {
    double at[3], value[3], weight;
} sample;

// Least squares with weights that add up to 1: the slope in the basis, and by how much the
// farthest sample is off. Weights become those of the next round.
static double fit(sample *samples, uint32_t count, double out[9])
{
    double mean[3] = {0}, middle[3] = {0}, square[9] = {0}, cross[9] = {0}, inverse[9];
    for (uint32_t i = 0; i < count; i++) {
        const sample *s = &samples[i];
        for (int k = 0; k < 9; k++) {
            square[k] += s->weight * s->at[k / 3] * s->at[k % 3];
            cross[k] += s->weight * s->value[k / 3] * s->at[k % 3];
        }
        for (int k = 0; k < 3; k++) {
            mean[k] += s->weight * s->at[k];
            middle[k] += s->weight * s->value[k];
        }
    }
    for (int k = 0; k < 9; k++)
        cross[k] -= middle[k / 3] * mean[k % 3];
    if (!invert_spread(mean, square, inverse))
        return INFINITY;
    slope_in(cross, inverse, out);
    double off[SAMPLES_MAX], most = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        double left[3];
        for (int k = 0; k < 3; k++) {
            left[k] = samples[i].value[k] - middle[k];
            for (int l = 0; l < 3; l++)
                left[k] -= out[3 * k + l] * (samples[i].at[l] - mean[l]);
        }
        off[i] = length(left);
        most = fmax(most, off[i]);
    }
    for (uint32_t i = 0; i < count && most > 0; i++)
        sum += samples[i].weight *= off[i] / most + 1e-3;
    for (uint32_t i = 0; i < count && most > 0; i++)
        samples[i].weight /= sum;
    return most;
}

// A slope whose farthest vertex is nearer, by least squares that weigh vertices more the
// farther they were off (Lawson 1961). Any slope gives a valid bound.
static void better_slope(const shl_below *b, const basis *base, int field, double out[9])
{
    sample samples[SAMPLES_MAX];
    const uint32_t step = (b->count - 1) / SAMPLES_MAX + 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i += step, count++) {
        coordinates(b, base, i, samples[count].at);
        shl_below_value(b, field, i, samples[count].value);
    }
    for (uint32_t i = 0; i < count; i++)
        samples[i].weight = 1.0 / count;
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double slope[9];
        const double most = fit(samples, count, slope);
        if (most < best)
            memcpy(out, slope, sizeof slope);
        best = fmin(best, most);
    }
    store_slope(b, base, field, out);
}

// What the slope leaves of the field, its middle, and the farthest from it.
static double remainder_of(const shl_below *b, const basis *base, int field, const double g[9],
                           double middle[3])
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double most = 0;
    middle[0] = middle[1] = middle[2] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < b->count; i++) {
            double p[3], d[3], left[3];
            shl_below_value(b, -1, i, p);
            shl_below_value(b, field, i, d);
            for (int k = 0; k < 3; k++) {
                double size = fabs(d[k]);
                left[k] = d[k];
                for (int l = 0; l < 3; l++) {
                    const double part = g[3 * k + l] * (p[l] - base->centre[l]);
                    left[k] -= part;
                    size += fabs(part);
                }
                lo[k] = left[k] < lo[k] ? left[k] : lo[k];
                hi[k] = left[k] > hi[k] ? left[k] : hi[k];
                left[k] = fabs(left[k] - middle[k]) + 0x1p-48 * (size + fabs(middle[k]));
            }
            if (pass == 1)
                most = fmax(most, length(left));
        }
        for (int k = 0; k < 3 && pass == 0; k++)
            middle[k] = (float)(0.5 * lo[k] + 0.5 * hi[k]);
    }
    return most;
}

static void put(float *block, uint32_t row, uint32_t lane, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        block[(row + i) * SHL_LANES + lane] = (float)values[i];
}

void shl_below_affine(const shl_below *b, uint32_t lane, float *block)
{
    basis base;
    basis_of(b, &base);
    put(block, 0, lane, base.centre, 3);
    for (uint32_t k = 0; k < 3; k++)
        block[(3 + k) * SHL_LANES + lane] = shl_upwards(base.half[k]);
    for (int field = 0; field < (int)b->model->field_count; field++) {
        double slope[9], middle[3];
        slope_of(b, &base, field, slope);
        double rest = remainder_of(b, &base, field, slope, middle);
        if (base.scale > 0 && rest > small * b->model->field_extent[field]) {
            double other[9] = {0}, other_middle[3];
            better_slope(b, &base, field, other);
            const double least = remainder_of(b, &base, field, other, other_middle);
            if (least < rest) {
                rest = least;
                memcpy(slope, other, sizeof slope);
                memcpy(middle, other_middle, sizeof middle);
            }
        }
        const uint32_t row = 6 + 13 * (uint32_t)field;
        put(block, row, lane, middle, 3);
        block[(row + 3) * SHL_LANES + lane] = shl_upwards(rest);
        put(block, row + 4, lane, slope, 9);
    }
}
