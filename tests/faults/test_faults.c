// SPDX-License-Identifier: MIT
// A whole session in which the nth allocation fails, for every n: a status, no leak, empty
// results, and the right ones when the call is made again.
#include "run.h"

#include "greatest.h"

#include <shoal/study.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic long countdown; // allocations until the failure; negative: none comes
static _Atomic long bytes_held, blocks_held;
static bool lasting;                  // all later ones fail too, until the caller has seen it
static _Atomic bool failing, reached; // reached: one has failed, seen or not
static uint32_t failures, lines;

static void *fault_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (atomic_load(&failing))
        return NULL;
    if (atomic_load(&countdown) >= 0 && atomic_fetch_sub(&countdown, 1) == 0) {
        atomic_store(&failing, lasting);
        atomic_store(&reached, true);
        return NULL;
    }
    atomic_fetch_add(&bytes_held, (long)size);
    atomic_fetch_add(&blocks_held, 1);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void fault_release(void *user, void *memory, size_t size)
{
    (void)user;
    atomic_fetch_sub(&bytes_held, (long)size);
    atomic_fetch_sub(&blocks_held, 1);
    free(memory);
}

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    (void)text;
    lines += status == SHOAL_ERR_MEMORY;
}

// Was it the failure we made? Then memory is there again and the call is worth repeating.
static bool retry(shoal_status st)
{
    if (st != SHOAL_ERR_MEMORY || failures)
        return false;
    failures++;
    atomic_store(&failing, false);
    atomic_store(&countdown, -1);
    return true;
}

typedef struct session {
    const world *w;
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[WORLD_BODIES];
    double list_margin;
    bool distances; // asks for these instead of pairs, by `engine`
    bool ruled;     // rules stay, and one list is too long at first; asks for everything
    shoal_distance_engine engine;
} session;

enum { STEPS_MOST = 8 };
static uint64_t known_hash[STEPS_MOST]; // of a session in which nothing fails
static uint64_t known_rows[STEPS_MOST]; // of the list that was too long
static bool hashes_known;

static bool make_context(session *s)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){fault_alloc, fault_release, NULL};
    cd.log = log_line;
    shoal_status st;
    do {
        st = shoal_context_create(&cd, &s->ctx);
        if (st != SHOAL_OK && s->ctx)
            return false;
    } while (retry(st));
    return st == SHOAL_OK;
}

static bool make_scene(session *s, shoal_executor executor, shoal_strategy strategy)
{
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.threads = 2;
    sd.strategy = strategy;
    sd.list_margin = s->list_margin;
    sd.distance_engine = s->engine;
    sd.within = 0.5;
    static const shoal_broad broads[4] = {SHOAL_BROAD_TREE, SHOAL_BROAD_SWEEP,
                                          SHOAL_BROAD_INCREMENTAL, SHOAL_BROAD_BRUTE};
    sd.broad = broads[(executor + strategy) % 4];
    shoal_status st;
    do {
        st = shoal_scene_create(s->ctx, &sd, &s->scene);
        if (st != SHOAL_OK && s->scene)
            return false;
    } while (retry(st));
    return st == SHOAL_OK;
}

static bool add_body(session *s, uint32_t b)
{
    shoal_positions poses[2];
    shoal_model_def def =
        model_def_of(&s->w->mesh[b], (shoal_builder)(b % 5), 2u << b % 3, poses);
    const world_reduced *r = &s->w->reduced[b];
    const shoal_skinned_def skinned = skinned_def_of(&s->w->skinned[b]);
    def.skinned = s->w->skinned[b].used ? &skinned : NULL;
    def.reducible = r->used;
    def.fields = r->fields;
    def.field_count = r->field_count;
    def.sphere_level = r->used ? 3 : -1;
    shoal_model *model = NULL;
    shoal_status st;
    do
        st = shoal_model_create(s->ctx, &def, &model);
    while (retry(st));
    if (st != SHOAL_OK)
        return false;
    do
        st = kind_add(s->scene, model, s->w, b, &s->body[b]);
    while (retry(st));
    shoal_model_destroy(model);
    return st == SHOAL_OK && s->body[b].index1 == b + 1;
}

