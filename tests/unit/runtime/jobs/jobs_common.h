// SPDX-License-Identifier: MIT
// Shared by the tests of the job graph.
#ifndef TESTS_UNIT_RUNTIME_JOBS_JOBS_COMMON_H
#define TESTS_UNIT_RUNTIME_JOBS_JOBS_COMMON_H

#include "runtime/jobs/graph.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { A = 1, B = 2, C = 4, D = 8 };

// Every way to run a graph.
static const struct {
    shl_executor executor;
    uint32_t workers;
} ways[] = {
    {SHL_EXEC_SERIAL, 1}, {SHL_EXEC_LOOPS, 1}, {SHL_EXEC_LOOPS, 3}, {SHL_EXEC_OMP, 1},
    {SHL_EXEC_OMP, 2},    {SHL_EXEC_OMP, 3},   {SHL_EXEC_OMP, 8},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

// Counts what is held and fails once `budget` allocations were made. Workers that record events
// allocate side by side.
typedef struct meter {
    _Atomic long budget, held, calls;
} meter;

static inline void *meter_alloc(void *user, size_t size, size_t align)
{
    meter *m = user;
    if (atomic_fetch_sub(&m->budget, 1) <= 0)
        return NULL;
    atomic_fetch_add(&m->held, (long)size);
    atomic_fetch_add(&m->calls, 1);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void meter_release(void *user, void *memory, size_t size)
{
    atomic_fetch_sub(&((meter *)user)->held, (long)size);
    free(memory);
}

#define BUDGET (1L << 40)
static meter memory = {.budget = BUDGET};
static const shoal_allocator allocator = {meter_alloc, meter_release, &memory};

static inline shoal_status nothing(void *ctx, shl_chunk rows)
{
    (void)ctx, (void)rows;
    return SHOAL_OK;
}

#endif
