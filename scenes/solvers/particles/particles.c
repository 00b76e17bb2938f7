// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool grow(double **column, size_t have, size_t want)
{
    double *more = realloc(*column, want * sizeof **column);
    if (!more)
        return false;
    memset(more + have, 0, (want - have) * sizeof *more);
    *column = more;
    return true;
}

static shoal_status reserve(shl_particles *t, uint32_t count)
{
    if (count <= t->capacity)
        return SHOAL_OK;
    const size_t have = t->capacity, want = count + (size_t)count / 2;
    if (want > UINT32_MAX / 3)
        return SHOAL_ERR_LIMIT;
    if (!grow(&t->x, 3 * have, 3 * want) || !grow(&t->p, 3 * have, 3 * want) ||
        !grow(&t->v, 3 * have, 3 * want) || !grow(&t->mass, have, want) ||
        !grow(&t->inverse, have, want))
        return SHOAL_ERR_MEMORY;
    t->capacity = (uint32_t)want;
    return SHOAL_OK;
}

shoal_status shl_particles_add(shl_particles *t, uint32_t count, const double *xyz,
                               const double *masses, double mass, uint32_t *first)
{
    *first = t->count;
    if (count > UINT32_MAX / 6 - t->count)
        return SHOAL_ERR_LIMIT;
    const shoal_status st = reserve(t, t->count + count);
    if (st != SHOAL_OK)
        return st;
    const size_t at = t->count;
    memcpy(t->x + 3 * at, xyz, 3 * (size_t)count * sizeof *xyz);
    memcpy(t->p + 3 * at, xyz, 3 * (size_t)count * sizeof *xyz);
    memset(t->v + 3 * at, 0, 3 * (size_t)count * sizeof *xyz);
    for (size_t i = 0; i < count; i++) {
        const double m = masses ? masses[i] : mass;
        t->mass[at + i] = m;
        t->inverse[at + i] = m > 0 ? 1 / m : 0;
    }
    t->count += count;
    return SHOAL_OK;
}

void shl_particles_finish(shl_particles *t)
{
    free(t->x);
    free(t->p);
    free(t->v);
    free(t->mass);
    free(t->inverse);
    *t = (shl_particles){0};
}

void shl_particles_predict(shl_particles *t, const double gravity[3], double step,
                           double fastest)
{
    memcpy(t->x, t->p, 3 * (size_t)t->count * sizeof *t->x);
    for (size_t i = 0; i < t->count; i++) {
        if (t->inverse[i] == 0)
            continue;
        double *v = t->v + 3 * i, square = 0;
        for (int k = 0; k < 3; k++) {
            v[k] += step * gravity[k];
            square += v[k] * v[k];
        }
        const double slow = square > fastest * fastest ? fastest / sqrt(square) : 1;
        for (size_t k = 0; k < 3; k++) {
            v[k] *= slow;
            t->p[3 * i + k] += step * v[k];
        }
    }
}

void shl_particles_settle(shl_particles *t, double step, double keep)
{
    for (size_t i = 0; i < 3 * (size_t)t->count; i++)
        t->v[i] = keep * (t->p[i] - t->x[i]) / step;
}
