// SPDX-License-Identifier: MIT
// What the rows of the golden table say, and who plays them.
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

#include "worlds.h"

#include <shoal/study.h>

// A feature that a row is about: how often a step used it. The sum over the steps is not 0.
typedef uint64_t golden_use_fn(const shoal_stats *stats);

typedef struct golden_row {
    const char *name;
    const char *world;    // of tests/zero/worlds.h, each body as the kind it is; or:
    const char *scene;    // built-in
    const char *settings; // of the scene, as "k=3 bodies=8"
    uint32_t steps;       // 0: as many as the world has, 20 of a scene
    uint32_t queries;     // of a scene beside its own
    golden_use_fn *use;   // may be NULL
    // of worlds
    bool free;        // all bodies are free
    bool fat;         // they have fat boxes
    bool replaced;    // between steps 1 and 2 some get another model
    bool broken;      // one has a NaN in step 1
    bool leaving;     // one leaves before step 1, and comes back before step 3
    uint32_t spheres; // 1 + level of contact spheres of every other reduced body; 0: none
    shoal_bounds bounds;
    shoal_blend blend;
    shoal_influence region;
    // of the library's scene
    double list_margin, rebuild_ratio, within;
    uint32_t strategy1; // 1 + the strategy; 0: the default
    shoal_broad broad;
    shoal_coherence coherence;
    shoal_distance_engine engine;
    uint32_t resolution;
} golden_row;

extern const golden_row golden_rows[];
extern const size_t golden_row_count;

// How a row is played; its hash does not depend on it.
typedef struct golden_way {
    shoal_cpu cpu;
    shoal_executor executor;
    uint32_t threads;
} golden_way;

typedef struct golden_sum {
    uint64_t hash;  // of all steps
    uint64_t found; // rows of all lists of all steps
    uint64_t used;
} golden_sum;

// False: a call failed.
bool golden_play(const golden_row *row, const golden_way *way, golden_sum *out);

// The same, by what a row names.
bool golden_play_world(const golden_row *row, shoal_context *ctx, shoal_scene *scene,
                       golden_sum *out);
bool golden_play_scene(const golden_row *row, shoal_context *ctx, shoal_scene *scene,
                       golden_sum *out);

// Adds a step to the sums.
void golden_add(const golden_row *row, const shoal_scene *scene, golden_sum *out);

#endif
