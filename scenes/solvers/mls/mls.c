// SPDX-License-Identifier: MIT
#include "scenes/solvers/mls/mls.h"

#include "scenes/math/vec.h"
#include "volume/controls.h"

#include <stdlib.h>

enum { TURNS = 16, POWER_ROUNDS = 60 };
static const double flat = 1e-3;         // a stretch that leaves the rotation unclear
static const double still = 1e-8;        // radians: the turn after it is smaller than rounding
static const double step_share = 0.5;    // of the longest stable step
static const double least_volume = 1e-5; // of a neighbourhood, over that of a ball

// The turn that brings r nearer to the rotation in m, of which q = m r^T. Newton's step where
// there is one, else a shorter one that always leads on (Mueller et al. 2016).
static void turn_towards(const double q[9], double by[3])
{
    const double axial[3] = {q[7] - q[5], q[2] - q[6], q[3] - q[1]};
    const double trace = q[0] + q[4] + q[8];
    double g[9], inverse[9];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            g[3 * i + k] = (i == k ? trace : 0) - 0.5 * (q[3 * i + k] + q[3 * k + i]);
    }
    const double minor = g[0] * g[4] - g[1] * g[3];
    const double det =
        minor * g[8] - g[5] * (g[0] * g[7] - g[1] * g[6]) + g[2] * (g[3] * g[7] - g[4] * g[6]);
    if (g[0] > flat && minor > flat && det > flat) {
        shl_invert(g, inverse);
        shl_apply(inverse, axial, by);
        if (shl_dot(by, by) < 1)
            return;
    }
    // half a turn away nothing pulls either way
    static const double nudge[3] = {0.3, 0.2, 0.1};
    const bool poised = shl_dot(axial, axial) < 1e-16 * (1e-9 + trace * trace);
    for (int k = 0; k < 3; k++)
        by[k] = poised ? nudge[k] : axial[k] / (fabs(trace) + 1e-9);
}

void shl_rotation_of(const double m[9], double turn[4])
{
    for (int round = 0; round < TURNS; round++) {
        double r[9], q[9], by[3];
        shl_quaternion_matrix(turn, r);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                q[3 * i + k] = shl_dot(m + 3 * i, r + 3 * k);
        }
        turn_towards(q, by);
        shl_turn_further(turn, by);
        if (shl_dot(by, by) < still * still)
            return;
    }
}

static void gradient(const shl_mls *m, const double *y, size_t i, double f[9])
{
    memset(f, 0, 9 * sizeof *f);
    for (size_t e = m->begin[i]; e < m->begin[i + 1]; e++) {
        const double *to = y + 3 * (size_t)m->other[e], *g = m->slope + 3 * e;
        for (size_t k = 0; k < 3; k++)
            shl_add(f + 3 * k, to[k] - y[3 * i + k], g);
    }
}

void shl_mls_gradients(const shl_mls *m, const double *y, double *gradients)
{
    for (size_t i = 0; i < m->count; i++)
        gradient(m, y, i, gradients + 9 * i);
}

// Stress, and the energy in a unit of volume. Without a turn all rotations are 1.
static double stress(const shl_mls *m, const double f[9], double *turn, double out[9])
{
    double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, trace = -3, square = 0;
    if (turn) {
        shl_rotation_of(f, turn);
        shl_quaternion_matrix(turn, r);
    }
    for (int e = 0; e < 9; e++)
        trace += r[e] * f[e];
    for (int e = 0; e < 9; e++) {
        const double d = f[e] - r[e];
        square += d * d;
        out[e] = 2 * m->mu * d + m->lambda * trace * r[e];
    }
    return m->mu * square + 0.5 * m->lambda * trace * trace;
}

double shl_mls_forces(const shl_mls *m, const double *y, const double *v, const double *couple,
                      double *turn, double *force)
{
    double energy = 0;
    for (size_t i = 0; i < m->count; i++) {
        double f[9], p[9];
        gradient(m, y, i, f);
        energy += m->volume[i] * stress(m, f, turn ? turn + 4 * i : NULL, p);
        for (size_t e = 0; e < 9; e++)
            p[e] = (couple ? couple[9 * i + e] : 0) - m->volume[i] * p[e];
        for (size_t e = m->begin[i]; e < m->begin[i + 1]; e++) {
            const size_t j = m->other[e];
            double push[3], fitted[3], apart[3], faster[3], left[3];
            shl_apply(p, m->slope + 3 * e, push);
            shl_apply(f, m->offset + 3 * e, fitted);
            for (size_t k = 0; k < 3; k++) {
                apart[k] = y[3 * j + k] - y[3 * i + k];
                left[k] = apart[k] - fitted[k];
                faster[k] = v ? v[3 * j + k] - v[3 * i + k] : 0;
            }
            const double hold = m->spring[i] * m->weight[e] * m->def.hold;
            energy += 0.5 * hold * shl_dot(left, left);
            shl_add(push, -hold, left);
            const double square = shl_dot(apart, apart);
            if (v && square > 0)
                shl_add(push,
                        -m->def.damping * m->spring[i] * m->weight[e] * shl_dot(faster, apart) /
                            square,
                        apart);
            shl_add(force + 3 * j, 1, push);
            shl_add(force + 3 * i, -1, push);
        }
    }
    return energy;
}

