// SPDX-License-Identifier: MIT
#include "bench/harness/contest.h"
#include "bench/harness/player.h"

#include <stdlib.h>

static bool equal(bench_tally a, bench_tally b)
{
    return a.count == b.count && a.sum == b.sum;
}

// A whole run into samples[frame_count]. Its first frame is also played ahead, so that all
// memory is touched; shoal allocates until its third step.
static shoal_status run(const bench_contest *c, uint32_t i, bench_sample *samples)
{
    const uint32_t warm_up = c->contenders[i].is_literal ? 1 : 2;
    const bench_film *f = c->film;
    bench_player player;
    shoal_status st = bench_player_create(f, &c->contenders[i], c->first, &player);
    if (st != SHOAL_OK)
        return st;
    bench_settle();
    for (uint32_t turn = 0; turn < warm_up + c->frame_count && st == SHOAL_OK; turn++) {
        const uint32_t frame = turn < warm_up ? 0 : turn - warm_up;
        bench_player_deform(&player, frame);
        st = bench_player_step(&player, frame, &samples[frame]);
        const bench_tally expected = c->first ? f->hits[frame] : f->pairs[frame];
        if (!equal(bench_player_tally(&player), expected))
            c->times[i].same = false;
    }
    bench_player_finish(&player);
    return st;
}

// samples[repeat][frame_count]; `values` has room for the repeats.
static void take_medians(const bench_contest *c, const bench_sample *samples, uint32_t repeats,
                         double *values, bench_sample *out)
{
    for (uint32_t frame = 0; frame < c->frame_count; frame++) {
        for (int part = 0; part < BENCH_PARTS; part++) {
            for (uint32_t r = 0; r < repeats; r++)
                values[r] = samples[(size_t)r * c->frame_count + frame].s[part];
            out[frame].s[part] = bench_median(values, repeats);
        }
    }
}

// samples[contender][repeat][frame_count]
static shoal_status run_all(bench_contest *c, bench_sample *samples, double *values)
{
    const size_t run_rows = c->frame_count, rows = run_rows * c->repeat;
    shoal_status st = SHOAL_OK;
    const double start = bench_now_s();
    uint32_t repeats = 0;
    bool more = true;
    while (st == SHOAL_OK && more) {
        for (uint32_t i = 0; i < c->count && st == SHOAL_OK; i++)
            st = run(c, i, samples + i * rows + repeats * run_rows);
        repeats++;
        const double patience_s = c->patience_s * (repeats < c->least ? 2 : 1);
        more = repeats < c->repeat && bench_now_s() - start < patience_s;
    }
    for (uint32_t i = 0; i < c->count && st == SHOAL_OK; i++)
        take_medians(c, samples + i * rows, repeats, values, c->times[i].frames);
    return st;
}

shoal_status bench_contest_run(bench_contest *c)
{
    if (!c->frame_count)
        c->frame_count = c->film->frame_count;
    const size_t frames = c->frame_count;
    bench_sample *samples = calloc(c->count * c->repeat * frames, sizeof *samples);
    double *values = malloc(c->repeat * sizeof *values);
    c->times = calloc(c->count, sizeof *c->times);
    bool room = samples && values && c->times;
    for (uint32_t i = 0; i < c->count && room; i++) {
        c->times[i] = (bench_times){malloc(frames * sizeof(bench_sample)), true};
        room = c->times[i].frames != NULL;
    }
    const shoal_status st = room ? run_all(c, samples, values) : SHOAL_ERR_MEMORY;
    free(samples);
    free(values);
    if (st != SHOAL_OK)
        bench_contest_finish(c);
    return st;
}

void bench_contest_finish(bench_contest *c)
{
    for (uint32_t i = 0; c->times && i < c->count; i++)
        free(c->times[i].frames);
    free(c->times);
    c->times = NULL;
}

double bench_contest_us(const bench_contest *c, uint32_t contender, bench_part part,
                        uint32_t from, uint32_t to)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < c->frame_count; frame++) {
        if (c->film->steps[frame] < from || c->film->steps[frame] > to)
            continue;
        sum += c->times[contender].frames[frame].s[part];
        count++;
    }
    return count ? 1e6 * sum / count : 0;
}

bool bench_contest_same(const bench_contest *c)
{
    bool same = true;
    for (uint32_t i = 0; i < c->count; i++)
        same = same && c->times[i].same;
    return same;
}
