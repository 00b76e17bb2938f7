// SPDX-License-Identifier: MIT
// The GPU fails in the middle of a run of steps: the CPU answers, with the same bytes and one
// line; a context that requires the GPU gets a status instead, and may go on.
#include "../unit/common/inside.h"
#include "gl_faults.h"
#include "runtime/context.h"

#include "greatest.h"

#include <math.h>
#include <shoal/shoal.h>
#include <stdlib.h>
#include <string.h>

enum { SHEETS = 5, SIDE_MAX = 24, STEPS = 9, VERTICES_MAX = (SIDE_MAX + 1) * (SIDE_MAX + 1) };
static const uint32_t queries =
    SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES;

static uint64_t right[STEPS]; // hashes without any grid
static uint32_t side;         // of a sheet, squares
static uint32_t faces[6 * SIDE_MAX * SIDE_MAX];
static float xyz[SHEETS][3 * VERTICES_MAX];
static bool works; // there is a GPU

static uint32_t lines;
static char line[600];

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    (void)status;
    lines++;
    snprintf(line, sizeof line, "%s", text);
}

// Waves, one above the other, that move.
static void shake(uint32_t step)
{
    for (uint32_t b = 0; b < SHEETS; b++) {
        for (uint32_t v = 0; v < (side + 1) * (side + 1); v++) {
            const float x = (float)(v % (side + 1)), y = (float)(v / (side + 1));
            xyz[b][3 * v] = x + 0.3f * (float)b;
            xyz[b][3 * v + 1] = y;
            xyz[b][3 * v + 2] = 1.5f * (float)b + 0.4f * sinf(0.9f * x + (float)(b + step)) +
                                0.3f * cosf(0.7f * y - 0.5f * (float)(step * b));
        }
    }
}

static void make_faces(uint32_t squares)
{
    side = squares;
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t v = i / side * (side + 1) + i % side;
        const uint32_t two[6] = {v, v + 1, v + side + 1, v + 1, v + side + 2, v + side + 1};
        memcpy(faces + (size_t)6 * i, two, sizeof two);
    }
}

typedef struct play {
    shoal_context *ctx;
    shoal_model *model;
    shoal_scene *scene;
    shoal_body body[SHEETS];
} play;

typedef struct way {
    shoal_gpu gpu;
    const char *environment; // SHOAL_GPU
    shoal_distance_engine engine;
    uint32_t threads, job_ms;
} way;

static void close_play(play *p)
{
    gl_weed();
    shoal_scene_destroy(p->scene);
    shoal_model_destroy(p->model);
    shoal_context_destroy(p->ctx);
    *p = (play){0};
}

static bool open_play(play *p, const way *w)
{
    setenv("SHOAL_GPU", w->environment, 1);
    *p = (play){0};
    lines = 0;
    line[0] = 0;
    shake(0);
    shoal_context_def cd = shoal_context_def_default();
    cd.gpu = w->gpu;
    cd.log = log_line;
    cd.fixed_costs = *w->environment != 0; // nothing is measured but by those who want it
    shoal_model_def md = shoal_model_def_default();
    md.triangles = faces;
    md.triangle_count = 2 * side * side;
    md.rest = shoal_positions_f32(xyz[0], (side + 1) * (side + 1));
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = w->threads > 1 ? SHOAL_EXECUTOR_OMP : SHOAL_EXECUTOR_SERIAL;
    sd.threads = w->threads;
    sd.distance_engine = w->engine;
    sd.within = 2;
    if (shoal_context_create(&cd, &p->ctx))
        return false;
    p->ctx->gpu.job_ms = w->job_ms ? w->job_ms : 120000; // nothing has been started yet
    if (shoal_model_create(p->ctx, &md, &p->model) ||
        shoal_scene_create(p->ctx, &sd, &p->scene))
        return false;
    for (uint32_t b = 0; b < SHEETS; b++) {
        shoal_positions at = shoal_positions_f32(xyz[b], (side + 1) * (side + 1));
        at.hold = SHOAL_BORROW;
        if (shoal_scene_add_free(p->scene, p->model, &p->body[b]) ||
            shoal_scene_set_positions(p->scene, p->body[b], &at))
            return false;
    }
    return true;
}

