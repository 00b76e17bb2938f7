// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_slant.h"

#include "kernels/reduced/reduced_open.h"

#include <math.h>

enum { L = SHL_LANES };

static float dot(const float a[3], const float b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// What one lane of the affine body works out: centre, edges, and how far vertices stray.
typedef struct tilted {
    float c[3], e[3][3], rest;
} tilted;

static tilted tilted_at(const float *block, uint32_t field_count,
                        const shl_reduced_ready *ready, uint32_t lane)
{
    tilted out;
    float m[3], a[9], rest = 0;
    const float *rest_row = block + lane, *field_row = block + 6 * L + lane;
    for (uint32_t i = 0; i < 9; i++)
        a[i] = i % 4 == 0;
    for (uint32_t k = 0; k < 3; k++)
        m[k] = rest_row[k * L];
    for (uint32_t j = 0; j < field_count; j++, field_row += 13 * L) {
        const float s = ready->weight[j];
        for (uint32_t k = 0; k < 3; k++)
            m[k] += s * field_row[k * L];
        rest += fabsf(s) * field_row[3 * L];
        for (uint32_t i = 0; i < 9; i++)
            a[i] += s * field_row[(4 + i) * L];
    }
    out.rest = rest * ready->stretch;
    for (uint32_t k = 0; k < 3; k++) {
        const float *t = ready->turn + 3 * k;
        out.c[k] = ready->base[k] + (0.5f * (ready->hi[k] + ready->lo[k]) + dot(t, m));
        for (uint32_t i = 0; i < 3; i++)
            out.e[i][k] =
                dot(t, (const float[3]){a[i], a[3 + i], a[6 + i]}) * rest_row[(3 + i) * L];
    }
    return out;
}

// The normal of u and v, of length 1; 0 if they have none.
static void normal_of(const float u[3], const float v[3], float n[3])
{
    float most = 0, a[3], b[3];
    for (int k = 0; k < 3; k++) {
        const float both = fabsf(u[k]) > fabsf(v[k]) ? fabsf(u[k]) : fabsf(v[k]);
        most = most > both ? most : both;
    }
    const float inverse = most > SHL_SLANT_EDGE_LEAST ? 1 / most : 0;
    for (int k = 0; k < 3; k++) {
        a[k] = u[k] * inverse;
        b[k] = v[k] * inverse;
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        n[k] = a[l] * b[m] - a[m] * b[l];
    }
    const float square = dot(n, n), scale = square > SHL_SLANT_LEAST ? 1 / sqrtf(square) : 0;
    for (int k = 0; k < 3; k++)
        n[k] *= scale;
}

static float slack_of(const shl_reduced_ready *ready)
{
    float most = 0;
    for (int k = 0; k < 3; k++) {
        const float half = 0.5f * (ready->hi[k] - ready->lo[k]);
        most = most > half ? most : half;
    }
    return SHL_SLANT_SLACK * most;
}

static void store(const tilted *t, float slack, uint32_t lane, shl_slants *out)
{
    float size = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out->e[i][k][lane] = t->e[i][k];
            size += fabsf(t->e[i][k]);
        }
        out->c[i][lane] = t->c[i];
    }
    out->r[lane] = SHL_SLANT_RADIUS * ((t->rest + slack) + SHL_SLANT_ROUND * size);
    for (int i = 0; i < 3; i++) {
        float n[3], s = 0;
        normal_of(t->e[(i + 1) % 3], t->e[(i + 2) % 3], n);
        for (int k = 0; k < 3; k++) {
            out->n[i][k][lane] = n[k];
            s += fabsf(dot(n, t->e[k]));
        }
        out->s[i][lane] = s + out->r[lane];
    }
}

void shl_reduced_slant_ref(const float *block, uint32_t field_count,
                           const shl_reduced_ready *ready, uint32_t count, shl_block *out,
                           shl_slants *slants)
{
    shl_reduced_affine_ref(block, field_count, ready, count, out);
    const float slack = slack_of(ready);
    for (uint32_t lane = 0; lane < L; lane++) {
        const tilted t = tilted_at(block, field_count, ready, lane);
        store(&t, slack, lane, slants);
    }
}

// Whether a normal of lane i of a parts it from lane j of b.
static bool parted(const shl_slants *a, uint32_t i, const shl_slants *b, uint32_t j,
                   const float d[3])
{
    const float size = (fabsf(d[0]) + fabsf(d[1])) + fabsf(d[2]);
    bool any = false;
    for (int m = 0; m < 3; m++) {
        const float n[3] = {a->n[m][0][i], a->n[m][1][i], a->n[m][2][i]};
        float sum = 0;
        for (int e = 0; e < 3; e++)
            sum += fabsf(dot(n, (const float[3]){b->e[e][0][j], b->e[e][1][j], b->e[e][2][j]}));
        sum += a->s[m][i] + b->r[j];
        any |= fabsf(dot(n, d)) > SHL_SLANT_GROW * sum + SHL_SLANT_ROUND * size;
    }
    return any;
}

uint32_t shl_slant_filter_ref(const shl_slants *a, const shl_slants *b, uint32_t first_a,
                              uint32_t first_b, shl_node_pair *pairs, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t i = pairs[p].a - first_a, j = pairs[p].b - first_b;
        float d[3];
        for (int k = 0; k < 3; k++)
            d[k] = b->c[k][j] - a->c[k][i];
        if (!parted(a, i, b, j, d) && !parted(b, j, a, i, d))
            pairs[kept++] = pairs[p];
    }
    return kept;
}
