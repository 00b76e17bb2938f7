// SPDX-License-Identifier: MIT
// Vertices for viewers: float32, from a copy of what a step handed over, so that another thread
// can work them out while the scene moves on.
#include "scenes/motion.h"
#include "scenes/play.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 3 * 512 }; // numbers that stay in the nearest cache while fields are added

// Of a scene of reduced bodies: rest shape and fields as loops want them.
static bool prepare(shl_motion *m)
{
    if (m->shape_fields || !m->actors)
        return true;
    const shl_flex *flex = shl_flex_of(shl_actors_dynamics(m->actors), 0);
    const size_t n = 3 * (size_t)flex->rest.vertex_count, modes = flex->mode_count;
    m->shape_fields = malloc((n * (modes + 1) + 1) * sizeof *m->shape_fields);
    if (!m->shape_fields)
        return false;
    for (size_t i = 0; i < n; i++) {
        m->shape_fields[i] = (float)flex->rest.xyz[i];
        for (size_t j = 0; j < modes; j++)
            m->shape_fields[n * (j + 1) + i] = flex->fields[(i / 3 * modes + j) * 3 + i % 3];
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

// xyz = rotation (rest + fields q) + translation, by columns [12 + fields][bodies].
static void evaluate(const shl_motion *m, const double *state, uint32_t body, float *xyz)
{
    const shl_flex *flex = shl_flex_of(shl_actors_dynamics(m->actors), 0);
    const size_t n = 3 * (size_t)flex->rest.vertex_count, bodies = m->body_count;
    float r[9], t[3];
    for (size_t e = 0; e < 9; e++)
        r[e] = (float)state[e * bodies + body];
    for (size_t k = 0; k < 3; k++)
        t[k] = (float)state[(9 + k) * bodies + body];
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
        float d[BLOCK];
        memcpy(d, m->shape_fields + begin, count * sizeof *d);
        for (size_t j = 0; j < flex->mode_count; j++) {
            const float q = (float)state[(12 + j) * bodies + body];
            const float *u = m->shape_fields + n * (j + 1) + begin;
            for (size_t i = 0; i < count; i++)
                d[i] += u[i] * q;
        }
        for (size_t i = 0; i < count; i += 3) {
            for (size_t k = 0; k < 3; k++)
                xyz[begin + i + k] =
                    r[3 * k] * d[i] + r[3 * k + 1] * d[i + 1] + r[3 * k + 2] * d[i + 2] + t[k];
        }
    }
}

void shl_motion_develop(const shl_motion *m, const shl_shot *shot, uint64_t vertices,
                        float *xyz)
{
    if (!m->actors) {
        memcpy(xyz, shot->bytes, 3 * vertices * sizeof *xyz);
        return;
    }
    const size_t each =
        3 * (size_t)shl_flex_of(shl_actors_dynamics(m->actors), 0)->rest.vertex_count;
    for (uint32_t body = 0; body < m->body_count; body++)
        evaluate(m, shot->bytes, body, xyz + body * each);
}
