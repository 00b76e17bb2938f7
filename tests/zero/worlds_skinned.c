// SPDX-License-Identifier: MIT
// Worlds with bodies that nodes carry. Their positions are worked out here, by the formula of
// shoal/skinned.h and nothing else of the library.
#include "worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        abort();
    return memory;
}

// How a body's nodes are made and what they do in each step.
typedef struct manner {
    uint32_t nodes;
    double reach;      // of a node's kernel
    double at[3];      // where the body is
    double move[3];    // in each step by so much
    double wild;       // of what nodes do for themselves
    double size;       // of all of it
    bool turns;        // the whole
    bool affine;       // given as A and t
    bool flat, mirror; // every third node flattens or mirrors what it carries
    bool equal;        // all weights of a vertex are the same: least is largest
} manner;

static double square(double x)
{
    return x * x;
}

static double kernel(const double *v, const double *x, double reach)
{
    const double far =
        (square(v[0] - x[0]) + square(v[1] - x[1]) + square(v[2] - x[2])) / square(reach);
    return far < 1 ? (1 - far) * (1 - far) * (1 - far) : 0;
}

// Kernels around nodes that sit at vertices; a vertex that none reaches takes the nearest.
static void add_nodes(const world_mesh *m, world_skinned *p, const manner *how, uint64_t *seed)
{
    const uint32_t n = how->nodes < m->vertex_count ? how->nodes : m->vertex_count;
    p->used = true;
    p->node_count = n;
    p->nodes = take(3 * sizeof(double) * n);
    p->weight_begin = take((m->vertex_count + (size_t)1) * sizeof(uint32_t));
    p->weight_control = take((size_t)m->vertex_count * n * sizeof(uint32_t));
    p->weight = take((size_t)m->vertex_count * n * sizeof(float));
    for (uint32_t j = 0; j < n; j++) {
        const size_t v = (size_t)j * m->vertex_count / n;
        for (size_t k = 0; k < 3; k++)
            p->nodes[3 * j + k] = m->rest[3 * v + k] + 0.01 * world_unit(seed);
    }
    size_t at = 0;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        const double *place = m->rest + 3 * (size_t)v;
        double sum = 0, best = INFINITY;
        const size_t begin = at;
        uint32_t near = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t j = (i + v) % n; // no order that one could count on
            const double *x = p->nodes + 3 * (size_t)j, w = kernel(place, x, how->reach);
            double far = 0;
            for (int k = 0; k < 3; k++)
                far += square(place[k] - x[k]);
            if (far < best) {
                best = far;
                near = j;
            }
            if (!(w > 0) && (size_t)j * m->vertex_count / n != v)
                continue;
            p->weight_control[at] = j;
            p->weight[at] = how->equal ? 1 : (float)world_float(w > 1e-3 ? w : 1e-3);
            sum += (double)p->weight[at++];
        }
        if (at == begin) {
            p->weight_control[at] = near;
            p->weight[at++] = 1;
            sum = 1;
        }
        for (size_t e = begin; e < at; e++)
            p->weight[e] = (float)world_float((double)p->weight[e] / sum);
        p->weight_begin[v + 1] = (uint32_t)at;
    }
    p->weight_count = at;
}

// The canonical evaluator, once more. `state` has 12 numbers a node: J or A row by row, u or t.
static void evaluate(const world_mesh *m, const world_skinned *p, const double *state,
                     double *xyz)
{
    const size_t n = p->node_count;
    for (size_t v = 0; v < m->vertex_count; v++) {
        const double *rest = m->rest + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            volatile double g[4] = {0}, term; // no compiler joins a product and a sum
            for (size_t e = p->weight_begin[v]; e < p->weight_begin[v + 1]; e++) {
                const size_t j = p->weight_control[e];
                const double w = (double)p->weight[e], *x = p->nodes + 3 * j;
                volatile double row[4];
                for (size_t l = 0; l < 3; l++)
                    row[l] = state[(3 * k + l) * n + j] - (p->affine && k == l ? 1 : 0);
                row[3] = state[(9 + k) * n + j];
                if (!p->affine) {
                    volatile double sum = row[0] * x[0];
                    term = row[1] * x[1];
                    sum = sum + term;
                    term = row[2] * x[2];
                    sum = sum + term;
                    row[3] = row[3] - sum;
                }
                for (size_t l = 0; l < 4; l++) {
                    term = w * row[l];
                    g[l] = g[l] + term;
                }
            }
            volatile double a = g[0] * rest[0], b = g[2] * rest[2];
            term = g[1] * rest[1];
            a = a + term;
            b = b + g[3];
            a = a + b;
            xyz[3 * v + k] = rest[k] + a;
        }
    }
}

