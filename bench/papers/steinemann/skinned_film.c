// SPDX-License-Identifier: MIT
#include "bench/papers/steinemann/skinned_film.h"

#include "bench/harness/bench.h"
#include "bench/harness/runner.h"
#include "runtime/context.h"

#include <shoal/shoal.h>

#include <stdlib.h>
#include <string.h>

static shoal_skinned_state state_of(const bench_skinned *c, uint32_t frame,
                                    const shoal_body *ids)
{
    const shl_elastic *s = &c->soft->soft;
    const size_t rows = (size_t)s->def.bodies * s->controls.count;
    const double *state = c->states + frame * c->state_count;
    return (shoal_skinned_state){.bodies = ids,
                                 .count = s->def.bodies,
                                 .row_count = rows,
                                 .stride = rows,
                                 .u = state,
                                 .J = state + 3 * rows};
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static shoal_status add_touching(bench_skinned *c)
{
    const shoal_pairs found = shoal_scene_pairs(c->stage);
    const shl_elastic *s = &c->soft->soft;
    const size_t count = 2 * found.count;
    uint64_t *all = malloc((count + 1) * sizeof *all);
    if (!all)
        return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < found.count; i++) {
        const shoal_pair *p = &found.rows[i];
        all[2 * i] = (uint64_t)p->body_a << 32 | p->triangle_a;
        all[2 * i + 1] = (uint64_t)p->body_b << 32 | p->triangle_b;
    }
    qsort(all, count, sizeof *all, by_number);
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += i == 0 || all[i] != all[i - 1];
    c->touching +=
        (double)sum / ((double)s->def.bodies * s->surface.triangle_count * c->frame_count);
    free(all);
    return SHOAL_OK;
}

static shoal_status film(bench_skinned *c, uint32_t from)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t step = 1; step < from + c->frame_count && st == SHOAL_OK; step++) {
        st = shl_elastic_scene_step(c->soft, step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(c->stage, SHOAL_QUERY_PAIRS);
        if (st != SHOAL_OK || step < from)
            continue;
        memcpy(c->states + (step - from) * c->state_count, c->soft->soft.state,
               c->state_count * sizeof *c->states);
        st = add_touching(c);
    }
    return st;
}

static shoal_status begin_points(bench_skinned *c, uint32_t which)
{
    shoal_scene_def def = shoal_scene_def_default();
    const shl_elastic *s = &c->soft->soft;
    def.threads = which + 1;
    shoal_status st = shoal_scene_create(c->ctx, &def, &c->skinned[which]);
    for (uint32_t i = 0; i < s->def.bodies && st == SHOAL_OK; i++)
        st = shoal_scene_add_skinned(c->skinned[which], s->model, &c->skinned_ids[which][i]);
    return st == SHOAL_OK ? bench_compute_loop_init(&c->loops[which], which + 1) : st;
}

