// SPDX-License-Identifier: MIT
// The graph on work-stealing workers inside one parallel region. OpenMP owns the threads, this
// file owns the order.
//
// A token is a job, and for a shared job how many more workers it may bring in. Who ends a
// job's last predecessor keeps the first job that became ready and puts the others into its
// deque. A job of several chunks is opened once; its tokens then spread as a binary tree over
// the workers, and every holder claims chunks, its own slice's first, until none is left. A
// token that comes too late finds none.
#include "runtime/jobs/park.h"
#include "runtime/jobs/plan.h"

#include <omp.h>

enum {
    SPIN_MAX = 2000,          // pauses before a worker sleeps
    SPIN_OVERSUBSCRIBED = 20, // with more workers than CPUs, spinning takes time from work
    PAUSE_MAX = 64,           // between two looks at the others' deques
    ROOT_BATCH_MAX = 16,
};

static uint64_t start_token(uint32_t job)
{
    return job;
}

static uint64_t share_token(uint32_t job, uint32_t others)
{
    return (uint64_t)(others + 1) << 32 | job;
}

// Wake up to `count` sleepers. Whoever clears the flag has the right to that sleeper.
static void wake(shl_plan *p, uint32_t team, uint32_t count)
{
    if (atomic_load_explicit(&p->sleepers, memory_order_seq_cst) == 0)
        return;
    for (uint32_t i = 0; i < team && count > 0; i++) {
        _Atomic uint32_t *parked = &p->workers[i].parked;
        if (atomic_load_explicit(parked, memory_order_seq_cst) == 0 ||
            atomic_exchange_explicit(parked, 0, memory_order_seq_cst) == 0)
            continue;
        atomic_fetch_sub_explicit(&p->sleepers, 1, memory_order_seq_cst);
        shl_futex_wake(parked);
        count--;
    }
}

static void publish(shl_plan *p, shl_worker *w, uint32_t count)
{
    if (count == 0)
        return;
    shl_deque_publish(&w->deque, count);
    wake(p, w->team, count);
}

// One predecessor of `job` is done; true if it was the last one.
static bool release(shl_plan *p, const shl_worker *w, uint32_t job)
{
    shl_gate *gate = &p->gates[job];
    const uint32_t left = atomic_load_explicit(&gate->pending, memory_order_acquire);
    // the last one needs no read-modify-write, nor does a worker without company
    if (left != 1) {
        __builtin_prefetch(&p->nodes[job]);
        if (w->team == 1) {
            atomic_store_explicit(&gate->pending, left - 1, memory_order_relaxed);
            return false;
        }
        if (atomic_fetch_sub_explicit(&gate->pending, 1, memory_order_acq_rel) != 1)
            return false;
    }
    atomic_store_explicit(&gate->pending, gate->pred_count, memory_order_relaxed);
    return true;
}

// Count the job as done and release its successors; returns the first that became ready.
static uint32_t end_job(shl_plan *p, shl_worker *w, uint32_t job)
{
    const shl_node *node = &p->nodes[job];
    uint32_t ready = SHL_NO_JOB;
    uint32_t put = 0;
    w->jobs_ended++;
    // from behind, so that the deque gives them back in declaration order
    for (uint32_t i = node->succ_end; i-- > node->succ_begin;) {
        const uint32_t to = p->succ[i];
        if (!release(p, w, to))
            continue;
        if (ready != SHL_NO_JOB)
            shl_deque_put(&w->deque, put++, start_token(ready));
        ready = to;
    }
    publish(p, w, put);
    return ready;
}

// Pass the right to bring in `others` workers on to at most two of them.
static void invite(shl_plan *p, shl_worker *w, uint32_t job, uint32_t others)
{
    const uint32_t half = others / 2;
    uint32_t put = 0;
    if (others - half > 0)
        shl_deque_put(&w->deque, put++, share_token(job, others - half - 1));
    if (half > 0)
        shl_deque_put(&w->deque, put++, share_token(job, half - 1));
    publish(p, w, put);
}

