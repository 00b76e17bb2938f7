// SPDX-License-Identifier: MIT
#include "bench/peers/deform.h"

#include <string.h>

typedef double doubles __attribute__((vector_size(32)));
typedef float floats __attribute__((vector_size(32)));
typedef float four_floats __attribute__((vector_size(16)));

static inline floats load_floats(const float *p)
{
    floats v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline doubles load_doubles(const double *p)
{
    doubles v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline doubles load_widened(const float *p)
{
    four_floats v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, doubles);
}

// One text for both precisions. Sums stay in registers over all fields.
#define DEFORM(MANY, LOAD, WIDEN)                                                              \
    enum { MANY_SIZE = sizeof(MANY) / sizeof *rest };                                          \
    const uint32_t n = m->padded;                                                              \
    for (uint32_t i = 0; i < m->vertices; i += MANY_SIZE) {                                    \
        MANY d[3], w[3];                                                                       \
        for (int k = 0; k < 3; k++)                                                            \
            d[k] = LOAD(rest + (size_t)k * n + i);                                             \
        const float *u = m->fields + i;                                                        \
        for (uint32_t j = 0; j < m->field_count; j++, u += 3 * (size_t)n) {                    \
            for (int k = 0; k < 3; k++)                                                        \
                d[k] += WIDEN(u + (size_t)k * n) * q[j];                                       \
        }                                                                                      \
        for (int k = 0; k < 3; k++)                                                            \
            w[k] = ((r[3 * k] * d[0] + r[3 * k + 1] * d[1]) + r[3 * k + 2] * d[2]) + t[k];     \
        const uint32_t left = m->vertices - i;                                                 \
        if (left >= MANY_SIZE) {                                                               \
            for (uint32_t v = 0; v < MANY_SIZE; v++, xyz += 3) {                               \
                for (int k = 0; k < 3; k++)                                                    \
                    xyz[k] = w[k][v];                                                          \
            }                                                                                  \
            continue;                                                                          \
        }                                                                                      \
        for (uint32_t v = 0; v < left; v++, xyz += 3) {                                        \
            for (int k = 0; k < 3; k++)                                                        \
                xyz[k] = w[k][v];                                                              \
        }                                                                                      \
    }

void deform_f64(const deform_model *m, const double *state, double *xyz)
{
    const double *r = state, *t = state + 9, *q = state + 12, *rest = m->rest;
    DEFORM(doubles, load_doubles, load_widened)
}

void deform_f32(const deform_model *m, const double *state, float *xyz)
{
    float own[12 + 64];
    for (uint32_t i = 0; i < 12 + m->field_count; i++)
        own[i] = (float)state[i];
    const float *r = own, *t = own + 9, *q = own + 12, *rest = m->rest_f32;
    DEFORM(floats, load_floats, load_floats)
}
