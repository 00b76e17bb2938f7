// SPDX-License-Identifier: MIT
// Who meets whom: pairs, first contacts and distances of scenes whose rules change between
// steps, against brute force with the same rules and against scenes made anew.
#include "nearest_truth.h"
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>

enum { ROUNDS = 12, SMALL = 130 }; // triangles for brute force of distances

static const uint32_t distances = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                                  SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF;
static const uint32_t overlaps = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF;

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[WORLD_BODIES];
} play;

static bool start(play *p, const world *w, const shoal_scene_def *sd)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.fixed_costs = true;
    *p = (play){0};
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, sd, &p->scene))
        return false;
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model *model = kind_model_of(p->ctx, w, b);
        const bool added = kind_add(p->scene, model, w, b, &p->body[b]) == SHOAL_OK;
        shoal_model_destroy(model);
        if (!added)
            return false;
    }
    return true;
}

static void end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_context_destroy(p->ctx);
}

static bool place_all(const play *p, const world *w, uint32_t step)
{
    bool good = true;
    for (uint32_t b = 0; b < w->body_count; b++)
        good = good && kind_set(p->scene, p->body[b], w, b, step) == SHOAL_OK;
    return good;
}

// The truth of a step, less what the rules forbid. The caller frees its pairs.
static truth filtered(const truth *all, const rules *r)
{
    truth t = *all;
    t.pair_count = 0;
    t.pairs = malloc((all->pair_count + 1) * sizeof *t.pairs);
    if (!t.pairs)
        abort();
    for (size_t i = 0; i < all->pair_count; i++) {
        if (rules_meet(r, all->pairs[i].body_a, all->pairs[i].body_b))
            t.pairs[t.pair_count++] = all->pairs[i];
    }
    return t;
}

// The hash of all queries in a new scene with the same rules.
static uint64_t fresh_hash(const world *w, uint32_t step, const rules *r, uint32_t queries,
                           double within)
{
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    sd.broad = SHOAL_BROAD_BRUTE;
    sd.distance_engine = SHOAL_DISTANCE_PLAIN;
    sd.within = within;
    play p;
    const bool good = start(&p, w, &sd) && rules_set(r, p.scene, p.body, w->body_count) &&
                      place_all(&p, w, step) && shoal_scene_step(p.scene, queries) == SHOAL_OK;
    const uint64_t hash = good ? shoal_scene_hash(p.scene) : 0;
    end(&p);
    return hash;
}

static const char *distances_wrong(const world *w, uint32_t step, const rules *r,
                                   const shoal_scene *scene, double within)
{
    shape shapes[WORLD_BODIES];
    uint32_t triangles = 0;
    for (uint32_t b = 0; b < w->body_count; b++) {
        shapes[b] =
            (shape){true, b, w->mesh[b].triangle_count, w->mesh[b].tri, w->xyz[step][b]};
        triangles += w->mesh[b].triangle_count;
    }
    return triangles > SMALL ? NULL
                             : nearest_fault(shapes, w->body_count, within, scene, r, false);
}

// Fat boxes of some bodies, around where they are.
static bool fatten(const play *p, const world *w, uint32_t step)
{
    bool good = true;
    for (uint32_t b = 0; b < w->body_count; b += 3) {
        float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = 0; i < 3 * (size_t)w->mesh[b].vertex_count; i++) {
            const float x = (float)w->xyz[step][b][i];
            lo[i % 3] = fminf(lo[i % 3], x - 0.01f * fabsf(x) - 0.02f);
            hi[i % 3] = fmaxf(hi[i % 3], x + 0.01f * fabsf(x) + 0.02f);
        }
        good = good && !shoal_scene_set_fat_box(p->scene, p->body[b], lo, hi);
    }
    return good;
}

