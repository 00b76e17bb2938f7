// SPDX-License-Identifier: MIT
// Boxes of tree nodes on a level, coloured by how tight they are.
#include "picture/draws.h"
#include "runtime/traverse/open.h"

#include <math.h>
#include <string.h>

// The level of one body's tree, and the boxes found on it.
typedef struct level_walk {
    shl_view view;
    shl_vertices vertices;
    shl_scratch *scratch;
    shl_draws *draws;
    uint32_t depth;  // of the level below the root
    shl_array found; // shl_gpu_instance
    size_t count;
} level_walk;

static void widen(const shl_vertices *v, uint32_t node, double lo[3], double hi[3])
{
    const shl_tree *tree = v->tree;
    for (uint32_t i = 0; i < tree->count[node]; i++) {
        const uint32_t child = tree->first[node] + i;
        if (!tree->leaf[node]) {
            widen(v, child, lo, hi);
            continue;
        }
        for (int c = 0; c < 3; c++) {
            const double *at = v->xyz + 3 * (size_t)tree->tri[child].v[c];
            for (int k = 0; k < 3; k++) {
                lo[k] = fmin(lo[k], at[k]);
                hi[k] = fmax(hi[k], at[k]);
            }
        }
    }
}

static double diagonal(const double lo[3], const double hi[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    return sqrt(sum);
}

// Blue, green, yellow, red as a box gets twice as wide as what it holds.
static void tightness_colour(double ratio, float out[4])
{
    static const float stops[4][3] = {{0.25f, 0.45f, 0.95f},
                                      {0.25f, 0.75f, 0.40f},
                                      {0.95f, 0.80f, 0.20f},
                                      {0.90f, 0.20f, 0.15f}};
    const double at = 3 * fmin(fmax(ratio - 1, 0), 1);
    const int below = at < 1 ? 0 : at < 2 ? 1 : 2;
    for (int k = 0; k < 3; k++)
        out[k] =
            stops[below][k] + (float)(at - below) * (stops[below + 1][k] - stops[below][k]);
    out[3] = 0;
}

static shoal_status add_box(level_walk *w, uint32_t node, const double lo[3],
                            const double hi[3])
{
    const size_t size = sizeof(shl_gpu_instance);
    const shoal_status st = shl_array_reserve(&w->found, (w->count + 1) * size, w->count * size,
                                              w->draws->allocator);
    if (st != SHOAL_OK)
        return st;
    shl_gpu_instance *out = (shl_gpu_instance *)w->found.data + w->count++;
    memset(out, 0, sizeof *out);
    double least_lo[3] = {INFINITY, INFINITY, INFINITY};
    double least_hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    widen(&w->vertices, node, least_lo, least_hi);
    for (int k = 0; k < 3; k++) {
        out->place[k][k] = (float)(hi[k] - lo[k]);
        out->place[k][3] = (float)(lo[k] - w->draws->origin[k]);
    }
    const double least = diagonal(least_lo, least_hi);
    tightness_colour(least > 0 ? diagonal(lo, hi) / least : 1, out->colour);
    return SHOAL_OK;
}

// Nodes on the level, and leaves above it.
static shoal_status walk(level_walk *w, uint32_t node, uint32_t depth)
{
    const shl_tree *tree = w->view.tree;
    shl_block slot;
    const shl_block found =
        *shl_open(&w->view, node, 0, &slot, w->scratch).block; // children reuse it
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < tree->count[node] && st == SHOAL_OK; i++) {
        const uint32_t child = tree->first[node] + i;
        if (depth + 1 < w->depth && !tree->leaf[child]) {
            st = walk(w, child, depth + 1);
            continue;
        }
        double lo[3], hi[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = (double)found.lo[k][i];
            hi[k] = (double)found.hi[k][i];
        }
        st = add_box(w, child, lo, hi);
    }
    return st;
}

static shoal_status draw_cubes(shl_draws *d, const shl_array *found, size_t count)
{
    static const uint32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    shl_mesh_arrays mesh;
    if (count == 0 || count > UINT32_MAX)
        return SHOAL_OK;
    const shoal_status st = shl_draws_add(d, 8, 12, (uint32_t)count, 0, &mesh);
    if (st != SHOAL_OK)
        return st;
    for (int v = 0; v < 8; v++) {
        for (int k = 0; k < 3; k++)
            mesh.xyz[3 * v + k] = (float)(v >> k & 1);
    }
    memcpy(mesh.triangles, corners, sizeof corners);
    memcpy(mesh.instances, found->data, count * sizeof *mesh.instances);
    return SHOAL_OK;
}

shoal_status shl_draw_boxes(const shoal_scene *s, double level, shl_draws *d)
{
    level_walk w = {.vertices = {.scene = s}, .scratch = s->ports.scratch, .draws = d};
    shoal_status st = SHOAL_OK;
    while (st == SHOAL_OK && (st = shl_vertices_next(&w.vertices)) == SHOAL_OK &&
           w.vertices.tree) {
        shl_view_of(&s->ports, w.vertices.body, &w.view);
        double lo[3], hi[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = (double)w.view.box->lo[k];
            hi[k] = (double)w.view.box->hi[k];
        }
        w.depth = (uint32_t)(level * w.view.tree->depth + 0.5);
        st = w.depth == 0 || w.view.tree->leaf[0] || shl_view_is(&w.view, SHL_VIEW_UNBOUNDED)
                 ? add_box(&w, 0, lo, hi)
                 : walk(&w, 0, 0);
    }
    shl_vertices_finish(&w.vertices);
    if (st == SHOAL_OK)
        st = draw_cubes(d, &w.found, w.count);
    shl_array_finish(&w.found, d->allocator);
    return st;
}