static bool set_body(const session *s, uint32_t b, uint32_t step)
{
    shoal_positions p = shoal_positions_f64(s->w->xyz[step][b], s->w->mesh[b].vertex_count);
    p.hold = b % 2 ? SHOAL_BORROW : SHOAL_COPY;
    if (!kind_is_free(s->w, b)) // needs no memory
        return kind_set(s->scene, s->body[b], s->w, b, step) == SHOAL_OK;
    shoal_status st;
    do
        st = shoal_scene_set_positions(s->scene, s->body[b], &p);
    while (retry(st));
    return st == SHOAL_OK;
}

// Rules that need memory; those that keep bodies apart are taken back before the step, so that
// the truth stays as it is.
static bool set_rules(const session *s, uint32_t number)
{
    shoal_status st;
    do
        st = shoal_scene_set_static(s->scene, s->body[1], number % 2);
    while (retry(st));
    if (st != SHOAL_OK)
        return false;
    const shoal_body a[2] = {s->body[0], s->body[0]}, b[2] = {s->body[2], s->body[1]};
    do
        st = shoal_scene_set_excluded(s->scene, a, b, number % 3);
    while (retry(st));
    return st == SHOAL_OK && shoal_scene_set_excluded(s->scene, NULL, NULL, 0) == SHOAL_OK;
}

static bool nothing_found(const shoal_scene *scene)
{
    return !(shoal_scene_pairs(scene).count || shoal_scene_self_pairs(scene).count ||
             shoal_scene_first_pairs(scene).count || shoal_scene_sphere_contacts(scene).count ||
             shoal_scene_nearest(scene).count || shoal_scene_within(scene).count ||
             shoal_scene_nearest_triangles(scene).count ||
             shoal_scene_nearest_self(scene).count || shoal_scene_bad_bodies(scene).count ||
             shoal_scene_hash(scene));
}

static bool distance_step(const session *s, uint32_t number)
{
    const uint32_t queries = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                             SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF;
    shoal_status st;
    do {
        st = shoal_scene_step(s->scene, queries);
        if (st != SHOAL_OK && !nothing_found(s->scene))
            return false;
    } while (retry(st));
    if (st != SHOAL_OK || shoal_scene_nearest(s->scene).count != s->w->body_count ||
        !shoal_scene_nearest_triangles(s->scene).count)
        return false;
    const uint64_t hash = shoal_scene_hash(s->scene);
    if (!hashes_known)
        known_hash[number] = hash;
    return hash == known_hash[number];
}

// Rules that keep bodies apart, others in each step.
static bool keep_rules(const session *s, uint32_t number)
{
    const shoal_body *body = s->body;
    shoal_status st = shoal_scene_set_filter(s->scene, body[0], 1 + number % 2, UINT32_MAX);
    for (uint32_t b = 1; b <= 2 && st == SHOAL_OK; b++) {
        do
            st = shoal_scene_set_static(s->scene, body[b], number > 1);
        while (retry(st));
    }
    const shoal_body a[2] = {body[0], body[1]}, b[2] = {body[2], body[2]};
    static const size_t excluded[] = {0, 1, 0, 2};
    if (st != SHOAL_OK)
        return false;
    do
        st = shoal_scene_set_excluded(s->scene, a, b, excluded[number]);
    while (retry(st));
    return st == SHOAL_OK;
}

// Steps until none fails for want of memory: no results, and no count of rows.
static shoal_status step_again(const session *s, uint32_t queries, uint32_t query)
{
    shoal_status st;
    do {
        st = shoal_scene_step(s->scene, queries);
        if (st != SHOAL_OK && !nothing_found(s->scene))
            return SHOAL_ERR_ARGUMENT;
        if (st == SHOAL_ERR_MEMORY && shoal_scene_row_count(s->scene, query) > 0)
            return SHOAL_ERR_ARGUMENT;
    } while (retry(st));
    return st;
}

// A step with a list that is too long, and the same without a bound.
static bool ruled_step(const session *s, uint32_t number)
{
    const bool spheres = s->w->reduced[0].used;
    static const uint32_t lists[2][4] = {
        {SHOAL_QUERY_PAIRS, SHOAL_QUERY_WITHIN, SHOAL_QUERY_FIRST,
         SHOAL_QUERY_NEAREST_TRIANGLES},
        {SHOAL_QUERY_PAIRS, SHOAL_QUERY_SPHERES, SHOAL_QUERY_FIRST, SHOAL_QUERY_SELF}};
    const uint32_t query = lists[spheres][number % 4];
    const uint32_t all =
        SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF |
        (spheres ? SHOAL_QUERY_SPHERES
                 : SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES |
                       SHOAL_QUERY_NEAREST_SELF);
    if (!keep_rules(s, number) || shoal_scene_set_max_rows(s->scene, query, 1) ||
        step_again(s, all, query) != SHOAL_ERR_LIMIT)
        return false;
    const uint64_t rows = shoal_scene_row_count(s->scene, query);
    if (shoal_scene_set_max_rows(s->scene, query, 0) || step_again(s, all, query) != SHOAL_OK ||
        shoal_scene_row_count(s->scene, query) != rows)
        return false;
    const uint64_t hash = shoal_scene_hash(s->scene);
    if (!hashes_known) {
        known_hash[number] = hash;
        known_rows[number] = rows;
    }
    return hash == known_hash[number] && rows == known_rows[number];
}