// What the whole body does, as a map of points, and what one node adds to it.
static void draw_map(const manner *how, uint32_t step, uint32_t node, const double turn[9],
                     uint64_t *seed, double A[9], double t[3])
{
    for (int i = 0; i < 9; i++)
        A[i] = how->size * (turn[i] + how->wild * world_unit(seed));
    if (how->mirror && node % 3 == 1)
        for (int i = 0; i < 9; i += 3)
            A[i] = -A[i];
    if (how->flat && node % 3 == 2)
        for (int i = 0; i < 3; i++)
            A[6 + i] = 0;
    for (int k = 0; k < 3; k++)
        t[k] =
            how->at[k] + step * how->move[k] + 0.2 * how->size * how->wild * world_unit(seed);
}

static void place(world *w, uint32_t body, const manner *how, uint64_t *seed)
{
    const world_mesh *m = &w->mesh[body];
    world_skinned *p = &w->skinned[body];
    const size_t n = p->node_count;
    p->affine = how->affine;
    for (uint32_t s = 0; s < w->step_count; s++) {
        double *state = take(12 * n * sizeof *state), turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        if (how->turns)
            world_turn(seed, turn);
        for (uint32_t j = 0; j < n; j++) {
            double A[9], t[3];
            draw_map(how, s, j, turn, seed, A, t);
            for (size_t i = 0; i < 9; i++)
                state[i * n + j] = A[i] - (!p->affine && i % 4 == 0 ? 1 : 0);
            for (size_t k = 0; k < 3; k++) {
                double u = t[k];
                for (size_t l = 0; l < 3 && !p->affine; l++)
                    u += state[(3 * k + l) * n + j] * p->nodes[3 * j + l];
                state[(9 + k) * n + j] = u;
            }
        }
        p->state[s] = state;
        w->xyz[s][body] = take(3 * sizeof(double) * m->vertex_count);
        evaluate(m, p, state, w->xyz[s][body]);
    }
}

static void carry(world *w, uint32_t body, const manner *how, uint64_t seed)
{
    add_nodes(&w->mesh[body], &w->skinned[body], how, &seed);
    place(w, body, how, &seed);
}

// Bodies of nodes, few and many, in one world with reduced and free ones.
static void mixed(world *w, double far, double wild)
{
    static const uint32_t nodes[] = {1, 4, 12, 40, 30, 7};
    world_reduced_mixed(w); // seven bodies; the first two stay as they are
    for (uint32_t b = 2; b < w->body_count; b++) {
        mesh_free(&w->mesh[b]);
        free(w->reduced[b].fields);
        for (uint32_t s = 0; s < w->step_count; s++) {
            free(w->xyz[s][b]);
            free(w->reduced[b].state[s]);
        }
        w->reduced[b] = (world_reduced){0};
    }
    w->body_count = 2 + sizeof nodes / sizeof *nodes;
    for (uint32_t b = 2; b < w->body_count; b++) {
        uint64_t seed = 815 + b;
        w->mesh[b] = b == 4 ? mesh_soup(90, 0.4, seed) : mesh_ball(b % 3 == 0 ? 2 : 1, seed);
        manner how = {.nodes = nodes[b - 2],
                      .reach = b % 2 ? 0.7 : 1.5,
                      .wild = wild,
                      .size = 1,
                      .turns = b != 5,
                      .affine = b % 2,
                      .flat = b >= 4,
                      .mirror = b >= 5,
                      .equal = b == 3};
        for (int k = 0; k < 3; k++) {
            how.at[k] = far * (k + 1) + 1.2 * world_unit(&seed);
            how.move[k] = 0.2 * world_unit(&seed);
        }
        carry(w, b, &how, seed);
    }
}

void world_skinned_mixed(world *w)
{
    mixed(w, 0, 0.05);
}

void world_skinned_far(world *w)
{
    mixed(w, 1e6, 0.05);
}

// Nodes that know nothing of each other: bounds are loose and must still hold.
void world_skinned_wild(world *w)
{
    mixed(w, 0, 1);
}

// Beyond float32, by maps or by places, beside one body that is not.
void world_skinned_huge(world *w)
{
    w->body_count = 4;
    for (uint32_t b = 0; b < w->body_count; b++) {
        w->mesh[b] = mesh_soup(30, 0.5, 71 + b);
        const manner how = {.nodes = 6,
                            .reach = 2,
                            .wild = 0.5,
                            .size = b == 3   ? 1
                                    : b == 2 ? 1e36
                                             : 1e32,
                            .turns = true,
                            .affine = b % 2};
        carry(w, b, &how, 71 + b);
    }
}

// A leaf alone, and lattices that move by whole numbers, so that much touches.
void world_skinned_lattice(world *w)
{
    w->body_count = 5;
    for (uint32_t b = 0; b < w->body_count; b++) {
        const uint64_t seed = 7 * b + 1;
        w->mesh[b] = mesh_lattice(b == 4 ? 1 : 40 + 9 * b, 30, 5, seed);
        const manner how = {.nodes = b % 2 ? 1 : 4,
                            .reach = 1e6,
                            .at = {b, 0, 0},
                            .move = {-1.0 * b, 1, 0},
                            .size = 1,
                            .affine = true,
                            .equal = true};
        carry(w, b, &how, seed);
    }
}
