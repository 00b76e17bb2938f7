// SPDX-License-Identifier: MIT
// Letters that fall into a bowl, or through a funnel and down a ramp. Metres, kilograms.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/plays.h"
#include "scenes/shapes/glyph.h"
#include "scenes/shapes/regions.h"
#include "scenes/shapes/vessel.h"
#include "scenes/solvers/particles/soft.h"

#include <stdlib.h>

static const double letter_mass = 1, spacing = 1.35, overlap = 1.6;

// How letters are made and how the first ones stand: layers of side * side, or three in a ring.
typedef struct letters_def {
    uint32_t cuts, layers, regions;
    uint32_t side; // 0: three in a ring
    double bottom; // height of the lowest layer
} letters_def;

// One letter of the alphabet, from which many are made.
typedef struct type {
    shl_surface surface;
    shl_regions regions;
    double *masses; // [surface.vertex_count]
} type;

static void finish_type(type *t)
{
    shl_surface_finish(&t->surface);
    shl_regions_finish(&t->regions);
    free(t->masses);
}

static shoal_status make_type(uint32_t glyph, const letters_def *def, type *t)
{
    *t = (type){0};
    shoal_status st = shl_mesh_glyph(glyph, def->cuts, def->layers, &t->surface);
    if (st == SHOAL_OK)
        st = shl_regions_find(&t->surface, def->regions, overlap, &t->regions);
    if (st != SHOAL_OK)
        return st;
    const uint32_t n = t->surface.vertex_count;
    t->masses = malloc(n * sizeof *t->masses);
    if (!t->masses)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        t->masses[i] = letter_mass / n;
    return SHOAL_OK;
}

static void place_of(const letters_def *def, uint32_t i, uint64_t *seed, double out[3])
{
    const uint32_t side = def->side, layer = side ? i / (side * side) : i / 3;
    const shl_sincos t = shl_sincos_of(2.0943951023931953 * (i % 3) + 0.6 * layer);
    const double jitter = 0.04;
    out[0] = side ? spacing * (i % side - 0.5 * (side - 1)) : 0.8 * t.cos;
    out[1] = side ? spacing * (i / side % side - 0.5 * (side - 1)) : 0.8 * t.sin;
    out[2] = def->bottom + spacing * layer;
    for (int k = 0; k < 3; k++)
        out[k] += jitter * shl_random_signed(seed);
}

// Adds one letter, turned at random.
static shoal_status add_letter(shl_soft *p, const type *t, const double at[3], uint64_t *seed,
                               shoal_model **model)
{
    const shl_surface *s = &t->surface;
    double *xyz = malloc(3 * (size_t)s->vertex_count * sizeof *xyz), axis[3], turn[9];
    uint32_t *members = malloc(s->vertex_count * sizeof *members), first = 0;
    shoal_status st = xyz && members ? SHOAL_OK : SHOAL_ERR_MEMORY;
    shl_random_axis(seed, axis);
    shl_turn(axis, 3.141592653589793 * shl_random_signed(seed), turn);
    for (size_t v = 0; v < s->vertex_count && st == SHOAL_OK; v++) {
        shl_apply(turn, s->xyz + 3 * v, xyz + 3 * v);
        shl_add(xyz + 3 * v, 1, at);
    }
    if (st == SHOAL_OK)
        st = shl_particles_add(&p->particles, s->vertex_count, xyz, t->masses, 0, &first);
    for (uint32_t r = 0; r < t->regions.count && st == SHOAL_OK; r++) {
        const uint32_t begin = t->regions.begin[r], count = t->regions.begin[r + 1] - begin;
        for (uint32_t i = 0; i < count; i++)
            members[i] = first + t->regions.vertex[begin + i];
        st = shl_clusters_add(&p->clusters, &p->particles, members, count);
    }
    const shl_actor_def def = {.first = first,
                               .vertex_count = s->vertex_count,
                               .triangles = s->triangles,
                               .triangle_count = s->triangle_count,
                               .model = *model};
    if (st == SHOAL_OK)
        st = shl_stage_add(&p->stage, &p->particles, &def);
    if (st == SHOAL_OK)
        *model = p->stage.actors[p->stage.count - 1].model;
    free(xyz);
    free(members);
    return st;
}

static shoal_status add_letters(shl_soft *p, const shl_scene_params *params,
                                const letters_def *def)
{
    type types[SHL_GLYPHS] = {0};
    shoal_model *models[SHL_GLYPHS] = {0}; // owned by the first letter of each
    uint64_t seed = params->seed;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < SHL_GLYPHS && st == SHOAL_OK; i++)
        st = make_type(i, def, &types[i]);
    for (uint32_t i = 0; i < params->bodies && st == SHOAL_OK; i++) {
        double at[3];
        place_of(def, i, &seed, at);
        st = add_letter(p, &types[i % SHL_GLYPHS], at, &seed, &models[i % SHL_GLYPHS]);
    }
    for (uint32_t i = 0; i < SHL_GLYPHS; i++)
        finish_type(&types[i]);
    return st == SHOAL_OK ? shl_clusters_share(&p->clusters, &p->particles, p->particles.p)
                          : st;
}

