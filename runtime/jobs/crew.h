// SPDX-License-Identifier: MIT
// Threads that help a calling thread to run its graphs.
//
// They are OpenMP's, in one parallel region that lasts from the first run on, begun by a thread
// of its own. So their number and binding are OpenMP's affair, but how they wait is ours: a
// helper spins for some microseconds, then sleeps, and a run waits only for helpers that are at
// work, never for one that another process keeps from its CPU. As with OpenMP's own pools, each
// calling thread has its own helpers, which end with it.
#ifndef SHL_RUNTIME_JOBS_CREW_H
#define SHL_RUNTIME_JOBS_CREW_H

#include "runtime/jobs/plan.h"

typedef struct shl_crew shl_crew;

// The calling thread's helpers, for runs with up to `workers` workers, itself included. NULL if
// it must work alone: inside a parallel region, within a run of its own, or, with `*refused`,
// if no thread can be started. After fork() the child gets helpers of its own.
shl_crew *shl_crew_of_caller(uint32_t workers, bool *refused);

// Workers of a run: the caller and its helpers. Fewer than asked for if OpenMP or the system
// gives no more.
uint32_t shl_crew_size(const shl_crew *crew);

// From now on helpers below p->team may work on the prepared plan, and are called if p->called.
void shl_crew_open(shl_crew *crew, shl_plan *p);

// All jobs are done: no helper comes any more, and those at work are waited for.
void shl_crew_close(shl_crew *crew);

// How many of `workers` threads a parallel region of the caller's own may have. OpenMP ends the
// process if it cannot start a thread, and hangs in a child that has none of its parent's.
uint32_t shl_region_limit(uint32_t workers);

#endif
