// SPDX-License-Identifier: MIT
#include "bench/harness/player.h"

#include "bench/harness/runner.h"

#include <stdlib.h>
#include <string.h>

static shoal_status start_shoal(bench_player *p)
{
    const bench_film *f = p->film;
    shoal_scene_def def = shoal_scene_def_default();
    def.strategy = p->who->strategy;
    def.executor = p->who->threaded ? SHOAL_EXECUTOR_OMP : SHOAL_EXECUTOR_SERIAL;
    shoal_status st = shoal_scene_create(f->context, &def, &p->scene);
    for (uint32_t i = 0; i < f->bodies && st == SHOAL_OK; i++) {
        const float *xyz = p->xyz + 3 * (size_t)i * f->rest.vertex_count;
        const shoal_positions positions = shoal_positions_f32(xyz, f->rest.vertex_count);
        shoal_body body;
        st = bench_add_borrowed(p->scene, f->model, positions, &body);
    }
    return st;
}

static shoal_status start_literal(bench_player *p)
{
    const bench_film *f = p->film;
    const bool bergen = p->who->method == LITERAL_BERGEN;
    if (bergen)
        p->own = malloc(bench_film_floats(f) * sizeof *p->own);
    const bool room =
        (!bergen || p->own) && literal_world_create(bergen ? &f->binary : &f->eight, f->bodies,
                                                    p->who->method, &p->literal);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status bench_player_create(const bench_film *film, const bench_contender *who, bool first,
                                 bench_player *out)
{
    *out = (bench_player){.film = film, .who = who, .first = first};
    out->xyz = malloc(bench_film_floats(film) * sizeof *out->xyz);
    shoal_status st = SHOAL_ERR_MEMORY;
    if (out->xyz) {
        bench_player_deform(out, 0);
        st = who->is_literal ? start_literal(out) : start_shoal(out);
    }
    if (st != SHOAL_OK)
        bench_player_finish(out);
    return st;
}

void bench_player_finish(bench_player *player)
{
    shoal_scene_destroy(player->scene);
    literal_world_finish(&player->literal);
    free(player->xyz);
    free(player->own);
    memset(player, 0, sizeof *player);
}

// The vertices of one body as seen from its own frame.
static void to_own_frame(const shl_frame *frame, const float *xyz, uint32_t count, float *own)
{
    const double *m = frame->rotation, *c = frame->centre;
    for (size_t i = 0; i < count; i++) {
        const double d[3] = {(double)xyz[3 * i] - c[0], (double)xyz[3 * i + 1] - c[1],
                             (double)xyz[3 * i + 2] - c[2]};
        for (int k = 0; k < 3; k++)
            own[3 * i + k] = (float)(m[k] * d[0] + m[3 + k] * d[1] + m[6 + k] * d[2]);
    }
}

// Plain stores into a warm cache, vertex by vertex. A factor the compiler cannot know keeps the
// loop from becoming memcpy, which goes past the cache for large arrays.
static void write_body(const float *user, const uint32_t *order, uint32_t count, float *to)
{
    static const volatile float unknown = 1;
    const float one = unknown;
    for (uint32_t i = 0; i < count; i++, to += 3) {
        const float *from = user + 3 * (size_t)(order ? order[i] : i);
        to[0] = from[0] * one;
        to[1] = from[1] * one;
        to[2] = from[2] * one;
    }
}

void bench_player_deform(bench_player *p, uint32_t frame)
{
    const bench_film *f = p->film;
    const uint32_t vertices = f->rest.vertex_count;
    const uint32_t *order = p->who->is_literal ? NULL : shoal_model_vertex_order(f->model);
    const float *from = f->xyz + frame * bench_film_floats(f);
    const shl_frame *frames = f->frames + (size_t)frame * f->bodies;
    for (uint32_t i = 0; i < f->bodies; i++) {
        const size_t at = 3 * (size_t)i * vertices;
        write_body(from + at, order, vertices, p->xyz + at);
        if (p->own)
            to_own_frame(&frames[i], p->xyz + at, vertices, p->own + at);
    }
}

shoal_status bench_player_step(bench_player *p, uint32_t frame, bench_sample *out)
{
    const bench_film *f = p->film;
    const double cpu_start = bench_cpu_s(), start = bench_now_s();
    shoal_status st = SHOAL_OK;
    if (!p->who->is_literal)
        st = shoal_scene_step(p->scene, p->first ? SHOAL_QUERY_FIRST : SHOAL_QUERY_PAIRS);
    else if (!literal_world_step(&p->literal, p->xyz, p->own,
                                 f->frames + (size_t)frame * f->bodies, p->first))
        st = SHOAL_ERR_MEMORY;
    out->s[BENCH_WHOLE] = bench_now_s() - start;
    out->s[BENCH_CPU] = bench_cpu_s() - cpu_start;
    out->s[BENCH_UPDATE] = p->literal.update_s;
    if (!p->who->is_literal) {
        const shoal_stats s = shoal_scene_stats(p->scene);
        out->s[BENCH_UPDATE] = (shoal_scene_seconds(p->scene, SHOAL_PHASE_GATHER) +
                                shoal_scene_seconds(p->scene, SHOAL_PHASE_REFIT)) /
                               (s.workers ? s.workers : 1);
    }
    return st;
}

bench_tally bench_player_tally(const bench_player *p)
{
    const literal_world *w = &p->literal;
    shoal_pairs found = {w->pairs, w->pair_count};
    if (!p->who->is_literal)
        found = p->first ? shoal_scene_first_pairs(p->scene) : shoal_scene_pairs(p->scene);
    return p->first ? bench_tally_hits(found.rows, found.count)
                    : bench_tally_pairs(found.rows, found.count);
}