// One step of a warm scene. Bodies move only now and then, so that what steps keep outlives a
// change of the rules.
static const char *round_fault(const play *p, const world *w, uint32_t round, const rules *r,
                               const shoal_scene_def *sd)
{
    const uint32_t step = round / 3 % w->step_count;
    if (!rules_set(r, p->scene, p->body, w->body_count))
        return "no rules";
    if (round % 3 == 0 && !place_all(p, w, step))
        return "not placed";
    if (round == 4 && !fatten(p, w, step))
        return "no fat boxes";
    const uint32_t queries = round % 4 == 3 ? distances : overlaps;
    if (shoal_scene_step(p->scene, queries))
        return "no step";
    if (shoal_scene_hash(p->scene) != fresh_hash(w, step, r, queries, sd->within))
        return "another hash than a new scene";
    if (queries == distances)
        return distances_wrong(w, step, r, p->scene, sd->within);
    truth t = filtered(&w->truth[step], r);
    const char *fault = results_true(&t, queries, p->scene) ? NULL : way_fault();
    free(t.pairs);
    return fault;
}

TEST one_world(const char *name)
{
    uint32_t kind = 0;
    while (strcmp(world_name(kind), name) != 0)
        kind++;
    world *w = world_make(kind);
    world_find_truth(w);
    static rules rule;
    for (uint32_t turn = 0; turn < 20; turn++) {
        shoal_scene_def sd = shoal_scene_def_default();
        sd.executor = (shoal_executor)(turn % 4);
        sd.threads = 1 + turn % 3;
        sd.broad = (shoal_broad)(turn % 5);
        sd.strategy = (shoal_strategy)(turn / 4 % 5);
        static const double margins[] = {0, 0, 0.5}, withins[] = {0.3, INFINITY, 0, 3};
        sd.list_margin = margins[turn % 3];
        sd.within = withins[turn % 4];
        sd.distance_engine = (shoal_distance_engine)(turn / 2 % 4);
        play p;
        ASSERT(start(&p, w, &sd));
        uint64_t lot = 1 + turn + 100 * kind;
        rules_reset(&rule);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            if (round > 0)
                rules_draw(&rule, w->body_count, &lot);
            const char *fault = round_fault(&p, w, round, &rule, &sd);
            if (fault)
                printf("\n%s, turn %u, round %u: ", name, turn, round);
            ASSERTm(fault, !fault);
        }
        end(&p);
    }
    world_free(w);
    PASS();
}

// --- Two tetrahedra, to see one rule at a time. ---

static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
enum { TOYS = 5 };

typedef struct toy_scene {
    shoal_context *ctx;
    shoal_model *model;
    shoal_scene *scene;
    shoal_body body[TOYS]; // all in one place
    uint32_t lines;
} toy_scene;

static void count_line(void *user, shoal_status status, const char *text)
{
    (void)status, (void)text;
    ++*(uint32_t *)user;
}

static bool no_memory;

static void *toy_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    return no_memory ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void toy_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

static bool toys_start(toy_scene *t, shoal_broad broad)
{
    *t = (toy_scene){0};
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){toy_alloc, toy_release, NULL};
    cd.log = count_line;
    cd.log_user = &t->lines;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    sd.broad = broad;
    shoal_model_def md = shoal_model_def_default();
    md.triangles = faces;
    md.triangle_count = 4;
    md.rest = shoal_positions_f64(corners, 4);
    bool good = !shoal_context_create(&cd, &t->ctx) &&
                !shoal_model_create(t->ctx, &md, &t->model) &&
                !shoal_scene_create(t->ctx, &sd, &t->scene);
    for (int i = 0; i < TOYS && good; i++) {
        const shoal_positions p = shoal_positions_f64(corners, 4);
        good = !shoal_scene_add_free(t->scene, t->model, &t->body[i]) &&
               !shoal_scene_set_positions(t->scene, t->body[i], &p);
    }
    return good;
}

static void toys_end(toy_scene *t)
{
    shoal_scene_destroy(t->scene);
    shoal_model_destroy(t->model);
    shoal_context_destroy(t->ctx);
}

