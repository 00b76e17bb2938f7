// SPDX-License-Identifier: MIT
// The graph as a sequence of parallel loops, each ended by a barrier: needs no edges at all, so
// it is the fallback when stealing is in doubt and the oracle when edges are.
#include "runtime/jobs/crew.h"

#include <omp.h>

void shl_exec_loops(shl_plan *p, uint32_t workers)
{
    uint32_t rows = 0;
    uint32_t chunks = 0;
    workers = shl_region_limit(workers);
#pragma omp parallel num_threads((int)workers) default(none) shared(p, workers, rows, chunks)
    {
        shl_worker *w = &p->workers[omp_get_thread_num()];
        const bool whole = (uint32_t)omp_get_num_threads() == workers && omp_get_level() == 1;
        if (whole)
            shl_worker_enter(p, w->index);
        shl_worker_begin(p, w);
        for (uint32_t job = 0; job < p->job_count; job++) {
            const uint32_t grain = p->jobs[job].grain;
            // one worker reads the count, because the job itself may change it
#pragma omp single
            {
                p->team = (uint32_t)omp_get_num_threads();
                rows = p->jobs[job].rows ? *p->jobs[job].rows : 1;
                chunks = shl_chunk_count(rows, grain);
            }
#pragma omp for schedule(dynamic, 1)
            for (uint32_t chunk = 0; chunk < chunks; chunk++) {
                if (shl_skipped(p, job, chunk))
                    continue;
                const uint64_t begin = shl_stretch_begin(p); // a longer one would hold waits
                shl_worker_call(p, w, job, shl_chunk_rows(rows, grain, chunk));
                shl_stretch_end(p, w, job, begin, 1);
            }
            // after the barrier all workers see the same, so all leave or none
            if (atomic_load_explicit(&p->fail_key, memory_order_relaxed) != SHL_NO_FAILURE)
                break;
        }
        shl_worker_end(w);
        if (whole)
            shl_worker_leave(p, w->index);
    }
}
