// SPDX-License-Identifier: MIT
// The last error: every failing call leaves its line with its thread, with a context and
// without, and nothing else touches it. tests/meson.build wraps malloc: not one call of it.
#include "greatest.h"

#include <pthread.h>
#include <shoal/shoal.h>
#include <stdlib.h>
#include <string.h>

static char logged[600];
static _Thread_local long allocated;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    allocated++;
    return __real_malloc(size);
}

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user, (void)status;
    snprintf(logged, sizeof logged, "%s", text);
}

TEST empty_at_start(void)
{
    ASSERT_STR_EQ("", shoal_last_error());
    PASS();
}

// Each of these has neither a log nor a context that could tell it.
TEST without_a_context(void)
{
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    shoal_model *model = NULL;
    shoal_body body = {1, 1};
    const float lo[3] = {0};
    const shoal_context_def none = {.size = 1};
    shoal_grid grid;
    shoal_body_info info;
#define SAYS(call, text)                                                                       \
    do {                                                                                       \
        ASSERT_EQ_FMT((int)SHOAL_ERR_ARGUMENT, (int)(call), "%d");                             \
        ASSERT_STR_EQ(text, shoal_last_error());                                               \
    } while (0)
    SAYS(shoal_context_create(&none, NULL), "context: out is NULL");
    SAYS(shoal_context_create(&none, &ctx), "context: start from shoal_context_def_default()");
    SAYS(shoal_context_create(NULL, &ctx), "context: start from shoal_context_def_default()");
    SAYS(shoal_model_create(NULL, NULL, &model), "model: the context is NULL");
    SAYS(shoal_model_create(NULL, NULL, NULL), "model: out is NULL");
    SAYS(shoal_scene_create(NULL, NULL, &scene), "scene: the context is NULL");
    SAYS(shoal_scene_create(NULL, NULL, NULL), "scene: out is NULL");
    SAYS(shoal_scene_add_free(NULL, NULL, &body), "add: the scene is NULL");
    SAYS(shoal_scene_add_reduced(NULL, NULL, &body), "add: the scene is NULL");
    SAYS(shoal_scene_add_skinned(NULL, NULL, &body), "add: the scene is NULL");
    SAYS(shoal_scene_remove(NULL, body), "remove: the scene is NULL");
    SAYS(shoal_scene_replace_model(NULL, body, NULL), "replace_model: the scene is NULL");
    SAYS(shoal_scene_set_positions(NULL, body, NULL), "set_positions: the scene is NULL");
    SAYS(shoal_scene_set_positions_many(NULL, NULL, NULL, 0),
         "set_positions: the scene is NULL");
    SAYS(shoal_scene_set_fat_box(NULL, body, lo, lo), "set_fat_box: the scene is NULL");
    SAYS(shoal_scene_set_reduced(NULL, NULL), "set_reduced: the scene is NULL");
    SAYS(shoal_scene_set_skinned(NULL, NULL), "set_skinned: the scene is NULL");
    SAYS(shoal_scene_step(NULL, 1), "step: the scene is NULL");
    SAYS(shoal_scene_step_begin(NULL, 1, 1), "step: the scene is NULL");
    SAYS(shoal_scene_step_work(NULL, 0), "step_work: the scene is NULL");
    SAYS(shoal_scene_step_end(NULL), "step_end: the scene is NULL");
    SAYS(shoal_scene_body_info(NULL, body, &info), "body_info: the scene is NULL");
    SAYS(shoal_scene_vertices(NULL, body, NULL), "vertices: the scene is NULL");
    SAYS(shoal_scene_grid(NULL, 1, &grid), "grid: the scene is NULL");
    SAYS(shoal_scene_diagram(NULL, NULL, NULL), "diagram: the scene is NULL");
    SAYS(shoal_scene_write_graph(NULL, SHOAL_GRAPH_TEXT, NULL, NULL),
         "write_graph: the scene is NULL");
    PASS();
}

static void *no_alloc(void *user, size_t size, size_t align)
{
    (void)user, (void)size, (void)align;
    return NULL;
}

static void no_release(void *user, void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
}

// The same line as the log's; without a log, too; warnings and calls that go well leave it.
TEST the_line_of_the_log(void)
{
    for (int with_log = 0; with_log < 2; with_log++) {
        shoal_context_def def = shoal_context_def_default();
        def.log = with_log ? log_line : NULL;
        shoal_context *ctx;
        shoal_scene *scene;
        shoal_scene_def many = shoal_scene_def_default(), wrong = many;
        many.threads = 4096;
        wrong.size = 0;
        ASSERT_EQ(SHOAL_OK, shoal_context_create(&def, &ctx));
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_create(ctx, &wrong, &scene));
        ASSERT_STR_EQ("scene: start from shoal_scene_def_default()", shoal_last_error());
        if (with_log)
            ASSERT_STR_EQ(logged, shoal_last_error());
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &many, &scene)); // warns
        if (with_log)
            ASSERT(strstr(logged, "4096 threads"));
        ASSERT_STR_EQ("scene: start from shoal_scene_def_default()", shoal_last_error());
        ASSERT_EQ(SHOAL_ERR_STALE, shoal_scene_remove(scene, (shoal_body){5, 1}));
        ASSERT_STR_EQ("remove: body 4 is gone", shoal_last_error());
        shoal_scene_destroy(scene);
        shoal_context_destroy(ctx);
        def.allocator = (shoal_allocator){no_alloc, no_release, NULL};
        ASSERT_EQ(SHOAL_ERR_MEMORY, shoal_context_create(&def, &ctx));
        ASSERT_STR_EQ("context: no memory", shoal_last_error());
    }
    PASS();
}

// A thread begins with none, keeps its own, and asks nobody for memory.
static void *fail_alone(void *user)
{
    const shoal_body body = {1, 1};
    const long before = allocated;
    bool good = shoal_last_error()[0] == 0;
    for (int i = 0; i < 1000; i++) {
        const shoal_status a = shoal_scene_remove(NULL, body);
        good = good && a && strcmp(shoal_last_error(), "remove: the scene is NULL") == 0;
        const shoal_status b = shoal_scene_step(NULL, 1);
        good = good && b && strcmp(shoal_last_error(), "step: the scene is NULL") == 0;
    }
    *(bool *)user = good && allocated == before;
    return NULL;
}

TEST threads_have_their_own(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    bool good[THREADS] = {false};
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_step_end(NULL));
    for (int i = 0; i < THREADS; i++)
        ASSERT_EQ(0, pthread_create(&thread[i], NULL, fail_alone, &good[i]));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ASSERT(good[i]);
    }
    ASSERT_STR_EQ("step_end: the scene is NULL", shoal_last_error());
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(empty_at_start);
    RUN_TEST(without_a_context);
    RUN_TEST(the_line_of_the_log);
    RUN_TEST(threads_have_their_own);
    GREATEST_MAIN_END();
}
