// SPDX-License-Identifier: MIT
// What a comparison says: lanes by name, ratios between them, gates.
#ifndef PEERS_VERDICT_H
#define PEERS_VERDICT_H

#include "bench/peers/measure.h"

extern "C" {
#include "bench/harness/bench.h"
}

lane lane_of(const std::string &name, std::unique_ptr<contender> who);

// The quickest lane whose name begins so: of the ways to use a peer the best one counts.
// Null if there is none.
const lane *best(const std::vector<lane> &lanes, const char *name);

// How many times longer `slow` takes than `fast`; 0 if one of them did not take part.
double ratio(const std::vector<lane> &lanes, const char *slow, const char *fast);

void need_yes(bench_report *report, const std::string &name, bool yes);

// A need of 0 asks for nothing.
void at_least(bench_report *report, const std::string &name, double value, double need,
              double aim);

// "1 thread", "2 threads"
std::string with_threads(uint32_t threads);

#endif
