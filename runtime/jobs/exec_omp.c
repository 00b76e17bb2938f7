// SPDX-License-Identifier: MIT
// The graph on the calling thread and its helpers, which are OpenMP's threads.
#include "runtime/jobs/crew.h"

void shl_exec_omp(shl_plan *p, uint32_t workers)
{
    shl_crew *crew = workers > 1 ? shl_crew_of_caller(workers, &p->refused) : NULL;
    const uint32_t most = crew ? shl_crew_size(crew) : 1;
    p->team = workers < most ? workers : most;
    p->whole = p->team == workers;
    shl_steal_prepare(p, p->team);
    if (crew && p->team > 1) {
        p->helpers_leave = true;
        atomic_store_explicit(&p->called, p->patience_ns == 0, memory_order_relaxed);
        shl_crew_open(crew, p);
    }
    shl_worker *w = &p->workers[0];
    if (p->whole)
        shl_worker_enter(p, 0);
    const uint64_t begin = shl_cpu_ns();
    shl_steal_work(p, w, p->team);
    w->cpu_ns += shl_cpu_ns() - begin;
    if (p->whole)
        shl_worker_leave(p, 0);
    if (p->helpers_leave)
        shl_crew_close(crew);
}
