// SPDX-License-Identifier: MIT
// Vertices for viewers: float32, from a copy of the states that a step handed over, so that
// another thread can evaluate them while the scene moves on.
#include "scenes/plays/actors.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, GROUP = 5 }; // vertices and fields that stay in the nearest cache

// Rest shape and fields of a kind as loops want them, an array an axis.
static bool prepare(const shl_flex *flex, float **to)
{
    const size_t n = flex->rest.vertex_count, modes = flex->mode_count;
    if (*to)
        return true;
    *to = malloc((3 * n * (modes + 1) + 1) * sizeof **to);
    for (size_t k = 0; *to && k < 3; k++) {
        for (size_t i = 0; i < n; i++)
            (*to)[k * n + i] = (float)flex->rest.xyz[3 * i + k];
        for (size_t j = 0; j < modes; j++) {
            for (size_t i = 0; i < n; i++)
                (*to)[(3 * (j + 1) + k) * n + i] = flex->fields[(i * modes + j) * 3 + k];
        }
    }
    return *to != NULL;
}

shoal_status shl_actors_shoot(void *actors, shl_shot *shot)
{
    shl_actors *a = actors;
    size_t bytes;
    const void *state = shl_actors_state(a, &bytes);
    for (int kind = 0; kind < SHL_CROWDS_MAX; kind++) {
        if (a->crowds[kind].count && !prepare(&a->flex[kind], &a->columns[kind]))
            return SHOAL_ERR_MEMORY;
    }
    const shoal_status st = shl_shot_reserve(shot, bytes);
    if (st == SHOAL_OK)
        memcpy(shot->bytes, state, bytes);
    return st;
}

// The same loops for wider vectors, chosen when the program starts: no operation is contracted
// or put in another order, so bits do not depend on it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                         \
    !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

// d += fields q for some vertices, along one axis; fields are `stride` apart. Five a pass, one
// after another, so that how many a pass has changes no bit.
static inline void add_fields(const float *restrict u, size_t stride, const float *restrict q,
                              size_t fields, size_t count, float *restrict d)
{
    size_t j = 0;
    for (; j + GROUP <= fields; j += GROUP) {
        const float *restrict v = u + j * stride, *restrict w = q + j;
        for (size_t i = 0; i < count; i++)
            d[i] = d[i] + v[i] * w[0] + v[stride + i] * w[1] + v[2 * stride + i] * w[2] +
                   v[3 * stride + i] * w[3] + v[4 * stride + i] * w[4];
    }
    for (; j < fields; j++) {
        for (size_t i = 0; i < count; i++)
            d[i] += u[j * stride + i] * q[j];
    }
}

// xyz = rotation (rest + fields q) + translation, by columns [12 + fields][bodies], for a
// block of a body's vertices.
CLONES static void evaluate(const shl_flex *flex, const float *columns, const double *state,
                            size_t bodies, size_t begin, size_t count, float *restrict xyz)
{
    const size_t n = flex->rest.vertex_count;
    float r[12], q[SHL_FLEX_MODES_MAX], d[3][BLOCK], world[3][BLOCK];
    for (size_t e = 0; e < 12; e++)
        r[e] = (float)state[e * bodies];
    for (size_t j = 0; j < flex->mode_count; j++)
        q[j] = (float)state[(12 + j) * bodies];
    for (size_t k = 0; k < 3; k++) {
        const float *rest = columns + k * n + begin;
        memcpy(d[k], rest, count * sizeof *rest);
        add_fields(rest + 3 * n, 3 * n, q, flex->mode_count, count, d[k]);
    }
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < count; i++)
            world[k][i] =
                r[3 * k] * d[0][i] + r[3 * k + 1] * d[1][i] + r[3 * k + 2] * d[2][i] + r[9 + k];
    }
    for (size_t i = 0; i < count; i++, xyz += 3) { // apart, since it takes scalars
        xyz[0] = world[0][i];
        xyz[1] = world[1][i];
        xyz[2] = world[2][i];
    }
}

void shl_actors_develop(const void *actors, const shl_shot *shot, float *xyz)
{
    const shl_actors *a = actors;
    const double *state = shot->bytes;
    for (int kind = 0; kind < SHL_CROWDS_MAX; kind++) {
        // a block of fields serves all bodies while it is near
        const shl_flex *flex = &a->flex[kind];
        const size_t bodies = a->crowds[kind].count, each = flex->rest.vertex_count;
        for (size_t begin = 0; begin < each; begin += BLOCK) {
            const size_t count = each - begin < BLOCK ? each - begin : BLOCK;
            for (size_t body = 0; body < bodies; body++)
                evaluate(flex, a->columns[kind], state + body, bodies, begin, count,
                         xyz + 3 * (body * each + begin));
        }
        state += bodies * (12 + flex->mode_count);
        xyz += 3 * bodies * each;
    }
}