// How many pairs of bodies meet; SIZE_MAX if the step fails.
static size_t meetings(const toy_scene *t)
{
    return shoal_scene_step(t->scene, SHOAL_QUERY_FIRST)
               ? SIZE_MAX
               : shoal_scene_first_pairs(t->scene).count;
}

// A body goes, and another one comes to its slot and place.
static bool exchange(toy_scene *t, int i)
{
    const shoal_positions p = shoal_positions_f64(corners, 4);
    return !shoal_scene_remove(t->scene, t->body[i]) &&
           !shoal_scene_add_free(t->scene, t->model, &t->body[i]) &&
           !shoal_scene_set_positions(t->scene, t->body[i], &p) &&
           t->body[i].index1 == 1u + (unsigned)i;
}

// A rule that body 1 is part of; the last one keeps apart all but body 1 from body 0.
static shoal_status toys_rule(const toy_scene *t, int rule)
{
    const shoal_body one[2] = {t->body[1], t->body[1]}, two[2] = {t->body[0], t->body[4]};
    shoal_status st = SHOAL_OK;
    if (rule == 0)
        return shoal_scene_set_filter(t->scene, t->body[1], 0, 5);
    if (rule == 2)
        return shoal_scene_set_excluded(t->scene, one, two, 2);
    if (rule == 3) {
        st = shoal_scene_set_filter(t->scene, t->body[0], 1, 4);
        return st ? st : shoal_scene_set_filter(t->scene, t->body[1], 4, UINT32_MAX);
    }
    for (int i = 0; i < TOYS && !st; i++)
        st = shoal_scene_set_static(t->scene, t->body[i], i == 1 || i == 3);
    return st;
}

// A body that comes to the place of one that went has no rule yet, though no box has changed.
TEST removed_bodies_take_their_rules_along(shoal_broad broad)
{
    for (int rule = 0; rule < 4; rule++) {
        toy_scene t;
        ASSERT(toys_start(&t, broad));
        ASSERT_EQ(10, meetings(&t));
        ASSERT_EQ(SHOAL_OK, toys_rule(&t, rule));
        static const size_t left[] = {6, 9, 8, 7}, then[] = {10, 10, 10, 6};
        ASSERT_EQ_FMT(left[rule], meetings(&t), "%zu");
        ASSERT_EQ_FMT(left[rule], meetings(&t), "%zu");
        ASSERT(exchange(&t, 1));
        ASSERT_EQ_FMT(then[rule], meetings(&t), "%zu");
        toys_end(&t);
    }
    PASS();
}

// A call with the pairs of before excludes those of the body that came instead.
TEST pairs_of_new_bodies(bool step)
{
    toy_scene t;
    ASSERT(toys_start(&t, SHOAL_BROAD_AUTO));
    ASSERT_EQ(SHOAL_OK, toys_rule(&t, 2));
    ASSERT_EQ_FMT((size_t)8, meetings(&t), "%zu");
    ASSERT(exchange(&t, 0) && exchange(&t, 1));
    ASSERT(!step || meetings(&t) == 10);
    ASSERT_EQ(SHOAL_OK, toys_rule(&t, 2));
    ASSERT_EQ_FMT((size_t)8, meetings(&t), "%zu");
    toys_end(&t);
    PASS();
}

// All three kinds of rules outlive a new model.
TEST rules_outlive_models(void)
{
    toy_scene t;
    ASSERT(toys_start(&t, SHOAL_BROAD_AUTO));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_filter(t.scene, t.body[0], 2, 1));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_filter(t.scene, t.body[1], 1, 1));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_static(t.scene, t.body[2], true));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_static(t.scene, t.body[3], true));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_excluded(t.scene, &t.body[2], &t.body[4], 1));
    ASSERT_EQ_FMT((size_t)7, meetings(&t), "%zu");
    const shoal_positions p = shoal_positions_f64(corners, 4);
    for (int i = 0; i < TOYS; i++) {
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_user_data(t.scene, t.body[i], 7u + (unsigned)i));
        ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(t.scene, t.body[i], t.model));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(t.scene, t.body[i], &p));
        uint64_t data = 0;
        ASSERT_EQ(SHOAL_OK, shoal_scene_user_data(t.scene, t.body[i], &data));
        ASSERT_EQ(7u + (unsigned)i, data);
    }
    ASSERT_EQ_FMT((size_t)7, meetings(&t), "%zu");
    toys_end(&t);
    PASS();
}

