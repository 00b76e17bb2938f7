// SPDX-License-Identifier: MIT
// One body of a crowd with a state that is not finite, in every query: it is listed, and the
// others find exactly what they found before.
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 10, FIELDS = 2, ROWS = 12 + FIELDS };
static const uint32_t queries =
    SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF_ADJACENT | SHOAL_QUERY_SPHERES;

// Bodies 0 to 3 have contact spheres, 4 to 7 have none, 8 and 9 are free.
static bool is_free(uint32_t body)
{
    return body >= 8;
}

static shoal_context *ctx;
static shoal_scene *scene;
static shoal_body ids[BODIES];
static world_mesh mesh;
static double state[ROWS][BODIES];

static void fill_state(void)
{
    uint64_t seed = 77;
    for (int b = 0; b < BODIES; b++) {
        const double c = 0.6, s = b % 2 ? 0.8 : -0.8;
        const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        for (int e = 0; e < ROWS; e++)
            state[e][b] = e < 9    ? turn[e]
                          : e < 12 ? 1.2 * world_unit(&seed)
                                   : 3 * world_unit(&seed);
    }
}

static shoal_model *make_model(int level)
{
    const size_t scalars = 3 * (size_t)mesh.vertex_count;
    float *fields = malloc(FIELDS * scalars * sizeof *fields);
    for (size_t i = 0; fields && i < FIELDS * scalars; i++)
        fields[i] =
            (float)(mesh.rest[i % scalars] * mesh.rest[(i + i / scalars + 1) % scalars]);
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh.tri;
    def.triangle_count = mesh.triangle_count;
    def.rest = shoal_positions_f64(mesh.rest, mesh.vertex_count);
    def.reducible = true;
    def.fields = fields;
    def.field_count = FIELDS;
    def.sphere_level = level;
    shoal_model *out = NULL;
    if (!fields || shoal_model_create(ctx, &def, &out) != SHOAL_OK)
        abort();
    free(fields);
    return out;
}

static void open_all(void)
{
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    mesh = mesh_ball(1, 3);
    if (shoal_context_create(&cd, &ctx) || shoal_scene_create(ctx, &sd, &scene))
        abort();
    shoal_model *with = make_model(4), *without = make_model(-1);
    fill_state();
    for (uint32_t b = 0; b < BODIES; b++) {
        double xyz[3 * 200];
        for (size_t i = 0; i < 3 * (size_t)mesh.vertex_count; i++)
            xyz[i] = mesh.rest[i] + state[9 + i % 3][b];
        const shoal_positions p = shoal_positions_f64(xyz, mesh.vertex_count);
        if (is_free(b) ? shoal_scene_add_free(scene, without, &ids[b]) ||
                             shoal_scene_set_positions(scene, ids[b], &p)
                       : shoal_scene_add_reduced(scene, b < 4 ? with : without, &ids[b]))
            abort();
    }
    shoal_model_destroy(with);
    shoal_model_destroy(without);
}

// What a step found, without one body; BODIES: all of it.
typedef struct found {
    shoal_pair *pairs, *self, *hits;
    shoal_sphere_contact *contacts;
    size_t pair_count, self_count, hit_count, contact_count;
} found;

static size_t copy_pairs(const shoal_pair *from, size_t count, uint32_t without,
                         shoal_pair **out)
{
    size_t n = 0;
    *out = malloc((count + 1) * sizeof **out);
    for (size_t i = 0; *out && i < count; i++) {
        if (from[i].body_a != without && from[i].body_b != without)
            (*out)[n++] = from[i];
    }
    return n;
}

