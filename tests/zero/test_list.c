// SPDX-License-Identifier: MIT
// Warm equals cold: a scene with a neighbour list, over many steps in which bodies drift, jump,
// rest, come, go and break, against a scene without one and against scenes made anew. Some
// bodies are free, some are carried by nodes.
#include "run.h"
#include "skinned.h"

#include "../unit/common/inside.h"
#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 7, STEPS = 160, REBUILD_EVERY = 20 };

typedef struct actor {
    bool live, bad;
    bool skinned; // nodes carry it
    double at[3], speed[3];
    double bend;                         // of what nodes carry
    double state[12 * SKINNED_CONTROLS]; // u and J of each node
    shoal_positions view;
    void *array;
    shoal_body id[2]; // in both scenes
} actor;

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene[2]; // with and without a list
    shoal_scene_def def;   // of the first
    shoal_model *model, *carried;
    bool mixed; // some bodies are carried
    world_mesh mesh;
    actor actor[BODIES];
    uint64_t seed;
} play;

static uint32_t pick(play *p, uint32_t n)
{
    return (uint32_t)(world_random(&p->seed) % n);
}

static bool bend_nodes(shoal_scene *scene, shoal_body id, const actor *a)
{
    const shoal_skinned_state state = {.bodies = &id,
                                       .count = 1,
                                       .row_count = SKINNED_CONTROLS,
                                       .stride = SKINNED_CONTROLS,
                                       .u = a->state,
                                       .J = a->state + 3 * SKINNED_CONTROLS};
    return shoal_scene_set_skinned(scene, &state) == SHOAL_OK;
}

// A bent ball at its place.
static void write_state(actor *a, uint32_t step)
{
    memset(a->state, 0, sizeof a->state);
    for (size_t i = 0; i < SKINNED_CONTROLS; i++) {
        for (size_t k = 0; k < 3; k++)
            a->state[k * SKINNED_CONTROLS + i] =
                a->at[k] + (k == 1 ? a->bend * (double)(i % 2) : 0);
        a->state[(3 + 1) * SKINNED_CONTROLS + i] = a->bend * (double)i; // of u_x along y
    }
    if (a->bad)
        a->state[step % (12 * SKINNED_CONTROLS)] = step % 2 ? NAN : INFINITY;
}

// A ball at its place, one vertex pulled out and one of them perhaps no number.
static void write_array(play *p, actor *a, uint32_t step)
{
    write_state(a, step);
    const shoal_positions *v = &a->view;
    const uint32_t *order = shoal_model_vertex_order(p->model);
    const uint32_t odd = 7 * step % v->count;
    for (uint32_t i = 0; i < v->count; i++) {
        const size_t from = v->order == SHOAL_ORDER_TREE ? order[i] : i;
        for (size_t k = 0; k < 3; k++) {
            double x = world_float(p->mesh.rest[3 * from + k] + a->at[k]);
            if (a->bad && from == odd)
                x = step % 2 ? NAN : INFINITY;
            if (v->scalar == SHOAL_F32)
                ((float *)a->array)[3 * (size_t)i + k] = (float)x;
            else
                ((double *)a->array)[3 * (size_t)i + k] = x;
        }
    }
}

static bool hand_over(play *p, actor *a, uint32_t which)
{
    if (a->skinned)
        return bend_nodes(p->scene[which], a->id[which], a);
    return shoal_scene_set_positions(p->scene[which], a->id[which], &a->view) == SHOAL_OK;
}

// Another way of handing positions over.
static bool change_view(play *p, actor *a, uint32_t step)
{
    const shoal_scalar scalar = (shoal_scalar)pick(p, 2);
    void *old = a->array;
    a->array = malloc(3 * sizeof(double) * p->mesh.vertex_count);
    a->view = scalar == SHOAL_F32 ? shoal_positions_f32(a->array, p->mesh.vertex_count)
                                  : shoal_positions_f64(a->array, p->mesh.vertex_count);
    a->view.order = (shoal_order)pick(p, 2);
    a->view.hold = (shoal_hold)pick(p, 2);
    write_array(p, a, step);
    const bool good = hand_over(p, a, 0) && hand_over(p, a, 1);
    free(old);
    return good;
}

