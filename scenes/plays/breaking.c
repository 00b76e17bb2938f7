// SPDX-License-Identifier: MIT
// Blocks of convex pieces that fall on a floor and on each other, and break.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/plays.h"
#include "scenes/shapes/vessel.h"
#include "scenes/solvers/particles/shards.h"

#include <stdlib.h>

static const double density = 20;  // kilograms a cubic metre: mostly air
static const double spacing = 1.5; // metres
static const double half_sides[3][3] = {
    {0.45, 0.45, 0.45}, {0.6, 0.35, 0.3}, {0.35, 0.5, 0.25}};

// Particles of a block that is whole: one a vertex, with the mass that its pieces have there.
static shoal_status add_particles(shl_soft *p, shl_brick *b, const double half[3],
                                  const double at[3], const double turn[9])
{
    shl_shards *own = p->own;
    const shl_pieces *s = &b->pieces;
    const double mass = density * 8 * half[0] * half[1] * half[2] / s->vertex_count;
    shoal_status st = SHOAL_OK;
    for (uint32_t v = 0; v < s->vertex_count && st == SHOAL_OK; v++) {
        double place[3];
        uint32_t made;
        shl_apply(turn, s->xyz + 3 * (size_t)v, place);
        shl_add(place, 1, at);
        st = shl_particles_add(&p->particles, 1, place, NULL, mass, &made);
        if (st == SHOAL_OK)
            st = shl_shards_place(own, made, place);
        for (uint32_t i = 0; i < s->facet_count && st == SHOAL_OK; i++) {
            const shl_facet *f = &s->facet[i];
            if (f->corner[0] != v && f->corner[1] != v && f->corner[2] != v)
                continue;
            *shl_shard_particle(b, f->piece[0], v) = made;
            if (f->piece[1] != SHL_OUTSIDE)
                *shl_shard_particle(b, f->piece[1], v) = made;
        }
    }
    return st;
}

static shoal_status add_clusters(shl_soft *p, shl_brick *b)
{
    const uint32_t n = b->pieces.vertex_count;
    uint32_t *members = malloc(n * sizeof *members);
    shoal_status st = members ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < SHL_SHARDS && st == SHOAL_OK; i++) {
        uint32_t count = 0;
        for (uint32_t v = 0; v < n; v++) {
            if (*shl_shard_particle(b, i, v) != SHL_OUTSIDE)
                members[count++] = *shl_shard_particle(b, i, v);
        }
        b->cluster[i] = p->clusters.count;
        b->actor[i] = p->stage.count;
        st = shl_clusters_add(&p->clusters, &p->particles, members, count);
    }
    free(members);
    return st;
}

static shoal_status add_block(shl_soft *p, shl_brick *b, uint32_t number, uint64_t *seed)
{
    const double *half = half_sides[number % 3];
    shoal_status st = shl_pieces_cut(half, SHL_SHARDS, shl_random(seed), true, &b->pieces);
    if (st != SHOAL_OK)
        return st;
    const size_t entries = (size_t)SHL_SHARDS * b->pieces.vertex_count;
    b->particle = malloc(entries * sizeof *b->particle);
    if (!b->particle)
        return SHOAL_ERR_MEMORY;
    memset(b->particle, 0xff, entries * sizeof *b->particle); // SHL_OUTSIDE
    const uint32_t layer = number / 4;
    const double at[3] = {spacing * (number % 2 - 0.5) + 0.1 * shl_random_signed(seed),
                          spacing * (number / 2 % 2 - 0.5) + 0.1 * shl_random_signed(seed),
                          1.2 + 1.7 * layer};
    double axis[3], turn[9];
    shl_random_axis(seed, axis);
    shl_turn(axis, 3.141592653589793 * shl_random_signed(seed), turn);
    shl_shards_bond(b);
    st = add_particles(p, b, half, at, turn);
    if (st == SHOAL_OK)
        st = add_clusters(p, b);
    return st == SHOAL_OK ? shl_shards_show(p, b, p->stage.count) : st;
}

static shoal_status add_floor(shl_soft *p)
{
    static const double path[][2] = {{-6, 0}, {-3, 0}, {0, 0}, {3, 0}, {6, 0}};
    static const double section[][2] = {{-6, 0}, {-3, 0}, {0, 0}, {3, 0}, {6, 0}};
    const shl_drawn def = {path, 5, section, 5, 0.5};
    shl_surface s;
    uint32_t first;
    shoal_status st = shl_mesh_drawn(&def, &s);
    if (st == SHOAL_OK)
        st = shl_soft_add_fixed(p, &s, &first);
    for (uint32_t i = 0; i < s.vertex_count && st == SHOAL_OK; i++)
        st = shl_shards_place(p->own, first + i, s.xyz + 3 * (size_t)i);
    shl_surface_finish(&s);
    return st;
}

static shoal_status build(shl_soft *p, const shl_scene_params *params)
{
    shl_shards *own = p->own = calloc(1, sizeof *own);
    if (!own)
        return SHOAL_ERR_MEMORY;
    own->blocks = calloc(params->bodies, sizeof *own->blocks);
    if (!own->blocks)
        return SHOAL_ERR_MEMORY;
    own->count = params->bodies;
    p->def.stiffness = 1;
    p->def.repel.gap = 0.02;
    p->def.repel.friction = 0.5;
    p->def.repel.creep = 0.002;
    uint64_t seed = params->seed;
    shoal_status st = add_floor(p);
    for (uint32_t i = 0; i < own->count && st == SHOAL_OK; i++)
        st = add_block(p, &own->blocks[i], i, &seed);
    return st == SHOAL_OK ? shl_clusters_share(&p->clusters, &p->particles, own->places) : st;
}

static const shl_soft_kind kind = {.build = build,
                                   .after = shl_shards_after,
                                   .finish = shl_shards_finish,
                                   .save = shl_shards_save,
                                   .restore = shl_shards_restore};

const shl_play shl_play_breaking = {
    .name = "breaking",
    .summary = "blocks fall on a floor and on each other and break into pieces",
    .simulator = &shl_soft_simulator,
    .kind = &kind,
    .defaults = {.bodies = 10, .steps = 300, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS | SHL_TAKES_BODIES,
    .queries = SHL_SOFT_QUERIES};
