// SPDX-License-Identifier: MIT
// States of many bodies in one call: as one by one and in whatever layout, all or none.
#include "run.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 40 };

static bool no_memory;
static long until; // allocations that still succeed while there is no memory

static void *scarce_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (no_memory && until-- <= 0)
        return NULL;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void scarce_release(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free(memory);
}

static shoal_context *context(void)
{
    shoal_context_def def = shoal_context_def_default();
    def.allocator = (shoal_allocator){scarce_alloc, scarce_release, NULL};
    shoal_context *ctx;
    if (shoal_context_create(&def, &ctx) != SHOAL_OK)
        abort();
    return ctx;
}

static shoal_scene *scene_of(shoal_context *ctx)
{
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = 2;
    shoal_scene *scene;
    if (shoal_scene_create(ctx, &def, &scene) != SHOAL_OK)
        abort();
    return scene;
}

static bool same_vertices(const shoal_scene *scene, shoal_body body, const double *want,
                          uint32_t count)
{
    double *got = malloc(3 * sizeof *got * count);
    const shoal_vertices v = shoal_vertices_f64(got, 0, count);
    const bool same = shoal_scene_vertices(scene, body, &v) == SHOAL_OK &&
                      memcmp(got, want, 3 * sizeof *got * count) == 0;
    free(got);
    return same;
}

// --- Free bodies. ---

typedef struct crowd {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    shoal_body body[MANY];
    double *xyz[MANY];
    float *thin[MANY];
    shoal_positions positions[MANY];
} crowd;

static void open_crowd(crowd *c)
{
    c->ctx = context();
    c->scene = scene_of(c->ctx);
    c->mesh = mesh_ball(1, 7);
    c->model = model_of(c->ctx, &c->mesh);
    const size_t numbers = 3 * (size_t)c->mesh.vertex_count;
    for (int b = 0; b < MANY; b++) {
        if (shoal_scene_add_free(c->scene, c->model, &c->body[b]) != SHOAL_OK)
            abort();
        c->xyz[b] = malloc(numbers * sizeof **c->xyz);
        c->thin[b] = malloc(numbers * sizeof **c->thin);
        for (size_t i = 0; i < numbers; i++) {
            c->thin[b][i] = (float)(c->mesh.rest[i] + 0.4 * b);
            c->xyz[b][i] = (double)c->thin[b][i];
        }
        c->positions[b] = b % 3 ? shoal_positions_f64(c->xyz[b], c->mesh.vertex_count)
                                : shoal_positions_f32(c->thin[b], c->mesh.vertex_count);
        c->positions[b].hold = b % 2 ? SHOAL_BORROW : SHOAL_COPY;
    }
}

static void close_crowd(crowd *c)
{
    shoal_scene_destroy(c->scene);
    shoal_model_destroy(c->model);
    shoal_context_destroy(c->ctx);
    mesh_free(&c->mesh);
    for (int b = 0; b < MANY; b++) {
        free(c->xyz[b]);
        free(c->thin[b]);
    }
}

static uint64_t hash_of(shoal_scene *scene)
{
    if (shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_NEAREST) != SHOAL_OK)
        return 0;
    return shoal_scene_hash(scene);
}

TEST many_is_one_by_one(void)
{
    crowd one, many;
    open_crowd(&one);
    open_crowd(&many);
    for (int b = 0; b < MANY; b++)
        ASSERT_EQ(SHOAL_OK,
                  shoal_scene_set_positions(one.scene, one.body[b], &one.positions[b]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions_many(many.scene, NULL, NULL, 0));
    ASSERT_EQ(SHOAL_OK,
              shoal_scene_set_positions_many(many.scene, many.body, many.positions, MANY));
    const uint64_t hash = hash_of(one.scene);
    ASSERT(hash != 0);
    ASSERT_EQ(hash, hash_of(many.scene));
    ASSERT(shoal_scene_pairs(one.scene).count > 100);
    for (int b = 0; b < MANY; b++)
        ASSERT(same_vertices(many.scene, many.body[b], many.xyz[b], many.mesh.vertex_count));
    close_crowd(&one);
    close_crowd(&many);
    PASS();
}

// Of a body named twice the last positions hold.
TEST the_last_positions_hold(void)
{
    crowd c;
    open_crowd(&c);
    const shoal_body twice[3] = {c.body[0], c.body[1], c.body[0]};
    const shoal_positions p[3] = {c.positions[3], c.positions[4], c.positions[5]};
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions_many(c.scene, twice, p, 3));
    ASSERT(same_vertices(c.scene, c.body[0], c.xyz[5], c.mesh.vertex_count));
    ASSERT(same_vertices(c.scene, c.body[1], c.xyz[4], c.mesh.vertex_count));
    close_crowd(&c);
    PASS();
}

