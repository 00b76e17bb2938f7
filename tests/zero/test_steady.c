// SPDX-License-Identifier: MIT
// A steady scene allocates nothing from its third step on, by the library's own count and by
// the user's allocator.
#include "run.h"

#include "greatest.h"

#include <shoal/study.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60 };

static _Atomic long allocations, bytes_held;

static void *count_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&bytes_held, (long)size);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void count_release(void *user, void *memory, size_t size)
{
    (void)user;
    atomic_fetch_sub(&bytes_held, (long)size);
    free(memory);
}

typedef struct steady {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[WORLD_BODIES];
} steady;

static bool start(steady *t, const world *w, shoal_executor executor, uint32_t threads,
                  double list_margin)
{
    shoal_context_def cd = shoal_context_def_default();
    cd.allocator = (shoal_allocator){count_alloc, count_release, NULL};
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = executor;
    sd.threads = threads;
    sd.list_margin = list_margin;
    if (shoal_context_create(&cd, &t->ctx) || shoal_scene_create(t->ctx, &sd, &t->scene))
        return false;
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model *model = kind_model_of(t->ctx, w, b);
        const bool added = kind_add(t->scene, model, w, b, &t->body[b]) == SHOAL_OK;
        shoal_model_destroy(model);
        if (!added)
            return false;
    }
    return true;
}

// Rules of all kinds, and a bound that holds.
static bool filter(const steady *t, const world *w)
{
    bool good = !shoal_scene_set_excluded(t->scene, &t->body[0], &t->body[1], 1) &&
                !shoal_scene_set_max_rows(t->scene, SHOAL_QUERY_PAIRS, 1 << 20);
    for (uint32_t b = 0; b < w->body_count; b++)
        good = good &&
               !shoal_scene_set_filter(t->scene, t->body[b], 1u << b % 3, ~(1u << b % 2)) &&
               !shoal_scene_set_static(t->scene, t->body[b], b % 4 == 1);
    return good;
}

static bool set_all(const steady *t, const world *w, uint32_t step, shoal_hold hold)
{
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_positions p = shoal_positions_f64(w->xyz[step][b], w->mesh[b].vertex_count);
        p.hold = hold;
        if (!kind_is_free(w, b)) {
            if (kind_set(t->scene, t->body[b], w, b, step) != SHOAL_OK)
                return false;
            continue;
        }
        if (shoal_scene_set_positions(t->scene, t->body[b], &p) != SHOAL_OK)
            return false;
    }
    return true;
}

static uint32_t kind_named(const char *name)
{
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        if (strcmp(world_name(kind), name) == 0)
            return kind;
    }
    abort();
}

// `moving` goes to and fro between two poses, and is steady once it has seen both.
TEST nothing_is_allocated(const char *name, shoal_executor executor, uint32_t threads,
                          bool moving)
{
    world *w = world_make(kind_named(name));
    atomic_store(&bytes_held, 0);
    for (uint32_t set = 0; set < QUERY_SETS; set++) {
        steady t = {0};
        ASSERT(start(&t, w, executor, threads, set % 4 < 2 ? 0 : 0.01));
        ASSERT(set % 3 || filter(&t, w));
        uint64_t hash[2] = {0};
        for (uint32_t s = 0; s < STEPS; s++) {
            const long before = atomic_load(&allocations);
            const uint32_t pose = moving ? s % 2 : 0;
            ASSERT(set_all(&t, w, pose, set % 2 ? SHOAL_BORROW : SHOAL_COPY));
            ASSERT_EQ(SHOAL_OK, shoal_scene_step(t.scene, way_queries(set)));
            if (s < 2)
                hash[pose] = shoal_scene_hash(t.scene);
            ASSERT_EQ(hash[pose], shoal_scene_hash(t.scene));
            if (s < 2)
                continue;
            ASSERT_EQ_FMT(0l, atomic_load(&allocations) - before, "%ld");
            ASSERT_EQ(0, shoal_scene_stats(t.scene).allocations);
        }
        shoal_scene_destroy(t.scene);
        shoal_context_destroy(t.ctx);
        ASSERT_EQ_FMT(0l, atomic_load(&bytes_held), "%ld");
    }
    world_free(w);
    PASS();
}

SUITE(steady_scenes)
{
    static const char *const names[] = {"lattice", "soups", "many"};
    RUN_TESTp(nothing_is_allocated, "reduced_lattice", SHOAL_EXECUTOR_OMP, 2, true);
    RUN_TESTp(nothing_is_allocated, "skinned_lattice", SHOAL_EXECUTOR_OMP, 2, true);
    RUN_TESTp(nothing_is_allocated, "skinned_mixed", SHOAL_EXECUTOR_LOOPS, 3, true);
    for (int i = 0; i < 3; i++) {
        for (int moving = 0; moving < 2; moving++) {
            RUN_TESTp(nothing_is_allocated, names[i], SHOAL_EXECUTOR_OMP, 2, moving);
            RUN_TESTp(nothing_is_allocated, names[i], SHOAL_EXECUTOR_OMP, 3, moving);
        }
        RUN_TESTp(nothing_is_allocated, names[i], SHOAL_EXECUTOR_SERIAL, 1, false);
        RUN_TESTp(nothing_is_allocated, names[i], SHOAL_EXECUTOR_LOOPS, 2, false);
    }
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(steady_scenes);
    GREATEST_MAIN_END();
}
