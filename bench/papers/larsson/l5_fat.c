// SPDX-License-Identifier: MIT
// L5, second part: what fat boxes spare. Small bodies tremble; the broad phase takes their
// own boxes, or fat ones in which they stay.
#include "bench/harness/bench.h"

#include <math.h>
#include <shoal/shoal.h>
#include <stdlib.h>

enum { BODIES = 8000, STEPS = 12 };
static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};

typedef struct stage {
    shoal_scene *scene;
    shoal_body *body;
    double best_s;
} stage;

// Where a body is in a step: a lattice with gaps, so that neighbours touch now and then.
static void place(uint32_t body, uint32_t step, float xyz[12])
{
    const uint32_t at[3] = {body % 20, body / 20 % 20, body / 400};
    for (int i = 0; i < 12; i++) {
        const double wave = sin(0.7 * step + 1.3 * body + 2.1 * (i % 3));
        xyz[i] = corners[i] + (float)(1.1 * at[i % 3] + 0.08 * wave);
    }
}

static shoal_status start(stage *s, shoal_context *ctx, shoal_model *model, bool fat)
{
    const shoal_scene_def def = shoal_scene_def_default();
    shoal_status st = shoal_scene_create(ctx, &def, &s->scene);
    s->body = calloc(BODIES, sizeof *s->body);
    s->best_s = INFINITY;
    if (st == SHOAL_OK && !s->body)
        st = SHOAL_ERR_MEMORY;
    for (uint32_t b = 0; b < BODIES && st == SHOAL_OK; b++) {
        float lo[3], hi[3];
        const uint32_t at[3] = {b % 20, b / 20 % 20, b / 400};
        for (int k = 0; k < 3; k++) {
            lo[k] = 1.1f * (float)at[k] - 0.09f;
            hi[k] = 1.1f * (float)at[k] + 1.09f;
        }
        st = shoal_scene_add_free(s->scene, model, &s->body[b]);
        if (st == SHOAL_OK && fat)
            st = shoal_scene_set_fat_box(s->scene, s->body[b], lo, hi);
    }
    return st;
}

static shoal_status turn(stage *s, uint32_t step)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t b = 0; b < BODIES && st == SHOAL_OK; b++) {
        float xyz[12];
        place(b, step, xyz);
        const shoal_positions p = shoal_positions_f32(xyz, 4);
        st = shoal_scene_set_positions(s->scene, s->body[b], &p);
    }
    if (st == SHOAL_OK)
        st = shoal_scene_step(s->scene, SHOAL_QUERY_PAIRS);
    const double spent = shoal_scene_seconds(s->scene, SHOAL_PHASE_BROAD);
    if (step > 1 && spent < s->best_s)
        s->best_s = spent;
    return st;
}

shoal_status bench_broad_fat(shoal_context *ctx, bench_report *report)
{
    shoal_model_def md = shoal_model_def_default();
    md.triangles = faces;
    md.triangle_count = 4;
    md.rest = shoal_positions_f32(corners, 4);
    shoal_model *model = NULL;
    stage s[2] = {{0}, {0}};
    bool same = true;
    shoal_status st = shoal_model_create(ctx, &md, &model);
    for (int i = 0; i < 2 && st == SHOAL_OK; i++)
        st = start(&s[i], ctx, model, i);
    for (uint32_t step = 0; step < STEPS && st == SHOAL_OK; step++) {
        for (int i = 0; i < 2 && st == SHOAL_OK; i++)
            st = turn(&s[i], step);
        same = same && st == SHOAL_OK &&
               shoal_scene_hash(s[0].scene) == shoal_scene_hash(s[1].scene);
    }
    if (st == SHOAL_OK) {
        bench_row(report, json_pack("{s:s, s:i, s:f, s:f, s:f}", "fat", "trembling bodies",
                                    "bodies", BODIES, "own_ms", 1e3 * s[0].best_s, "fat_ms",
                                    1e3 * s[1].best_s, "own/fat", s[0].best_s / s[1].best_s));
        bench_gate(report, "same pairs with fat boxes", same, 1, 1, BENCH_HIGHER);
    }
    for (int i = 0; i < 2; i++) {
        shoal_scene_destroy(s[i].scene);
        free(s[i].body);
    }
    shoal_model_destroy(model);
    return st;
}
