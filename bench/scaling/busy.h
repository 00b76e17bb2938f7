// SPDX-License-Identifier: MIT
// Processes that use up CPUs, as other people's programs do.
#ifndef BENCH_SCALING_BUSY_H
#define BENCH_SCALING_BUSY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct bench_hogs {
    pid_t *ids; // [count]
    uint32_t count;
} bench_hogs;

// Starts `count` of them; they end with the calling process, too. False: none runs.
bool bench_hogs_start(bench_hogs *hogs, uint32_t count);
void bench_hogs_stop(bench_hogs *hogs);

#endif
