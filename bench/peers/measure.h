// SPDX-License-Identifier: MIT
// Contenders in turns: whole runs of the scene, one contender after the other, several times.
#ifndef PEERS_MEASURE_H
#define PEERS_MEASURE_H

#include "bench/peers/peers.h"

// What a step found, whatever the order.
struct tally {
    size_t pairs = 0;
    uint64_t sum = 0; // of a hash of each pair

    bool operator==(const tally &other) const
    {
        return pairs == other.pairs && sum == other.sum;
    }
};

// A contender's place in a comparison, and what it took there.
struct lane {
    std::string name;
    std::unique_ptr<contender> who;
    bool is_shoal = false;
    bool only_first = false;       // says whether there is a pair, not which
    std::vector<tally> found;      // [steps]
    std::vector<double> distances; // [steps]
    double candidates = 0;         // decided, mean over the steps
    // mean over the steps of the median over the repeats, by the wall clock; and the process'
    // CPU time for the whole step, which other programs on the machine do not lengthen
    double update_us = 0, whole_us = 0, cpu_us = 0, part_us[PARTS] = {};
    uint32_t repeats = 0;

    double query_us() const
    {
        return whole_us - update_us;
    }
};

// Runs every lane once to warm up and to note its pairs, then `repeat` times in turns; fewer
// times, but at least three of them, if that would take too long.
void measure(uint32_t steps, std::vector<lane> &lanes, uint32_t repeat);

// Whether a lane found what the first lane found, in every step.
bool agrees(const lane &first, const lane &other);

size_t total_pairs(const lane &l);

// A few of a scene's steps, evenly spread, to try things on.
film excerpt(const film &scene, uint32_t steps);

#endif
