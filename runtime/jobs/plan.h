// SPDX-License-Identifier: MIT
// A compiled graph and the state of its run: what executors share. One block of memory.
#ifndef SHL_RUNTIME_JOBS_PLAN_H
#define SHL_RUNTIME_JOBS_PLAN_H

#include "layouts/float_env.h"
#include "runtime/clock.h"
#include "runtime/jobs/deque.h"
#include "runtime/jobs/graph.h"
#include "runtime/jobs/park.h"

#define SHL_NO_FAILURE UINT64_MAX
#define SHL_NO_RANGE UINT32_MAX

// What starting and ending a job reads, two per cache line: misses bound large graphs.
typedef struct shl_node {
    shl_job_fn *run;
    void *ctx;
    uint32_t range; // row of ranges, SHL_NO_RANGE if the job has no rows
    uint32_t succ_begin, succ_end;
} shl_node;

// Kept apart from the nodes, since jobs that share successors touch neighbours.
typedef struct shl_gate {
    _Atomic uint32_t pending; // predecessors not yet done; equals pred_count at rest
    uint32_t pred_count;
} shl_gate;

// A job with rows. The run's part is written by the worker that opens it, before any token that
// names it is published.
//
// Chunks are dealt out in slices, one a worker, and each begins with its own: what a worker did
// in the last step it finds in its cache, and memory it touched first is on its node. Then it
// helps with the others' slices. Only who runs a chunk depends on that, never what is in it.
typedef struct shl_range {
    _Alignas(64) _Atomic uint64_t left; // chunks not yet done
    _Atomic uint64_t *next; // [slices * stride] chunk to claim; wide, as late claims run past
    uint32_t slices;
    uint32_t row_count;
    uint32_t chunks;
    uint32_t grain;
    const uint32_t *rows;
} shl_range;

// First chunk of a slice; the last one's end is the number of chunks.
static inline uint64_t shl_slice_begin(const shl_range *range, uint32_t slice)
{
    return (uint64_t)range->chunks * slice / range->slices;
}

// One worker's share of the timing of one job in one run.
typedef struct shl_tally {
    uint64_t busy_ns, chunks, begin_ns, end_ns;
} shl_tally;

static inline void shl_tally_add(shl_tally *t, uint64_t begin_ns, uint64_t end_ns,
                                 uint64_t chunks)
{
    if (t->chunks == 0)
        t->begin_ns = begin_ns;
    t->chunks += chunks;
    t->end_ns = end_ns;
    t->busy_ns += end_ns - begin_ns;
}

typedef struct shl_worker {
    shl_deque deque;
    _Alignas(64) uint32_t index;
    uint32_t team;       // workers that may come
    uint32_t random;     // where the next search for work starts
    uint32_t jobs_ended; // not yet subtracted from jobs_left
    shoal_status status; // of the failure at fail_key
    uint64_t fail_key;
    shl_tally *tally; // [job_count], NULL without timing
    fenv_t host;      // the thread's own floating-point environment
    shl_array events; // shoal_event[event_count] of this run, while tracing
    size_t event_count;
    uint64_t cpu_ns;       // that the thread had of a CPU in this run
    _Atomic uint32_t came; // to this run
} shl_worker;

typedef struct shl_plan {
    size_t bytes;
    const shl_job_desc *jobs; // [job_count], the graph's, for names
    uint32_t job_count;
    uint32_t edge_count;
    uint32_t root_count;
    uint32_t range_count;
    uint32_t workers_max;
    uint64_t token_max;    // most tokens one worker can put in a run
    uint32_t slice_stride; // words from one slice's cursor to the next
    bool has_times;
    const shoal_allocator *allocator; // for events

    shl_node *nodes;     // [job_count]
    shl_gate *gates;     // [job_count]
    uint32_t *succ;      // [edge_count] ascending for each job
    uint32_t *roots;     // [root_count] jobs without predecessors
    shl_range *ranges;   // [range_count]
    shl_worker *workers; // [workers_max]
    shl_job_time *times; // [job_count]
    shl_worker_fn *enter, *leave;
    void *worker_ctx;
    _Atomic uint32_t current; // the guard's job, SHL_NO_JOB between runs
    bool begun;               // by shl_graph_begin()
    _Atomic uint32_t inside;  // host threads at work

    // read at every chunk, written rarely
    _Alignas(64) _Atomic uint64_t fail_key; // smallest (job, chunk) that failed
    uint32_t root_batch;
    uint32_t cpus; // more workers than these had better not spin
    uint32_t team;
    uint64_t spin_ns;     // that a worker looks for work before it sleeps
    uint64_t patience_ns; // that the caller works before it calls its helpers
    uint64_t begin_ns;    // of the run
    shl_parking *parking; // where its workers wait: `own` or the helpers'
    shl_parking own;
    _Atomic bool called; // helpers may come; false: the caller is alone
    bool helpers_leave;  // helpers leave when they find no work, so only worker 0 waits inside
    bool whole;          // all workers that were asked for may come
    bool refused;        // since no more threads could be started
    bool timing, tracing;
    _Alignas(64) _Atomic uint64_t next_root; // wide, as late claims run past the end
    _Alignas(64) _Atomic uint32_t jobs_left;
} shl_plan;

