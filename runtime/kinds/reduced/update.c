// SPDX-License-Identifier: MIT
// From a new state to what kernels read, and the body's box.
#include "runtime/kinds/reduced/coherence.h"

#include "kernels/round.h"

#include <math.h>

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            return INFINITY;
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

// No coordinate of p + U q is larger; infinite if q is not finite or far too large.
static double extent_of(const shl_reduced *m, const double *q)
{
    if (!(largest(q, m->field_count) < INFINITY))
        return INFINITY;
    double sum = m->extent;
    for (uint32_t j = 0; j < m->field_count; j++)
        sum += m->field_extent[j] * fabs(q[j]);
    return sum * (1 + 0x1p-40);
}

// What the kernels read, with the slack that kernels/reduced/reduced_open.h asks for.
static void make_ready(const shl_reduced *m, double extent, shl_reduced_ready *r)
{
    const double u = 0x1p-24;
    double fields = 0, stretch = 0;
    for (uint32_t j = 0; j < m->field_count; j++) {
        fields += m->field_extent[j];
        r->weight[j] = (float)r->q[j];
    }
    const double sums = SHL_SLACK[m->bounds] * (m->field_count + 12) * extent;
    const double underflow = 0x1p-136 * (1 + extent + fields);
    for (int k = 0; k < 3; k++) {
        const double *row = r->rotation + 3 * k, at = r->translation[k];
        const double slack = 1.01 * (u * (sums + fabs(at)) + underflow);
        r->base[k] = (float)at;
        r->lo[k] = (float)((at - (double)r->base[k]) - slack);
        r->hi[k] = (float)((at - (double)r->base[k]) + slack);
        stretch = fmax(stretch, row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        for (int l = 0; l < 3; l++)
            r->turn[3 * k + l] = (float)row[l];
    }
    // contact spheres do not shrink with a turn that does
    r->stretch = shl_round_up(fmax(1, sqrt(stretch)) * (1 + 0x1p-40));
}

void shl_reduced_still(const shl_reduced_body *b, shl_reduced_ready *out)
{
    static const double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, at[3];
    *out = (shl_reduced_ready){
        .rotation = turn, .translation = at, .q = (const double *)b->state.data + 12};
    make_ready(b->model, extent_of(b->model, out->q), out);
}

// The box of everything within `extent` of the origin, rotated and translated, and of spheres
// around it, which extend as far again.
static void unbounded_box(const shl_reduced_ready *r, double extent, shl_box *out)
{
    const double half = 3.5 * extent * (double)r->stretch; // 2 sqrt 3 and rounding
    for (int k = 0; k < 3; k++) {
        const double slack = half + 0x1p-50 * fabs(r->translation[k]);
        out->lo[k] = shl_round_down(r->translation[k] - slack);
        out->hi[k] = shl_round_up(r->translation[k] + slack);
    }
}

// Box of the triangles, once the body is ready and sensible.
static void make_box(const shl_kernels *kernels, const shl_reduced_body *b, shl_box *box)
{
    const shl_reduced *m = b->model;
    const shl_tree *t = b->tree;
    const shl_reduced_ready *r = b->ready.data;
    if (t->leaf[0]) {
        double xyz[3 * SHL_LEAF_VERTICES];
        const uint32_t count = t->list_begin[1];
        kernels->reduced_eval(m, r, t->list, count, xyz);
        (void)kernels->vertex_box[SHOAL_F64](xyz, 0, count, NULL, 0, box);
        return;
    }
    shl_block block;
    kernels->reduced_open[m->bounds](shl_reduced_block(m, 0), m->field_count, r, t->count[0],
                                     &block);
    kernels->block_merge(&block, box);
}

void shl_reduced_update(const shl_kernels *kernels, const shl_reduced_body *b,
                        const shl_bodies *bodies)
{
    const shl_reduced *m = b->model;
    const double *state = b->state.data;
    shl_reduced_ready *r = b->ready.data;
    shl_box *box = &bodies->box[b->body];
    r->rotation = state;
    r->translation = state + 9;
    r->q = state + 12;
    const double extent = extent_of(m, r->q), at = largest(r->translation, 3);
    const bool bad = !(extent < 1e300 && at < 1e300 && largest(r->rotation, 9) < INFINITY);
    shl_body_put(bodies, b->body, SHL_BODY_BAD, bad);
    shl_body_put(bodies, b->body, SHL_BODY_ACTIVE, !bad);
    if (bad)
        return;
    make_ready(m, extent, r);
    const bool unbounded = !(extent <= SHL_REDUCED_MAX && at <= SHL_REDUCED_AT_MAX &&
                             largest(r->q, m->field_count) <= SHL_REDUCED_Q_MAX);
    shl_body_put(bodies, b->body, SHL_BODY_UNBOUNDED, unbounded);
    shl_coherence_update(b);
    if (unbounded) { // contact spheres included
        unbounded_box(r, extent, box);
        return;
    }
    make_box(kernels, b, box);
    if (m->sphere_count)
        shl_reduced_widen(kernels, b, box);
}
