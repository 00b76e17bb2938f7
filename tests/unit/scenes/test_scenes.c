// SPDX-License-Identifier: MIT
// Meshes, the portable functions, and that scenes move the same way everywhere.
#include "scenes/math/portable_math.h"
#include "scenes/scene.h"
#include "scenes/shapes/mesh.h"
#include "scenes/shapes/plate.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>

// A running scene with everything it needs.
typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shl_motion *motion;
} stage;

static bool stage_open(stage *s, shl_scene_id id, const shl_scene_params *params)
{
    const shoal_context_def def = shoal_context_def_default();
    const shoal_scene_def scene_def = shoal_scene_def_default();
    *s = (stage){0};
    return shoal_context_create(&def, &s->ctx) == SHOAL_OK &&
           shoal_scene_create(s->ctx, &scene_def, &s->scene) == SHOAL_OK &&
           shl_motion_create(id, params, s->ctx, s->scene, &s->motion) == SHOAL_OK;
}

static bool stage_step(stage *s, uint32_t step)
{
    return shl_motion_step(s->motion, step) == SHOAL_OK &&
           shoal_scene_step(s->scene, SHOAL_QUERY_PAIRS) == SHOAL_OK;
}

static void stage_close(stage *s)
{
    shl_motion_destroy(s->motion);
    shoal_scene_destroy(s->scene);
    shoal_context_destroy(s->ctx);
}

static uint64_t hash_bytes(const void *data, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return h;
}

TEST icosphere_is_closed(void)
{
    for (uint32_t k = 0; k <= 5; k++) {
        shl_surface s;
        ASSERT_EQ(SHOAL_OK, shl_mesh_icosphere(k, &s));
        ASSERT_EQ(20u << 2 * k, s.triangle_count);
        ASSERT_EQ((10u << 2 * k) + 2, s.vertex_count);
        double volume = 0;
        for (uint32_t i = 0; i < s.triangle_count; i++) {
            const double *p[3];
            for (int j = 0; j < 3; j++) {
                ASSERT(s.triangles[3 * i + j] < s.vertex_count);
                p[j] = s.xyz + 3 * (size_t)s.triangles[3 * i + j];
            }
            const double part = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                                p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                                p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
            ASSERT(part > 0); // counter-clockwise from outside
            volume += part / 6;
        }
        const double ball = 4.0 / 3.0 * 3.141592653589793;
        ASSERT(volume < ball && volume > ball * (1 - 0.6 / (1 << 2 * k)));
        for (uint32_t i = 0; i < s.vertex_count; i++)
            ASSERT_IN_RANGE(1.0, hypot(hypot(s.xyz[3 * i], s.xyz[3 * i + 1]), s.xyz[3 * i + 2]),
                            1e-15);
        shl_surface_finish(&s);
    }
    shl_surface s;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_icosphere(SHL_ICOSPHERE_MAX + 1, &s));
    PASS();
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Every directed edge once, its reverse too: the surface is closed and Euler's number is 2.
TEST icosphere_edges_pair_up(void)
{
    shl_surface s;
    ASSERT_EQ(SHOAL_OK, shl_mesh_icosphere(3, &s));
    const size_t n = 3 * (size_t)s.triangle_count;
    uint64_t *edges = malloc(n * sizeof *edges);
    ASSERT(edges);
    for (size_t i = 0; i < n; i++) {
        const uint64_t from = s.triangles[i], to = s.triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = from << 32 | to;
    }
    qsort(edges, n, sizeof *edges, by_value);
    for (size_t i = 0; i < n; i++) {
        const uint64_t back = edges[i] << 32 | edges[i] >> 32;
        ASSERT(i == 0 || edges[i] != edges[i - 1]);
        ASSERT(bsearch(&back, edges, n, sizeof *edges, by_value) != NULL);
    }
    ASSERT_EQ(2, (int)s.vertex_count - (int)(n / 2) + (int)s.triangle_count);
    free(edges);
    shl_surface_finish(&s);
    PASS();
}