// Whoever is wrong or finds no memory, first or last: all bodies are where they were.
static bool all_as_before(crowd *c, uint64_t hash)
{
    bool good = true;
    for (int b = 0; b < MANY; b++)
        good = good && same_vertices(c->scene, c->body[b], c->xyz[b], c->mesh.vertex_count);
    return good && hash_of(c->scene) == hash;
}

TEST all_or_none(void)
{
    crowd c;
    open_crowd(&c);
    for (int b = 0; b < MANY; b++)
        c.positions[b] = shoal_positions_f32(c.thin[b], c.mesh.vertex_count);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions_many(c.scene, c.body, c.positions, MANY));
    const uint64_t hash = hash_of(c.scene);
    double *other = calloc(3 * (size_t)c.mesh.vertex_count, sizeof *other);
    shoal_positions p[MANY];
    shoal_body body[MANY];
    memcpy(body, c.body, sizeof body);
    for (int b = 0; b < MANY; b++) // float64: each needs more room than it has
        p[b] = shoal_positions_f64(other, c.mesh.vertex_count);
    for (int at = 0; at < MANY; at += MANY - 1) {
        body[at].generation++;
        ASSERT_EQ(SHOAL_ERR_STALE, shoal_scene_set_positions_many(c.scene, body, p, MANY));
        ASSERT(all_as_before(&c, hash));
        body[at] = (shoal_body){0, 0};
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions_many(c.scene, body, p, MANY));
        body[at] = c.body[at];
        p[at].count--;
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions_many(c.scene, body, p, MANY));
        p[at].count++;
        ASSERT(all_as_before(&c, hash));
    }
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions_many(c.scene, NULL, p, MANY));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_set_positions_many(c.scene, body, NULL, MANY));
    for (int i = 0; i < 4; i++) { // nine more have room for it each time
        no_memory = true;
        until = 9;
        const shoal_status st = shoal_scene_set_positions_many(c.scene, body, p, MANY);
        no_memory = false;
        ASSERT_EQ(SHOAL_ERR_MEMORY, st);
        ASSERT(all_as_before(&c, hash));
    }
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions_many(c.scene, body, p, MANY));
    ASSERT(same_vertices(c.scene, body[MANY - 1], other, c.mesh.vertex_count));
    free(other);
    close_crowd(&c);
    PASS();
}

// --- Records. ---

// A state of a world as a record: the entries of a row beside each other, with `gap` between
// rows. What is SoA in the world's state has `rows` rows.
static double *records_of(const double *soa, size_t rows, size_t entries, size_t gap)
{
    double *out = malloc((rows * (entries + gap)) * sizeof *out);
    for (size_t r = 0; r < rows; r++) {
        for (size_t e = 0; e < entries + gap; e++)
            out[r * (entries + gap) + e] = e < entries ? soa[e * rows + r] : -7e70;
    }
    return out;
}

static shoal_status set_reduced_record(shoal_scene *scene, const shoal_body body[2],
                                       const world_reduced *reduced, uint32_t step)
{
    const size_t entries = 12 + (size_t)reduced->field_count, row = entries + 3;
    double *twice = malloc(2 * row * sizeof *twice);
    for (size_t i = 0; i < 2; i++)
        memcpy(twice + i * row, reduced->state[step], entries * sizeof *twice);
    const shoal_reduced_state state = {.bodies = body,
                                       .count = 2,
                                       .stride = 1,
                                       .rotation = twice,
                                       .translation = twice + 9,
                                       .q = twice + 12,
                                       .field_count = reduced->field_count,
                                       .body_stride = row};
    const shoal_status st = shoal_scene_set_reduced(scene, &state);
    free(twice);
    return st;
}

