// SPDX-License-Identifier: MIT
// Every wrong argument: its status, one line in the log, and an object as it was before.
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

static shoal_context *ctx, *other;
static world_mesh mesh[2];
static shoal_model *model[2], *foreign;
static shoal_scene *scene;
static shoal_body body[2];
static uint64_t hash_before;

static uint32_t lines;
static shoal_status line_status;
static char line_text[600];

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    lines++;
    line_status = status;
    snprintf(line_text, sizeof line_text, "%s", text);
}

// One wrong call: the status, logged once under the same status, with words in it.
#define WRONG(status, call)                                                                    \
    do {                                                                                       \
        lines = 0;                                                                             \
        ASSERT_EQ_FMT((int)(status), (int)(call), "%d");                                       \
        ASSERT_EQ_FMT(1u, lines, "%u");                                                        \
        ASSERT_EQ_FMT((int)(status), (int)line_status, "%d");                                  \
        ASSERT(strlen(line_text) > 5 && !strchr(line_text, '\n'));                             \
    } while (0)

// A call without anything to log through.
#define WRONG_SILENT(call)                                                                     \
    do {                                                                                       \
        lines = 0;                                                                             \
        ASSERT_EQ_FMT((int)SHOAL_ERR_ARGUMENT, (int)(call), "%d");                             \
        ASSERT_EQ_FMT(0u, lines, "%u");                                                        \
    } while (0)

static uint64_t hash_of_step(void)
{
    if (shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF_ADJACENT) != SHOAL_OK)
        return 0;
    return shoal_scene_hash(scene);
}

#define UNCHANGED() ASSERT_EQ(hash_before, hash_of_step())

static shoal_positions good_positions(int which)
{
    return shoal_positions_f64(mesh[which].rest, mesh[which].vertex_count);
}

static shoal_model_def good_model(void)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh[0].tri;
    def.triangle_count = mesh[0].triangle_count;
    def.rest = good_positions(0);
    return def;
}

static void open_all(void *unused)
{
    (void)unused;
    shoal_context_def cd = shoal_context_def_default();
    cd.log = log_line;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    mesh[0] = mesh_ball(2, 1);
    mesh[1] = mesh_soup(70, 0.5, 2);
    if (shoal_context_create(&cd, &ctx) || shoal_context_create(&cd, &other) ||
        shoal_scene_create(ctx, &sd, &scene))
        abort();
    foreign = model_of(other, &mesh[0]);
    for (int i = 0; i < 2; i++) {
        model[i] = model_of(ctx, &mesh[i]);
        const shoal_positions p = good_positions(i);
        if (shoal_scene_add_free(scene, model[i], &body[i]) ||
            shoal_scene_set_positions(scene, body[i], &p))
            abort();
    }
    hash_before = hash_of_step();
}

static void close_all(void *unused)
{
    (void)unused;
    shoal_scene_destroy(scene);
    for (int i = 0; i < 2; i++) {
        shoal_model_destroy(model[i]);
        mesh_free(&mesh[i]);
    }
    shoal_model_destroy(foreign);
    shoal_context_destroy(other);
    shoal_context_destroy(ctx);
}

