// SPDX-License-Identifier: MIT
#include "scenes/breaking.h"

#include "scenes/pieces.h"
#include "scenes/soft.h"
#include "scenes/turn.h"
#include "scenes/vec.h"
#include "scenes/vessel.h"

#include <stdlib.h>

enum { PIECES = 7, BONDS_MAX = PIECES * PIECES };

static const double density = 20;  // kilograms a cubic metre: mostly air
static const double strength = 9;  // newton seconds a square metre
static const double spacing = 1.5; // metres
static const double half_sides[3][3] = {
    {0.45, 0.45, 0.45}, {0.6, 0.35, 0.3}, {0.35, 0.5, 0.25}};

typedef struct bond {
    uint32_t a, b; // pieces of the block, a < b
    double area;
    bool cut;
} bond;

// A block as it was made, and what has become of it.
typedef struct block {
    shl_pieces pieces;
    uint32_t bond_count;
    bond bonds[BONDS_MAX];
    uint32_t actor[PIECES];   // whose mesh a piece is in
    uint32_t cluster[PIECES]; // its shape
    // [PIECES][pieces.vertex_count] particle of a vertex of a piece; SHL_OUTSIDE: it has none
    uint32_t *particle;
} block;

typedef struct breaking {
    uint32_t count;
    block *blocks;
    double *places; // [3 * particles] at rest
    size_t places_capacity;
} breaking;

static uint32_t *particle_of(const block *b, uint32_t piece, uint32_t vertex)
{
    return &b->particle[(size_t)piece * b->pieces.vertex_count + vertex];
}

// The bond between two pieces; NULL: they have no side in common.
static bond *bond_of(block *b, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < b->bond_count; i++) {
        if (b->bonds[i].a == (x < y ? x : y) && b->bonds[i].b == (x < y ? y : x))
            return &b->bonds[i];
    }
    return NULL;
}

static double area_of(const shl_pieces *p, const shl_facet *f)
{
    double e[3], g[3], n[3];
    for (size_t k = 0; k < 3; k++) {
        e[k] = p->xyz[3 * (size_t)f->corner[1] + k] - p->xyz[3 * (size_t)f->corner[0] + k];
        g[k] = p->xyz[3 * (size_t)f->corner[2] + k] - p->xyz[3 * (size_t)f->corner[0] + k];
    }
    shl_cross(e, g, n);
    return 0.5 * sqrt(shl_dot(n, n));
}

static void find_bonds(block *b)
{
    for (uint32_t i = 0; i < b->pieces.facet_count; i++) {
        const shl_facet *f = &b->pieces.facet[i];
        if (f->piece[1] == SHL_OUTSIDE)
            continue;
        bond *of = bond_of(b, f->piece[0], f->piece[1]);
        if (!of) {
            of = &b->bonds[b->bond_count++];
            *of = (bond){.a = f->piece[0], .b = f->piece[1]};
        }
        of->area += area_of(&b->pieces, f);
    }
}

static bool holds(block *b, const shl_facet *f)
{
    return f->piece[1] != SHL_OUTSIDE && !bond_of(b, f->piece[0], f->piece[1])->cut;
}

// The mesh of all pieces of an actor: sides that no bond holds.
typedef struct mesh {
    uint32_t *particle; // [vertex_count]
    uint32_t *triangles;
    uint32_t vertex_count, triangle_count;
} mesh;

static void finish_mesh(mesh *m)
{
    free(m->particle);
    free(m->triangles);
}

static uint32_t vertex_of(mesh *m, uint32_t particle)
{
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        if (m->particle[i] == particle)
            return i;
    }
    m->particle[m->vertex_count] = particle;
    return m->vertex_count++;
}

static shoal_status make_mesh(block *b, uint32_t actor, mesh *m)
{
    const size_t most = 2 * (size_t)b->pieces.facet_count;
    *m = (mesh){.particle = malloc(3 * most * sizeof *m->particle),
                .triangles = malloc(3 * most * sizeof *m->triangles)};
    if (!m->particle || !m->triangles) {
        finish_mesh(m);
        return SHOAL_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < b->pieces.facet_count; i++) {
        const shl_facet *f = &b->pieces.facet[i];
        if (holds(b, f))
            continue;
        for (uint32_t s = 0; s < 2; s++) {
            const uint32_t piece = f->piece[s];
            if (piece == SHL_OUTSIDE || b->actor[piece] != actor)
                continue;
            for (uint32_t k = 0; k < 3; k++)
                m->triangles[3 * m->triangle_count + k] =
                    vertex_of(m, *particle_of(b, piece, f->corner[s ? 2 - k : k]));
            m->triangle_count++;
        }
    }
    return SHOAL_OK;
}

