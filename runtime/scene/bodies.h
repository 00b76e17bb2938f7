// SPDX-License-Identifier: MIT
// Bodies of a scene: one row for each of any kind, one array for each field. What a kind knows
// of its bodies beside that is in tables of its own.
#ifndef SHL_RUNTIME_SCENE_BODIES_H
#define SHL_RUNTIME_SCENE_BODIES_H

#include "layouts/table.h"
#include "layouts/tree.h"

#include <shoal/scene.h>

enum {
    SHL_BODY_ACTIVE = 1,     // takes part in queries; its box is that of its state
    SHL_BODY_BAD = 2,        // its state has NaN or infinite numbers
    SHL_BODY_FRESH = 4,      // its state is younger than its boxes
    SHL_BODY_UNBOUNDED = 8,  // its box stands for the box of every node
    SHL_BODY_FAT = 16,       // the user gave a fat box
    SHL_BODY_LEFT = 32,      // and knows that the body left it
    SHL_BODY_STATIC = 64,    // its state stays until it is set anew
    SHL_BODY_EXCLUDED = 128, // it is in some excluded pair
};

typedef struct shl_bodies {
    shl_table table;     // slots; some of them may be free
    uint32_t used;       // that are not
    uint32_t first_free; // no free slot lies below it
    uint32_t youngest;   // generation of the youngest body or model
    uint32_t changes;    // counts whatever makes names of triangles invalid
    uint32_t filters;    // counts changes of who may meet whom (filter.h)
    uint32_t masked;     // bodies whose group or mask may keep them apart from others
    uint32_t statics;    // static bodies
    size_t excluded_count;
    bool excluded_stale;     // some listed pairs are of bodies that went
    shl_array excluded;      // uint64_t a << 32 | b, a < b, ascending: pairs that never meet
    shl_array excluded_next; // the list while it is made, and as much to sort it
    shoal_model **model;     // NULL: a free slot
    uint8_t *kind;           // which of shl_kinds
    uint32_t *row;           // in the kind's own table
    uint32_t *generation;    // of the id
    uint32_t *revision; // of the model in this slot; what steps keep is of no use to another
    uint8_t *flags;
    uint32_t *group, *mask; // two bodies meet if each one's group is in the other's mask
    uint64_t *user;         // the host's own
    shl_box *box;           // world, of active bodies
    shl_box *fat;           // the user's promise, where SHL_BODY_FAT
} shl_bodies;

extern const shl_table_def shl_bodies_def;

// A free slot; nothing is taken yet. Errors: LIMIT, MEMORY.
SHOAL_CHECK shoal_status shl_bodies_slot(shl_bodies *bodies, const shoal_allocator *allocator,
                                         uint32_t *slot);

// Takes a free slot, and gives it back.
void shl_bodies_take(shl_bodies *bodies, uint32_t slot, shoal_model *model, uint8_t kind,
                     uint32_t row);
void shl_bodies_release(shl_bodies *bodies, uint32_t slot);

// Whether the group or mask of a body may keep it apart from others: with all masks full that
// takes an empty group.
static inline bool shl_body_masked(uint32_t group, uint32_t mask)
{
    return group == 0 || mask != UINT32_MAX;
}

static inline bool shl_body_is(const shl_bodies *bodies, uint32_t body, uint8_t flag)
{
    return bodies->flags[body] & flag;
}

// For the jobs that bring a body up to date: its own row only.
static inline void shl_body_put(const shl_bodies *bodies, uint32_t body, uint8_t flag, bool on)
{
    uint8_t *flags = &bodies->flags[body];
    *flags = (uint8_t)(on ? *flags | flag : *flags & ~flag);
}

#endif