TEST wrong_context(void)
{
    shoal_context_def def = shoal_context_def_default();
    def.log = log_line;
    shoal_context *out = ctx;
    WRONG_SILENT(shoal_context_create(&def, NULL));
    WRONG_SILENT(shoal_context_create(NULL, &out));
    ASSERT_EQ(NULL, out);
    shoal_context_def zero = {0}; // not from the default: nothing in it may be trusted
    zero.log = log_line;
    out = ctx;
    WRONG_SILENT(shoal_context_create(&zero, &out));
    ASSERT_EQ(NULL, out);
    shoal_context_def half = def;
    half.allocator.release = (void (*)(void *, void *, size_t))abort;
    out = ctx;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_context_create(&half, &out));
    ASSERT_EQ(NULL, out);
    for (int i = 0; i < 4; i++) {
        shoal_context_def unknown = def;
        if (i < 2)
            unknown.gpu = (shoal_gpu)(i ? 3 : -1);
        else
            unknown.cpu = (shoal_cpu)(i == 2 ? 3 : -1);
        out = ctx;
        WRONG(SHOAL_ERR_ARGUMENT, shoal_context_create(&unknown, &out));
        ASSERT_EQ(NULL, out);
    }
    setenv("SHOAL_CPU", "fast", 1);
    WRONG(SHOAL_ERR_ARGUMENT, shoal_context_create(&def, &out));
    ASSERT(strstr(line_text, "fast"));
    setenv("SHOAL_CPU", "ref", 1);
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&def, &out));
    unsetenv("SHOAL_CPU");
    uint32_t kernels = 0;
    for (; shoal_context_kernel(out, kernels).name; kernels++)
        ASSERT_STR_EQ("ref", shoal_context_kernel(out, kernels).body);
    ASSERT(kernels >= 8);
    ASSERT(shoal_context_machine(out).allowed_cpus >= 1);
    shoal_context_destroy(out);
    shoal_context_destroy(NULL);
    PASS();
}

#define WRONG_MODEL(change)                                                                    \
    do {                                                                                       \
        shoal_model_def def = good_model();                                                    \
        change;                                                                                \
        out = model[0];                                                                        \
        WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));                        \
        ASSERT_EQ(NULL, out);                                                                  \
    } while (0)

TEST wrong_model(void)
{
    shoal_model *out = model[0];
    const shoal_model_def good = good_model();
    WRONG_SILENT(shoal_model_create(NULL, &good, &out));
    ASSERT_EQ(NULL, out);
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &good, NULL));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, NULL, &out));
    WRONG_MODEL(def.size = 8);
    WRONG_MODEL(def.triangles = NULL);
    WRONG_MODEL(def.triangle_count = 0);
    WRONG_MODEL(def.rest.x = NULL);
    WRONG_MODEL(def.rest.y = NULL);
    WRONG_MODEL(def.rest.z = NULL);
    WRONG_MODEL(def.rest.stride = 0);
    WRONG_MODEL(def.rest.scalar = (shoal_scalar)2);
    WRONG_MODEL(def.rest.order = (shoal_order)2);
    WRONG_MODEL(def.rest.hold = (shoal_hold)2);
    WRONG_MODEL(def.rest.order = SHOAL_ORDER_TREE);
    WRONG_MODEL(def.builder = (shoal_builder)5);
    WRONG_MODEL(def.builder = (shoal_builder)-1);
    static const uint32_t arities[] = {0, 1, 3, 5, 6, 7, 9, 16, UINT32_MAX};
    for (size_t i = 0; i < sizeof arities / sizeof *arities; i++)
        WRONG_MODEL(def.arity = arities[i]);
    WRONG_MODEL(def.rest.count = 0);
    WRONG_MODEL(def.rest.count--);
    shoal_model_def large = good;
    large.triangle_count = (1u << 29) + 1;
    WRONG(SHOAL_ERR_LIMIT, shoal_model_create(ctx, &large, &out));
    UNCHANGED();
    PASS();
}

#define WRONG_POSES(change)                                                                    \
    do {                                                                                       \
        shoal_positions poses[2];                                                              \
        shoal_model_def def = model_def_of(&mesh[0], SHOAL_BUILDER_POSES, 4, poses);           \
        change;                                                                                \
        out = model[0];                                                                        \
        WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));                        \
        ASSERT_EQ(NULL, out);                                                                  \
    } while (0)