static bool come(play *p, actor *a, uint32_t step)
{
    *a = (actor){.live = true, .array = a->array, .skinned = p->mixed && pick(p, 2)};
    for (int k = 0; k < 3; k++) {
        a->at[k] = 1.6 * world_unit(&p->seed);
        a->speed[k] = 0.004 * world_unit(&p->seed);
    }
    for (int i = 0; i < 2; i++) {
        if (a->skinned ? shoal_scene_add_skinned(p->scene[i], p->carried, &a->id[i])
                       : shoal_scene_add_free(p->scene[i], p->model, &a->id[i]))
            return false;
    }
    return change_view(p, a, step);
}

static bool go(play *p, actor *a)
{
    a->live = false;
    return shoal_scene_remove(p->scene[0], a->id[0]) == SHOAL_OK &&
           shoal_scene_remove(p->scene[1], a->id[1]) == SHOAL_OK;
}

// What happens to a body: mostly little. Events come rarely, so that lists live for a while.
static bool act(play *p, actor *a, uint32_t step)
{
    const uint32_t event = pick(p, 400);
    if (!a->live)
        return event > 100 || come(p, a, step);
    if (event == 0)
        return go(p, a);
    if (event == 1)
        return change_view(p, a, step);
    if (event < 150)
        return true; // rests
    a->bad = a->bad ? event % 2 : event == 150;
    for (int k = 0; k < 3; k++) {
        if (event == 151) // somewhere else
            a->at[k] = 1.6 * world_unit(&p->seed);
        a->speed[k] = fabs(a->at[k]) > 1.2 ? -copysign(0.004, a->at[k]) : a->speed[k];
        a->at[k] += a->speed[k];
    }
    a->bend =
        0.05 * world_float(0.5 + 0.5 * (step % 40 < 20 ? step % 20 : 20 - step % 20) / 20);
    write_array(p, a, step);
    if (!a->skinned && a->view.hold == SHOAL_BORROW)
        return true;
    return hand_over(p, a, 0) && hand_over(p, a, 1);
}

// The same moment in a scene that has no past. Bodies keep their numbers.
static bool cold_hash(play *p, uint32_t queries, uint64_t *out)
{
    shoal_scene *scene = NULL;
    if (shoal_scene_create(p->ctx, &p->def, &scene))
        return false;
    bool good = true;
    for (uint32_t slot = 1; slot <= BODIES && good; slot++) {
        const actor *a = NULL;
        for (int i = 0; i < BODIES; i++)
            a = p->actor[i].live && p->actor[i].id[0].index1 == slot ? &p->actor[i] : a;
        shoal_body id;
        if (a && a->skinned)
            good = shoal_scene_add_skinned(scene, p->carried, &id) == SHOAL_OK &&
                   bend_nodes(scene, id, a);
        else
            good = shoal_scene_add_free(scene, p->model, &id) == SHOAL_OK;
        if (a && !a->skinned && good)
            good = shoal_scene_set_positions(scene, id, &a->view) == SHOAL_OK;
    }
    good = good && shoal_scene_step(scene, queries) == SHOAL_OK &&
           !shoal_scene_stats(scene).list_reused;
    *out = shoal_scene_hash(scene);
    shoal_scene_destroy(scene);
    return good;
}

static const shoal_broad broads[4] = {SHOAL_BROAD_BRUTE, SHOAL_BROAD_SWEEP, SHOAL_BROAD_TREE,
                                      SHOAL_BROAD_INCREMENTAL};

static bool start(play *p, shoal_executor executor, uint64_t seed, double list_margin)
{
    *p = (play){.seed = seed};
    const shoal_context_def cd = shoal_context_def_default();
    p->mesh = mesh_ball(2, seed);
    p->def = shoal_scene_def_default();
    p->def.executor = executor;
    p->def.threads = 2;
    p->def.strategy = (shoal_strategy)(seed % 5);
    p->def.broad = broads[seed % 4];
    p->def.rebuild_ratio = 0;
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, &p->def, &p->scene[1]))
        return false;
    p->def.list_margin = list_margin;
    // under auto a tree built anew is another one, with other rows
    p->model = p->def.strategy == SHOAL_STRATEGY_AUTO ? model_of_stranger(p->ctx, &p->mesh)
                                                      : model_of(p->ctx, &p->mesh);
    p->carried = carry_along_x(p->ctx, &p->mesh);
    return p->carried && shoal_scene_create(p->ctx, &p->def, &p->scene[0]) == SHOAL_OK;
}

