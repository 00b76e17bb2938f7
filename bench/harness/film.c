// SPDX-License-Identifier: MIT
#include "bench/harness/film.h"

#include "bench/harness/runner.h"
#include "scenes/plays/deforming.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint32_t part)
{
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

bench_tally bench_tally_pairs(const shoal_pair *pairs, size_t count)
{
    bench_tally t = {count, 0};
    for (size_t i = 0; i < count; i++) {
        const shoal_pair *p = &pairs[i];
        t.sum += mix(mix(mix(mix(0, p->body_a), p->triangle_a), p->body_b), p->triangle_b);
    }
    return t;
}

bench_tally bench_tally_hits(const shoal_pair *hits, size_t count)
{
    bench_tally t = {count, 0};
    for (size_t i = 0; i < count; i++)
        t.sum += mix(mix(0, hits[i].body_a), hits[i].body_b);
    return t;
}

static shoal_status make_trees(bench_film *f)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = f->rest.triangles;
    def.triangle_count = f->rest.triangle_count;
    def.rest = shoal_positions_f64(f->rest.xyz, f->rest.vertex_count);
    const shoal_status st = shoal_model_create(f->context, &def, &f->model);
    if (st != SHOAL_OK)
        return st;
    return literal_tree_create(&f->rest, 2, &f->binary) &&
                   literal_tree_create(&f->rest, 8, &f->eight)
               ? SHOAL_OK
               : SHOAL_ERR_MEMORY;
}

static void keep(bench_film *f, uint32_t frame, uint32_t step, const bench_runner *run)
{
    size_t bytes;
    const float *xyz = shl_motion_positions(run->motion, &bytes);
    memcpy(f->xyz + frame * bench_film_floats(f), xyz, bytes);
    for (uint32_t i = 0; i < f->bodies; i++)
        f->frames[(size_t)frame * f->bodies + i] = shl_motion_frame(run->motion, i);
    const shoal_pairs pairs = shoal_scene_pairs(run->scene);
    const shoal_pairs first = shoal_scene_first_pairs(run->scene);
    f->pairs[frame] = bench_tally_pairs(pairs.rows, pairs.count);
    f->hits[frame] = bench_tally_hits(first.rows, first.count);
    f->steps[frame] = step;
}

// Bodies that bounce do so by what shoal finds.
static shoal_status record(bench_film *f, const shl_scene_params *params, uint32_t stride)
{
    const shoal_scene_def def = shoal_scene_def_default();
    shl_scene_params own = *params;
    own.precision = SHOAL_F32;
    own.order = SHOAL_ORDER_USER;
    own.hold = SHOAL_BORROW;
    bench_runner run;
    shoal_status st = bench_runner_open(&run, f->context, &def, f->id, &own);
    for (uint32_t step = 1; step <= own.steps && st == SHOAL_OK; step++) {
        st = bench_runner_step(&run, step, SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST);
        if (st == SHOAL_OK && (step - 1) % stride == 0)
            keep(f, (step - 1) / stride, step, &run);
    }
    bench_runner_close(&run);
    return st;
}

shoal_status bench_film_create(shl_scene_id id, const shl_scene_params *params, uint32_t stride,
                               bench_film *out)
{
    *out = (bench_film){.id = id, .bodies = params->bodies};
    out->frame_count = (params->steps + stride - 1) / stride;
    const shoal_context_def def = shoal_context_def_default();
    shoal_status st = shl_deforming_surface(shl_scene_play(id), params, &out->rest);
    if (st == SHOAL_OK)
        st = shoal_context_create(&def, &out->context);
    if (st == SHOAL_OK)
        st = make_trees(out);
    if (st == SHOAL_OK) {
        const size_t n = out->frame_count;
        out->steps = calloc(n, sizeof *out->steps);
        out->xyz = malloc(n * bench_film_floats(out) * sizeof *out->xyz);
        out->frames = malloc(n * out->bodies * sizeof *out->frames);
        out->pairs = calloc(n, sizeof *out->pairs);
        out->hits = calloc(n, sizeof *out->hits);
        const bool room = out->steps && out->xyz && out->frames && out->pairs && out->hits;
        st = room ? record(out, params, stride) : SHOAL_ERR_MEMORY;
    }
    if (st != SHOAL_OK)
        bench_film_finish(out);
    return st;
}

void bench_film_finish(bench_film *f)
{
    shoal_model_destroy(f->model);
    shoal_context_destroy(f->context);
    shl_surface_finish(&f->rest);
    literal_tree_finish(&f->binary);
    literal_tree_finish(&f->eight);
    free(f->steps);
    free(f->xyz);
    free(f->frames);
    free(f->pairs);
    free(f->hits);
    memset(f, 0, sizeof *f);
}
