// SPDX-License-Identifier: MIT
// Contacts of elastic bodies, and the scenes made of them.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/scene.h"
#include "scenes/shapes/sculptures.h"
#include "scenes/shapes/tri_cut.h"
#include "scenes/solvers/mls/elastic.h"

#include <shoal/shoal.h>

#include <greatest.h>
#include <stdlib.h>

TEST triangles_cut_in_a_segment(void)
{
    // one in the plane z = 0, one upright through it from (0.25, 0.25) to (0.25, 0.5)
    const double a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double b[9] = {0.25, 0.25, -1, 0.25, 0.25, 1, 0.25, 0.75, 0};
    shl_tri_cut cut;
    ASSERT(shl_cut_triangles(a, b, &cut));
    ASSERT_IN_RANGE(0.5, cut.length, 1e-12);
    ASSERT_IN_RANGE(0.5, cut.middle[1], 1e-12);
    ASSERT_IN_RANGE(1, cut.normal[0][2], 1e-12);
    for (int side = 0; side < 2; side++) {
        const double *t = side ? b : a, *w = cut.share[side];
        ASSERT_IN_RANGE(1, w[0] + w[1] + w[2], 1e-12);
        for (int k = 0; k < 3; k++)
            ASSERT_IN_RANGE(cut.middle[k], w[0] * t[k] + w[1] * t[3 + k] + w[2] * t[6 + k],
                            1e-12);
    }
    const double far[9] = {2, 2, -1, 2, 2, 1, 2, 3, 0};
    ASSERT_FALSE(shl_cut_triangles(a, far, &cut));
    const double line[9] = {0.2, 0.2, -1, 0.2, 0.2, 1, 0.2, 0.2, 3};
    ASSERT_FALSE(shl_cut_triangles(a, line, &cut));
    PASS();
}

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
} stage;

static bool open_stage(uint32_t threads, stage *s)
{
    const shoal_context_def context_def = shoal_context_def_default();
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = threads;
    return shoal_context_create(&context_def, &s->ctx) == SHOAL_OK &&
           shoal_scene_create(s->ctx, &def, &s->scene) == SHOAL_OK;
}

static void close_stage(stage *s)
{
    shoal_scene_destroy(s->scene);
    shoal_context_destroy(s->ctx);
}

static shl_elastic_def soft_fish(uint32_t bodies)
{
    return (shl_elastic_def){
        .controls = 60,
        .bodies = bodies,
        .seed = 1,
        .mls = {.density = 100, .young = 2e4, .poisson = 0.3, .hold = 0.1, .damping = 1e-3},
        .step = 0.01,
        .stiffness = 60,
        .contact_damp = 20};
}

static bool make_fish(stage *st, uint32_t bodies, shl_elastic *out)
{
    shl_surface fish;
    const shl_elastic_def def = soft_fish(bodies);
    return open_stage(1, st) && shl_mesh_soft_fish(1500, &fish) == SHOAL_OK &&
           shl_elastic_create(&def, &fish, st->ctx, st->scene, out) == SHOAL_OK;
}

// Vertices that the scene works out are those that contacts use.
TEST vertices_are_those_of_the_library(void)
{
    stage st;
    shl_elastic soft;
    ASSERT(make_fish(&st, 2, &soft));
    const double r[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, zero[3] = {0}, up[3] = {0, 0, 0.3};
    shl_elastic_place(&soft, 1, r, up, zero);
    ASSERT_EQ(SHOAL_OK, shl_elastic_hand_over(&soft));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(st.scene, SHOAL_QUERY_NEAREST | SHOAL_QUERY_PAIRS));
    for (uint32_t v = 0; v < soft.surface.vertex_count; v++) {
        double got[3], want[3];
        shl_elastic_vertex(&soft, 1, v, got);
        shl_apply(r, soft.surface.xyz + 3 * (size_t)v, want);
        shl_add(want, 1, up);
        for (int k = 0; k < 3; k++)
            ASSERT_IN_RANGE(want[k], got[k], 1e-6);
    }
    // every pair of triangles that the library says meets has a segment in common
    const shoal_pairs found = shoal_scene_pairs(st.scene);
    ASSERT(found.count > 20);
    for (size_t i = 0; i < found.count; i++) {
        double t[2][9];
        shl_tri_cut cut;
        const uint32_t who[2][2] = {{found.rows[i].body_a, found.rows[i].triangle_a},
                                    {found.rows[i].body_b, found.rows[i].triangle_b}};
        for (int side = 0; side < 2; side++) {
            for (int c = 0; c < 3; c++)
                shl_elastic_vertex(&soft, who[side][0],
                                   soft.surface.triangles[3 * (size_t)who[side][1] + (size_t)c],
                                   t[side] + 3 * c);
        }
        ASSERT(shl_cut_triangles(t[0], t[1], &cut));
    }
    shl_elastic_finish(&soft);
    close_stage(&st);
    PASS();
}

