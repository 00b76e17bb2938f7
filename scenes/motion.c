// SPDX-License-Identifier: MIT
// A running scene: a simulator and its state.
#include "scenes/play.h"

#include <stdlib.h>
#include <string.h>

struct shl_motion {
    const shl_simulator *simulator;
    void *state;
    double *xyz; // [capacity] scratch of shl_motion_shoot()
    size_t capacity;
};

shoal_status shl_motion_of(const shl_simulator *simulator, void *state, shl_motion **out)
{
    shl_motion *m = *out = calloc(1, sizeof *m);
    if (!m) {
        simulator->destroy(state);
        return SHOAL_ERR_MEMORY;
    }
    m->simulator = simulator;
    m->state = state;
    return SHOAL_OK;
}

shoal_status shl_motion_create(shl_scene_id id, const shl_scene_params *params,
                               shoal_context *ctx, shoal_scene *scene, shl_motion **out)
{
    const shl_play *play = shl_scene_play(id);
    void *state;
    *out = NULL;
    const shoal_status st = play->simulator->create(play, params, ctx, scene, &state);
    return st == SHOAL_OK ? shl_motion_of(play->simulator, state, out) : st;
}

void shl_motion_destroy(shl_motion *m)
{
    if (!m)
        return;
    m->simulator->destroy(m->state);
    free(m->xyz);
    free(m);
}

shoal_status shl_motion_step(shl_motion *m, uint32_t step)
{
    return m->simulator->step(m->state, step);
}

size_t shl_motion_save(const shl_motion *m, void *to)
{
    return m->simulator->save ? m->simulator->save(m->state, to) : 0;
}

shoal_status shl_motion_restore(shl_motion *m, uint32_t step, const void *from, size_t size)
{
    if (m->simulator->restore)
        return m->simulator->restore(m->state, step, from, size);
    return size == 0 ? m->simulator->step(m->state, step) : SHOAL_ERR_ARGUMENT;
}

uint32_t shl_motion_body_count(const shl_motion *m)
{
    return m->simulator->body_count(m->state);
}

const shl_surface *shl_motion_surface(const shl_motion *m, uint32_t body)
{
    return m->simulator->surface(m->state, body);
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

shoal_model_info shl_motion_model(const shl_motion *m)
{
    return m->simulator->model ? shoal_model_get_info(m->simulator->model(m->state))
                               : (shoal_model_info){0};
}

const void *shl_motion_positions(const shl_motion *m, size_t *bytes)
{
    return m->simulator->positions(m->state, bytes);
}

shl_frame shl_motion_frame(const shl_motion *m, uint32_t body)
{
    return m->simulator->frame(m->state, body);
}

void shl_motion_vertices(const shl_motion *m, uint32_t body, double *xyz)
{
    m->simulator->vertices(m->state, body, xyz);
}

bool shl_motion_measure(const shl_motion *m, shl_motion_report *out)
{
    memset(out, 0, sizeof *out);
    return m->simulator->measure && m->simulator->measure(m->state, out);
}

shoal_status shl_shot_reserve(shl_shot *shot, size_t bytes)
{
    if (bytes <= shot->capacity)
        return SHOAL_OK;
    void *more = realloc(shot->bytes, bytes);
    if (!more)
        return SHOAL_ERR_MEMORY;
    shot->bytes = more;
    shot->capacity = bytes;
    return SHOAL_OK;
}

// All vertices, as viewers want them.
static shoal_status shoot(shl_motion *m, shl_shot *shot)
{
    size_t all = 0, most = 0;
    for (uint32_t body = 0; body < shl_motion_body_count(m); body++) {
        const shl_surface *s = shl_motion_surface(m, body);
        const size_t count = s ? 3 * (size_t)s->vertex_count : 0;
        all += count;
        most = count > most ? count : most;
    }
    if (most > m->capacity) {
        double *more = realloc(m->xyz, most * sizeof *more);
        if (!more)
            return SHOAL_ERR_MEMORY;
        m->xyz = more;
        m->capacity = most;
    }
    const shoal_status st = shl_shot_reserve(shot, all * sizeof(float));
    float *to = shot->bytes;
    for (uint32_t body = 0; st == SHOAL_OK && body < shl_motion_body_count(m); body++) {
        const shl_surface *s = shl_motion_surface(m, body);
        if (!s)
            continue;
        shl_motion_vertices(m, body, m->xyz);
        for (size_t i = 0; i < 3 * (size_t)s->vertex_count; i++)
            *to++ = (float)m->xyz[i];
    }
    return st;
}

shoal_status shl_motion_shoot(shl_motion *m, shl_shot *shot)
{
    return m->simulator->shoot ? m->simulator->shoot(m->state, shot) : shoot(m, shot);
}

void shl_motion_develop(const shl_motion *m, const shl_shot *shot, uint64_t vertices,
                        float *xyz)
{
    if (m->simulator->develop)
        m->simulator->develop(m->state, shot, xyz);
    else if (vertices)
        memcpy(xyz, shot->bytes, 3 * vertices * sizeof *xyz);
}