static bool step(const session *s, uint32_t number)
{
    if (s->distances)
        return distance_step(s, number);
    // All queries together come first: they need the most.
    const uint32_t queries = way_queries(QUERY_SETS - 1 - number % QUERY_SETS) |
                             (s->w->reduced[0].used ? SHOAL_QUERY_SPHERES : 0);
    shoal_status st;
    do {
        st = shoal_scene_step(s->scene, queries);
        if (st != SHOAL_OK && !nothing_found(s->scene))
            return false;
    } while (retry(st));
    if (st != SHOAL_OK)
        return false;
    return results_true(&s->w->truth[number % s->w->step_count], queries, s->scene);
}

static bool play(session *s, shoal_executor executor, shoal_strategy strategy)
{
    if ((!s->ctx && !make_context(s)) || !make_scene(s, executor, strategy))
        return false;
    for (uint32_t b = 0; b < s->w->body_count; b++) {
        if (!add_body(s, b))
            return false;
    }
    const bool slow = s->w->reduced[0].used;
    const uint32_t steps = s->ruled ? (slow ? 3 : 4) : slow || s->distances ? 5 : STEPS_MOST;
    for (uint32_t number = 0; number < steps; number++) {
        for (uint32_t b = 0; b < s->w->body_count; b++) {
            if (!set_body(s, b, number % s->w->step_count))
                return false;
        }
        if (!(s->ruled ? ruled_step(s, number) : set_rules(s, number) && step(s, number)))
            return false;
        if (number == 3) { // positions come with the next step
            if (shoal_scene_remove(s->scene, s->body[1]) != SHOAL_OK || !add_body(s, 1))
                return false;
        }
    }
    return true;
}

static world *world_named(const char *name)
{
    world *w = NULL;
    for (uint32_t kind = 0; kind < world_kinds() && !w; kind++)
        w = strcmp(world_name(kind), name) == 0 ? world_make(kind) : NULL;
    return w;
}

// Sessions like `how`, each with one more allocation that succeeds before the one that fails.
static enum greatest_test_res fail_in_turn(const session *how, shoal_executor executor,
                                           shoal_strategy strategy, bool stays)
{
    lasting = stays;
    // Contexts look at the machine, which is slow: after the first session one is kept.
    shoal_context *ctx = NULL;
    long n = 0;
    for (atomic_store(&reached, true); atomic_load(&reached); n++) {
        failures = lines = 0;
        atomic_store(&reached, false);
        atomic_store(&countdown, n);
        atomic_store(&failing, false);
        const long bytes = atomic_load(&bytes_held), blocks = atomic_load(&blocks_held);
        session s = *how;
        s.ctx = ctx;
        const bool good = play(&s, executor, strategy);
        shoal_scene_destroy(s.scene);
        if (n == 0)
            shoal_context_destroy(s.ctx);
        else
            ctx = s.ctx;
        if (!good)
            printf("\nallocation %ld: %s\n", n, way_fault());
        ASSERT(good);
        if (n != 1) { // the session that made the context that stays
            ASSERT_EQ_FMT(bytes, atomic_load(&bytes_held), "%ld");
            ASSERT_EQ_FMT(blocks, atomic_load(&blocks_held), "%ld");
        }
        ASSERT_EQ_FMT(failures, lines, "%u");
    }
    shoal_context_destroy(ctx);
    ASSERT_EQ_FMT(0l, atomic_load(&bytes_held), "%ld");
    ASSERT(n > 100);
    PASS();
}

