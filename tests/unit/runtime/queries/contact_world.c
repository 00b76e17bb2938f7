// SPDX-License-Identifier: MIT
#include "contact_world.h"

#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int levels[BODIES] = {5, 4, -2, 0, -1, 7, 3, -2, 12};

world_mesh mesh[BODIES];
world_reduced reduced[BODIES];
double *free_xyz[STEPS][BODIES];

void make_world(double far)
{
    for (uint32_t b = 0; b < BODIES; b++) {
        uint64_t seed = 31 + b;
        mesh[b] = b == 4 ? mesh_soup(120, 0.3, seed) : mesh_ball(b % 3 == 2 ? 1 : 2, seed);
        const size_t scalars = 3 * (size_t)mesh[b].vertex_count;
        world_reduced *r = &reduced[b];
        *r = (world_reduced){.used = levels[b] > -2, .field_count = b == 6 ? 0 : FIELDS};
        r->fields = malloc((scalars * r->field_count + 1) * sizeof *r->fields);
        for (size_t i = 0; i < scalars * r->field_count; i++)
            r->fields[i] = (float)(mesh[b].rest[i % scalars] * mesh[b].rest[(i + 1) % scalars]);
        for (uint32_t s = 0; s < STEPS; s++) {
            double *state = r->state[s] = calloc(12 + FIELDS, sizeof *state);
            const double c = s % 2 ? 0.6 : 0.8, sine = s % 2 ? 0.8 : -0.6;
            const double turn[9] = {c, -sine, 0, sine, c, 0, 0, 0, 1};
            memcpy(state, turn, sizeof turn);
            for (int k = 0; k < 3; k++)
                state[9 + k] = far + 1.5 * world_unit(&seed);
            for (uint32_t j = 0; j < FIELDS; j++)
                state[12 + j] = 0.3 * world_unit(&seed);
            free_xyz[s][b] = malloc(scalars * sizeof(double));
            for (size_t i = 0; i < scalars; i++)
                free_xyz[s][b][i] = world_float(mesh[b].rest[i] + state[9 + i % 3]);
        }
    }
}

void drop_world(void)
{
    for (uint32_t b = 0; b < BODIES; b++) {
        mesh_free(&mesh[b]);
        free(reduced[b].fields);
        for (uint32_t s = 0; s < STEPS; s++) {
            free(reduced[b].state[s]);
            free(free_xyz[s][b]);
        }
    }
}

void vertex_of(uint32_t b, uint32_t s, size_t v, double out[3])
{
    const double *state = reduced[b].state[s];
    double d[3];
    if (!reduced[b].used) {
        memcpy(out, free_xyz[s][b] + 3 * v, 3 * sizeof *out);
        return;
    }
    for (size_t k = 0; k < 3; k++) {
        d[k] = mesh[b].rest[3 * v + k];
        for (size_t j = 0; j < reduced[b].field_count; j++)
            d[k] += (double)reduced[b].fields[3 * (j * mesh[b].vertex_count + v) + k] *
                    state[12 + j];
    }
    for (size_t k = 0; k < 3; k++)
        out[k] = ((state[3 * k] * d[0] + state[3 * k + 1] * d[1]) + state[3 * k + 2] * d[2]) +
                 state[9 + k];
}

void sphere_of(const shl_reduced *m, uint32_t b, uint32_t s, uint32_t i, double out[4])
{
    const double *state = reduced[b].state[s];
    const float *rows = shl_sphere_block(m, m->sphere_node[i]) + shl_sphere_lane(m, i);
    double d[3];
    for (size_t row = 0; row < 4; row++) {
        double sum = rows[8 * row];
        for (size_t j = 0; j < m->field_count; j++)
            sum += (double)rows[8 * (4 * (j + 1) + row)] *
                   (row < 3 ? state[12 + j] : fabs(state[12 + j]));
        if (row < 3)
            d[row] = sum;
        else
            out[3] = sum;
    }
    for (size_t k = 0; k < 3; k++)
        out[k] = ((state[3 * k] * d[0] + state[3 * k + 1] * d[1]) + state[3 * k + 2] * d[2]) +
                 state[9 + k];
}

static size_t brute(shoal_scene *scene, uint32_t s, uint32_t a, uint32_t b,
                    shoal_sphere_contact *out)
{
    const shl_reduced *ma = inside_reduced(scene, a)->model,
                      *mb = levels[b] >= 0 ? inside_reduced(scene, b)->model : NULL;
    const uint32_t elements = mb ? mb->sphere_count : mesh[b].triangle_count;
    size_t n = 0;
    for (uint32_t i = 0; i < ma->sphere_count; i++) {
        double x[4];
        sphere_of(ma, a, s, i, x);
        for (uint32_t k = 0; k < elements; k++) {
            shoal_sphere_contact c = {a, i, b, k, 0, {0}, {0}};
            bool met;
            if (mb) {
                double y[4], square = 0;
                sphere_of(mb, b, s, k, y);
                square = ((y[0] - x[0]) * (y[0] - x[0]) + (y[1] - x[1]) * (y[1] - x[1])) +
                         (y[2] - x[2]) * (y[2] - x[2]);
                const double distance = sqrt(square);
                met = distance <= x[3] + y[3];
                c.depth = (x[3] + y[3]) - distance;
                for (int axis = 0; axis < 3; axis++) {
                    c.normal[axis] = (y[axis] - x[axis]) / distance;
                    c.position[axis] = x[axis] + c.normal[axis] * (x[3] - 0.5 * c.depth);
                }
            } else {
                double corners[9];
                for (int v = 0; v < 3; v++)
                    vertex_of(b, s, mesh[b].tri[3 * k + (uint32_t)v], corners + 3 * v);
                met = shl_sphere_triangle(&(shl_sphere){{x[0], x[1], x[2]}, x[3]}, corners, &c);
            }
            if (met)
                out[n++] = c;
        }
    }
    return n;
}

size_t contacts_by_force(shoal_scene *scene, uint32_t s, const rules *who,
                         shoal_sphere_contact *out, size_t found[2])
{
    size_t n = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        for (uint32_t b = a + 1; b < BODIES; b++) {
            if ((levels[a] < 0 && levels[b] < 0) || !rules_meet(who, a, b))
                continue;
            const size_t more = levels[a] >= 0 ? brute(scene, s, a, b, out + n)
                                               : brute(scene, s, b, a, out + n);
            n += more;
            found[levels[a] < 0 || levels[b] < 0] += more;
        }
    }
    return n;
}
