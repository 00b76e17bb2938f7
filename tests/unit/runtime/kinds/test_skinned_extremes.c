// SPDX-License-Identifier: MIT
// Bodies that nodes carry where numbers end: many weights a vertex, weights that sum to a
// little more than one, subnormal rest shapes under huge maps. Each meets what a free body at
// the same positions meets.
#include "greatest.h"

#include <shoal/shoal.h>
#include <shoal/study.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIANGLES = 24, VERTICES = 3 * TRIANGLES };

static shoal_context *context;

// Triangles that share no vertex; every vertex has `count` weights, one a node.
typedef struct carried {
    double rest[3 * VERTICES];
    uint32_t count;
    float *weight; // [VERTICES][count]
    double *a, *t; // [9][count], [3][count]
    shoal_blend blend;
    shoal_influence region;
} carried;

static bool skinned_make(carried *c, uint32_t count)
{
    *c = (carried){.count = count};
    const shoal_skinned_def def = shoal_skinned_def_default();
    c->blend = def.blend;
    c->region = def.influence;
    c->weight = calloc((size_t)VERTICES * count, sizeof *c->weight);
    c->a = calloc(9 * (size_t)count, sizeof *c->a);
    c->t = calloc(3 * (size_t)count, sizeof *c->t);
    return c->weight && c->a && c->t;
}

static void skinned_free(carried *c)
{
    free(c->weight);
    free(c->a);
    free(c->t);
}

// As shoal/skinned.h has it: p + G p + s, with G and s summed in the order of the weights.
static void evaluate(const carried *c, double *xyz)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        const double *p = c->rest + 3 * (size_t)v;
        double sum[12] = {0};
        for (uint32_t j = 0; j < c->count; j++) {
            const double w = (double)c->weight[(size_t)v * c->count + j];
            for (size_t k = 0; k < 12; k++) {
                const size_t row = k / 4, column = k % 4;
                const double entry =
                    column == 3 ? c->t[row * c->count + j]
                                : c->a[(3 * row + column) * c->count + j] - (row == column);
                sum[k] += w * entry;
            }
        }
        for (size_t k = 0; k < 3; k++) {
            const double *g = sum + 4 * k;
            xyz[3 * v + k] = p[k] + ((g[0] * p[0] + g[1] * p[1]) + (g[2] * p[2] + g[3]));
        }
    }
}

static shoal_model *model_of(const carried *c)
{
    uint32_t triangles[VERTICES], begin[VERTICES + 1];
    const size_t weights = (size_t)VERTICES * c->count;
    uint32_t *node = malloc(weights * sizeof *node);
    double *nodes = calloc(3 * (size_t)c->count, sizeof *nodes);
    for (uint32_t v = 0; v < VERTICES; v++)
        triangles[v] = v;
    for (uint32_t v = 0; v <= VERTICES; v++)
        begin[v] = v * c->count;
    for (size_t i = 0; i < weights; i++)
        node[i] = (uint32_t)(i % c->count);
    shoal_skinned_def skinned = shoal_skinned_def_default();
    skinned.control_count = c->count;
    skinned.controls = nodes;
    skinned.weight_begin = begin;
    skinned.weight_control = node;
    skinned.weight = c->weight;
    skinned.weight_count = weights;
    skinned.blend = c->blend;
    skinned.influence = c->region;
    shoal_model_def def = shoal_model_def_default();
    def.triangles = triangles;
    def.triangle_count = TRIANGLES;
    def.rest = shoal_positions_f64(c->rest, VERTICES);
    def.skinned = &skinned;
    shoal_model *model = NULL;
    if (shoal_model_create(context, &def, &model))
        model = NULL;
    free(node);
    free(nodes);
    return model;
}

// Points where the outermost vertices are: one beyond the body's box is missed first.
static bool add_probes(shoal_scene *s, const double *xyz)
{
    static const uint32_t corners[3] = {0, 1, 2};
    for (int i = 0; i < 6; i++) {
        const int k = i % 3, sign = i < 3 ? 1 : -1;
        uint32_t v = 0;
        for (uint32_t u = 1; u < VERTICES; u++)
            v = sign * xyz[3 * u + (uint32_t)k] > sign * xyz[3 * v + (uint32_t)k] ? u : v;
        double at[9];
        for (int n = 0; n < 9; n++)
            at[n] =
                isfinite(xyz[3 * v + (uint32_t)(n % 3)]) ? xyz[3 * v + (uint32_t)(n % 3)] : 0;
        shoal_model_def def = shoal_model_def_default();
        def.triangles = corners;
        def.triangle_count = 1;
        def.rest = shoal_positions_f64(at, 3);
        shoal_model *model;
        shoal_body body;
        if (shoal_model_create(context, &def, &model))
            return false;
        const bool good = !shoal_scene_add_free(s, model, &body) &&
                          !shoal_scene_set_positions(s, body, &def.rest);
        shoal_model_destroy(model);
        if (!good)
            return false;
    }
    return true;
}

typedef struct found {
    uint64_t hash;
    size_t pairs, bad;
} found;

