// SPDX-License-Identifier: MIT
// The one thread that owns a context for its life. Nobody waits for it without a limit: a
// driver may hang, and then the thread is left behind with what it uses.
#include "gpu/thread.h"
#include "gpu/egl.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { START_MS = 30000, JOB_MS = 10000, STOP_MS = 2000 };

struct shl_gpu {
    shl_gpu_def def;
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t change;
    uint32_t holds;  // the user and the thread: the last one frees
    bool started;    // status, why and about are there
    bool quit, over; // asked to end; has ended
    shl_gpu_status status;
    shl_gpu_line why;
    shl_gpu_about about;
};

static void release(shl_gpu *gpu)
{
    pthread_mutex_lock(&gpu->lock);
    const bool last = --gpu->holds == 0;
    pthread_mutex_unlock(&gpu->lock);
    if (last) {
        pthread_cond_destroy(&gpu->change);
        pthread_mutex_destroy(&gpu->lock);
        free(gpu);
    }
}

static void *gl_thread(void *user)
{
    shl_gpu *gpu = user;
    if (gpu->def.enter)
        gpu->def.enter(gpu->def.user);
    shl_egl egl = {EGL_NO_DISPLAY, EGL_NO_CONTEXT};
    shl_gpu_about about;
    shl_gpu_line why = {""};
    const shl_gpu_status st = shl_egl_open(gpu->def.software, &egl, &about, &why);
    pthread_mutex_lock(&gpu->lock);
    gpu->status = st;
    gpu->why = why;
    gpu->about = about;
    gpu->started = true;
    pthread_cond_broadcast(&gpu->change);
    while (st == SHL_GPU_OK && !gpu->quit)
        pthread_cond_wait(&gpu->change, &gpu->lock);
    pthread_mutex_unlock(&gpu->lock);
    if (st == SHL_GPU_OK)
        shl_egl_close(&egl);
    pthread_mutex_lock(&gpu->lock);
    gpu->over = true;
    pthread_cond_broadcast(&gpu->change);
    pthread_mutex_unlock(&gpu->lock);
    release(gpu);
    return NULL;
}

// Waits with the lock held until `*flag`, at most `ms`.
static bool wait_for(shl_gpu *gpu, const bool *flag, uint32_t ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
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
    if (!gpu)
        return;
    pthread_mutex_lock(&gpu->lock);
    gpu->quit = true;
    pthread_cond_broadcast(&gpu->change);
    wait_for(gpu, &gpu->over, STOP_MS);
    pthread_mutex_unlock(&gpu->lock);
    release(gpu);
}

void shl_gpu_describe(const shl_gpu *gpu, shl_gpu_about *out)
{
    *out = gpu->about; // written before create() returned
}
