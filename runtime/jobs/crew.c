// SPDX-License-Identifier: MIT
#include "runtime/jobs/crew.h"

#include "runtime/jobs/park.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

struct shl_crew {
    uint32_t asked;        // threads that the region was begun for
    uint32_t forks;        // of the process when it was made
    _Atomic uint32_t size; // threads of the region; 0: it has not begun
    _Atomic uint32_t quit; // the region ends
    pthread_t thread;      // begins the region and is its first thread, which sleeps
    shl_plan *plan;        // of the run, while it is open
    shl_parking parking;   // word 0 is the caller's
    _Alignas(64) _Atomic uint32_t open; // a run goes on
    _Atomic uint32_t inside;            // helpers that may touch the plan
    _Atomic uint32_t waiting;           // the caller sleeps until `inside` is 0
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; // to learn that a thread ends
static uint32_t forks;    // children between the first process and this one
static _Thread_local shl_crew *mine;
static _Thread_local uint32_t failed_to_start; // workers for which no helper could be started

// A thread that waits until the others are there.
static void *wait_for_end(void *ctx)
{
    _Atomic uint32_t *over = ctx;
    while (!atomic_load_explicit(over, memory_order_acquire))
        shl_futex_wait(over, 0);
    shl_futex_wake(over);
    return NULL;
}

// How many of `wanted` threads the system would start now. OpenMP ends the process if it cannot
// start a thread, so this is asked before a region begins.
static uint32_t startable(uint32_t wanted)
{
    _Atomic uint32_t over = 0;
    pthread_t *threads = malloc(wanted * sizeof *threads);
    uint32_t count = 0;
    while (threads && count < wanted &&
           pthread_create(&threads[count], NULL, wait_for_end, &over) == 0)
        count++;
    atomic_store_explicit(&over, 1, memory_order_release);
    shl_futex_wake(&over);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return count;
}

// Touch the plan only between enter() and leave(): the caller closes, then waits for `inside`.
static bool enter(shl_crew *c, uint32_t worker)
{
    atomic_fetch_add_explicit(&c->inside, 1, memory_order_seq_cst);
    return atomic_load_explicit(&c->open, memory_order_seq_cst) && worker < c->plan->team;
}

static void leave(shl_crew *c)
{
    if (atomic_fetch_sub_explicit(&c->inside, 1, memory_order_seq_cst) == 1 &&
        atomic_load_explicit(&c->waiting, memory_order_seq_cst))
        shl_futex_wake(&c->inside);
}

static bool work_left(shl_crew *c, uint32_t worker)
{
    const bool left = enter(c, worker) &&
                      atomic_load_explicit(&c->plan->called, memory_order_seq_cst) &&
                      shl_steal_work_left(c->plan);
    leave(c);
    return left;
}

static void help(shl_crew *c, uint32_t worker)
{
    uint64_t spin_ns = 0; // of the last run
    while (!atomic_load_explicit(&c->quit, memory_order_seq_cst)) {
        shl_park_announce(&c->parking, worker);
        if (work_left(c, worker) || atomic_load_explicit(&c->quit, memory_order_seq_cst))
            shl_park_revoke(&c->parking, worker);
        else
            shl_park_wait(&c->parking, worker, spin_ns);
        if (enter(c, worker)) {
            spin_ns = c->plan->spin_ns;
            shl_steal_visit(c->plan, &c->plan->workers[worker]);
        }
        leave(c);
    }
}

// The first thread only sleeps: under OMP_PROC_BIND it has the place of the caller, and the
// others have the places that they would have in a region of the caller's.
static void *begin_region(void *ctx)
{
    shl_crew *c = ctx;
#pragma omp parallel num_threads((int)c->asked) default(none) shared(c)
    {
        const uint32_t worker = (uint32_t)omp_get_thread_num();
        if (worker > 0)
            help(c, worker);
        else {
            atomic_store_explicit(&c->size, (uint32_t)omp_get_num_threads(),
                                  memory_order_release);
            shl_futex_wake(&c->size);
            while (!atomic_load_explicit(&c->quit, memory_order_acquire))
                shl_futex_wait(&c->quit, 0);
        }
    }
    return NULL;
}

static void end(shl_crew *c)
{
    if (c->forks == forks) { // else its threads are the parent's
        atomic_store_explicit(&c->quit, 1, memory_order_seq_cst);
        shl_futex_wake(&c->quit);
        const uint32_t size = atomic_load_explicit(&c->size, memory_order_relaxed);
        for (uint32_t i = 1; i < size; i++)
            (void)shl_unpark(&c->parking, i);
        pthread_join(c->thread, NULL);
    }
    free(c->parking.words);
    free(c);
}

static void end_of_thread(void *value)
{
    mine = NULL;
    end(value);
}

// libomp takes its memory away from threads that are still there when the process ends.
static void end_of_process(void)
{
    if (mine)
        end_of_thread(mine);
    (void)pthread_setspecific(key, NULL);
}

static void note_fork(void)
{
    forks++;
}

static void prepare(void)
{
    (void)pthread_key_create(&key, end_of_thread);
    (void)pthread_atfork(NULL, NULL, note_fork);
    (void)omp_get_num_procs(); // OpenMP's own such functions are known before, and called after
    (void)atexit(end_of_process);
}

static shl_crew *begin(uint32_t workers)
{
    const uint32_t threads = startable(workers);
    shl_crew *c = threads > 1 ? aligned_alloc(64, sizeof *c) : NULL;
    if (!c)
        return NULL;
    *c = (shl_crew){.asked = threads, .forks = forks};
    c->parking.words = aligned_alloc(64, threads * sizeof *c->parking.words);
    for (uint32_t i = 0; c->parking.words && i < threads; i++)
        atomic_init(&c->parking.words[i].state, SHL_AWAKE);
    if (!c->parking.words || pthread_create(&c->thread, NULL, begin_region, c) != 0) {
        free(c->parking.words);
        free(c);
        return NULL;
    }
    while (!atomic_load_explicit(&c->size, memory_order_acquire))
        shl_futex_wait(&c->size, 0);
    c->asked = workers; // so that fewer are not asked for again in every run
    return c;
}

shl_crew *shl_crew_of_caller(uint32_t workers, bool *refused)
{
    *refused = false;
    if (omp_in_parallel())
        return NULL;
    if (mine && mine->forks == forks) {
        if (atomic_load_explicit(&mine->open, memory_order_relaxed))
            return NULL; // a job runs a graph
        if (workers <= mine->asked) {
            *refused = shl_crew_size(mine) < workers;
            return mine;
        }
    }
    *refused = failed_to_start && workers >= failed_to_start;
    if (*refused)
        return mine;
    (void)pthread_once(&once, prepare);
    if (mine)
        end(mine);
    mine = begin(workers);
    (void)pthread_setspecific(key, mine);
    *refused = !mine || shl_crew_size(mine) < workers;
    failed_to_start = mine ? 0 : workers;
    return mine;
}

uint32_t shl_crew_size(const shl_crew *c)
{
    return atomic_load_explicit(&c->size, memory_order_relaxed);
}

void shl_crew_open(shl_crew *c, shl_plan *p)
{
    c->plan = p;
    p->parking = &c->parking;
    atomic_store_explicit(&c->open, 1, memory_order_seq_cst);
    for (uint32_t i = 1; i < p->team && atomic_load_explicit(&p->called, memory_order_relaxed);
         i++)
        (void)shl_unpark(&c->parking, i);
}

void shl_crew_close(shl_crew *c)
{
    atomic_store_explicit(&c->open, 0, memory_order_seq_cst);
    const uint64_t begin = shl_now_ns(), spin_ns = c->plan->spin_ns;
    uint32_t inside;
    while ((inside = atomic_load_explicit(&c->inside, memory_order_seq_cst)) > 0) {
        if (shl_now_ns() - begin < spin_ns) {
            shl_pause();
            continue;
        }
        atomic_store_explicit(&c->waiting, 1, memory_order_seq_cst);
        shl_futex_wait(&c->inside, inside);
        atomic_store_explicit(&c->waiting, 0, memory_order_seq_cst);
    }
}

uint32_t shl_region_limit(uint32_t workers)
{
    static _Thread_local uint32_t known = 1, process;
    (void)pthread_once(&once, prepare);
    if (known > 1 && process != forks)
        return 1;
    process = forks;
    if (workers > known)
        known = 1 + startable(workers - 1);
    return workers < known ? workers : known;
}
