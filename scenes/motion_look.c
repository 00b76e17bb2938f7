// SPDX-License-Identifier: MIT
// What a running scene tells about itself.
#include "scenes/motion.h"

#include <string.h>

uint32_t shl_motion_body_count(const shl_motion *m)
{
    return m->play ? m->play->body_count(m->state) : m->body_count;
}

const shl_surface *shl_motion_surface(const shl_motion *m, uint32_t body)
{
    return m->play ? m->play->surface(m->state, body) : &m->rest;
}

uint64_t shl_motion_triangle_count(const shl_motion *m)
{
    uint64_t sum = 0;
    for (uint32_t body = 0; body < shl_motion_body_count(m); body++) {
        const shl_surface *s = shl_motion_surface(m, body);
        sum += s ? s->triangle_count : 0;
    }
    return sum;
}

static shoal_model *model_of(const shl_motion *m)
{
    return m->beams    ? shl_beams_model(m->beams)
           : m->chairs ? shl_chairs_model(m->chairs)
                       : m->model;
}

shoal_model_info shl_motion_model(const shl_motion *m)
{
    return m->play ? (shoal_model_info){0} : shoal_model_get_info(model_of(m));
}

const void *shl_motion_positions(const shl_motion *m, size_t *bytes)
{
    if (m->beams)
        return shl_beams_state(m->beams, bytes);
    if (m->chairs)
        return shl_chairs_state(m->chairs, bytes);
    *bytes = 3 * (size_t)m->vertex_count * m->scalar_bytes * m->body_count;
    return m->xyz;
}

shl_frame shl_motion_frame(const shl_motion *m, uint32_t body)
{
    return m->beams    ? shl_beams_frame(m->beams, body)
           : m->chairs ? shl_chairs_frame(m->chairs, body)
                       : m->frames[body];
}

void shl_motion_vertices(const shl_motion *m, uint32_t body, double *xyz)
{
    if (m->play) {
        m->play->vertices(m->state, body, xyz);
        return;
    }
    const uint32_t count = shl_motion_model(m).vertex_count;
    const uint32_t *order =
        m->params.order == SHOAL_ORDER_TREE ? shoal_model_vertex_order(model_of(m)) : NULL;
    for (uint32_t row = 0; row < count; row++) {
        if (m->beams) {
            shl_beams_vertex(m->beams, body, row, xyz + 3 * (size_t)row);
            continue;
        }
        if (m->chairs) {
            shl_dynamics_vertex(shl_chairs_dynamics(m->chairs), body, row,
                                xyz + 3 * (size_t)row);
            continue;
        }
        double *to = xyz + 3 * (size_t)(order ? order[row] : row);
        const size_t from = 3 * ((size_t)body * count + row);
        for (size_t k = 0; k < 3; k++)
            to[k] = m->params.precision == SHOAL_F64
                        ? ((const double *)m->xyz)[from + k]
                        : (double)((const float *)m->xyz)[from + k];
    }
}

bool shl_motion_look(const shl_motion *m, shl_motion_report *out)
{
    memset(out, 0, sizeof *out);
    if (m->play)
        return m->play->look && m->play->look(m->state, out);
    if (!m->chairs)
        return false;
    const shl_dynamics_report r = shl_dynamics_look(shl_chairs_dynamics(m->chairs));
    *out = (shl_motion_report){.time = shl_chairs_time(m->chairs),
                               .kinetic = r.kinetic,
                               .energy = r.kinetic + r.potential + r.elastic,
                               .mean_speed = r.mean_speed,
                               .floor_depth = r.floor_depth};
    return true;
}