TEST any_allocation_may_fail(const char *name, shoal_executor executor, shoal_strategy strategy,
                             bool stays, double list_margin)
{
    world *w = world_named(name);
    ASSERT(w);
    world_find_truth(w);
    const session how = {.w = w, .list_margin = list_margin};
    CHECK_CALL(fail_in_turn(&how, executor, strategy, stays));
    world_free(w);
    PASS();
}

// Once without a failure, for the hashes.
static enum greatest_test_res as_without_failure(const session *how, shoal_executor executor,
                                                 bool stays)
{
    session clean = *how;
    atomic_store(&countdown, -1);
    atomic_store(&failing, false);
    hashes_known = false;
    ASSERT(play(&clean, executor, SHOAL_STRATEGY_AUTO));
    shoal_scene_destroy(clean.scene);
    shoal_context_destroy(clean.ctx);
    hashes_known = true;
    return fail_in_turn(how, executor, SHOAL_STRATEGY_AUTO, stays);
}

TEST distances_survive_it(const char *name, shoal_executor executor,
                          shoal_distance_engine engine, bool stays)
{
    world *w = world_named(name);
    ASSERT(w);
    const session how = {.w = w, .distances = true, .engine = engine};
    CHECK_CALL(as_without_failure(&how, executor, stays));
    world_free(w);
    PASS();
}

TEST rules_survive_it(const char *name, shoal_executor executor, shoal_distance_engine engine,
                      bool stays)
{
    world *w = world_named(name);
    ASSERT(w && w->body_count > 2);
    const session how = {.w = w, .ruled = true, .engine = engine};
    CHECK_CALL(as_without_failure(&how, executor, stays));
    world_free(w);
    PASS();
}

SUITE(faults)
{
    RUN_TESTp(any_allocation_may_fail, "sizes", SHOAL_EXECUTOR_SERIAL, SHOAL_STRATEGY_HYBRID,
              false, 0);
    RUN_TESTp(any_allocation_may_fail, "soups", SHOAL_EXECUTOR_OMP, SHOAL_STRATEGY_BOTTOM_UP,
              false, 0);
    RUN_TESTp(any_allocation_may_fail, "soups", SHOAL_EXECUTOR_OMP, SHOAL_STRATEGY_HYBRID, true,
              0);
    RUN_TESTp(any_allocation_may_fail, "soups", SHOAL_EXECUTOR_OMP, SHOAL_STRATEGY_AUTO, false,
              0);
    RUN_TESTp(any_allocation_may_fail, "soups", SHOAL_EXECUTOR_SERIAL, SHOAL_STRATEGY_HYBRID,
              false, 0.5);
    RUN_TESTp(any_allocation_may_fail, "soups", SHOAL_EXECUTOR_SERIAL, SHOAL_STRATEGY_AUTO,
              false, 0.5);
    RUN_TESTp(any_allocation_may_fail, "reduced_lattice", SHOAL_EXECUTOR_OMP,
              SHOAL_STRATEGY_HYBRID, false, 0);
    RUN_TESTp(any_allocation_may_fail, "skinned_lattice", SHOAL_EXECUTOR_OMP,
              SHOAL_STRATEGY_HYBRID, false, 0);
    RUN_TESTp(any_allocation_may_fail, "one_vertex", SHOAL_EXECUTOR_LOOPS,
              SHOAL_STRATEGY_HYBRID, true, 0);
    RUN_TESTp(distances_survive_it, "soups", SHOAL_EXECUTOR_SERIAL, SHOAL_DISTANCE_TREES,
              false);
    RUN_TESTp(distances_survive_it, "soups", SHOAL_EXECUTOR_OMP, SHOAL_DISTANCE_GRID, false);
    RUN_TESTp(distances_survive_it, "skinned_lattice", SHOAL_EXECUTOR_OMP, SHOAL_DISTANCE_GRID,
              true);
    RUN_TESTp(distances_survive_it, "reduced_lattice", SHOAL_EXECUTOR_SERIAL,
              SHOAL_DISTANCE_AUTO, false);
    RUN_TESTp(rules_survive_it, "soups", SHOAL_EXECUTOR_OMP, SHOAL_DISTANCE_TREES, false);
    RUN_TESTp(rules_survive_it, "soups", SHOAL_EXECUTOR_SERIAL, SHOAL_DISTANCE_GRID, true);
    RUN_TESTp(rules_survive_it, "reduced_lattice", SHOAL_EXECUTOR_SERIAL, SHOAL_DISTANCE_TREES,
              false);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(faults);
    GREATEST_MAIN_END();
}
