// SPDX-License-Identifier: MIT
// A step as data: loops in the order a serial program would run them, each naming the tables it
// reads and writes. Edges follow from those; nobody writes them down.
#ifndef SHL_RUNTIME_JOBS_GRAPH_H
#define SHL_RUNTIME_JOBS_GRAPH_H

#include <shoal/base.h>

typedef struct shl_span {
    uint32_t begin, end;
} shl_span;

// Runs the rows of one chunk. `worker` is below the worker count given to shl_graph_run().
typedef shoal_status shl_job_fn(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker);

typedef struct shl_job_desc {
    const char *name; // static text
    shl_job_fn *run;
    void *ctx;
    const uint32_t *rows; // read when the job starts; NULL: one call with rows [0,1)
    uint32_t grain;       // rows a chunk, never a function of the worker count; 0: all in one
    uint64_t reads;       // tables, one bit each
    uint64_t writes;
} shl_job_desc;
#endif
