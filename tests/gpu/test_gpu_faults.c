// SPDX-License-Identifier: MIT
// Drivers that refuse, forget, reset and hang: always a status and one line, never an abort, a
// hang or a wrong result.
#include "bound_scenes.h"
#include "gl_faults.h"
#include "runtime/clock.h"
#include "runtime/gpu/gpu.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const shl_gpu_api *api;
static bound_scene scene;
static shl_gpu_bounds job;
static float right[BOUND_TRIS];
static shl_gpu_line why;

static shl_gpu *make(uint32_t job_ms)
{
    shl_gpu *gpu = NULL;
    const shl_gpu_def def = {.software = true, .job_ms = job_ms ? job_ms : 120000};
    memset(&why, 0, sizeof why);
    if (api->create(&def, &gpu, &why) != SHL_GPU_OK)
        fprintf(stderr, "%s\n", why.text);
    return gpu;
}

// Runs the job; with OK the bounds must be the right ones.
static shl_gpu_status run(shl_gpu *gpu)
{
    uint64_t ticket;
    float upper[BOUND_TRIS];
    memset(&why, 0, sizeof why);
    shl_gpu_status st = api->submit(gpu, &job, &ticket, &why);
    if (st == SHL_GPU_OK)
        st = api->collect(gpu, ticket, upper, NULL, NULL, &why);
    if (st == SHL_GPU_OK && memcmp(upper, right, job.count * sizeof(float)) != 0) {
        fprintf(stderr, "wrong bounds\n");
        return (shl_gpu_status)-1;
    }
    return st;
}

static bool one_line(const char *part)
{
    if (strstr(why.text, part) && !strchr(why.text, '\n'))
        return true;
    fprintf(stderr, "'%s' does not say '%s'\n", why.text, part);
    return false;
}

// A reset: the job has no result, the next one runs in a new context. The second is the last.
TEST context_resets(void)
{
    shl_gpu *gpu = make(0);
    ASSERT(gpu && run(gpu) == SHL_GPU_OK);
    shl_gpu_about about;
    api->about(gpu, &about);
    if (!about.robust) {
        api->destroy(gpu);
        SKIPm("no robust context");
    }
    for (int calls = 0; calls < 2; calls++) { // in the middle of a job, at its end
        ASSERT(gl_plant(GL_FAULT_RESET, calls, 1));
        ASSERT_EQ(SHL_GPU_LOST, run(gpu));
        ASSERT(one_line("reset"));
        gl_weed();
        ASSERT_EQ(calls == 0 ? SHL_GPU_OK : SHL_GPU_LOST, run(gpu));
    }
    ASSERT(one_line("given up"));
    api->destroy(gpu);
    PASS();
}

TEST shader_is_refused(void)
{
    for (int pass = 0; pass < 4; pass++) {
        shl_gpu *gpu = NULL;
        const shl_gpu_def def = {.software = true};
        ASSERT(gl_plant(GL_FAULT_SHADER, pass, 1));
        ASSERT_EQ(SHL_GPU_ABSENT, api->create(&def, &gpu, &why));
        gl_weed();
        ASSERT(!gpu && one_line("refuses shader"));
    }
    PASS();
}

TEST buffers_fail(void)
{
    shl_gpu *gpu = make(0);
    ASSERT(gpu);
    for (int buffer = 0; buffer < 7; buffer++) { // the check before and the one after each
        ASSERT(gl_plant(GL_FAULT_MEMORY, 2 * buffer + 1, 1));
        ASSERT_EQ(SHL_GPU_MEMORY, run(gpu));
        gl_weed();
        ASSERT(one_line("no "));
        api->destroy(gpu);
        ASSERT((gpu = make(0)));
    }
    ASSERT_EQ(SHL_GPU_OK, run(gpu));
    api->destroy(gpu);
    PASS();
}

TEST sizes_are_refused(void)
{
    ASSERT(gl_plant(GL_FAULT_STORAGE, 0, 1));
    shl_gpu *gpu = make(0);
    gl_weed();
    ASSERT(gpu);
    ASSERT_EQ(SHL_GPU_LIMIT, run(gpu));
    ASSERT(one_line("the device allows 1024"));
    api->destroy(gpu);
    ASSERT((gpu = make(0)));
    const shl_gpu_bounds sane = job;
    job.pair_limit = 3;
    ASSERT_EQ(SHL_GPU_LIMIT, run(gpu));
    job = sane;
    for (uint32_t cells = 1 << 15; cells; cells = cells == 1 << 15 ? UINT32_MAX : 0) {
        for (int k = 0; k < 3; k++)
            job.cells[k] = cells;
        ASSERT_EQ(SHL_GPU_LIMIT, run(gpu));
        job.grid = true; // too large for the host too
        const shl_gpu_status st = run(gpu);
        ASSERT(st == SHL_GPU_MEMORY || st == SHL_GPU_LIMIT);
        job = sane;
    }
    ASSERT_EQ(SHL_GPU_OK, run(gpu)); // none of this did harm
    api->destroy(gpu);
    PASS();
}

// The device never finishes.
TEST device_hangs(void)
{
    shl_gpu *gpu = make(300);
    ASSERT(gpu);
    ASSERT(gl_plant(GL_FAULT_DEVICE, 0, 1));
    const uint64_t begin = shl_now_ns();
    ASSERT_EQ(SHL_GPU_LATE, run(gpu));
    ASSERT(one_line("in time"));
    ASSERT(shl_now_ns() - begin < 20000000000u);
    ASSERT_EQ(SHL_GPU_LOST, run(gpu));
    ASSERT(one_line("given up"));
    api->destroy(gpu);
    gl_weed();
    PASS();
}