static shoal_status add_turned(shl_soft *p, const shl_turned *def)
{
    shl_surface s;
    uint32_t first;
    shoal_status st = shl_mesh_turned(def, &s);
    if (st == SHOAL_OK)
        st = shl_soft_add_fixed(p, &s, &first);
    shl_surface_finish(&s);
    return st;
}

static shoal_status build_bowl(shl_soft *p, const shl_scene_params *params)
{
    static const letters_def def = {.cuts = 3, .layers = 2, .regions = 6, .bottom = 1.2};
    static const double outline[][2] = {{0, -0.2},   {1.0, -0.1}, {1.8, 0.25}, {2.4, 0.9},
                                        {2.7, 1.7},  {2.8, 2.5},  {2.6, 2.5},  {2.5, 1.75},
                                        {2.2, 1.05}, {1.7, 0.48}, {1.0, 0.13}, {0, 0}};
    const shl_turned shape = {outline, sizeof outline / sizeof *outline, false, 20};
    const shoal_status st = add_turned(p, &shape);
    return st == SHOAL_OK ? add_letters(p, params, &def) : st;
}

// Down at an angle, level, and up again at both ends so that nothing is lost.
static shoal_status add_ramp(shl_soft *p)
{
    static const double path[][2] = {
        {-3.2, 2.6},  {-2.9, 1.6},   {-2.4, 0.8},  {-1.6, 0.25},  {-0.6, -0.2}, {0.4, -0.65},
        {1.4, -1.1},  {2.4, -1.55},  {3.4, -2.0},  {4.4, -2.45},  {5.4, -2.9},  {6.4, -3.35},
        {7.4, -3.8},  {8.4, -4.25},  {9.4, -4.7},  {10.4, -5.15}, {11.4, -5.6}, {12.4, -6.05},
        {13.4, -6.5}, {14.4, -6.95}, {15.4, -7.4}, {16.4, -7.8},  {17.4, -8.1}, {18.4, -8.3},
        {19.4, -8.4}, {20.4, -8.4},  {21.4, -8.4}, {22.4, -8.4},  {23.4, -8.4}, {24.4, -8.3},
        {25.2, -8.0}, {25.8, -7.5},  {26.2, -6.8}, {26.4, -6.0},  {26.5, -5.0},
    };
    static const double section[][2] = {{-2.0, 1.6}, {-1.9, 0.7}, {-1.6, 0.15},
                                        {-0.9, 0},   {0, 0},      {0.9, 0},
                                        {1.6, 0.15}, {1.9, 0.7},  {2.0, 1.6}};
    const shl_drawn def = {path, sizeof path / sizeof *path, section,
                           sizeof section / sizeof *section, 0.2};
    shl_surface s;
    uint32_t first;
    shoal_status st = shl_mesh_drawn(&def, &s);
    if (st == SHOAL_OK)
        st = shl_soft_add_fixed(p, &s, &first);
    shl_surface_finish(&s);
    return st;
}

static shoal_status build_ramp(shl_soft *p, const shl_scene_params *params)
{
    static const letters_def def = {
        .cuts = 2, .layers = 1, .regions = 4, .side = 5, .bottom = 7.5};
    static const double funnel[][2] = {{1.7, 2.4}, {1.9, 2.4}, {1.9, 3.4}, {3.0, 4.6},
                                       {5.0, 6.6}, {5.3, 9.5}, {5.1, 9.5}, {4.8, 6.7},
                                       {2.8, 4.7}, {1.7, 3.5}};
    const shl_turned shape = {funnel, sizeof funnel / sizeof *funnel, true, 36};
    shoal_status st = add_turned(p, &shape);
    if (st == SHOAL_OK)
        st = add_ramp(p);
    p->def.repel.friction = 0.1;
    return st == SHOAL_OK ? add_letters(p, params, &def) : st;
}

static const shl_soft_kind bowl = {.build = build_bowl}, ramp = {.build = build_ramp};

const shl_play shl_play_letters_bowl = {
    .name = "letters-bowl",
    .summary = "soft letters fall into a bowl and come to rest on each other",
    .simulator = &shl_soft_simulator,
    .kind = &bowl,
    .defaults = {.bodies = 10, .steps = 500, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS | SHL_TAKES_BODIES,
    .queries = SHL_SOFT_QUERIES};

const shl_play shl_play_letters_ramp = {
    .name = "letters-ramp",
    .summary = "soft letters pour through a funnel and slide down a ramp",
    .simulator = &shl_soft_simulator,
    .kind = &ramp,
    .defaults = {.bodies = 200, .steps = 800, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS | SHL_TAKES_BODIES,
    .queries = SHL_SOFT_QUERIES};
