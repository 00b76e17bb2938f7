// SPDX-License-Identifier: MIT
#ifndef SHL_RUNTIME_CLOCK_H
#define SHL_RUNTIME_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t shl_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t shl_now_ns(void)
{
    return shl_clock_ns(CLOCK_MONOTONIC);
}

// What the calling thread has had of a CPU.
static inline uint64_t shl_cpu_ns(void)
{
    return shl_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