// What contacts put on control points and gradients has no sum and no torque.
TEST contact_loads_balance(void)
{
    stage st;
    shl_elastic soft;
    ASSERT(make_fish(&st, 2, &soft));
    const double r[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, place[3] = {0.1, 0.05, 0.2},
                 zero[3] = {0};
    uint64_t state = 4;
    shl_elastic_place(&soft, 1, r, place, zero);
    for (size_t i = 0; i < 6 * (size_t)soft.all; i++) {
        soft.y[i] += 0.005 * shl_random_signed(&state);
        soft.v[i] = shl_random_signed(&state);
    }
    ASSERT_EQ(SHOAL_OK, shl_elastic_hand_over(&soft));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(st.scene, SHOAL_QUERY_PAIRS));
    const shoal_pairs found = shoal_scene_pairs(st.scene);
    ASSERT(found.count > 20);
    shl_elastic_contacts(&soft, found.rows, found.count);
    double sum[3] = {0}, torque[3] = {0}, size = 0;
    for (size_t i = 0; i < 2 * (size_t)soft.all; i++) {
        double one[3], *f = soft.load + 3 * i;
        const size_t first = i - i % soft.all, own = i % soft.all;
        for (uint32_t e = soft.mls.begin[own]; e < soft.mls.begin[own + 1]; e++) {
            double push[3];
            shl_apply(soft.couple + 9 * i, soft.mls.slope + 3 * (size_t)e, push);
            for (int side = 0; side < 2; side++) {
                shl_cross(soft.y + 3 * (side ? i : first + soft.mls.other[e]), push, one);
                shl_add(torque, side ? -1 : 1, one);
            }
        }
        shl_cross(soft.y + 3 * i, f, one);
        shl_add(torque, 1, one);
        shl_add(sum, 1, f);
        size += sqrt(shl_dot(f, f));
    }
    ASSERT(size > 1);
    for (int k = 0; k < 3; k++) {
        ASSERT_IN_RANGE(0, sum[k], 1e-6 * size); // weights are float32
        ASSERT_IN_RANGE(0, torque[k], 1e-6 * size);
    }
    shl_elastic_finish(&soft);
    close_stage(&st);
    PASS();
}

// Two fish that overlap part again. Together they keep their momentum, and their spin as far as
// loads that stay for a whole step do.
TEST contacts_conserve_momentum_and_spin(void)
{
    stage st;
    shl_elastic soft;
    ASSERT(make_fish(&st, 2, &soft));
    const double r[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, place[3] = {0.1, 0.05, 0.31};
    const double speed[2][3] = {{0, 0, 0.5}, {0, 0, -0.5}}, zero[3] = {0};
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    shl_elastic_place(&soft, 0, one, zero, speed[0]);
    shl_elastic_place(&soft, 1, r, place, speed[1]);
    shl_elastic_report first = {0};
    size_t most = 0, last = 0;
    for (int step = 0; step < 150; step++) {
        ASSERT_EQ(SHOAL_OK, shl_elastic_hand_over(&soft));
        const shl_elastic_report now = shl_elastic_measure(&soft);
        if (step == 0)
            first = now;
        for (int k = 0; k < 3; k++) {
            ASSERT_IN_RANGE(first.momentum[k], now.momentum[k], 1e-5);
            ASSERT_IN_RANGE(first.spin[k], now.spin[k], 0.01);
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(st.scene, SHOAL_QUERY_PAIRS));
        const shoal_pairs found = shoal_scene_pairs(st.scene);
        last = found.count;
        most = found.count > most ? found.count : most;
        shl_elastic_step(&soft, found.rows, found.count);
    }
    ASSERT(most > 20);
    ASSERT_EQ(0u, last);
    shl_elastic_finish(&soft);
    close_stage(&st);
    PASS();
}

// Without damping and from a hard blow, energy stays what it was, to a few in a hundred.
TEST a_free_body_keeps_its_energy(void)
{
    stage st;
    shl_elastic soft;
    ASSERT(make_fish(&st, 1, &soft));
    soft.mls.def.damping = 0;
    for (size_t i = 0; i < soft.all; i++)
        soft.v[3 * i] = 2 * soft.mls.rest[3 * i] + soft.mls.rest[3 * i + 2];
    ASSERT_EQ(SHOAL_OK, shl_elastic_hand_over(&soft));
    const double begin = shl_elastic_measure(&soft).kinetic;
    for (int step = 0; step < 1000; step++) {
        shl_elastic_step(&soft, NULL, 0);
        const shl_elastic_report now = shl_elastic_measure(&soft);
        ASSERT_IN_RANGE(begin, now.kinetic + now.elastic, 0.15 * begin);
    }
    shl_elastic_finish(&soft);
    close_stage(&st);
    PASS();
}

// Crushed flat and turned inside out, a body finds back to its shape.
TEST an_inverted_body_recovers(void)
{
    stage st;
    shl_elastic soft;
    ASSERT(make_fish(&st, 1, &soft));
    soft.def.drag = 5;
    for (size_t i = 0; i < soft.all; i++) {
        soft.y[3 * i + 1] *= -0.2;
        soft.y[3 * i + 2] *= 0.1;
    }
    for (int step = 0; step < 600; step++)
        shl_elastic_step(&soft, NULL, 0);
    ASSERT_EQ(SHOAL_OK, shl_elastic_hand_over(&soft));
    const shl_elastic_report now = shl_elastic_measure(&soft);
    ASSERT(now.kinetic + now.elastic < 1e-3);
    ASSERT(now.longest_strain < 0.01);
    shl_elastic_finish(&soft);
    close_stage(&st);
    PASS();
}

typedef const char *pairs_of_text[2];

typedef struct outcome {
    uint64_t hash;
    size_t pairs;
    double most_energy, most_strain;
    bool finite;
} outcome;

static double places[3 * 4096];

static bool play(shl_scene_id id, const pairs_of_text *settings, uint32_t threads, outcome *out)
{
    stage st;
    shl_motion *motion;
    shl_scene_params params = shl_scene_defaults(id);
    shl_setting_error error;
    *out = (outcome){.finite = true};
    for (int i = 0; settings[i][0]; i++) {
        if (!shl_scene_set(id, &params, settings[i][0], settings[i][1], &error))
            return false;
    }
    if (!open_stage(threads, &st) ||
        shl_motion_create(id, &params, st.ctx, st.scene, &motion) != SHOAL_OK)
        return false;
    for (uint32_t step = 1; step <= params.steps; step++) {
        if (shl_motion_step(motion, step) != SHOAL_OK ||
            shoal_scene_step(st.scene, SHOAL_QUERY_PAIRS) != SHOAL_OK)
            return false;
        const shoal_pairs pairs = shoal_scene_pairs(st.scene);
        const uint64_t hash = shoal_scene_hash(st.scene);
        for (uint32_t body = 0; body < shl_motion_body_count(motion); body++) {
            const uint32_t count = shl_motion_surface(motion, body)->vertex_count;
            shl_motion_vertices(motion, body, places);
            for (size_t i = 0; i < 3 * (size_t)count; i++)
                out->finite = out->finite && fabs(places[i]) < 100;
        }
        out->pairs += pairs.count;
        out->hash = out->hash * 31 + hash;
        shl_motion_report report;
        if (shl_motion_measure(motion, &report)) {
            out->most_energy = fmax(out->most_energy, report.energy);
            out->most_strain = fmax(out->most_strain, report.strain);
        }
    }
    shl_motion_destroy(motion);
    close_stage(&st);
    return true;
}

static enum greatest_test_res check_scene(shl_scene_id id, const pairs_of_text *settings,
                                          size_t pairs, double energy, double strain)
{
    outcome first = {0}, other;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        ASSERT(play(id, settings, threads, &other));
        if (threads == 1)
            first = other;
        ASSERT_EQ(first.hash, other.hash);
    }
    ASSERT(first.finite);
    ASSERT(first.pairs > pairs);
    ASSERT(first.most_energy <= energy);
    ASSERT(first.most_strain <= strain);
    PASS();
}

