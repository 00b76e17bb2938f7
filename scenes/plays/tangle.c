// SPDX-License-Identifier: MIT
// Clouds of small patches that three vortices stir in turn, so that neighbours at rest soon
// have nothing to do with each other: a tree built at rest decays.
#include "scenes/math/portable_math.h"
#include "scenes/plays/bodies.h"
#include "scenes/plays/deforming.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 3, VERTICES = SIDE * SIDE, TRIANGLES = 8 }; // a patch is a square of 2 x 2 cells

static const double turn_most = 0.05;  // radians a step
static const double patch_width = 0.6; // in mean distances of patches
static const uint32_t stir_steps = 25; // before the next vortex takes over
static const double apart = 1.3;       // of bodies

typedef struct tangle {
    uint32_t bodies, patches, count; // count: vertices of a body
    double *centre;                  // [bodies][patches][3] from the body's centre, within 1
    double *offset;                  // [count][3] from the patch's centre
    uint32_t *patch;                 // [count]
} tangle;

static void random_point(uint64_t *state, double out[3])
{
    double square;
    do {
        for (int i = 0; i < 3; i++)
            out[i] = shl_random_signed(state);
        square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
    } while (square > 1);
}

// Two random directions, not far from perpendicular and of length about 1.
static void random_plane(uint64_t *state, double u[3], double v[3])
{
    double square, along;
    do {
        random_point(state, u);
        random_point(state, v);
        square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    } while (square < 0.1);
    double rest = 0;
    for (int i = 0; i < 3; i++) {
        v[i] -= u[i] * along / square;
        rest += v[i] * v[i];
    }
    for (int i = 0; i < 3; i++) {
        u[i] /= sqrt(square);
        v[i] /= sqrt(rest + 0.01); // never by zero
    }
}

static void put_patch(shl_surface *s, uint32_t patch, double half, uint64_t *state)
{
    static const uint32_t corners[TRIANGLES][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4},
                                                   {3, 4, 7}, {3, 7, 6}, {4, 5, 8}, {4, 8, 7}};
    double c[3], u[3], v[3];
    random_point(state, c);
    random_plane(state, u, v);
    for (uint32_t i = 0; i < VERTICES; i++) {
        const double x = half * ((int)(i % SIDE) - 1), y = half * ((int)(i / SIDE) - 1);
        for (int axis = 0; axis < 3; axis++)
            s->xyz[3 * (size_t)(VERTICES * patch + i) + (size_t)axis] =
                c[axis] + (x * u[axis] + y * v[axis]);
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        for (int k = 0; k < 3; k++)
            s->triangles[3 * (size_t)(TRIANGLES * patch + i) + (size_t)k] =
                VERTICES * patch + corners[i][k];
    }
}

// All patches at rest in the unit ball: 20 * 4^k triangles, but for k = 0 only 16.
static shoal_status mesh(uint32_t k, uint64_t seed, shl_surface *out)
{
    const uint32_t patches = (uint32_t)(((size_t)20 << 2 * k) / TRIANGLES);
    *out = (shl_surface){.vertex_count = VERTICES * patches,
                         .triangle_count = TRIANGLES * patches};
    out->xyz = malloc(3 * (size_t)out->vertex_count * sizeof *out->xyz);
    out->triangles = malloc(3 * (size_t)out->triangle_count * sizeof *out->triangles);
    if (!out->xyz || !out->triangles) {
        shl_surface_finish(out);
        return SHOAL_ERR_MEMORY;
    }
    double spacing = 1.2; // the cube root of the ball's volume over 2.5 * 4^k patches
    for (uint32_t i = 0; i < k; i++)
        spacing *= 0.6299605249474366; // 4^(-1/3)
    for (uint32_t i = 0; i < patches; i++)
        put_patch(out, i, 0.5 * patch_width * spacing, &seed);
    return SHOAL_OK;
}

static void destroy(void *shape)
{
    tangle *t = shape;
    free(t->centre);
    free(t->offset);
    free(t->patch);
    free(t);
}

