// SPDX-License-Identifier: MIT
// Reduced bodies through the public interface: wrong arguments, bad bodies, many at once, and
// what an instance costs.
#include "run.h"

#include "greatest.h"
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 40, FIELDS = 3 };

static shoal_context *ctx;
static shoal_scene *scene;
static shoal_model *model, *plain;
static world_mesh mesh;
static float *fields;
static shoal_body body[BODIES], free_body;
static uint64_t hash_before;
static double rotation[9 * BODIES], at[3 * BODIES], q[FIELDS * BODIES];

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

static uint64_t hash_of_step(void)
{
    if (shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF_ADJACENT) != SHOAL_OK)
        return 0;
    return shoal_scene_hash(scene);
}

#define WRONG(status, call)                                                                    \
    do {                                                                                       \
        lines = 0;                                                                             \
        ASSERT_EQ_FMT((int)(status), (int)(call), "%d");                                       \
        ASSERT_EQ_FMT(1u, lines, "%u");                                                        \
        ASSERT_EQ_FMT((int)(status), (int)line_status, "%d");                                  \
        ASSERT(strlen(line_text) > 5 && !strchr(line_text, '\n'));                             \
    } while (0)

#define UNCHANGED() ASSERT_EQ(hash_before, hash_of_step())

static shoal_model_def good_model(void)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh.tri;
    def.triangle_count = mesh.triangle_count;
    def.rest = shoal_positions_f64(mesh.rest, mesh.vertex_count);
    def.reducible = true;
    def.fields = fields;
    def.field_count = FIELDS;
    return def;
}

static shoal_reduced_state good_state(void)
{
    return (shoal_reduced_state){.bodies = body,
                                 .count = BODIES,
                                 .stride = BODIES,
                                 .rotation = rotation,
                                 .translation = at,
                                 .q = q,
                                 .field_count = FIELDS};
}

static void fill_state(void)
{
    uint64_t seed = 5;
    for (size_t i = 0; i < BODIES; i++) {
        const double c = 0.6, s = i % 2 ? 0.8 : -0.8;
        const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        for (size_t e = 0; e < 9; e++)
            rotation[e * BODIES + i] = turn[e];
        for (size_t e = 0; e < 3; e++)
            at[e * BODIES + i] = 2.5 * world_unit(&seed);
        for (size_t e = 0; e < FIELDS; e++)
            q[e * BODIES + i] = 0.2 * world_unit(&seed);
    }
}

static void open_all(void)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.log = log_line;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = 2;
    mesh = mesh_ball(2, 1);
    fields = calloc(3 * (size_t)mesh.vertex_count * FIELDS, sizeof *fields);
    for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count * FIELDS; i++)
        fields[i] = (float)mesh.rest[i % (3 * (size_t)mesh.vertex_count)];
    const shoal_model_def md = good_model();
    if (shoal_context_create(&cd, &ctx) || shoal_scene_create(ctx, &sd, &scene) ||
        shoal_model_create(ctx, &md, &model))
        abort();
    plain = model_of(ctx, &mesh);
    for (int i = 0; i < BODIES; i++) {
        if (shoal_scene_add_reduced(scene, model, &body[i]))
            abort();
    }
    if (shoal_scene_add_free(scene, plain, &free_body))
        abort();
    fill_state();
    const shoal_reduced_state all = good_state();
    if (shoal_scene_set_reduced(scene, &all))
        abort();
    hash_before = hash_of_step();
}

static void close_all(void)
{
    shoal_model_destroy(model);
    shoal_model_destroy(plain);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    mesh_free(&mesh);
    free(fields);
}

TEST wrong_models(void)
{
    shoal_model *out = model;
    shoal_model_def def = good_model();
    def.field_count = SHOAL_FIELDS_MAX + 1;
    WRONG(SHOAL_ERR_LIMIT, shoal_model_create(ctx, &def, &out));
    ASSERT_EQ(NULL, out);
    def = good_model();
    def.fields = NULL;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    def = good_model();
    def.reducible = false;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    def = good_model();
    def.field_numbers = 3 * (size_t)mesh.vertex_count * FIELDS - 3;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    ASSERT_STR_EQ("model: 1455 numbers for 3 fields of 162 vertices", line_text);
    ASSERT_EQ(NULL, out);
    def.field_numbers += 3;
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &def, &out));
    shoal_model_destroy(out);
    def = good_model();
    def.triangle_count = 0;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    ASSERT_STR_EQ("model: no triangles", line_text);
    def = good_model();
    def.rest.count = 0;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    ASSERT_EQ(NULL, out);
    def = good_model();
    def.bounds = (shoal_bounds)4;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    def = good_model();
    def.sphere_level = SHOAL_SPHERE_LEVEL_MAX + 1;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    def.sphere_level = -2;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    def.sphere_level = 2;
    def.reducible = false;
    def.field_count = 0;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    def = good_model();
    fields[7] = NAN;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_model_create(ctx, &def, &out));
    fields[7] = 1e31f;
    WRONG(SHOAL_ERR_LIMIT, shoal_model_create(ctx, &def, &out));
    fields[7] = (float)mesh.rest[7];
    UNCHANGED();
    PASS();
}

