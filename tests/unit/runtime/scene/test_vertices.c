// SPDX-License-Identifier: MIT
// Evaluated positions are those of the worlds, which have formulas of their own: for each kind,
// range, scalar, stride and order, before and after steps.
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

static shoal_context *ctx;
static uint32_t lines;
static char line[600];

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user, (void)status;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

static const double untouched = 7e77;

// The nearest float, without a cast that a compiler could lose.
static double narrow(double x)
{
    const volatile float f = (float)x;
    return (double)f;
}

// The range as `v` says, and nothing beside it.
static bool range_is(const shoal_scene *scene, shoal_body body, shoal_vertices v,
                     const double *want, const uint32_t *order, bool per_axis)
{
    static double wide[3][6 * MOST];
    static float thin[3][6 * MOST];
    const bool f32 = v.scalar == SHOAL_F32;
    const size_t room = v.count * v.stride + 8;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < room; i++) {
            wide[k][i] = untouched;
            thin[k][i] = (float)1e33;
        }
    }
    void *x = f32 ? (void *)thin[0] : wide[0];
    const size_t size = f32 ? sizeof(float) : sizeof(double);
    v.x = x;
    v.y = per_axis ? (f32 ? (void *)thin[1] : wide[1]) : (char *)x + size;
    v.z = per_axis ? (f32 ? (void *)thin[2] : wide[2]) : (char *)x + 2 * size;
    if (shoal_scene_vertices(scene, body, &v) != SHOAL_OK)
        return false;
    size_t written = 0;
    for (uint32_t i = 0; i < v.count; i++) {
        const size_t user = v.order == SHOAL_ORDER_TREE ? order[v.first + i] : v.first + i;
        for (size_t k = 0; k < 3; k++) {
            const size_t at = i * v.stride + (per_axis ? 0 : k);
            const size_t axis = per_axis ? k : 0;
            const double got = f32 ? (double)thin[axis][at] : wide[axis][at];
            const double wanted = f32 ? narrow(want[3 * user + k]) : want[3 * user + k];
            if (memcmp(&got, &wanted, sizeof got) != 0)
                return false;
        }
    }
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < room; i++)
            written += f32 ? thin[k][i] != (float)1e33 : wide[k][i] != untouched;
    }
    return written == 3 * (size_t)v.count;
}

// Whole and in parts, in all layouts.
static bool vertices_are(const shoal_scene *scene, shoal_body body, const shoal_model *model,
                         const double *want)
{
    const uint32_t count = shoal_model_get_info(model).vertex_count;
    const uint32_t *order = shoal_model_vertex_order(model);
    const uint32_t ranges[][2] = {{0, count},     {0, 1},         {count - 1, 1},
                                  {count / 3, 0}, {count / 3, 1}, {count / 4, count / 2}};
    bool good = count < MOST;
    for (int how = 0; how < 16 && good; how++) {
        const bool per_axis = how & 4;
        shoal_vertices v = {.stride = per_axis ? (how & 8 ? 2 : 1) : (how & 8 ? 5 : 3),
                            .scalar = how & 1 ? SHOAL_F32 : SHOAL_F64,
                            .order = how & 2 ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER};
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges && good; r++) {
            v.first = ranges[r][0];
            v.count = ranges[r][1];
            good = range_is(scene, body, v, want, order, per_axis);
        }
    }
    return good;
}

// A world whose bodies are what they are; trees are built anew in every step.
static bool world_is(const world *w, double rebuild_ratio)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.rebuild_ratio = rebuild_ratio;
    def.threads = 2;
    shoal_scene *scene;
    shoal_model *models[WORLD_BODIES];
    shoal_body body[WORLD_BODIES];
    bool good = shoal_scene_create(ctx, &def, &scene) == SHOAL_OK;
    for (uint32_t b = 0; b < w->body_count; b++) {
        models[b] = kind_model_of(ctx, w, b);
        good = good && kind_add(scene, models[b], w, b, &body[b]) == SHOAL_OK;
    }
    for (uint32_t step = 0; step < w->step_count && good; step++) {
        for (uint32_t b = 0; b < w->body_count && good; b++)
            good = kind_set(scene, body[b], w, b, step) == SHOAL_OK &&
                   vertices_are(scene, body[b], models[b], w->xyz[step][b]);
        good = good && shoal_scene_step(scene, SHOAL_QUERY_PAIRS) == SHOAL_OK;
        for (uint32_t b = 0; b < w->body_count && good; b++)
            good = vertices_are(scene, body[b], models[b], w->xyz[step][b]);
    }
    for (uint32_t b = 0; b < w->body_count; b++)
        shoal_model_destroy(models[b]);
    shoal_scene_destroy(scene);
    return good;
}

TEST kinds_are_what_formulas_say(void)
{
    uint32_t reduced = 0, skinned = 0, free_bodies = 0;
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        world *w = world_make(kind);
        for (uint32_t b = 0; b < w->body_count; b++) {
            reduced += w->reduced[b].used;
            skinned += w->skinned[b].used;
            free_bodies += kind_is_free(w, b);
        }
        ASSERTm(world_name(kind), world_is(w, 0));
        world_free(w);
    }
    ASSERT(reduced > 10 && skinned > 10 && free_bodies > 10);
    PASS();
}

TEST own_trees_do_not_matter(void)
{
    for (uint32_t kind = 0; kind < world_kinds(); kind += 3) {
        world *w = world_make(kind);
        ASSERTm(world_name(kind), world_is(w, 0.5));
        world_free(w);
    }
    PASS();
}

// One ball in a scene of its own; its tree is that of a stranger, so that a new one is another.
typedef struct stage {
    world_mesh mesh;
    shoal_model *model;
    shoal_scene *scene;
    shoal_body body;
} stage;

