// SPDX-License-Identifier: MIT
#include "volume/controls.h"

#include "volume/knots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 200, TRIES_LARGE = 40 };     // lattices; fewer with thousands of vertices
enum { LARGE = 20000 };                     //
static const double tolerance = 0.03;       // of the wanted number
static const double good_tolerance = 0.006; // that ends the search
static const double cubes_per_control = 5;  // along an axis, to tell what is inside

// By Newton's method, as the C library's differ in the last place. For x above 0.
static double cube_root(double x)
{
    double root = fmax(x, 1);
    for (int i = 0; i < 200; i++) {
        const double next = (2 * root + x / (root * root)) / 3;
        if (!(next < root))
            break;
        root = next;
    }
    return root;
}

uint32_t shl_nearest_points(const double *xyz, uint32_t count, const double at[3],
                            uint32_t most, uint32_t *near, double *square)
{
    uint32_t used = 0;
    const uint32_t held = most < count ? most : count;
    double limit = -1;
    // nothing farther than the old answer can be in the new one
    for (uint32_t i = 0; i < held; i++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++) {
            const double d = xyz[3 * (size_t)near[i] + k] - at[k];
            sum += d * d;
        }
        limit = fmax(limit, sum);
    }
    for (uint32_t i = 0; i < count; i++) {
        const double *p = xyz + 3 * (size_t)i;
        const double x = p[0] - at[0], y = p[1] - at[1], z = p[2] - at[2];
        const double d = x * x + y * y + z * z;
        if (d > limit || (used == held && d >= square[used - 1]))
            continue;
        uint32_t to = used < held ? used++ : used - 1;
        for (; to && square[to - 1] > d; to--) {
            square[to] = square[to - 1];
            near[to] = near[to - 1];
        }
        square[to] = d;
        near[to] = i;
    }
    return used;
}

// What a vertex sees of the points: numbers, and weights that sum to one.
typedef struct view {
    uint32_t near[SHL_CONTROLS_SEEN + 1];
    double weight[SHL_CONTROLS_SEEN + 1]; // squares of distances, then weights
    uint32_t count;
} view;

static void look(const double *xyz, uint32_t count, const double at[3], view *v)
{
    const uint32_t found =
        shl_nearest_points(xyz, count, at, SHL_CONTROLS_SEEN + 1, v->near, v->weight);
    // with few points all are seen, also the farthest
    v->count = found <= SHL_CONTROLS_SEEN ? found : SHL_CONTROLS_SEEN;
    const double far = v->weight[found - 1] * (found <= SHL_CONTROLS_SEEN ? 1.5 : 1);
    double sum = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const double t = far > 0 ? 1 - v->weight[i] / far : 1;
        v->weight[i] = t * t * t;
        sum += v->weight[i];
    }
    if (!(sum > 0)) { // all are as far as the thirteenth
        v->weight[0] = sum = 1;
        v->count = 1;
    }
    for (uint32_t i = 0; i < v->count; i++)
        v->weight[i] /= sum;
}

static void first_view(view *v)
{
    for (uint32_t i = 0; i <= SHL_CONTROLS_SEEN; i++)
        v->near[i] = i;
}

// Marks the points that some vertex sees with a weight that float32 can hold; returns how many.
static uint32_t mark_seen(const shoal_mesh *m, const shl_knots *knots, bool *seen)
{
    uint32_t sum = 0;
    view v;
    if (knots->count == 0)
        return 0;
    first_view(&v);
    memset(seen, 0, knots->count * sizeof *seen);
    for (size_t i = 0; i < m->vertex_count; i++) {
        look(knots->xyz, knots->count, m->xyz + 3 * i, &v);
        for (uint32_t j = 0; j < v.count; j++) {
            if ((float)v.weight[j] > 0 && !seen[v.near[j]]) {
                seen[v.near[j]] = true;
                sum++;
            }
        }
    }
    return sum;
}

// Looks for a lattice with as many points that vertices see as are wanted.
static shoal_status find_lattice(const shoal_mesh *m, const shl_voxels *v, uint32_t wanted,
                                 uint64_t seed, double *best_side, uint64_t *best_seed,
                                 shl_volume_error *error)
{
    const uint32_t most = 64 * wanted + 1000;
    const int tries = m->vertex_count > LARGE ? TRIES_LARGE : TRIES;
    shl_knots knots = {0};
    bool *seen = malloc(most * sizeof *seen);
    shoal_status st = seen ? SHOAL_OK : SHOAL_ERR_MEMORY;
    double best = INFINITY, side = cube_root(2 * v->volume / wanted);
    uint32_t nearest = 0;
    for (int i = 0; i < tries && best > good_tolerance && st == SHOAL_OK; i++) {
        st = shl_knots_fill(v, side, seed + (uint64_t)i, most, &knots);
        if (st == SHOAL_ERR_MEMORY)
            break;
        const uint32_t count = st == SHOAL_OK ? mark_seen(m, &knots, seen) : most;
        st = SHOAL_OK;
        const double off = fabs((double)count / wanted - 1);
        if (off < best) {
            best = off;
            nearest = count;
            *best_side = side;
            *best_seed = seed + (uint64_t)i;
        }
        side *= cube_root(fmin(8, fmax(0.125, (count + 0.1) / wanted)));
    }
    if (st == SHOAL_OK && best > tolerance) {
        snprintf(
            error->text, sizeof error->text,
            nearest ? "%u control points do not fit into it, the nearest number is %u"
                    : "%u control points do not fit into it: it is too thin to have any inside",
            wanted, nearest);
        st = SHOAL_ERR_FORMAT;
    }
    free(seen);
    free(knots.xyz);
    return st;
}

