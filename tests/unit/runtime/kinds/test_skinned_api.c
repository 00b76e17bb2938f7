// SPDX-License-Identifier: MIT
// Bodies that nodes carry, as a user meets them: wrong models and states with their messages,
// bad bodies, many bodies in one call, and that what a step finds is what it would for free
// bodies.
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

static char said[400];

static void listen(void *user, shoal_status status, const char *text)
{
    (void)user;
    (void)status;
    snprintf(said, sizeof said, "%s", text);
}

// A tetrahedron that two nodes carry, and arrays to spoil.
enum { VERTICES = 4, NODES = 2, WEIGHTS = 6 };
static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const double rest[3 * VERTICES] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static double nodes[3 * NODES];
static uint32_t weight_begin[VERTICES + 1], weight_control[WEIGHTS];
static float weight[WEIGHTS];
static shoal_skinned_def skinned;
static shoal_model_def def;

static void restore(void)
{
    const double at[3 * NODES] = {0, 0, 0, 1, 0, 0};
    const uint32_t begin[VERTICES + 1] = {0, 1, 2, 4, 6}, node[WEIGHTS] = {0, 1, 0, 1, 0, 1};
    const float w[WEIGHTS] = {1, 1, 0.5f, 0.5f, 0.25f, 0.75f};
    memcpy(nodes, at, sizeof at);
    memcpy(weight_begin, begin, sizeof begin);
    memcpy(weight_control, node, sizeof node);
    memcpy(weight, w, sizeof w);
    skinned = shoal_skinned_def_default();
    skinned.control_count = NODES;
    skinned.controls = nodes;
    skinned.weight_begin = weight_begin;
    skinned.weight_control = weight_control;
    skinned.weight = weight;
    skinned.weight_count = WEIGHTS;
    def = shoal_model_def_default();
    def.triangles = faces;
    def.triangle_count = 4;
    def.rest = shoal_positions_f64(rest, VERTICES);
    def.skinned = &skinned;
}

static shoal_context *context(void)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.log = listen;
    shoal_context *ctx;
    if (shoal_context_create(&cd, &ctx) != SHOAL_OK)
        abort();
    return ctx;
}

static enum greatest_test_res refused(shoal_context *ctx, shoal_status status, const char *text)
{
    shoal_model *model = (shoal_model *)&skinned;
    said[0] = 0;
    ASSERT_EQ_FMT(status, shoal_model_create(ctx, &def, &model), "%d");
    ASSERT_EQ(NULL, model);
    ASSERT_STR_EQ(text, said);
    restore();
    PASS();
}

#define REFUSED(status, text) CHECK_CALL(refused(ctx, SHOAL_ERR_##status, text))

