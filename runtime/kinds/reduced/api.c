// SPDX-License-Identifier: MIT
#include "layouts/float_env.h"
#include "runtime/kinds/reduced/coherence.h"
#include "runtime/scene/steps.h"
#include "runtime/traverse/eval_cache.h"
#include "runtime/traverse/leaf_cache.h"

#include <math.h>
#include <shoal/reduced.h>
#include <string.h>

// Of an entry of R^T R - 1: a matrix is used as it is, or made orthonormal. reduced.h has the
// reasons.
static const double rotation_error = 1e-6, printed_error = 8e-6;

_Static_assert((int)SHOAL_FIELDS_MAX == (int)SHL_FIELDS_MAX, "one limit, two names");

static shoal_status reserve(shoal_scene *s, const shoal_model *model, shl_free_body *b)
{
    const size_t fields = model->reduced.field_count;
    shoal_status st = shl_reduced_caches_make(s, &model->reduced);
    if (st == SHOAL_OK)
        st = shl_leaf_caches_make(s);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->own, (12 + fields) * sizeof(double), 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_front_reserve(s, &model->reduced, b);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->ready, sizeof(shl_reduced_ready) + fields * sizeof(float), 0,
                               &s->allocator);
    return st;
}

shoal_status shl_make_reduced(shoal_scene *s, shoal_model *model, shl_free_body *b)
{
    const shoal_status st = reserve(s, model, b);
    if (st != SHOAL_OK) {
        shl_body_finish(s, b);
        return st;
    }
    b->tree = &model->tree;
    b->reduced = &model->reduced;
    b->model = model;
    return SHOAL_OK;
}

shoal_status shoal_scene_add_reduced(shoal_scene *s, shoal_model *model, shoal_body *out)
{
    uint32_t slot = 0;
    shoal_status st = shl_body_begin(s, model, SHL_BODY_REDUCED, out, &slot);
    if (st != SHOAL_OK)
        return st;
    st = shl_make_reduced(s, model, &shl_bodies(s)[slot]);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "add: no memory for a reduced body");
    *out = shl_body_enter(s, slot);
    return SHOAL_OK;
}

static double entry(const double *table, const shoal_reduced_state *p, size_t e, uint32_t i)
{
    return table[e * p->stride + i];
}

// product = R^T R; the largest entry of R^T R - 1 is returned.
static double gram(const double r[9], double product[9])
{
    double most = 0;
    for (int a = 0; a < 9; a++) {
        const double *x = r + a / 3, *y = r + a % 3;
        product[a] = x[0] * y[0] + x[3] * y[3] + x[6] * y[6];
        most = fmax(most, fabs(product[a] - (a % 4 == 0)));
    }
    return most;
}

// R (3 - R^T R) / 2: if R^T R is 1 + E, that of the result is 1 - 3/4 E^2 + ..
static void straighten(double r[9], const double product[9])
{
    double c[9];
    for (int a = 0; a < 9; a++)
        c[a] = (a % 4 == 0 ? 1.5 : 0) - 0.5 * product[a];
    for (int k = 0; k < 3; k++) {
        double *row = r + 3 * k;
        const double x = row[0], y = row[1], z = row[2];
        for (int b = 0; b < 3; b++)
            row[b] = (x * c[b] + y * c[3 + b]) + z * c[6 + b];
    }
}

// The rotation of body i as steps use it; false: the matrix is none. One with a NaN or an
// infinity is a bad body's, not a wrong argument.
static bool read_rotation(const shoal_reduced_state *p, uint32_t i, double r[9])
{
    double product[9];
    bool finite = true;
    for (size_t e = 0; e < 9; e++) {
        r[e] = p->rotation ? entry(p->rotation, p, e, i) : e % 4 == 0;
        finite = finite && isfinite(r[e]);
    }
    if (!finite || !p->rotation)
        return true;
    const double error = gram(r, product);
    const double det = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                       r[2] * (r[3] * r[7] - r[4] * r[6]);
    if (!(error <= printed_error && det > 0))
        return false;
    if (error > rotation_error) {
        straighten(r, product);
        gram(r, product);
        straighten(r, product);
    }
    return true;
}

static shoal_status check(shoal_scene *s, const shoal_reduced_state *p)
{
    if (!p || (p->count && !p->bodies))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_reduced: state or bodies is NULL");
    if (p->stride < p->count)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_reduced: stride %zu for %u bodies",
                        p->stride, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        shoal_status st;
        const shl_free_body *b = shl_body_find(s, p->bodies[i], "set_reduced", &st);
        if (!b)
            return st;
        const uint32_t number = p->bodies[i].index1 - 1;
        if (!b->reduced)
            return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_reduced: body %u is not reduced",
                            number);
        if (b->reduced->field_count != p->field_count)
            return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                            "set_reduced: %u fields, the model of body %u has %u",
                            p->field_count, number, b->reduced->field_count);
        double rotation[9];
        if (!read_rotation(p, i, rotation))
            return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                            "set_reduced: the matrix of body %u is no rotation", number);
    }
    return SHOAL_OK;
}

static void set_one(const shoal_reduced_state *p, uint32_t i, shl_free_body *b)
{
    double *out = b->own.data;
    read_rotation(p, i, out);
    for (size_t e = 0; e < 3; e++)
        out[9 + e] = p->translation ? entry(p->translation, p, e, i) : 0;
    for (size_t e = 0; e < p->field_count; e++)
        out[12 + e] = p->q ? entry(p->q, p, e, i) : 0;
    b->source = SHL_SOURCE_OWN;
    b->changed = true;
}

shoal_status shoal_scene_set_reduced(shoal_scene *s, const shoal_reduced_state *p)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return SHOAL_ERR_ARGUMENT;
    const shoal_status st = check(s, p);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < p->count; i++)
        set_one(p, i, &shl_bodies(s)[p->bodies[i].index1 - 1]);
    return SHOAL_OK;
}