static shoal_status show(shl_soft *p, block *b, uint32_t actor)
{
    mesh m;
    shoal_status st = make_mesh(b, actor, &m);
    if (st != SHOAL_OK)
        return st;
    const shl_actor_def def = {.particle = m.particle,
                               .vertex_count = m.vertex_count,
                               .triangles = m.triangles,
                               .triangle_count = m.triangle_count};
    st = actor == p->stage.count ? shl_stage_add(&p->stage, &p->particles, &def)
                                 : shl_stage_replace(&p->stage, &p->particles, actor, &def);
    finish_mesh(&m);
    return st;
}

static uint32_t root(const uint32_t *group, uint32_t i)
{
    while (group[i] != i)
        i = group[i];
    return i;
}

// Joins pieces along bonds that hold; with a vertex, only along those whose sides have it.
static void join(block *b, uint32_t vertex, uint32_t group[PIECES])
{
    for (uint32_t i = 0; i < PIECES; i++)
        group[i] = i;
    for (uint32_t i = 0; i < b->pieces.facet_count; i++) {
        const shl_facet *f = &b->pieces.facet[i];
        const bool has = vertex == SHL_OUTSIDE || f->corner[0] == vertex ||
                         f->corner[1] == vertex || f->corner[2] == vertex;
        if (!has || !holds(b, f))
            continue;
        const uint32_t x = root(group, f->piece[0]), y = root(group, f->piece[1]);
        group[x > y ? x : y] = x > y ? y : x; // the lowest piece leads
    }
}

static shoal_status keep_place(breaking *own, uint32_t particle, const double at[3])
{
    const size_t need = 3 * ((size_t)particle + 1);
    if (need > own->places_capacity) {
        double *more = realloc(own->places, 2 * need * sizeof *more);
        if (!more)
            return SHOAL_ERR_MEMORY;
        own->places = more;
        own->places_capacity = 2 * need;
    }
    memcpy(own->places + 3 * (size_t)particle, at, 3 * sizeof *at);
    return SHOAL_OK;
}

// The same particle again, with a share of its mass.
static shoal_status split(shl_soft *p, uint32_t from, double mass, uint32_t *out)
{
    shl_particles *t = &p->particles;
    breaking *own = p->own;
    double at[3], place[3];
    memcpy(at, t->p + 3 * (size_t)from, sizeof at);
    memcpy(place, own->places + 3 * (size_t)from, sizeof place);
    shoal_status st = shl_particles_add(t, 1, at, NULL, mass, out);
    if (st == SHOAL_OK)
        st = keep_place(own, *out, place);
    if (st != SHOAL_OK)
        return st;
    memcpy(t->v + 3 * (size_t)*out, t->v + 3 * (size_t)from, sizeof at);
    memcpy(t->x + 3 * (size_t)*out, t->x + 3 * (size_t)from, sizeof at);
    t->mass[from] -= mass;
    t->inverse[from] = 1 / t->mass[from];
    return SHOAL_OK;
}

static void rename_member(shl_soft *p, uint32_t cluster, uint32_t from, uint32_t to)
{
    const shl_cluster *c = &p->clusters.list[cluster];
    for (uint32_t i = c->begin; i < c->end; i++) {
        if (p->clusters.member[i] == from)
            p->clusters.member[i] = to;
    }
}

