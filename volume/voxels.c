// SPDX-License-Identifier: MIT
#include "volume/voxels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 8 };                     // along z through a cube, in x and in y
enum { USED_MAX = 8000 };               // cubes, when their size may be chosen
enum { CUBES_MAX = 200 * 200 * 200 };   // of the whole box
static const double least_share = 0.02; // a cube that has anything has this much
static const double small_part = 0.01;  // of the volume; such parts may be left out

typedef struct edge {
    uint32_t low, high;
    int32_t way;
} edge;

static int by_ends(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

// Every edge must be gone along as often one way as the other.
static shoal_status check_closed(const shoal_mesh *m, shl_volume_error *error)
{
    const size_t count = 3 * (size_t)m->triangle_count;
    edge *edges = malloc((count + 1) * sizeof *edges);
    if (!edges)
        return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const uint32_t a = m->triangles[i], b = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
    qsort(edges, count, sizeof *edges, by_ends);
    size_t open = 0;
    for (size_t begin = 0, end; begin < count; begin = end) {
        int32_t sum = 0;
        for (end = begin; end < count && by_ends(&edges[begin], &edges[end]) == 0; end++)
            sum += edges[end].way;
        open += sum != 0 && edges[begin].low != edges[begin].high;
    }
    free(edges);
    if (!open)
        return SHOAL_OK;
    snprintf(error->text, sizeof error->text,
             "the surface is not closed: %zu of its edges have a triangle on one side only",
             open);
    return SHOAL_ERR_FORMAT;
}

typedef struct hit {
    double z;
    int way;
} hit;

static int by_height(const void *a, const void *b)
{
    const hit *x = a, *y = b;
    return (x->z > y->z) - (x->z < y->z);
}

// Hits of all lines, one list a line, made in two rounds: counted, then written.
typedef struct lines {
    uint32_t size[2];
    double first[2], step;
    size_t *begin; // [size[0] * size[1] + 1]
    hit *hits;
} lines;

// The lines that a triangle meets. Their places are no multiples of anything that a mesh is
// likely to be made of, so that none runs along an edge.
static void cross(const shoal_mesh *m, size_t triangle, lines *l, bool write)
{
    const double *p[3];
    for (size_t c = 0; c < 3; c++)
        p[c] = m->xyz + 3 * (size_t)m->triangles[3 * triangle + c];
    const double area =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (area == 0)
        return;
    uint32_t from[2], to[2];
    for (int k = 0; k < 2; k++) {
        const double lo = fmin(p[0][k], fmin(p[1][k], p[2][k]));
        const double hi = fmax(p[0][k], fmax(p[1][k], p[2][k]));
        from[k] = (uint32_t)fmax(0, ceil((lo - l->first[k]) / l->step));
        to[k] = (uint32_t)fmin(l->size[k], fmax(0, floor((hi - l->first[k]) / l->step) + 1));
    }
    for (uint32_t j = from[1]; j < to[1]; j++) {
        for (uint32_t i = from[0]; i < to[0]; i++) {
            const double x = l->first[0] + l->step * i, y = l->first[1] + l->step * j;
            double weight[3];
            bool inside = true;
            for (int c = 0; c < 3; c++) {
                const double *a = p[(c + 1) % 3], *b = p[(c + 2) % 3];
                weight[c] = ((a[0] - x) * (b[1] - y) - (b[0] - x) * (a[1] - y)) / area;
                inside = inside && weight[c] >= 0;
            }
            if (!inside)
                continue;
            size_t *at = &l->begin[(size_t)j * l->size[0] + i];
            if (write)
                l->hits[*at] =
                    (hit){weight[0] * p[0][2] + weight[1] * p[1][2] + weight[2] * p[2][2],
                          area > 0 ? 1 : -1};
            ++*at;
        }
    }
}

// Adds the part of a line from z to `end` to the cubes it runs through.
static void fill(shl_voxels *v, uint32_t x, uint32_t y, double z, double end)
{
    z = fmax(0, (z - v->lo[2]) / v->size);
    end = fmin(v->count[2], (end - v->lo[2]) / v->size);
    while (z < end) {
        const uint32_t k = (uint32_t)z;
        const double next = fmin(k + 1.0, end);
        v->share[shl_voxel_at(v, x, y, k)] += (float)((next - z) / (LINES * LINES));
        z = next > z ? next : end;
    }
}

// Where the surface winds around a line at all, it is inside.
static void fill_line(shl_voxels *v, const lines *l, size_t line)
{
    const uint32_t x = (uint32_t)(line % l->size[0]) / LINES;
    const uint32_t y = (uint32_t)(line / l->size[0]) / LINES;
    hit *hits = l->hits + l->begin[line];
    const size_t count = l->begin[line + 1] - l->begin[line];
    if (!count)
        return;
    qsort(hits, count, sizeof *hits, by_height);
    int winding = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        winding += hits[i].way;
        if (winding != 0)
            fill(v, x, y, hits[i].z, hits[i + 1].z);
    }
}