// Claims and runs chunks of one slice until none is left; returns how many. The job's other
// workers are called as soon as there is something to do.
static uint64_t share_slice(shl_plan *p, shl_worker *w, uint32_t job, uint32_t slice,
                            uint32_t *others)
{
    shl_range *range = &p->ranges[p->nodes[job].range];
    _Atomic uint64_t *next = &range->next[slice * (size_t)p->slice_stride];
    const uint64_t end = shl_slice_begin(range, slice + 1);
    if (atomic_load_explicit(next, memory_order_relaxed) >= end)
        return 0;
    invite(p, w, job, *others);
    *others = 0;
    uint64_t done = 0, run = 0;
    const uint64_t begin = shl_stretch_begin(p);
    for (;;) {
        const uint64_t claim = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
        if (claim >= end)
            break;
        const uint32_t chunk = (uint32_t)claim;
        done++;
        if (!shl_skipped(p, job, chunk)) {
            run++;
            shl_worker_call(p, w, job, chunk,
                            shl_chunk_rows(range->row_count, range->grain, chunk));
            continue;
        }
        // all later chunks are skipped too: claim them at once
        const uint64_t rest = atomic_exchange_explicit(next, end, memory_order_relaxed);
        if (rest < end)
            done += end - rest;
    }
    shl_stretch_end(p, w, job, begin, run);
    return done;
}

static void call_once(shl_plan *p, shl_worker *w, uint32_t job, shl_span rows)
{
    const uint64_t begin = shl_stretch_begin(p);
    shl_worker_call(p, w, job, 0, rows);
    shl_stretch_end(p, w, job, begin, 1);
}

// Claim chunks until none is left. True if this worker ended the job.
static bool share(shl_plan *p, shl_worker *w, uint32_t job, uint32_t others)
{
    shl_range *range = &p->ranges[p->nodes[job].range];
    const uint32_t slices = range->slices;
    // a team has at least one worker; clang-tidy takes any atomic load for a change of it
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    uint32_t slice = (uint32_t)((uint64_t)w->index * slices / w->team);
    uint64_t done = 0;
    for (uint32_t i = 0; i < slices; i++) {
        done += share_slice(p, w, job, slice, &others);
        slice = slice + 1 < slices ? slice + 1 : 0;
    }
    return done > 0 &&
           atomic_fetch_sub_explicit(&range->left, done, memory_order_acq_rel) == done;
}

// Begin a ready job. True if this worker ended it.
static bool start(shl_plan *p, shl_worker *w, uint32_t job)
{
    if (shl_skipped(p, job, 0))
        return true;
    if (p->nodes[job].range == SHL_NO_RANGE) {
        call_once(p, w, job, (shl_span){0, 1});
        return true;
    }
    shl_range *range = &p->ranges[p->nodes[job].range];
    const uint32_t rows = *range->rows;
    const uint32_t chunks = shl_chunk_count(rows, range->grain);
    if (chunks <= 1) {
        if (chunks == 1)
            call_once(p, w, job, (shl_span){0, rows});
        return true;
    }
    atomic_store_explicit(&range->left, chunks, memory_order_relaxed);
    range->row_count = rows;
    range->chunks = chunks;
    range->slices = w->team < chunks ? w->team : chunks;
    for (uint32_t i = 0; i < range->slices; i++)
        atomic_store_explicit(&range->next[i * (size_t)p->slice_stride],
                              shl_slice_begin(range, i), memory_order_relaxed);
    return share(p, w, job, range->slices - 1);
}

static void run_token(shl_plan *p, shl_worker *w, uint64_t token)
{
    uint32_t job = (uint32_t)token;
    const uint32_t share_others = (uint32_t)(token >> 32);
    bool ended = share_others ? share(p, w, job, share_others - 1) : start(p, w, job);
    while (ended) {
        job = end_job(p, w, job);
        if (job == SHL_NO_JOB)
            return;
        ended = start(p, w, job);
    }
}

// Jobs without predecessors are shared by a cursor, in batches that can be stolen from.
static bool take_root(shl_plan *p, shl_worker *w, uint64_t *token)
{
    const uint64_t roots = p->root_count;
    if (atomic_load_explicit(&p->next_root, memory_order_relaxed) >= roots)
        return false;
    const uint64_t begin =
        atomic_fetch_add_explicit(&p->next_root, p->root_batch, memory_order_relaxed);
    if (begin >= roots)
        return false;
    const uint64_t end = roots - begin < p->root_batch ? roots : begin + p->root_batch;
    uint32_t put = 0;
    for (uint64_t i = end - 1; i > begin; i--)
        shl_deque_put(&w->deque, put++, start_token(p->roots[i]));
    publish(p, w, put);
    *token = start_token(p->roots[begin]);
    return true;
}

