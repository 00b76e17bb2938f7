// SPDX-License-Identifier: MIT
// Contact spheres that reduced bodies carry.
#include "runtime/kinds/reduced/reduced.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>

static bool tree_of(const shoal_model *model, shl_sphere_tree *out)
{
    const shl_reduced *m = &model->reduced;
    *out = (shl_sphere_tree){m->sphere_nodes, m->sphere_count, m->sphere_first, m->sphere_node};
    return m->sphere_count > 0;
}

static void open_node(const shl_kernels *kernels, const shl_reduced_body *b, uint32_t node,
                      shl_block *out)
{
    const shl_reduced *m = b->model;
    kernels->reduced_open[SHL_BOUNDS_SPHERES](
        shl_sphere_block(m, node), m->field_count, b->ready.data,
        m->sphere_first[node + 1] - m->sphere_first[node], out);
}

static void open_spheres(const shl_view *v, uint32_t node, shl_block *out)
{
    const shl_reduced_body *b = shl_reduced_of(v);
    const uint32_t *first = b->model->sphere_first + node;
    if (shl_view_is(v, SHL_VIEW_UNBOUNDED))
        shl_eval_fill(v->box, first[1] - first[0], out);
    else
        open_node(v->kernels, b, node, out);
}

// Eight spheres by the formula of shoal/reduced.h, term by term.
static void evaluate(const double *state, uint32_t fields, const float *rows,
                     double out[4][SHL_LANES])
{
    const double *turn = state, *at = state + 9, *q = state + 12;
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < SHL_LANES; i++)
            out[row][i] = (double)rows[row * SHL_LANES + i];
    }
    for (uint32_t j = 0; j < fields; j++) {
        const float *u = rows + 4 * SHL_LANES * (j + (size_t)1);
        for (int row = 0; row < 4; row++) {
            const double weight = row < 3 ? q[j] : fabs(q[j]);
            for (int i = 0; i < SHL_LANES; i++)
                out[row][i] += (double)u[row * SHL_LANES + i] * weight;
        }
    }
    for (int i = 0; i < SHL_LANES; i++) {
        const double d[3] = {out[0][i], out[1][i], out[2][i]};
        for (int k = 0; k < 3; k++)
            out[k][i] =
                ((turn[3 * k] * d[0] + turn[3 * k + 1] * d[1]) + turn[3 * k + 2] * d[2]) +
                at[k];
    }
}

static void evaluate_spheres(const shl_view *v, uint32_t node, double out[4][SHL_LANES])
{
    const shl_reduced_body *b = shl_reduced_of(v);
    evaluate(b->state.data, b->model->field_count, shl_sphere_block(b->model, node), out);
}

const shl_sphere_source shl_reduced_spheres = {
    .tree = tree_of, .open = open_spheres, .evaluate = evaluate_spheres};

// One level below the root, where boxes fit better, if there is one.
void shl_reduced_widen(const shl_kernels *kernels, const shl_reduced_body *b, shl_box *box)
{
    const shl_reduced *m = b->model;
    const bool deep = m->sphere_nodes > 1;
    const uint32_t end = deep ? m->sphere_first[1] : 1;
    for (uint32_t node = deep; node < end; node++) {
        shl_block block;
        shl_box spheres;
        open_node(kernels, b, node, &block);
        kernels->block_merge(&block, &spheres);
        for (int k = 0; k < 3; k++) {
            box->lo[k] = spheres.lo[k] < box->lo[k] ? spheres.lo[k] : box->lo[k];
            box->hi[k] = spheres.hi[k] > box->hi[k] ? spheres.hi[k] : box->hi[k];
        }
    }
}
