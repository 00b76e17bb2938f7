// SPDX-License-Identifier: MIT
// Where the threads of a run spent their time: for each phase the least, the mean and the most
// of a thread, as LAMMPS tells it.
#ifndef SHL_CLI_RUN_THREADS_H
#define SHL_CLI_RUN_THREADS_H

#include <jansson.h>
#include <shoal/trace.h>

typedef enum shl_phase {
    SHL_PHASE_GATHER,
    SHL_PHASE_REFIT,
    SHL_PHASE_REBUILD,
    SHL_PHASE_BROAD,
    SHL_PHASE_TRAVERSE,
    SHL_PHASE_LEAF,
    SHL_PHASE_CONTACT,
    SHL_PHASE_DISTANCE,
    SHL_PHASE_SORT,
    SHL_PHASE_WAIT, // for others, or for the step to begin and end
    SHL_PHASES
} shl_phase;

typedef struct shl_thread_row {
    double seconds[SHL_PHASES];
} shl_thread_row;

// Sums over the steps of this process.
typedef struct shl_threads {
    shl_thread_row *rows; // [count]
    uint32_t count, capacity;
    uint32_t steps;
} shl_threads;

// Adds the last step of a scene. False: no memory, and nothing is added.
bool shl_threads_add(shl_threads *threads, const shoal_scene *scene, const shoal_stats *stats);
void shl_threads_finish(shl_threads *threads);

// Seconds of a phase, over the steps: least, mean and most of a thread.
typedef struct shl_spread {
    double least, mean, most;
} shl_spread;
shl_spread shl_threads_spread(const shl_threads *threads, shl_phase phase);

// {"steps": N, "ms": {"gather": [least, mean, most], ..}}, milliseconds a step; NULL: no
// memory.
json_t *shl_threads_json(const shl_threads *threads);

extern const char *const shl_phase_names[SHL_PHASES];

#endif
