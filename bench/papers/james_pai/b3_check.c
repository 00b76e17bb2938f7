// SPDX-License-Identifier: MIT
// Contacts by brute force: the formula of shoal/reduced.h, and no tree.
#include "bench/papers/james_pai/b3.h"
#include "runtime/context.h"
#include "scenes/math/portable_math.h"
#include "scenes/shapes/chair.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 1000, CHAIRS = BENCH_PILE_CHAIRS };

// The contact spheres of all bodies.
typedef struct spheres {
    uint32_t each;         // of a body
    double *x, *y, *z, *r; // [CHAIRS][each]
    double (*around)[4];   // [CHAIRS] a sphere around them
} spheres;

static void put_sphere(spheres *s, const shl_reduced *m, const double *state, size_t body,
                       uint32_t i)
{
    const float *rows = shl_sphere_block(m, m->sphere_node[i]) + shl_sphere_lane(m, i);
    const size_t n = CHAIRS, at = body * s->each + i;
    double d[4], *const to[3] = {&s->x[at], &s->y[at], &s->z[at]};
    for (size_t row = 0; row < 4; row++) {
        d[row] = (double)rows[8 * row];
        for (size_t j = 0; j < m->field_count; j++) {
            const double q = state[(12 + j) * n + body];
            d[row] += (double)rows[8 * (4 * (j + 1) + row)] * (row < 3 ? q : fabs(q));
        }
    }
    for (size_t k = 0; k < 3; k++)
        *to[k] = ((state[3 * k * n + body] * d[0] + state[(3 * k + 1) * n + body] * d[1]) +
                  state[(3 * k + 2) * n + body] * d[2]) +
                 state[(9 + k) * n + body];
    s->r[at] = d[3];
}

static void put_around(spheres *s, size_t body)
{
    double *to = s->around[body], mean[3] = {0}, most = 0;
    for (size_t at = body * s->each; at < (body + 1) * s->each; at++) {
        mean[0] += s->x[at] / s->each;
        mean[1] += s->y[at] / s->each;
        mean[2] += s->z[at] / s->each;
    }
    for (size_t at = body * s->each; at < (body + 1) * s->each; at++) {
        const double d[3] = {s->x[at] - mean[0], s->y[at] - mean[1], s->z[at] - mean[2]};
        most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + s->r[at]);
    }
    for (int k = 0; k < 3; k++)
        to[k] = mean[k];
    to[3] = most * (1 + 1e-9);
}

typedef struct pair {
    uint32_t a, b;
} pair;

static bool near(const spheres *s, uint32_t a, uint32_t b)
{
    const double *x = s->around[a], *y = s->around[b], sum = x[3] + y[3];
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= sum * sum;
}

// Where the contacts of two bodies begin in the list, which is sorted by them.
static size_t find(const shoal_sphere_contact *found, size_t count, pair p)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        const shoal_sphere_contact *c = &found[middle];
        if (c->body_a < p.a || (c->body_a == p.a && c->body_b < p.b))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

// Contacts are listed by the spheres of a, then of b, which is the order of these loops.
static void look(const spheres *s, const shoal_sphere_contact *found, size_t count, pair p,
                 bench_missed *out)
{
    size_t at = find(found, count, p);
    const double *bx = s->x + (size_t)p.b * s->each, *by = s->y + (size_t)p.b * s->each;
    const double *bz = s->z + (size_t)p.b * s->each, *br = s->r + (size_t)p.b * s->each;
    for (uint32_t i = 0; i < s->each; i++) {
        const size_t a = (size_t)p.a * s->each + i;
        const double ax = s->x[a], ay = s->y[a], az = s->z[a], ar = s->r[a];
        for (uint32_t k = 0; k < s->each; k++) {
            const double d[3] = {bx[k] - ax, by[k] - ay, bz[k] - az};
            const double square = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], sum = ar + br[k];
            // the root decides, but it need not be taken far away
            if (square > 1.0001 * sum * sum || !(sqrt(square) <= sum))
                continue;
            const bool listed = at < count && found[at].body_a == p.a &&
                                found[at].body_b == p.b && found[at].sphere_a == i &&
                                found[at].element_b == k;
            out->contacts++;
            out->wrong += !listed;
            at += listed;
        }
    }
    // what is left of this pair is no contact
    for (; at < count && found[at].body_a == p.a && found[at].body_b == p.b; at++)
        out->wrong++;
}

static shoal_status sample(const spheres *s, const shoal_sphere_contact *found, size_t count,
                           uint64_t seed, bench_missed *out)
{
    size_t pairs = 0, room = 0;
    pair *list = NULL;
    for (uint32_t a = 0; a < CHAIRS; a++) {
        for (uint32_t b = a + 1; b < CHAIRS; b++) {
            if (!near(s, a, b))
                continue;
            if (pairs == room) {
                room = room ? 2 * room : 4096;
                pair *more = realloc(list, room * sizeof *list);
                if (!more) {
                    free(list);
                    return SHOAL_ERR_MEMORY;
                }
                list = more;
            }
            list[pairs++] = (pair){a, b};
        }
    }
    out->near_pairs += pairs;
    for (int i = 0; i < SAMPLE && pairs; i++) { // drawn without putting back
        const size_t at = shl_random(&seed) % pairs;
        look(s, found, count, list[at], out);
        list[at] = list[--pairs];
        out->looked_at++;
    }
    free(list);
    return SHOAL_OK;
}

shoal_status bench_pile_check(const shoal_model *model, const double *state,
                              const shoal_sphere_contact *found, size_t count, uint64_t seed,
                              bench_missed *out)
{
    const shl_reduced *m = &model->reduced;
    const size_t all = (size_t)CHAIRS * m->sphere_count;
    spheres s = {m->sphere_count,           malloc(all * sizeof *s.x),
                 malloc(all * sizeof *s.y), malloc(all * sizeof *s.z),
                 malloc(all * sizeof *s.r), malloc(CHAIRS * sizeof *s.around)};
    shoal_status st = s.x && s.y && s.z && s.r && s.around ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (size_t body = 0; body < CHAIRS && st == SHOAL_OK; body++) {
        for (uint32_t i = 0; i < s.each; i++)
            put_sphere(&s, m, state, body, i);
        put_around(&s, body);
    }
    if (st == SHOAL_OK)
        st = sample(&s, found, count, seed, out);
    free(s.x);
    free(s.y);
    free(s.z);
    free(s.r);
    free(s.around);
    return st;
}
