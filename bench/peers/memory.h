// SPDX-License-Identifier: MIT
// What a contender holds in memory.
#ifndef PEERS_MEMORY_H
#define PEERS_MEMORY_H

#include "bench/peers/peers.h"

#include <functional>

// By how many bytes the resident memory of a process grows when it makes a contender and runs
// all steps. The process is a child, so that nothing freed before is used again; this one must
// not have threads yet, for they would be missing there.
size_t resident_growth(const std::function<std::unique_ptr<contender>()> &make, uint32_t steps);

#endif
