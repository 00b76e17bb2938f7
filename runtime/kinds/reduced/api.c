// SPDX-License-Identifier: MIT
// The public functions of reduced bodies.
#include "layouts/float_env.h"
#include "runtime/kinds/reduced/reduced.h"

#include <math.h>
#include <shoal/reduced.h>

// Of an entry of R^T R - 1: a matrix is used as it is, or made orthonormal. reduced.h has the
// reasons.
static const double rotation_error = 1e-6, printed_error = 8e-6;

_Static_assert((int)SHOAL_FIELDS_MAX == (int)SHL_FIELDS_MAX, "one limit, two names");

shoal_status shoal_scene_add_reduced(shoal_scene *s, shoal_model *model, shoal_body *out)
{
    return shl_scene_add(s, &shl_reduced_kind, model, out);
}

static size_t body_stride(const shoal_reduced_state *p)
{
    return p->body_stride ? p->body_stride : 1;
}

static double entry(const double *table, const shoal_reduced_state *p, size_t e, uint32_t i)
{
    return table[e * p->stride + i * body_stride(p)];
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

static shoal_status check(shoal_scene *s, const shl_reduced_bodies *self,
                          const shoal_reduced_state *p)
{
    const shoal_context *ctx = self->ports->ctx;
    if (!p || (p->count && !p->bodies))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT, "set_reduced: state or bodies is NULL");
    const uint32_t pose = p->rotation ? 9 : 3;
    const uint32_t entries = p->q && p->field_count > pose ? p->field_count : pose;
    if (!shl_entries_apart(p->count, entries, p->stride, body_stride(p)))
        return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                        "set_reduced: stride %zu and body_stride %zu for %u bodies", p->stride,
                        body_stride(p), p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t row = 0;
        const shoal_status st =
            shl_scene_row(s, &shl_reduced_kind, p->bodies[i], "set_reduced", &row);
        if (st != SHOAL_OK)
            return st;
        const uint32_t number = p->bodies[i].index1 - 1,
                       fields = shl_reduced_row(self, row)->model->field_count;
        if (fields != p->field_count)
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "set_reduced: %u fields, the model of body %u has %u",
                            p->field_count, number, fields);
        double rotation[9];
        if (!read_rotation(p, i, rotation))
            return shl_fail(ctx, SHOAL_ERR_ARGUMENT,
                            "set_reduced: the matrix of body %u is no rotation", number);
    }
    return SHOAL_OK;
}

static void set_one(shl_reduced_bodies *self, const shoal_reduced_state *p, uint32_t i)
{
    const uint32_t body = p->bodies[i].index1 - 1, row = self->bodies->row[body];
    shl_reduced_body *b = shl_reduced_row(self, row);
    double *out = b->state.data;
    read_rotation(p, i, out);
    for (size_t e = 0; e < 3; e++)
        out[9 + e] = p->translation ? entry(p->translation, p, e, i) : 0;
    for (size_t e = 0; e < p->field_count; e++)
        out[12 + e] = p->q ? entry(p->q, p, e, i) : 0;
    shl_body_put(self->bodies, body, SHL_BODY_FRESH, true);
    if (!b->listed)
        ((uint32_t *)self->fresh.data)[self->fresh_count++] = row;
    b->listed = true;
}

shoal_status shoal_scene_set_reduced(shoal_scene *s, const shoal_reduced_state *p)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_reduced: the scene is NULL");
    shl_reduced_bodies *self = shl_scene_kind(s, &shl_reduced_kind);
    const shoal_status st = self ? check(s, self, p) : SHOAL_ERR_ARGUMENT;
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < p->count; i++)
        set_one(self, p, i);
    return SHOAL_OK;
}
