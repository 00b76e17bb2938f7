// SPDX-License-Identifier: MIT
// Blocks of convex pieces that break. Pieces share the particles of the sides that they have in
// common; a bond is such a side. It breaks when the impulse through it is too large: then what
// no bond holds together gets particles of its own, and bodies get other meshes.
#ifndef SHL_SCENES_SOLVERS_PARTICLES_SHARDS_H
#define SHL_SCENES_SOLVERS_PARTICLES_SHARDS_H

#include "scenes/shapes/pieces.h"
#include "scenes/solvers/particles/soft.h"

enum { SHL_SHARDS = 9, SHL_BONDS_MAX = SHL_SHARDS * (SHL_SHARDS - 1) / 2 };

typedef struct shl_bond {
    uint32_t a, b; // pieces of the block, a < b
    double area;
    bool cut;
} shl_bond;

// A block as it was made, and what has become of it.
typedef struct shl_brick {
    shl_pieces pieces;
    uint32_t bond_count;
    shl_bond bonds[SHL_BONDS_MAX];
    uint32_t actor[SHL_SHARDS];   // whose mesh a piece is in
    uint32_t cluster[SHL_SHARDS]; // its shape
    // [SHL_SHARDS][pieces.vertex_count] particle of a vertex of a piece; SHL_OUTSIDE: it has
    // none
    uint32_t *particle;
} shl_brick;

// Bonds of a block that broke together. Doing it all again in order gives the same particles
// and bodies.
typedef struct shl_break {
    uint64_t bonds; // a bit each
    uint32_t block;
    uint32_t unused;
} shl_break;

_Static_assert(SHL_BONDS_MAX <= 64, "a bit for each bond");

typedef struct shl_shards {
    uint32_t count;
    shl_brick *blocks;
    uint32_t event_count, event_capacity;
    shl_break *events; // from the beginning
    double *places;    // [3 * particles] at rest
    size_t places_capacity;
} shl_shards;

// The particle of a vertex of a piece, SHL_OUTSIDE if the piece does not have it.
static inline uint32_t *shl_shard_particle(const shl_brick *b, uint32_t piece, uint32_t vertex)
{
    return &b->particle[(size_t)piece * b->pieces.vertex_count + vertex];
}

// The bonds of a block's pieces.
void shl_shards_bond(shl_brick *block);

// Where a particle is at rest. Errors: MEMORY.
SHOAL_CHECK shoal_status shl_shards_place(shl_shards *shards, uint32_t particle,
                                          const double at[3]);

// Adds an actor, whose number is that of actors so far, or gives it another mesh: that of the
// block's pieces that are its own. Errors: those of the library.
SHOAL_CHECK shoal_status shl_shards_show(shl_soft *soft, shl_brick *block, uint32_t actor);

// Functions of a shl_soft_kind; `own` is a shl_shards.
SHOAL_CHECK shoal_status shl_shards_after(shl_soft *soft);
void shl_shards_finish(shl_soft *soft);
size_t shl_shards_save(const shl_soft *soft, void *to);
SHOAL_CHECK shoal_status shl_shards_restore(shl_soft *soft, const void *from, size_t size);

#endif
