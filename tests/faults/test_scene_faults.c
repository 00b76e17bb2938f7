// SPDX-License-Identifier: MIT
// Scenes with dynamics, when memory runs out: each allocation of theirs fails once. They report
// it, leave nothing behind, and work when there is memory again.
#include "scenes/plays/actors.h"

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

typedef shoal_status make_fn(shoal_context *ctx, shoal_scene *scene, shl_actors **out);

static shoal_status make_chairs(shoal_context *ctx, shoal_scene *scene, shl_actors **out)
{
    const shl_chairs_def def = {.count = 2, .seed = 1, .sphere_level = 5};
    return shl_chairs_create(&def, ctx, scene, out);
}

static shoal_status make_fish(shoal_context *ctx, shoal_scene *scene, shl_actors **out)
{
    const shl_fish_bridge_def def = {2, 1, 1, 4, NULL};
    return shl_fish_bridge_create(&def, ctx, scene, out);
}

static shoal_status make_curtain(shoal_context *ctx, shoal_scene *scene, shl_actors **out)
{
    const shl_curtain_def def = {1, 1, 4, NULL};
    return shl_curtain_create(&def, ctx, scene, out);
}

// Two steps of a new scene on one thread; *hash is of the second.
static shoal_status play(make_fn *make, uint64_t *hash)
{
    const shoal_context_def context = shoal_context_def_default();
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    shl_actors *actors = NULL;
    shoal_status st = shoal_context_create(&context, &ctx);
    if (st == SHOAL_OK)
        st = shoal_scene_create(ctx, &def, &scene);
    if (st == SHOAL_OK)
        st = make(ctx, scene, &actors);
    for (uint32_t step = 1; step <= 2 && st == SHOAL_OK; step++) {
        st = shl_actors_step(actors, step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, SHOAL_QUERY_SPHERES);
    }
    *hash = st == SHOAL_OK ? shoal_scene_hash(scene) : 0;
    shl_actors_destroy(actors);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    return st;
}

TEST each_allocation_fails(const char *name, make_fn *make)
{
    uint64_t wanted, hash;
    fail_at = 0;
    ASSERT_EQm(name, SHOAL_OK, play(make, &wanted)); // also keeps its model
    asked = 0;
    ASSERT_EQm(name, SHOAL_OK, play(make, &hash));
    ASSERT_EQ_FMTm(name, wanted, hash, "%" PRIx64);
    const unsigned long all = asked;
    ASSERTm(name, all > 20);
    const long before = live;
    for (unsigned long n = 1; n <= all; n++) {
        asked = refused = 0;
        fail_at = n;
        const shoal_status st = play(make, &hash);
        fail_at = 0;
        ASSERT_EQ_FMTm(name, 1ul, refused, "%lu");
        // a model that cannot be read from the cache is made anew
        if (st == SHOAL_OK)
            ASSERT_EQ_FMTm(name, wanted, hash, "%" PRIx64);
        else
            ASSERT_EQ_FMTm(name, SHOAL_ERR_MEMORY, st, "%d");
        ASSERT_EQ_FMTm(name, before, live, "%ld");
    }
    ASSERT_EQm(name, SHOAL_OK, play(make, &hash));
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
    RUN_TESTp(each_allocation_fails, "chairs", make_chairs);
    RUN_TESTp(each_allocation_fails, "fish-bridge", make_fish);
    RUN_TESTp(each_allocation_fails, "curtain", make_curtain);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        return 1;
    GREATEST_MAIN_END();
}
