// SPDX-License-Identifier: MIT
// Boxes kept from step to step: they hold every vertex of every state they are used for, are
// used, and change no result, warm or cold.
#include "run.h"

#include "greatest.h"
#include "inside.h"
#include "runtime/kinds/reduced/coherence.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64, BODIES = 8, STEPS = 40 };

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[BODIES];
    world_mesh mesh;
    float *fields;
    uint32_t field_count;
    uint32_t depth; // of the mesh: 20 * 4^depth triangles
    double far;     // how far from the origin
    double apart;   // bodies from each other
} play;

static bool begin(play *p, shoal_cpu cpu, shoal_scene_def sd, shoal_bounds bounds)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    p->mesh = mesh_ball(p->depth, 5);
    const size_t scalars = 3 * (size_t)p->mesh.vertex_count;
    p->fields = malloc((scalars * p->field_count + 1) * sizeof *p->fields);
    for (size_t i = 0; i < scalars * p->field_count; i++) {
        const size_t j = i / scalars, v = i % scalars;
        p->fields[i] = (float)sin((double)(1 + j / 3) * p->mesh.rest[v - v % 3 + (v + j) % 3]);
    }
    shoal_model_def def = shoal_model_def_default();
    def.triangles = p->mesh.tri;
    def.triangle_count = p->mesh.triangle_count;
    def.rest = shoal_positions_f64(p->mesh.rest, p->mesh.vertex_count);
    def.reducible = true;
    def.fields = p->fields;
    def.field_count = p->field_count;
    def.bounds = bounds;
    shoal_model *model = NULL;
    bool good = !shoal_context_create(&cd, &p->ctx) &&
                !shoal_scene_create(p->ctx, &sd, &p->scene) &&
                !shoal_model_create(p->ctx, &def, &model);
    for (int b = 0; b < BODIES && good; b++)
        good = !shoal_scene_add_reduced(p->scene, model, &p->body[b]);
    shoal_model_destroy(model);
    return good;
}

static void end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_context_destroy(p->ctx);
    mesh_free(&p->mesh);
    free(p->fields);
}

// Where body b is at a step: it turns and goes far, q swings a little, and jumps at times.
static void state_of(const play *p, uint32_t b, uint32_t step, double out[12 + FIELDS_MAX])
{
    const double angle = 0.1 * step + b, c = cos(angle), s = sin(angle);
    const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(out, turn, sizeof turn);
    for (uint32_t k = 0; k < 3; k++)
        out[9 + k] = p->far + p->apart * (b >> k & 1) + 0.3 * sin(0.2 * step + b + k);
    for (uint32_t j = 0; j < p->field_count; j++)
        out[12 + j] =
            0.3 / p->field_count * (sin(0.02 * step + b + j) + (step / 17 % 2 ? 0.3 : 0));
}

static bool step(play *p, uint32_t at)
{
    for (uint32_t b = 0; b < BODIES; b++) {
        double state[12 + FIELDS_MAX];
        state_of(p, b, at, state);
        const shoal_reduced_state one = {.bodies = &p->body[b],
                                         .count = 1,
                                         .stride = 1,
                                         .rotation = state,
                                         .translation = state + 9,
                                         .q = state + 12,
                                         .field_count = p->field_count};
        if (shoal_scene_set_reduced(p->scene, &one))
            return false;
    }
    return !shoal_scene_step(p->scene, SHOAL_QUERY_PAIRS);
}

// --- No vertex is outside. ---

static void vertex(const play *p, const double *state, size_t v, double out[3])
{
    double d[3];
    for (size_t k = 0; k < 3; k++) {
        d[k] = p->mesh.rest[3 * v + k];
        for (size_t j = 0; j < p->field_count; j++)
            d[k] += (double)p->fields[3 * (j * p->mesh.vertex_count + v) + k] * state[12 + j];
    }
    for (size_t k = 0; k < 3; k++)
        out[k] = ((state[3 * k] * d[0] + state[3 * k + 1] * d[1]) + state[3 * k + 2] * d[2]) +
                 state[9 + k];
}

static bool holds(const play *p, const double *state, const shl_tree *t, uint32_t row,
                  const shl_block *block, uint32_t lane)
{
    double x[3];
    vertex(p, state, t->order[row], x);
    bool in = true;
    for (int k = 0; k < 3; k++)
        in &= (double)block->lo[k][lane] <= x[k] && x[k] <= (double)block->hi[k][lane];
    return in;
}

