// SPDX-License-Identifier: MIT
// The one thread that owns a context for its life. Nobody waits for it without a limit: a
// driver may hang, and then the thread is left behind with what it uses.
#include "gpu/thread.h"

#include "gpu/paint.h"
#include "gpu/picture_copy.h"
#include "layouts/float_env.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    START_MS = 30000,
    JOB_MS = 10000,
    PICTURE_MS = 300000,
    STOP_MS = 30000, // a process that ends before its driver may crash
    HUNG_MS = 2000,  // for a driver that has not answered before
    RING = 4,
    LIVES = 2
};

#define CELLS_MAX ((uint64_t)1 << 30) // a larger grid is no picture

typedef enum slot_state { SLOT_FREE = 0, SLOT_QUEUED, SLOT_RUNNING, SLOT_DONE } slot_state;

// A job with copies of all it reads and writes: a caller that gave up may be gone.
typedef struct slot {
    slot_state state;
    uint64_t ticket;
    shl_gpu_bounds job;
    shl_cell_tri *tris;
    float *upper;
    shl_gpu_cell *grid;
    uint64_t tri_capacity, cell_capacity;
    shl_gpu_span span;
    shl_gpu_picture *picture; // if not NULL, the job is this one
    uint8_t *rgb;             // [picture->height][picture->width][3]
    shl_gpu_status status;
    shl_gpu_line why;
} slot;

struct shl_gpu {
    shl_gpu_def def;
    pid_t process;        // a child of fork() has no GL thread
    atomic_bool stop;     // the present job is not wanted any more
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t change;
    uint32_t holds;  // the user and the thread: the last one frees
    bool started;    // status, why and about are there
    bool quit, over; // asked to end; has ended
    bool dead;       // takes no jobs any more; why says the reason
    bool hung;       // somebody waited for the thread in vain
    bool painting;   // a picture is queued
    shl_gpu_status status;
    shl_gpu_line why;
    shl_gpu_about about;
    uint64_t submitted, taken; // tickets are 1, 2, ...
    slot ring[RING];           // by ticket
};

static void release(shl_gpu *gpu)
{
    pthread_mutex_lock(&gpu->lock);
    const bool last = --gpu->holds == 0;
    pthread_mutex_unlock(&gpu->lock);
    if (!last)
        return;
    for (int i = 0; i < RING; i++) {
        free(gpu->ring[i].tris);
        free(gpu->ring[i].upper);
        free(gpu->ring[i].grid);
        free(gpu->ring[i].picture);
        free(gpu->ring[i].rgb);
    }
    pthread_cond_destroy(&gpu->change);
    pthread_mutex_destroy(&gpu->lock);
    free(gpu);
}

// The thread's own: a context and what was made in it.
typedef struct owner {
    shl_egl egl;
    shl_work work;
    uint32_t lives; // contexts that may still be made
} owner;

static shl_gpu_status start(shl_gpu *gpu, owner *o, shl_gpu_about *about, shl_gpu_line *why)
{
    o->lives--;
    shl_gpu_status st = shl_egl_open(gpu->def.software, &o->egl, about, why);
    if (st != SHL_GPU_OK)
        return st;
    st = shl_work_init(&o->work, about->robust, why);
    o->work.stop = &gpu->stop;
    if (st != SHL_GPU_OK)
        shl_egl_close(&o->egl);
    return st;
}

static void stop(owner *o)
{
    if (o->egl.context != EGL_NO_CONTEXT) {
        shl_work_finish(&o->work);
        shl_egl_close(&o->egl);
    }
}

// A lost context is made once more; what it computed is thrown away. False: no jobs any more.
static bool run(shl_gpu *gpu, owner *o, slot *s)
{
    const uint64_t ms = s->picture ? gpu->def.picture_ms : gpu->def.job_ms;
    o->work.until_ns = shl_gpu_now_ns() + ms * 1000000;
    s->why.text[0] = 0;
    s->status = s->picture ? shl_paint(&o->work, s->picture, s->rgb, &s->why)
                           : shl_work_bounds(&o->work, &s->job, s->upper, s->grid, &s->why);
    if (s->status == SHL_GPU_LATE || atomic_load(&gpu->stop))
        return false;
    if (s->status != SHL_GPU_LOST)
        return true;
    stop(o);
    shl_gpu_about about;
    shl_gpu_line why;
    return o->lives && start(gpu, o, &about, &why) == SHL_GPU_OK;
}

