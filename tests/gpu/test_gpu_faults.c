// SPDX-License-Identifier: MIT
// Drivers that refuse, forget, reset and hang: always a status and one line, never an abort, a
// hang or a wrong result. libepoxy calls GL through variables, which is where the faults go in.
#include "bound_scenes.h"
#include "runtime/clock.h"
#include "runtime/gpu/gpu.h"

#include "greatest.h"

#include <dlfcn.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void any_fn(void);

static const shl_gpu_api *api;
static bound_scene scene;
static shl_gpu_bounds job;
static float right[BOUND_TRIS];
static shl_gpu_line why;

// The variable through which a GL or EGL function is called.
static any_fn **variable(const char *name)
{
    static void *epoxy;
    char full[128];
    if (!epoxy)
        epoxy = dlopen("libepoxy.so.0", RTLD_NOW | RTLD_NOLOAD);
    snprintf(full, sizeof full, "epoxy_%s", name);
    return epoxy ? (any_fn **)dlsym(epoxy, full) : NULL;
}

// One fault at a time: what stands in a variable, and what stood there before.
static any_fn **where, *before;
static atomic_int skip, times; // calls to let pass, then calls to spoil

static bool plant(const char *name, any_fn *fault, int skip_calls, int calls)
{
    where = variable(name);
    if (!where)
        return false;
    before = *where;
    atomic_store(&skip, skip_calls);
    atomic_store(&times, calls);
    *where = fault;
    return true;
}

static void weed(void)
{
    if (where)
        *where = before;
    where = NULL;
}

static void pause_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static bool strikes(void)
{
    return atomic_fetch_sub(&skip, 1) <= 0 && atomic_fetch_sub(&times, 1) > 0;
}

// The first call through libepoxy's own pointer replaces it; the fault is put back after it.
#define ORIGINAL(type, ...)                                                                    \
    any_fn *const own = *where;                                                                \
    ((type *)before)(__VA_ARGS__);                                                             \
    if (*where != own)                                                                         \
    before = *where, *where = own

typedef unsigned reset_fn(void);
static unsigned bad_reset(void)
{
    return strikes() ? 0x8253 : 0; // guilty
}

typedef void source_fn(unsigned, int, const char *const *, const int *);
static void bad_source(unsigned shader, int count, const char *const *text, const int *length)
{
    static const char *const nonsense[] = {"#version 430\n", "void main() { nonsense; }\n"};
    if (strikes())
        count = 2, text = nonsense, length = NULL;
    ORIGINAL(source_fn, shader, count, text, length);
}

static unsigned error_code;
typedef unsigned error_fn(void);
static unsigned bad_error(void)
{
    if (strikes())
        return error_code;
    return 0;
}

// A fence that is never signalled: the device hangs, the driver does not.
typedef unsigned wait_fn(void *, unsigned, uint64_t);
static unsigned bad_wait(void *fence, unsigned flags, uint64_t ns)
{
    (void)fence;
    (void)flags;
    pause_ms((long)(ns / 1000000));
    return 0x911B; // GL_TIMEOUT_EXPIRED
}

// A driver that does not come back until it is told to, or 60 s are over.
static atomic_bool released, woken;
typedef void dispatch_fn(unsigned, unsigned, unsigned);
static void bad_dispatch(unsigned x, unsigned y, unsigned z)
{
    const bool struck = strikes();
    for (int i = 0; struck && i < 6000 && !atomic_load(&released); i++)
        pause_ms(10);
    ORIGINAL(dispatch_fn, x, y, z);
    if (struck)
        atomic_store(&woken, true);
}

// A context with attributes is refused, as old drivers do.
typedef void *context_fn(void *, void *, void *, const int *);
static void *bad_context(void *display, void *config, void *share, const int *attributes)
{
    bool robust = false;
    for (int i = 0; attributes[i] != 0x3038; i += 2)
        robust = robust || attributes[i] == 0x31BD;
    any_fn *const own = *where;
    void *made =
        robust && strikes() ? NULL : ((context_fn *)before)(display, config, share, attributes);
    if (*where != own)
        before = *where, *where = own;
    return made;
}

typedef void integer64_fn(unsigned, int64_t *);
static void small_storage(unsigned name, int64_t *out)
{
    ORIGINAL(integer64_fn, name, out);
    if (name == 0x90DE)
        *out = 1024; // GL_MAX_SHADER_STORAGE_BLOCK_SIZE
}

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
        ASSERT(plant("glGetGraphicsResetStatus", (any_fn *)bad_reset, calls, 1));
        ASSERT_EQ(SHL_GPU_LOST, run(gpu));
        ASSERT(one_line("reset"));
        weed();
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
        ASSERT(plant("glShaderSource", (any_fn *)bad_source, pass, 1));
        ASSERT_EQ(SHL_GPU_ABSENT, api->create(&def, &gpu, &why));
        weed();
        ASSERT(!gpu && one_line("refuses shader"));
    }
    PASS();
}

TEST buffers_fail(void)
{
    shl_gpu *gpu = make(0);
    ASSERT(gpu);
    error_code = 0x505;
    for (int buffer = 0; buffer < 7; buffer++) { // the check before and the one after each
        ASSERT(plant("glGetError", (any_fn *)bad_error, 2 * buffer + 1, 1));
        ASSERT_EQ(SHL_GPU_MEMORY, run(gpu));
        weed();
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
    ASSERT(plant("glGetInteger64v", (any_fn *)small_storage, 0, 1));
    shl_gpu *gpu = make(0);
    weed();
    ASSERT(gpu);
    ASSERT_EQ(SHL_GPU_LIMIT, run(gpu));
    ASSERT(one_line("the device allows 1024"));
    api->destroy(gpu);
    ASSERT((gpu = make(0)));
    const shl_gpu_bounds sane = job;
    job.room = 3;
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
    ASSERT(plant("glClientWaitSync", (any_fn *)bad_wait, 0, 1));
    const uint64_t begin = shl_now_ns();
    ASSERT_EQ(SHL_GPU_LATE, run(gpu));
    ASSERT(one_line("in time"));
    ASSERT(shl_now_ns() - begin < 20000000000u);
    ASSERT_EQ(SHL_GPU_LOST, run(gpu));
    ASSERT(one_line("given up"));
    api->destroy(gpu);
    weed();
    PASS();
}

// A call into the driver does not return: the thread is left behind, the caller goes on. When
// it wakes up, it must find its memory as it left it.
TEST driver_hangs(void)
{
    shl_gpu *gpu = make(100);
    ASSERT(gpu);
    ASSERT(plant("glDispatchCompute", (any_fn *)bad_dispatch, 0, 1));
    ASSERT_EQ(SHL_GPU_LATE, run(gpu));
    ASSERT(one_line("hangs"));
    ASSERT_EQ(SHL_GPU_LOST, run(gpu));
    api->destroy(gpu);
    ASSERT(!atomic_load(&woken));
    atomic_store(&released, true);
    while (!atomic_load(&woken))
        pause_ms(10);
    weed();
    ASSERT((gpu = make(0)));
    ASSERT_EQ(SHL_GPU_OK, run(gpu));
    api->destroy(gpu);
    PASS();
}

TEST attributes_are_refused(void)
{
    ASSERT(plant("eglCreateContext", (any_fn *)bad_context, 0, 1000));
    shl_gpu *gpu = make(0);
    weed();
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
                           d->band, d->eps,   d->room,
                           false};
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
