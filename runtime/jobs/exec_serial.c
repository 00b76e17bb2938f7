// SPDX-License-Identifier: MIT
// The meaning of a graph: every job in turn, every chunk in turn, until one fails.
#include "runtime/jobs/plan.h"

void shl_exec_serial(shl_plan *p)
{
    shl_worker *w = &p->workers[0];
    shl_worker_begin(p, w);
    for (uint32_t job = 0; job < p->job_count && w->fail_key == SHL_NO_FAILURE; job++) {
        const uint32_t grain = p->jobs[job].grain;
        const uint32_t rows = p->jobs[job].rows ? *p->jobs[job].rows : 1;
        const uint32_t chunks = shl_chunk_count(rows, grain);
        const uint64_t begin = chunks ? shl_stretch_begin(p) : 0;
        uint32_t chunk = 0;
        for (; chunk < chunks && w->fail_key == SHL_NO_FAILURE; chunk++)
            shl_worker_call(p, w, job, shl_chunk_rows(rows, grain, chunk));
        shl_stretch_end(p, w, job, begin, chunk);
    }
    shl_worker_end(w);
}
