// SPDX-License-Identifier: MIT
// What the jobs of a step read and write; edges and the guard follow from it. For step.c, which
// declares it, and tables.c, which knows the memory behind it.
#ifndef SHL_RUNTIME_SCENE_TABLES_H
#define SHL_RUNTIME_SCENE_TABLES_H

#include "runtime/scene/scene.h"

enum {
    PLAN = 1 << 0,       // which parts of bodies are rows of jobs; made between steps
    SOURCES = 1 << 1,    // the user's arrays
    POSITIONS = 1 << 2,  // tree order
    BLOCKS = 1 << 3,     // boxes of nodes; those opened late are guarded by their stamps
    BOXES = 1 << 4,      // boxes of bodies
    BODY_PAIRS = 1 << 5, //
    SEEDS = 1 << 6,
    FOUND = 1 << 7, // what each chunk found
    RESULTS = 1 << 8,
    GROUPS = 1 << 9,
    HASH = 1 << 10,
    BROAD = 1 << 11,     // the broad phase's boxes, its scratch and what it found
    TREES = 1 << 12,     // those that bodies have for themselves
    LESSONS = 1 << 13,   // what was learned of the searches
    REBUILT = 1 << 14,   // trees of the next step
    REFERENCE = 1 << 15, // positions when the list of near pairs was made
    MOVED = 1 << 16,     // how far they are away by now
    NEAR = 1 << 17,      // that list
    CONTACTS = 1 << 18,
    DISTANCE = 1 << 19, // searches for what is nearest
    NEAREST = 1 << 20,  // what they found
    GRID = 1 << 21,     // bounds of distances
};

extern const char *const shl_table_names[64];

// Lists the memory of all tables of the scene `ctx`.
shl_list_tables_fn shl_list_tables;

// The same allocator, but in whole pages that hold nothing else. `from` must outlive it.
shoal_allocator shl_allocator_pages(const shoal_allocator *from);

#endif