TEST wrong_models(void)
{
    shoal_context *ctx = context();
    restore();
    skinned.control_count = 0;
    REFUSED(ARGUMENT, "model: 0 control points, there may be 1 to 1048576");
    skinned.control_count = SHOAL_CONTROLS_MAX + 1;
    REFUSED(LIMIT, "model: 1048577 control points, there may be 1 to 1048576");
    skinned.weight = NULL;
    REFUSED(ARGUMENT, "model: control points or weights are NULL");
    skinned.blend = (shoal_blend)9;
    REFUSED(ARGUMENT, "model: unknown blend or region");
    nodes[4] = NAN;
    REFUSED(ARGUMENT, "model: control point 1 is not finite");
    nodes[4] = 1e31;
    REFUSED(LIMIT, "model: a rest position or control point is beyond 1e30");
    weight_begin[0] = 1;
    REFUSED(ARGUMENT, "model: weights begin at 1, not at 0");
    weight_begin[2] = 0;
    REFUSED(ARGUMENT, "model: weights of vertex 1 end at 0, begin at 1 and are 6");
    weight_begin[3] = 7;
    REFUSED(ARGUMENT, "model: weights of vertex 2 end at 7, begin at 2 and are 6");
    skinned.weight_count = 7;
    REFUSED(ARGUMENT, "model: 7 weights, 6 are used");
    weight_control[3] = 2;
    REFUSED(ARGUMENT, "model: vertex 2 names control point 2, there are 2");
    weight[2] = -0.5f;
    REFUSED(ARGUMENT, "model: the weight of vertex 2 and control point 0 is -0.5");
    weight[5] = INFINITY;
    REFUSED(ARGUMENT, "model: the weight of vertex 3 and control point 1 is inf");
    weight[5] = 0.7501f;
    REFUSED(ARGUMENT, "model: the weights of vertex 3 sum to 1.00010002, not to 1");
    weight[1] = 0;
    REFUSED(ARGUMENT, "model: vertex 1 has no control point");
    weight_begin[1] = 0;
    REFUSED(ARGUMENT, "model: vertex 0 has no control point");
    for (int i = 0; i < WEIGHTS; i++)
        weight_control[i] = 0;
    REFUSED(ARGUMENT, "model: no vertex uses control point 1");
    // what rounding does is fine
    weight[5] = 0.75000006f;
    shoal_model *model;
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &def, &model));
    ASSERT_EQ_FMT(2u, shoal_model_control_count(model), "%u");
    // vertex 3 is the farthest that either node acts on
    ASSERT_IN_RANGE(1.0, shoal_model_supports(model)[0], 1e-9);
    ASSERT_IN_RANGE(sqrt(2), shoal_model_supports(model)[1], 1e-9);
    shoal_model_destroy(model);
    def.skinned = NULL;
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &def, &model));
    ASSERT_EQ_FMT(0u, shoal_model_control_count(model), "%u");
    ASSERT_EQ(NULL, shoal_model_supports(model));
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    PASS();
}

typedef struct pair_of_bodies {
    shoal_context *ctx;
    shoal_model *model, *plain;
    shoal_scene *scene;
    shoal_body ids[3]; // two with nodes, one free
    double state[12][2 * NODES];
} pair_of_bodies;

static bool start(pair_of_bodies *p)
{
    restore();
    memset(p, 0, sizeof *p);
    p->ctx = context();
    const shoal_scene_def sd = shoal_scene_def_default();
    bool good = shoal_model_create(p->ctx, &def, &p->model) == SHOAL_OK;
    def.skinned = NULL;
    good = good && shoal_model_create(p->ctx, &def, &p->plain) == SHOAL_OK &&
           shoal_scene_create(p->ctx, &sd, &p->scene) == SHOAL_OK &&
           shoal_scene_add_skinned(p->scene, p->model, &p->ids[0]) == SHOAL_OK &&
           shoal_scene_add_skinned(p->scene, p->model, &p->ids[1]) == SHOAL_OK &&
           shoal_scene_add_free(p->scene, p->plain, &p->ids[2]) == SHOAL_OK;
    return good;
}

static void stop(pair_of_bodies *p)
{
    shoal_scene_destroy(p->scene);
    shoal_model_destroy(p->model);
    shoal_model_destroy(p->plain);
    shoal_context_destroy(p->ctx);
}

static shoal_skinned_state state_of(const pair_of_bodies *p)
{
    return (shoal_skinned_state){.bodies = p->ids,
                                 .count = 2,
                                 .row_count = 2 * NODES,
                                 .stride = 2 * NODES,
                                 .u = p->state[0],
                                 .J = p->state[3]};
}

