// SPDX-License-Identifier: MIT
// The folded plate, its modes, and the scene made of it: the same everywhere, by any way.
#include "scenes/models/modal_plate.h"
#include "scenes/plays/beams.h"

#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(const void *data, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    return h;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST plate_is_closed(void)
{
    shl_surface s;
    float *fields;
    ASSERT_EQ(SHOAL_OK, shl_mesh_modal_plate(12, 5, 0, &s, &fields));
    const size_t n = 3 * (size_t)s.triangle_count;
    ASSERT_EQ(4u * (12 * 5 + 12 + 5), s.triangle_count);
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
    free(fields);
    shl_surface_finish(&s);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_modal_plate(0, 5, 0, &s, &fields));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_modal_plate(5, 5, 17, &s, &fields));
    PASS();
}

TEST plate_is_fixed(void)
{
    shl_surface s;
    float *fields;
    ASSERT_EQ(SHOAL_OK, shl_mesh_modal_plate(24, 12, 16, &s, &fields));
    const size_t scalars = 3 * (size_t)s.vertex_count;
    for (uint32_t j = 0; j < 16; j++) {
        double most = 0;
        for (size_t i = 0; i < scalars; i++)
            most = fmax(most, fabs((double)fields[j * scalars + i]));
        ASSERT(most > 0.5 && most < 1.05);
    }
    ASSERT_EQ_FMT((uintmax_t)0xa94c19892905457f,
                  (uintmax_t)hash_bytes(s.xyz, scalars * sizeof *s.xyz), "%jx");
    ASSERT_EQ_FMT((uintmax_t)0x9079a86aa2660215,
                  (uintmax_t)hash_bytes(fields, 16 * scalars * sizeof *fields), "%jx");
    free(fields);
    shl_surface_finish(&s);
    PASS();
}

// Hash of a few steps, all queries together; *pairs counts what was found.
static uint64_t run(shoal_cpu cpu, shoal_executor executor, uint32_t threads,
                    shoal_bounds bounds, size_t *pairs)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = cpu;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.threads = threads;
    const shl_beams_def def = {.along = 24,
                               .across = 12,
                               .fields = 10,
                               .bodies = 27,
                               .spacing = 0.6,
                               .amplitude = 0.06,
                               .seed = 1,
                               .bounds = bounds};
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    shl_beams *beams = NULL;
    uint64_t hash = 0;
    bool good = !shoal_context_create(&cd, &ctx) && !shoal_scene_create(ctx, &sd, &scene) &&
                !shl_beams_create(&def, ctx, scene, &beams);
    *pairs = 0;
    for (uint32_t step = 1; step <= 6 && good; step++) {
        good = !shl_beams_step(beams, 10 * step) &&
               !shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST |
                                            SHOAL_QUERY_SELF_ADJACENT);
        hash = hash * 31 + shoal_scene_hash(scene);
        *pairs += shoal_scene_pairs(scene).count;
    }
    shl_beams_destroy(beams);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    return good ? hash : 0;
}

TEST scene_is_fixed(void)
{
    static const uint64_t golden = 0x5f9bab93979777b0;
    size_t pairs = 0;
    ASSERT_EQ_FMT(
        (uintmax_t)golden,
        (uintmax_t)run(SHOAL_CPU_BEST, SHOAL_EXECUTOR_OMP, 2, SHOAL_BOUNDS_AUTO, &pairs),
        "%jx");
    ASSERT(pairs > 1000);
    for (int bounds = SHOAL_BOUNDS_AUTO; bounds <= SHOAL_BOUNDS_AFFINE; bounds++) {
        for (shoal_executor executor = 0; executor <= SHOAL_EXECUTOR_GUARD; executor++)
            ASSERT_EQ(golden, run(executor % 2 ? SHOAL_CPU_REF : SHOAL_CPU_BEST, executor, 3,
                                  (shoal_bounds)bounds, &pairs));
    }
    PASS();
}

// Plates sunk into each other by so much that one pair of them touches more leaves than a
// worker keeps: the same pairs as of free bodies with the same vertices, and on any path.
TEST crowded_plates(void)
{
    enum { BODIES = 3 };
    const shl_beams_def def = {.along = 94,
                               .across = 46,
                               .fields = 10,
                               .bodies = BODIES,
                               .spacing = 0.02,
                               .amplitude = 0.04,
                               .seed = 1};
    uint64_t hash[3] = {0};
    size_t pairs[3] = {0};
    for (int way = 0; way < 3; way++) { // free, reduced, reduced by the reference bodies
        shoal_context_def cd = shoal_context_def_default();
        cd.cpu = way == 2 ? SHOAL_CPU_REF : SHOAL_CPU_BEST;
        const shoal_scene_def sd = shoal_scene_def_default();
        shoal_context *ctx;
        shoal_scene *scene, *other;
        shl_beams *beams;
        ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &scene));
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &other));
        ASSERT_EQ(SHOAL_OK, shl_beams_create(&def, ctx, scene, &beams));
        ASSERT_EQ(SHOAL_OK, shl_beams_step(beams, 1));
        shoal_model *model = shl_beams_model(beams);
        const uint32_t vertices = 2 * (94 * 46 + 94 + 46) + 2; // by Euler, as it is closed
        double *xyz = malloc(3 * sizeof *xyz * vertices);
        ASSERT(xyz);
        for (uint32_t b = 0; b < BODIES && way == 0; b++) {
            for (uint32_t v = 0; v < vertices; v++)
                shl_beams_vertex(beams, b, v, xyz + 3 * (size_t)v);
            const shoal_positions positions = shoal_positions_f64(xyz, vertices);
            shoal_body id;
            ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(other, model, &id));
            ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(other, id, &positions));
        }
        shoal_scene *which = way ? scene : other;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(which, SHOAL_QUERY_PAIRS));
        hash[way] = shoal_scene_hash(which);
        pairs[way] = shoal_scene_pairs(which).count;
        free(xyz);
        shl_beams_destroy(beams);
        shoal_scene_destroy(other);
        shoal_scene_destroy(scene);
        shoal_context_destroy(ctx);
    }
    ASSERT(pairs[0] > 1000);
    ASSERT_EQ_FMT(pairs[0], pairs[1], "%zu");
    ASSERT_EQ_FMT((uintmax_t)hash[0], (uintmax_t)hash[1], "%jx");
    ASSERT_EQ_FMT((uintmax_t)hash[0], (uintmax_t)hash[2], "%jx");
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(plate_is_closed);
    RUN_TEST(plate_is_fixed);
    RUN_TEST(scene_is_fixed);
    RUN_TEST(crowded_plates);
    GREATEST_MAIN_END();
}