static bool open_stage(stage *s)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.rebuild_ratio = 0.5;
    s->mesh = mesh_ball(2, 3);
    s->model = model_of_stranger(ctx, &s->mesh);
    return shoal_scene_create(ctx, &def, &s->scene) == SHOAL_OK &&
           shoal_scene_add_free(s->scene, s->model, &s->body) == SHOAL_OK;
}

static void close_stage(stage *s)
{
    shoal_scene_destroy(s->scene);
    shoal_model_destroy(s->model);
    mesh_free(&s->mesh);
}

// Of a borrowed array as it is now, in both orders, with the model's tree and one of its own.
TEST borrowed_positions_are_read_anew(void)
{
    for (int order = 0; order < 2; order++) {
        stage s;
        ASSERT(open_stage(&s));
        const uint32_t count = s.mesh.vertex_count;
        const uint32_t *tree = shoal_model_vertex_order(s.model);
        double *mine = malloc(3 * sizeof *mine * count),
               *want = malloc(3 * sizeof *want * count);
        shoal_positions p = shoal_positions_f64(mine, count);
        p.hold = SHOAL_BORROW;
        p.order = order ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
        for (uint32_t step = 0; step < 4; step++) {
            for (size_t i = 0; i < 3 * (size_t)count; i++) {
                const size_t v = order ? tree[i / 3] : i / 3;
                mine[i] = s.mesh.rest[3 * v + i % 3] * (1 + 0.25 * step);
                want[3 * v + i % 3] = mine[i];
            }
            if (step == 0)
                ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(s.scene, s.body, &p));
            ASSERT(vertices_are(s.scene, s.body, s.model, want));
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_SELF));
            ASSERT(vertices_are(s.scene, s.body, s.model, want));
        }
        shoal_body_info info;
        ASSERT_EQ(SHOAL_OK, shoal_scene_body_info(s.scene, s.body, &info));
        ASSERT(info.rebuilds > 0);
        free(mine);
        free(want);
        close_stage(&s);
    }
    PASS();
}

// Numbers that are not finite come back, and float32 has less room than float64.
TEST bad_bodies_have_vertices(void)
{
    stage s;
    ASSERT(open_stage(&s));
    const uint32_t count = s.mesh.vertex_count;
    double *mine = malloc(3 * sizeof *mine * count);
    memcpy(mine, s.mesh.rest, 3 * sizeof *mine * count);
    mine[3] = INFINITY;
    mine[4] = -1e300;
    mine[5] = 1e-44;
    const shoal_positions p = shoal_positions_f64(mine, count);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(s.scene, s.body, &p));
    for (int step = 0; step < 2; step++) {
        ASSERT(vertices_are(s.scene, s.body, s.model, mine));
        float three[3];
        const shoal_vertices v = shoal_vertices_f32(three, 1, 1);
        ASSERT_EQ(SHOAL_OK, shoal_scene_vertices(s.scene, s.body, &v));
        ASSERT(three[0] == INFINITY && three[1] == -INFINITY && three[2] > 0);
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_PAIRS));
    }
    free(mine);
    close_stage(&s);
    PASS();
}

#define WRONG(status, call)                                                                    \
    do {                                                                                       \
        lines = 0;                                                                             \
        ASSERT_EQ_FMT((int)(status), (int)(call), "%d");                                       \
        ASSERT_EQ_FMT(1u, lines, "%u");                                                        \
        ASSERT(strncmp(line, "vertices: ", 10) == 0);                                          \
        ASSERT_EQ(untouched, xyz[0]);                                                          \
    } while (0)

TEST wrong_arguments(void)
{
    stage s;
    ASSERT(open_stage(&s));
    const uint32_t count = s.mesh.vertex_count;
    double xyz[9] = {untouched};
    const shoal_vertices good = shoal_vertices_f64(xyz, 0, 1);
    shoal_vertices v = good;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &good)); // no state
    const shoal_positions p = shoal_positions_f64(s.mesh.rest, count);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(s.scene, s.body, &p));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, NULL));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, (shoal_body){0, 0}, &good));
    WRONG(SHOAL_ERR_STALE, shoal_scene_vertices(s.scene, (shoal_body){9, 1}, &good));
    WRONG(SHOAL_ERR_STALE,
          shoal_scene_vertices(s.scene, (shoal_body){1, s.body.generation + 1}, &good));
    for (int k = 0; k < 3; k++) {
        v = good;
        *(k == 0 ? &v.x : k == 1 ? &v.y : &v.z) = NULL;
        WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &v));
    }
    v = good, v.stride = 0;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &v));
    v = good, v.scalar = (shoal_scalar)2;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &v));
    v = good, v.order = (shoal_order)2;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &v));
    const uint32_t ranges[][2] = {
        {0, count + 1}, {count, 1}, {count + 1, 0}, {1, UINT32_MAX}, {UINT32_MAX, 2}};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        v = good, v.first = ranges[r][0], v.count = ranges[r][1];
        WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &v));
    }
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_begin(s.scene, SHOAL_QUERY_PAIRS, 1));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &good));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_end(s.scene));
    ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(s.scene, s.body, s.model));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(s.scene, s.body, &good)); // not of this one
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_vertices(NULL, s.body, &good));
    close_stage(&s);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shoal_context_def def = shoal_context_def_default();
    def.log = log_line;
    if (shoal_context_create(&def, &ctx) != SHOAL_OK)
        return 1;
    RUN_TEST(kinds_are_what_formulas_say);
    RUN_TEST(own_trees_do_not_matter);
    RUN_TEST(borrowed_positions_are_read_anew);
    RUN_TEST(bad_bodies_have_vertices);
    RUN_TEST(wrong_arguments);
    shoal_context_destroy(ctx);
    GREATEST_MAIN_END();
}