static shoal_status fill_all(const shoal_mesh *m, shl_voxels *v)
{
    lines l = {.size = {LINES * v->count[0], LINES * v->count[1]}, .step = v->size / LINES};
    for (int k = 0; k < 2; k++)
        l.first[k] = v->lo[k] + l.step * (k ? 0.4871283 : 0.5193847);
    const size_t count = (size_t)l.size[0] * l.size[1];
    l.begin = calloc(count + 1, sizeof *l.begin);
    if (!l.begin)
        return SHOAL_ERR_MEMORY;
    for (size_t t = 0; t < m->triangle_count; t++)
        cross(m, t, &l, false);
    size_t sum = 0;
    for (size_t i = 0; i <= count; i++) {
        const size_t here = l.begin[i];
        l.begin[i] = sum;
        sum += here;
    }
    l.hits = malloc((sum + 1) * sizeof *l.hits);
    if (l.hits) {
        for (size_t t = 0; t < m->triangle_count; t++)
            cross(m, t, &l, true);
        // each list now begins where it ended
        memmove(l.begin + 1, l.begin, count * sizeof *l.begin);
        l.begin[0] = 0;
        for (size_t i = 0; i < count; i++)
            fill_line(v, &l, i);
    }
    const bool room = l.hits != NULL;
    free(l.begin);
    free(l.hits);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

// Marks all that hangs together with a cube by its faces. Returns the volume in cubes.
static double flood(const shl_voxels *v, uint32_t *part, size_t from, uint32_t mark,
                    size_t *stack)
{
    double sum = 0;
    size_t top = 0;
    stack[top++] = from;
    part[from] = mark;
    while (top) {
        const size_t at = stack[--top];
        sum += (double)v->share[at];
        const uint32_t x = (uint32_t)(at % v->count[0]);
        const uint32_t y = (uint32_t)(at / v->count[0] % v->count[1]);
        const uint32_t z = (uint32_t)(at / v->count[0] / v->count[1]);
        const uint32_t place[3] = {x, y, z};
        const size_t stride[3] = {1, v->count[0], (size_t)v->count[0] * v->count[1]};
        for (int side = 0; side < 6; side++) {
            const int k = side / 2;
            if (side % 2 ? place[k] + 1 >= v->count[k] : place[k] == 0)
                continue;
            const size_t next = side % 2 ? at + stride[k] : at - stride[k];
            if (v->share[next] > 0 && !part[next]) {
                part[next] = mark;
                stack[top++] = next;
            }
        }
    }
    return sum;
}

// Keeps the largest part if the others are small.
static shoal_status one_part(shl_voxels *v, shl_volume_error *error)
{
    const size_t cubes = (size_t)v->count[0] * v->count[1] * v->count[2];
    uint32_t *part = calloc(cubes, sizeof *part), parts = 0, best = 0;
    size_t *stack = malloc(cubes * sizeof *stack);
    shoal_status st = part && stack ? SHOAL_OK : SHOAL_ERR_MEMORY;
    double most = 0, all = 0;
    for (size_t i = 0; i < cubes && st == SHOAL_OK; i++) {
        if (!(v->share[i] > 0) || part[i])
            continue;
        const double volume = flood(v, part, i, ++parts, stack);
        all += volume;
        if (volume > most) {
            most = volume;
            best = parts;
        }
    }
    if (st == SHOAL_OK && all - most > small_part * all) {
        snprintf(
            error->text, sizeof error->text,
            "it is %u separate parts, the largest %.1f %% of the volume; a body must be one",
            parts, 100 * most / all);
        st = SHOAL_ERR_FORMAT;
    }
    for (size_t i = 0; i < cubes && st == SHOAL_OK; i++) {
        if (v->share[i] > 0 && part[i] != best) {
            v->share[i] = 0;
            v->dropped++;
        }
    }
    free(part);
    free(stack);
    return st;
}

static void count_used(shl_voxels *v)
{
    const size_t cubes = (size_t)v->count[0] * v->count[1] * v->count[2];
    double sum = 0, thin = 0;
    v->used = 0;
    for (size_t i = 0; i < cubes; i++) {
        if (!(v->share[i] > 0))
            continue;
        v->share[i] = fminf(1.0f, fmaxf((float)least_share, v->share[i]));
        v->used++;
        sum += (double)v->share[i];
        thin += v->share[i] < 0.5f ? (double)v->share[i] : 0;
    }
    v->volume = sum * v->size * v->size * v->size;
    v->thin = sum > 0 ? thin / sum : 0;
}

static shoal_status try_size(const shoal_mesh *m, const double lo[3], const double hi[3],
                             double size, shl_voxels *v, shl_volume_error *error)
{
    *v = (shl_voxels){.size = size};
    double cubes = 1;
    for (int k = 0; k < 3; k++) {
        // a box that is a whole number of cubes, but for rounding, is made of these
        const double want = ceil((hi[k] - lo[k]) / size - 1e-6);
        cubes *= want;
        v->count[k] = (uint32_t)fmin(want, 1e6);
        v->lo[k] = 0.5 * (lo[k] + hi[k]) - 0.5 * size * want;
    }
    if (!(cubes <= CUBES_MAX)) {
        snprintf(error->text, sizeof error->text,
                 "cubes of %g are too small: the mesh would need %.3g of them", size, cubes);
        return SHOAL_ERR_LIMIT;
    }
    v->share = calloc((size_t)cubes, sizeof *v->share);
    shoal_status st = v->share ? fill_all(m, v) : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        count_used(v);
    if (st == SHOAL_OK && v->used < 8) {
        snprintf(error->text, sizeof error->text,
                 "it has next to no volume: %u cubes of %g have something of it inside",
                 v->used, size);
        st = SHOAL_ERR_FORMAT;
    }
    return st;
}

shoal_status shl_voxels_create(const shoal_mesh *m, double size, shl_voxels *out,
                               shl_volume_error *error)
{
    double lo[3], hi[3], longest = 0;
    memset(out, 0, sizeof *out);
    error->text[0] = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
        for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) {
            const double at = m->xyz[3 * (size_t)m->triangles[i] + (size_t)k];
            lo[k] = fmin(lo[k], at);
            hi[k] = fmax(hi[k], at);
        }
        longest = fmax(longest, hi[k] - lo[k]);
    }
    for (int k = 0; k < 3; k++) {
        if (!(hi[k] - lo[k] > 1e-6 * longest)) {
            snprintf(error->text, sizeof error->text, "it is flat: no extent along %c",
                     "xyz"[k]);
            return SHOAL_ERR_FORMAT;
        }
    }
    shoal_status st = check_closed(m, error);
    if (st == SHOAL_OK)
        st = try_size(m, lo, hi, size > 0 ? size : longest / 80, out, error);
    for (double next = longest / 80; size <= 0 && st == SHOAL_OK && out->used > USED_MAX;) {
        next *= 1.12;
        shl_voxels_finish(out);
        st = try_size(m, lo, hi, next, out, error);
    }
    if (st == SHOAL_OK)
        st = one_part(out, error);
    if (st == SHOAL_OK)
        count_used(out);
    else
        shl_voxels_finish(out);
    return st;
}

void shl_voxels_finish(shl_voxels *v)
{
    free(v->share);
    memset(v, 0, sizeof *v);
}
