// SPDX-License-Identifier: MIT
// What a tree would cost a search, by surface area (MacDonald & Booth 1990).
#include "runtime/trees/cost.h"

#include <math.h>

static double half_area(const shl_box *b)
{
    const double x = (double)b->hi[0] - b->lo[0], y = (double)b->hi[1] - b->lo[1];
    const double z = (double)b->hi[2] - b->lo[2];
    return x * y + y * z + z * x;
}

static double node_area(const shl_kernels *kernels, const shl_tree *t, const void *xyz,
                        shoal_scalar scalar, uint32_t node)
{
    shl_box box;
    const uint32_t *list = t->list + t->list_begin[node];
    const uint32_t count = t->list_begin[node + 1] - t->list_begin[node];
    if (!kernels->vertex_box[scalar](xyz, t->vertex_begin[node], t->vertex_end[node], list,
                                     count, &box))
        return NAN;
    return half_area(&box);
}

static double relative(double sum, double root)
{
    const double cost = sum / root;
    return root > 0 && isfinite(cost) ? cost : 0;
}

double shl_tree_cost(const shl_kernels *kernels, const shl_tree *t, const void *xyz,
                     shoal_scalar scalar)
{
    double sum = 0, root = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        const double area = node_area(kernels, t, xyz, scalar, n);
        root = n == 0 ? area : root;
        sum += area;
    }
    return relative(sum, root);
}
