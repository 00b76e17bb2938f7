// SPDX-License-Identifier: MIT
// Scenes of particles: letters, a skirt, blocks that break. They move the same way for any
// number of threads, keep apart, lose energy, and can be taken up again where they were left.
#include "scenes/scene.h"
#include "scenes/shapes/vessel.h"

#include "closed.h"
#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shl_motion *motion;
    shl_scene_id id;
    uint64_t hash; // of all steps
} stage;

static bool stage_open(stage *s, shl_scene_id id, const shl_scene_params *params,
                       uint32_t threads)
{
    const shoal_context_def def = shoal_context_def_default();
    shoal_scene_def scene_def = shoal_scene_def_default();
    scene_def.threads = threads;
    *s = (stage){.id = id};
    return shoal_context_create(&def, &s->ctx) == SHOAL_OK &&
           shoal_scene_create(s->ctx, &scene_def, &s->scene) == SHOAL_OK &&
           shl_motion_create(id, params, s->ctx, s->scene, &s->motion) == SHOAL_OK;
}

static bool stage_find(stage *s)
{
    if (shoal_scene_step(s->scene, shl_scene_queries(s->id)) != SHOAL_OK)
        return false;
    s->hash = s->hash * 0x100000001b3u ^ shoal_scene_hash(s->scene);
    return true;
}

static bool stage_step(stage *s, uint32_t step)
{
    return shl_motion_step(s->motion, step) == SHOAL_OK && stage_find(s);
}

static void stage_close(stage *s)
{
    shl_motion_destroy(s->motion);
    shoal_scene_destroy(s->scene);
    shoal_context_destroy(s->ctx);
}

// A run that is short but has contacts, and how many steps it takes.
typedef struct row {
    shl_scene_id id;
    uint32_t bodies, steps;
} row;

static const row rows[] = {
    {SHL_SCENE_LETTERS_BOWL, 4, 70},
    {SHL_SCENE_LETTERS_RAMP, 6, 90},
    {SHL_SCENE_SKIRT, 2, 6},
    {SHL_SCENE_BREAKING, 2, 60},
};
enum { ROWS = sizeof rows / sizeof *rows };

static shl_scene_params params_of(const row *r)
{
    shl_scene_params params = shl_scene_defaults(r->id);
    params.bodies = r->bodies;
    return params;
}

TEST threads_orders_and_holds_do_not_matter(void)
{
    for (int i = 0; i < ROWS; i++) {
        uint64_t hash = 0;
        for (uint32_t way = 0; way < 4; way++) {
            shl_scene_params params = params_of(&rows[i]);
            params.order = way & 1 ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
            params.hold = way & 2 ? SHOAL_COPY : SHOAL_BORROW;
            params.builder = way == 3 ? SHOAL_BUILDER_POSES : SHOAL_BUILDER_SURFACE_AREA;
            stage s;
            ASSERT(stage_open(&s, rows[i].id, &params, 1 + way % 3));
            for (uint32_t step = 1; step <= rows[i].steps; step++)
                ASSERT(stage_step(&s, step));
            shl_motion_report report;
            ASSERT(shl_motion_measure(s.motion, &report));
            ASSERT(report.soft && report.contacts > 0);
            ASSERT(way == 0 || s.hash == hash);
            hash = s.hash;
            stage_close(&s);
        }
    }
    PASS();
}

// Scenes are as large as they say.
TEST sizes(void)
{
    static const struct {
        shl_scene_id id;
        uint32_t bodies, least, most;
    } sizes[] = {{SHL_SCENE_LETTERS_BOWL, 11, 4400, 5000},
                 {SHL_SCENE_LETTERS_RAMP, 202, 37000, 39000},
                 {SHL_SCENE_SKIRT, 2, 12000, 13000},
                 {SHL_SCENE_BREAKING, 11, 5000, 7000}};
    for (int i = 0; i < 4; i++) {
        const shl_scene_params params = shl_scene_defaults(sizes[i].id);
        stage s;
        ASSERT(stage_open(&s, sizes[i].id, &params, 1));
        ASSERT_EQ(sizes[i].bodies, shl_motion_body_count(s.motion));
        const uint64_t count = shl_motion_triangle_count(s.motion);
        ASSERT(count >= sizes[i].least && count <= sizes[i].most);
        ASSERT(stage_step(&s, 1));
        ASSERT_EQ(0u, shoal_scene_pairs(s.scene).count); // they begin apart
        ASSERT_EQ(count, shoal_scene_nearest_triangles(s.scene).count);
        ASSERT_EQ(sizes[i].bodies, shoal_scene_nearest(s.scene).count);
        stage_close(&s);
    }
    PASS();
}