TEST the_ring_swings(void)
{
    static const pairs_of_text small[] = {
        {"vertices", "800"}, {"controls", "60"}, {"steps", "250"}, {0}};
    static const pairs_of_text large[] = {
        {"vertices", "800"}, {"controls", "60"}, {"steps", "250"}, {"contact", "large"}, {0}};
    CHECK_CALL(check_scene(SHL_SCENE_RING, small, 1000, 1000, 1.5));
    CHECK_CALL(check_scene(SHL_SCENE_RING, large, 5000, 2000, 1.5));
    PASS();
}

TEST fish_swarm(void)
{
    static const pairs_of_text few[] = {
        {"vertices", "800"}, {"controls", "40"}, {"steps", "150"}, {"bodies", "12"}, {0}};
    CHECK_CALL(check_scene(SHL_SCENE_FISH_24, few, 1000, 1000, 1.0));
    PASS();
}

TEST brains_meet(void)
{
    static const pairs_of_text ways[3][5] = {
        {{"vertices", "1500"}, {"controls", "65"}, {"steps", "20"}, {"motion", "pull"}, {0}},
        {{"vertices", "1500"}, {"controls", "65"}, {"steps", "20"}, {"motion", "bend"}, {0}},
        {{"vertices", "1500"}, {"controls", "65"}, {"steps", "20"}, {"motion", "twist"}, {0}}};
    CHECK_CALL(check_scene(SHL_SCENE_BRAIN, ways[0], 100, 0, 0));
    outcome out;
    for (int i = 1; i < 3; i++) {
        ASSERT(play(SHL_SCENE_BRAIN, ways[i], 1, &out));
        ASSERT(out.finite);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(triangles_cut_in_a_segment);
    RUN_TEST(vertices_are_those_of_the_library);
    RUN_TEST(contact_loads_balance);
    RUN_TEST(contacts_conserve_momentum_and_spin);
    RUN_TEST(a_free_body_keeps_its_energy);
    RUN_TEST(an_inverted_body_recovers);
    RUN_TEST(the_ring_swings);
    RUN_TEST(fish_swarm);
    RUN_TEST(brains_meet);
    GREATEST_MAIN_END();
}