TEST functions_are_accurate(void)
{
    uint64_t state = 7;
    for (int i = 0; i < 200000; i++) {
        const double scale = i % 3 == 0 ? 1 : i % 3 == 1 ? 100 : 1e6;
        const double x = scale * shl_random_signed(&state);
        const shl_sincos t = shl_sincos_of(x);
        ASSERT_IN_RANGE(sin(x), t.sin, 1e-12);
        ASSERT_IN_RANGE(cos(x), t.cos, 1e-12);
        const double y = -350 + 350 * shl_random_signed(&state);
        ASSERT_IN_RANGE(exp(y), shl_exp_of(y), 1e-12 * exp(y));
    }
    ASSERT_EQ(0.0, shl_sincos_of(0).sin);
    ASSERT_EQ(1.0, shl_sincos_of(0).cos);
    ASSERT_EQ(1.0, shl_exp_of(0));
    ASSERT_EQ(0.0, shl_exp_of(-701));
    // out of a forged checkpoint any number may come
    static const double odd[] = {1e16, -1e19, 1e300, -1.7e308};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const shl_sincos t = shl_sincos_of(odd[i]);
        ASSERT_IN_RANGE(1.0, t.sin * t.sin + t.cos * t.cos, 1e-12);
    }
    ASSERT(isnan(shl_sincos_of(INFINITY).sin) && isnan(shl_sincos_of(NAN).cos));
    ASSERT_EQ((double)INFINITY, shl_exp_of(1e300));
    ASSERT(isnan(shl_exp_of(NAN)));
    PASS();
}

// The bits of all positions at step 10, the same for every compiler and optimisation.
TEST positions_are_fixed(void)
{
    static const struct {
        shl_scene_id id;
        shoal_scalar precision;
        uint64_t hash;
    } rows[] = {
        {SHL_SCENE_BUMPY_2, SHOAL_F32, 0xdb08ac25afed8bc6u},
        {SHL_SCENE_BUMPY_2, SHOAL_F64, 0x388ed0f83ca79441u},
        {SHL_SCENE_BUMPY_27, SHOAL_F32, 0x3f2769d5fbc90de6u},
        {SHL_SCENE_BUMPY_27, SHOAL_F64, 0xa0915c41c44ca467u},
        {SHL_SCENE_ARMS_27, SHOAL_F32, 0x0abe7415a481d908u},
        {SHL_SCENE_ARMS_27, SHOAL_F64, 0x64e295db6dff4503u},
        {SHL_SCENE_PLATES, SHOAL_F32, 0x32f229ee367923f4u},
        {SHL_SCENE_PLATES, SHOAL_F64, 0x435355b4bdfd85b9u},
        {SHL_SCENE_TANGLE, SHOAL_F32, 0xcb78b3be79295d0du},
        {SHL_SCENE_TANGLE, SHOAL_F64, 0xeb70c57b0cfe0d9du},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shl_scene_params params = shl_scene_defaults(rows[i].id);
        params.order = SHOAL_ORDER_USER; // the tree's own order is no part of the scene
        params.precision = rows[i].precision;
        params.bodies = params.bodies < 27 ? params.bodies : 27;
        stage s;
        ASSERT(stage_open(&s, rows[i].id, &params));
        for (uint32_t step = 1; step <= 10; step++)
            ASSERT(stage_step(&s, step));
        size_t bytes;
        const void *xyz = shl_motion_positions(s.motion, &bytes);
        const uint64_t hash = hash_bytes(xyz, bytes);
        stage_close(&s);
        ASSERT_EQ_FMT((uintmax_t)rows[i].hash, (uintmax_t)hash, "%jx");
    }
    PASS();
}

