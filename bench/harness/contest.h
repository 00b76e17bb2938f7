// SPDX-License-Identifier: MIT
// Contenders in turns over the same film: whole runs, one contender after the other, several
// times.
#ifndef BENCH_HARNESS_CONTEST_H
#define BENCH_HARNESS_CONTEST_H

#include "bench/harness/bench.h"
#include "bench/harness/film.h"

// Who takes part: one of the papers' methods, or shoal with a strategy.
typedef struct bench_contender {
    const char *name;
    bool is_literal;
    literal_method
        method; // of a literal one; van den Bergen's tree is binary, the others 8-ary
    shoal_strategy strategy; // of shoal
    bool threaded;           // shoal on all CPUs; otherwise serial, as the literal ones
} bench_contender;

typedef enum bench_part {
    BENCH_WHOLE,  // the step as the caller sees it
    BENCH_UPDATE, // of it: boxes made ahead of the search
    BENCH_CPU,    // what the process' threads worked meanwhile
    BENCH_PARTS
} bench_part;

// What a step took, in seconds.
typedef struct bench_sample {
    double s[BENCH_PARTS];
} bench_sample;

typedef struct bench_times {
    bench_sample *frames; // [frame_count] medians over the repeats
    bool same;            // found in every frame of every repeat what the film says
} bench_times;

typedef struct bench_contest {
    const bench_film *film;
    bool first; // first contact of each two bodies, not all pairs
    const bench_contender *contenders;
    uint32_t count;
    uint32_t frame_count; // of the film, from its first; 0: all
    uint32_t repeat;      // fewer if they take longer than patience_s,
    uint32_t least;       // fewer than these only if they take twice as long
    double patience_s;
    bench_times *times; // [count] filled by bench_contest_run
} bench_contest;

SHOAL_CHECK shoal_status bench_contest_run(bench_contest *contest);
void bench_contest_finish(bench_contest *contest);

// Mean microseconds over the frames of steps `from` to `to`.
double bench_contest_us(const bench_contest *contest, uint32_t contender, bench_part part,
                        uint32_t from, uint32_t to);

// Whether all contenders found what the film says.
bool bench_contest_same(const bench_contest *contest);

#endif