TEST wrong_states(void)
{
    pair_of_bodies p;
    ASSERT(start(&p));
    shoal_body none;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_add_skinned(p.scene, p.plain, &none));
    ASSERT_STR_EQ("add: the model is without control points", said);
    ASSERT_EQ(0u, none.index1);
    const shoal_skinned_state good = state_of(&p);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_skinned(p.scene, &good));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    const uint64_t hash = shoal_scene_hash(p.scene);
    const size_t pairs = shoal_scene_pairs(p.scene).count;
    ASSERT(pairs > 0);
    for (int i = 0; i < 12 * 2 * NODES; i++) // would change everything if it were taken
        p.state[i / (2 * NODES)][i % (2 * NODES)] = i % (2 * NODES) < NODES ? 7 : 9;
    shoal_skinned_state s = good;
    const struct {
        size_t rows, stride;
        uint32_t count;
        bool affine, lone_t;
        const char *text;
    } wrong[] = {
        {4, 3, 2, false, false, "set_skinned: stride 3 and row_stride 1 for 4 rows"},
        {3, 4, 2, false, false, "set_skinned: 3 rows, body 1 needs rows up to 4"},
        {5, 5, 2, false, false, "set_skinned: 5 rows, the bodies have 4 control points"},
        {6, 6, 3, false, false, "set_skinned: body 2 is free, not skinned"},
        {4, 4, 2, true, false, "set_skinned: u or J beside A"},
        {4, 4, 2, false, true, "set_skinned: t without A"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s = good;
        s.row_count = wrong[i].rows;
        s.stride = wrong[i].stride;
        s.count = wrong[i].count;
        s.A = wrong[i].affine ? p.state[0] : NULL;
        s.t = wrong[i].lone_t ? p.state[0] : NULL;
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_skinned(p.scene, &s));
        ASSERT_STR_EQ(wrong[i].text, said);
    }
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_skinned(p.scene, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_skinned(NULL, &good));
    shoal_body stale[2] = {p.ids[0], p.ids[1]};
    stale[1].generation += 99;
    s = good;
    s.bodies = stale;
    ASSERT_EQ(SHOAL_ERR_STALE, shoal_scene_set_skinned(p.scene, &s));
    const shoal_positions xyz = shoal_positions_f64(rest, VERTICES);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions(p.scene, p.ids[0], &xyz));
    ASSERT_STR_EQ("set_positions: body 0 is skinned, not free", said);
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(hash, shoal_scene_hash(p.scene));
    stop(&p);
    PASS();
}

// A number that is not finite, or too large, in any place: that body sits out.
TEST bad_bodies(void)
{
    pair_of_bodies p;
    ASSERT(start(&p));
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e301};
    for (int i = 0; i < 12 * NODES * 4; i++) {
        memset(p.state, 0, sizeof p.state);
        p.state[i / 4 % 12][NODES + i / 48] = wrong[i % 4];
        const shoal_skinned_state s = state_of(&p);
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_skinned(p.scene, &s));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_NEAREST));
        const shoal_body_numbers bad = shoal_scene_bad_bodies(p.scene);
        ASSERT_EQ(1u, bad.count);
        ASSERT_EQ_FMT(1u, bad.rows[0], "%u");
        ASSERT_EQ(0u, shoal_scene_pairs(p.scene).count);
    }
    memset(p.state, 0, sizeof p.state);
    const shoal_skinned_state s = state_of(&p);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_skinned(p.scene, &s));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS));
    ASSERT_EQ(0u, shoal_scene_bad_bodies(p.scene).count);
    ASSERT(shoal_scene_pairs(p.scene).count > 0);
    stop(&p);
    PASS();
}

// Both forms of a state, with and without arrays, mean the same motion.
TEST forms_agree(void)
{
    pair_of_bodies p;
    ASSERT(start(&p));
    double A[9][2 * NODES], t[3][2 * NODES];
    for (int r = 0; r < 2 * NODES; r++) {
        for (int k = 0; k < 3; k++) {
            p.state[k][r] = t[k][r] = r < NODES ? 0 : 0.25; // powers of two, so all is exact
            for (int l = 0; l < 3; l++)
                A[3 * k + l][r] = k == l;
        }
    }
    uint64_t hash[3];
    for (int form = 0; form < 3; form++) {
        shoal_skinned_state s = state_of(&p);
        if (form)
            s.J = NULL;
        if (form == 2) {
            s.u = NULL;
            s.A = A[0];
            s.t = t[0];
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_skinned(p.scene, &s));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_NEAREST));
        hash[form] = shoal_scene_hash(p.scene);
        ASSERT(shoal_scene_pairs(p.scene).count > 0);
    }
    ASSERT_EQ(hash[0], hash[1]);
    ASSERT_EQ(hash[0], hash[2]);
    stop(&p);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(wrong_models);
    RUN_TEST(wrong_states);
    RUN_TEST(bad_bodies);
    RUN_TEST(forms_agree);
    GREATEST_MAIN_END();
}
