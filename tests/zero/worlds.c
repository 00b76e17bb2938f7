// SPDX-License-Identifier: MIT
#include "worlds.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed_of_name(const char *name, uint32_t body)
{
    uint64_t seed = 77;
    for (const char *c = name; *c; c++)
        seed = seed * 131 + (uint64_t)*c;
    return seed + 1000003u * body;
}

static uint64_t seed_of(const world *w, uint32_t body)
{
    return seed_of_name(w->name, body);
}

static double *place(world *w, uint32_t step, uint32_t body)
{
    const size_t bytes = 3 * (size_t)w->mesh[body].vertex_count * sizeof(double);
    double *xyz = malloc(bytes);
    if (!xyz)
        abort();
    memcpy(xyz, w->mesh[body].rest, bytes);
    w->xyz[step][body] = xyz;
    return xyz;
}

// Each step: rest * scale + at + step * move, in that order, per axis.
static void glide(world *w, uint32_t body, double scale, const double at[3],
                  const double move[3])
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        double *xyz = place(w, s, body);
        for (size_t i = 0; i < 3 * (size_t)w->mesh[body].vertex_count; i++) {
            const double p = xyz[i] * scale + at[i % 3] + s * move[i % 3];
            xyz[i] = w->floats ? world_float(p) : p;
        }
    }
}

static void spheres(world *w)
{
    w->body_count = 5;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = seed_of(w, b);
        w->mesh[b] = mesh_ball(b == 4 ? 3 : 2, seed);
        double at[3], move[3];
        for (int k = 0; k < 3; k++) {
            at[k] = 1.1 * world_unit(&seed);
            move[k] = b == 2 ? 0 : 0.2 * world_unit(&seed); // one body rests
        }
        glide(w, b, 1, at, move);
    }
}

// Long bodies that curl up, in the last step through themselves.
static void arms(world *w)
{
    w->body_count = 4;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = seed_of(w, b);
        w->mesh[b] = mesh_ball(2, seed);
        for (uint32_t v = 0; v < w->mesh[b].vertex_count; v++)
            w->mesh[b].rest[3 * (size_t)v] *= 4;
        const int turn = (int)b % 3;
        const double height = 0.5 * world_unit(&seed);
        for (uint32_t s = 0; s < w->step_count; s++) {
            double *xyz = place(w, s, b);
            for (uint32_t v = 0; v < w->mesh[b].vertex_count; v++) {
                double *p = xyz + 3 * (size_t)v, q[3];
                const double bend = 0.15 * s, x = p[0];
                q[turn] = x * (1 - 0.3 * s) + bend * p[1];
                q[(turn + 1) % 3] = p[1] + bend * x * x - 1;
                q[(turn + 2) % 3] = p[2] + height;
                for (int k = 0; k < 3; k++)
                    p[k] = world_float(q[k]);
            }
        }
    }
}

static void soups(world *w)
{
    w->body_count = 3;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = seed_of(w, b);
        w->mesh[b] = mesh_soup(150, 0.25, seed);
        const double at[3] = {0.1 * b, 0, 0}, move[3] = {0.05 * b, -0.03 * b, 0.02};
        glide(w, b, 1, at, move);
    }
}

// Thin ones: the third corner nearly or exactly on the edge between the others.
static void slivers(world *w)
{
    w->body_count = 3;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = seed_of(w, b);
        w->mesh[b] = mesh_soup(100, 1, seed);
        for (uint32_t i = 0; i < 100; i++) {
            double *p = w->mesh[b].rest + 9 * (size_t)i;
            for (int k = 0; k < 6 && i % 2; k++) // half of them between few points, to meet
                p[k] = (double)(world_random(&seed) % 3);
            for (int k = 0; k < 3; k++)
                p[6 + k] = world_float((0.5 * p[k] + 0.5 * p[3 + k]) +
                                       (i % 3 ? 0x1p-20 * world_unit(&seed) : 0));
        }
        const double at[3] = {0}, move[3] = {b, 0, b == 2};
        glide(w, b, 1, at, move);
    }
}

// Lattice bodies: everything coincides with something. `flat` puts all into one plane.
static void lattice_bodies(world *w, uint32_t triangles, double scale, bool flat)
{
    w->body_count = 4;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_lattice(triangles + 7 * b, 30, 5, seed_of(w, b));
        for (uint32_t v = 0; flat && v < w->mesh[b].vertex_count; v++)
            w->mesh[b].rest[3 * (size_t)v + 2] = 0;
        const double at[3] = {scale * b, 0, 0}, move[3] = {-scale * b, scale, 0};
        glide(w, b, scale, at, move);
    }
}

static void lattice(world *w)
{
    lattice_bodies(w, 40, 1, false);
}

