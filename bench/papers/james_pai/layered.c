// SPDX-License-Identifier: MIT
#include "bench/papers/james_pai/layered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { L = SHL_LANES };

// Vertex by vertex to groups of eight; rows past the last vertex repeat it.
static void fill_rows(const shl_reduced *model, bench_layered *out)
{
    const size_t fields = model->field_count, each = 3 * (1 + fields) * L;
    for (size_t i = 0; i < out->groups * (size_t)L; i++) {
        const size_t v = i < model->vertex_count ? i : model->vertex_count - 1;
        float *to = out->rows + i / L * each + i % L;
        for (size_t k = 0; k < 3; k++) {
            to[k * L] = (float)model->rest[3 * v + k];
            for (size_t j = 0; j < fields; j++)
                to[(3 * (j + 1) + k) * L] = model->fields[3 * (v * fields + j) + k];
        }
    }
}

bool bench_layered_create(const shl_tree *tree, const shl_reduced *model, bench_layered *out)
{
    const uint32_t inner = tree->node_count - tree->leaf_count;
    *out = (bench_layered){.tree = tree,
                           .field_count = model->field_count,
                           .groups = (model->vertex_count + L - 1) / L};
    const size_t row_bytes = 3 * (1 + (size_t)model->field_count) * L * sizeof(float);
    out->rows = aligned_alloc(32, out->groups * row_bytes);
    out->xyz = aligned_alloc(32, out->groups * (size_t)L * sizeof *out->xyz);
    out->block_of = malloc(tree->node_count * sizeof *out->block_of);
    out->spheres = aligned_alloc(32, (inner + (size_t)1) * sizeof *out->spheres);
    out->place_of = malloc(tree->node_count * sizeof *out->place_of);
    if (!out->rows || !out->xyz || !out->block_of || !out->place_of || !out->spheres) {
        bench_layered_finish(out);
        return false;
    }
    memset(out->spheres, 0, (inner + (size_t)1) * sizeof *out->spheres);
    for (uint32_t n = 0, block = 0; n < tree->node_count; n++) {
        const uint32_t parent = tree->parent[n], lane = n - tree->first[parent];
        out->block_of[n] = tree->leaf[n] ? 0 : block++;
        out->place_of[n] = n == 0 ? 4 * L * inner : 4 * L * out->block_of[parent] + lane;
    }
    fill_rows(model, out);
    return true;
}

void bench_layered_finish(bench_layered *l)
{
    free(l->rows);
    free(l->xyz);
    free(l->block_of);
    free(l->place_of);
    free(l->spheres);
    memset(l, 0, sizeof *l);
}

bench_layered_fn *bench_layered_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return bench_layered_update_avx2;
#endif
    return bench_layered_update_plain;
}

// --- The plain body. ---

static void deform(const bench_layered *l, const float *q)
{
    const float *row = l->rows;
    for (uint32_t g = 0; g < l->groups; g++) {
        float at[3 * L];
        memcpy(at, row, sizeof at);
        row += 3 * L;
        for (uint32_t j = 0; j < l->field_count; j++, row += 3 * L) {
            for (int i = 0; i < 3 * L; i++)
                at[i] += q[j] * row[i];
        }
        for (int i = 0; i < 3 * L; i++)
            l->xyz[g * (size_t)L + (size_t)(i % L)][i / L] = at[i];
    }
}

// The middle of a box of balls, and how far out the farthest reaches.
static void wrap(float (*c)[4], const float *r, uint32_t count, float *place)
{
    float centre[3], most = 0;
    for (int k = 0; k < 3; k++) {
        float lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lo = fminf(lo, c[i][k] - r[i]);
            hi = fmaxf(hi, c[i][k] + r[i]);
        }
        centre[k] = 0.5f * (lo + hi);
    }
    for (uint32_t i = 0; i < count; i++) {
        float square = 0;
        for (int k = 0; k < 3; k++)
            square += (c[i][k] - centre[k]) * (c[i][k] - centre[k]);
        most = fmaxf(most, sqrtf(square) + r[i]);
    }
    for (int k = 0; k < 3; k++)
        place[k * L] = centre[k];
    place[3 * L] = most;
}

void bench_layered_update_plain(bench_layered *l, const float *q)
{
    const shl_tree *t = l->tree;
    deform(l, q);
    for (uint32_t n = t->node_count; n-- > 0;) {
        float c[SHL_LEAF_VERTICES][4], r[SHL_LEAF_VERTICES] = {0};
        uint32_t count = t->leaf[n] ? t->list_begin[n + 1] - t->list_begin[n] : t->count[n];
        const bench_spheres8 *own = &l->spheres[l->block_of[n]];
        for (uint32_t i = 0; i < count; i++) {
            if (t->leaf[n]) {
                memcpy(c[i], l->xyz[t->list[t->list_begin[n] + i]], sizeof c[i]);
                continue;
            }
            for (int k = 0; k < 3; k++)
                c[i][k] = own->c[k][i];
            r[i] = own->r[i];
        }
        wrap(c, r, count, bench_layered_place(l, n));
    }
}

uint64_t bench_layered_search(const bench_layered *l, const float ball[4], uint64_t *leaves)
{
    const shl_tree *t = l->tree;
    uint32_t stack[SHL_LEVELS_MAX * L], depth = 1;
    uint64_t blocks = 0;
    stack[0] = 0;
    while (depth) {
        const uint32_t n = stack[--depth];
        const bench_spheres8 *s = &l->spheres[l->block_of[n]];
        float room[L];
        blocks++;
        for (int i = 0; i < L; i++) {
            const float x = s->c[0][i] - ball[0], y = s->c[1][i] - ball[1];
            const float z = s->c[2][i] - ball[2], reach = s->r[i] + ball[3];
            room[i] = reach * reach - (x * x + y * y + z * z);
        }
        for (uint32_t i = 0; i < t->count[n]; i++) {
            if (room[i] < 0)
                continue;
            if (t->leaf[t->first[n] + i])
                ++*leaves;
            else
                stack[depth++] = t->first[n] + i;
        }
    }
    return blocks;
}
