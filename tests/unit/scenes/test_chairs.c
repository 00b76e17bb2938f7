// SPDX-License-Identifier: MIT
// The chair, its fields, and the scene in which chairs fall and come to rest.
#include "closed.h"
#include "scenes/math/vec.h"
#include "scenes/plays/actors.h"
#include "scenes/shapes/chair.h"

#include <shoal/shoal.h>

#include <greatest.h>
#include <stdlib.h>

// Every edge belongs to two triangles that go round it in opposite ways; one piece with two
// holes, those of the arms.
TEST the_chair_is_closed(void)
{
    shl_surface s;
    ASSERT_EQ(SHOAL_OK, shl_mesh_chair(&s));
    ASSERT(s.triangle_count > 17500 && s.triangle_count < 18300);
    const long edges = 3 * (long)s.triangle_count / 2;
    ASSERT(closed(s.triangles, s.triangle_count, true));
    ASSERT_EQ(-2, (long)s.vertex_count - edges + (long)s.triangle_count);
    ASSERT(in_one_piece(s.triangles, s.triangle_count, s.vertex_count));
    // 0.6 square metres of 4 mm
    ASSERT_IN_RANGE(0.0024, enclosed_volume(s.xyz, s.triangles, s.triangle_count), 0.0004);
    shl_surface_finish(&s);
    PASS();
}

// Products over the mass, of fields and rigid motions.
TEST fields_are_orthogonal(void)
{
    shl_surface s;
    double *shares;
    float *fields;
    ASSERT_EQ(SHOAL_OK, shl_mesh_chair(&s));
    ASSERT_EQ(SHOAL_OK, shl_vertex_shares(&s, &shares));
    shl_centre(&s, shares);
    ASSERT_EQ(SHOAL_OK, shl_chair_fields(&s, shares, &fields));
    const size_t n = s.vertex_count;
    for (int j = 0; j < SHL_CHAIR_FIELDS; j++) {
        const float *u = fields + 3 * n * (size_t)j;
        double push[3] = {0}, turn[3] = {0}, most = 0;
        for (size_t v = 0; v < n; v++) {
            const double d[3] = {u[3 * v], u[3 * v + 1], u[3 * v + 2]};
            double moment[3];
            shl_cross(s.xyz + 3 * v, d, moment);
            shl_add(push, shares[v], d);
            shl_add(turn, shares[v], moment);
            most = fmax(most, shl_dot(d, d));
        }
        ASSERT_IN_RANGE(1.0, most, 1e-6);
        ASSERT(shl_dot(push, push) < 1e-16 && shl_dot(turn, turn) < 1e-16);
        for (int k = 0; k < j; k++) {
            const float *w = fields + 3 * n * (size_t)k;
            double sum = 0;
            for (size_t i = 0; i < 3 * n; i++)
                sum += shares[i / 3] * (double)u[i] * (double)w[i];
            ASSERT_IN_RANGE(0.0, sum, 1e-8);
        }
    }
    free(shares);
    free(fields);
    shl_surface_finish(&s);
    PASS();
}

typedef struct world {
    shoal_context *ctx;
    shoal_scene *scene;
    shl_actors *chairs;
} world;

static bool open_world(const shl_scene_params *chairs, uint32_t threads, world *out)
{
    const shoal_context_def context = shoal_context_def_default();
    shoal_scene_def def = shoal_scene_def_default();
    def.threads = threads;
    *out = (world){0};
    void *actors = NULL;
    const bool good =
        shoal_context_create(&context, &out->ctx) == SHOAL_OK &&
        shoal_scene_create(out->ctx, &def, &out->scene) == SHOAL_OK &&
        shl_actors_create(&shl_play_chairs, chairs, out->ctx, out->scene, &actors) == SHOAL_OK;
    out->chairs = actors;
    return good;
}

static void close_world(world *w)
{
    shl_actors_destroy(w->chairs);
    shoal_scene_destroy(w->scene);
    shoal_context_destroy(w->ctx);
}

static bool step_world(world *w, uint32_t step)
{
    return shl_actors_step(w->chairs, step) == SHOAL_OK &&
           shoal_scene_step(w->scene, SHOAL_QUERY_SPHERES) == SHOAL_OK;
}

// Ten seconds: energy never above its start, nobody below the floor, all at rest in the end.
TEST chairs_come_to_rest(void)
{
    const char *text = getenv("SHOAL_LONG");
    const bool whole = text && *text;
    const shl_scene_params chairs = {
        .bodies = whole ? 200 : 8, .seed = 1, .spheres = whole ? 11 : 7};
    world w;
    ASSERT(open_world(&chairs, whole ? 0 : 1, &w));
    const shl_dynamics *d = &w.chairs->dynamics;
    const uint32_t steps = (uint32_t)(10 / d->def.step + 0.5);
    shl_dynamics_report r = shl_dynamics_measure(d);
    const double start = r.kinetic + r.potential + r.elastic;
    size_t contacts = 0;
    double bent = 0, tilted = 0;
    for (uint32_t step = 1; step <= steps; step++) {
        ASSERT(step_world(&w, step));
        contacts += shoal_scene_sphere_contacts(w.scene).count;
        if (step % 10 == 0) {
            r = shl_dynamics_measure(d);
            ASSERT(r.kinetic + r.potential + r.elastic <= 1.01 * start);
            ASSERT(r.floor_depth < 0.03);
            bent = fmax(bent, r.elastic);
            tilted = fmax(tilted, r.kinetic);
        }
    }
    ASSERT(contacts > 100);       // they met
    ASSERT(bent > 0.1);           // and flexed
    ASSERT(tilted > 0.2 * start); // and fell
    ASSERT(r.mean_speed < 0.01);
    ASSERT(r.floor_depth < 0.001);
    ASSERT(r.kinetic + r.potential + r.elastic < 0.8 * start);
    close_world(&w);
    PASS();
}

static uint64_t mix(uint64_t h, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        h = (h ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return h;
}

// The states of all steps, and what was found in them.
static uint64_t hash_of(uint32_t threads, size_t *contacts)
{
    world w;
    const shl_scene_params chairs = {.bodies = 8, .seed = 1, .spheres = 8};
    uint64_t h = open_world(&chairs, threads, &w) ? 0xcbf29ce484222325u : 0;
    for (uint32_t step = 1; step <= 260 && h; step++) {
        if (!step_world(&w, step))
            h = 0;
        size_t bytes;
        const double *state = shl_actors_state(w.chairs, &bytes);
        const uint64_t found = shoal_scene_hash(w.scene);
        h = mix(mix(h, state, bytes), &found, sizeof found);
        *contacts += shoal_scene_sphere_contacts(w.scene).count;
    }
    close_world(&w);
    return h;
}

TEST threads_change_nothing(void)
{
    size_t contacts[3] = {0};
    const uint64_t one = hash_of(1, &contacts[0]);
    ASSERT(one != 0);
    ASSERT(contacts[0] > 20);
    ASSERT_EQ(one, hash_of(2, &contacts[1]));
    ASSERT_EQ(one, hash_of(3, &contacts[2]));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(the_chair_is_closed);
    RUN_TEST(fields_are_orthogonal);
    RUN_TEST(chairs_come_to_rest);
    RUN_TEST(threads_change_nothing);
    GREATEST_MAIN_END();
}