// The neighbours of one node: the nearest ones, weights falling to 0 at the next.
static void connect(shl_mls *m, size_t i, uint32_t *near)
{
    const double *at = m->rest + 3 * i;
    double square[SHL_MLS_NEIGHBOURS + 2], moment[9] = {0}, trace = 0, inverse[9];
    const uint32_t found =
        shl_nearest_points(m->rest, m->count, at, SHL_MLS_NEIGHBOURS + 2, near, square);
    const double far =
        found < SHL_MLS_NEIGHBOURS + 2 ? 1.5 * square[found - 1] : square[found - 1];
    size_t e = m->begin[i];
    for (uint32_t n = 0; n < found; n++) {
        const double t = far > 0 ? 1 - square[n] / far : 0;
        if (near[n] == i || !(t > 0))
            continue;
        m->other[e] = near[n];
        m->weight[e] = t * t * t;
        for (size_t k = 0; k < 3; k++)
            m->offset[3 * e + k] = m->rest[3 * (size_t)near[n] + k] - at[k];
        for (size_t k = 0; k < 3; k++)
            shl_add(moment + 3 * k, m->weight[e] * m->offset[3 * e + k], m->offset + 3 * e);
        e++;
    }
    m->begin[i + 1] = (uint32_t)e;
    for (int k = 0; k < 3; k++)
        trace += moment[4 * k];
    m->spring[i] = trace > 0 ? m->volume[i] * m->def.young / trace : 0;
    // neighbours in a plane or on a line say nothing of the other directions
    double normal[3];
    shl_cross(moment, moment + 3, normal);
    const double det = shl_dot(normal, moment + 6), ball = trace / 3;
    for (int k = 0; k < 3 && det < least_volume * ball * ball * ball; k++)
        moment[4 * k] += 0.02 * trace + 1e-300;
    shl_invert(moment, inverse);
    for (e = m->begin[i]; e < m->begin[i + 1]; e++) {
        shl_apply(inverse, m->offset + 3 * e, m->slope + 3 * e);
        for (size_t k = 0; k < 3; k++)
            m->slope[3 * e + k] *= m->weight[e];
    }
}

// The square of the highest frequency, by powers of the forces for small motion without turns,
// which are stiffer than with them. With `damped` what damping alone would have for it.
static double highest(const shl_mls *m, bool damped, double *y, double *d, double *f)
{
    const size_t n = 3 * (size_t)m->count;
    uint64_t state = 7;
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        d[i] = shl_random_signed(&state);
    for (int round = 0; round < POWER_ROUNDS; round++) {
        double square = 0;
        for (size_t i = 0; i < n; i++)
            square += d[i] * d[i];
        const double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < n; i++) {
            d[i] *= scale;
            y[i] = m->rest[i] + (damped ? 0 : d[i]);
            f[i] = 0;
        }
        (void)shl_mls_forces(m, y, damped ? d : NULL, NULL, NULL, f);
        largest = 0;
        for (size_t i = 0; i < n; i++) {
            d[i] = -f[i] / m->mass[i / 3];
            largest += d[i] * d[i];
        }
        largest = sqrt(largest);
    }
    return largest;
}

static bool find_step(shl_mls *m)
{
    const size_t n = 3 * (size_t)m->count;
    double *memory = malloc(3 * n * sizeof *memory);
    if (!memory)
        return false;
    // d'' = - a d - b d' is stable in steps below (sqrt(b^2 + 4 a) - b) / a
    const double a = highest(m, false, memory, memory + n, memory + 2 * n);
    const double b = highest(m, true, memory, memory + n, memory + 2 * n);
    m->longest_step = a > 0 ? step_share * (sqrt(b * b + 4 * a) - b) / a : 1;
    free(memory);
    return true;
}

shoal_status shl_mls_create(const shl_mls_def *def, shl_mls *m)
{
    *m = (shl_mls){.def = *def, .count = def->count};
    const size_t n = def->count, most = n * (SHL_MLS_NEIGHBOURS + 1);
    m->rest = malloc(3 * n * sizeof *m->rest);
    m->mass = malloc(n * sizeof *m->mass);
    m->volume = malloc(n * sizeof *m->volume);
    m->begin = calloc(n + 1, sizeof *m->begin);
    m->other = malloc(most * sizeof *m->other);
    m->offset = malloc(3 * most * sizeof *m->offset);
    m->slope = malloc(3 * most * sizeof *m->slope);
    m->weight = malloc(most * sizeof *m->weight);
    m->spring = calloc(n, sizeof *m->spring);
    bool room = m->rest && m->mass && m->volume && m->begin && m->other && m->offset &&
                m->slope && m->weight && m->spring;
    m->mu = def->young / (2 * (1 + def->poisson));
    m->lambda = def->young * def->poisson / ((1 + def->poisson) * (1 - 2 * def->poisson));
    if (room) {
        uint32_t near[SHL_MLS_NEIGHBOURS + 2];
        for (uint32_t i = 0; i < SHL_MLS_NEIGHBOURS + 2; i++)
            near[i] = i;
        memcpy(m->rest, def->nodes, 3 * n * sizeof *m->rest);
        memcpy(m->volume, def->volume, n * sizeof *m->volume);
        for (size_t i = 0; i < n; i++)
            m->mass[i] = def->density * def->volume[i];
        for (size_t i = 0; i < n; i++)
            connect(m, i, near);
        room = find_step(m);
    }
    m->def.nodes = m->rest;
    m->def.volume = m->volume;
    if (!room)
        shl_mls_finish(m);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_mls_finish(shl_mls *m)
{
    free(m->rest);
    free(m->mass);
    free(m->volume);
    free(m->begin);
    free(m->other);
    free(m->offset);
    free(m->slope);
    free(m->weight);
    free(m->spring);
    memset(m, 0, sizeof *m);
}