// --- Borrowed arrays of static bodies. ---

typedef struct array {
    double xyz[5 * 12];
    shoal_positions view;
} array;

// Two of the ways are gathered, one is read in place.
static void lend(const toy_scene *t, array *a, int turn, double at)
{
    const uint32_t *order = shoal_model_vertex_order(t->model);
    a->view = shoal_positions_f64(a->xyz, 4);
    a->view.hold = SHOAL_BORROW;
    a->view.order = turn ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
    a->view.stride = turn == 2 ? 5 : 3;
    for (uint32_t v = 0; v < 4; v++) {
        for (uint32_t k = 0; k < 3; k++)
            a->xyz[v * a->view.stride + k] = corners[3 * (turn ? order[v] : v) + k] + at;
    }
}

static void spoil(array *a)
{
    for (int i = 0; i < 5 * 12; i++)
        a->xyz[i] = NAN;
}

TEST static_bodies_are_read_once(int turn)
{
    toy_scene t;
    array a;
    ASSERT(toys_start(&t, SHOAL_BROAD_AUTO));
    lend(&t, &a, turn, 0.25);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(t.scene, t.body[0], &a.view));
    const size_t all = meetings(&t);
    ASSERT_EQ(10, all);
    // from the call on, and also when the body moves again
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_static(t.scene, t.body[0], true));
    spoil(&a);
    for (int i = 0; i < 4; i++) {
        ASSERT_EQ(all, meetings(&t));
        ASSERT_EQ(0, shoal_scene_bad_bodies(t.scene).count);
        if (i == 1)
            ASSERT_EQ(SHOAL_OK, shoal_scene_set_static(t.scene, t.body[0], false));
    }
    // borrowed again, and read in every step
    lend(&t, &a, turn, 0);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(t.scene, t.body[0], &a.view));
    ASSERT_EQ(all, meetings(&t));
    lend(&t, &a, turn, 9);
    ASSERT_EQ(6, meetings(&t));
    // of a static body only in the call
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_static(t.scene, t.body[0], true));
    lend(&t, &a, turn, 0);
    ASSERT_EQ(6, meetings(&t));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(t.scene, t.body[0], &a.view));
    spoil(&a);
    ASSERT_EQ(all, meetings(&t));
    toys_end(&t);
    PASS();
}

// --- Wrong calls. ---