static shoal_status create(uint64_t seed, const shl_surface *surface, const uint32_t *order,
                           uint32_t bodies, void **shape)
{
    (void)seed;
    const size_t count = surface->vertex_count, patches = count / VERTICES;
    tangle *out = *shape = calloc(1, sizeof *out);
    if (!out)
        return SHOAL_ERR_MEMORY;
    *out = (tangle){
        .bodies = bodies, .patches = (uint32_t)patches, .count = surface->vertex_count};
    out->centre = malloc(3 * bodies * patches * sizeof *out->centre);
    out->offset = malloc(3 * count * sizeof *out->offset);
    out->patch = malloc(count * sizeof *out->patch);
    if (!out->centre || !out->offset || !out->patch) {
        destroy(out);
        *shape = NULL;
        return SHOAL_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t vertex = order ? order[i] : i, patch = vertex / VERTICES;
        const double *p = surface->xyz + 3 * vertex,
                     *middle = surface->xyz + 3 * (VERTICES * patch + VERTICES / 2);
        out->patch[i] = (uint32_t)patch;
        for (size_t axis = 0; axis < 3; axis++) {
            out->offset[3 * i + axis] = p[axis] - middle[axis];
            for (size_t body = 0; body < bodies; body++)
                out->centre[3 * (body * patches + patch) + axis] = middle[axis];
        }
    }
    return SHOAL_OK;
}

// A turn about one axis, the faster the closer to it and the further along it, so that all
// stays within the ball and neighbours part.
static void stir(void *shape, uint32_t body, uint32_t step)
{
    tangle *t = shape;
    const uint32_t axis = (body + (step - 1) / stir_steps) % 3;
    const uint32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    double *p = t->centre + 3 * (size_t)body * t->patches;
    for (uint32_t i = 0; i < t->patches; i++, p += 3) {
        const double square = p[u] * p[u] + p[v] * p[v];
        const shl_sincos turn = shl_sincos_of(turn_most * (1 - 2 * square + p[axis]));
        const double x = p[u], y = p[v];
        p[u] = x * turn.cos - y * turn.sin;
        p[v] = x * turn.sin + y * turn.cos;
    }
}

static size_t stirred(void *shape, void **data)
{
    tangle *t = shape;
    *data = t->centre;
    return (size_t)t->bodies * t->patches * 3 * sizeof *t->centre;
}

static void write(const void *shape, uint32_t body, const shl_pose *pose, shoal_scalar scalar,
                  void *xyz)
{
    const tangle *t = shape;
    const double *centres = t->centre + 3 * (size_t)body * t->patches;
    for (size_t i = 0; i < t->count; i++) {
        const double *p = centres + 3 * (size_t)t->patch[i];
        for (size_t axis = 0; axis < 3; axis++) {
            const double at = pose->centre[axis] + (p[axis] + t->offset[3 * i + axis]);
            shl_coordinate_write(scalar, xyz, 3 * i + axis, at);
        }
    }
}

static void place(shl_deforming *d)
{
    for (uint32_t i = 0; i < d->params.bodies; i++) {
        shl_course *b = &d->courses[i];
        shl_lattice_place(i, d->params.bodies, apart, b->centre);
        for (int axis = 0; axis < 3; axis++)
            b->rotation[4 * axis] = 1;
    }
}

static const shl_deformation patches = {mesh, create, destroy, write, stir, stirred};
static const shl_deforming_kind kind = {&patches, place, NULL, NULL};

const shl_play shl_play_tangle = {
    .name = "tangle",
    .summary = "clouds of patches, stirred until no tree built at rest fits them",
    .simulator = &shl_deforming_simulator,
    .kind = &kind,
    .defaults =
        {.k = 5, .bodies = 4, .steps = 400, .seed = 1, .order = 1, .hold = 1, .arity = 8},
    .takes = SHL_TAKES_K | SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_POSITIONS |
             SHL_TAKES_BODIES};