// No triangle names the last vertex; limits are for it, too, as in models with nodes.
TEST vertices_of_no_triangle_have_limits(void)
{
    const double xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1e31};
    const uint32_t corners[3] = {0, 1, 2};
    float still[12] = {0};
    shoal_model_def def = shoal_model_def_default();
    def.triangles = corners;
    def.triangle_count = 1;
    def.rest = shoal_positions_f64(xyz, 4);
    def.reducible = true;
    shoal_model *out = model;
    WRONG(SHOAL_ERR_LIMIT, shoal_model_create(ctx, &def, &out));
    ASSERT_EQ(NULL, out);
    def.rest.stride = 2; // ordinary numbers only
    def.fields = still;
    def.field_count = 1;
    still[11] = 1e31f;
    WRONG(SHOAL_ERR_LIMIT, shoal_model_create(ctx, &def, &out));
    ASSERT_EQ(NULL, out);
    UNCHANGED();
    PASS();
}

TEST wrong_bodies(void)
{
    shoal_body out = body[0];
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_add_reduced(scene, plain, &out));
    ASSERT_EQ(0u, out.index1);
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_add_reduced(scene, NULL, &out));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_add_reduced(scene, model, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_add_reduced(NULL, model, &out));
    const shoal_positions p = shoal_positions_f64(mesh.rest, mesh.vertex_count);
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(scene, body[3], &p));
    UNCHANGED();
    PASS();
}

TEST wrong_states(void)
{
    shoal_reduced_state s = good_state();
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(NULL, &s));
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, NULL));
    s.bodies = NULL;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, &s));
    s = good_state();
    s.stride = BODIES - 1;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, &s));
    s = good_state();
    s.field_count = FIELDS - 1;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, &s));
    // The last entry is wrong, so all the others were looked at before, and must not be set.
    shoal_body list[BODIES];
    memcpy(list, body, sizeof list);
    s = good_state();
    s.bodies = list;
    at[0] = 100;
    list[BODIES - 1] = free_body;
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, &s));
    list[BODIES - 1] = (shoal_body){0};
    WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, &s));
    list[BODIES - 1] = (shoal_body){BODIES, 12345};
    WRONG(SHOAL_ERR_STALE, shoal_scene_set_reduced(scene, &s));
    static const double bad[][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1.00001}, // stretched
                                    {1, 0, 0, 0, 1, 0, 0, 0, -1},      // mirrored
                                    {1, 1e-5, 0, 0, 1, 0, 0, 0, 1},    // sheared
                                    {0}};
    s = good_state();
    for (int i = 0; i < 4; i++) {
        for (size_t e = 0; e < 9; e++)
            rotation[e * BODIES + BODIES - 1] = bad[i][e];
        WRONG(SHOAL_ERR_ARGUMENT, shoal_scene_set_reduced(scene, &s));
    }
    fill_state();
    UNCHANGED();
    PASS();
}

// A body that is not finite joins nothing; the others find the same as without it.
TEST bad_bodies(void)
{
    const shoal_reduced_state s = good_state();
    const double odd[] = {NAN, INFINITY, -INFINITY};
    double *const where[] = {rotation, at, q};
    for (int i = 0; i < 9; i++) {
        fill_state();
        where[i / 3][7] = odd[i % 3];
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
        const shoal_pairs pairs = shoal_scene_pairs(scene);
        const shoal_body_numbers bad = shoal_scene_bad_bodies(scene);
        ASSERT_EQ(1, bad.count);
        ASSERT_EQ(7u, bad.rows[0]);
        for (size_t p = 0; p < pairs.count; p++)
            ASSERT(pairs.rows[p].body_a != 7 && pairs.rows[p].body_b != 7);
        ASSERT(pairs.count > 0);
    }
    fill_state();
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    UNCHANGED();
    PASS();
}

// NULL tables are the identity, no translation and no deformation.
TEST defaults_of_a_state(void)
{
    shoal_reduced_state s = good_state();
    s.rotation = s.translation = s.q = NULL;
    s.count = 3; // equal bodies meet everywhere, which takes time
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    const uint64_t rest = hash_of_step();
    memset(q, 0, sizeof q);
    memset(at, 0, sizeof at);
    for (size_t i = 0; i < 9 * BODIES; i++)
        rotation[i] = i / BODIES % 4 == 0;
    s = good_state();
    s.count = 3;
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    ASSERT_EQ(rest, hash_of_step());
    ASSERT(rest != hash_before);
    fill_state();
    s.count = BODIES;
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    UNCHANGED();
    s.count = 0;
    s.bodies = NULL;
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    UNCHANGED();
    PASS();
}

// Bodies that rest are not set again; ids go stale like any other's.
TEST bodies_come_and_go(void)
{
    UNCHANGED();
    UNCHANGED();
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(scene, body[5]));
    const shoal_reduced_state s = good_state();
    WRONG(SHOAL_ERR_STALE, shoal_scene_set_reduced(scene, &s));
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_reduced(scene, model, &body[5]));
    ASSERT(hash_of_step() != hash_before); // joins nothing until it is set
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    UNCHANGED();
    PASS();
}