TEST wrong_poses(void)
{
    shoal_model *out;
    WRONG_POSES(def.poses = NULL);
    WRONG_POSES(def.pose_count = 0);
    WRONG_POSES((def.poses = NULL, def.pose_count = 0));
    WRONG_POSES(def.builder = SHOAL_BUILDER_SURFACE_AREA);
    WRONG_POSES(def.builder = SHOAL_BUILDER_CONNECTIVITY);
    WRONG_POSES(poses[1].count--);
    WRONG_POSES(poses[1].count++);
    WRONG_POSES(poses[0].x = NULL);
    WRONG_POSES(poses[1].stride = 0);
    WRONG_POSES(poses[1].scalar = (shoal_scalar)2);
    WRONG_POSES(poses[1].order = SHOAL_ORDER_TREE);
    const uint32_t n = mesh[0].vertex_count;
    double *still = calloc(3 * (size_t)n, sizeof *still);
    for (uint32_t i = 0; i < 3 * n; i += 7) {
        still[i] = i % 2 ? NAN : -INFINITY;
        WRONG_POSES(poses[1] = shoal_positions_f64(still, n));
        still[i] = 0;
    }
    shoal_positions poses[2];
    shoal_model_def def = model_def_of(&mesh[0], SHOAL_BUILDER_POSES, 4, poses);
    poses[1] = shoal_positions_f64(still, n); // all at one place, but finite
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &def, &out));
    const shoal_model_info info = shoal_model_get_info(out);
    ASSERT_EQ(SHOAL_BUILDER_POSES, info.builder);
    ASSERT_EQ(4u, info.arity);
    shoal_model_destroy(out);
    free(still);
    UNCHANGED();
    PASS();
}

TEST rest_must_be_finite(void)
{
    static const double values[3] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * mesh[0].vertex_count; i++) {
        const double old = mesh[0].rest[i];
        mesh[0].rest[i] = values[i % 3];
        shoal_model_def def = good_model();
        shoal_model *out = model[0];
        WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
        ASSERT_EQ(NULL, out);
        mesh[0].rest[i] = old;
    }
    UNCHANGED();
    PASS();
}

TEST model_tells_its_sizes(void)
{
    const shoal_model_info info = shoal_model_get_info(model[0]);
    ASSERT_EQ(mesh[0].vertex_count, info.vertex_count);
    ASSERT_EQ(mesh[0].triangle_count, info.triangle_count);
    ASSERT(info.leaf_count >= 40 && info.node_count > info.leaf_count && info.depth == 2);
    ASSERT(info.bytes > 16 * 320);
    ASSERT(info.builder == SHOAL_BUILDER_SURFACE_AREA && info.arity == 8);
    ASSERT(info.quality > 1 && info.quality < info.node_count);
    bool seen[1000] = {false};
    for (uint32_t i = 0; i < info.vertex_count; i++) {
        const uint32_t v = shoal_model_vertex_order(model[0])[i];
        ASSERT(v < info.vertex_count && !seen[v]);
        seen[v] = true;
    }
    shoal_model_destroy(NULL);
    PASS();
}

#define WRONG_SCENE(change)                                                                    \
    do {                                                                                       \
        shoal_scene_def def = shoal_scene_def_default();                                       \
        change;                                                                                \
        out = scene;                                                                           \
        WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, &def, &out));                        \
        ASSERT_EQ(NULL, out);                                                                  \
    } while (0)

TEST wrong_scene(void)
{
    const shoal_scene_def good = shoal_scene_def_default();
    shoal_scene *out = scene;
    WRONG_SILENT(shoal_scene_create(NULL, &good, &out));
    ASSERT_EQ(NULL, out);
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, &good, NULL));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, NULL, &out));
    WRONG_SCENE(def.size = 0);
    WRONG_SCENE(def.executor = (shoal_executor)99);
    WRONG_SCENE(def.executor = (shoal_executor)-1);
    WRONG_SCENE(def.strategy = (shoal_strategy)99);
    WRONG_SCENE(def.rebuild_ratio = -1);
    WRONG_SCENE(def.rebuild_ratio = NAN);
    WRONG_SCENE(def.broad = (shoal_broad)5);
    WRONG_SCENE(def.coherence = (shoal_coherence)3);
    WRONG_SCENE(def.threads = UINT32_MAX);
    shoal_scene_destroy(NULL);
    PASS();
}