static uint32_t nearest_one(const double *xyz, uint32_t count, const double at[3])
{
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++) {
            const double d = xyz[3 * (size_t)i + k] - at[k];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    return best;
}

// Cubes go to the nearest point. One that gets next to none still has a third of the mean, or
// it would be flung about by what pushes its neighbours.
static void share_volume(const shl_voxels *v, shl_controls *controls)
{
    const uint32_t all = controls->count + controls->core;
    double sum = 0;
    for (uint32_t z = 0; z < v->count[2]; z++) {
        for (uint32_t y = 0; y < v->count[1]; y++) {
            for (uint32_t x = 0; x < v->count[0]; x++) {
                const double share = (double)v->share[shl_voxel_at(v, x, y, z)];
                const double at[3] = {v->lo[0] + v->size * (x + 0.5),
                                      v->lo[1] + v->size * (y + 0.5),
                                      v->lo[2] + v->size * (z + 0.5)};
                if (share > 0)
                    controls->volume[nearest_one(controls->xyz, all, at)] += share;
            }
        }
    }
    for (uint32_t i = 0; i < all; i++) {
        const double least = v->volume / 3 / (v->size * v->size * v->size) / all;
        controls->volume[i] = fmax(least, controls->volume[i]);
        sum += controls->volume[i];
    }
    for (uint32_t i = 0; i < all; i++)
        controls->volume[i] *= v->volume / sum;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The weights of one vertex, in the order of the control points.
static void put_weights(const view *v, shl_controls *controls, size_t vertex)
{
    const size_t begin = controls->weight_begin[vertex];
    size_t end = begin;
    for (uint32_t j = 0; j < v->count; j++) {
        if ((float)v->weight[j] > 0)
            controls->weight_control[end++] = v->near[j];
    }
    qsort(controls->weight_control + begin, end - begin, sizeof *controls->weight_control,
          by_number);
    for (size_t i = begin; i < end; i++) {
        for (uint32_t j = 0; j < v->count; j++) {
            if (v->near[j] == controls->weight_control[i])
                controls->weight[i] = (float)v->weight[j];
        }
    }
    controls->weight_begin[vertex + 1] = (uint32_t)end;
}

// Those that vertices see come first, each part in the order of the lattice.
static shoal_status take(const shoal_mesh *m, const shl_knots *knots, shl_controls *out)
{
    const size_t n = knots->count, vertices = m->vertex_count;
    bool *seen = malloc(n * sizeof *seen);
    out->xyz = malloc(3 * n * sizeof *out->xyz);
    out->volume = calloc(n, sizeof *out->volume);
    out->weight_begin = calloc(vertices + 1, sizeof *out->weight_begin);
    out->weight_control = malloc(SHL_CONTROLS_SEEN * vertices * sizeof *out->weight_control);
    out->weight = malloc(SHL_CONTROLS_SEEN * vertices * sizeof *out->weight);
    const bool room = seen && out->xyz && out->volume && out->weight_begin &&
                      out->weight_control && out->weight;
    if (room) {
        out->vertex_count = m->vertex_count;
        out->count = mark_seen(m, knots, seen);
        out->core = (uint32_t)n - out->count;
        size_t to[2] = {0, out->count};
        for (size_t i = 0; i < n; i++)
            memcpy(out->xyz + 3 * to[!seen[i]]++, knots->xyz + 3 * i, 3 * sizeof *out->xyz);
        view v;
        first_view(&v);
        for (size_t i = 0; i < vertices; i++) {
            look(out->xyz, (uint32_t)n, m->xyz + 3 * i, &v);
            put_weights(&v, out, i);
        }
    }
    free(seen);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

shoal_status shl_controls_create(const shoal_mesh *m, uint32_t wanted, uint64_t seed,
                                 shl_controls *out, shl_volume_error *error)
{
    shl_voxels coarse, fine;
    shl_volume_error ignored;
    shl_knots knots = {0};
    memset(out, 0, sizeof *out);
    if (wanted > SHL_CONTROLS_SEEN * (uint64_t)m->vertex_count) {
        snprintf(error->text, sizeof error->text,
                 "%u control points are too many for %u vertices, each of which sees %d",
                 wanted, m->vertex_count, SHL_CONTROLS_SEEN);
        return SHOAL_ERR_FORMAT;
    }
    shoal_status st = shl_voxels_create(m, 0, &coarse, error);
    if (st != SHOAL_OK)
        return st;
    // finer cubes tell better what is inside, if they are not too many
    const double size = cube_root(coarse.volume / wanted) / cubes_per_control;
    const bool finer =
        size < coarse.size && shl_voxels_create(m, size, &fine, &ignored) == SHOAL_OK;
    const shl_voxels *inside = finer ? &fine : &coarse;
    double side = 0;
    uint64_t chosen = 0;
    st = find_lattice(m, inside, wanted, seed, &side, &chosen, error);
    if (st == SHOAL_OK)
        st = shl_knots_fill(inside, side, chosen, UINT32_MAX / 4, &knots);
    if (st == SHOAL_OK)
        st = take(m, &knots, out);
    if (st == SHOAL_OK) {
        out->spacing = cube_root(0.5) * side;
        share_volume(&coarse, out);
    } else {
        shl_controls_finish(out);
    }
    free(knots.xyz);
    if (finer)
        shl_voxels_finish(&fine);
    shl_voxels_finish(&coarse);
    return st;
}

void shl_controls_finish(shl_controls *n)
{
    free(n->xyz);
    free(n->volume);
    free(n->weight_begin);
    free(n->weight_control);
    free(n->weight);
    memset(n, 0, sizeof *n);
}
