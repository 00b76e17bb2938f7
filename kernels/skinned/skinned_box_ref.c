// SPDX-License-Identifier: MIT
#include "kernels/skinned/skinned_box.h"

#include "kernels/skinned/skinned_open.h"

#include <math.h>
#include <string.h>

enum { L = SHL_LANES, FACES = 6 };

static float total(const float lanes[L])
{
    float pairs[4];
    for (int i = 0; i < 4; i++)
        pairs[i] = lanes[i] + lanes[i + 4];
    return (pairs[0] + pairs[2]) + (pairs[1] + pairs[3]);
}

// Six faces of the box of what point j acts on, in its lane.
static void fill_faces(const shl_skinned *m, const shl_skinned_ready *r, size_t j, float *row)
{
    for (size_t k = 0; k < 3; k++) {
        float w = r->columns[shl_group_at(j, SHL_MAP_ROWS, 9 + k)], e = 0;
        for (size_t l = 0; l < 3; l++) {
            const float a = r->columns[shl_group_at(j, SHL_MAP_ROWS, 3 * k + l)];
            w = fmaf(a, m->zone[shl_group_at(j, SHL_ZONE_ROWS, l)], w);
            e = fmaf(fabsf(a), m->zone[shl_group_at(j, SHL_ZONE_ROWS, 3 + l)], e);
        }
        row[k * L] = w + e;
        row[(3 + k) * L] = e - w;
    }
}

typedef struct sums {
    float least[L], vary[L], base[FACES][L], vary_base[FACES][L], top[FACES][L];
} sums;

static float vary_of(const shl_skinned *m, size_t j)
{
    return m->zone[shl_group_at(j, SHL_ZONE_ROWS, 7)];
}

static void add_faces(const shl_skinned *m, size_t j, const float *row, sums *s)
{
    const size_t lane = j % L;
    const float vary = vary_of(m, j), least = m->zone[shl_group_at(j, SHL_ZONE_ROWS, 6)];
    s->least[lane] += least;
    s->vary[lane] += vary;
    for (int f = 0; f < FACES; f++) {
        const float value = row[f * L];
        s->base[f][lane] = fmaf(least, value, s->base[f][lane]);
        s->vary_base[f][lane] = fmaf(vary, value, s->vary_base[f][lane]);
        s->top[f][lane] = fmaxf(s->top[f][lane], value);
    }
}

// g and its slope, but for what does not depend on `at`.
static void dual(const shl_skinned *m, const float *scratch, int f, float at, float *over,
                 float *mass)
{
    float beyond_sum[L] = {0}, mass_sum[L] = {0};
    for (size_t j = 0; j < m->padded; j++) {
        const float *row = scratch + j / L * SHL_SCRATCH_FLOATS + j % L;
        const float vary = vary_of(m, j), beyond = row[f * L] - at;
        beyond_sum[j % L] = fmaf(vary, fmaxf(beyond, 0), beyond_sum[j % L]);
        mass_sum[j % L] += beyond > 0 ? vary : 0;
    }
    *over = total(beyond_sum);
    *mass = total(mass_sum);
}

static float least_of(const shl_skinned *m, const float *scratch, int f, const sums *s,
                      float most)
{
    const float rest = 1 - total(s->least), vary = total(s->vary);
    const float base = total(s->base[f]), vary_base = total(s->vary_base[f]);
    float top = s->top[f][0];
    for (int i = 1; i < L; i++)
        top = fmaxf(top, s->top[f][i]);
    float down = base + vary_base, down_slope = rest - vary;
    float up = base, up_slope = rest, best = INFINITY;
    float guess = top - (2 * (rest / vary)) * (top - vary_base / vary);
    for (int round = 0; round < SHL_ROOT_ROUNDS; round++) {
        const float at = up_slope - down_slope > 0 ? fminf(fmaxf(guess, -most), most) : 0;
        float over, mass;
        dual(m, scratch, f, at, &over, &mass);
        const float slope = rest - mass, g = (base + rest * at) + over, line = g - slope * at;
        best = fminf(best, g);
        if (slope > 0) {
            up = line;
            up_slope = slope;
        } else {
            down = line;
            down_slope = slope;
        }
        guess = (down - up) / (up_slope - down_slope);
    }
    return best;
}

void shl_skinned_box_ref(const shl_skinned *m, const shl_skinned_ready *r, float *scratch,
                         shl_box *out)
{
    sums s;
    memset(&s, 0, sizeof s);
    for (int i = 0; i < FACES * L; i++)
        s.top[i / L][i % L] = -r->most;
    for (size_t j = 0; j < m->padded; j++) {
        float *row = scratch + j / L * SHL_SCRATCH_FLOATS + j % L;
        fill_faces(m, r, j, row);
        add_faces(m, j, row, &s);
    }
    const size_t added = m->padded / L + 4;
    const float more = r->slack_term * (float)added;
    for (int k = 0; k < 3; k++) {
        const float hi = least_of(m, scratch, k, &s, r->most),
                    lo = least_of(m, scratch, 3 + k, &s, r->most);
        out->hi[k] = r->base[k] + (fminf(hi, r->most) + (r->slack[k] + more));
        out->lo[k] = r->base[k] - (fminf(lo, r->most) + (r->slack[k] + more));
    }
}