// Jobs until the end; the lock is held between them.
static void serve(shl_gpu *gpu, owner *o)
{
    while (!gpu->quit && !gpu->dead) {
        if (gpu->taken == gpu->submitted) {
            pthread_cond_wait(&gpu->change, &gpu->lock);
            continue;
        }
        slot *s = &gpu->ring[++gpu->taken % RING];
        s->state = SLOT_RUNNING;
        pthread_mutex_unlock(&gpu->lock);
        s->span.begin_ns = shl_gpu_now_ns();
        const bool lives = run(gpu, o, s);
        s->span.end_ns = shl_gpu_now_ns();
        pthread_mutex_lock(&gpu->lock);
        s->state = SLOT_DONE;
        if (!lives) {
            gpu->dead = true;
            gpu->why = s->why;
        }
        pthread_cond_broadcast(&gpu->change);
    }
}

static void *gl_thread(void *user)
{
    SHL_FLOAT_ENV(maker); // a thread inherits its maker's environment
    shl_gpu *gpu = user;
    if (gpu->def.enter)
        gpu->def.enter(gpu->def.user);
    owner o = {.egl = {EGL_NO_DISPLAY, EGL_NO_CONTEXT}, .lives = LIVES};
    shl_gpu_about about;
    shl_gpu_line why = {""};
    const shl_gpu_status st = start(gpu, &o, &about, &why);
    pthread_mutex_lock(&gpu->lock);
    gpu->status = st;
    gpu->why = why;
    gpu->about = about;
    gpu->started = true;
    pthread_cond_broadcast(&gpu->change);
    if (st == SHL_GPU_OK)
        serve(gpu, &o);
    pthread_mutex_unlock(&gpu->lock);
    stop(&o);
    pthread_mutex_lock(&gpu->lock);
    gpu->over = true;
    pthread_cond_broadcast(&gpu->change);
    pthread_mutex_unlock(&gpu->lock);
    release(gpu);
    return NULL;
}

static struct timespec after_ms(uint64_t ms)
{
    const uint64_t ns = shl_gpu_now_ns() + ms * 1000000;
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

// Waits with the lock held until `*flag`, at most `ms`.
static bool wait_for(shl_gpu *gpu, const bool *flag, uint64_t ms)
{
    const struct timespec until = after_ms(ms);
    int error = 0;
    while (!*flag && !error)
        error = pthread_cond_timedwait(&gpu->change, &gpu->lock, &until);
    return *flag;
}

static shl_gpu *make(const shl_gpu_def *def)
{
    shl_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return NULL;
    gpu->def = *def;
    if (!gpu->def.start_ms)
        gpu->def.start_ms = START_MS;
    if (!gpu->def.job_ms)
        gpu->def.job_ms = JOB_MS;
    if (!gpu->def.picture_ms)
        gpu->def.picture_ms = PICTURE_MS;
    gpu->process = getpid();
    gpu->holds = 2;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&gpu->lock, NULL);
    pthread_cond_init(&gpu->change, &attributes);
    pthread_condattr_destroy(&attributes);
    return gpu;
}

shl_gpu_status shl_gpu_create(const shl_gpu_def *def, shl_gpu **out, shl_gpu_line *why)
{
    *out = NULL;
    shl_gpu *gpu = make(def);
    if (!gpu)
        return shl_gpu_fail(why, SHL_GPU_MEMORY, "no memory");
    pthread_t thread;
    if (pthread_create(&thread, NULL, gl_thread, gpu) != 0) {
        gpu->holds = 1;
        release(gpu);
        return shl_gpu_fail(why, SHL_GPU_MEMORY, "no thread for GL");
    }
    pthread_detach(thread);
    pthread_mutex_lock(&gpu->lock);
    const bool started = wait_for(gpu, &gpu->started, gpu->def.start_ms);
    const shl_gpu_status st = started ? gpu->status : SHL_GPU_LATE;
    *why = gpu->why;
    gpu->hung = !started;
    pthread_mutex_unlock(&gpu->lock);
    if (!started)
        shl_gpu_fail(why, SHL_GPU_LATE, "the driver did not start within %u ms",
                     gpu->def.start_ms);
    if (st != SHL_GPU_OK)
        shl_gpu_destroy(gpu);
    else
        *out = gpu;
    return st;
}

