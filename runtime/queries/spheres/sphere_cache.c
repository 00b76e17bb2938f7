// SPDX-License-Identifier: MIT
// Spheres of one body, evaluated when touched and kept by the worker.
#include "runtime/queries/spheres/spheres.h"

#include <string.h>

enum { BOXES = 1, PLACES = 2 }; // what is made of a node

shoal_status shl_sphere_cache_reserve(shl_sphere_cache *c, const shl_sphere_tree *tree,
                                      const shoal_allocator *allocator)
{
    const size_t nodes = tree->node_count;
    shoal_status st = shl_array_reserve(&c->boxes, nodes * sizeof(shl_block), 0, allocator);
    if (st == SHOAL_OK)
        st =
            shl_array_reserve(&c->places, nodes * 4 * SHL_LANES * sizeof(double), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&c->made, nodes, 0, allocator);
    return st;
}

void shl_sphere_cache_finish(shl_sphere_cache *c, const shoal_allocator *allocator)
{
    shl_array_finish(&c->boxes, allocator);
    shl_array_finish(&c->places, allocator);
    shl_array_finish(&c->made, allocator);
}

void shl_sphere_cache_enter(shl_sphere_cache *c, uint32_t body, const shl_sphere_tree *tree)
{
    if (c->body1 == body + 1)
        return;
    c->body1 = body + 1;
    c->tree = *tree;
    memset(c->made.data, 0, tree->node_count);
}

shl_lanes shl_sphere_cache_open(shl_sphere_cache *c, const shl_view *v, uint32_t node)
{
    shl_block *boxes = (shl_block *)c->boxes.data + node;
    uint8_t *made = (uint8_t *)c->made.data + node;
    if (!(*made & BOXES)) {
        *made |= BOXES;
        v->kind->spheres->open(v, node, boxes);
    }
    return (shl_lanes){boxes, c->tree.first[node]};
}

shl_sphere shl_sphere_cache_at(shl_sphere_cache *c, const shl_view *v, uint32_t sphere)
{
    const shl_sphere_tree *t = &c->tree;
    const uint32_t node = t->node_of[sphere], lane = t->node_count + sphere - t->first[node];
    double(*places)[SHL_LANES] = (double(*)[SHL_LANES])c->places.data + 4 * (size_t)node;
    uint8_t *made = (uint8_t *)c->made.data + node;
    if (!(*made & PLACES)) {
        *made |= PLACES;
        v->kind->spheres->evaluate(v, node, places);
    }
    return (shl_sphere){{places[0][lane], places[1][lane], places[2][lane]}, places[3][lane]};
}