TEST wrong_calls_change_nothing(void)
{
    toy_scene t;
    ASSERT(toys_start(&t, SHOAL_BROAD_AUTO));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_excluded(t.scene, &t.body[0], &t.body[1], 1));
    const shoal_body gone = t.body[4], null = {0, 0};
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(t.scene, gone));
    ASSERT_EQ(5, meetings(&t));
    uint64_t out = 3;
    t.lines = 0;
    const shoal_body stale[2] = {t.body[1], gone}, self[2] = {t.body[2], t.body[3]};
    const shoal_status got[] = {
        shoal_scene_set_excluded(t.scene, stale, self, 2),
        shoal_scene_set_filter(t.scene, gone, 0, 0),
        shoal_scene_set_static(t.scene, gone, true),
        shoal_scene_set_user_data(t.scene, gone, 1),
        shoal_scene_user_data(t.scene, gone, &out),
        shoal_scene_set_excluded(t.scene, &null, &t.body[0], 1),
        shoal_scene_set_excluded(t.scene, self, self, 2),
        shoal_scene_set_excluded(t.scene, NULL, self, 1),
        shoal_scene_set_excluded(t.scene, self, NULL, 1),
        shoal_scene_set_filter(t.scene, null, 0, 0),
        shoal_scene_set_static(t.scene, null, true),
        shoal_scene_user_data(t.scene, t.body[0], NULL),
        shoal_scene_set_max_rows(t.scene, 0, 1),
        shoal_scene_set_max_rows(t.scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST, 1),
        shoal_scene_set_max_rows(t.scene, 1u << 30, 1),
    };
    enum { CALLS = sizeof got / sizeof *got, STALE = 5 };
    for (int i = 0; i < CALLS; i++)
        ASSERT_EQ_FMT(i < STALE ? SHOAL_ERR_STALE : SHOAL_ERR_ARGUMENT, got[i], "%d");
    ASSERT_EQ_FMT((uint32_t)CALLS, t.lines, "%u");
    ASSERT_EQ(0, out);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_excluded(NULL, self, stale, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_model_set_user_data(NULL, 1));
    ASSERT_EQ(0, shoal_model_user_data(NULL));
    ASSERT_EQ(0, shoal_model_user_data(t.model));
    ASSERT_EQ(SHOAL_OK, shoal_model_set_user_data(t.model, UINT64_MAX));
    ASSERT_EQ(UINT64_MAX, shoal_model_user_data(t.model));
    ASSERT_EQ(5, meetings(&t)); // bodies 0 and 1 are still kept apart
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_excluded(t.scene, NULL, NULL, 0));
    ASSERT_EQ(6, meetings(&t));
    toys_end(&t);
    PASS();
}

// Without memory a body stays what it was, and so do the excluded pairs.
TEST failed_calls_change_nothing(void)
{
    toy_scene t;
    array a;
    ASSERT(toys_start(&t, SHOAL_BROAD_AUTO));
    // a body that has no array of its own yet
    ASSERT_EQ(SHOAL_OK, shoal_scene_replace_model(t.scene, t.body[0], t.model));
    enum { MANY = 1000 }; // pairs, more than there is memory for
    static shoal_body one[MANY], two[MANY];
    for (int i = 0; i < MANY; i++) {
        one[i] = t.body[i % 4];
        two[i] = t.body[4];
    }
    lend(&t, &a, 1, 9);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(t.scene, t.body[0], &a.view));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_excluded(t.scene, one, two, 1));
    ASSERT_EQ(6, meetings(&t));
    no_memory = true;
    const shoal_status excluded = shoal_scene_set_excluded(t.scene, one, two, MANY);
    const shoal_status still = shoal_scene_set_static(t.scene, t.body[0], true);
    no_memory = false;
    ASSERT(excluded == SHOAL_ERR_MEMORY && still == SHOAL_ERR_MEMORY);
    ASSERT_EQ(2, t.lines);
    ASSERT_EQ(6, meetings(&t));
    lend(&t, &a, 1, 0); // still read in each step
    ASSERT_EQ(9, meetings(&t));
    toys_end(&t);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    static const char *const names[] = {"many",           "single",        "one_vertex",
                                        "soups",          "reduced_mixed", "skinned_mixed",
                                        "reduced_lattice"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        RUN_TEST1(one_world, names[i]);
    for (shoal_broad b = SHOAL_BROAD_AUTO; b <= SHOAL_BROAD_INCREMENTAL; b++)
        RUN_TEST1(removed_bodies_take_their_rules_along, b);
    RUN_TEST1(pairs_of_new_bodies, false);
    RUN_TEST1(pairs_of_new_bodies, true);
    RUN_TEST(rules_outlive_models);
    for (int turn = 0; turn < 3; turn++)
        RUN_TEST1(static_bodies_are_read_once, turn);
    RUN_TEST(wrong_calls_change_nothing);
    RUN_TEST(failed_calls_change_nothing);
    GREATEST_MAIN_END();
}
