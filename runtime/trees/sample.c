// SPDX-License-Identifier: MIT
// The cost of a tree by sample: a few microseconds for a body of any size.
#include "runtime/trees/sample.h"

#include <math.h>

enum { LEVELS = 3, NODES = 16 }; // levels looked at, nodes a level

static double half_area(const shl_box *b)
{
    const double x = (double)b->hi[0] - b->lo[0], y = (double)b->hi[1] - b->lo[1];
    const double z = (double)b->hi[2] - b->lo[2];
    return x * y + y * z + z * x;
}

// Mean surface of some nodes of a level, evenly spread and the same ones every time, times how
// many there are.
static double level_area(const shl_kernels *kernels, const shl_tree *t, const void *xyz,
                         shoal_scalar scalar, uint32_t level)
{
    const uint32_t first = t->level[level], all = t->level[level + 1] - first;
    const uint32_t some = all < NODES ? all : NODES;
    double sum = 0;
    for (uint32_t i = 0; i < some; i++) {
        const uint32_t n = first + (uint32_t)((uint64_t)all * i / some);
        const uint32_t list = t->list_begin[n];
        shl_box box;
        if (!kernels->vertex_box[scalar](xyz, t->vertex_begin[n], t->vertex_end[n],
                                         t->list + list, t->list_begin[n + 1] - list, &box))
            return NAN;
        sum += half_area(&box);
    }
    return sum * all / some;
}

double shl_tree_sample(const shl_kernels *kernels, const shl_tree *t, const void *xyz,
                       shoal_scalar scalar, const shl_box *root)
{
    const uint32_t top = t->depth > LEVELS ? t->depth - LEVELS + 1 : 1;
    const double whole = half_area(root);
    double sum = 0;
    for (uint32_t level = top; level <= t->depth; level++)
        sum += level_area(kernels, t, xyz, scalar, level);
    const double cost = t->depth ? sum / whole : 1;
    return whole > 0 && isfinite(cost) ? cost : 0;
}