static found take(uint32_t without)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    const shoal_pairs self = shoal_scene_self_pairs(scene);
    const shoal_pairs first = shoal_scene_first_pairs(scene);
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    found f = {0};
    f.pair_count = copy_pairs(pairs.rows, pairs.count, without, &f.pairs);
    f.self_count = copy_pairs(self.rows, self.count, without, &f.self);
    f.hit_count = copy_pairs(first.rows, first.count, without, &f.hits);
    f.contacts = malloc((contacts.count + 1) * sizeof *f.contacts);
    for (size_t i = 0; f.contacts && i < contacts.count; i++) {
        const shoal_sphere_contact *c = &contacts.rows[i];
        if (c->body_a != without && c->body_b != without)
            f.contacts[f.contact_count++] = *c;
    }
    for (size_t i = 0; i < f.hit_count; i++) // which witness it is may differ
        f.hits[i].triangle_a = f.hits[i].triangle_b = 0;
    return f;
}

static void drop(found *f)
{
    free(f->pairs);
    free(f->self);
    free(f->hits);
    free(f->contacts);
}

static bool same(const found *a, const found *b)
{
    return a->pair_count == b->pair_count && a->self_count == b->self_count &&
           a->hit_count == b->hit_count && a->contact_count == b->contact_count &&
           memcmp(a->pairs, b->pairs, a->pair_count * sizeof *a->pairs) == 0 &&
           memcmp(a->self, b->self, a->self_count * sizeof *a->self) == 0 &&
           memcmp(a->hits, b->hits, a->hit_count * sizeof *a->hits) == 0 &&
           memcmp(a->contacts, b->contacts, a->contact_count * sizeof *a->contacts) == 0;
}

static bool step(void)
{
    const shoal_reduced_state s = {.bodies = ids,
                                   .count = 8,
                                   .stride = BODIES,
                                   .rotation = state[0],
                                   .translation = state[9],
                                   .q = state[12],
                                   .field_count = FIELDS};
    return shoal_scene_set_reduced(scene, &s) == SHOAL_OK &&
           shoal_scene_step(scene, queries) == SHOAL_OK;
}

TEST the_others_are_unaffected(void)
{
    // the last is finite, but what it leads to is not
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e301};
    fill_state();
    ASSERT(step());
    const uint64_t hash = shoal_scene_hash(scene);
    ASSERT_EQ(0u, shoal_scene_bad_bodies(scene).count);
    ASSERT(shoal_scene_pairs(scene).count > 100 && shoal_scene_self_pairs(scene).count > 0 &&
           shoal_scene_sphere_contacts(scene).count > 100);
    found without[BODIES];
    for (uint32_t b = 0; b < BODIES; b++)
        without[b] = take(b);
    for (uint32_t b = 0; b < 8; b++) {
        for (int e = 0; e < ROWS; e++) {
            fill_state();
            state[e][b] = odd[(b + (uint32_t)e) % (e < 9 ? 3 : 4)];
            ASSERT(step());
            const shoal_body_numbers r = shoal_scene_bad_bodies(scene);
            ASSERT_EQ(1u, r.count);
            ASSERT_EQ(b, r.rows[0]);
            found left = take(BODIES);
            ASSERT(same(&without[b], &left));
            drop(&left);
        }
    }
    fill_state(); // and it comes back
    ASSERT(step());
    ASSERT_EQ(hash, shoal_scene_hash(scene));
    for (uint32_t b = 0; b < BODIES; b++)
        drop(&without[b]);
    PASS();
}

// Many at once, listed in order.
TEST all_are_listed(void)
{
    fill_state();
    state[0][0] = state[11][3] = state[12][4] = state[13][7] = NAN;
    ASSERT(step());
    const shoal_body_numbers r = shoal_scene_bad_bodies(scene);
    const uint32_t want[] = {0, 3, 4, 7};
    ASSERT_EQ(4u, r.count);
    ASSERT_MEM_EQ(want, r.rows, sizeof want);
    for (int b = 0; b < BODIES; b++)
        state[9][b] = INFINITY;
    ASSERT(step());
    ASSERT_EQ(8u, shoal_scene_bad_bodies(scene).count); // the free ones are well
    ASSERT_EQ(0u, shoal_scene_sphere_contacts(scene).count);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    open_all();
    RUN_TEST(the_others_are_unaffected);
    RUN_TEST(all_are_listed);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    mesh_free(&mesh);
    GREATEST_MAIN_END();
}