void shl_gpu_destroy(shl_gpu *gpu)
{
    if (!gpu || gpu->process != getpid()) // a child of fork() has neither thread nor driver
        return;
    atomic_store(&gpu->stop, true);
    pthread_mutex_lock(&gpu->lock);
    gpu->quit = true;
    pthread_cond_broadcast(&gpu->change);
    wait_for(gpu, &gpu->over, gpu->hung ? HUNG_MS : STOP_MS);
    pthread_mutex_unlock(&gpu->lock);
    release(gpu);
}

void shl_gpu_describe(const shl_gpu *gpu, shl_gpu_about *out)
{
    *out = gpu->about; // written before create() returned
}

// Room for a job's copies; they are kept for the next one.
static bool reserve(slot *s, const shl_gpu_bounds *job)
{
    const uint64_t cells =
        job->grid ? (uint64_t)job->cells[0] * job->cells[1] * job->cells[2] : 0;
    if (job->count > s->tri_capacity) {
        s->tri_capacity = 0;
        free(s->tris);
        free(s->upper);
        s->tris = malloc(job->count * sizeof *s->tris);
        s->upper = malloc(job->count * sizeof *s->upper);
        if (!s->tris || !s->upper)
            return false;
        s->tri_capacity = job->count;
    }
    if (cells > s->cell_capacity) {
        s->cell_capacity = 0;
        free(s->grid);
        s->grid = cells <= CELLS_MAX ? malloc((cells + 1) * sizeof *s->grid) : NULL;
        if (!s->grid)
            return false;
        s->cell_capacity = cells;
    }
    return true;
}

// A slot for the next job, with the lock held. NULL: there is none, or the device is gone.
static slot *next_slot(shl_gpu *gpu, shl_gpu_status *st, shl_gpu_line *why)
{
    slot *s = &gpu->ring[(gpu->submitted + 1) % RING];
    if (gpu->dead)
        *st = shl_gpu_fail(why, SHL_GPU_LOST, "the GPU was given up: %s", gpu->why.text);
    else if (s->state != SLOT_FREE)
        *st = shl_gpu_fail(why, SHL_GPU_BUSY, "%d jobs are queued", RING);
    else
        return s;
    return NULL;
}

static void queue(shl_gpu *gpu, slot *s)
{
    s->state = SLOT_QUEUED;
    s->ticket = ++gpu->submitted;
    pthread_cond_broadcast(&gpu->change);
}

shl_gpu_status shl_gpu_submit(shl_gpu *gpu, const shl_gpu_bounds *job, uint64_t *ticket,
                              shl_gpu_line *why)
{
    *ticket = 0;
    if (gpu->process != getpid())
        return shl_gpu_fail(why, SHL_GPU_LOST, "the GPU belongs to the process before fork()");
    shl_gpu_status st = SHL_GPU_OK;
    pthread_mutex_lock(&gpu->lock);
    slot *s = next_slot(gpu, &st, why);
    if (s && !reserve(s, job))
        st = shl_gpu_fail(why, SHL_GPU_MEMORY, "no memory for a job of %u triangles",
                          job->count);
    else if (s) {
        if (job->count)
            memcpy(s->tris, job->tris, job->count * sizeof *s->tris);
        s->job = *job;
        s->job.tris = s->tris;
        s->job.slices = job->slices && job->grid; // there is nowhere else for it
        queue(gpu, s);
        *ticket = s->ticket;
    }
    pthread_mutex_unlock(&gpu->lock);
    return st;
}

bool shl_gpu_done(shl_gpu *gpu, uint64_t ticket)
{
    if (gpu->process != getpid())
        return true;
    pthread_mutex_lock(&gpu->lock);
    const slot *s = &gpu->ring[ticket % RING];
    const bool done = s->ticket != ticket || s->state == SLOT_DONE || gpu->dead;
    pthread_mutex_unlock(&gpu->lock);
    return done;
}

