// SPDX-License-Identifier: MIT
#include "runtime/scene/times.h"

#include <string.h>

// How the names of jobs begin; other jobs are in no time.
static const struct {
    const char *name;
    uint8_t time;
} time_of[] = {
    {"gather", SHL_TIME_GATHER},
    {"drift", SHL_TIME_REFIT},
    {"judge", SHL_TIME_REFIT},
    {"mark", SHL_TIME_REFIT},
    {"refit", SHL_TIME_REFIT},
    {"roots", SHL_TIME_REFIT},
    {"corner", SHL_TIME_REFIT},
    {"learn", SHL_TIME_REFIT},
    {"boxes", SHL_TIME_BROAD},
    {"broad", SHL_TIME_BROAD},
    {"pairs", SHL_TIME_BROAD},
    {"rebuild", SHL_TIME_REBUILD},
    {"distance", SHL_TIME_DISTANCE},
    {"grid", SHL_TIME_GRID},
    {"contact_count", SHL_TIME_CONTACT},
    {"contacts", SHL_TIME_CONTACT},
    {"seed", SHL_TIME_SEARCH},
    {"walk", SHL_TIME_SEARCH},
    {"list", SHL_TIME_LISTS},
    {"keep", SHL_TIME_LISTS},
    {"near", SHL_TIME_LISTS},
    {"scan", SHL_TIME_SORT},
    {"collect", SHL_TIME_SORT},
    {"group", SHL_TIME_SORT},
    {"sort", SHL_TIME_SORT},
    {"hash", SHL_TIME_SORT},
};

static uint8_t job_time(const char *name)
{
    for (size_t i = 0; i < sizeof time_of / sizeof *time_of; i++) {
        if (strncmp(name, time_of[i].name, strlen(time_of[i].name)) == 0)
            return time_of[i].time;
    }
    return SHL_TIMES;
}

shoal_status shl_times_name(shoal_scene *s)
{
    const shl_job_desc *jobs = shl_graph_jobs(&s->graph);
    s->job_time = shl_alloc(&s->allocator, s->graph.job_count);
    for (uint32_t i = 0; s->job_time && i < s->graph.job_count; i++)
        s->job_time[i] = job_time(jobs[i].name);
    return s->job_time ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_times_add(const shoal_scene *s, double seconds[SHL_TIMES])
{
    const shl_job_time *times = shl_graph_times(&s->graph);
    for (int i = 0; i < SHL_TIMES; i++)
        seconds[i] = 0;
    for (uint32_t i = 0; i < s->graph.job_count; i++) {
        if (s->job_time[i] < SHL_TIMES)
            seconds[s->job_time[i]] += 1e-9 * (double)times[i].busy_ns;
    }
}

void shl_times_of(const shoal_scene *s, uint32_t worker, double seconds[SHL_TIMES])
{
    for (int i = 0; i < SHL_TIMES; i++)
        seconds[i] = 0;
    for (uint32_t i = 0; s->job_time && i < s->graph.job_count; i++) {
        if (s->job_time[i] < SHL_TIMES)
            seconds[s->job_time[i]] += 1e-9 * (double)shl_graph_worker_ns(&s->graph, worker, i);
    }
}
