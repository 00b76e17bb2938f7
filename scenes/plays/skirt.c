// SPDX-License-Identifier: MIT
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/plays.h"
#include "scenes/shapes/vessel.h"
#include "scenes/solvers/particles/soft.h"

#include <stdlib.h>

enum { AROUND = 120, DOWN = 50, CAP = 6, SEGMENTS = 24 };

// Metres, kilograms, metres a newton.
static const double waist_radius = 0.27, hem_radius = 0.72, waist_height = 0.1, length = 0.75;
static const double capsule_radius = 0.25, capsule_top = 0.15, capsule_bottom = -0.9;
static const double cloth_mass = 0.3, stretch = 0, bend = 0.1;
static const double sway = 0.22, sway_rate = 5, turning = 1.6, turning_rate = 3.5;

// Particles that follow the capsule: its own and the waist of the skirt.
typedef struct skirt {
    uint32_t capsule, waist; // first ones
    uint32_t capsule_count;
    double *rest; // [3 * (capsule_count + AROUND)]
} skirt;

static shoal_status add_capsule(shl_soft *p, skirt *own)
{
    double outline[2 * CAP + 8][2];
    uint32_t n = 0;
    for (int i = 0; i <= CAP; i++) { // up from the lowest point
        const shl_sincos t = shl_sincos_of(1.5707963267948966 * i / CAP);
        outline[n][0] = i ? capsule_radius * t.sin : 0;
        outline[n++][1] = capsule_bottom - capsule_radius * t.cos;
    }
    for (int i = 1; i < 6; i++) {
        outline[n][0] = capsule_radius;
        outline[n++][1] = capsule_bottom + (capsule_top - capsule_bottom) * i / 6;
    }
    for (int i = CAP; i >= 0; i--) {
        const shl_sincos t = shl_sincos_of(1.5707963267948966 * i / CAP);
        outline[n][0] = i ? capsule_radius * t.sin : 0;
        outline[n++][1] = capsule_top + capsule_radius * t.cos;
    }
    const shl_turned def = {(const double(*)[2])outline, n, false, SEGMENTS};
    shl_surface s;
    shoal_status st = shl_mesh_turned(&def, &s);
    if (st == SHOAL_OK)
        st = shl_soft_add_fixed(p, &s, &own->capsule);
    own->capsule_count = s.vertex_count;
    shl_surface_finish(&s);
    return st;
}

static shoal_status cone(shl_surface *s)
{
    *s =
        (shl_surface){.vertex_count = AROUND * (DOWN + 1), .triangle_count = 2 * AROUND * DOWN};
    s->xyz = malloc(3 * (size_t)s->vertex_count * sizeof *s->xyz);
    s->triangles = malloc(3 * (size_t)s->triangle_count * sizeof *s->triangles);
    if (!s->xyz || !s->triangles) {
        shl_surface_finish(s);
        return SHOAL_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        const uint32_t ring = i / AROUND;
        const double down = (double)ring / DOWN;
        const shl_sincos t = shl_sincos_of(6.283185307179586 * (i % AROUND) / AROUND);
        const double radius = waist_radius + down * (hem_radius - waist_radius);
        s->xyz[3 * (size_t)i] = radius * t.cos;
        s->xyz[3 * (size_t)i + 1] = radius * t.sin;
        s->xyz[3 * (size_t)i + 2] = waist_height - length * down;
    }
    for (uint32_t i = 0; i < AROUND * DOWN; i++) {
        const uint32_t row = i / AROUND * AROUND, a = i, b = row + (i + 1) % AROUND;
        const uint32_t c = b + AROUND, d = a + AROUND;
        // diagonals change their way, so that the cloth has no grain
        const uint32_t even[6] = {a, d, c, a, c, b}, odd[6] = {a, d, b, b, d, c};
        const bool turned = (i % AROUND + i / AROUND) % 2;
        memcpy(s->triangles + 6 * (size_t)i, turned ? odd : even, sizeof even);
    }
    return SHOAL_OK;
}