// Pieces that no bond holds at a vertex no longer share its particle.
static shoal_status split_vertex(shl_soft *p, block *b, uint32_t vertex)
{
    uint32_t group[PIECES];
    join(b, vertex, group);
    for (uint32_t i = 1; i < PIECES; i++) {
        const uint32_t shared = *particle_of(b, i, vertex), leader = root(group, i);
        if (shared == SHL_OUTSIDE || leader != i)
            continue; // goes where its leader goes
        uint32_t sharing = 0, mine = 0;
        for (uint32_t j = 0; j < PIECES; j++) {
            if (*particle_of(b, j, vertex) != shared)
                continue;
            sharing++;
            mine += root(group, j) == i;
        }
        if (mine == sharing)
            continue;
        uint32_t made;
        const double mass = p->particles.mass[shared] * mine / sharing;
        const shoal_status st = split(p, shared, mass, &made);
        if (st != SHOAL_OK)
            return st;
        for (uint32_t j = 0; j < PIECES; j++) {
            if (*particle_of(b, j, vertex) != shared || root(group, j) != i)
                continue;
            *particle_of(b, j, vertex) = made;
            rename_member(p, b->cluster[j], shared, made);
        }
    }
    return SHOAL_OK;
}

// New particles and meshes for a block some of whose bonds were cut just now.
static shoal_status fall_apart(shl_soft *p, block *b, const bool *now)
{
    uint32_t group[PIECES], was[PIECES];
    shoal_status st = SHOAL_OK;
    for (uint32_t v = 0; v < b->pieces.vertex_count && st == SHOAL_OK; v++)
        st = split_vertex(p, b, v);
    if (st == SHOAL_OK)
        st = shl_clusters_share(&p->clusters, &p->particles, ((breaking *)p->own)->places);
    join(b, SHL_OUTSIDE, group);
    memcpy(was, b->actor, sizeof was);
    for (uint32_t i = 0; i < PIECES && st == SHOAL_OK; i++) {
        if (root(group, i) != i)
            continue;
        bool first = true; // of those that were one body: it keeps the number
        for (uint32_t j = 0; j < i; j++)
            first = first && was[j] != was[i];
        const uint32_t actor = first ? was[i] : p->stage.count;
        for (uint32_t j = i; j < PIECES; j++) {
            if (root(group, j) == i)
                b->actor[j] = actor;
        }
        if (!first)
            st = show(p, b, actor);
    }
    // what is left of bodies comes last: nobody else is in their meshes any more
    for (uint32_t i = 0; i < PIECES && st == SHOAL_OK; i++) {
        bool changed = false;
        for (uint32_t k = 0; k < b->bond_count; k++)
            changed = changed || (now[k] && was[b->bonds[k].a] == was[i]);
        if (changed && root(group, i) == i && b->actor[i] == was[i])
            st = show(p, b, was[i]);
    }
    return st;
}

// What the shape of a piece did to the particles that it has in common with another.
static void impulse_of(const shl_soft *p, const block *b, uint32_t piece, const bool *shared,
                       double out[3])
{
    const shl_cluster *c = &p->clusters.list[b->cluster[piece]];
    out[0] = out[1] = out[2] = 0;
    for (size_t i = c->begin; i < c->end; i++) {
        if (shared[p->clusters.member[i]])
            shl_add(out, p->def.substeps / p->def.step, p->clusters.pull + 3 * i);
    }
}

static bool overloaded(const shl_soft *p, const block *b, const bond *of, bool *shared)
{
    double from_a[3], from_b[3];
    for (int mark = 1; mark >= 0; mark--) {
        for (uint32_t i = 0; i < b->pieces.facet_count; i++) {
            const shl_facet *f = &b->pieces.facet[i];
            if (f->piece[0] != of->a || f->piece[1] != of->b)
                continue;
            for (int k = 0; k < 3; k++)
                shared[*particle_of(b, of->a, f->corner[k])] = mark;
        }
        if (mark) {
            impulse_of(p, b, of->a, shared, from_a);
            impulse_of(p, b, of->b, shared, from_b);
        }
    }
    shl_add(from_a, -1, from_b);
    const double half = 0.5 * sqrt(shl_dot(from_a, from_a));
    return half > strength * of->area;
}

static shoal_status after(shl_soft *p)
{
    breaking *own = p->own;
    bool *shared = calloc(p->particles.count, sizeof *shared);
    shoal_status st = shared ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < own->count && st == SHOAL_OK; i++) {
        block *b = &own->blocks[i];
        bool broke = false, over[BONDS_MAX] = {0};
        for (uint32_t k = 0; k < b->bond_count; k++) {
            over[k] = !b->bonds[k].cut && overloaded(p, b, &b->bonds[k], shared);
            broke = broke || over[k];
        }
        for (uint32_t k = 0; k < b->bond_count; k++)
            b->bonds[k].cut = b->bonds[k].cut || over[k];
        if (broke)
            st = fall_apart(p, b, over);
    }
    free(shared);
    return st;
}