static void stop(play *p)
{
    shoal_scene_destroy(p->scene[0]);
    shoal_scene_destroy(p->scene[1]);
    shoal_model_destroy(p->model);
    shoal_model_destroy(p->carried);
    shoal_context_destroy(p->ctx);
    mesh_free(&p->mesh);
    for (int i = 0; i < BODIES; i++)
        free(p->actor[i].array);
}

TEST warm_is_cold(shoal_executor executor, uint64_t seed, double list_margin, bool mixed)
{
    play p;
    ASSERT(start(&p, executor, seed, list_margin));
    p.mixed = mixed;
    const bool rebuilds = p.def.strategy == SHOAL_STRATEGY_AUTO;
    uint32_t reused = 0, bad = 0, late = 0; // late: trees built while a list was used
    size_t pairs = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        for (int i = 0; i < BODIES; i++)
            ASSERT(step ? act(&p, &p.actor[i], step) : come(&p, &p.actor[i], step));
        const uint32_t queries = way_queries((step / 40 + (uint32_t)seed) % QUERY_SETS);
        uint64_t cold = 0;
        // now and then a new tree for every body
        p.scene[0]->def.rebuild_ratio = step % REBUILD_EVERY == 10 ? 0.5 : 0;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene[0], queries));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene[1], queries));
        const shoal_pairs warm_pairs = shoal_scene_pairs(p.scene[0]);
        const shoal_pairs warm_self = shoal_scene_self_pairs(p.scene[0]);
        const shoal_pairs warm_first = shoal_scene_first_pairs(p.scene[0]);
        const shoal_body_numbers warm_bad = shoal_scene_bad_bodies(p.scene[0]);
        const uint64_t warm_hash = shoal_scene_hash(p.scene[0]);
        const shoal_pairs plain_pairs = shoal_scene_pairs(p.scene[1]);
        const uint64_t plain_hash = shoal_scene_hash(p.scene[1]);
        if (warm_hash != plain_hash)
            printf("\nseed %u, step %u: %zu pairs, without list_margin %zu\n", (unsigned)seed,
                   step, warm_pairs.count, plain_pairs.count);
        ASSERT_EQ(plain_hash, warm_hash);
        ASSERT_EQ(plain_pairs.count, warm_pairs.count);
        if (plain_pairs.count)
            ASSERT_MEM_EQ(plain_pairs.rows, warm_pairs.rows,
                          plain_pairs.count * sizeof *plain_pairs.rows);
        if (step % 8 == 7) {
            ASSERT(cold_hash(&p, queries, &cold));
            ASSERT_EQ(plain_hash, cold);
        }
        const shoal_stats stats = shoal_scene_stats(p.scene[0]);
        reused += stats.list_reused;
        late += stats.list_reused && stats.rebuilds > 0;
        bad += (uint32_t)warm_bad.count;
        pairs += warm_pairs.count + warm_self.count + warm_first.count;
        ASSERT_EQ(0u, shoal_scene_stats(p.scene[1]).list_reused);
    }
    stop(&p);
    ASSERT(pairs > 1000 && bad > 0);
    ASSERT_EQ(rebuilds, late > 0);
    if (!(reused > STEPS / 3 && reused < STEPS - 8))
        printf("\nseed %u: %u of %u steps reused a list\n", (unsigned)seed, reused, STEPS);
    ASSERT(reused > STEPS / 3 && reused < STEPS - 8);
    PASS();
}

