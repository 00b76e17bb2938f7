// SPDX-License-Identifier: MIT
// The graph on work-stealing workers. Whose threads they are is not known here.
//
// A token is a job, and for a shared job how many more workers it may bring in. Who ends a
// job's last predecessor keeps the first job that became ready and puts the others into its
// deque. A job of several chunks is opened once; its tokens then spread as a binary tree over
// the workers, and every holder claims chunks, its own slice's first, until none is left. A
// token that comes too late finds none.
#include "runtime/jobs/plan.h"

enum {
    PAUSE_MAX = 64, // between two looks at the others' deques
    ROOT_BATCH_MAX = 16,
};

static uint64_t start_token(uint32_t job)
{
    return job;
}

static uint64_t make_token(uint32_t job, uint32_t others)
{
    return (uint64_t)(others + 1) << 32 | job;
}

// Wake up to `count` of the parked workers below `end`.
static void wake(shl_plan *p, uint32_t end, uint32_t count)
{
    for (uint32_t i = 0; i < end && count > 0; i++) {
        if (atomic_load_explicit(&p->parking->sleepers, memory_order_seq_cst) == 0)
            return;
        count -= shl_unpark(p->parking, i);
    }
}

// Call the helpers once the run has lasted longer than the caller's patience.
static void call_helpers(shl_plan *p, const shl_worker *w)
{
    if (atomic_load_explicit(&p->called, memory_order_relaxed) ||
        shl_now_ns() - p->begin_ns < p->patience_ns)
        return;
    atomic_store_explicit(&p->called, true, memory_order_seq_cst);
    wake(p, w->team, w->team);
}

static void publish(shl_plan *p, shl_worker *w, uint32_t count)
{
    if (count == 0)
        return;
    shl_deque_publish(&w->deque, count);
    if (atomic_load_explicit(&p->called, memory_order_relaxed))
        wake(p, w->team, count);
    else
        call_helpers(p, w);
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
        shl_deque_put(&w->deque, put++, make_token(job, others - half - 1));
    if (half > 0)
        shl_deque_put(&w->deque, put++, make_token(job, half - 1));
    publish(p, w, put);
}

