// SPDX-License-Identifier: MIT
#include "bench/papers/steinemann/brain.h"

#include "runtime/trees/build.h"
#include "runtime/trees/skinned.h"
#include "scenes/shapes/sculptures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static shoal_status make_rooms(bench_brain *b)
{
    const shoal_allocator memory = shl_allocator_libc();
    const shl_skinned *p = &b->skinned;
    const size_t skinned = p->point_count;
    shoal_status st =
        shl_array_reserve(&b->body.maps, 12 * skinned * sizeof(double), 0, &memory);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->body.ready, shl_skinned_ready_bytes(p), 0, &memory);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->scratch.kernel_buffer, shl_skinned_scratch_bytes(p), 0,
                               &memory);
    b->xyz = malloc((3 * (size_t)p->vertex_count + 1) * sizeof *b->xyz);
    b->box = malloc(b->tree.node_count * sizeof *b->box);
    return st == SHOAL_OK && (!b->xyz || !b->box) ? SHOAL_ERR_MEMORY : st;
}

shoal_status bench_brain_create(uint32_t vertices, uint32_t nodes, uint32_t arity,
                                bench_brain *out)
{
    const shoal_allocator memory = shl_allocator_libc();
    memset(out, 0, sizeof *out);
    shoal_status st = shl_mesh_brain(vertices, &out->surface);
    const shoal_mesh mesh = {.xyz = out->surface.xyz,
                             .triangles = out->surface.triangles,
                             .vertex_count = out->surface.vertex_count,
                             .triangle_count = out->surface.triangle_count};
    shl_volume_error error;
    if (st == SHOAL_OK)
        st = shl_controls_create(&mesh, nodes, 1, &out->nodes, &error);
    const shl_build_input input = {.triangles = mesh.triangles,
                                   .xyz = mesh.xyz,
                                   .triangle_count = mesh.triangle_count,
                                   .vertex_count = mesh.vertex_count,
                                   .arity = arity};
    if (st == SHOAL_OK)
        st = shl_tree_build(&input, &memory, &out->tree);
    const shl_skinned_input skinned = {.xyz = mesh.xyz,
                                       .at = out->nodes.xyz,
                                       .weight_begin = out->nodes.weight_begin,
                                       .weight_point = out->nodes.weight_control,
                                       .weight = out->nodes.weight,
                                       .point_count = out->nodes.count,
                                       .blend = SHL_BLEND_DUAL,
                                       .region = SHL_REGION_DIRECTIONS};
    if (st == SHOAL_OK)
        st = shl_skinned_build(&out->tree, &skinned, &memory, &out->skinned);
    if (st == SHOAL_OK)
        st = make_rooms(out);
    out->body.tree = &out->tree;
    out->body.model = &out->skinned;
    out->rows.flags = &out->flags;
    out->rows.box = &out->root;
    if (st != SHOAL_OK)
        bench_brain_finish(out);
    return st;
}

void bench_brain_finish(bench_brain *b)
{
    const shoal_allocator memory = shl_allocator_libc();
    shl_surface_finish(&b->surface);
    shl_controls_finish(&b->nodes);
    shl_tree_finish(&b->tree, &memory);
    shl_skinned_finish(&b->skinned, &memory);
    shl_array_finish(&b->body.maps, &memory);
    shl_array_finish(&b->body.ready, &memory);
    shl_array_finish(&b->scratch.kernel_buffer, &memory);
    free(b->xyz);
    free(b->box);
    memset(b, 0, sizeof *b);
}

void bench_brain_pose(bench_brain *b, const shl_kernels *kernels, shl_brain_motion motion,
                      double amount)
{
    double *maps = b->body.maps.data;
    for (size_t j = 0; j < b->skinned.point_count; j++) {
        const double *x = b->nodes.xyz + 3 * j;
        double y[3], g[9];
        shl_brain_deform(motion, amount, x, y, g);
        for (int k = 0; k < 3; k++) {
            double *row = maps + 12 * j + 4 * k;
            row[3] = y[k] - x[k];
            for (int l = 0; l < 3; l++) {
                row[l] = g[3 * k + l] - (k == l);
                row[3] -= row[l] * x[l];
            }
        }
    }
    shl_skinned_update(kernels, &b->body, &b->rows, &b->scratch);
}

void bench_brain_vertices(bench_brain *b, const shl_kernels *kernels)
{
    const shl_tree *t = &b->tree;
    for (uint32_t v = 0; v < t->vertex_count; v++)
        kernels->skinned_eval(&b->skinned, b->body.maps.data, &v, 1, b->xyz + 3 * (size_t)v);
    for (uint32_t n = t->node_count; n-- > 0;) {
        double *box = b->box[n];
        for (int k = 0; k < 3; k++) {
            box[k] = INFINITY;
            box[3 + k] = -INFINITY;
        }
        for (uint32_t i = 0; i < t->count[n]; i++) {
            const uint32_t row = t->first[n] + i;
            for (size_t c = 0; c < 9; c++) {
                const size_t k = c % 3;
                const double *at = b->xyz;
                const double lo =
                    t->leaf[n] ? at[3 * (size_t)t->tri[row].v[c / 3] + k] : b->box[row][k];
                const double hi = t->leaf[n] ? lo : b->box[row][3 + k];
                box[k] = fmin(box[k], lo);
                box[3 + k] = fmax(box[3 + k], hi);
            }
        }
    }
}

double bench_radius(const double lo[3], const double hi[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    return 0.5 * sqrt(square);
}
