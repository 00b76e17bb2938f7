// SPDX-License-Identifier: MIT
#ifndef BENCH_PAPERS_LARSSON_L1_H
#define BENCH_PAPERS_LARSSON_L1_H

#include "bench/papers/larsson/larsson.h"

// The update before contact beside a plain pass over the same vertices, as rows and a gate.
SHOAL_CHECK shoal_status bench_l1_floor(const bench_options *options, uint32_t k,
                                        bench_report *report);

#endif
