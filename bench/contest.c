// SPDX-License-Identifier: MIT
#include "bench/contest.h"
#include "bench/player.h"

#include <stdlib.h>
#include <time.h>

// Times of one contender, [repeat][frame_count].
typedef struct samples {
    double *whole_s, *update_s;
} samples;

// Idle workers of the contender before may still spin for a job; they are given time to sleep.
static void settle(void)
{
    const struct timespec pause = {0, 30 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

static bool equal(bench_tally a, bench_tally b)
{
    return a.count == b.count && a.sum == b.sum;
}

// A whole run. Its first frame is also played ahead, so that all memory is touched; shoal
// allocates until its third step.
static shoal_status run(const bench_contest *c, uint32_t i, uint32_t repeat, samples *s)
{
    const uint32_t warm_up = c->contenders[i].is_literal ? 1 : 2;
    const bench_film *f = c->film;
    bench_player player;
    shoal_status st = bench_player_create(f, &c->contenders[i], c->first, &player);
    if (st != SHOAL_OK)
        return st;
    double *whole = s->whole_s + (size_t)repeat * c->frame_count;
    double *update = s->update_s + (size_t)repeat * c->frame_count;
    settle();
    for (uint32_t turn = 0; turn < warm_up + c->frame_count && st == SHOAL_OK; turn++) {
        const uint32_t frame = turn < warm_up ? 0 : turn - warm_up;
        bench_player_deform(&player, frame);
        st = bench_player_step(&player, frame, &whole[frame], &update[frame]);
        const bench_tally expected = c->first ? f->hits[frame] : f->pairs[frame];
        if (!equal(bench_player_tally(&player), expected))
            c->times[i].same = false;
    }
    bench_player_finish(&player);
    return st;
}

static shoal_status median_frames(const bench_contest *c, uint32_t repeats,
                                  const double *seconds, double *out)
{
    double *values = malloc(repeats * sizeof *values);
    if (!values)
        return SHOAL_ERR_MEMORY;
    for (uint32_t frame = 0; frame < c->frame_count; frame++) {
        for (uint32_t r = 0; r < repeats; r++)
            values[r] = seconds[(size_t)r * c->frame_count + frame];
        out[frame] = bench_median(values, repeats);
    }
    free(values);
    return SHOAL_OK;
}

static shoal_status run_all(bench_contest *c, samples *s)
{
    shoal_status st = SHOAL_OK;
    const double start = bench_now_s();
    uint32_t repeats = 0;
    while (st == SHOAL_OK && repeats < c->repeat &&
           (repeats < c->least || bench_now_s() - start < c->patience_s)) {
        for (uint32_t i = 0; i < c->count && st == SHOAL_OK; i++)
            st = run(c, i, repeats, &s[i]);
        repeats++;
    }
    for (uint32_t i = 0; i < c->count && st == SHOAL_OK; i++) {
        st = median_frames(c, repeats, s[i].whole_s, c->times[i].whole_s);
        if (st == SHOAL_OK)
            st = median_frames(c, repeats, s[i].update_s, c->times[i].update_s);
    }
    return st;
}

shoal_status bench_contest_run(bench_contest *c)
{
    if (!c->frame_count)
        c->frame_count = c->film->frame_count;
    const size_t frames = c->frame_count, all = frames * c->repeat;
    c->times = calloc(c->count, sizeof *c->times);
    samples *s = calloc(c->count, sizeof *s);
    bool room = c->times && s;
    for (uint32_t i = 0; i < c->count && room; i++) {
        s[i] = (samples){malloc(all * sizeof(double)), malloc(all * sizeof(double))};
        c->times[i] = (bench_times){malloc(frames * sizeof(double)),
                                    malloc(frames * sizeof(double)), true};
        room = s[i].whole_s && s[i].update_s && c->times[i].whole_s && c->times[i].update_s;
    }
    const shoal_status st = room ? run_all(c, s) : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; s && i < c->count; i++) {
        free(s[i].whole_s);
        free(s[i].update_s);
    }
    free(s);
    if (st != SHOAL_OK)
        bench_contest_finish(c);
    return st;
}

void bench_contest_finish(bench_contest *c)
{
    for (uint32_t i = 0; c->times && i < c->count; i++) {
        free(c->times[i].whole_s);
        free(c->times[i].update_s);
    }
    free(c->times);
    c->times = NULL;
}

double bench_contest_us(const bench_contest *c, uint32_t contender, bool update, uint32_t from,
                        uint32_t to)
{
    const bench_times *t = &c->times[contender];
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t frame = 0; frame < c->frame_count; frame++) {
        if (c->film->steps[frame] < from || c->film->steps[frame] > to)
            continue;
        sum += update ? t->update_s[frame] : t->whole_s[frame];
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
