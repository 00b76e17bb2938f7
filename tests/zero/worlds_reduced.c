// SPDX-License-Identifier: MIT
// Worlds with reduced bodies. Their positions are worked out here, by the formula of
// shoal/reduced.h and nothing else of the library.
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

// Field j moves a vertex at p by a wave along one axis: smooth, so that bounds mean something.
// sin is replaced by a polynomial, since every compiler must make the same bits.
static void add_fields(world_mesh *m, world_reduced *r, uint32_t count, uint64_t *seed)
{
    r->used = true;
    r->field_count = count;
    r->fields = take(3 * sizeof(float) * count * m->vertex_count);
    for (uint32_t j = 0; j < count; j++) {
        double slope[3], bend[3], shift[3];
        for (int k = 0; k < 3; k++) {
            slope[k] = world_unit(seed);
            bend[k] = world_unit(seed);
            shift[k] = j % 3 == 0 ? world_unit(seed) : 0;
        }
        const int along = (int)(j % 3), across = (int)((j + 1 + j / 3) % 3);
        for (uint32_t v = 0; v < m->vertex_count; v++) {
            const double *p = m->rest + 3 * (size_t)v, x = p[along], y = p[across];
            for (size_t k = 0; k < 3; k++) {
                const double u = shift[k] + slope[k] * x + bend[k] * x * y +
                                 0.2 * bend[(k + 1) % 3] * x * x * x;
                r->fields[3 * ((size_t)j * m->vertex_count + v) + k] = (float)world_float(u);
            }
        }
    }
}

// The rotation of a quaternion of random length.
void world_turn(uint64_t *seed, double out[9])
{
    double q[4], square = 0;
    for (int i = 0; i < 4; i++)
        q[i] = world_unit(seed) + (i == 0 ? 0.01 : 0);
    for (int i = 0; i < 4; i++)
        square += q[i] * q[i];
    const double s = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {
        1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
        s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    memcpy(out, m, sizeof m);
}

// The canonical evaluator, once more.
static void evaluate(const world_mesh *m, const world_reduced *r, const double *state,
                     double *xyz)
{
    const double *rotation = state, *at = state + 9, *q = state + 12;
    for (size_t v = 0; v < m->vertex_count; v++) {
        volatile double d[3], term; // no compiler joins a product and a sum
        for (size_t k = 0; k < 3; k++) {
            d[k] = m->rest[3 * v + k];
            for (size_t j = 0; j < r->field_count; j++) {
                term = (double)r->fields[3 * (j * m->vertex_count + v) + k] * q[j];
                d[k] = d[k] + term;
            }
        }
        for (size_t k = 0; k < 3; k++) {
            volatile double x = rotation[3 * k] * d[0];
            term = rotation[3 * k + 1] * d[1];
            x = x + term;
            term = rotation[3 * k + 2] * d[2];
            x = x + term;
            xyz[3 * v + k] = x + at[k];
        }
    }
}

// How a body of a world moves.
typedef struct drift {
    double at[3], move[3]; // in each step by so much
    double size;           // of q
    bool turns;
} drift;

static void place(world *w, uint32_t body, const drift *how, uint64_t *seed)
{
    const world_mesh *m = &w->mesh[body];
    world_reduced *r = &w->reduced[body];
    for (uint32_t s = 0; s < w->step_count; s++) {
        double *state = take((12 + (size_t)r->field_count) * sizeof *state);
        state[0] = state[4] = state[8] = 1;
        if (how->turns)
            world_turn(seed, state);
        for (size_t k = 0; k < 3; k++)
            state[9 + k] = how->at[k] + s * how->move[k];
        for (uint32_t j = 0; j < r->field_count; j++)
            state[12 + j] = s == 3 ? 0 : how->size * world_unit(seed);
        r->state[s] = state;
        w->xyz[s][body] = take(3 * sizeof(double) * m->vertex_count);
        evaluate(m, r, state, w->xyz[s][body]);
    }
}

static void place_free(world *w, uint32_t body, const drift *how)
{
    const world_mesh *m = &w->mesh[body];
    for (uint32_t s = 0; s < w->step_count; s++) {
        double *xyz = w->xyz[s][body] = take(3 * sizeof(double) * m->vertex_count);
        for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++)
            xyz[i] = m->rest[i] + how->at[i % 3] + s * how->move[i % 3];
    }
}

// Every number of fields that counts, among free bodies.
static void mixed(world *w, const double origin[3], double size)
{
    static const int fields[] = {10, 0, -1, 3, 1, 64, -1};
    w->body_count = sizeof fields / sizeof *fields;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = 4711 + b;
        w->mesh[b] = b == 4 ? mesh_soup(90, 0.4, seed) : mesh_ball(b % 3 == 0 ? 2 : 1, seed);
        drift how = {.size = fields[b] > 10 ? size / 8 : size, .turns = true};
        for (int k = 0; k < 3; k++) {
            how.at[k] = origin[k] + 1.2 * world_unit(&seed);
            how.move[k] = 0.2 * world_unit(&seed);
        }
        if (fields[b] < 0) {
            place_free(w, b, &how);
            continue;
        }
        add_fields(&w->mesh[b], &w->reduced[b], (uint32_t)fields[b], &seed);
        place(w, b, &how, &seed);
    }
}

void world_reduced_mixed(world *w)
{
    mixed(w, (const double[3]){0, 0, 0}, 0.1);
}

void world_reduced_far(world *w)
{
    mixed(w, (const double[3]){1e6, -1e6, 3e6}, 0.1);
}

// Coordinates that turn bodies inside out: bounds are loose and must still hold.
void world_reduced_swollen(world *w)
{
    mixed(w, (const double[3]){0, 0, 0}, 2);
}

// Beyond float32, and by so much that only one of three bodies has sensible boxes.
void world_reduced_huge(world *w)
{
    w->body_count = 4;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = 99 + b;
        w->mesh[b] = mesh_soup(30, 0.5, seed);
        add_fields(&w->mesh[b], &w->reduced[b], 2, &seed);
        const drift how = {.size = b == 3 ? 1 : 1e32, .turns = true};
        place(w, b, &how, &seed);
    }
}

// Small triangles on a lattice: turns by right angles keep corners on it, so that much touches.
void world_reduced_lattice(world *w)
{
    w->body_count = 5;
    for (uint32_t b = 0; b < w->body_count; b++) {
        uint64_t seed = 7 * b + 1;
        w->mesh[b] = mesh_lattice(b == 4 ? 1 : 40 + 9 * b, 30, 5, seed);
        add_fields(&w->mesh[b], &w->reduced[b], b % 2, &seed);
        for (size_t i = 0; i < 3 * (size_t)w->mesh[b].vertex_count && b % 2; i++)
            w->reduced[b].fields[i] = i % 3 == 1; // a shift
        const drift how = {.at = {b, 0, 0}, .move = {-1.0 * b, 1, 0}, .size = 0};
        place(w, b, &how, &seed);
        for (uint32_t s = 0; s < w->step_count; s++) {
            double *state = w->reduced[b].state[s];
            static const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
            if (s % 2)
                memcpy(state, quarter, sizeof quarter);
            if (b % 2)
                state[12] = s;
            evaluate(&w->mesh[b], &w->reduced[b], state, w->xyz[s][b]);
        }
    }
}