// Boxes looked at that were made for another q; 0 after a vertex outside of any.
static size_t check_body(const play *p, uint32_t b, uint32_t at)
{
    const shl_reduced_body *body = inside_reduced(p->scene, b);
    const shl_tree *t = body->tree;
    double state[12 + FIELDS_MAX];
    state_of(p, b, at, state);
    size_t old = 1;
    for (uint32_t n = 0; n < t->node_count; n++) {
        shl_block block;
        if (t->leaf[n] || !shl_coherence_has(body, n) ||
            !shl_coherence_open(&p->ctx->kernels, body, n, &block))
            continue;
        const shl_coherent_node *kept = &body->coherence->nodes[body->model->block_of[n]];
        for (uint32_t lane = 0; lane < t->count[n]; lane++) {
            const uint32_t child = t->first[n] + lane;
            for (uint32_t v = t->vertex_begin[child]; v < t->vertex_end[child]; v++) {
                if (!holds(p, state, t, v, &block, lane))
                    return 0;
            }
            for (uint32_t i = t->list_begin[child]; i < t->list_begin[child + 1]; i++) {
                if (!holds(p, state, t, t->list[i], &block, lane))
                    return 0;
            }
            old += kept->epoch != body->coherence->epoch;
        }
    }
    return old;
}

TEST no_vertex_is_outside(shoal_bounds bounds, shoal_coherence coherence)
{
    static const uint32_t counts[] = {0, 3, 10, 64};
    for (int i = 0; i < 4; i++) {
        play p = {.field_count = counts[i], .depth = 2, .far = i % 2 ? 1e6 : 0, .apart = 1.1};
        shoal_scene_def sd = shoal_scene_def_default();
        sd.executor = SHOAL_EXECUTOR_SERIAL;
        sd.coherence = coherence;
        ASSERT(begin(&p, i == 1 ? SHOAL_CPU_REF : SHOAL_CPU_BEST, sd, bounds));
        size_t old = 0;
        for (uint32_t at = 0; at < STEPS / 2; at++) {
            ASSERT(step(&p, at));
            const size_t more = check_body(&p, at % BODIES, at);
            ASSERT(more > 0);
            old += more - 1;
        }
        ASSERT(old > 100);
        end(&p);
    }
    PASS();
}

// --- Warm and cold. ---

TEST warm_is_cold(shoal_bounds bounds)
{
    static const shoal_executor executors[4] = {SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_SERIAL,
                                                SHOAL_EXECUTOR_GUARD, SHOAL_EXECUTOR_OMP};
    uint64_t want[STEPS];
    size_t pairs = 0;
    for (int turn = 0; turn < 4; turn++) {
        // deep enough for nodes that are not kept
        play p = {.field_count = 10, .depth = 4, .apart = 2.2};
        shoal_scene_def sd = shoal_scene_def_default();
        sd.executor = executors[turn];
        sd.threads = 3;
        sd.coherence = (shoal_coherence)(turn % 3);
        ASSERT(begin(&p, turn == 1 ? SHOAL_CPU_REF : SHOAL_CPU_BEST, sd, bounds));
        // the last one is cold at every fifth step: nothing before it is known
        for (uint32_t at = 0; at < STEPS; at += turn == 3 ? 5 : 1) {
            if (turn == 3 && at) {
                end(&p);
                sd.coherence = at % 2 ? SHOAL_COHERENCE_EAGER : SHOAL_COHERENCE_LAZY;
                ASSERT(begin(&p, SHOAL_CPU_BEST, sd, bounds));
            }
            ASSERT(step(&p, at));
            const uint64_t hash = shoal_scene_hash(p.scene);
            if (turn == 0)
                want[at] = hash;
            ASSERT_EQ(want[at], hash);
            pairs += shoal_scene_pairs(p.scene).count;
        }
        for (uint32_t at = 0; turn == 1 && at < STEPS; at++) { // all of it was seen before
            ASSERT(step(&p, at));
            ASSERT_EQ(want[at], shoal_scene_hash(p.scene));
            ASSERT_EQ(0, shoal_scene_stats(p.scene).allocations);
        }
        end(&p);
    }
    ASSERT(pairs > 1000);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    for (int bounds = SHOAL_BOUNDS_SPHERES; bounds <= SHOAL_BOUNDS_AFFINE; bounds++) {
        RUN_TESTp(no_vertex_is_outside, (shoal_bounds)bounds, SHOAL_COHERENCE_LAZY);
        RUN_TESTp(no_vertex_is_outside, (shoal_bounds)bounds, SHOAL_COHERENCE_EAGER);
        RUN_TESTp(warm_is_cold, (shoal_bounds)bounds);
    }
    GREATEST_MAIN_END();
}
