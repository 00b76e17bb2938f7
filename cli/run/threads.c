// SPDX-License-Identifier: MIT
#include "cli/run/threads.h"

#include <math.h>
#include <stdlib.h>

const char *const shl_phase_names[SHL_PHASES] = {"gather",   "refit",  "rebuild",  "broad",
                                                 "traverse", "leaf",   "contacts", "distance",
                                                 "sort",     "waiting"};

// The grid's share of distances is told with them, and what is left counts as waiting.
static const struct {
    shoal_phase told;
    shl_phase as;
} shown[] = {{SHOAL_PHASE_GATHER, SHL_PHASE_GATHER},     {SHOAL_PHASE_REFIT, SHL_PHASE_REFIT},
             {SHOAL_PHASE_REBUILD, SHL_PHASE_REBUILD},   {SHOAL_PHASE_BROAD, SHL_PHASE_BROAD},
             {SHOAL_PHASE_TRAVERSE, SHL_PHASE_TRAVERSE}, {SHOAL_PHASE_LEAF, SHL_PHASE_LEAF},
             {SHOAL_PHASE_CONTACT, SHL_PHASE_CONTACT},   {SHOAL_PHASE_GRID, SHL_PHASE_DISTANCE},
             {SHOAL_PHASE_DISTANCE, SHL_PHASE_DISTANCE}, {SHOAL_PHASE_SORT, SHL_PHASE_SORT}};

static bool reserve(shl_threads *t, uint32_t count)
{
    if (count > t->capacity) {
        shl_thread_row *more = realloc(t->rows, count * sizeof *more);
        if (!more)
            return false;
        t->rows = more;
        t->capacity = count;
    }
    for (; t->count < count; t->count++)
        t->rows[t->count] = (shl_thread_row){0};
    return true;
}

bool shl_threads_add(shl_threads *t, const shoal_scene *scene, const shoal_stats *stats)
{
    if (!reserve(t, stats->threads))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        double busy = 0;
        for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
            const double now = shoal_scene_worker_seconds(scene, i, shown[k].told);
            t->rows[i].seconds[shown[k].as] += now;
            busy += now;
        }
        // who was not called to a step does not wait for it
        if (stats->workers > 1 || busy > 0)
            t->rows[i].seconds[SHL_PHASE_WAIT] += fmax(stats->wall_s - busy, 0);
    }
    t->steps++;
    return true;
}

void shl_threads_finish(shl_threads *t)
{
    free(t->rows);
    *t = (shl_threads){0};
}

shl_spread shl_threads_spread(const shl_threads *t, shl_phase phase)
{
    shl_spread out = {t->count ? INFINITY : 0, 0, 0};
    for (uint32_t i = 0; i < t->count; i++) {
        const double s = t->rows[i].seconds[phase];
        out.least = fmin(out.least, s);
        out.most = fmax(out.most, s);
        out.mean += s / t->count;
    }
    return out;
}

json_t *shl_threads_json(const shl_threads *t)
{
    json_t *phases = json_object();
    const double scale = t->steps ? 1e3 / t->steps : 0;
    for (int k = 0; k < SHL_PHASES; k++) {
        const shl_spread s = shl_threads_spread(t, (shl_phase)k);
        json_object_set_new(
            phases, shl_phase_names[k],
            json_pack("[f, f, f]", scale * s.least, scale * s.mean, scale * s.most));
    }
    return json_pack("{s:i, s:i, s:o}", "threads", (int)t->count, "steps", (int)t->steps, "ms",
                     phases);
}
