// SPDX-License-Identifier: MIT
// The ids of this program.
#ifndef PEERS_EXPERIMENTS_H
#define PEERS_EXPERIMENTS_H

extern "C" {
#include "bench/harness/bench.h"

bench_fn run_peers, run_reduced, run_distance;
}

// What a contender of id reduced holds, before the process has any threads: children measure it
// in memory of their own.
void weigh_plates();

#endif
