// SPDX-License-Identifier: MIT
// How many threads the steps of a scene use, and how soon they call for help.
//
// Short steps are left to the calling thread. On a machine that others use too, a helper may be
// kept from its CPU in the middle of a chunk, and all wait for it; so when steps take longer
// than the CPU time that they need, calling is put off, and smaller teams are tried and kept
// while they are faster. Pure arithmetic on what steps report: it reads no clock, and no result
// depends on it.
#ifndef SHL_RUNTIME_JOBS_PACE_H
#define SHL_RUNTIME_JOBS_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum { SHL_PACE_STEPS = 4 };

typedef struct shl_pace {
    uint32_t threads;                 // the scene's
    bool fixed;                       // all of them work on every step
    uint32_t team;                    // that steps may use now
    double wall_ns, cpu_ns;           // of recent steps, weighted down with age
    uint64_t work_ns[SHL_PACE_STEPS]; // CPU time of the last steps
    uint32_t steps;
    uint32_t trial;      // team on trial; 0: none
    uint32_t trial_left; // steps
    double trial_wall_ns, trial_cpu_ns;
    uint32_t hold, hold_next; // steps until the next trial, and after one that changed nothing
    bool told;                // that the team is smaller
} shl_pace;

// How the next step runs.
typedef struct shl_pace_step {
    uint32_t workers;
    uint64_t patience_ns; // shl_graph's
    uint64_t spin_ns;
} shl_pace_step;

void shl_pace_init(shl_pace *pace, uint32_t threads, bool fixed);
shl_pace_step shl_pace_next(const shl_pace *pace);

// A step is over. True if the team has become smaller for the first time.
bool shl_pace_note(shl_pace *pace, uint64_t wall_ns, uint64_t cpu_ns, bool called);

// Whether recent steps were kept from CPUs.
bool shl_pace_busy(const shl_pace *pace);

#endif
