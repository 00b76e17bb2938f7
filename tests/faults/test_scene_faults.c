// SPDX-License-Identifier: MIT
// Scenes with dynamics, when memory runs out: each allocation of theirs fails once. They report
// it, leave nothing behind, and work when there is memory again.
#include "scenes/scene.h"

#include <shoal/shoal.h>

#include <greatest.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The linker leads calls of the scenes here (--wrap). The library's own memory comes from
// aligned_alloc() and is counted, not refused: tests/faults/test_faults.c is about it.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *memory);

static unsigned long asked, refused, fail_at; // fail_at 0: never
static long live;

static bool refuse(void)
{
    if (++asked != fail_at)
        return false;
    refused++;
    return true;
}

static void *counted(void *memory)
{
    live += memory != NULL;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (refuse())
        return NULL;
    void *now = __real_realloc(memory, size);
    live += now && !memory;
    return now;
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return counted(__real_aligned_alloc(align, size));
}

void __wrap_free(void *memory)
{
    live -= memory != NULL;
    __real_free(memory);
}

// Two steps of a new scene on one thread; *hash is of the second.
static shoal_status play(shl_scene_id id, uint64_t *hash)
{
    const uint32_t spheres = shl_scene_is_reduced(id) ? 6 : 0;
    const shl_scene_params params = {
        .k = 1, .bodies = 2, .seed = 1, .spheres = spheres, .bays = 1, .arity = 8};
    const shoal_context_def context = shoal_context_def_default();
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    shl_motion *motion = NULL;
    shoal_status st = shoal_context_create(&context, &ctx);
    if (st == SHOAL_OK)
        st = shoal_scene_create(ctx, &def, &scene);
    if (st == SHOAL_OK)
        st = shl_motion_create(id, &params, ctx, scene, &motion);
    for (uint32_t step = 1; step <= 2 && st == SHOAL_OK; step++) {
        st = shl_motion_step(motion, step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, spheres ? SHOAL_QUERY_SPHERES : SHOAL_QUERY_PAIRS);
    }
    *hash = st == SHOAL_OK ? shoal_scene_hash(scene) : 0;
    shl_motion_destroy(motion);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    return st;
}

TEST each_allocation_fails(shl_scene_id id)
{
    const char *name = shl_scene_name(id);
    uint64_t wanted, hash;
    fail_at = 0;
    ASSERT_EQm(name, SHOAL_OK, play(id, &wanted)); // also keeps its model
    asked = 0;
    ASSERT_EQm(name, SHOAL_OK, play(id, &hash));
    ASSERT_EQ_FMTm(name, wanted, hash, "%" PRIx64);
    const unsigned long all = asked;
    ASSERTm(name, all > (shl_scene_floor(id) ? 20 : 4)); // those that fall have dynamics, too
    const long before = live;
    for (unsigned long n = 1; n <= all; n++) {
        asked = refused = 0;
        fail_at = n;
        const shoal_status st = play(id, &hash);
        fail_at = 0;
        ASSERT_EQ_FMTm(name, 1ul, refused, "%lu");
        // a model that cannot be read from the cache is made anew
        if (st == SHOAL_OK)
            ASSERT_EQ_FMTm(name, wanted, hash, "%" PRIx64);
        else
            ASSERT_EQ_FMTm(name, SHOAL_ERR_MEMORY, st, "%d");
        ASSERT_EQ_FMTm(name, before, live, "%ld");
    }
    ASSERT_EQm(name, SHOAL_OK, play(id, &hash));
    ASSERT_EQ_FMTm(name, wanted, hash, "%" PRIx64);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    char folder[] = "/tmp/shoal-scene-faults-XXXXXX", command[128];
    GREATEST_MAIN_BEGIN();
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return 1;
    static const shl_scene_id ids[] = {
        SHL_SCENE_CHAIRS,  SHL_SCENE_FISH_BRIDGE, SHL_SCENE_CURTAIN, SHL_SCENE_BEAMS,
        SHL_SCENE_ARMS_27, SHL_SCENE_PLATES,      SHL_SCENE_TANGLE};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        RUN_TESTp(each_allocation_fails, ids[i]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        return 1;
    GREATEST_MAIN_END();
}