static bool step(const carried *c, bool free_body, found *out)
{
    double xyz[3 * VERTICES];
    evaluate(c, xyz);
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = 1;
    shoal_model *model = model_of(c);
    shoal_scene *s = NULL;
    shoal_body body;
    bool good = model && !shoal_scene_create(context, &def, &s);
    if (good && free_body) {
        const shoal_positions p = shoal_positions_f64(xyz, VERTICES);
        good =
            !shoal_scene_add_free(s, model, &body) && !shoal_scene_set_positions(s, body, &p);
    } else if (good) {
        const shoal_skinned_state state = {.bodies = &body,
                                           .count = 1,
                                           .row_count = c->count,
                                           .stride = c->count,
                                           .A = c->a,
                                           .t = c->t};
        good = !shoal_scene_add_skinned(s, model, &body) && !shoal_scene_set_skinned(s, &state);
    }
    good = good && add_probes(s, xyz) && !shoal_scene_step(s, SHOAL_QUERY_PAIRS);
    if (good) {
        *out = (found){shoal_scene_hash(s), shoal_scene_pairs(s).count,
                       shoal_scene_bad_bodies(s).count};
    }
    shoal_scene_destroy(s);
    shoal_model_destroy(model);
    return good;
}

static enum greatest_test_res same_as_free(const carried *c, size_t bad)
{
    found as_nodes, as_free;
    ASSERT(step(c, false, &as_nodes) && step(c, true, &as_free));
    ASSERT_EQ(bad, as_free.bad);
    ASSERT_EQ(bad, as_nodes.bad);
    ASSERT(bad || as_free.pairs >= 6);
    ASSERT_EQ_FMT(as_free.pairs, as_nodes.pairs, "%zu");
    ASSERT_EQ(as_free.hash, as_nodes.hash);
    PASS();
}

// All maps are `turn` times the identity, and move by x.
static void move_all(carried *c, double turn, double x)
{
    for (size_t j = 0; j < c->count; j++) {
        for (size_t k = 0; k < 9; k++)
            c->a[k * c->count + j] = k % 4 == 0 ? turn : 0;
        c->t[j] = x;
    }
}

static void rest_row(carried *c, double from, double size)
{
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        const double x = from + i * size;
        const double corners[9] = {x, 0, 0, x + size / 2, 0, 0, x, size / 2, 0};
        memcpy(c->rest + 9 * (size_t)i, corners, sizeof corners);
    }
}

// Sums of weights may be a little more than 1; so may be the reach of a body that is too far
// for float32, and what its maps add up to.
TEST weights_above_one(void)
{
    carried c;
    ASSERT(skinned_make(&c, 2));
    for (size_t i = 0; i < (size_t)VERTICES * 2; i++)
        c.weight[i] = i % 2 ? 0.500009f : 0.5f;
    rest_row(&c, 0, 1);
    move_all(&c, 1, 1e38);
    CHECK_CALL(same_as_free(&c, 0));
    rest_row(&c, 0, 1e-20);
    move_all(&c, 1, 0);
    for (size_t j = 0; j < 2; j++)
        c.a[j] = DBL_MAX; // the sum is infinite
    CHECK_CALL(same_as_free(&c, 1));
    skinned_free(&c);
    PASS();
}

// A sum of thousands of terms that cancel is off by more than one of twelve.
TEST many_weights(void)
{
    static const struct {
        uint32_t count;
        double turn;
    } rows[] = {{64, 1000004.7}, {4096, 1000004.7}, {8192, 1000004.7}, {16384, 1.3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t n = rows[i].count;
        carried c;
        ASSERT(skinned_make(&c, n));
        for (size_t k = 0; k < (size_t)VERTICES * n; k++)
            c.weight[k] = 1 / (float)n;
        const double at = 1048579.75;
        rest_row(&c, at, 1e-9);
        move_all(&c, 1, -(at + (rows[i].turn - 1) * at));
        for (uint32_t j = 0; j < n; j++)
            c.a[j] = rows[i].turn;
        CHECK_CALL(same_as_free(&c, 0));
        skinned_free(&c);
    }
    PASS();
}

// Middles of boxes of subnormal floats lose half a unit, which a map makes large.
TEST subnormal_rest(void)
{
    static const double scales[] = {2e-44, 1e-43, 1e-42, 1e-40, 1e-30};
    uint64_t seed = 5;
    for (int i = 0; i < 4 * 5 * 5 * 8; i++) {
        carried c;
        ASSERT(skinned_make(&c, 2));
        c.region = (shoal_influence)(i % 4);
        c.blend = (shoal_blend)(i / 4 % 5);
        for (size_t k = 0; k < 3 * VERTICES; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            c.rest[k] = scales[i / 20 % 5] * (double)(seed >> 60) / 16;
        }
        for (size_t v = 0; v < VERTICES; v++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            c.weight[2 * v] = (float)(seed >> 48) / 65536;
            c.weight[2 * v + 1] = 1 - c.weight[2 * v];
        }
        move_all(&c, 1e30, 0);
        CHECK_CALL(same_as_free(&c, 0));
        skinned_free(&c);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shoal_context_def def = shoal_context_def_default();
    def.gpu = SHOAL_GPU_OFF;
    if (shoal_context_create(&def, &context) != SHOAL_OK)
        return 1;
    RUN_TEST(weights_above_one);
    RUN_TEST(many_weights);
    RUN_TEST(subnormal_rest);
    shoal_context_destroy(context);
    GREATEST_MAIN_END();
}
