// SPDX-License-Identifier: MIT
// Who answers queries of distances: as the user says, or by measuring. The answer is the same,
// so a measurement may decide.
#include "runtime/queries/distance/distance.h"

#include <math.h>
#include <shoal/study.h>
#include <string.h>

enum {
    TRIALS = 6,              // steps in which each contender is tried
    TRIANGLES_MAX = 1 << 22, // a larger scene is not tried with a grid
    RETRY_FIRST = 64,        // steps until the loser gets another chance
    RETRY_MOST = 4096,
    RETRY_SHARE = 50, // but only if that takes less than such a part of the steps in between
};
static const double gpu_from_s = 2e-3; // looking for a GPU takes far longer than this

static bool is_eligible(const shl_distance *d)
{
    if (d->body_count < 2 ||
        ((const uint32_t *)d->tri_begin.data)[d->body_count] > TRIANGLES_MAX)
        return false;
    for (uint32_t i = 0; i < d->body_count; i++) { // all their triangles would be evaluated
        shl_view view;
        shl_view_of(d->ports, shl_distance_body(d, i), &view);
        if (shl_view_is(&view, SHL_VIEW_EVALUATED))
            return false;
    }
    return true;
}

// Looks for the GPU once; afterwards only says whether there is one.
static bool has_gpu(shl_distance *d)
{
    shl_gpu_link *link = &d->ports->ctx->gpu;
    shl_grid *g = &d->grid;
    const bool there = shl_gpu_open(link) != NULL;
    if (!there && link->forced && !g->gpu_asked && !g->told_gpu) {
        shl_warn(d->ports->ctx, "step: no GPU, the CPU is used: %s", link->info.reason);
        g->told_gpu = true;
    }
    g->gpu_asked = true;
    return there;
}

static uint32_t fastest(const shl_grid *g, uint32_t first)
{
    uint32_t best = first;
    for (uint32_t i = 0; i < SHL_CONTENDERS; i++) {
        if (g->cost[i] > 0 && (!(g->cost[best] > 0) || g->cost[i] < g->cost[best]))
            best = i;
    }
    return best;
}

// The first steps try each in turn, so that a steady scene has all its memory by its third.
static uint32_t by_measurement(shl_distance *d, bool trees)
{
    shl_grid *g = &d->grid;
    const uint32_t first = trees ? SHL_WITH_TREES : SHL_WITH_GRID;
    if (d->queries != g->queries || d->ports->bodies->youngest != g->generation ||
        d->body_count != g->bodies) {
        g->queries = d->queries;
        g->generation = d->ports->bodies->youngest;
        g->bodies = d->body_count;
        memset(g->cost, 0, sizeof g->cost);
        g->age = 0;
        g->retry_gap = g->retry_at = RETRY_FIRST;
    }
    const uint32_t age = g->age++;
    if (age < 3)
        return age == 1 ? SHL_WITH_GRID : first;
    const uint32_t best = fastest(g, first);
    if (age == 3 && g->cost[best] > gpu_from_s && has_gpu(d))
        return SHL_WITH_GPU;
    if (age == 4 && g->cost[SHL_WITH_GPU] > 0) // without its shaders' compilation
        return SHL_WITH_GPU;
    if (age == 5 && best != SHL_WITH_GPU) // it was slow once at least, knowing nothing
        return first;
    if (age < g->retry_at)
        return best;
    const double most = g->cost[best] * g->retry_gap / RETRY_SHARE;
    g->retry_gap = g->retry_gap < RETRY_MOST ? 2 * g->retry_gap : RETRY_MOST;
    g->retry_at = age + g->retry_gap;
    for (uint32_t i = 1; i < SHL_CONTENDERS; i++) { // the next one that was ever tried
        const uint32_t other = (best + i) % SHL_CONTENDERS;
        if (g->cost[other] > 0)
            return g->cost[other] <= most ? other : best;
    }
    return best;
}

uint32_t shl_grid_choose(shl_distance *d)
{
    const uint32_t asked =
        SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES;
    const shoal_distance_engine engine = d->ports->def->distance_engine;
    const shl_gpu_link *link = &d->ports->ctx->gpu;
    if (!(d->queries & asked) || engine == SHOAL_DISTANCE_TREES ||
        engine == SHOAL_DISTANCE_PLAIN || d->body_count < 2)
        return SHL_WITH_TREES;
    if (link->forced || link->required) {
        if (has_gpu(d))
            return SHL_WITH_GPU;
        return engine == SHOAL_DISTANCE_GRID ? SHL_WITH_GRID : SHL_WITH_TREES;
    }
    if (engine == SHOAL_DISTANCE_GRID)
        return d->ports->ctx->fixed_costs ? SHL_WITH_GRID : by_measurement(d, false);
    if (d->ports->ctx->fixed_costs || !is_eligible(d))
        return SHL_WITH_TREES;
    return by_measurement(d, true);
}

void shl_grid_profile(shl_grid *g, double seconds)
{
    if (g->with == SHL_WITH_GPU && !g->gpu_jobs) // it gave no answer
        return;
    double *cost = &g->cost[g->with];
    if (!(*cost > 0) ||
        (g->age <= TRIALS && seconds < *cost)) // what a first try took is no measure
        *cost = seconds;
    else if (g->age > TRIALS) // one step that was disturbed must not turn the choice
        *cost = 0.75 * *cost + 0.25 * fmin(seconds, 2 * *cost);
}
