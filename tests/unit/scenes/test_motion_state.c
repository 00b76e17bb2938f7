// SPDX-License-Identifier: MIT
// A scene that is saved and restored goes on as if nothing had happened: every built-in one, by
// the hash of each step and its vertices.
#include "scenes/scene.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 14, SAVED_AT = 8 };

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shl_motion *motion;
    uint32_t queries;
} stage;

static bool stage_open(stage *s, shl_scene_id id, const shl_scene_params *params)
{
    const shoal_context_def def = shoal_context_def_default();
    const shoal_scene_def scene_def = shoal_scene_def_default();
    *s = (stage){.queries = params->spheres ? SHOAL_QUERY_SPHERES : shl_scene_queries(id)};
    return shoal_context_create(&def, &s->ctx) == SHOAL_OK &&
           shoal_scene_create(s->ctx, &scene_def, &s->scene) == SHOAL_OK &&
           shl_motion_create(id, params, s->ctx, s->scene, &s->motion) == SHOAL_OK;
}

static void stage_close(stage *s)
{
    shl_motion_destroy(s->motion);
    shoal_scene_destroy(s->scene);
    shoal_context_destroy(s->ctx);
}

// The results' hash, mixed with that of what was handed over; 0 on failure.
static uint64_t look(stage *s)
{
    if (shoal_scene_step(s->scene, s->queries) != SHOAL_OK)
        return 0;
    uint64_t h = shoal_scene_hash(s->scene);
    for (uint32_t body = 0; body < shl_motion_body_count(s->motion); body++) {
        const shl_surface *surface = shl_motion_surface(s->motion, body);
        const size_t count = surface ? 3 * (size_t)surface->vertex_count : 0;
        double *xyz = calloc(count + 1, sizeof *xyz);
        if (count && xyz)
            shl_motion_vertices(s->motion, body, xyz);
        for (size_t i = 0; i < count && xyz; i++) {
            uint64_t bits;
            memcpy(&bits, &xyz[i], sizeof bits);
            h = (h ^ bits) * 0x9e3779b97f4a7c15u;
            h ^= h >> 29;
        }
        free(xyz);
    }
    return h | 1;
}

// Small, and so close that bodies touch early where that can be had.
static shl_scene_params small(shl_scene_id id, const char *hold)
{
    shl_scene_params params = shl_scene_defaults(id);
    shl_setting_error error;
    (void)shl_scene_set(id, &params, "k", "2", &error);
    (void)shl_scene_set(id, &params, "bodies", "8", &error);
    (void)shl_scene_set(id, &params, "count", "8", &error);
    (void)shl_scene_set(id, &params, "hold", hold, &error);
    return params;
}

static enum greatest_test_res same_after(shl_scene_id id, const char *hold)
{
    const shl_scene_params params = small(id, hold);
    stage a, b;
    uint64_t hashes[STEPS + 1];
    ASSERTm(shl_scene_name(id), stage_open(&a, id, &params));
    void *state = NULL;
    size_t size = 0;
    for (uint32_t step = 1; step <= STEPS; step++) {
        ASSERT_EQ(SHOAL_OK, shl_motion_step(a.motion, step));
        hashes[step] = look(&a);
        ASSERT(hashes[step]);
        if (step != SAVED_AT)
            continue;
        size = shl_motion_save(a.motion, NULL);
        state = malloc(size + 1);
        ASSERT(state);
        memset(state, 0xaa, size + 1);
        ASSERT_EQ(size, shl_motion_save(a.motion, state));
        ASSERT_EQm("not a byte more", 0xaa, ((unsigned char *)state)[size]);
    }
    stage_close(&a);
    ASSERT(stage_open(&b, id, &params));
    ASSERT_EQm("another length is refused", SHOAL_ERR_ARGUMENT,
               shl_motion_restore(b.motion, SAVED_AT, state, size + 1));
    ASSERT_EQ(SHOAL_OK, shl_motion_restore(b.motion, SAVED_AT, state, size));
    ASSERT_EQm(shl_scene_name(id), hashes[SAVED_AT], look(&b));
    for (uint32_t step = SAVED_AT + 1; step <= STEPS; step++) {
        ASSERT_EQ(SHOAL_OK, shl_motion_step(b.motion, step));
        ASSERT_EQm(shl_scene_name(id), hashes[step], look(&b));
    }
    free(state);
    stage_close(&b);
    PASS();
}

TEST scenes_go_on(void)
{
    for (int i = 0; i < SHL_SCENE_COUNT; i++)
        CHECK_CALL(same_after((shl_scene_id)i, "borrow"));
    PASS();
}

TEST copied_positions_too(void)
{
    CHECK_CALL(same_after(SHL_SCENE_BUMPY_27, "copy"));
    PASS();
}

// Far enough for chairs to lie on the floor and on each other.
TEST chairs_that_touch(void)
{
    shl_scene_params params = small(SHL_SCENE_CHAIRS, "copy");
    stage a, b;
    ASSERT(stage_open(&a, SHL_SCENE_CHAIRS, &params));
    void *state = malloc(shl_motion_save(a.motion, NULL));
    ASSERT(state);
    const uint32_t saved = 300, end = 340;
    uint64_t hashes[64];
    size_t contacts = 0;
    for (uint32_t step = 1; step <= end; step++) {
        ASSERT_EQ(SHOAL_OK, shl_motion_step(a.motion, step));
        const uint64_t h = look(&a);
        contacts += shoal_scene_sphere_contacts(a.scene).count;
        if (step == saved)
            shl_motion_save(a.motion, state);
        if (step >= saved)
            hashes[step - saved] = h;
    }
    ASSERTm("chairs meet", contacts > 0);
    shl_motion_report first, second;
    ASSERT(shl_motion_measure(a.motion, &first));
    ASSERT(stage_open(&b, SHL_SCENE_CHAIRS, &params));
    ASSERT_EQ(SHOAL_OK,
              shl_motion_restore(b.motion, saved, state, shl_motion_save(b.motion, NULL)));
    ASSERT_EQ(hashes[0], look(&b));
    for (uint32_t step = saved + 1; step <= end; step++) {
        ASSERT_EQ(SHOAL_OK, shl_motion_step(b.motion, step));
        ASSERT_EQ(hashes[step - saved], look(&b));
    }
    ASSERT(shl_motion_measure(b.motion, &second));
    ASSERT_EQ(0, memcmp(&first, &second, sizeof first));
    free(state);
    stage_close(&a);
    stage_close(&b);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    char folder[] = "/tmp/shoal-motion-XXXXXX"; // models are made by the code that is tested
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    GREATEST_MAIN_BEGIN();
    RUN_TEST(scenes_go_on);
    RUN_TEST(copied_positions_too);
    RUN_TEST(chairs_that_touch);
    char line[80];
    snprintf(line, sizeof line, "rm -r %s", folder);
    if (system(line) != 0)
        return 1;
    GREATEST_MAIN_END();
}