// What a finished job left behind; its slot is free again.
static shl_gpu_status take(slot *s, float *upper, shl_gpu_cell *grid, shl_gpu_span *span,
                           shl_gpu_line *why)
{
    if (s->status == SHL_GPU_OK && s->job.count)
        memcpy(upper, s->upper, s->job.count * sizeof *upper);
    if (s->status == SHL_GPU_OK && s->job.grid && grid)
        memcpy(grid, s->grid,
               (uint64_t)s->job.cells[0] * s->job.cells[1] * s->job.cells[2] * sizeof *grid);
    if (s->status == SHL_GPU_OK && span)
        *span = s->span;
    *why = s->why;
    s->state = SLOT_FREE;
    s->ticket = 0;
    return s->status;
}

// Waits with the lock held until the job is done, at most `ms`. Otherwise the device is given
// up. The thread ends late jobs itself, unless it hangs.
static bool wait_done(shl_gpu *gpu, const slot *s, uint64_t ms, shl_gpu_line *why)
{
    const struct timespec until = after_ms(ms);
    int error = 0;
    while (s->state != SLOT_DONE && !gpu->dead && !error)
        error = pthread_cond_timedwait(&gpu->change, &gpu->lock, &until);
    if (s->state == SLOT_DONE)
        return true;
    if (!gpu->dead)
        shl_gpu_fail(&gpu->why, SHL_GPU_LATE, "the driver hangs");
    gpu->hung = gpu->hung || !gpu->dead;
    gpu->dead = true;
    atomic_store(&gpu->stop, true);
    *why = gpu->why;
    return false;
}

shl_gpu_status shl_gpu_collect(shl_gpu *gpu, uint64_t ticket, float *upper, shl_gpu_cell *grid,
                               shl_gpu_span *span, shl_gpu_line *why)
{
    if (gpu->process != getpid())
        return shl_gpu_fail(why, SHL_GPU_LOST, "the GPU belongs to the process before fork()");
    pthread_mutex_lock(&gpu->lock);
    slot *s = &gpu->ring[ticket % RING];
    if (ticket == 0 || s->ticket != ticket) {
        pthread_mutex_unlock(&gpu->lock);
        return shl_gpu_fail(why, SHL_GPU_LOST, "no such job");
    }
    // those before this one come first, a picture among them
    const uint64_t ms =
        (uint64_t)(RING + 1) * gpu->def.job_ms + (gpu->painting ? gpu->def.picture_ms : 0);
    const shl_gpu_status st =
        wait_done(gpu, s, ms, why) ? take(s, upper, grid, span, why) : SHL_GPU_LATE;
    pthread_mutex_unlock(&gpu->lock);
    return st;
}

static void forget(slot *s)
{
    free(s->picture);
    free(s->rgb);
    s->picture = NULL;
    s->rgb = NULL;
}

shl_gpu_status shl_gpu_paint(shl_gpu *gpu, const shl_gpu_picture *picture, uint8_t *rgb,
                             shl_gpu_line *why)
{
    if (gpu->process != getpid())
        return shl_gpu_fail(why, SHL_GPU_LOST, "the GPU belongs to the process before fork()");
    const size_t bytes = 3 * (size_t)picture->width * picture->height;
    shl_gpu_status st = SHL_GPU_OK;
    pthread_mutex_lock(&gpu->lock);
    slot *s = next_slot(gpu, &st, why);
    if (s) {
        s->picture = shl_picture_copy(picture);
        s->rgb = malloc(bytes + 1);
        if (!s->picture || !s->rgb) {
            forget(s);
            s = NULL;
            st = shl_gpu_fail(why, SHL_GPU_MEMORY, "no memory for a picture");
        }
    }
    if (s) {
        queue(gpu, s);
        gpu->painting = true;
        const uint64_t ms = (uint64_t)(RING + 1) * gpu->def.job_ms + gpu->def.picture_ms;
        const bool done = wait_done(gpu, s, ms, why);
        gpu->painting = false;
        st = SHL_GPU_LATE;
        if (done) {
            st = s->status;
            *why = s->why;
            if (st == SHL_GPU_OK)
                memcpy(rgb, s->rgb, bytes);
            forget(s);
            s->state = SLOT_FREE;
            s->ticket = 0;
        }
    }
    pthread_mutex_unlock(&gpu->lock);
    return st;
}