// Whether a step gives what it should, by the GPU or without.
static bool good_step(play *p, uint32_t step, bool by_gpu)
{
    shake(step);
    const shoal_status st = shoal_scene_step(p->scene, queries);
    const uint64_t jobs = shoal_scene_stats(p->scene).gpu_jobs;
    const bool good =
        st == SHOAL_OK && shoal_scene_hash(p->scene) == right[step] && jobs == by_gpu;
    if (!good)
        fprintf(stderr, "step %u: %s, %s hash, %d GPU jobs; %s\n", step, shoal_status_text(st),
                shoal_scene_hash(p->scene) == right[step] ? "right" : "wrong", (int)jobs, line);
    return good;
}

static bool told(uint32_t count, const char *first, const char *second)
{
    const bool good =
        lines == count && strstr(line, first) && strstr(line, second) && !strchr(line, '\n');
    if (!good)
        fprintf(stderr, "%u lines, the last: %s\n", lines, line);
    return good;
}

static const char took_over[] = "the CPU takes over from the GPU";

// A first context and step, so that libepoxy is loaded and has found its functions.
static bool prepare(uint32_t squares)
{
    make_faces(squares);
    play p;
    const way off = {SHOAL_GPU_OFF, "off", SHOAL_DISTANCE_TREES, 1, 0};
    if (!open_play(&p, &off))
        return false;
    for (uint32_t i = 0; i < STEPS; i++) {
        shake(i);
        if (shoal_scene_step(p.scene, queries))
            return false;
        right[i] = shoal_scene_hash(p.scene);
    }
    close_play(&p);
    const way forced = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, 1, 0};
    if (!open_play(&p, &forced))
        return false;
    works = shoal_context_gpu(p.ctx).ready;
    const bool good = good_step(&p, 0, works);
    if (!works)
        printf("no GPU: %s\n", shoal_context_gpu(p.ctx).reason);
    close_play(&p);
    return good;
}

static bool tells_resets(play *p)
{
    return strstr(shoal_context_gpu(p->ctx).version, "robust") != NULL;
}

// A reset costs a step's job; the next one runs in a new context. The second is the last.
TEST resets(uint32_t threads)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, threads, 0};
    play p;
    ASSERT(open_play(&p, &w));
    for (uint32_t i = 0; i < 2; i++)
        ASSERT(good_step(&p, i, true));
    if (!tells_resets(&p)) {
        close_play(&p);
        SKIPm("no robust context");
    }
    ASSERT(gl_plant(GL_FAULT_RESET, 0, 1));
    ASSERT(good_step(&p, 2, false));
    ASSERT(told(1, took_over, "reset"));
    ASSERT(good_step(&p, 3, true));
    ASSERT(gl_plant(GL_FAULT_RESET, 1, 1)); // at the end of a job
    for (uint32_t i = 4; i < STEPS; i++)
        ASSERT(good_step(&p, i, false));
    ASSERT(told(1, took_over, "reset"));
    close_play(&p);
    PASS();
}

// After a reset the driver refuses what it took before.
TEST reset_and_no_shaders(void)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(good_step(&p, 0, true));
    if (!tells_resets(&p)) {
        close_play(&p);
        SKIPm("no robust context");
    }
    ASSERT(gl_plant(GL_FAULT_RESET, 0, 1) && gl_plant(GL_FAULT_SHADER, 0, 1000));
    for (uint32_t i = 1; i < STEPS; i++)
        ASSERT(good_step(&p, i, false));
    ASSERT(told(1, took_over, "reset"));
    close_play(&p);
    PASS();
}

TEST no_shaders(void)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(gl_plant(GL_FAULT_SHADER, 0, 1000));
    for (uint32_t i = 0; i < 3; i++)
        ASSERT(good_step(&p, i, false));
    ASSERT(told(1, "no GPU, the CPU is used", "refuses shader"));
    close_play(&p);
    PASS();
}

// Who gives up first, the GL thread or the one that waits for it, is up to the machine.
static bool tells_of_time(void)
{
    return strstr(line, "hangs") || strstr(line, "in time");
}

// A device or a driver that does not come back is waited for, not for ever, and then left.
TEST hangs(gl_fault fault, uint32_t threads)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, threads, 400};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(shoal_context_gpu(p.ctx).ready);
    ASSERT(gl_plant(fault, 0, 1));
    for (uint32_t i = 0; i < STEPS; i++)
        ASSERT(good_step(&p, i, false));
    ASSERT(told(1, took_over, "") && tells_of_time());
    if (fault == GL_FAULT_DRIVER)
        gl_release(); // the thread that was left finds its memory as it was
    close_play(&p);
    PASS();
}

// No memory on the device for once; the next step asks again.
TEST no_memory(void)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(gl_plant(GL_FAULT_MEMORY, 1, 1));
    ASSERT(good_step(&p, 0, false));
    ASSERT(told(1, took_over, "on the device"));
    gl_weed();
    ASSERT(good_step(&p, 1, true));
    close_play(&p);
    PASS();
}