// Particles of a block that is whole: one a vertex, with the mass that its pieces have there.
static shoal_status add_particles(shl_soft *p, block *b, const double half[3],
                                  const double at[3], const double turn[9])
{
    breaking *own = p->own;
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
            st = keep_place(own, made, place);
        for (uint32_t i = 0; i < s->facet_count && st == SHOAL_OK; i++) {
            const shl_facet *f = &s->facet[i];
            if (f->corner[0] != v && f->corner[1] != v && f->corner[2] != v)
                continue;
            *particle_of(b, f->piece[0], v) = made;
            if (f->piece[1] != SHL_OUTSIDE)
                *particle_of(b, f->piece[1], v) = made;
        }
    }
    return st;
}

static shoal_status add_clusters(shl_soft *p, block *b)
{
    const uint32_t n = b->pieces.vertex_count;
    uint32_t *members = malloc(n * sizeof *members);
    shoal_status st = members ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < PIECES && st == SHOAL_OK; i++) {
        uint32_t count = 0;
        for (uint32_t v = 0; v < n; v++) {
            if (*particle_of(b, i, v) != SHL_OUTSIDE)
                members[count++] = *particle_of(b, i, v);
        }
        b->cluster[i] = p->clusters.count;
        b->actor[i] = p->stage.count;
        st = shl_clusters_add(&p->clusters, &p->particles, members, count);
    }
    free(members);
    return st;
}

static shoal_status add_block(shl_soft *p, block *b, uint32_t number, uint64_t *seed)
{
    const double *half = half_sides[number % 3];
    shoal_status st = shl_pieces_cut(half, PIECES, shl_random(seed), true, &b->pieces);
    if (st != SHOAL_OK)
        return st;
    const size_t entries = (size_t)PIECES * b->pieces.vertex_count;
    b->particle = malloc(entries * sizeof *b->particle);
    if (!b->particle)
        return SHOAL_ERR_MEMORY;
    memset(b->particle, 0xff, entries * sizeof *b->particle); // SHL_OUTSIDE
    const double at[3] = {spacing * (number % 2 - 0.5) + 0.2 * shl_random_signed(seed),
                          spacing * (number / 2 % 2 - 0.5) + 0.2 * shl_random_signed(seed),
                          1.2 + 1.6 * (number / 4)};
    double axis[3], turn[9];
    shl_random_axis(seed, axis);
    shl_turn(axis, 3.141592653589793 * shl_random_signed(seed), turn);
    find_bonds(b);
    st = add_particles(p, b, half, at, turn);
    if (st == SHOAL_OK)
        st = add_clusters(p, b);
    return st == SHOAL_OK ? show(p, b, p->stage.count) : st;
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
        st = keep_place(p->own, first + i, s.xyz + 3 * (size_t)i);
    shl_surface_finish(&s);
    return st;
}

static shoal_status build(shl_soft *p, const shl_scene_params *params)
{
    breaking *own = p->own = calloc(1, sizeof *own);
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

static void finish(shl_soft *p)
{
    breaking *own = p->own;
    for (uint32_t i = 0; own && i < own->count; i++) {
        shl_pieces_finish(&own->blocks[i].pieces);
        free(own->blocks[i].particle);
    }
    if (own) {
        free(own->blocks);
        free(own->places);
    }
    free(own);
}

static shoal_status create(const shl_scene_params *params, shoal_context *ctx,
                           shoal_scene *scene, void **out)
{
    static const shl_soft_kind kind = {.build = build, .after = after, .finish = finish};
    return shl_soft_create(&kind, params, ctx, scene, out);
}

const shl_play shl_play_breaking = {.create = create,
                                    .destroy = shl_soft_destroy,
                                    .step = shl_soft_step,
                                    .body_count = shl_soft_body_count,
                                    .surface = shl_soft_surface,
                                    .vertices = shl_soft_vertices,
                                    .look = shl_soft_look};
