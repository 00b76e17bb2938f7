// SPDX-License-Identifier: MIT
// Threads of the tool's own that help with steps, for runs in which another thread writes
// frames. OpenMP's threads spin between steps: they keep the writer from CPUs that nobody
// needs, and a step waits for each of them, also for one that the writer keeps from its CPU.
// These sleep between steps, are called only to steps that are worth it, and who comes late is
// not waited for.
#ifndef SHL_CLI_RUN_CREW_H
#define SHL_CLI_RUN_CREW_H

#include <pthread.h>
#include <shoal/scene.h>

typedef struct shl_crew {
    shoal_scene *scene; // of the step
    pthread_t *threads; // [count]
    uint32_t count;     // besides the one that steps
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t round;  // of steps; all that is below is under the lock
    uint32_t inside; // helpers at work
    bool open, quit;
    uint32_t numbered; // helpers that know their number
} shl_crew;

// Whether it pays, for a scene that has made a step: there are several workers, and neither the
// environment nor `def` says where threads are or how they wait.
bool shl_crew_pays(const shoal_context *context, const shoal_scene_def *def,
                   const shoal_scene *scene);

// All zero is no crew. Starts helpers, so that `workers` work on a step. False: it has none.
bool shl_crew_start(shl_crew *crew, uint32_t workers);
void shl_crew_finish(shl_crew *crew);

// As shoal_scene_step(), which it is without a crew.
SHOAL_CHECK shoal_status shl_crew_step(shl_crew *crew, shoal_scene *scene, uint32_t queries);

#endif
