// SPDX-License-Identifier: MIT
// How long a kernel takes, on the data of its case in tests/cases/.
#ifndef BENCH_HARNESS_CASE_TIME_H
#define BENCH_HARNESS_CASE_TIME_H

#include "tests/cases/case.h"

// NULL: there is none of that name.
const shl_case *bench_case_named(const char *name);

// Nanoseconds a row, one measurement of about 200 us. The case must have been set up for its
// bench_rows.
double bench_case_ns(const shl_case *c, const shl_kernels *kernels);

#endif
