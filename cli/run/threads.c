// SPDX-License-Identifier: MIT
#include "cli/run/threads.h"

#include <math.h>
#include <stdlib.h>

const char *const shl_phase_names[SHL_PHASES] = {"gather",   "refit",  "rebuild",  "broad",
                                                 "traverse", "leaf",   "contacts", "distance",
                                                 "sort",     "waiting"};

static bool make_room(shl_threads *t, uint32_t count)
{
    if (count > t->room) {
        shl_thread_row *more = realloc(t->rows, count * sizeof *more);
        if (!more)
            return false;
        t->rows = more;
        t->room = count;
    }
    for (; t->count < count; t->count++)
        t->rows[t->count] = (shl_thread_row){0};
    return true;
}

bool shl_threads_add(shl_threads *t, const shoal_scene *scene, const shoal_stats *stats)
{
    if (!make_room(t, stats->threads))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        const shoal_worker_times w = shoal_scene_worker_times(scene, i);
        const double now[SHL_PHASES] = {w.gather_s,  w.refit_s,    w.rebuild_s,
                                        w.broad_s,   w.traverse_s, w.leaf_s,
                                        w.contact_s, w.distance_s, w.sort_s};
        double busy = 0;
        for (int k = 0; k < SHL_PHASE_WAIT; k++) {
            t->rows[i].seconds[k] += now[k];
            busy += now[k];
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
