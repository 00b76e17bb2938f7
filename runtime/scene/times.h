// SPDX-License-Identifier: MIT
// What the jobs' times mean in the statistics of a step.
#ifndef SHL_RUNTIME_SCENE_TIMES_H
#define SHL_RUNTIME_SCENE_TIMES_H

#include "runtime/scene/scene.h"

enum {
    SHL_TIME_GATHER,
    SHL_TIME_REFIT,
    SHL_TIME_BROAD,
    SHL_TIME_REBUILD,
    SHL_TIME_DISTANCE,
    SHL_TIME_GRID,
    SHL_TIME_CONTACT,
    SHL_TIME_SEARCH,
    SHL_TIME_LISTS,
    SHL_TIME_SORT,
    SHL_TIMES
};

// Fills scene->job_time, once the graph is built: names are not compared in every step.
SHOAL_CHECK shoal_status shl_times_name(shoal_scene *scene);

// Seconds that all workers together spent on each.
void shl_times_add(const shoal_scene *scene, double seconds[SHL_TIMES]);

// Those of one worker in the last step.
void shl_times_of(const shoal_scene *scene, uint32_t worker, double seconds[SHL_TIMES]);

#endif
