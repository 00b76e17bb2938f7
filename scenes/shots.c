// SPDX-License-Identifier: MIT
// Vertices for viewers: float32, from a copy of what a step handed over, so that another thread
// can work them out while the scene moves on.
#include "scenes/motion.h"
#include "scenes/play.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512, GROUP = 5 }; // vertices and fields that stay in the nearest cache

// Of a scene of reduced bodies: rest shape and fields as loops want them, an array an axis:
// [1 + fields][3][vertices].
static bool prepare(shl_motion *m)
{
    if (m->shape_fields || !m->actors)
        return true;
    const shl_flex *flex = shl_flex_of(shl_actors_dynamics(m->actors), 0);
    const size_t n = flex->rest.vertex_count, modes = flex->mode_count;
    m->shape_fields = malloc((3 * n * (modes + 1) + 1) * sizeof *m->shape_fields);
    if (!m->shape_fields)
        return false;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < n; i++)
            m->shape_fields[k * n + i] = (float)flex->rest.xyz[3 * i + k];
        for (size_t j = 0; j < modes; j++) {
            for (size_t i = 0; i < n; i++)
                m->shape_fields[(3 * (j + 1) + k) * n + i] =
                    flex->fields[(i * modes + j) * 3 + k];
        }
    }
    return true;
}

static uint64_t vertex_total(const shl_motion *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < shl_motion_body_count(m); i++) {
        const shl_surface *s = shl_motion_surface(m, i);
        sum += s ? s->vertex_count : 0;
    }
    return sum;
}

shoal_status shl_motion_shoot(shl_motion *m, shl_shot *shot)
{
    size_t bytes = 3 * (size_t)vertex_total(m) * sizeof(float);
    const void *handed = m->actors ? shl_motion_positions(m, &bytes) : NULL;
    if (!prepare(m))
        return SHOAL_ERR_MEMORY;
    if (bytes > shot->room) {
        void *more = realloc(shot->bytes, bytes);
        if (!more)
            return SHOAL_ERR_MEMORY;
        shot->bytes = more;
        shot->room = bytes;
    }
    if (handed) {
        memcpy(shot->bytes, handed, bytes);
        return SHOAL_OK;
    }
    float *to = shot->bytes;
    for (uint32_t body = 0; body < shl_motion_body_count(m); body++) {
        const shl_surface *s = shl_motion_surface(m, body);
        const size_t count = s ? 3 * (size_t)s->vertex_count : 0;
        if (count > m->point_room) {
            double *more = realloc(m->points, count * sizeof *more);
            if (!more)
                return SHOAL_ERR_MEMORY;
            m->points = more;
            m->point_room = count;
        }
        if (count)
            shl_motion_vertices(m, body, m->points);
        for (size_t i = 0; i < count; i++)
            *to++ = (float)m->points[i];
    }
    return SHOAL_OK;
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
CLONES static void evaluate(const shl_motion *m, const double *state, uint32_t body,
                            size_t begin, size_t count, float *restrict xyz)
{
    const shl_flex *flex = shl_flex_of(shl_actors_dynamics(m->actors), 0);
    const size_t n = flex->rest.vertex_count, bodies = m->body_count;
    float r[12], q[SHL_FLEX_MODES_MAX], d[3][BLOCK], world[3][BLOCK];
    for (size_t e = 0; e < 12; e++)
        r[e] = (float)state[e * bodies + body];
    for (size_t j = 0; j < flex->mode_count; j++)
        q[j] = (float)state[(12 + j) * bodies + body];
    for (size_t k = 0; k < 3; k++) {
        const float *rest = m->shape_fields + k * n + begin;
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

void shl_motion_develop(const shl_motion *m, const shl_shot *shot, uint64_t vertices,
                        float *xyz)
{
    if (!m->actors) {
        memcpy(xyz, shot->bytes, 3 * vertices * sizeof *xyz);
        return;
    }
    // a block of fields serves all bodies while it is near
    const size_t each = shl_flex_of(shl_actors_dynamics(m->actors), 0)->rest.vertex_count;
    for (size_t begin = 0; begin < each; begin += BLOCK) {
        const size_t count = each - begin < BLOCK ? each - begin : BLOCK;
        for (uint32_t body = 0; body < m->body_count; body++)
            evaluate(m, shot->bytes, body, begin, count, xyz + 3 * (body * each + begin));
    }
}