// The rule itself: how far two bodies may go together before a list ends.
TEST a_list_ends_in_time(bool self)
{
    play p;
    ASSERT(start(&p, SHOAL_EXECUTOR_SERIAL, 4, 0.5));
    const uint32_t queries = SHOAL_QUERY_PAIRS | (self ? SHOAL_QUERY_SELF : 0);
    static const double rows[][2] = {{0, 0}, {0.2, 0},   {0.2, 0.2}, {0.2, 0.24}, {-0.3, 0.25},
                                     {0, 0}, {0.375, 0}, {0, 0.55},  {0.1, 0.45}, {0.42, 0.45}};
    ASSERT(come(&p, &p.actor[0], 0) && come(&p, &p.actor[1], 0));
    bool fresh = true;
    double then[2] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int b = 0; b < 2; b++) {
            actor *a = &p.actor[b];
            memset(a->at, 0, sizeof a->at);
            a->at[0] = rows[i][b];
            a->view.hold = SHOAL_COPY;
            write_array(&p, a, 0);
            ASSERT(hand_over(&p, a, 0));
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene[0], queries));
        const double d[2] = {fabs(rows[i][0] - then[0]), fabs(rows[i][1] - then[1])};
        const double most = fmax(d[0], d[1]), sum = self ? 2 * most : d[0] + d[1];
        ASSERTm("too close to call: positions are rounded", fabs(sum - 0.5) > 1e-3);
        const bool expected = !fresh && sum < 0.5;
        ASSERT_EQ(expected, (bool)shoal_scene_stats(p.scene[0]).list_reused);
        if (!expected)
            memcpy(then, rows[i], sizeof then);
        fresh = false;
    }
    stop(&p);
    PASS();
}

// A step that uses a list opens no node and searches no boxes: it is none of a tree's steps.
TEST lists_teach_nothing(void)
{
    play p;
    ASSERT(start(&p, SHOAL_EXECUTOR_SERIAL, 3, 0.5));
    ASSERT_EQ(SHOAL_STRATEGY_OPTIMAL, p.def.strategy);
    ASSERT(come(&p, &p.actor[0], 0) && come(&p, &p.actor[1], 0));
    uint8_t visit_rate[1000] = {0};
    for (uint32_t step = 1; step < 40; step++) {
        for (int i = 0; i < 2; i++) {
            memset(p.actor[i].at, 0, sizeof p.actor[i].at);
            p.actor[i].at[0] = 0.3 * i + 0.009 * step;
            p.actor[i].view.hold = SHOAL_COPY;
            write_array(&p, &p.actor[i], 0);
            ASSERT(hand_over(&p, &p.actor[i], 0));
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene[0], SHOAL_QUERY_PAIRS));
        const bool reused = shoal_scene_stats(p.scene[0]).list_reused;
        const shl_free_body *b = inside_free(p.scene[0], 0);
        ASSERT(b->tree->node_count <= sizeof visit_rate);
        ASSERT_EQ(step != 1 && step != 29, reused);
        ASSERT_EQ(step < 29 ? 1u : 2u, b->age);
        ASSERT_EQ(!reused, p.scene[0]->pairs.box_rows > 0 && p.scene[0]->pairs.broad.wanted);
        if (reused)
            ASSERT_MEM_EQ(visit_rate, b->rate.data, b->tree->node_count);
        else
            memcpy(visit_rate, b->rate.data, b->tree->node_count);
        ASSERT_EQ(255, visit_rate[0]);
    }
    stop(&p);
    PASS();
}

// Where nobody moves, nothing but the new trees tells that a list no longer fits.
TEST new_trees_end_a_list(void)
{
    play p;
    ASSERT(start(&p, SHOAL_EXECUTOR_SERIAL, 4, 0.1));
    ASSERT_EQ(SHOAL_STRATEGY_AUTO, p.def.strategy);
    ASSERT(come(&p, &p.actor[0], 0) && come(&p, &p.actor[1], 0));
    for (int i = 0; i < 2; i++) {
        memset(p.actor[i].at, 0, sizeof p.actor[i].at);
        p.actor[i].at[0] = 0.3 * i;
        p.actor[i].view.hold = SHOAL_COPY;
        write_array(&p, &p.actor[i], 0);
        ASSERT(hand_over(&p, &p.actor[i], 0));
    }
    uint64_t hash = 0;
    for (uint32_t step = 0; step < 6; step++) {
        p.scene[0]->def.rebuild_ratio = step == 2 ? 0.5 : 0;
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(p.scene[0], SHOAL_QUERY_PAIRS));
        const shoal_stats stats = shoal_scene_stats(p.scene[0]);
        ASSERT(stats.pairs > 0);
        ASSERT_EQ(step == 2 ? 2u : 0u, stats.rebuilds);
        hash = step ? hash : shoal_scene_hash(p.scene[0]);
        ASSERT_EQ(hash, shoal_scene_hash(p.scene[0]));
        ASSERT_EQ(step != 0 && step != 3, (bool)stats.list_reused);
    }
    stop(&p);
    PASS();
}

