// SPDX-License-Identifier: MIT
// Time, memory, and what becomes of many measurements.
#ifndef BENCH_HARNESS_CLOCK_H
#define BENCH_HARNESS_CLOCK_H

#include <stddef.h>

double bench_now_s(void);

// What all threads of the process have worked.
double bench_cpu_s(void);

// Gives idle workers of the contender before, which may still spin for a job, time to sleep.
void bench_settle(void);

// The most that was ever resident.
double bench_resident_gb(void);

// Median of n values; sorts them.
double bench_median(double *values, size_t n);

// *least begins as 0, which stands for no measurement.
void bench_keep_least(double *least, double value);

#endif