TEST wrong_body(void)
{
    shoal_body out = body[0];
    WRONG_SILENT(shoal_scene_add_free(NULL, model[0], &out));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_add_free(scene, model[0], NULL));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_add_free(scene, NULL, &out));
    ASSERT(out.index1 == 0 && out.generation == 0);
    out = body[0];
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_add_free(scene, foreign, &out));
    ASSERT(out.index1 == 0 && out.generation == 0);
    UNCHANGED();
    WRONG_SILENT(shoal_scene_remove(NULL, body[0]));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_remove(scene, (shoal_body){0}));
    WRONG(SHOAL_ERR_STALE, shoal_scene_remove(scene, (shoal_body){3, 1}));
    WRONG(SHOAL_ERR_STALE, shoal_scene_remove(scene, (shoal_body){UINT32_MAX, 1}));
    WRONG(SHOAL_ERR_STALE,
          shoal_scene_remove(scene, (shoal_body){body[0].index1, body[0].generation + 1}));
    WRONG(SHOAL_ERR_STALE, shoal_scene_remove(scene, (shoal_body){body[0].index1, 0}));
    UNCHANGED();
    PASS();
}

#define WRONG_POSITIONS(change)                                                                \
    do {                                                                                       \
        shoal_positions p = good_positions(0);                                                 \
        change;                                                                                \
        WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(scene, body[0], &p));              \
        UNCHANGED();                                                                           \
    } while (0)

TEST wrong_positions(void)
{
    const shoal_positions good = good_positions(0);
    WRONG_SILENT(shoal_scene_set_positions(NULL, body[0], &good));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(scene, (shoal_body){0}, &good));
    WRONG(SHOAL_ERR_STALE, shoal_scene_set_positions(scene, (shoal_body){9, 9}, &good));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(scene, body[0], NULL));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(scene, body[1], &good));
    UNCHANGED();
    WRONG_POSITIONS(p.x = NULL);
    WRONG_POSITIONS(p.y = NULL);
    WRONG_POSITIONS(p.z = NULL);
    WRONG_POSITIONS(p.stride = 0);
    WRONG_POSITIONS(p.count--);
    WRONG_POSITIONS(p.count++);
    WRONG_POSITIONS(p.count = 0);
    WRONG_POSITIONS(p.scalar = (shoal_scalar)2);
    WRONG_POSITIONS(p.order = (shoal_order)2);
    WRONG_POSITIONS(p.hold = (shoal_hold)2);
    PASS();
}

TEST wrong_queries(void)
{
    ASSERT(shoal_scene_pairs(scene).count > 0);
    WRONG_SILENT(shoal_scene_step(NULL, SHOAL_QUERY_PAIRS));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_step(scene, 0));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_step(scene, 1u << 20));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_step(scene, UINT32_MAX));
    ASSERT_EQ(hash_before, shoal_scene_hash(scene));
    UNCHANGED();
    PASS();
}

TEST every_status_has_a_text(void)
{
    for (int s = SHOAL_OK; s <= SHOAL_ERR_FORMAT; s++) {
        for (int t = SHOAL_OK; t < s; t++)
            ASSERT(strcmp(shoal_status_text((shoal_status)s),
                          shoal_status_text((shoal_status)t)) != 0);
    }
    ASSERT(shoal_status_text((shoal_status)99) && shoal_status_text((shoal_status)-1));
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SHOAL_VERSION_MAJOR, SHOAL_VERSION_MINOR,
             SHOAL_VERSION_PATCH);
    ASSERT_STR_EQ(version, shoal_version());
    PASS();
}

SUITE(arguments)
{
    SET_SETUP(open_all, NULL);
    SET_TEARDOWN(close_all, NULL);
    RUN_TEST(wrong_context);
    RUN_TEST(wrong_model);
    RUN_TEST(wrong_poses);
    RUN_TEST(rest_must_be_finite);
    RUN_TEST(model_tells_its_sizes);
    RUN_TEST(wrong_scene);
    RUN_TEST(wrong_body);
    RUN_TEST(wrong_positions);
    RUN_TEST(wrong_queries);
    RUN_TEST(every_status_has_a_text);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(arguments);
    GREATEST_MAIN_END();
}