static shoal_status add_cloth(shl_soft *p, skirt *own)
{
    shl_surface s;
    shoal_status st = cone(&s);
    if (st != SHOAL_OK)
        return st;
    double *masses = malloc(s.vertex_count * sizeof *masses);
    for (uint32_t i = 0; i < s.vertex_count && masses; i++)
        masses[i] = i < AROUND ? 0 : cloth_mass / (AROUND * DOWN);
    st = masses
             ? shl_particles_add(&p->particles, s.vertex_count, s.xyz, masses, 0, &own->waist)
             : SHOAL_ERR_MEMORY;
    const shl_actor_def def = {.first = own->waist,
                               .vertex_count = s.vertex_count,
                               .triangles = s.triangles,
                               .triangle_count = s.triangle_count,
                               .open = true};
    if (st == SHOAL_OK)
        st = shl_stage_add(&p->stage, &p->particles, &def);
    for (uint32_t i = 0; i < 3 * s.triangle_count; i++)
        s.triangles[i] += own->waist; // particles now
    if (st == SHOAL_OK)
        st = shl_links_cloth(&p->links, &p->particles, s.triangles, s.triangle_count, stretch,
                             bend);
    free(masses);
    shl_surface_finish(&s);
    return st;
}

static shoal_status build(shl_soft *p, const shl_scene_params *params)
{
    (void)params;
    skirt *own = p->own = calloc(1, sizeof *own);
    if (!own)
        return SHOAL_ERR_MEMORY;
    p->def.step = 1.0 / 240;
    p->def.substeps = 4;
    p->def.rounds = 1;
    p->def.fastest = 4;
    p->def.keep = 0.9995;
    p->def.repel = (shl_repel_def){
        .gap = 0.008, .self_gap = 0.005, .reach = 0.03, .friction = 0.3, .creep = 0.0005};
    shoal_status st = add_capsule(p, own);
    if (st == SHOAL_OK)
        st = add_cloth(p, own);
    if (st != SHOAL_OK)
        return st;
    const size_t count = own->capsule_count + (size_t)AROUND;
    own->rest = malloc(3 * count * sizeof *own->rest);
    if (!own->rest)
        return SHOAL_ERR_MEMORY;
    memcpy(own->rest, p->particles.p + 3 * (size_t)own->capsule,
           3 * (size_t)own->capsule_count * sizeof *own->rest);
    memcpy(own->rest + 3 * (size_t)own->capsule_count, p->particles.p + 3 * (size_t)own->waist,
           3 * (size_t)AROUND * sizeof *own->rest);
    return SHOAL_OK;
}

// To and fro, from rest.
static void move(shl_soft *p, double time)
{
    const skirt *own = p->own;
    const double eased = time < 1 ? time * time * (3 - 2 * time) : 1;
    const double x = sway * eased * shl_sincos_of(sway_rate * time).sin;
    const shl_sincos t =
        shl_sincos_of(turning * eased * shl_sincos_of(turning_rate * time).sin);
    for (size_t i = 0; i < own->capsule_count + (size_t)AROUND; i++) {
        const double *from = own->rest + 3 * i;
        const size_t at =
            i < own->capsule_count ? own->capsule + i : own->waist + (i - own->capsule_count);
        double *to = p->particles.p + 3 * at;
        to[0] = t.cos * from[0] - t.sin * from[1] + x;
        to[1] = t.sin * from[0] + t.cos * from[1];
        to[2] = from[2];
    }
}

static void finish(shl_soft *p)
{
    skirt *own = p->own;
    if (own)
        free(own->rest);
    free(own);
}

static const shl_soft_kind kind = {.build = build, .move = move, .finish = finish};

const shl_play shl_play_skirt = {
    .name = "skirt",
    .summary = "a skirt of cloth swings around a capsule that sways and turns",
    .simulator = &shl_soft_simulator,
    .kind = &kind,
    .defaults = {.bodies = 2, .steps = 600, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_POSITIONS,
    .queries = SHL_SOFT_QUERIES | SHOAL_QUERY_NEAREST_SELF};