TEST too_large(void)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(gl_plant(GL_FAULT_STORAGE, 0, 1000));
    for (uint32_t i = 0; i < 3; i++)
        ASSERT(good_step(&p, i, false));
    ASSERT(told(1, took_over, "the device allows 1024"));
    close_play(&p);
    PASS();
}

TEST plain_context(void)
{
    const way w = {SHOAL_GPU_AUTO, "force", SHOAL_DISTANCE_GRID, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(gl_plant(GL_FAULT_CONTEXT, 0, 1000));
    for (uint32_t i = 0; i < 3; i++)
        ASSERT(good_step(&p, i, true));
    ASSERT(!tells_resets(&p));
    ASSERT_EQ(0, lines);
    close_play(&p);
    PASS();
}

// A ring that others have filled is no failure, not even of a GPU that is required.
TEST busy_with_others(shoal_gpu gpu)
{
    const way w = {gpu, "force", SHOAL_DISTANCE_GRID, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(shoal_context_gpu(p.ctx).ready);
    const shl_gpu_link *link = &p.ctx->gpu;
    const shl_gpu_bounds nothing = {
        .cells = {4, 4, 4}, .band = 2, .eps = 0.1f, .pair_limit = 100};
    uint64_t ticket[4];
    shl_gpu_line why;
    for (int i = 0; i < 4; i++)
        ASSERT_EQ(SHL_GPU_OK, link->api->submit(link->gpu, &nothing, &ticket[i], &why));
    ASSERT(good_step(&p, 0, false));
    for (int i = 0; i < 4; i++)
        ASSERT_EQ(SHL_GPU_OK, link->api->collect(link->gpu, ticket[i], NULL, NULL, NULL, &why));
    ASSERT(good_step(&p, 1, true));
    ASSERT_EQ(0, lines);
    close_play(&p);
    PASS();
}

static bool device_error(play *p, uint32_t step)
{
    shake(step);
    const shoal_status st = shoal_scene_step(p->scene, queries);
    return st == SHOAL_ERR_DEVICE && shoal_scene_hash(p->scene) == 0 &&
           shoal_scene_nearest(p->scene).count == 0 &&
           shoal_scene_within(p->scene).count == 0 &&
           shoal_scene_nearest_triangles(p->scene).count == 0;
}

// A required GPU that fails within a step: a status, one line, no results. The next step is as
// good as the device.
TEST required_and_reset(uint32_t threads)
{
    const way w = {SHOAL_GPU_REQUIRE, "force", SHOAL_DISTANCE_AUTO, threads, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(good_step(&p, 0, true));
    if (!tells_resets(&p)) {
        close_play(&p);
        SKIPm("no robust context");
    }
    ASSERT(gl_plant(GL_FAULT_RESET, 0, 1));
    ASSERT(device_error(&p, 1));
    ASSERT(told(1, "step: the GPU: ", "reset"));
    ASSERT(good_step(&p, 2, true));
    ASSERT(gl_plant(GL_FAULT_RESET, 1, 1));
    ASSERT(device_error(&p, 3));
    ASSERT(device_error(&p, 4));
    ASSERT(told(3, "step: the GPU: ", "given up"));
    close_play(&p);
    PASS();
}

// The hash of a step in which some sheets do not meet; 0 if it fails or the GPU has no part.
static uint64_t hash_apart(const way *w, bool by_gpu)
{
    play p;
    const bool good = open_play(&p, w) && !shoal_scene_set_static(p.scene, p.body[0], true) &&
                      !shoal_scene_set_static(p.scene, p.body[1], true) &&
                      !shoal_scene_set_excluded(p.scene, &p.body[2], &p.body[3], 1) &&
                      !shoal_scene_step(p.scene, queries) &&
                      shoal_scene_stats(p.scene).gpu_jobs == by_gpu;
    const uint64_t hash = good ? shoal_scene_hash(p.scene) : 0;
    close_play(&p);
    return hash;
}

// A required GPU also answers while rules keep bodies apart.
TEST required_with_rules(void)
{
    const way trees = {SHOAL_GPU_OFF, "off", SHOAL_DISTANCE_TREES, 1, 0},
              gpu = {SHOAL_GPU_REQUIRE, "force", SHOAL_DISTANCE_AUTO, 1, 0};
    const uint64_t hash = hash_apart(&trees, false);
    ASSERT(hash != 0 && hash != right[0]);
    ASSERT_EQ(hash, hash_apart(&gpu, true));
    PASS();
}

TEST required_without_memory(void)
{
    const way w = {SHOAL_GPU_REQUIRE, "force", SHOAL_DISTANCE_AUTO, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(gl_plant(GL_FAULT_MEMORY, 1, 1));
    ASSERT(device_error(&p, 0));
    ASSERT(told(1, "step: the GPU: ", "on the device"));
    gl_weed();
    ASSERT(good_step(&p, 1, true));
    close_play(&p);
    PASS();
}

// Required, and hanging: the context was made with a GPU, so its time is set before a step.
TEST required_in_time(void)
{
    const way w = {SHOAL_GPU_REQUIRE, "force", SHOAL_DISTANCE_AUTO, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    shl_gpu_link *link = &p.ctx->gpu;
    const shl_gpu_def short_tempered = {.software = true, .job_ms = 300};
    shl_gpu_line why;
    link->api->destroy(link->gpu);
    ASSERT_EQ(SHL_GPU_OK, link->api->create(&short_tempered, &link->gpu, &why));
    ASSERT(gl_plant(GL_FAULT_DEVICE, 0, 1));
    ASSERT(device_error(&p, 0));
    ASSERT(told(1, "step: the GPU: ", "") && tells_of_time());
    ASSERT(device_error(&p, 1));
    close_play(&p);
    PASS();
}

// Measured like hardware: tried twice when the others are known, and kept only if it is faster.
// A device that fails while it is tried is not tried again.
TEST calibrates(shoal_distance_engine engine, bool fails)
{
    const way w = {SHOAL_GPU_AUTO, "", engine, 1, 0};
    play p;
    ASSERT(open_play(&p, &w));
    ASSERT(gl_plant(GL_FAULT_DISGUISE, 0, 0));
    uint64_t jobs = 0;
    for (uint32_t i = 0; i < 5; i++) {
        if (i == 3 && fails)
            ASSERT(gl_plant(GL_FAULT_MEMORY, 1, 1));
        ASSERT(good_step(&p, i, i >= 3 && !fails));
        jobs += shoal_scene_stats(p.scene).gpu_jobs;
    }
    ASSERT_EQ(fails ? 0 : 2, jobs);
    ASSERT(p.ctx->gpu.info.ready && !p.ctx->gpu.info.software);
    const double *cost = inside_distance(p.scene)->grid.cost;
    ASSERT(cost[SHL_WITH_GRID] > 0 && (cost[SHL_WITH_GPU] > 0) == !fails);
    ASSERT_EQ(engine == SHOAL_DISTANCE_AUTO, cost[SHL_WITH_TREES] > 0);
    bool faster = !fails;
    for (int i = SHL_WITH_TREES; i < SHL_WITH_GPU; i++)
        faster = faster && (!(cost[i] > 0) || cost[SHL_WITH_GPU] < cost[i]);
    ASSERT(good_step(&p, 5, faster));
    ASSERT(fails ? told(1, took_over, "on the device") : lines == 0);
    close_play(&p);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    setenv("LP_NUM_THREADS", "0", 0); // llvmpipe computes in the GL thread itself
    if (!prepare(8))
        return 1;
    if (!works) {
        printf("Pass: 0, fail: 0, skip: 22.\n");
        return 0;
    }
    for (uint32_t threads = 1; threads <= 2; threads++) {
        RUN_TEST1(resets, threads);
        RUN_TESTp(hangs, GL_FAULT_DEVICE, threads);
        RUN_TESTp(hangs, GL_FAULT_DRIVER, threads);
        RUN_TEST1(required_and_reset, threads);
    }
    RUN_TEST(reset_and_no_shaders);
    RUN_TEST(no_shaders);
    RUN_TEST(no_memory);
    RUN_TEST(too_large);
    RUN_TEST(plain_context);
    RUN_TEST1(busy_with_others, SHOAL_GPU_AUTO);
    RUN_TEST1(busy_with_others, SHOAL_GPU_REQUIRE);
    RUN_TEST(required_with_rules);
    RUN_TEST(required_without_memory);
    RUN_TEST(required_in_time);
    if (!prepare(SIDE_MAX)) // what takes less than 2 ms is not worth a GPU
        return 1;
    for (int fails = 0; fails < 2; fails++) {
        RUN_TESTp(calibrates, SHOAL_DISTANCE_AUTO, fails);
        RUN_TESTp(calibrates, SHOAL_DISTANCE_GRID, fails);
    }
    GREATEST_MAIN_END();
}
