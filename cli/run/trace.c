// SPDX-License-Identifier: MIT
#include "cli/run/trace.h"

#include "cli/run/engine.h"

bool shl_trace_open(shl_trace *t, const char *path)
{
    t->start_s = shl_now_s();
    t->any = false;
    if (!shl_draft_open(&t->draft, path))
        return false;
    t->file = t->draft.file;
    fputs("[", t->file);
    return true;
}

// Names are the library's own identifiers: nothing in them needs an escape.
static void begin_event(shl_trace *t, const char *name, uint32_t worker, double at_us,
                        double for_us)
{
    fprintf(t->file,
            "%s\n{\"name\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %.3f, "
            "\"dur\": %.3f, \"args\": {",
            t->any ? "," : "", name, worker, at_us, for_us);
    t->any = true;
}

void shl_trace_step(shl_trace *t, const shoal_scene *scene, uint32_t step, double motion_s,
                    double begin_s, double end_s)
{
    const double spans[3] = {motion_s, begin_s, end_s};
    for (int i = 0; i < 2; i++) {
        begin_event(t, i ? "step" : "motion", 0, 1e6 * (spans[i] - t->start_s),
                    1e6 * (spans[i + 1] - spans[i]));
        fprintf(t->file, "\"step\": %u}}", step);
    }
    size_t count;
    const shoal_event *events = shoal_scene_events(scene, &count);
    const uint64_t start_ns = (uint64_t)(1e9 * t->start_s);
    for (size_t i = 0; i < count; i++) {
        const shoal_event *e = &events[i];
        begin_event(t, e->job, e->worker, 1e-3 * (double)(int64_t)(e->begin_ns - start_ns),
                    1e-3 * (double)(e->end_ns - e->begin_ns));
        fprintf(t->file, "\"chunk\": %u, \"begin\": %u, \"end\": %u}}", e->chunk, e->begin,
                e->end);
    }
}

bool shl_trace_close(shl_trace *t, bool keep)
{
    if (t->file)
        fputs("\n]\n", t->file);
    t->file = NULL;
    return shl_draft_close(&t->draft, keep);
}
