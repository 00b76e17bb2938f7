// SPDX-License-Identifier: MIT
#include "runtime/trees/cost.h"

#include <math.h>

typedef struct sum {
    const shl_kernels *kernels;
    const shl_tree *tree;
    const void *xyz;
    shoal_scalar scalar;
    double area; // of the nodes so far
} sum;

static double half_area(const shl_box *box)
{
    double size[3];
    for (int k = 0; k < 3; k++)
        size[k] = (double)box->hi[k] - (double)box->lo[k];
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
}

// The box of a node, and its and its descendants' areas added. No deeper than the tree.
static shl_box add_node(sum *s, uint32_t node)
{
    const shl_tree *t = s->tree;
    shl_box box;
    if (t->leaf[node]) {
        const uint32_t list = t->list_begin[node];
        (void)s->kernels->vertex_box[s->scalar](s->xyz, 0, 0, t->list + list,
                                                t->list_begin[node + 1] - list, &box);
    } else {
        box = add_node(s, t->first[node]);
        for (uint32_t k = 1; k < t->count[node]; k++) {
            const shl_box child = add_node(s, t->first[node] + k);
            for (int i = 0; i < 3; i++) {
                box.lo[i] = child.lo[i] < box.lo[i] ? child.lo[i] : box.lo[i];
                box.hi[i] = child.hi[i] > box.hi[i] ? child.hi[i] : box.hi[i];
            }
        }
    }
    s->area += half_area(&box);
    return box;
}

double shl_tree_cost(const shl_kernels *kernels, const shl_tree *tree, const void *xyz,
                     shoal_scalar scalar)
{
    sum s = {kernels, tree, xyz, scalar, 0};
    const shl_box root = add_node(&s, 0);
    const double cost = s.area / half_area(&root);
    return cost >= 1 && cost < (double)tree->node_count ? cost : (double)tree->node_count;
}