TEST bumpy_2_meets_at_60(void)
{
    const shl_scene_params params = shl_scene_defaults(SHL_SCENE_BUMPY_2);
    stage s;
    ASSERT(stage_open(&s, SHL_SCENE_BUMPY_2, &params));
    ASSERT_EQ(2u, shl_motion_body_count(s.motion));
    ASSERT_EQ(20480u, shl_motion_model(s.motion).triangle_count);
    for (uint32_t step = 1; step <= 200; step++) {
        ASSERT(stage_step(&s, step));
        const size_t pairs = shoal_scene_pairs(s.scene).count;
        ASSERT_EQ(step >= 60, pairs > 0);
        ASSERT(step < 200 || (pairs >= 3500 && pairs <= 4000));
    }
    stage_close(&s);
    PASS();
}

TEST plates_lie_on_each_other(void)
{
    shl_surface s;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_plate(SHL_PLATE_MAX + 1, &s));
    for (uint32_t k = 0; k <= 5; k++) {
        ASSERT_EQ(SHOAL_OK, shl_mesh_plate(k, &s));
        ASSERT_IN_RANGE(17.4 * (1 << 2 * k), s.triangle_count, 0.05 * s.triangle_count);
        for (uint32_t i = 0; i < 3 * s.triangle_count; i++)
            ASSERT(s.triangles[i] < s.vertex_count);
        shl_surface_finish(&s);
    }
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_PLATES);
    params.bodies = 64;
    stage t;
    ASSERT(stage_open(&t, SHL_SCENE_PLATES, &params));
    ASSERT_EQ(17856u, shl_motion_model(t.motion).triangle_count);
    uint64_t hash = 0;
    for (uint32_t step = 1; step <= 3; step++) {
        ASSERT(stage_step(&t, step));
        const shoal_pairs pairs = shoal_scene_pairs(t.scene);
        const uint64_t found_hash = shoal_scene_hash(t.scene);
        ASSERT(pairs.count > 64 * 500 && pairs.count < 64 * 1000);
        ASSERT(found_hash != hash); // they move
        hash = found_hash;
    }
    stage_close(&t);
    PASS();
}

// Turning a body's vertices back by its frame gives the shape at rest, up to its waves.
TEST frames_tell_where_bodies_are(void)
{
    for (int id = 0; id <= SHL_SCENE_CHAIRS; id++) {
        shl_scene_params params = shl_scene_defaults((shl_scene_id)id);
        params.k = 2;
        params.bodies = params.bodies < 27 ? params.bodies : 27;
        params.precision = id % 2 ? SHOAL_F64 : SHOAL_F32;
        stage s;
        ASSERT(stage_open(&s, (shl_scene_id)id, &params));
        for (uint32_t step = 1; step <= 5; step++)
            ASSERT(stage_step(&s, step));
        const shl_surface rest = *shl_motion_surface(s.motion, 0);
        double *xyz = malloc(3 * (size_t)rest.vertex_count * sizeof *xyz);
        ASSERT(xyz);
        const double most = id == SHL_SCENE_ARMS_27  ? 2.5
                            : id == SHL_SCENE_TANGLE ? 0.6 // stirred five times
                            : id == SHL_SCENE_BEAMS  ? 0.2 // ten modes
                            : id == SHL_SCENE_CHAIRS ? 1e-6
                                                     : 0.1;
        for (uint32_t body = 0; body < params.bodies; body++) {
            const shl_frame f = shl_motion_frame(s.motion, body);
            shl_motion_vertices(s.motion, body, xyz);
            for (uint32_t i = 0; i < rest.vertex_count; i++) {
                for (int k = 0; k < 3; k++) {
                    double own = 0;
                    for (uint32_t j = 0; j < 3; j++)
                        own += f.rotation[3 * j + (uint32_t)k] * (xyz[3 * i + j] - f.centre[j]);
                    ASSERT_IN_RANGE(rest.xyz[3 * i + k], own, most);
                }
            }
        }
        free(xyz);
        stage_close(&s);
    }
    PASS();
}