// Each runs all jobs with up to `workers` workers, already clamped and at least 1.
void shl_exec_serial(shl_plan *p);
void shl_exec_omp(shl_plan *p, uint32_t workers);
void shl_exec_loops(shl_plan *p, uint32_t workers);

// The status is the guard's own, not the jobs'.
SHOAL_CHECK shoal_status shl_exec_guard(shl_graph *g, shl_plan *p);

// Before and after every run; the status is that of the first failure.
SHOAL_CHECK shoal_status shl_run_prepare(shl_graph *g, uint32_t *workers);
SHOAL_CHECK shoal_status shl_run_conclude(shl_graph *g);

// The parts of work stealing that do not care whose threads they run on. `work` returns when
// all jobs are done, `visit` when there is no work for a while; a worker may visit a run again.
void shl_steal_prepare(shl_plan *p, uint32_t workers);
void shl_steal_work(shl_plan *p, shl_worker *w, uint32_t team);
void shl_steal_visit(shl_plan *p, shl_worker *w);
bool shl_steal_work_left(shl_plan *p);

void shl_plan_free(shl_plan *p, const shoal_allocator *allocator);

// Serial order as a number.
static inline uint64_t shl_fail_key(uint32_t job, uint32_t chunk)
{
    return (uint64_t)job << 32 | chunk;
}

// Whether serial execution would have stopped before this chunk.
static inline bool shl_skipped(shl_plan *p, uint32_t job, uint32_t chunk)
{
    return shl_fail_key(job, chunk) > atomic_load_explicit(&p->fail_key, memory_order_relaxed);
}

// Records a failure; the worker's own record is merged when the run is over.
void shl_worker_fail(shl_plan *p, shl_worker *w, uint64_t key, shoal_status status);

// Every worker calls these once, before its first and after its last job.
void shl_worker_begin(shl_plan *p, shl_worker *w);
void shl_worker_end(const shl_worker *w);

// OpenMP's workers call these outside of the two above.
static inline void shl_worker_enter(const shl_plan *p, uint32_t worker)
{
    if (p->enter)
        p->enter(p->worker_ctx, worker);
}

static inline void shl_worker_leave(const shl_plan *p, uint32_t worker)
{
    if (p->leave)
        p->leave(p->worker_ctx, worker);
}

// Chunks of a job that a worker runs in a row are timed as one: a reading of the clock waits
// for all loads before it, so one around each chunk would keep the next from beginning to load.
// While tracing, each chunk is timed by itself.
static inline uint64_t shl_stretch_begin(const shl_plan *p)
{
    return p->timing && !p->tracing ? shl_now_ns() : 0;
}

static inline void shl_stretch_end(const shl_plan *p, shl_worker *w, uint32_t job,
                                   uint64_t begin_ns, uint64_t chunks)
{
    if (p->timing && !p->tracing && chunks)
        shl_tally_add(&w->tally[job], begin_ns, shl_now_ns(), chunks);
}

// The job function with a clock around it.
shoal_status shl_worker_call_traced(shl_plan *p, shl_worker *w, uint32_t job, shl_chunk rows);

// Run one chunk.
static inline void shl_worker_call(shl_plan *p, shl_worker *w, uint32_t job, shl_chunk rows)
{
    const shl_node *node = &p->nodes[job];
    rows.worker = w->index;
    const shoal_status status =
        p->tracing ? shl_worker_call_traced(p, w, job, rows) : node->run(node->ctx, rows);
    if (status != SHOAL_OK)
        shl_worker_fail(p, w, shl_fail_key(job, rows.chunk), status);
}

#endif
