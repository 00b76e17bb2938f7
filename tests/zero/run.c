// SPDX-License-Identifier: MIT
#include "run.h"

#include <math.h>
#include <shoal/study.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const uint8_t factor_values[FACTORS] = {6, 3, 7, 3, 2, 2, 3, 5, QUERY_SETS, 5, 3, 4, 3, 4, 3};

static char fault[400];

const char *way_fault(void)
{
    return fault;
}

__attribute__((format(printf, 1, 2))) static bool wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(fault, sizeof fault, format, args);
    va_end(args);
    return false;
}

uint32_t way_queries(uint32_t set)
{
    static const uint32_t sets[QUERY_SETS] = {SHOAL_QUERY_PAIRS,
                                              SHOAL_QUERY_FIRST,
                                              SHOAL_QUERY_SELF,
                                              SHOAL_QUERY_SELF_ADJACENT,
                                              SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST,
                                              SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF,
                                              SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF_ADJACENT,
                                              SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST |
                                                  SHOAL_QUERY_SELF | SHOAL_QUERY_SELF_ADJACENT};
    return sets[set];
}

// --- Ways. ---

typedef struct met {
    bool pair[FACTORS][8][FACTORS][8];
} met;

static uint32_t gain(met *seen, const way *w, bool mark)
{
    uint32_t count = 0;
    for (int i = 0; i < FACTORS; i++) {
        for (int k = i + 1; k < FACTORS; k++) {
            bool *cell = &seen->pair[i][w->value[i]][k][w->value[k]];
            count += !*cell;
            *cell |= mark;
        }
    }
    return count;
}

uint32_t ways_pairwise(way *out, uint32_t capacity)
{
    static met seen;
    memset(&seen, 0, sizeof seen);
    uint32_t left = 0, count = 0;
    for (int i = 0; i < FACTORS; i++) {
        for (int k = i + 1; k < FACTORS; k++)
            left += (uint32_t)factor_values[i] * factor_values[k];
    }
    uint64_t seed = 1;
    while (left && count < capacity) {
        way best = {{0}};
        uint32_t most = 0;
        for (int attempt = 0; attempt < 200; attempt++) {
            way w;
            for (int i = 0; i < FACTORS; i++)
                w.value[i] = (uint8_t)(world_random(&seed) % factor_values[i]);
            const uint32_t g = gain(&seen, &w, false);
            if (g > most) {
                most = g;
                best = w;
            }
        }
        if (most) {
            left -= gain(&seen, &best, true);
            out[count++] = best;
        }
    }
    return left ? 0 : count;
}

// --- Comparing. ---

_Static_assert(sizeof(shoal_pair) == sizeof(oracle_pair), "both are four numbers in order");

static bool same_list(const char *what, const shoal_pair *got, size_t got_count,
                      const oracle_pair *want, size_t want_count)
{
    for (size_t i = 0; i < got_count && i < want_count; i++) {
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            return wrong("%s %zu of %zu: got (%u %u, %u %u), want (%u %u, %u %u)", what, i,
                         want_count, got[i].body_a, got[i].triangle_a, got[i].body_b,
                         got[i].triangle_b, want[i].body_a, want[i].tri_a, want[i].body_b,
                         want[i].tri_b);
    }
    if (got_count != want_count)
        return wrong("%s: got %zu, want %zu", what, got_count, want_count);
    return true;
}

static int by_fields(const void *left, const void *right)
{
    const shoal_pair *a = left, *b = right;
    const uint32_t p[4] = {a->body_a, a->triangle_a, a->body_b, a->triangle_b};
    const uint32_t q[4] = {b->body_a, b->triangle_a, b->body_b, b->triangle_b};
    for (int i = 0; i < 4; i++) {
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    }
    return 0;
}

static bool hits_true(const truth *t, const shoal_scene *scene)
{
    const shoal_pairs first = shoal_scene_first_pairs(scene);
    static bool want[WORLD_BODIES][WORLD_BODIES];
    memset(want, 0, sizeof want);
    size_t count = 0;
    for (size_t i = 0; i < t->pair_count; i++) {
        bool *cell = &want[t->pairs[i].body_a][t->pairs[i].body_b];
        count += !*cell;
        *cell = true;
    }
    if (first.count != count)
        return wrong("hits: got %zu, want %zu", first.count, count);
    for (size_t i = 0; i < count; i++) {
        const shoal_pair *h = &first.rows[i];
        if (i && (h[-1].body_a > h->body_a ||
                  (h[-1].body_a == h->body_a && h[-1].body_b >= h->body_b)))
            return wrong("hit %zu is out of order", i);
        if (!bsearch(h, t->pairs, t->pair_count, sizeof *h, by_fields))
            return wrong("hit %zu: (%u %u, %u %u) do not meet", i, h->body_a, h->triangle_a,
                         h->body_b, h->triangle_b);
    }
    return true;
}