// Bodies of a crowd meet, are pushed apart, and none leaves or sinks into another.
TEST crowds_stay_together(void)
{
    for (int id = SHL_SCENE_BUMPY_27; id <= SHL_SCENE_ARMS_27; id++) {
        shl_scene_params params = shl_scene_defaults((shl_scene_id)id);
        params.k = 2;
        params.precision = SHOAL_F64;
        stage s;
        ASSERT(stage_open(&s, (shl_scene_id)id, &params));
        size_t meetings = 0;
        for (uint32_t step = 1; step <= 300; step++) {
            ASSERT(stage_step(&s, step));
            meetings += shoal_scene_pairs(s.scene).count > 0;
        }
        ASSERT(meetings > 200);
        size_t bytes;
        const double *xyz = shl_motion_positions(s.motion, &bytes);
        for (size_t i = 0; i < bytes / sizeof *xyz; i++)
            ASSERT(fabs(xyz[i]) < 7); // the lattice's corner bodies start at 2.6
        stage_close(&s);
    }
    PASS();
}

static uint64_t run_hash(shl_scene_id id, const shl_scene_params *params)
{
    stage s;
    uint64_t hash = 0;
    bool good = stage_open(&s, id, params);
    for (uint32_t step = 1; step <= 40 && good; step++) {
        good = stage_step(&s, step);
        hash = hash * 31 + shoal_scene_hash(s.scene);
    }
    stage_close(&s);
    return good ? hash : 0;
}

TEST frames_of_beams_are_their_states(void)
{
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_BEAMS);
    params.k = 0;
    params.bodies = 3;
    stage s;
    ASSERT(stage_open(&s, SHL_SCENE_BEAMS, &params));
    const shl_surface *rest = shl_motion_surface(s.motion, 0);
    ASSERT_EQ(shl_motion_model(s.motion).triangle_count, rest->triangle_count);
    ASSERT_EQ(shl_motion_model(s.motion).vertex_count, rest->vertex_count);
    ASSERT(stage_step(&s, 1));
    size_t bytes;
    const double *state = shl_motion_positions(s.motion, &bytes);
    for (uint32_t body = 0; body < params.bodies; body++) {
        const shl_frame f = shl_motion_frame(s.motion, body);
        for (size_t e = 0; e < 12; e++)
            ASSERT_EQ(state[e * params.bodies + body], e < 9 ? f.rotation[e] : f.centre[e - 9]);
    }
    stage_close(&s);
    PASS();
}

TEST order_and_hold_do_not_matter(void)
{
    for (int id = 0; id <= SHL_SCENE_CHAIRS; id++) { // the others have neither
        for (int precision = 0; precision < 2; precision++) {
            shl_scene_params params = shl_scene_defaults((shl_scene_id)id);
            params.k = 3;
            params.precision = (shoal_scalar)precision;
            const uint64_t expected = run_hash((shl_scene_id)id, &params);
            ASSERT(expected != 0);
            for (int i = 0; i < 4; i++) {
                params.order = (shoal_order)(i & 1);
                params.hold = (shoal_hold)(i >> 1);
                ASSERT_EQ(expected, run_hash((shl_scene_id)id, &params));
            }
        }
    }
    PASS();
}

// Written down once: with and without new trees in every step.
TEST tangle_hash_is_the_written_one(void)
{
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_TANGLE);
    params.k = 3;
    for (int forced = 0; forced < 2; forced++) {
        const shoal_context_def def = shoal_context_def_default();
        shoal_scene_def scene_def = shoal_scene_def_default();
        scene_def.strategy = SHOAL_STRATEGY_AUTO;
        scene_def.rebuild_ratio = forced ? 0.5 : 0;
        stage s = {0};
        ASSERT_EQ(SHOAL_OK, shoal_context_create(&def, &s.ctx));
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(s.ctx, &scene_def, &s.scene));
        ASSERT_EQ(SHOAL_OK,
                  shl_motion_create(SHL_SCENE_TANGLE, &params, s.ctx, s.scene, &s.motion));
        uint64_t hash = 0, rebuilds = 0;
        double quality = 0;
        for (uint32_t step = 1; step <= 100; step++) {
            ASSERT(stage_step(&s, step));
            hash = hash * 31 + shoal_scene_hash(s.scene);
            rebuilds += shoal_scene_stats(s.scene).rebuilds;
            quality = shoal_scene_stats(s.scene).quality_worst;
        }
        stage_close(&s);
        ASSERT_EQ_FMT((uintmax_t)0x08119cbeb9aca751u, (uintmax_t)hash, "%jx");
        ASSERT_EQ(forced ? 400u : 0u, rebuilds);
        ASSERT(forced ? quality < 1.2 : quality > 2);
    }
    PASS();
}

