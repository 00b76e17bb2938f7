// SPDX-License-Identifier: MIT
// Spheres of one body, evaluated when touched and kept by the worker.
#include "runtime/queries/spheres/spheres.h"

#include <string.h>

enum { BOXES = 1, POSITIONS = 2 }; // what is made of a node

shoal_status shl_sphere_cache_reserve(shl_sphere_cache *c, const shl_sphere_tree *tree,
                                      const shoal_allocator *allocator)
{
    const size_t nodes = tree->node_count;
    shoal_status st = SHL_RESERVE(allocator, {&c->boxes, nodes * sizeof(shl_block)},
                                  {&c->positions, nodes * 4 * SHL_LANES * sizeof(double)},
                                  {&c->valid, nodes});
    return st;
}

void shl_sphere_cache_finish(shl_sphere_cache *c, const shoal_allocator *allocator)
{
    shl_array_finish(&c->boxes, allocator);
    shl_array_finish(&c->positions, allocator);
    shl_array_finish(&c->valid, allocator);
}

void shl_sphere_cache_enter(shl_sphere_cache *c, uint32_t body, const shl_sphere_tree *tree)
{
    if (c->body1 == body + 1)
        return;
    c->body1 = body + 1;
    c->tree = *tree;
    memset(c->valid.data, 0, tree->node_count);
}

shl_lanes shl_sphere_cache_open(shl_sphere_cache *c, const shl_view *v, uint32_t node)
{
    shl_block *boxes = (shl_block *)c->boxes.data + node;
    uint8_t *valid = (uint8_t *)c->valid.data + node;
    if (!(*valid & BOXES)) {
        *valid |= BOXES;
        v->kind->spheres->open(v, node, boxes);
    }
    return (shl_lanes){boxes, c->tree.first[node]};
}

shl_sphere shl_sphere_cache_at(shl_sphere_cache *c, const shl_view *v, uint32_t sphere)
{
    const shl_sphere_tree *t = &c->tree;
    const uint32_t node = t->node_of[sphere], lane = t->node_count + sphere - t->first[node];
    double(*positions)[SHL_LANES] = (double(*)[SHL_LANES])c->positions.data + 4 * (size_t)node;
    uint8_t *valid = (uint8_t *)c->valid.data + node;
    if (!(*valid & POSITIONS)) {
        *valid |= POSITIONS;
        v->kind->spheres->evaluate(v, node, positions);
    }
    return (shl_sphere){{positions[0][lane], positions[1][lane], positions[2][lane]},
                        positions[3][lane]};
}