static void coplanar(world *w)
{
    lattice_bodies(w, 25, 1, true);
}

static void denormal_f64(world *w)
{
    lattice_bodies(w, 30, 0x1p-1074, false);
}

static void denormal_f32(world *w)
{
    lattice_bodies(w, 30, 0x1p-149, false);
}

// Not floats: touching corners fall between two floats, so boxes must be rounded outwards.
static void between_floats(world *w)
{
    w->body_count = 5;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_lattice(60, 40, 4, seed_of(w, b));
        const double step = 0x1p-28, sign = b == 4 ? -1 : 1;
        // Lattices of side 3 that touch in one plane, on both sides of zero.
        const double at[3] = {sign * 1 + (b % 2) * 3 * step, b / 2 * 3 * step - 1, 1};
        const double move[3] = {0, b == 0 ? step : 0, 0};
        glide(w, b, step, at, move);
    }
}

static void scaled_soups(world *w, double scale)
{
    w->body_count = 4;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_soup(b == 3 ? 1 : 40 + b, b == 3 ? 1 : 0.4, seed_of(w, b));
        const double at[3] = {0}, move[3] = {0.05 * scale, 0, -0.02 * scale * b};
        glide(w, b, scale, at, move);
    }
}

static void huge_f32(world *w)
{
    scaled_soups(w, FLT_MAX / 4);
}

static void huge_f64(world *w)
{
    scaled_soups(w, DBL_MAX / 4);
}

static void beyond_f32(world *w) // some coordinates are floats, others are past the largest
{
    scaled_soups(w, 2.0 * FLT_MAX);
}

static void tiny_f64(world *w)
{
    scaled_soups(w, 0x1p-1060);
}

static void single(world *w)
{
    w->body_count = 6;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_soup(1, 1, seed_of(w, b));
        const double at[3] = {0}, move[3] = {0.1 * b, 0, 0};
        glide(w, b, 1, at, move);
    }
}

// 64 times the same triangle, by the same vertices or by copies of them.
static void identical(world *w)
{
    w->body_count = 3;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_soup(64, 1, 5);
        for (size_t i = 0; i < 64 * 9; i++)
            w->mesh[b].rest[i] = w->mesh[b].rest[i % 9];
        for (size_t i = 0; b == 1 && i < 64 * 3; i++)
            w->mesh[b].tri[i] = (uint32_t)(i % 3);
        const double at[3] = {b == 2 ? 0.25 : 0, 0, 0}, move[3] = {0, b == 2 ? 0.5 : 0, 0};
        glide(w, b, 1, at, move);
    }
}

// Corner cells of a lattice, one vertex in common; steps move one away and back.
static void one_vertex(world *w)
{
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t faces[12] = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
    w->body_count = 8;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_lattice(4, 4, 1, 0);
        memcpy(w->mesh[b].tri, faces, sizeof faces);
        for (int i = 0; i < 12; i++)
            w->mesh[b].rest[i] = b >> i % 3 & 1 ? -corner[i / 3][i % 3] : corner[i / 3][i % 3];
        // Tips pointing away: the cell's corner 0 is where all eight meet.
        const double at[3] = {b & 1 ? -0x1p-20 : 0, 0, 0},
                     move[3] = {b & 1 ? 0x1p-21 : 0, 0, 0};
        glide(w, b, 1, at, move);
    }
}

static void sizes(world *w)
{
    w->body_count = 4;
    w->mesh[0] = mesh_soup(1, 0.8, 9);
    w->mesh[1] = mesh_ball(3, 4);
    w->mesh[2] = mesh_soup(9, 0.5, 10);
    w->mesh[3] = mesh_ball(0, 11);
    for (uint32_t b = 0; b < w->body_count; b++) {
        const double at[3] = {0.3 * b, 0.5, 0}, move[3] = {0.1, -0.3 * (b != 1), 0.05 * b};
        glide(w, b, 1, at, move);
    }
}

// Every second vertex belongs to no triangle, and some triangles name a vertex twice or thrice.
static void isolated(world *w)
{
    w->body_count = 3;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = seed_of_name("loose", b); // as recorded hashes have it
        w->mesh[b] = mesh_lattice(80, 60, 5, seed);
        for (uint32_t i = 0; i < 240; i++)
            w->mesh[b].tri[i] &= ~1u;
        for (uint32_t i = 0; i < 80; i += 4)
            w->mesh[b].tri[3 * i + world_random(&seed) % 2 + 1] = w->mesh[b].tri[3 * i];
        for (uint32_t v = 1; v < 60; v += 2)
            w->mesh[b].rest[3 * v] = 1e30f;
        const double at[3] = {b, 0, 0}, move[3] = {-0.5 * b, 1, 0};
        glide(w, b, 1, at, move);
    }
}

