// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/shards.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

static const double strength = 9; // newton seconds a square metre

// The bond between two pieces; NULL: they have no side in common.
static shl_bond *bond_of(shl_brick *b, uint32_t x, uint32_t y)
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

void shl_shards_bond(shl_brick *b)
{
    for (uint32_t i = 0; i < b->pieces.facet_count; i++) {
        const shl_facet *f = &b->pieces.facet[i];
        if (f->piece[1] == SHL_OUTSIDE)
            continue;
        shl_bond *of = bond_of(b, f->piece[0], f->piece[1]);
        if (!of) {
            of = &b->bonds[b->bond_count++];
            *of = (shl_bond){.a = f->piece[0], .b = f->piece[1]};
        }
        of->area += area_of(&b->pieces, f);
    }
}

static bool holds(shl_brick *b, const shl_facet *f)
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

static shoal_status make_mesh(shl_brick *b, uint32_t actor, mesh *m)
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
                    vertex_of(m, *shl_shard_particle(b, piece, f->corner[s ? 2 - k : k]));
            m->triangle_count++;
        }
    }
    return SHOAL_OK;
}

shoal_status shl_shards_show(shl_soft *p, shl_brick *b, uint32_t actor)
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
static void join(shl_brick *b, uint32_t vertex, uint32_t group[SHL_SHARDS])
{
    for (uint32_t i = 0; i < SHL_SHARDS; i++)
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

shoal_status shl_shards_place(shl_shards *own, uint32_t particle, const double at[3])
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
    shl_shards *own = p->own;
    double at[3], place[3];
    memcpy(at, t->p + 3 * (size_t)from, sizeof at);
    memcpy(place, own->places + 3 * (size_t)from, sizeof place);
    shoal_status st = shl_particles_add(t, 1, at, NULL, mass, out);
    if (st == SHOAL_OK)
        st = shl_shards_place(own, *out, place);
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
static shoal_status split_vertex(shl_soft *p, shl_brick *b, uint32_t vertex)
{
    uint32_t group[SHL_SHARDS];
    join(b, vertex, group);
    for (uint32_t i = 1; i < SHL_SHARDS; i++) {
        const uint32_t shared = *shl_shard_particle(b, i, vertex), leader = root(group, i);
        if (shared == SHL_OUTSIDE || leader != i)
            continue; // goes where its leader goes
        uint32_t sharing = 0, mine = 0;
        for (uint32_t j = 0; j < SHL_SHARDS; j++) {
            if (*shl_shard_particle(b, j, vertex) != shared)
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
        for (uint32_t j = 0; j < SHL_SHARDS; j++) {
            if (*shl_shard_particle(b, j, vertex) != shared || root(group, j) != i)
                continue;
            *shl_shard_particle(b, j, vertex) = made;
            rename_member(p, b->cluster[j], shared, made);
        }
    }
    return SHOAL_OK;
}

// New particles and meshes for a block some of whose bonds were cut just now.
static shoal_status fall_apart(shl_soft *p, shl_brick *b, uint64_t now)
{
    uint32_t group[SHL_SHARDS], was[SHL_SHARDS];
    shoal_status st = SHOAL_OK;
    for (uint32_t k = 0; k < b->bond_count; k++)
        b->bonds[k].cut = b->bonds[k].cut || now >> k & 1;
    for (uint32_t v = 0; v < b->pieces.vertex_count && st == SHOAL_OK; v++)
        st = split_vertex(p, b, v);
    if (st == SHOAL_OK)
        st = shl_clusters_share(&p->clusters, &p->particles, ((shl_shards *)p->own)->places);
    join(b, SHL_OUTSIDE, group);
    memcpy(was, b->actor, sizeof was);
    for (uint32_t i = 0; i < SHL_SHARDS && st == SHOAL_OK; i++) {
        if (root(group, i) != i)
            continue;
        bool first = true; // of those that were one body: it keeps the number
        for (uint32_t j = 0; j < i; j++)
            first = first && was[j] != was[i];
        const uint32_t actor = first ? was[i] : p->stage.count;
        for (uint32_t j = i; j < SHL_SHARDS; j++) {
            if (root(group, j) == i)
                b->actor[j] = actor;
        }
        if (!first)
            st = shl_shards_show(p, b, actor);
    }
    // what is left of bodies comes last: nobody else is in their meshes any more
    for (uint32_t i = 0; i < SHL_SHARDS && st == SHOAL_OK; i++) {
        bool changed = false;
        for (uint32_t k = 0; k < b->bond_count; k++)
            changed = changed || ((now >> k & 1) && was[b->bonds[k].a] == was[i]);
        if (changed && root(group, i) == i && b->actor[i] == was[i])
            st = shl_shards_show(p, b, was[i]);
    }
    return st;
}

// What the shape of a piece did to the particles that it has in common with another.
static void impulse_of(const shl_soft *p, const shl_brick *b, uint32_t piece,
                       const bool *shared, double out[3])
{
    const shl_cluster *c = &p->clusters.list[b->cluster[piece]];
    out[0] = out[1] = out[2] = 0;
    for (size_t i = c->begin; i < c->end; i++) {
        if (shared[p->clusters.member[i]])
            shl_add(out, p->def.substeps / p->def.step, p->clusters.pull + 3 * i);
    }
}

static bool overloaded(const shl_soft *p, const shl_brick *b, const shl_bond *of, bool *shared)
{
    double from_a[3], from_b[3];
    for (int mark = 1; mark >= 0; mark--) {
        for (uint32_t i = 0; i < b->pieces.facet_count; i++) {
            const shl_facet *f = &b->pieces.facet[i];
            if (f->piece[0] != of->a || f->piece[1] != of->b)
                continue;
            for (int k = 0; k < 3; k++)
                shared[*shl_shard_particle(b, of->a, f->corner[k])] = mark;
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

static shoal_status remember(shl_shards *own, uint32_t number, uint64_t bonds)
{
    if (own->event_count == own->event_capacity) {
        const uint32_t want = 2 * own->event_capacity + 16;
        shl_break *more = realloc(own->events, want * sizeof *more);
        if (!more)
            return SHOAL_ERR_MEMORY;
        own->events = more;
        own->event_capacity = want;
    }
    own->events[own->event_count++] = (shl_break){bonds, number, 0};
    return SHOAL_OK;
}

shoal_status shl_shards_after(shl_soft *p)
{
    shl_shards *own = p->own;
    bool *shared = calloc(p->particles.count, sizeof *shared);
    shoal_status st = shared ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < own->count && st == SHOAL_OK; i++) {
        shl_brick *b = &own->blocks[i];
        uint64_t over = 0;
        for (uint32_t k = 0; k < b->bond_count; k++) {
            if (!b->bonds[k].cut && overloaded(p, b, &b->bonds[k], shared))
                over |= (uint64_t)1 << k;
        }
        if (!over)
            continue;
        st = remember(own, i, over);
        if (st == SHOAL_OK)
            st = fall_apart(p, b, over);
    }
    free(shared);
    return st;
}

size_t shl_shards_save(const shl_soft *p, void *to)
{
    const shl_shards *own = p->own;
    const size_t bytes = own->event_count * sizeof *own->events;
    if (to && bytes)
        memcpy(to, own->events, bytes);
    return bytes;
}

// Whether a bond is cut that held: a block breaks no more often than it has bonds.
static bool cuts_some(const shl_brick *b, uint64_t bonds)
{
    for (uint32_t k = 0; k < b->bond_count; k++) {
        if (bonds >> k & 1 && !b->bonds[k].cut)
            return true;
    }
    return false;
}

shoal_status shl_shards_restore(shl_soft *p, const void *from, size_t size)
{
    shl_shards *own = p->own;
    shoal_status st = size % sizeof(shl_break) ? SHOAL_ERR_ARGUMENT : SHOAL_OK;
    for (size_t i = 0; i < size / sizeof(shl_break) && st == SHOAL_OK; i++) {
        shl_break e;
        memcpy(&e, (const char *)from + i * sizeof e, sizeof e);
        if (e.block >= own->count || !cuts_some(&own->blocks[e.block], e.bonds))
            return SHOAL_ERR_ARGUMENT;
        st = remember(own, e.block, e.bonds);
        if (st == SHOAL_OK)
            st = fall_apart(p, &own->blocks[e.block], e.bonds);
    }
    return st;
}

void shl_shards_finish(shl_soft *p)
{
    shl_shards *own = p->own;
    for (uint32_t i = 0; own && i < own->count; i++) {
        shl_pieces_finish(&own->blocks[i].pieces);
        free(own->blocks[i].particle);
    }
    if (own) {
        free(own->blocks);
        free(own->events);
        free(own->places);
    }
    free(own);
}
