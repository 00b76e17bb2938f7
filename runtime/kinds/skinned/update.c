// SPDX-License-Identifier: MIT
// From new maps to what kernels read, and the body's box.
#include "runtime/kinds/skinned/front.h"

#include "kernels/round.h"

#include <math.h>
#include <string.h>

enum { ALIGN = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t column_bytes(const shl_skinned *m)
{
    return aligned(SHL_MAP_ROWS * (size_t)m->padded * sizeof(float));
}

size_t shl_skinned_ready_bytes(const shl_skinned *m)
{
    return aligned(sizeof(shl_skinned_ready)) + column_bytes(m) +
           m->point_count * sizeof(shl_point_map);
}

size_t shl_skinned_scratch_bytes(const shl_skinned *m)
{
    const size_t rows =
        m->bounds_most > m->padded / SHL_LANES ? m->bounds_most : m->padded / SHL_LANES;
    return rows * SHL_SCRATCH_FLOATS * sizeof(float);
}

// What all maps together say: how far vertices may be from the origin and from base.
typedef struct extent {
    double far;  // no coordinate is larger, nor anything on the way to it
    double most; // none is farther from base
    double turn; // no entry of A is larger
    double bad;  // NaN as soon as a number is not finite
    double base[3];
} extent;

// The image of the rest shape's middle along one axis.
static double middle_at(const shl_skinned *m, const double *row, int k)
{
    const double *p = m->middle;
    return p[k] + (((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3]);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Row k of A as a sum of directions, the largest entry first: by |a| - |b|, |b| - |c| and |c|
// along a, a and b, and all three. Which entry is larger nobody can predict: no branches.
static void split_row(const float a[3], float part[3], uint8_t row[3])
{
    const float x = fabsf(a[0]), y = fabsf(a[1]), z = fabsf(a[2]);
    const int to_x = a[0] < 0 ? -1 : 1, to_y = a[1] < 0 ? -3 : 3, to_z = a[2] < 0 ? -9 : 9;
    const int past_y = x >= y ? to_x : to_y, below_y = x >= y ? to_y : to_x;
    const float more = x >= y ? x : y, less = x >= y ? y : x; // of x and y
    const int all = 13 + to_x + to_y + to_z;
    const float middle = more < z ? more : z;
    row[0] = (uint8_t)(13 + (more >= z ? past_y : to_z));
    row[1] = (uint8_t)(all - (less >= z ? to_z : below_y));
    row[2] = (uint8_t)all;
    const float most = more >= z ? more : z, least = less >= z ? z : less;
    const float second = middle > less ? middle : less;
    part[0] = most - second;
    part[1] = second - least;
    part[2] = least;
}

// One axis of point j's map, as kernels read it, and its extent.
static void make_axis(const shl_skinned *m, const double *g, size_t j, size_t k, extent *r,
                      float *columns, shl_point_map *out)
{
    const float *z = m->zone + shl_group_at(j, SHL_ZONE_ROWS, 0);
    float *column = columns + shl_group_at(j, SHL_MAP_ROWS, 0);
    double a[3] = {g[0], g[1], g[2]};
    a[k] += 1;
    const double large[3] = {fabs(a[0]), fabs(a[1]), fabs(a[2])};
    const double size = (fabs(g[0]) + fabs(g[1])) + fabs(g[2]);
    const double spread =
        (large[0] * m->half[0] + large[1] * m->half[1]) + large[2] * m->half[2];
    const double off = middle_at(m, g, (int)k) - r->base[k];
    r->bad += 0 * (size + fabs(g[3]));
    r->turn = larger(r->turn, larger(large[0], larger(large[1], large[2])));
    r->far = larger(r->far, size * m->extent + fabs(g[3]));
    r->most = larger(r->most, spread + fabs(off));
    const float narrow[3] = {(float)a[0], (float)a[1], (float)a[2]}, at = (float)off;
    float w = at, e = 0;
    for (size_t l = 0; l < 3; l++) {
        w += narrow[l] * z[l * SHL_LANES];
        e += fabsf(narrow[l]) * z[(3 + l) * SHL_LANES];
        out->turn[3 * k + l] = narrow[l];
        column[(3 * k + l) * SHL_LANES] = narrow[l];
    }
    column[(9 + k) * SHL_LANES] = at;
    out->at[k] = at;
    out->lo[k] = w - e;
    out->hi[k] = w + e;
    split_row(narrow, out->part[k], out->row[k]);
}

// All maps in one pass. Where extents are too large, the maps are not read.
static extent make_maps(const shl_skinned *m, const double *maps, shl_skinned_ready *ready)
{
    char *memory = (char *)ready + aligned(sizeof *ready);
    float *columns = (float *)memory;
    shl_point_map *map = (shl_point_map *)(memory + column_bytes(m));
    extent r = {0};
    for (int k = 0; k < 3; k++)
        r.base[k] = (double)((float)middle_at(m, maps + (size_t)4 * k, k) + 0.0f);
    memset(columns, 0, column_bytes(m));
    for (size_t j = 0; j < m->point_count; j++) {
        for (size_t k = 0; k < 3; k++)
            make_axis(m, maps + 12 * j + 4 * k, j, k, &r, columns, &map[j]);
    }
    r.far = r.bad == 0 ? ((1 + m->off) * r.far + m->extent) * (1 + 0x1p-20) : INFINITY;
    r.most *= 1 + 0x1p-20;
    ready->maps = maps;
    ready->columns = columns;
    ready->map = map;
    return r;
}

static void make_ready(const shl_skinned *m, const extent *of, shl_skinned_ready *r)
{
    const double u = 0x1p-24;
    r->most = shl_round_up(of->most);
    r->slack_term = shl_round_up(4.04 * u * of->most);
    for (int k = 0; k < 3; k++) {
        const double base = fabs(of->base[k]);
        r->base[k] = (float)of->base[k];
        r->slack[k] = shl_round_up(1.01 * (u * (48 * of->most + 2 * base) +
                                           m->off * (m->extent + base + 2 * of->most) +
                                           m->rounding * of->far + 1e-36));
    }
}

static void make_box(const shl_kernels *kernels, const shl_skinned_body *b,
                     shl_scratch *scratch, shl_box *box)
{
    const shl_skinned *m = b->model;
    const shl_tree *t = b->tree;
    if (t->leaf[0]) {
        double xyz[3 * SHL_LEAF_VERTICES];
        const uint32_t count = t->list_begin[1];
        kernels->skinned_eval(m, b->maps.data, t->list, count, xyz);
        (void)kernels->vertex_box[SHOAL_F64](xyz, 0, count, NULL, 0, box);
        return;
    }
    if (m->blend == SHL_BLEND_DUAL && m->region != SHL_REGION_BOXES) {
        kernels->skinned_box(m, b->ready.data, scratch->kernel_buffer.data, box);
        return;
    }
    shl_block block;
    shl_skinned_bound(kernels, b, 0, scratch, &block);
    kernels->block_merge(&block, box);
}

void shl_skinned_update(const shl_kernels *kernels, const shl_skinned_body *b,
                        const shl_bodies *bodies, shl_scratch *scratch)
{
    const shl_skinned *m = b->model;
    shl_box *box = &bodies->box[b->body];
    const extent of = make_maps(m, b->maps.data, b->ready.data);
    const bool bad =
        !(of.far < 1e300 && of.turn * (1 + 2 * m->off) < INFINITY); // sums of maps, too
    shl_body_put(bodies, b->body, SHL_BODY_BAD, bad);
    shl_body_put(bodies, b->body, SHL_BODY_ACTIVE, !bad);
    double base = 0;
    for (int k = 0; k < 3; k++)
        base = fmax(base, fabs(of.base[k]));
    const bool unbounded = !(of.most <= SHL_SKINNED_MAX && of.turn <= SHL_SKINNED_MAX &&
                             base <= SHL_SKINNED_AT_MAX);
    shl_skinned_front_plan(b, bad || unbounded);
    if (bad)
        return;
    shl_body_put(bodies, b->body, SHL_BODY_UNBOUNDED, unbounded);
    if (!unbounded) {
        make_ready(m, &of, b->ready.data);
        make_box(kernels, b, scratch, box);
        return;
    }
    for (int k = 0; k < 3; k++) {
        box->lo[k] = shl_round_down(-of.far);
        box->hi[k] = shl_round_up(of.far);
    }
}

void shl_skinned_bound(const shl_kernels *kernels, const shl_skinned_body *b, uint32_t node,
                       shl_scratch *scratch, shl_block *out)
{
    kernels->skinned_open(b->model, b->model->block_of[node], b->ready.data,
                          b->tree->count[node], scratch->kernel_buffer.data, out);
}

// Of vertex p with weights w_j the exact positions differ by sum w_j (dG_j p + ds_j), and p is
// in the box of what point j acts on wherever w_j > 0: no term is larger than the extent of
// dG_j p + ds_j over that box, and the weights add up to 1 + off at most. Differences and their
// sums are off by less than 2^-49 of what they are sums of, and the evaluator by `rounding` of
// the largest number it meets, in both states.
double shl_skinned_motion(const shl_skinned *m, const double *now, const double *then)
{
    double most = 0, size = 0, bad = 0; // bad: NaN as soon as a number is not finite
    for (size_t j = 0; j < m->point_count; j++) {
        double mid[3], half[3];
        for (size_t l = 0; l < 3; l++) {
            mid[l] = m->middle[l] + (double)m->zone[shl_group_at(j, SHL_ZONE_ROWS, l)];
            half[l] = (double)m->zone[shl_group_at(j, SHL_ZONE_ROWS, 3 + l)];
        }
        for (size_t k = 0; k < 3; k++) {
            const double *a = now + 12 * j + 4 * k, *b = then + 12 * j + 4 * k;
            const double at = a[3] - b[3];
            double sum = at, spread = 0, terms = fabs(at), large = 0;
            for (size_t l = 0; l < 3; l++) {
                const double d = a[l] - b[l];
                sum += d * mid[l];
                spread += fabs(d) * half[l];
                terms += fabs(d) * (fabs(mid[l]) + half[l]);
                large += fabs(a[l]) + fabs(b[l]);
            }
            large = large * m->extent + fabs(a[3]) + fabs(b[3]);
            bad += 0 * large;
            most = larger(most, fabs(sum) + spread + 0x1p-48 * terms);
            size = larger(size, large);
        }
    }
    const double rounding = 2 * m->rounding * (size + m->extent);
    return bad == 0 ? (1 + m->off) * (1 + 0x1p-40) * most + rounding : INFINITY;
}
