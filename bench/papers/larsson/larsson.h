// SPDX-License-Identifier: MIT
// The experiments of Larsson & Akenine-Moller 2001 and who takes part in them.
#ifndef BENCH_PAPERS_LARSSON_LARSSON_H
#define BENCH_PAPERS_LARSSON_LARSSON_H

#include "bench/harness/contest.h"

// The literal methods, then shoal's strategies on one thread, then on all.
typedef enum bench_l_who {
    L_BOTTOM_UP,
    L_TOP_DOWN,
    L_HYBRID,
    L_BERGEN,
    L_SHOAL_HYBRID,
    L_SHOAL_BOTTOM_UP,
    L_SHOAL_TOP_DOWN,
    L_SHOAL_OWN, // the strategy that must never lose much, by the name below
    L_SHOAL_THREADS,
    L_WHO_COUNT = L_SHOAL_THREADS + 4
} bench_l_who;

#define BENCH_L_OWN_NAME "auto"

extern const bench_contender bench_l_contenders[L_WHO_COUNT];

// Steps of two bodies: the first contact is at step 60, hard are the last 50.
enum { L_CONTACT = 60, L_HARD = 151, L_STEPS = 200 };

typedef struct bench_phase {
    uint32_t from, to;
} bench_phase;

static const bench_phase bench_l_before = {1, L_CONTACT - 1}, bench_l_hard = {L_HARD, L_STEPS},
                         bench_l_whole = {1, UINT32_MAX};

// Mean microseconds of one who takes part in the contest.
double bench_l_us(const bench_contest *contest, bench_l_who who, bench_phase phase);
double bench_l_update_us(const bench_contest *contest, bench_l_who who, bench_phase phase);

// The time of `who` over the least of who..., `count` contenders from `from` on.
double bench_l_over_best(const bench_contest *contest, bench_l_who who, bench_l_who from,
                         uint32_t count, bench_phase phase);

// One row a contender; with phases if the film is of two bodies.
void bench_l_rows(const bench_contest *contest, bench_report *report);

#endif