// A call into the driver does not return: the thread is left behind, the caller goes on. When
// it wakes up, it must find its memory as it left it.
TEST driver_hangs(void)
{
    shl_gpu *gpu = make(100);
    ASSERT(gpu);
    ASSERT(gl_plant(GL_FAULT_DRIVER, 0, 1));
    ASSERT_EQ(SHL_GPU_LATE, run(gpu));
    ASSERT(one_line("hangs"));
    ASSERT_EQ(SHL_GPU_LOST, run(gpu));
    api->destroy(gpu);
    ASSERT(!gl_has_woken());
    gl_release();
    gl_weed();
    ASSERT((gpu = make(0)));
    ASSERT_EQ(SHL_GPU_OK, run(gpu));
    api->destroy(gpu);
    PASS();
}

// A process that ends while its driver still does crashes in the driver.
TEST slow_ends_are_waited_for(void)
{
    shl_gpu *gpu = make(0);
    api->destroy(gpu); // libepoxy knows where a function is once it was called
    ASSERT((gpu = make(0)));
    ASSERT(gl_plant(GL_FAULT_END, 0, 1));
    api->destroy(gpu);
    ASSERT(gl_has_woken());
    gl_weed();
    PASS();
}

TEST attributes_are_refused(void)
{
    ASSERT(gl_plant(GL_FAULT_CONTEXT, 0, 1000));
    shl_gpu *gpu = make(0);
    gl_weed();
    ASSERT(gpu);
    shl_gpu_about about;
    api->about(gpu, &about);
    ASSERT(!about.robust);
    ASSERT_EQ(SHL_GPU_OK, run(gpu));
    api->destroy(gpu);
    PASS();
}

TEST ring_is_full(void)
{
    shl_gpu *gpu = make(0);
    ASSERT(gpu);
    uint64_t tickets[4], more;
    float upper[BOUND_TRIS];
    for (int i = 0; i < 4; i++)
        ASSERT_EQ(SHL_GPU_OK, api->submit(gpu, &job, &tickets[i], &why));
    ASSERT_EQ(SHL_GPU_BUSY, api->submit(gpu, &job, &more, &why));
    for (int i = 3; i >= 0; i--) {
        ASSERT_EQ(SHL_GPU_OK, api->collect(gpu, tickets[i], upper, NULL, NULL, &why));
        ASSERT_EQ(0, memcmp(upper, right, job.count * sizeof(float)));
        ASSERT(api->done(gpu, tickets[i]));
        ASSERT_EQ(SHL_GPU_LOST, api->collect(gpu, tickets[i], upper, NULL, NULL, &why));
    }
    ASSERT_EQ(SHL_GPU_OK, api->submit(gpu, &job, &more, &why));
    api->destroy(gpu); // with a job that nobody waits for
    PASS();
}

TEST child_of_fork(void)
{
    shl_gpu *gpu = make(0);
    ASSERT(gpu);
    ASSERT_EQ(SHL_GPU_OK, run(gpu));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const bool refused = run(gpu) == SHL_GPU_LOST && strstr(why.text, "fork");
        api->destroy(gpu);
        _exit(refused ? 0 : 1);
    }
    int status = -1;
    ASSERT(child > 0 && waitpid(child, &status, 0) == child);
    ASSERT_EQ(0, status);
    ASSERT_EQ(SHL_GPU_OK, run(gpu));
    api->destroy(gpu);
    PASS();
}

SUITE(faults)
{
    RUN_TEST(context_resets);
    RUN_TEST(shader_is_refused);
    RUN_TEST(buffers_fail);
    RUN_TEST(sizes_are_refused);
    RUN_TEST(device_hangs);
    RUN_TEST(driver_hangs);
    RUN_TEST(slow_ends_are_waited_for);
    RUN_TEST(attributes_are_refused);
    RUN_TEST(ring_is_full);
    RUN_TEST(child_of_fork);
}

static bool prepare(shl_gpu_link *device)
{
    shl_gpu *gpu = shl_gpu_open(device);
    if (!gpu)
        return false;
    api = device->api;
    bound_scene_make(BOUND_TETS, 3, &scene);
    const shl_voronoi_def *d = &scene.def;
    job = (shl_gpu_bounds){d->tris, d->count, {d->cells[0], d->cells[1], d->cells[2]},
                           d->band, d->eps,   d->pair_limit,
                           false,   false};
    uint64_t ticket;
    return api->submit(gpu, &job, &ticket, &why) == SHL_GPU_OK &&
           api->collect(gpu, ticket, right, NULL, NULL, &why) == SHL_GPU_OK;
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    setenv("SHOAL_GPU", "force", 1);
    setenv("LP_NUM_THREADS", "0", 0); // llvmpipe computes in the GL thread itself
    static shl_place place;
    static shl_gpu_link device;
    shl_place_init(&place);
    if (!shl_gpu_link_init(&device, SHOAL_GPU_AUTO, &place))
        return 1;
    const bool ready = prepare(&device);
    if (ready)
        RUN_SUITE(faults);
    else
        printf("no GPU: %s\nPass: 0, fail: 0, skip: 9.\n", device.info.reason);
    const bool failed = device.gpu && !ready;
    shl_gpu_link_finish(&device);
    shl_place_finish(&place);
    if (!ready)
        return failed;
    GREATEST_MAIN_END();
}
