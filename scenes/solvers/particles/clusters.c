// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/clusters.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

static bool grow(void *column, size_t size, size_t count)
{
    void **at = column;
    void *more = realloc(*at, count * size);
    if (more)
        *at = more;
    return more != NULL;
}

static bool reserve(shl_clusters *c, uint32_t groups, uint32_t members)
{
    if (groups > c->list_capacity) {
        const uint32_t want = 2 * groups;
        if (!grow(&c->list, sizeof *c->list, want))
            return false;
        c->list_capacity = want;
    }
    if (members > c->member_capacity) {
        const size_t want = 2 * (size_t)members;
        if (!grow(&c->member, sizeof *c->member, want) ||
            !grow(&c->share, sizeof *c->share, want) ||
            !grow(&c->rest, sizeof *c->rest, 3 * want) ||
            !grow(&c->pull, sizeof *c->pull, 3 * want))
            return false;
        c->member_capacity = (uint32_t)want;
    }
    return true;
}

shoal_status shl_clusters_add(shl_clusters *c, const shl_particles *particles,
                              const uint32_t *members, uint32_t count)
{
    if (count > UINT32_MAX / 6 - c->member_count || c->count > UINT32_MAX / 4)
        return SHOAL_ERR_LIMIT;
    if (!reserve(c, c->count + 1, c->member_count + count))
        return SHOAL_ERR_MEMORY;
    const uint32_t begin = c->member_count;
    for (size_t i = 0; i < count; i++) {
        c->member[begin + i] = members[i];
        c->share[begin + i] = particles->mass[members[i]];
        for (size_t k = 0; k < 3; k++)
            c->rest[3 * (begin + i) + k] = c->pull[3 * (begin + i) + k] = 0;
    }
    c->member_count += count;
    c->list[c->count++] = (shl_cluster){begin, begin + count, {1, 0, 0, 0}};
    return SHOAL_OK;
}

// Mean place by mass.
static void centre_of(const shl_clusters *c, const shl_cluster *g, const double *places,
                      double out[3])
{
    double mass = 0;
    out[0] = out[1] = out[2] = 0;
    for (size_t i = g->begin; i < g->end; i++) {
        shl_add(out, c->share[i], places + 3 * (size_t)c->member[i]);
        mass += c->share[i];
    }
    for (int k = 0; k < 3; k++)
        out[k] /= mass;
}

shoal_status shl_clusters_share(shl_clusters *c, const shl_particles *particles,
                                const double *places)
{
    const size_t count = particles->count;
    uint32_t *groups = calloc(count ? count : 1, sizeof *groups);
    if (!groups)
        return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < c->member_count; i++)
        groups[c->member[i]]++;
    for (size_t i = 0; i < c->member_count; i++)
        c->share[i] = particles->mass[c->member[i]] / groups[c->member[i]];
    free(groups);
    for (uint32_t g = 0; g < c->count; g++) {
        double centre[3];
        centre_of(c, &c->list[g], places, centre);
        for (size_t i = c->list[g].begin; i < c->list[g].end; i++) {
            for (size_t k = 0; k < 3; k++)
                c->rest[3 * i + k] = places[3 * (size_t)c->member[i] + k] - centre[k];
        }
    }
    if (particles->count > c->moves_capacity) {
        if (!grow(&c->moves, sizeof *c->moves, 3 * (size_t)particles->capacity))
            return SHOAL_ERR_MEMORY;
        c->moves_capacity = particles->capacity;
    }
    return SHOAL_OK;
}

void shl_clusters_finish(shl_clusters *c)
{
    free(c->list);
    free(c->member);
    free(c->share);
    free(c->rest);
    free(c->pull);
    free(c->moves);
    *c = (shl_clusters){0};
}

void shl_clusters_begin(shl_clusters *c)
{
    for (size_t i = 0; i < 3 * (size_t)c->member_count; i++)
        c->pull[i] = 0;
}

// Solves (trace - 1) of the symmetric part of w times `by` = right: Newton's step. False where
// the rotation is too far away for it to lead to the nearest one.
static bool newton(const double w[9], const double right[3], double by[3])
{
    double h[9], inverse[9];
    for (int i = 0; i < 9; i++)
        h[i] = (i % 4 ? 0 : w[0] + w[4] + w[8]) - 0.5 * (w[i] + w[i % 3 * 3 + i / 3]);
    const double minor = h[0] * h[4] - h[1] * h[3], size = w[0] + w[4] + w[8];
    const double det =
        h[2] * (h[3] * h[7] - h[4] * h[6]) - h[5] * (h[0] * h[7] - h[1] * h[6]) + h[8] * minor;
    if (!(h[0] > 0 && minor > 0 && det > 1e-9 * size * size * size))
        return false;
    shl_invert(h, inverse);
    shl_apply(inverse, right, by);
    return true;
}

void shl_nearest_turn(const double m[9], double turn[4])
{
    for (int round = 0; round < 50; round++) {
        double r[9], w[9], by[3];
        shl_quaternion_matrix(turn, r);
        for (int i = 0; i < 9; i++) // m times r transposed, symmetric once r is the answer
            w[i] = shl_dot(m + i / 3 * 3, r + i % 3 * 3);
        const double right[3] = {w[7] - w[5], w[2] - w[6], w[3] - w[1]};
        const double scale = fabs(w[0] + w[4] + w[8]);
        if (scale == 0)
            return;
        if (!newton(w, right, by)) {
            for (int k = 0; k < 3; k++)
                by[k] = right[k] / scale;
        }
        const double square = shl_dot(by, by);
        for (int k = 0; k < 3 && square > 1; k++) // a radian at most
            by[k] /= sqrt(square);
        shl_turn_further(turn, by);
        if (square < 1e-26)
            return;
    }
}

static void match_one(shl_clusters *c, shl_cluster *g, const shl_particles *particles,
                      double stiffness)
{
    double centre[3], m[9] = {0}, r[9];
    centre_of(c, g, particles->p, centre);
    for (size_t i = g->begin; i < g->end; i++) {
        const double *p = particles->p + 3 * (size_t)c->member[i], *q = c->rest + 3 * i;
        for (int k = 0; k < 3; k++) {
            const double weighed = c->share[i] * (p[k] - centre[k]);
            for (int j = 0; j < 3; j++)
                m[3 * k + j] += weighed * q[j];
        }
    }
    shl_nearest_turn(m, g->turn);
    shl_quaternion_matrix(g->turn, r);
    for (size_t i = g->begin; i < g->end; i++) {
        const size_t at = c->member[i];
        double goal[3];
        shl_apply(r, c->rest + 3 * i, goal);
        const double part = particles->inverse[at] * c->share[i];
        for (size_t k = 0; k < 3; k++) {
            const double way = stiffness * (centre[k] + goal[k] - particles->p[3 * at + k]);
            c->pull[3 * i + k] += c->share[i] * way;
            c->moves[3 * at + k] += part * way;
        }
    }
}

void shl_clusters_match(shl_clusters *c, shl_particles *particles, double stiffness)
{
    const size_t numbers = 3 * (size_t)particles->count;
    memset(c->moves, 0, numbers * sizeof *c->moves);
    for (uint32_t g = 0; g < c->count; g++)
        match_one(c, &c->list[g], particles, stiffness);
    for (size_t i = 0; i < numbers; i++)
        particles->p[i] += c->moves[i];
}