bool results_true(const truth *t, uint32_t queries, const shoal_scene *scene)
{
    const shoal_pairs found_pairs = shoal_scene_pairs(scene);
    const shoal_pairs found_self = shoal_scene_self_pairs(scene);
    const shoal_body_numbers found_bad = shoal_scene_bad_bodies(scene);
    const bool pairs = queries & SHOAL_QUERY_PAIRS, first = queries & SHOAL_QUERY_FIRST;
    const bool adjacent = queries & SHOAL_QUERY_SELF_ADJACENT;
    const bool self = adjacent || queries & SHOAL_QUERY_SELF;
    if (found_bad.count != t->bad_count)
        return wrong("%zu bad bodies", found_bad.count);
    if (!same_list("pair", found_pairs.rows, found_pairs.count, t->pairs,
                   pairs ? t->pair_count : 0))
        return false;
    if (!same_list("self pair", found_self.rows, found_self.count, t->self[adjacent],
                   self ? t->self_count[adjacent] : 0))
        return false;
    if (!first && shoal_scene_first_pairs(scene).count)
        return wrong("hits without being asked");
    return !first || hits_true(t, scene);
}

// --- Running. ---

// The user's side of a body: an array that ends with its last scalar.
typedef struct feed {
    shoal_positions view;
    void *memory;
    bool set;
} feed;

static feed feed_make(const way *how, uint32_t body, uint32_t count, bool floats)
{
    feed f = {.view = {.count = count}};
    shoal_positions *p = &f.view;
    const bool wide =
        !floats || how->value[SCALAR] == 1 || (how->value[SCALAR] == 2 && body % 2);
    p->scalar = wide ? SHOAL_F64 : SHOAL_F32;
    p->order = how->value[ORDER] ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
    p->hold = how->value[HOLD] ? SHOAL_BORROW : SHOAL_COPY;
    static const size_t strides[3] = {3, 1, 5};
    p->stride = strides[how->value[LAYOUT]];
    const size_t size = wide ? sizeof(double) : sizeof(float);
    const size_t axis = p->stride == 1 ? count : 1;
    const size_t scalars = (count - (size_t)1) * p->stride + 2 * axis + 1;
    f.memory = malloc(scalars * size);
    if (!f.memory)
        abort();
    p->x = f.memory;
    p->y = (char *)f.memory + axis * size;
    p->z = (char *)f.memory + 2 * axis * size;
    return f;
}

static void feed_write(feed *f, const uint32_t *order, const double *xyz)
{
    const shoal_positions *p = &f->view;
    void *axis[3] = {(void *)p->x, (void *)p->y, (void *)p->z};
    for (uint32_t i = 0; i < p->count; i++) {
        const size_t v = p->order == SHOAL_ORDER_TREE ? order[i] : i;
        for (int k = 0; k < 3; k++) {
            if (p->scalar == SHOAL_F32)
                ((float *)axis[k])[i * p->stride] = (float)xyz[3 * v + (size_t)k];
            else
                ((double *)axis[k])[i * p->stride] = xyz[3 * v + (size_t)k];
        }
    }
}

shoal_model_def model_def_of(const world_mesh *mesh, shoal_builder builder, uint32_t arity,
                             shoal_positions poses[2])
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh->tri;
    def.triangle_count = mesh->triangle_count;
    def.rest = shoal_positions_f64(mesh->rest, mesh->vertex_count);
    def.builder = builder;
    def.arity = arity;
    if (builder != SHOAL_BUILDER_POSES)
        return def;
    poses[0] = poses[1] = def.rest;
    poses[1].x = def.rest.y; // a mirror image
    poses[1].y = def.rest.x;
    def.poses = poses;
    def.pose_count = 2;
    return def;
}