// An instance costs some hundred bytes, whatever the model's size.
TEST instances_are_small(void)
{
    const uint64_t before = shoal_scene_stats(scene).bytes;
    shoal_body more[200];
    for (int i = 0; i < 200; i++)
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_reduced(scene, model, &more[i]));
    hash_of_step();
    ASSERT(shoal_scene_stats(scene).bytes - before < 200 * 2000);
    for (int i = 0; i < 200; i++)
        ASSERT_EQ(SHOAL_OK, shoal_scene_remove(scene, more[i]));
    UNCHANGED();
    PASS();
}

// The cost follows contacts: bodies that touch nothing evaluate no vertex.
TEST no_contact_no_vertex(void)
{
    for (size_t i = 0; i < BODIES; i++)
        at[i] = 100.0 * (double)i;
    const shoal_reduced_state s = good_state();
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(0, shoal_scene_stats(scene).evaluated_vertices);
    fill_state();
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &s));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
    ASSERT(shoal_scene_stats(scene).evaluated_vertices > 0);
    UNCHANGED();
    PASS();
}

// More leaves than a worker keeps: those that go must not take candidates with them. Two leaves
// of large triangles meet all leaves of a body of small ones, in turns; and there are so many
// pairs of bodies that each is walked in one go.
TEST more_leaves_than_the_cache(void)
{
    enum { LARGE = 17, SMALL = 16000 };
    world_mesh soup[2] = {mesh_soup(SMALL, 0.02, 4), mesh_soup(16, 2, 3)};
    const world_reduced rigid = {.used = true};
    double move[3][LARGE + 1] = {{0}};
    uint64_t hash[2] = {0};
    for (int kind = 0; kind < 2; kind++) {
        shoal_scene_def sd = shoal_scene_def_default();
        sd.executor = SHOAL_EXECUTOR_SERIAL;
        shoal_scene *s = NULL;
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &s));
        shoal_model *m[2];
        for (int i = 0; i < 2; i++)
            m[i] = reduced_model_of(ctx, &soup[i], &rigid, SHOAL_BOUNDS_AUTO);
        for (uint32_t b = 0; b <= LARGE; b++) {
            const world_mesh *mesh_b = &soup[b > 0];
            shoal_body id;
            double *xyz = malloc(9 * SMALL * sizeof *xyz);
            ASSERT(xyz);
            move[0][b] = b ? 1e-3 * b : 0;
            for (size_t i = 0; i < 3 * (size_t)mesh_b->vertex_count; i++)
                xyz[i] = mesh_b->rest[i] + move[i % 3][b];
            const shoal_positions p = shoal_positions_f64(xyz, mesh_b->vertex_count);
            const shoal_reduced_state state = {
                .bodies = &id, .count = 1, .stride = LARGE + 1, .translation = &move[0][b]};
            ASSERT(kind ? !shoal_scene_add_reduced(s, m[b > 0], &id) &&
                              !shoal_scene_set_reduced(s, &state)
                        : !shoal_scene_add_free(s, m[b > 0], &id) &&
                              !shoal_scene_set_positions(s, id, &p));
            free(xyz);
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s, SHOAL_QUERY_PAIRS));
        ASSERT(shoal_scene_pairs(s).count > 1000);
        hash[kind] = shoal_scene_hash(s);
        shoal_scene_destroy(s);
        shoal_model_destroy(m[0]);
        shoal_model_destroy(m[1]);
    }
    ASSERT_EQ(hash[0], hash[1]);
    mesh_free(&soup[0]);
    mesh_free(&soup[1]);
    PASS();
}

// What the search of reduced bodies takes is not lost by the tree of a free one.
TEST reduced_bodies_have_their_share(void)
{
    ASSERT(hash_of_step());
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < scene->ports.workers; i++)
        nodes += scene->ports.scratch[i].count.evaluated_nodes;
    ASSERT(nodes > BODIES);
    shl_free_body *b = inside_free(scene, free_body.index1 - 1);
    b->quality = 2;
    b->visited_last = 10;
    b->lost_ns = 0;
    shl_free_rebuild_end(shl_scene_kind(scene, &shl_free_kind),
                         &(shl_step_end){.good = true, .boxes = true, .search_ns = 1e9});
    const double share = 1e9 * 10 / (10.0 + (double)nodes);
    ASSERT_IN_RANGE(0.5 * share, b->lost_ns, 1e-9 * share);
    b->quality = b->lost_ns = b->visited_last = 0;
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    open_all();
    RUN_TEST(wrong_models);
    RUN_TEST(vertices_of_no_triangle_have_limits);
    RUN_TEST(wrong_bodies);
    RUN_TEST(wrong_states);
    RUN_TEST(bad_bodies);
    RUN_TEST(defaults_of_a_state);
    RUN_TEST(bodies_come_and_go);
    RUN_TEST(instances_are_small);
    RUN_TEST(no_contact_no_vertex);
    RUN_TEST(more_leaves_than_the_cache);
    RUN_TEST(reduced_bodies_have_their_share);
    close_all();
    GREATEST_MAIN_END();
}
