// SPDX-License-Identifier: MIT
// Shapes that touch in one point, which any other rounding moves or flushes to zero.
#include "float_calls.h"

#include <string.h>

const double float_scales[SCALES] = {1e-310, 1e-42, 1, 1e29, 1e300};

static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

void float_shape_make(float_shape *s, int scale)
{
    static const double corners[3 * VERTICES] = {0, 0,   0,   1.1, 0.1, 0,
                                                 0, 0.9, 0.3, 0.2, 0,   0.7};
    static const double at[3 * NODES] = {0.1, 0.2, 0.3, 0.9, 0.7, 0.1};
    static const uint32_t begin[VERTICES + 1] = {0, 1, 3, 4, 6},
                                           node[WEIGHTS] = {0, 0, 1, 1, 0, 1};
    static const float weight[WEIGHTS] = {1, 0.3f, 0.7f, 1, 0.4f, 0.6f};
    const double size = float_scales[scale];
    for (int i = 0; i < 3 * VERTICES; i++) {
        s->rest[i] = size * corners[i];
        s->fields[i] = float_is_lazy(scale) ? (float)(size * (i % 5) / 7) : 0;
    }
    for (int i = 0; i < 3 * NODES; i++)
        s->nodes[i] = size * at[i];
    memcpy(s->weight_begin, begin, sizeof begin);
    memcpy(s->weight_control, node, sizeof node);
    memcpy(s->weight, weight, sizeof weight);
    s->skinned = shoal_skinned_def_default();
    s->skinned.control_count = NODES;
    s->skinned.controls = s->nodes;
    s->skinned.weight_begin = s->weight_begin;
    s->skinned.weight_control = s->weight_control;
    s->skinned.weight = s->weight;
    s->skinned.weight_count = WEIGHTS;
    s->def = shoal_model_def_default();
    s->def.triangles = faces;
    s->def.triangle_count = 4;
    s->def.rest = shoal_positions_f64(s->rest, VERTICES);
    s->def.self = true;
    if (!float_is_lazy(scale))
        return;
    s->def.skinned = &s->skinned;
    s->def.reducible = true;
    s->def.fields = s->fields;
    s->def.field_count = 1;
    s->def.sphere_level = 1;
}

// As include/shoal/skinned.h says.
static void evaluate_skinned(const float_shape *s, float_state *state)
{
    for (size_t v = 0; v < VERTICES; v++) {
        const double *p = s->rest + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            double g[4] = {0};
            for (uint32_t e = s->weight_begin[v]; e < s->weight_begin[v + 1]; e++) {
                const size_t j = s->weight_control[e];
                const double *x = s->nodes + 3 * j, *J = state->J + 3 * k * NODES + j;
                const double turned = (J[0] * x[0] + J[NODES] * x[1]) + J[2 * NODES] * x[2];
                const double shift = state->u[k * NODES + j] - turned;
                for (size_t l = 0; l < 3; l++)
                    g[l] += (double)s->weight[e] * J[l * NODES];
                g[3] += (double)s->weight[e] * shift;
            }
            state->points[3 * v + k] =
                p[k] + ((g[0] * p[0] + g[1] * p[1]) + (g[2] * p[2] + g[3]));
        }
    }
}

// As include/shoal/reduced.h says.
static void evaluate_reduced(const float_shape *s, float_state *state)
{
    for (size_t v = 0; v < VERTICES; v++) {
        double d[3];
        for (size_t k = 0; k < 3; k++)
            d[k] = s->rest[3 * v + k] + (double)s->fields[3 * v + k] * state->q[0];
        for (size_t k = 0; k < 3; k++) {
            const double *R = state->rotation + 3 * k;
            state->reduced[3 * v + k] =
                ((R[0] * d[0] + R[1] * d[1]) + R[2] * d[2]) + state->translation[k];
        }
    }
}

void float_state_make(float_state *state, const float_shape *shape, int scale)
{
    static const double rotation[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
    const double size = float_scales[scale];
    for (int i = 0; i < 9 * NODES; i++)
        state->J[i] = (i % 7 - 3) / 11.0;
    for (int i = 0; i < 3 * NODES; i++)
        state->u[i] = size * (i % 4) / 3;
    memcpy(state->rotation, rotation, sizeof rotation);
    for (int k = 0; k < 3; k++)
        state->translation[k] = size * (k == 1 ? 31 : 1) / 3;
    state->q[0] = 1 / 3.0;
    evaluate_skinned(shape, state);
    evaluate_reduced(shape, state);
}

void float_touch(const double *xyz, double size, double out[3 * VERTICES])
{
    static const double beyond[3 * VERTICES] = {0, 0, 0, 1, 1, 0, 1, -1, 0.5, 1, 0, -1};
    const double *tip = xyz;
    for (int v = 1; v < VERTICES; v++)
        tip = xyz[3 * v] > tip[0] ? xyz + 3 * v : tip;
    for (int i = 0; i < 3 * VERTICES; i++)
        out[i] = tip[i % 3] + size * beyond[i];
}