static shoal_status set_skinned_record(shoal_scene *scene, shoal_body body,
                                       const world_skinned *skinned, uint32_t step)
{
    const size_t n = skinned->node_count;
    double *records = records_of(skinned->state[step], n, 12, 1);
    shoal_skinned_state state = {
        .bodies = &body, .count = 1, .row_count = n, .stride = 1, .row_stride = 13};
    *(skinned->affine ? &state.A : &state.J) = records;
    *(skinned->affine ? &state.t : &state.u) = records + 9;
    const shoal_status st = shoal_scene_set_skinned(scene, &state);
    free(records);
    return st;
}

// One body one by one in SoA, the same model's others by records: all have the same bits.
TEST records_are_arrays(void)
{
    shoal_context *ctx = context();
    uint32_t compared = 0;
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        world *w = world_make(kind);
        for (uint32_t b = 0; b < w->body_count; b++) {
            if (kind_is_free(w, b))
                continue;
            shoal_scene *scene = scene_of(ctx);
            shoal_model *model = kind_model_of(ctx, w, b);
            shoal_body body[3];
            for (int i = 0; i < 3; i++)
                ASSERT_EQ(SHOAL_OK, kind_add(scene, model, w, b, &body[i]));
            for (uint32_t step = 0; step < w->step_count; step++) {
                ASSERT_EQ(SHOAL_OK, kind_set(scene, body[0], w, b, step));
                const shoal_status st =
                    w->reduced[b].used
                        ? set_reduced_record(scene, body + 1, &w->reduced[b], step)
                        : set_skinned_record(scene, body[1], &w->skinned[b], step);
                ASSERT_EQ(SHOAL_OK, st);
                const uint32_t last = w->reduced[b].used ? 2 : 1;
                for (uint32_t i = 0; i <= last; i++)
                    ASSERT(same_vertices(scene, body[i], w->xyz[step][b],
                                         w->mesh[b].vertex_count));
                compared += last;
            }
            shoal_model_destroy(model);
            shoal_scene_destroy(scene);
        }
        world_free(w);
    }
    ASSERT(compared > 50);
    shoal_context_destroy(ctx);
    PASS();
}

// Numbers must not share places: neither layout is a guess.
TEST strides_must_keep_numbers_apart(void)
{
    shoal_context *ctx = context();
    shoal_scene *scene = scene_of(ctx);
    const world_mesh mesh = mesh_ball(0, 1);
    const world_reduced rigid = {.used = true};
    shoal_model *model = reduced_model_of(ctx, &mesh, &rigid, SHOAL_BOUNDS_AUTO);
    shoal_body body[2];
    const double zeros[100] = {0};
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_reduced(scene, model, &body[i]));
    static const struct {
        size_t stride, body_stride;
        bool good;
    } rows[] = {{2, 0, true},
                {2, 1, true},
                {1, 0, false},
                {0, 3, false},
                {1, 3, true},
                {1, 2, false},
                {4, 2, true},
                {3, 2, false},
                {2, 6, true},
                {2, 5, false},
                {SIZE_MAX, 2, true},
                {1, SIZE_MAX, true},
                {SIZE_MAX / 2, SIZE_MAX / 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool huge = rows[i].stride > 9 || rows[i].body_stride > 9;
        const shoal_reduced_state state = {.bodies = body,
                                           .count = 2,
                                           .stride = rows[i].stride,
                                           .translation = huge ? NULL : zeros,
                                           .body_stride = rows[i].body_stride};
        ASSERT_EQ_FMT(rows[i].good ? SHOAL_OK : SHOAL_ERR_ARGUMENT,
                      shoal_scene_set_reduced(scene, &state), "%d");
    }
    shoal_model_destroy(model);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    world_mesh gone = mesh;
    mesh_free(&gone);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(many_is_one_by_one);
    RUN_TEST(the_last_positions_hold);
    RUN_TEST(all_or_none);
    RUN_TEST(records_are_arrays);
    RUN_TEST(strides_must_keep_numbers_apart);
    GREATEST_MAIN_END();
}
