// SPDX-License-Identifier: MIT
#include "kernels/boxes/node_open.h"

#include "kernels/boxes/vertex_box.h"

#include <math.h>

static void store(shl_block *out, uint32_t lane, const shl_box *box)
{
    for (int k = 0; k < 3; k++) {
        out->lo[k][lane] = box->lo[k];
        out->hi[k][lane] = box->hi[k];
    }
}

static bool open_node(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                      shl_vertex_box_fn *vertex_box, shl_block *out)
{
    static const shl_box empty = {{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};
    bool finite = true;
    for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
        const uint32_t row = tree->first[node] + lane;
        shl_box box = empty;
        if (skip >> lane & 1)
            continue;
        if (lane < tree->count[node] && tree->leaf[node]) {
            const uint32_t *v = tree->tri[row].v;
            const uint32_t corners[4] = {v[0], v[1], v[2], v[2]};
            (void)vertex_box(xyz, 0, 0, corners, 4, &box);
        } else if (lane < tree->count[node]) {
            const uint32_t begin = tree->vertex_begin[row], end = tree->vertex_end[row];
            const uint32_t list = tree->list_begin[row];
            finite &= vertex_box(xyz, begin, end, NULL, 0, &box);
            (void)vertex_box(xyz, begin, end, tree->list + list,
                             tree->list_begin[row + 1] - list, &box);
        }
        store(out, lane, &box);
    }
    return finite;
}

bool shl_node_open_f32_ref(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                           shl_block *out)
{
    return open_node(tree, xyz, node, skip, shl_vertex_box_f32_ref, out);
}

bool shl_node_open_f64_ref(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                           shl_block *out)
{
    return open_node(tree, xyz, node, skip, shl_vertex_box_f64_ref, out);
}
