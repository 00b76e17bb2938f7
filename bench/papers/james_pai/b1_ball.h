// SPDX-License-Identifier: MIT
// The part of B1 that throws a ball at swaying plates.
#ifndef BENCH_PAPERS_JAMES_PAI_B1_BALL_H
#define BENCH_PAPERS_JAMES_PAI_B1_BALL_H

#include "bench/harness/bench.h"
#include "kernels/kernels.h"

SHOAL_CHECK shoal_status bench_thrown_ball(bench_report *report, const shl_kernels *kernels,
                                           uint32_t repeat);

#endif