static bool steal(shl_plan *p, shl_worker *w, uint64_t *token)
{
    w->random = w->random * 1664525u + 1013904223u;
    uint32_t victim = (uint32_t)((uint64_t)w->random * w->team >> 32);
    for (uint32_t i = 0; i < w->team; i++) {
        if (victim != w->index && shl_deque_steal(&p->workers[victim].deque, token))
            return true;
        victim = victim + 1 < w->team ? victim + 1 : 0;
    }
    return false;
}

static bool work_in_sight(shl_plan *p, uint32_t team)
{
    if (atomic_load_explicit(&p->jobs_left, memory_order_seq_cst) == 0)
        return true;
    for (uint32_t i = 0; i < team; i++) {
        if (!shl_deque_empty(&p->workers[i].deque))
            return true;
    }
    return false;
}

// Sleep until woken. First announce it, then look again: who publishes does it the other way
// round, so no token is left lying while all sleep.
static void park(shl_plan *p, shl_worker *w)
{
    atomic_fetch_add_explicit(&p->sleepers, 1, memory_order_seq_cst);
    atomic_store_explicit(&w->parked, 1, memory_order_seq_cst);
    if (work_in_sight(p, w->team)) {
        if (atomic_exchange_explicit(&w->parked, 0, memory_order_seq_cst) == 1)
            atomic_fetch_sub_explicit(&p->sleepers, 1, memory_order_seq_cst);
        return;
    }
    while (atomic_load_explicit(&w->parked, memory_order_acquire))
        shl_futex_wait(&w->parked, 1);
}

// Look for work elsewhere. False when all jobs are done.
static bool search(shl_plan *p, shl_worker *w, uint64_t *token)
{
    const uint32_t ended = w->jobs_ended;
    w->jobs_ended = 0;
    if (ended > 0 &&
        atomic_fetch_sub_explicit(&p->jobs_left, ended, memory_order_seq_cst) == ended) {
        wake(p, w->team, w->team);
        return false;
    }
    for (;;) {
        uint32_t pauses = 1;
        for (uint32_t spent = 0; spent < w->spin_max; spent += pauses) {
            if (atomic_load_explicit(&p->jobs_left, memory_order_acquire) == 0)
                return false;
            if (steal(p, w, token))
                return true;
            pauses = pauses < PAUSE_MAX ? 2 * pauses : PAUSE_MAX;
            for (uint32_t i = 0; i < pauses; i++)
                shl_pause();
        }
        park(p, w);
    }
}

void shl_steal_work(shl_plan *p, shl_worker *w, uint32_t team)
{
    uint64_t token;
    // Each worker notes the team's size for itself: a barrier would make all wait for the last.
    w->team = team;
    w->spin_max = team <= p->cpus ? SPIN_MAX : SPIN_OVERSUBSCRIBED;
    shl_worker_begin(p, w);
    while (shl_deque_pop(&w->deque, &token) || take_root(p, w, &token) || search(p, w, &token))
        run_token(p, w, token);
    shl_worker_end(w);
}

void shl_steal_prepare(shl_plan *p, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++) {
        shl_worker *w = &p->workers[i];
        shl_deque_reset(&w->deque);
        atomic_store_explicit(&w->parked, 0, memory_order_relaxed);
        w->random = i;
        w->jobs_ended = 0;
    }
    atomic_store_explicit(&p->sleepers, 0, memory_order_relaxed);
    atomic_store_explicit(&p->next_root, 0, memory_order_relaxed);
    atomic_store_explicit(&p->jobs_left, p->job_count, memory_order_relaxed);
    // workers > 0: NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    const uint32_t batch = p->root_count / (8 * workers);
    p->root_batch = batch < 1 ? 1 : batch < ROOT_BATCH_MAX ? batch : ROOT_BATCH_MAX;
}

void shl_exec_omp(shl_plan *p, uint32_t workers)
{
    shl_steal_prepare(p, workers);
#pragma omp parallel num_threads((int)workers) default(none) shared(p, workers)
    {
        // the team may be smaller than asked for, and only inside is its size known
        shl_worker *w = &p->workers[omp_get_thread_num()];
        const uint32_t team = (uint32_t)omp_get_num_threads();
        if (w->index == 0)
            p->team = team;
        const bool whole = team == workers && omp_get_level() == 1;
        if (whole)
            shl_worker_enter(p, w->index);
        shl_steal_work(p, w, team);
        if (whole)
            shl_worker_leave(p, w->index);
    }
}
