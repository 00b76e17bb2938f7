// SPDX-License-Identifier: MIT
// A step as data: loops in the order a serial program would run them, each naming the tables it
// reads, opens and writes. Edges follow from those; nobody writes them down.
#ifndef SHL_RUNTIME_JOBS_GRAPH_H
#define SHL_RUNTIME_JOBS_GRAPH_H

#include "layouts/memory.h"

#include <shoal/trace.h>

#define SHL_NO_JOB UINT32_MAX

// Rows of a job that are one call, by one worker below the count given to shl_graph_run().
typedef struct shl_chunk {
    uint32_t begin, end; // rows
    uint32_t chunk;      // its number
    uint32_t worker;
} shl_chunk;

typedef shoal_status shl_job_fn(void *ctx, shl_chunk rows);

typedef struct shl_job_desc {
    const char *name; // static text
    shl_job_fn *run;
    const uint32_t *rows; // read when the job starts; NULL: one call with rows [0,1)
    uint32_t grain;       // rows a chunk, never a function of the worker count; 0: all in one
    uint64_t reads;       // tables, one bit each
    uint64_t opens;       // written by several jobs at once, which commute and take care
    uint64_t writes;
    uint32_t phase; // what it counts as in statistics, for who asks; 0: nothing
    void *ctx;
    const char *stage; // static text, for drawings; NULL: that of the graph
} shl_job_desc;

// How many chunks `rows` make; a job may size its output slots with it.
static inline uint32_t shl_chunk_count(uint32_t rows, uint32_t grain)
{
    if (grain == 0)
        return rows > 0;
    return rows / grain + (rows % grain != 0);
}

// The rows of one chunk: every chunk has `grain` rows but the last.
static inline shl_chunk shl_chunk_rows(uint32_t rows, uint32_t grain, uint32_t chunk)
{
    if (grain == 0)
        return (shl_chunk){.end = rows};
    const uint32_t begin = chunk * grain;
    return (shl_chunk){begin, rows - begin < grain ? rows : begin + grain, chunk, 0};
}

// All executors mean the same: what serial does. Numbered as shoal_executor.
typedef enum shl_executor {
    SHL_EXEC_OMP,    // work stealing by the caller and OpenMP's threads
    SHL_EXEC_SERIAL, // declaration order, one worker
    SHL_EXEC_LOOPS,  // declaration order, each job one parallel loop with a barrier
    SHL_EXEC_GUARD,  // serial; a job that touches a table it did not declare is a fault
} shl_executor;

// Whose memory a table lies in.
typedef enum shl_extent_kind {
    SHL_EXTENT_OWN,     // begins on a page, and its last page holds nothing else
    SHL_EXTENT_FOREIGN, // the host's: only pages that lie in it completely are the table's
} shl_extent_kind;

typedef struct shl_extent {
    void *data; // NULL: nothing yet
    size_t bytes;
    uint32_t table; // number of its bit
    shl_extent_kind kind;
} shl_extent;

// Memory of the tables, being listed.
typedef struct shl_extents {
    const shoal_allocator *allocator;
    shl_array rows; // the guard's own
    size_t count;
    shoal_status status; // first failure
} shl_extents;

void shl_extents_add(shl_extents *extents, shl_extent extent);

// Lists the memory of all tables as it is now; asked before every job, because tables grow.
typedef void shl_list_tables_fn(void *ctx, shl_extents *out);

// Called on a worker's own thread before its first and after its last job of a run, if all
// workers asked for came and the region is not inside another one.
typedef void shl_worker_fn(void *ctx, uint32_t worker);

// The chunk that ended the last run. It is the one serial execution would have stopped at:
// after a failure only what is declared later is skipped, so any executor and worker count
// finds it.
typedef struct shl_failure {
    shoal_status status; // SHOAL_OK: nothing failed
    uint32_t job, chunk; // job is SHL_NO_JOB when nothing failed
    const char *name;    // of the job, NULL when nothing failed
} shl_failure;

// Sums over all timed runs since compile or shl_graph_clear_times(), except begin and end.
typedef struct shl_job_time {
    uint64_t busy_ns;          // inside the job function, summed over workers
    uint64_t wall_ns;          // first start to last end
    uint64_t chunks;           // calls
    uint64_t begin_ns, end_ns; // of the last run, CLOCK_MONOTONIC; 0 if it was not called
} shl_job_time;

typedef struct shl_edge {
    uint32_t from, to;
} shl_edge;

// How long workers look for work before they sleep; more workers than CPUs had better sleep.
enum { SHL_SPIN_NS = 50000, SHL_SPIN_CROWDED_NS = 1000 };

