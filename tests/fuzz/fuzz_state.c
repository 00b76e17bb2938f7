// SPDX-License-Identifier: MIT
// What a checkpoint says of a scene's motion, behind right checksums: a true state with a few
// numbers changed to any others. It is refused, or the scene goes on from there.
#include "scenes/scene.h"

#include <math.h>
#include <shoal/shoal.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum { SAVED_AT = 3, STEPS_MORE = 2 };

// One of each way to keep a state, as small as it gets; a skirt's is that of letters, a
// curtain's that of chairs, a ring's that of fish.
static const struct {
    const char *scene;
    const char *settings[3][2];
    bool grows; // its state may be of another length: made anew for each input
} kinds[] = {
    {"bumpy-2", {{"k", "0"}}, false},
    {"tangle", {{"k", "2"}, {"bodies", "2"}}, false},
    {"chairs", {{"count", "1"}, {"spheres", "1"}}, false},
    {"letters-bowl", {{"bodies", "1"}}, false},
    {"breaking", {{"bodies", "1"}}, true},
    {"fish-24", {{"bodies", "2"}, {"vertices", "500"}, {"controls", "30"}}, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct world {
    shl_scene_id id;
    uint32_t queries;
    shoal_context *ctx;
    shoal_scene *scene;
    shl_motion *motion;
    char *state; // after SAVED_AT steps
    size_t size;
} world;

static void must(bool good)
{
    if (!good)
        abort();
}

static void open_world(int kind, world *w)
{
    shl_setting_error why;
    must(shl_scene_find(kinds[kind].scene, &w->id));
    shl_scene_params params = shl_scene_defaults(w->id);
    for (int i = 0; i < 3 && kinds[kind].settings[i][0]; i++)
        must(shl_scene_set(w->id, &params, kinds[kind].settings[i][0],
                           kinds[kind].settings[i][1], &why));
    shoal_context_def def = shoal_context_def_default();
    shoal_scene_def scene_def = shoal_scene_def_default();
    scene_def.executor = SHOAL_EXECUTOR_SERIAL;
    scene_def.threads = 1;
    must(shoal_context_create(&def, &w->ctx) == SHOAL_OK);
    must(shoal_scene_create(w->ctx, &scene_def, &w->scene) == SHOAL_OK);
    must(shl_motion_create(w->id, &params, w->ctx, w->scene, &w->motion) == SHOAL_OK);
    w->queries = params.spheres ? SHOAL_QUERY_SPHERES : shl_scene_queries(w->id);
}

static void close_world(world *w)
{
    shl_motion_destroy(w->motion);
    shoal_scene_destroy(w->scene);
    shoal_context_destroy(w->ctx);
}

static void save(world *w)
{
    for (uint32_t step = 1; step <= SAVED_AT; step++) {
        must(shl_motion_step(w->motion, step) == SHOAL_OK);
        must(shoal_scene_step(w->scene, w->queries) == SHOAL_OK);
    }
    w->size = shl_motion_save(w->motion, NULL);
    w->state = malloc(w->size + 1);
    must(w->state && shl_motion_save(w->motion, w->state) == w->size);
}

// Rows of a place and what comes there: a number that few expect, or any bytes.
static void spoil(char *state, size_t size, const uint8_t *bytes, size_t left)
{
    const double odd[] = {NAN,    INFINITY, -INFINITY, 1e308, -1e308, 1e38, 1e19, -1e10,
                          1e-308, 0,        -0.0,      1e154, 5e-324, 1e9,  -1,   0.5};
    for (; left >= 12; bytes += 12, left -= 12) {
        uint32_t at;
        memcpy(&at, bytes, 4);
        const bool any = at >> 31;
        at = (at & 0x7fffffff) % (uint32_t)(size / 4 + 1) * 4;
        const size_t room = at < size ? size - at : 0;
        memcpy(state + at, any ? (const void *)(bytes + 4) : &odd[bytes[4] % 16],
               room < 8 ? room : 8);
    }
}

static void go_on(world *w, uint32_t step, const char *state, size_t size)
{
    shl_motion_report report;
    shoal_status st = shl_motion_restore(w->motion, step, state, size);
    for (uint32_t i = 0; i <= STEPS_MORE && st == SHOAL_OK; i++) {
        if (i)
            st = shl_motion_step(w->motion, step + i);
        if (st == SHOAL_OK)
            st = shoal_scene_step(w->scene, w->queries);
        if (st == SHOAL_OK)
            (void)shl_motion_measure(w->motion, &report);
    }
}

// Some take seconds to make.
static world worlds[KINDS];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    for (int i = 0; i < KINDS; i++) {
        open_world(i, &worlds[i]);
        save(&worlds[i]);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 4)
        return 0;
    const int kind = bytes[0] % KINDS;
    world *w = &worlds[kind];
    // most lengths are refused at once; bytes[2] adds to it, bytes[3] takes from it
    const size_t length = w->size + bytes[2] > bytes[3] ? w->size + bytes[2] - bytes[3] : 0;
    char *state = calloc(length + 1, 1);
    must(state);
    memcpy(state, w->state, length < w->size ? length : w->size);
    spoil(state, length, bytes + 4, size - 4);
    const uint32_t step = bytes[1] ? SAVED_AT : 999999990;
    if (kinds[kind].grows) {
        world own = {0};
        open_world(kind, &own);
        go_on(&own, step, state, length);
        close_world(&own);
    } else {
        go_on(w, step, state, length);
    }
    free(state);
    return 0;
}