// No energy is made: letters that are bent give back what an impact has put into them, which is
// not counted here, within half a second. At the end they lie still in the bowl.
TEST letters_come_to_rest(void)
{
    enum { STEPS = 420, MEMORY = 60 };
    shl_scene_params params = shl_scene_defaults(SHL_SCENE_LETTERS_BOWL);
    params.bodies = 5;
    stage s;
    shl_motion_report report;
    double energy[STEPS + 1], xyz[3 * 600];
    size_t pairs = 0;
    ASSERT(stage_open(&s, SHL_SCENE_LETTERS_BOWL, &params, 0));
    for (uint32_t step = 1; step <= STEPS; step++) {
        ASSERT(stage_step(&s, step));
        ASSERT(shl_motion_measure(s.motion, &report));
        energy[step] = report.energy;
        const double before = energy[step > MEMORY ? step - MEMORY : 1];
        ASSERT(report.energy <= before + 1e-3 * energy[1]);
        pairs += shoal_scene_pairs(s.scene).count;
    }
    ASSERT(report.mean_speed < 0.1);
    ASSERT(pairs < STEPS); // hardly any, and for a moment
    ASSERT_EQ(0u, shoal_scene_pairs(s.scene).count);
    for (uint32_t body = 1; body <= 5; body++) {
        const uint32_t n = shl_motion_surface(s.motion, body)->vertex_count;
        ASSERT(n <= 600);
        shl_motion_vertices(s.motion, body, xyz);
        for (uint32_t i = 0; i < n; i++) {
            ASSERT(hypot(xyz[3 * i], xyz[3 * i + 1]) < 2.6);
            ASSERT(xyz[3 * i + 2] > 0 && xyz[3 * i + 2] < 2.5);
        }
    }
    stage_close(&s);
    PASS();
}

static double volume_of(const stage *s, uint32_t body)
{
    shl_surface now = *shl_motion_surface(s->motion, body);
    now.xyz = malloc(3 * (size_t)now.vertex_count * sizeof *now.xyz);
    if (!now.xyz)
        return NAN;
    shl_motion_vertices(s->motion, body, now.xyz);
    const double volume = shl_surface_volume6(&now) / 6;
    free(now.xyz);
    return volume;
}

// Ten blocks become 25 bodies or more; all are closed and nothing gets lost.
TEST blocks_break(void)
{
    const shl_scene_params params = shl_scene_defaults(SHL_SCENE_BREAKING);
    stage s;
    double volume[2] = {0};
    uint32_t last = 0, changes = 0;
    ASSERT(stage_open(&s, SHL_SCENE_BREAKING, &params, 0));
    for (uint32_t step = 1; step <= 150; step++) {
        ASSERT(stage_step(&s, step));
        const uint32_t count = shl_motion_body_count(s.motion);
        ASSERT(count >= last);
        changes += count > last;
        last = count;
        if (step != 1 && step != 150)
            continue;
        for (uint32_t body = 1; body < count; body++) {
            const shl_surface *of = shl_motion_surface(s.motion, body);
            ASSERT(closed(of->triangles, of->triangle_count, false));
            ASSERT(volume_of(&s, body) > 0.0005);
            volume[step > 1] += volume_of(&s, body);
        }
    }
    ASSERT(last >= 1 + 25 && changes > 5);
    ASSERT_IN_RANGE(volume[0], volume[1], 0.02 * volume[0]);
    stage_close(&s);
    PASS();
}

// Hashes of the steps that follow are the same, whether a run went on or was taken up.
TEST saved_and_restored(void)
{
    enum { MORE = 8 };
    for (int i = 0; i < ROWS; i++) {
        const shl_scene_params params = params_of(&rows[i]);
        const uint32_t steps = rows[i].steps;
        stage s, t;
        ASSERT(stage_open(&s, rows[i].id, &params, 2));
        for (uint32_t step = 1; step <= steps; step++)
            ASSERT(stage_step(&s, step));
        const size_t size = shl_motion_save(s.motion, NULL);
        char *saved = malloc(size);
        ASSERT(saved);
        ASSERT_EQ(size, shl_motion_save(s.motion, saved));
        s.hash = 0;
        for (uint32_t step = steps + 1; step <= steps + MORE; step++)
            ASSERT(stage_step(&s, step));
        ASSERT(stage_open(&t, rows[i].id, &params, 1));
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_motion_restore(t.motion, steps, saved, size - 1));
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_motion_restore(t.motion, steps + 1, saved, size));
        ASSERT_EQ(SHOAL_OK, shl_motion_restore(t.motion, steps, saved, size));
        ASSERT(stage_find(&t));
        t.hash = 0;
        for (uint32_t step = steps + 1; step <= steps + MORE; step++)
            ASSERT(stage_step(&t, step));
        ASSERT_EQ(shl_motion_body_count(s.motion), shl_motion_body_count(t.motion));
        ASSERT(s.hash != 0 && s.hash == t.hash);
        free(saved);
        stage_close(&s);
        stage_close(&t);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(sizes);
    RUN_TEST(threads_orders_and_holds_do_not_matter);
    RUN_TEST(letters_come_to_rest);
    RUN_TEST(blocks_break);
    RUN_TEST(saved_and_restored);
    GREATEST_MAIN_END();
}
