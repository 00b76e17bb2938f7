// SPDX-License-Identifier: MIT
// A scene in which every job of a step has something to do.
#ifndef TESTS_UNIT_COMMON_PLAY_H
#define TESTS_UNIT_COMMON_PLAY_H

#include "worlds.h"

#include <shoal/shoal.h>

enum { PLAY_BODIES = 12, PLAY_STEPS = 5 };
#define PLAY_LIST_MARGIN 0.11 // two steps of a body, and a little more
#define PLAY_REBUILD 0.5      // a new tree for every body in every step

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *model;
    world_mesh mesh;
    shoal_body body[PLAY_BODIES], reduced[2], carried[2];
    float *xyz[PLAY_BODIES]; // on pages of their own
    bool list_margin;        // then only free bodies: with others no list is kept
    bool distance;           // smaller bodies, and nothing but distances
    shoal_model *plate;      // of a body that is refreshed in parts; NULL: none
    shoal_body plate_body;
} play;

typedef struct play_def {
    shoal_executor executor;
    uint32_t threads;
    shoal_broad broad;
    int level; // of the bodies, whose triangles grow fourfold with each; 1 with distances
    double list_margin, rebuild_ratio;
    shoal_distance_engine distance; // auto: contacts instead
    bool plate;                     // one body is so large that it is refreshed in parts
} play_def;

bool play_begin(play *p, const play_def *def);
void play_end(play *p);

// Bodies as they are in a step, each called once, in turn.
bool play_move(play *p, uint32_t step);

// What that step is asked.
uint32_t play_queries(const play *p, uint32_t step);

#endif