static shoal_model *make_model(shoal_context *ctx, const world_mesh *mesh,
                               shoal_builder builder, uint32_t arity)
{
    shoal_positions poses[2];
    const shoal_model_def def = model_def_of(mesh, builder, arity, poses);
    shoal_model *model;
    if (shoal_model_create(ctx, &def, &model))
        abort();
    return model;
}

shoal_model *model_of(shoal_context *ctx, const world_mesh *mesh)
{
    return make_model(ctx, mesh, SHOAL_BUILDER_SURFACE_AREA, 8);
}

shoal_model *model_of_stranger(shoal_context *ctx, const world_mesh *mesh)
{
    world_mesh odd = *mesh;
    uint64_t seed = 11;
    odd.rest = malloc(3 * sizeof *odd.rest * mesh->vertex_count);
    if (!odd.rest)
        abort();
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        odd.rest[i] = world_unit(&seed);
    shoal_model *model = model_of(ctx, &odd);
    free(odd.rest);
    return model;
}

typedef struct runner {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model[WORLD_BODIES];
    shoal_body body[WORLD_BODIES];
    feed feed[WORLD_BODIES];
    bool reduced[WORLD_BODIES], skinned[WORLD_BODIES];
} runner;

// Contexts look at the machine, which is slow; all runs share three.
enum { CPUS = SHOAL_CPU_AVX512 + 1 };
static shoal_context *contexts[CPUS];

static void drop_contexts(void)
{
    for (int cpu = 0; cpu < CPUS; cpu++)
        shoal_context_destroy(contexts[cpu]);
}

static shoal_context *context_for(int cpu)
{
    shoal_context_def def = shoal_context_def_default();
    if (!contexts[0] && !contexts[1] && !contexts[2])
        atexit(drop_contexts);
    def.cpu = (shoal_cpu)cpu;
    if (!contexts[cpu] && shoal_context_create(&def, &contexts[cpu]))
        abort();
    return contexts[cpu];
}

static bool start(runner *r, const world *w, const way *how)
{
    shoal_scene_def sd = shoal_scene_def_default();
    static const shoal_executor executors[7] = {
        SHOAL_EXECUTOR_SERIAL, SHOAL_EXECUTOR_OMP,   SHOAL_EXECUTOR_OMP,  SHOAL_EXECUTOR_OMP,
        SHOAL_EXECUTOR_LOOPS,  SHOAL_EXECUTOR_LOOPS, SHOAL_EXECUTOR_GUARD};
    static const uint32_t threads[7] = {1, 1, 2, 3, 1, 2, 1};
    sd.executor = executors[how->value[EXECUTOR]];
    sd.threads = threads[how->value[EXECUTOR]];
    static const shoal_strategy strategies[] = {
        SHOAL_STRATEGY_HYBRID,  SHOAL_STRATEGY_BOTTOM_UP, SHOAL_STRATEGY_TOP_DOWN,
        SHOAL_STRATEGY_OPTIMAL, SHOAL_STRATEGY_AUTO,      SHOAL_STRATEGY_AUTO};
    sd.strategy = strategies[how->value[STRATEGY]];
    static const shoal_broad broads[5] = {SHOAL_BROAD_BRUTE, SHOAL_BROAD_SWEEP,
                                          SHOAL_BROAD_TREE, SHOAL_BROAD_INCREMENTAL,
                                          SHOAL_BROAD_AUTO};
    sd.broad = broads[how->value[BROAD]];
    if (how->value[STRATEGY] == 5)
        sd.rebuild_ratio = 0.5; // a new tree for every body in every step
    static const double list_margins[] = {0, 1e-3,
                                          2}; // the last outlives most steps of most worlds
    sd.list_margin = list_margins[how->value[LIST_MARGIN]];
    r->ctx = context_for(how->value[CPU]);
    if (shoal_scene_create(r->ctx, &sd, &r->scene))
        return wrong("could not start");
    static const shoal_bounds bounds[3] = {SHOAL_BOUNDS_AFFINE, SHOAL_BOUNDS_BOXES,
                                           SHOAL_BOUNDS_SPHERES};
    for (uint32_t b = 0; b < w->body_count; b++) {
        // bodies of a world differ by arity, so that trees of two kinds meet
        const shoal_builder builder = (shoal_builder)how->value[BUILDER];
        const uint32_t arity = 2u << (how->value[ARITY] + b) % 3;
        r->reduced[b] = w->reduced[b].used && how->value[BOUNDS] < 3;
        if (r->reduced[b]) {
            r->model[b] = make_reduced(r->ctx, &w->mesh[b], &w->reduced[b],
                                       bounds[how->value[BOUNDS]], builder, arity);
            if (shoal_scene_add_reduced(r->scene, r->model[b], &r->body[b]))
                return wrong("could not add body %u", b);
            continue;
        }
        r->skinned[b] = w->skinned[b].used && how->value[BOUNDS] < 3;
        if (r->skinned[b]) {
            r->model[b] = make_skinned(
                r->ctx, &w->mesh[b], &w->skinned[b], (shoal_blend)(how->value[BLEND] + 1),
                (shoal_influence)(how->value[REGION] + 1), builder, arity);
            if (shoal_scene_add_skinned(r->scene, r->model[b], &r->body[b]))
                return wrong("could not add body %u", b);
            continue;
        }
        r->model[b] = how->value[STRATEGY] == 5
                          ? model_of_stranger(r->ctx, &w->mesh[b])
                          : make_model(r->ctx, &w->mesh[b], builder, arity);
        r->feed[b] = feed_make(how, b, w->mesh[b].vertex_count, w->floats);
        if (shoal_scene_add_free(r->scene, r->model[b], &r->body[b]))
            return wrong("could not add body %u", b);
    }
    return true;
}