static void many(world *w)
{
    w->body_count = WORLD_BODIES;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = seed_of(w, b);
        w->mesh[b] = mesh_soup(12, 0.6, seed);
        const double at[3] = {(double)(b % 9), (double)(b / 9 % 3), (double)(b / 27)};
        double move[3] = {0};
        for (int k = 1; k < 3; k++) // one by one: an initializer has no order
            move[k] = 0.4 * world_unit(&seed);
        glide(w, b, 0.7, at, move);
    }
}

static void far_away(world *w)
{
    w->body_count = 3;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_ball(2, seed_of(w, b));
        const double at[3] = {1e7 + b, -3e8 + 0.3 * b, 1e9}, move[3] = {-0.3 * b, 0.1, 0};
        glide(w, b, 1, at, move);
    }
}

static const struct {
    const char *name;
    void (*make)(world *w);
    bool floats;
} kinds[] = {
    {"spheres", spheres, true},
    {"arms", arms, true},
    {"soups", soups, true},
    {"slivers", slivers, true},
    {"lattice", lattice, true},
    {"coplanar", coplanar, true},
    {"denormal_f32", denormal_f32, true},
    {"denormal_f64", denormal_f64, false},
    {"between_floats", between_floats, false},
    {"huge_f32", huge_f32, true},
    {"huge_f64", huge_f64, false},
    {"beyond_f32", beyond_f32, false},
    {"tiny_f64", tiny_f64, false},
    {"single", single, true},
    {"identical", identical, true},
    {"one_vertex", one_vertex, true},
    {"sizes", sizes, true},
    {"isolated", isolated, true},
    {"many", many, true},
    {"far_away", far_away, false},
    {"reduced_mixed", world_reduced_mixed, false},
    {"reduced_far", world_reduced_far, false},
    {"reduced_swollen", world_reduced_swollen, false},
    {"reduced_huge", world_reduced_huge, false},
    {"reduced_lattice", world_reduced_lattice, false},
    {"skinned_mixed", world_skinned_mixed, false},
    {"skinned_far", world_skinned_far, false},
    {"skinned_wild", world_skinned_wild, false},
    {"skinned_huge", world_skinned_huge, false},
    {"skinned_lattice", world_skinned_lattice, false},
};

uint32_t world_kinds(void)
{
    return sizeof kinds / sizeof *kinds;
}

const char *world_name(uint32_t kind)
{
    return kinds[kind].name;
}

world *world_make(uint32_t kind)
{
    world *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->name = kinds[kind].name;
    w->floats = kinds[kind].floats;
    w->step_count = WORLD_STEPS;
    kinds[kind].make(w);
    return w;
}

static void join_self(truth *t, int which, const oracle_mesh *mesh, uint32_t body)
{
    oracle_pair *found = NULL;
    const size_t n = oracle_self_pairs(mesh, which == 1, &found);
    if (n) {
        t->self[which] = realloc(t->self[which], (t->self_count[which] + n) * sizeof *found);
        if (!t->self[which])
            abort();
    }
    for (size_t i = 0; i < n; i++)
        t->self[which][t->self_count[which]++] =
            (oracle_pair){body, found[i].tri_a, body, found[i].tri_b};
    free(found);
}

void world_find_truth(world *w)
{
    for (uint32_t s = 0; s < w->step_count; s++) {
        truth *t = &w->truth[s];
        oracle_mesh mesh[WORLD_BODIES];
        for (uint32_t b = 0; b < w->body_count; b++) {
            const world_mesh *m = &w->mesh[b];
            mesh[b] = (oracle_mesh){w->xyz[s][b], m->vertex_count, m->tri, m->triangle_count};
            join_self(t, 0, &mesh[b], b);
            join_self(t, 1, &mesh[b], b);
        }
        t->pair_count = oracle_pairs(mesh, w->body_count, &t->pairs);
    }
}

void world_free(world *w)
{
    for (uint32_t b = 0; b < w->body_count; b++) {
        mesh_free(&w->mesh[b]);
        free(w->reduced[b].fields);
        free(w->skinned[b].nodes);
        free(w->skinned[b].weight_begin);
        free(w->skinned[b].weight_control);
        free(w->skinned[b].weight);
        for (uint32_t s = 0; s < w->step_count; s++) {
            free(w->xyz[s][b]);
            free(w->reduced[b].state[s]);
            free(w->skinned[b].state[s]);
        }
    }
    for (uint32_t s = 0; s < w->step_count; s++) {
        free(w->truth[s].pairs);
        free(w->truth[s].self[0]);
        free(w->truth[s].self[1]);
    }
    free(w);
}
