// SPDX-License-Identifier: MIT
// Binary to wide by dynamic programming: what a subtree costs as a forest of at most k trees.
#include "runtime/trees/binary.h"

#include <math.h>

typedef struct collapse {
    const shl_binary_node *nodes;
    float (*cost)[SHL_LANES]; // [count] cost[i][k]: node i and all below as at most k + 1 trees
    uint32_t arity;
} collapse;

// The least cost of a node's two children as `trees` trees, and how many the left one gets.
static float least_cost(const collapse *c, const shl_binary_node *p, uint32_t trees,
                        uint32_t *left_trees)
{
    const float *left = c->cost[p->left], *right = c->cost[p->left + 1];
    float least = INFINITY;
    *left_trees = 1;
    for (uint32_t k = 1; k < trees; k++) {
        const float cost = left[k - 1] + right[trees - k - 1];
        if (cost < least) {
            least = cost;
            *left_trees = k;
        }
    }
    return least;
}

static void find_costs(collapse *c, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        const shl_binary_node *p = &c->nodes[i];
        float *cost = c->cost[i];
        uint32_t unused;
        cost[0] = p->visits + (p->left ? least_cost(c, p, c->arity, &unused) : 0);
        for (uint32_t k = 1; k < c->arity; k++) {
            const float split = p->left ? least_cost(c, p, k + 1, &unused) : INFINITY;
            cost[k] = split < cost[k - 1] ? split : cost[k - 1];
        }
    }
}

// A node's best forest of at most `trees` trees, as ranges of triangles.
static uint32_t plant(const collapse *c, uint32_t at, uint32_t trees, shl_tri_range *out)
{
    const shl_binary_node *p = &c->nodes[at];
    while (trees > 1 && c->cost[at][trees - 1] == c->cost[at][trees - 2])
        trees--;
    if (trees == 1) {
        *out = (shl_tri_range){p->begin, p->end, at};
        return 1;
    }
    uint32_t left_trees;
    (void)least_cost(c, p, trees, &left_trees);
    const uint32_t n = plant(c, p->left, left_trees, out);
    return n + plant(c, p->left + 1, trees - left_trees, out + n);
}

static uint32_t children(void *ctx, const shl_tri_range *range, shl_tri_range out[SHL_LANES])
{
    const collapse *c = ctx;
    const shl_binary_node *p = &c->nodes[range->tag];
    uint32_t left_trees;
    (void)least_cost(c, p, c->arity, &left_trees);
    const uint32_t n = plant(c, p->left, left_trees, out);
    return n + plant(c, p->left + 1, c->arity - left_trees, out + n);
}

shoal_status shl_collapse(shl_build *b, const shl_binary_node *nodes, uint32_t count)
{
    collapse c = {nodes, NULL, b->arity};
    const size_t bytes = count * sizeof *c.cost;
    c.cost = shl_alloc(b->allocator, bytes);
    if (!c.cost)
        return SHOAL_ERR_MEMORY;
    find_costs(&c, count);
    const shoal_status st = shl_split_all(b, children, &c);
    shl_free(b->allocator, c.cost, bytes);
    return st;
}
