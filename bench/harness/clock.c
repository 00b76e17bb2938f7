// SPDX-License-Identifier: MIT
#include "bench/harness/clock.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now_s(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double bench_cpu_s(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void bench_settle(void)
{
    const struct timespec pause = {0, 30 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

double bench_resident_gb(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (double)usage.ru_maxrss / (1 << 20);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n == 0 ? 0 : n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void bench_keep_least(double *least, double value)
{
    *least = *least == 0 || value < *least ? value : *least;
}