static shoal_status begin_usual(bench_skinned *c)
{
    shoal_scene_def def = shoal_scene_def_default();
    const shl_elastic *s = &c->soft->soft;
    const uint32_t n = s->surface.vertex_count;
    def.threads = 1;
    def.strategy = SHOAL_STRATEGY_BOTTOM_UP;
    shoal_status st = shoal_scene_create(c->ctx, &def, &c->usual);
    for (uint32_t i = 0; i < s->def.bodies && st == SHOAL_OK; i++) {
        const shoal_positions p = shoal_positions_f64(c->xyz + 3 * (size_t)n * i, n);
        st = bench_add_borrowed(c->usual, s->model, p, &c->usual_ids[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        c->rows[i] = i;
    return st;
}

static shoal_status begin_all(bench_skinned *c, uint32_t from)
{
    const shl_elastic *s = &c->soft->soft;
    const size_t n = s->surface.vertex_count, bodies = s->def.bodies;
    c->state_count = 12 * bodies * s->controls.count;
    c->states = malloc(c->state_count * c->frame_count * sizeof *c->states);
    c->maps = malloc(12 * (size_t)s->controls.count * sizeof *c->maps);
    c->xyz = calloc(3 * n * bodies + 12, sizeof *c->xyz);
    c->rows = malloc(n * sizeof *c->rows);
    c->plain = malloc(3 * n * bodies * sizeof *c->plain);
    c->usual_ids = calloc(bodies, sizeof *c->usual_ids);
    bool room = c->states && c->maps && c->xyz && c->rows && c->plain && c->usual_ids;
    for (int i = 0; i < SKINNED_THREADS; i++) {
        c->skinned_ids[i] = calloc(bodies, sizeof *c->skinned_ids[i]);
        room = room && c->skinned_ids[i];
    }
    room = room && literal_tree_create(&s->surface, 2, &c->tree) &&
           literal_world_create(&c->tree, s->def.bodies, LITERAL_BOTTOM_UP, &c->literal);
    shoal_status st = room ? film(c, from) : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < SKINNED_THREADS && st == SHOAL_OK; i++)
        st = begin_points(c, i);
    return st == SHOAL_OK ? begin_usual(c) : st;
}

shoal_status bench_skinned_create(const shl_play *play, const shl_scene_params *params,
                                  uint32_t from, uint32_t frames, bench_skinned *c)
{
    void *soft = NULL;
    *c = (bench_skinned){.frame_count = frames};
    const shoal_context_def context_def = shoal_context_def_default();
    const shoal_scene_def scene_def = shoal_scene_def_default();
    shoal_status st = shoal_context_create(&context_def, &c->ctx);
    if (st == SHOAL_OK)
        st = shoal_scene_create(c->ctx, &scene_def, &c->stage);
    if (st == SHOAL_OK)
        st = shl_elastic_scene_create(play, params, c->ctx, c->stage, &soft);
    c->soft = soft;
    if (st == SHOAL_OK)
        st = begin_all(c, from);
    if (st != SHOAL_OK)
        bench_skinned_finish(c);
    return st;
}

void bench_skinned_finish(bench_skinned *c)
{
    for (int i = 0; i < SKINNED_THREADS; i++) {
        shoal_scene_destroy(c->skinned[i]);
        bench_compute_loop_finish(&c->loops[i]);
        free(c->skinned_ids[i]);
    }
    shoal_scene_destroy(c->usual);
    literal_world_finish(&c->literal);
    literal_tree_finish(&c->tree);
    free(c->usual_ids);
    free(c->states);
    free(c->maps);
    free(c->xyz);
    free(c->rows);
    free(c->plain);
    shl_elastic_scene_destroy(c->soft);
    shoal_scene_destroy(c->stage);
    shoal_context_destroy(c->ctx);
    memset(c, 0, sizeof *c);
}

// Every vertex of every body, by the kernel that leaves use.
static void evaluate(bench_skinned *c, uint32_t frame)
{
    const shl_elastic *s = &c->soft->soft;
    const size_t n = s->controls.count, rows = n * s->def.bodies;
    const double *state = c->states + frame * c->state_count;
    const shl_skinned *model = &s->model->skinned;
    for (size_t body = 0; body < s->def.bodies; body++) {
        for (size_t j = 0; j < n; j++) {
            const double *from = state + body * n + j, *x = s->controls.xyz + 3 * j;
            for (size_t k = 0; k < 3; k++) {
                double *to = c->maps + 12 * j + 4 * k;
                for (size_t l = 0; l < 3; l++)
                    to[l] = from[(3 + 3 * k + l) * rows];
                to[3] = from[k * rows] - ((to[0] * x[0] + to[1] * x[1]) + to[2] * x[2]);
            }
        }
        c->ctx->kernels.skinned_eval(model, c->maps, c->rows, model->vertex_count,
                                     c->xyz + 3 * body * model->vertex_count);
    }
}

// The same as its authors would write it: formula 2 of Steinemann et al. 2007.
static void evaluate_plainly(bench_skinned *c, uint32_t frame)
{
    const shl_elastic *s = &c->soft->soft;
    const size_t n = s->controls.count, rows = n * s->def.bodies,
                 vertices = s->controls.vertex_count;
    const double *state = c->states + frame * c->state_count;
    for (size_t body = 0; body < s->def.bodies; body++) {
        for (size_t v = 0; v < vertices; v++) {
            const double *p = s->surface.xyz + 3 * v;
            double at[3] = {p[0], p[1], p[2]};
            for (uint32_t e = s->controls.weight_begin[v]; e < s->controls.weight_begin[v + 1];
                 e++) {
                const size_t j = s->controls.weight_control[e];
                const double *from = state + body * n + j, *x = s->controls.xyz + 3 * j;
                for (size_t k = 0; k < 3; k++) {
                    double u = from[k * rows];
                    for (size_t l = 0; l < 3; l++)
                        u += from[(3 + 3 * k + l) * rows] * (p[l] - x[l]);
                    at[k] += (double)s->controls.weight[e] * u;
                }
            }
            for (size_t k = 0; k < 3; k++)
                c->plain[3 * (body * vertices + v) + k] = (float)at[k];
        }
    }
}

static shoal_status step_literally(bench_skinned *c, uint32_t frame, skinned_time *out)
{
    const double start = bench_now_s();
    evaluate_plainly(c, frame);
    const double evaluated = bench_now_s();
    if (!literal_world_step(&c->literal, c->plain, NULL, NULL, false))
        return SHOAL_ERR_MEMORY;
    out->refit_s = evaluated - start + c->literal.update_s;
    out->query_s = bench_now_s() - start - out->refit_s;
    return SHOAL_OK;
}

static shoal_status step_usually(bench_skinned *c, uint32_t frame, skinned_time *out)
{
    const double start = bench_now_s();
    evaluate(c, frame);
    const double evaluated = bench_now_s();
    const shoal_status st = shoal_scene_step(c->usual, SHOAL_QUERY_PAIRS);
    const shoal_stats stats = shoal_scene_stats(c->usual);
    const double ahead = shoal_scene_seconds(c->usual, SHOAL_PHASE_GATHER) +
                         shoal_scene_seconds(c->usual, SHOAL_PHASE_REFIT);
    out->refit_s = evaluated - start + ahead;
    out->query_s = stats.wall_s - ahead;
    return st;
}

shoal_status bench_skinned_frame(bench_skinned *c, uint32_t frame, bool literally,
                                 skinned_times *out)
{
    *out = (skinned_times){.same = true};
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < SKINNED_THREADS && st == SHOAL_OK; i++) {
        const shoal_skinned_state state = state_of(c, frame, c->skinned_ids[i]);
        const double start = bench_now_s();
        st = shoal_scene_set_skinned(c->skinned[i], &state);
        const double set_s = bench_now_s() - start; // it may prepare what steps need
        if (st == SHOAL_OK)
            st = shoal_scene_step(c->skinned[i], SHOAL_QUERY_PAIRS);
        const shoal_stats stats = shoal_scene_stats(c->skinned[i]);
        out->both_s[i] = set_s + stats.wall_s;
        if (i == 0) {
            out->shoal.refit_s = set_s + shoal_scene_seconds(c->skinned[i], SHOAL_PHASE_REFIT);
            out->shoal.query_s =
                stats.wall_s - shoal_scene_seconds(c->skinned[i], SHOAL_PHASE_REFIT);
            out->opened = (double)stats.opened_nodes;
            out->vertices = (double)stats.evaluated_vertices;
            out->pairs = (double)stats.pairs;
            out->nodes_tested[0] = (double)stats.node_pairs;
        }
        if (st == SHOAL_OK)
            st = bench_compute_loop_run(&c->loops[i], &out->loop_s[i]);
    }
    if (st == SHOAL_OK)
        st = step_usually(c, frame, &out->usual);
    if (st == SHOAL_OK && literally)
        st = step_literally(c, frame, &out->literal);
    const uint64_t hash = shoal_scene_hash(c->usual);
    out->nodes_tested[1] = (double)shoal_scene_stats(c->usual).node_pairs;
    for (int i = 0; i < SKINNED_THREADS; i++)
        out->same &= shoal_scene_hash(c->skinned[i]) == hash;
    return st;
}