TEST seeds_and_bodies_count(void)
{
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_ARMS_27);
    params.k = 2;
    const uint64_t hash = run_hash(SHL_SCENE_ARMS_27, &params);
    params.seed = 2;
    ASSERT(run_hash(SHL_SCENE_ARMS_27, &params) != hash);
    static const uint32_t counts[] = {1, 2, 8, 30};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        params.bodies = counts[i];
        stage s;
        ASSERT(stage_open(&s, SHL_SCENE_ARMS_27, &params));
        ASSERT(stage_step(&s, 1) && stage_step(&s, 2));
        ASSERT_EQ(counts[i], shl_motion_body_count(s.motion));
        ASSERT_EQ(counts[i], shoal_scene_stats(s.scene).bodies);
        stage_close(&s);
    }
    PASS();
}

TEST settings_are_strict(void)
{
    static const char *const bad[][2] = {
        {"k", ""},
        {"k", "x"},
        {"k", "10"},
        {"k", "-1"},
        {"k", "3 "},
        {"k", "+3"},
        {"K", "3"},
        {"steps", "0"},
        {"nope", "1"},
        {"precision", "f16"},
        {"order", ""},
        {"hold", "keep"},
        {"bodies", "0"},
        {"k", "0x3"},
        {"seed", "18446744073709551616"},
        {"bodies", "100001"},
    };
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_BUMPY_27);
    const shl_scene_params before = params;
    shl_setting_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error.text[0] = '\0';
        ASSERT_FALSEm(bad[i][0],
                      shl_scene_set(SHL_SCENE_BUMPY_27, &params, bad[i][0], bad[i][1], &error));
        ASSERT(error.text[0] != '\0');
        ASSERT_MEM_EQ(&before, &params, sizeof params);
    }
    // every parameter takes back the text it shows
    for (int id = 0; id < SHL_SCENE_COUNT; id++) {
        params = shl_scene_defaults((shl_scene_id)id);
        params.seed = UINT64_MAX;
        const shl_scene_params all = params;
        for (uint32_t i = 0;; i++) {
            const shl_scene_param p = shl_scene_param_at((shl_scene_id)id, &all, i);
            if (!p.key)
                break;
            ASSERT(shl_scene_set((shl_scene_id)id, &params, p.key, p.text, &error));
        }
        ASSERT_MEM_EQ(&all, &params, sizeof params);
    }
    params = before;
    ASSERT_FALSE(shl_scene_set(SHL_SCENE_BUMPY_2, &params, "bodies", "3", &error));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(icosphere_is_closed);
    RUN_TEST(icosphere_edges_pair_up);
    RUN_TEST(functions_are_accurate);
    RUN_TEST(positions_are_fixed);
    RUN_TEST(bumpy_2_meets_at_60);
    RUN_TEST(plates_lie_on_each_other);
    RUN_TEST(frames_tell_where_bodies_are);
    RUN_TEST(frames_of_beams_are_their_states);
    RUN_TEST(crowds_stay_together);
    RUN_TEST(order_and_hold_do_not_matter);
    RUN_TEST(tangle_hash_is_the_written_one);
    RUN_TEST(seeds_and_bodies_count);
    RUN_TEST(settings_are_strict);
    GREATEST_MAIN_END();
}
