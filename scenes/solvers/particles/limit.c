// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/limit.h"

#include <math.h>
#include <stdlib.h>

static const double watch = 0.5;     // of the limit: below it an edge is not looked at
static const double give_back = 0.2; // of what is too much, in a step

static double stretch(const shl_flex *f, uint32_t edge, const double *numbers)
{
    double sum = 0;
    for (uint32_t j = 0; j < f->mode_count; j++)
        sum += f->strain[edge][j] * numbers[j];
    return sum;
}

static shl_limit *new_limit(shl_dynamics *d)
{
    if (d->limit_count == d->limit_capacity) {
        const size_t room = d->limit_capacity ? 2 * d->limit_capacity : 64;
        shl_limit *more = realloc(d->limits, room * sizeof *more);
        if (!more)
            return NULL;
        d->limits = more;
        d->limit_capacity = room;
    }
    return &d->limits[d->limit_count++];
}

// What a unit of impulse on an edge changes of a mode's rate.
static double response(const shl_dynamics *d, uint32_t body, uint32_t edge, uint32_t mode)
{
    const shl_crowd *c = shl_crowd_of(d, body);
    return c->flex->strain[edge][mode] * c->oscillators[mode].gain /
           (d->def.step * c->flex->modes[mode].mass);
}

shoal_status shl_limits_find(shl_dynamics *d, uint32_t body)
{
    const shl_flex *f = shl_flex_of(d, body);
    const double *q = d->q + (size_t)body * d->numbers;
    const double *rate = d->rate + (size_t)body * d->numbers;
    const double limit = d->def.strain_limit;
    // edges stand in groups, those that one mode stretches most: of each group the worst one
    for (uint32_t begin = 0; begin < f->edge_count; begin += SHL_FLEX_EDGES) {
        uint32_t worst = begin;
        double most = 0;
        for (uint32_t e = begin; e < begin + SHL_FLEX_EDGES && e < f->edge_count; e++) {
            const double now = stretch(f, e, q);
            const double soon = now + d->def.step * stretch(f, e, rate);
            if (fmax(fabs(now), fabs(soon)) > most) {
                most = fmax(fabs(now), fabs(soon));
                worst = e;
            }
        }
        if (most <= watch * limit)
            continue;
        shl_limit *row = new_limit(d);
        if (!row)
            return SHOAL_ERR_MEMORY;
        const double now = stretch(f, worst, q);
        const double sign = now + d->def.step * stretch(f, worst, rate) < 0 ? -1 : 1;
        const double left = limit - sign * now;
        // a step goes as far as the mean of its first and last speed, and so does the next,
        // which has to end at rest
        const double before =
            sign * stretch(f, worst, d->rate_before + (size_t)body * d->numbers);
        const double room = fmax(0, left - 0.5 * d->def.step * before);
        double sum = 0;
        for (uint32_t j = 0; j < f->mode_count; j++)
            sum += f->strain[worst][j] * response(d, body, worst, j);
        *row = (shl_limit){.body = body,
                           .edge = worst,
                           .sign = sign,
                           .most = (left < 0 ? give_back * left : room) / d->def.step,
                           .share = 1 / sum};
    }
    return SHOAL_OK;
}

void shl_limit_solve(shl_dynamics *d, shl_limit *row)
{
    const shl_flex *f = shl_flex_of(d, row->body);
    double *rate = d->rate + (size_t)row->body * d->numbers;
    const double speed = row->sign * stretch(f, row->edge, rate);
    const double wish = row->impulse + row->share * (speed - row->most);
    const double impulse = wish > 0 ? wish : 0, more = impulse - row->impulse;
    row->impulse = impulse;
    for (uint32_t j = 0; j < f->mode_count; j++)
        rate[j] -= row->sign * more * response(d, row->body, row->edge, j);
}