// A wall, and a spike before it, perhaps in a fat box that the wall is in. Who does not move
// is not set again.
TEST who_was_apart_may_meet(shoal_broad broad, bool spike_first, bool fat)
{
    static const double shape[2][9] = {{0, -1, -1, 0, 2, -1, 0, -1, 2},
                                       {0, 0, 0, 1, 0, 0, 1, 0.1, 0.1}};
    static const uint32_t corners[] = {0, 1, 2};
    static const struct {
        double x[2]; // of wall and spike
        bool reused, meet;
    } rows[] = {
        {{0, 0.05}, false, false}, // their boxes are apart
        {{0, 0.02}, true, false},     {{0, -0.02}, true, true},
        {{0, 0.3}, false, false},     {{0, 0.24}, true, false}, // its box stays behind
        {{0.15, 0.24}, false, false}, // but not here, where it is not set again
        {{0.245, 0.24}, true, true},
    };
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body id[2];
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    sd.broad = broad;
    sd.list_margin = 0.1;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &scene));
    for (int i = 0; i < 2; i++) {
        const int who = spike_first ? 1 - i : i;
        const world_mesh mesh = {3, 1, (uint32_t *)corners, (double *)shape[who]};
        shoal_model *model = model_of(ctx, &mesh);
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &id[who]));
        shoal_model_destroy(model);
    }
    static const float lo[3] = {-0.1f, 0, 0}, hi[3] = {1.4f, 0.11f, 0.11f};
    if (fat)
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_fat_box(scene, id[1], lo, hi));
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (int who = 0; who < 2; who++) {
            double xyz[9];
            for (int k = 0; k < 9; k++)
                xyz[k] = shape[who][k] + (k % 3 ? 0 : rows[row].x[who]);
            const shoal_positions p = shoal_positions_f64(xyz, 3);
            if (row == 0 || rows[row].x[who] != rows[row - 1].x[who])
                ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, id[who], &p));
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
        ASSERT_EQ(rows[row].reused, (bool)shoal_scene_stats(scene).list_reused);
        ASSERT_EQ(fat && !rows[row].reused, (bool)shoal_scene_stats(scene).fat_used);
        ASSERT_EQ(rows[row].meet, (bool)shoal_scene_pairs(scene).count);
    }
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    PASS();
}

static char said[256];

static void keep_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    (void)status;
    snprintf(said, sizeof said, "%s", text);
}

TEST bad_list_margins_are_refused(void)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.log = keep_line;
    shoal_context *ctx;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    static const double bad[] = {-1e-300, -1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        shoal_scene_def def = shoal_scene_def_default();
        ASSERT_EQ(0.0, def.list_margin);
        def.list_margin = bad[i];
        shoal_scene *scene = (shoal_scene *)&def;
        *said = '\0';
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, &def, &scene));
        ASSERT(!scene && strstr(said, "list_margin"));
    }
    shoal_context_destroy(ctx);
    PASS();
}

SUITE(list_margins)
{
    RUN_TEST(bad_list_margins_are_refused);
    RUN_TEST1(a_list_ends_in_time, false);
    RUN_TEST1(a_list_ends_in_time, true);
    RUN_TEST(lists_teach_nothing);
    RUN_TEST(new_trees_end_a_list);
    for (int i = 0; i < 16; i++)
        RUN_TESTp(who_was_apart_may_meet, broads[i % 4], i / 4 % 2, i / 8);
    for (uint64_t seed = 1; seed <= 6; seed++)
        RUN_TESTp(warm_is_cold, SHOAL_EXECUTOR_SERIAL, seed, 0.1, false);
    RUN_TESTp(warm_is_cold, SHOAL_EXECUTOR_OMP, 7, 0.1, false);
    RUN_TESTp(warm_is_cold, SHOAL_EXECUTOR_OMP, 8, 0.2, false);
    RUN_TESTp(warm_is_cold, SHOAL_EXECUTOR_LOOPS, 9, 0.1, false);
    for (uint64_t seed = 13; seed <= 15; seed++)
        RUN_TESTp(warm_is_cold, SHOAL_EXECUTOR_SERIAL, seed, 0.1, true);
    RUN_TESTp(warm_is_cold, SHOAL_EXECUTOR_OMP, 16, 0.2, true);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(list_margins);
    GREATEST_MAIN_END();
}
