// SPDX-License-Identifier: MIT
// Boxes of tree nodes on a level, coloured by how tight they are.
#include "picture/draws.h"

#include <math.h>
#include <string.h>

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

// Boxes on their way to be cubes.
typedef struct box_list {
    shl_draws *draws;
    shl_array found; // shl_gpu_instance [count]
    size_t count;
    shoal_status status;
} box_list;

static void add_box(void *user, const shoal_tree_box *box)
{
    box_list *l = user;
    const size_t size = sizeof(shl_gpu_instance);
    if (l->status == SHOAL_OK)
        l->status = shl_array_reserve(&l->found, (l->count + 1) * size, l->count * size,
                                      l->draws->allocator);
    if (l->status != SHOAL_OK)
        return;
    shl_gpu_instance *out = (shl_gpu_instance *)l->found.data + l->count++;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        const double lo = (double)box->lo[k];
        out->place[k][k] = (float)((double)box->hi[k] - lo);
        out->place[k][3] = (float)(lo - l->draws->origin[k]);
    }
    tightness_colour(box->spread, out->colour);
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

shoal_status shl_draw_boxes(double level, shl_draws *d)
{
    box_list l = {.draws = d};
    shoal_status st = shoal_scene_boxes(d->scene, level, true, add_box, &l);
    if (st == SHOAL_OK)
        st = l.status;
    if (st == SHOAL_OK)
        st = draw_cubes(d, &l.found, l.count);
    shl_array_finish(&l.found, d->allocator);
    return st;
}