// Claims and runs chunks of one slice until none is left; returns how many. The job's other
// workers are called as soon as there is something to do.
static uint64_t run_slice(shl_plan *p, shl_worker *w, uint32_t job, uint32_t slice,
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
        call_helpers(p, w);
        if (!shl_skipped(p, job, chunk)) {
            run++;
            shl_worker_call(p, w, job, shl_chunk_rows(range->row_count, range->grain, chunk));
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

static void call_once(shl_plan *p, shl_worker *w, uint32_t job, uint32_t rows)
{
    const uint64_t begin = shl_stretch_begin(p);
    shl_worker_call(p, w, job, (shl_chunk){.end = rows});
    shl_stretch_end(p, w, job, begin, 1);
}

// Claim chunks until none is left. True if this worker ended the job.
static bool run_chunks(shl_plan *p, shl_worker *w, uint32_t job, uint32_t others)
{
    shl_range *range = &p->ranges[p->nodes[job].range];
    const uint32_t slices = range->slices;
    // a team has at least one worker; clang-tidy takes any atomic load for a change of it
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    uint32_t slice = (uint32_t)((uint64_t)w->index * slices / w->team);
    uint64_t done = 0;
    for (uint32_t i = 0; i < slices; i++) {
        done += run_slice(p, w, job, slice, &others);
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
        call_once(p, w, job, 1);
        return true;
    }
    shl_range *range = &p->ranges[p->nodes[job].range];
    const uint32_t rows = *range->rows;
    const uint32_t chunks = shl_chunk_count(rows, range->grain);
    if (chunks <= 1) {
        if (chunks == 1)
            call_once(p, w, job, rows);
        return true;
    }
    atomic_store_explicit(&range->left, chunks, memory_order_relaxed);
    range->row_count = rows;
    range->chunks = chunks;
    range->slices = w->team < chunks ? w->team : chunks;
    for (uint32_t i = 0; i < range->slices; i++)
        atomic_store_explicit(&range->next[i * (size_t)p->slice_stride],
                              shl_slice_begin(range, i), memory_order_relaxed);
    return run_chunks(p, w, job, range->slices - 1);
}

static void run_token(shl_plan *p, shl_worker *w, uint64_t token)
{
    uint32_t job = (uint32_t)token;
    const uint32_t others = (uint32_t)(token >> 32);
    bool ended = others ? run_chunks(p, w, job, others - 1) : start(p, w, job);
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

bool shl_steal_work_left(shl_plan *p)
{
    if (atomic_load_explicit(&p->jobs_left, memory_order_seq_cst) == 0)
        return false;
    if (atomic_load_explicit(&p->next_root, memory_order_seq_cst) < p->root_count)
        return true;
    for (uint32_t i = 0; i < p->team; i++) {
        if (!shl_deque_empty(&p->workers[i].deque))
            return true;
    }
    return false;
}

// Sleep until woken. First announce it, then look again: who publishes does it the other way
// round, so no token is left lying while all sleep.
static void park(shl_plan *p, shl_worker *w)
{
    shl_park_announce(p->parking, w->index);
    if (atomic_load_explicit(&p->jobs_left, memory_order_seq_cst) == 0 ||
        shl_steal_work_left(p))
        shl_park_revoke(p->parking, w->index);
    else
        shl_park_wait(p->parking, w->index, 0);
}

// Subtracts the jobs that this worker has ended. The worker of the last one wakes all waiters.
static void count_ended(shl_plan *p, shl_worker *w)
{
    const uint32_t ended = w->jobs_ended;
    w->jobs_ended = 0;
    if (ended > 0 &&
        atomic_fetch_sub_explicit(&p->jobs_left, ended, memory_order_seq_cst) == ended)
        wake(p, p->helpers_leave ? 1 : w->team, w->team);
}

// Look for work elsewhere for up to `spin_ns`. False when none was found or all jobs are done.
static bool search(shl_plan *p, shl_worker *w, uint64_t *token)
{
    count_ended(p, w);
    const uint64_t begin = shl_now_ns();
    uint32_t pauses = 1;
    do {
        if (atomic_load_explicit(&p->jobs_left, memory_order_acquire) == 0)
            return false;
        if (steal(p, w, token))
            return true;
        pauses = pauses < PAUSE_MAX ? 2 * pauses : PAUSE_MAX;
        for (uint32_t i = 0; i < pauses; i++)
            shl_pause();
    } while (shl_now_ns() - begin < p->spin_ns);
    return false;
}

static void work(shl_plan *p, shl_worker *w)
{
    uint64_t token;
    while (shl_deque_pop(&w->deque, &token) || take_root(p, w, &token) || search(p, w, &token))
        run_token(p, w, token);
}

void shl_steal_work(shl_plan *p, shl_worker *w, uint32_t team)
{
    // Each worker notes the team's size for itself: a barrier would make all wait for the last.
    w->team = team;
    shl_worker_begin(p, w);
    work(p, w);
    while (atomic_load_explicit(&p->jobs_left, memory_order_acquire)) {
        park(p, w);
        work(p, w);
    }
    shl_worker_end(w);
}

void shl_steal_visit(shl_plan *p, shl_worker *w)
{
    if (!atomic_load_explicit(&w->came, memory_order_relaxed)) {
        w->team = p->team;
        if (p->whole)
            shl_worker_enter(p, w->index);
        shl_worker_begin(p, w);
    }
    const uint64_t begin = shl_cpu_ns();
    work(p, w);
    w->cpu_ns += shl_cpu_ns() - begin;
}

void shl_steal_prepare(shl_plan *p, uint32_t workers)
{
    for (uint32_t i = 0; i < workers; i++) {
        shl_worker *w = &p->workers[i];
        shl_deque_reset(&w->deque);
        w->random = i;
        w->jobs_ended = 0;
    }
    atomic_store_explicit(&p->next_root, 0, memory_order_relaxed);
    atomic_store_explicit(&p->jobs_left, p->job_count, memory_order_relaxed);
    // workers > 0: NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
    const uint32_t batch = p->root_count / (8 * workers);
    p->root_batch = batch < 1 ? 1 : batch < ROOT_BATCH_MAX ? batch : ROOT_BATCH_MAX;
}
