// SPDX-License-Identifier: MIT
#include "runtime/steps/points.h"

#include "kernels/round.h"
#include "runtime/steps/corner.h"

#include <math.h>
#include <string.h>

enum { ALIGN = 64 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t column_bytes(const shl_points *m)
{
    return aligned(12 * (size_t)m->padded * sizeof(float));
}

size_t shl_points_ready_bytes(const shl_points *m)
{
    return aligned(sizeof(shl_points_ready)) + column_bytes(m) +
           m->point_count * sizeof(shl_point_map);
}

size_t shl_points_scratch_bytes(const shl_points *m)
{
    const size_t rows =
        m->share_most > m->padded / SHL_LANES ? m->share_most : m->padded / SHL_LANES;
    return rows * SHL_SCRATCH_FLOATS * sizeof(float);
}

// What all maps together say: how far vertices may be from the origin and from base.
typedef struct reach {
    double far;  // no coordinate is larger, nor anything on the way to it
    double most; // none is farther from base
    double turn; // no entry of A is larger
    double base[3];
} reach;

// The image of the rest shape's middle along one axis.
static double middle_at(const shl_points *m, const double *row, int k)
{
    const double *p = m->middle;
    return p[k] + (((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3]);
}

static reach reach_of(const shl_points *m, const double *maps)
{
    reach r = {0};
    for (int k = 0; k < 3; k++)
        r.base[k] = (double)((float)middle_at(m, maps + 4 * k, k) + 0.0f);
    bool finite = true;
    for (size_t j = 0; j < m->point_count; j++) {
        for (int k = 0; k < 3; k++) {
            const double *g = maps + 12 * j + 4 * k;
            double size = 0, spread = 0;
            for (int l = 0; l < 3; l++) {
                const double a = fabs(g[l] + (k == l));
                finite = finite && isfinite(g[l]);
                size += fabs(g[l]);
                spread += a * m->half[l];
                r.turn = fmax(r.turn, a);
            }
            finite = finite && isfinite(g[3]);
            r.far = fmax(r.far, size * m->reach + fabs(g[3]));
            r.most = fmax(r.most, spread + fabs(middle_at(m, g, k) - r.base[k]));
        }
    }
    r.far = finite ? (r.far + m->reach) * (1 + 0x1p-20) : INFINITY;
    r.most *= 1 + 0x1p-20;
    return r;
}

// Row k of A as a sum of directions, the largest entry first: by |a| - |b|, |b| - |c| and |c|
// along a, a and b, and all three.
static void split_row(const float a[3], float part[3], uint8_t row[3])
{
    static const uint8_t step[3] = {1, 3, 9};
    int by_size[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        const int x = i == 1 ? 1 : 0, y = x + 1;
        if (fabsf(a[by_size[x]]) < fabsf(a[by_size[y]])) {
            const int swap = by_size[x];
            by_size[x] = by_size[y];
            by_size[y] = swap;
        }
    }
    int at = 13;
    for (int i = 0; i < 3; i++) {
        const int axis = by_size[i];
        at += a[axis] < 0 ? -step[axis] : step[axis];
        row[i] = (uint8_t)at;
        part[i] = i < 2 ? fabsf(a[axis]) - fabsf(a[by_size[i + 1]]) : fabsf(a[axis]);
    }
}

static void make_map(const shl_points *m, const double *map, size_t j, const double base[3],
                     float *columns, shl_point_map *out)
{
    for (int k = 0; k < 3; k++) {
        const double *g = map + 4 * k;
        for (int l = 0; l < 3; l++)
            out->turn[3 * k + l] = (float)(g[l] + (k == l));
        out->at[k] = (float)(middle_at(m, g, k) - base[k]);
        split_row(out->turn + 3 * k, out->part[k], out->row[k]);
        const float *a = out->turn + 3 * k;
        float w = out->at[k], e = 0;
        for (size_t l = 0; l < 3; l++) {
            w += a[l] * m->zone[l * m->padded + j];
            e += fabsf(a[l]) * m->zone[(3 + l) * m->padded + j];
        }
        out->lo[k] = w - e;
        out->hi[k] = w + e;
    }
    for (size_t i = 0; i < 12; i++)
        columns[i * m->padded + j] = i < 9 ? out->turn[i] : out->at[i - 9];
}

static void make_ready(const shl_points *m, const double *maps, const reach *of,
                       shl_points_ready *r)
{
    const double u = 0x1p-24;
    char *memory = (char *)r + aligned(sizeof *r);
    float *columns = (float *)memory;
    shl_point_map *map = (shl_point_map *)(memory + column_bytes(m));
    r->maps = maps;
    r->columns = columns;
    r->map = map;
    r->most = shl_round_up(of->most);
    r->slack_term = shl_round_up(4.04 * u * of->most);
    for (int k = 0; k < 3; k++) {
        const double base = fabs(of->base[k]);
        r->base[k] = (float)of->base[k];
        r->slack[k] = shl_round_up(1.01 * (u * (48 * of->most + 2 * base) +
                                           m->off * (m->reach + base + 2 * of->most) +
                                           0x1p-44 * of->far + 1e-36));
    }
    memset(columns, 0, column_bytes(m));
    for (size_t j = 0; j < m->point_count; j++)
        make_map(m, maps + 12 * j, j, of->base, columns, &map[j]);
}

static void make_box(const shl_kernels *kernels, shl_free_body *b, const reach *of,
                     shl_walker *worker)
{
    const shl_tree *t = b->tree;
    if (b->wide) {
        for (int k = 0; k < 3; k++) {
            b->box.lo[k] = shl_round_down(-of->far);
            b->box.hi[k] = shl_round_up(of->far);
        }
        return;
    }
    if (t->leaf[0]) {
        double xyz[3 * SHL_LEAF_VERTICES];
        const uint32_t count = t->list_begin[1];
        kernels->points_eval(b->points, b->own.data, t->list, count, xyz);
        (void)kernels->vertex_box[SHOAL_F64](xyz, 0, count, NULL, 0, &b->box);
        return;
    }
    if (b->points->blend == SHL_BLEND_DUAL && b->points->region != SHL_REGION_BOXES) {
        kernels->points_root(b->points, b->ready.data, worker->face_room.data, &b->box);
        return;
    }
    shl_block block;
    shl_points_open(kernels, b, 0, worker, &block);
    kernels->block_merge(&block, &b->box);
}

void shl_points_prepare(const shl_kernels *kernels, shl_free_body *b, shl_walker *worker)
{
    const shl_points *m = b->points;
    const reach of = reach_of(m, b->own.data);
    b->bad = !(of.far < 1e300);
    if (b->bad) {
        shl_corner_plan(b, true);
        return;
    }
    double base = 0;
    for (int k = 0; k < 3; k++)
        base = fmax(base, fabs(of.base[k]));
    b->wide =
        !(of.most <= SHL_POINTS_MAX && of.turn <= SHL_POINTS_MAX && base <= SHL_POINTS_AT_MAX);
    if (!b->wide)
        make_ready(m, b->own.data, &of, b->ready.data);
    shl_corner_plan(b, b->wide);
    make_box(kernels, b, &of, worker);
}

void shl_points_open(const shl_kernels *kernels, const shl_free_body *b, uint32_t node,
                     shl_walker *worker, shl_block *out)
{
    kernels->points_open(b->points, b->points->block_of[node], b->ready.data,
                         b->tree->count[node], worker->face_room.data, out);
}