static void stop(runner *r, const world *w)
{
    shoal_scene_destroy(r->scene);
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model_destroy(r->model[b]);
        free(r->feed[b].memory);
    }
}

// Two of three bodies get a box a little larger than their first place; most leave it later.
static bool feed_fat(runner *r, const world *w)
{
    for (uint32_t b = 0; b < w->body_count; b++) {
        float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (size_t i = 0; i < 3 * (size_t)w->mesh[b].vertex_count; i++) {
            lo[i % 3] = fminf(lo[i % 3], (float)w->xyz[0][b][i]);
            hi[i % 3] = fmaxf(hi[i % 3], (float)w->xyz[0][b][i]);
        }
        for (int k = 0; k < 3; k++) {
            const float by = 0.1f * (hi[k] - lo[k]);
            lo[k] -= by;
            hi[k] += by;
        }
        if (b % 3 && shoal_scene_set_fat_box(r->scene, r->body[b], lo, hi))
            return wrong("could not set the fat box of body %u", b);
    }
    return true;
}

// A body that rests is not set again, so that what earlier steps left behind is used.
static bool feed_step(runner *r, const world *w, uint32_t step)
{
    for (uint32_t b = 0; b < w->body_count; b++) {
        feed *f = &r->feed[b];
        if (r->reduced[b]) {
            if (set_state(r->scene, r->body[b], &w->reduced[b], step))
                return wrong("could not set the state of body %u", b);
            continue;
        }
        if (r->skinned[b]) {
            if (set_maps(r->scene, r->body[b], &w->skinned[b], step))
                return wrong("could not set the maps of body %u", b);
            continue;
        }
        const size_t bytes = 3 * (size_t)f->view.count * sizeof(double);
        if (step && memcmp(w->xyz[step][b], w->xyz[step - 1][b], bytes) == 0)
            continue;
        feed_write(f, shoal_model_vertex_order(r->model[b]), w->xyz[step][b]);
        if (f->set && f->view.hold == SHOAL_BORROW)
            continue;
        if (shoal_scene_set_positions(r->scene, r->body[b], &f->view))
            return wrong("could not set positions of body %u", b);
        f->set = true;
    }
    return true;
}

bool way_run(const world *w, const way *how, uint64_t hashes[WORLD_STEPS])
{
    runner r = {0};
    const uint32_t queries = way_queries(how->value[QUERIES]);
    bool good = start(&r, w, how);
    if (good && how->value[BROAD] >= 3)
        good = feed_fat(&r, w);
    for (uint32_t s = 0; s < w->step_count && good; s++) {
        good = feed_step(&r, w, s);
        if (good && shoal_scene_step(r.scene, queries))
            good = wrong("step %u failed", s);
        if (!good)
            break;
        good = results_true(&w->truth[s], queries, r.scene);
        hashes[s] = shoal_scene_hash(r.scene);
        if (!good) {
            const size_t length = strlen(fault);
            snprintf(fault + length, sizeof fault - length, " (step %u)", s);
        }
    }
    stop(&r, w);
    return good;
}