// A graph of jobs. Not shared: one thread builds or runs it at a time.
typedef struct shl_graph {
    const shoal_allocator *allocator;
    shl_array jobs;  // shl_job_desc[job_count]
    shl_array edges; // shl_edge[edge_count], the explicit ones only
    uint32_t job_count;
    uint32_t edge_count;
    shoal_status status;       // first failure of shl_job(), told by shl_graph_compile()
    uint32_t workers_max;      // set before compile; 0: the larger of 16 and the CPU count
    uint32_t cpus;             // of the process; 0: ask OpenMP in every run
    uint64_t spin_ns;          // that workers look for work before they sleep
    uint64_t patience_ns;      // omp: that the caller works before it calls its helpers
    bool timing;               // set before compile; may be switched off and on between runs
    bool tracing;              // may be switched between runs
    const char *const *tables; // [64] names for printing; NULL: bit numbers
    const char *stage;         // of jobs that are added now; NULL: none
    shl_list_tables_fn *list_tables; // for the guard; NULL: it guards nothing
    void *list_ctx;
    shl_worker_fn *enter, *leave; // not for host threads, serial and guard; NULL: nothing to do
    void *worker_ctx;
    struct shl_plan *plan; // NULL until compiled
    shl_failure failure;   // of the last run
    uint32_t team;         // workers that took part in the last run
    uint64_t wall_ns;      // omp: of that run
    uint64_t cpu_ns;       // omp: that their threads had of CPUs
    bool called;           // omp: helpers were called
    bool refused;          // omp: fewer threads than asked for could be started
    shl_extents extents;   // what the guard has closed
    shl_array events;      // shoal_event[event_count] of the last run
    size_t event_count;
} shl_graph;

// `allocator` must outlive the graph.
void shl_graph_init(shl_graph *g, const shoal_allocator *allocator);

// Frees everything; the graph may then be described anew. All zero is fine.
void shl_graph_finish(shl_graph *g);

// Append a job; its index is the job_count before the call. The graph must then be compiled
// (again). Errors: ARGUMENT (no name or function), LIMIT, MEMORY; the graph is as before.
SHOAL_CHECK shoal_status shl_graph_add(shl_graph *g, const shl_job_desc *desc);

// Same, but keeps the first failure for shl_graph_compile(), so a list of jobs reads as a list.
void shl_graph_declare(shl_graph *g, const shl_job_desc *desc);
#define shl_job(g, ...) shl_graph_declare((g), &(shl_job_desc){__VA_ARGS__})

// Appends a list of jobs. They have the context and the phase of `common` unless they have
// their own, and its tables besides their own.
SHOAL_CHECK shoal_status shl_graph_add_list(shl_graph *g, const shl_job_desc *jobs,
                                            size_t count, const shl_job_desc *common);
#define SHL_DECLARE(graph, jobs, ...)                                                          \
    shl_graph_add_list(graph, jobs, sizeof jobs / sizeof *jobs, &(shl_job_desc){__VA_ARGS__})

// Order two jobs that share no table. `from` must be declared before `to`.
SHOAL_CHECK shoal_status shl_graph_edge(shl_graph *g, uint32_t from, uint32_t to);

// Derive the edges and take all memory that runs need: 8 bytes a job and worker, with rows up
// to 64 more, with timing 32 more. Errors: what shl_job() met, LIMIT, MEMORY; the description
// is as before.
SHOAL_CHECK shoal_status shl_graph_compile(shl_graph *g);

// Run all jobs on up to `workers` threads, at most workers_max; allocates nothing, but for the
// guard's list and events. Inside another parallel region the team is what OpenMP grants,
// usually one. The graph may be run again after any outcome. Errors: ARGUMENT (not compiled, no
// workers, timing without memory, begun; guard: an extent is not in whole pages), LIMIT (guard:
// the kernel allows no more mappings), MEMORY (guard's list, events), else g->failure.status.
SHOAL_CHECK shoal_status shl_graph_run(shl_graph *g, shl_executor executor, uint32_t workers);

// The same on threads of the host. One thread begins; then up to `workers` threads call
// shl_graph_work(), each with a number of its own, and return when all jobs are done; then one
// thread ends. Whoever does not come is not waited for; if nobody came, end does the work. The
// host orders begin before work before end. Errors: ARGUMENT (as above, a worker's number out
// of range or taken, end while somebody works); end: the jobs' as above.
SHOAL_CHECK shoal_status shl_graph_begin(shl_graph *g, uint32_t workers);
SHOAL_CHECK shoal_status shl_graph_work(shl_graph *g, uint32_t worker);
SHOAL_CHECK shoal_status shl_graph_end(shl_graph *g);

// Whether somebody is inside shl_graph_work().
bool shl_graph_busy(const shl_graph *g);

// The job that the guard is running, NULL between runs. Safe in a signal handler.
const char *shl_graph_current_job(const shl_graph *g);

// [job_count], valid until the next compile, add or finish; NULL without timing.
const shl_job_time *shl_graph_times(const shl_graph *g);
void shl_graph_clear_times(shl_graph *g);

// Adds to the events of the last run what happened beside its jobs, from row 0 to 1 of `job`;
// nothing unless tracing. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_graph_event(shl_graph *g, const char *job, uint32_t worker,
                                         uint64_t begin_ns, uint64_t end_ns);

// What one worker spent inside a job in the last run; 0 without timing.
uint64_t shl_graph_worker_ns(const shl_graph *g, uint32_t worker, uint32_t job);

// The compiled graph as lines for people, or as DOT: one box per chain of jobs of one module
// (the part of a name before '_') in one stage, one cluster per stage, one colour per module.
// Errors: ARGUMENT (not compiled).
SHOAL_CHECK shoal_status shl_graph_text(const shl_graph *g, shoal_write_fn *write, void *user);
SHOAL_CHECK shoal_status shl_graph_dot(const shl_graph *g, shoal_write_fn *write, void *user);

static inline const shl_job_desc *shl_graph_jobs(const shl_graph *g)
{
    return g->jobs.data;
}

#endif
