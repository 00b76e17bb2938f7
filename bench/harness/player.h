// SPDX-License-Identifier: MIT
// A contender at work on a film.
#ifndef BENCH_HARNESS_PLAYER_H
#define BENCH_HARNESS_PLAYER_H

#include "bench/harness/contest.h"

typedef struct bench_player {
    const bench_film *film;
    const bench_contender *who;
    bool first;
    float *xyz;            // [bodies][vertices][3] what it reads: shoal in tree order
    float *own;            // the same in the bodies' frames; van den Bergen only
    shoal_scene *scene;    // shoal only
    literal_world literal; // literal ones only
} bench_player;

SHOAL_CHECK shoal_status bench_player_create(const bench_film *film, const bench_contender *who,
                                             bool first, bench_player *out);
void bench_player_finish(bench_player *player);

// Writes the positions of a frame where the contender reads them, as a simulator would.
void bench_player_deform(bench_player *player, uint32_t frame);

// The step that is timed.
SHOAL_CHECK shoal_status bench_player_step(bench_player *player, uint32_t frame,
                                           bench_sample *out);

bench_tally bench_player_tally(const bench_player *player);

#endif
