// SPDX-License-Identifier: MIT
// The library's binary tree with its leaves, of up to eight triangles, halved down to one: what
// the levels of a sphere tree are counted in.
#include "bench/papers/james_pai/literal/spheres.h"

#include "runtime/trees/build.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t none = UINT32_MAX;

// While it grows: a row's triangles, in the library's order, and its node of the library's.
typedef struct growing {
    const shl_tree *from;
    literal_tree *to;
    uint32_t *begin, *end; // [2 * triangle_count]
    uint32_t *origin;      // [2 * triangle_count] none below the leaves
    uint32_t *listed;      // [vertex_count] 1 + the last row that listed a vertex
    size_t used, room;     // of to->vertices
} growing;

static void range_of(const shl_tree *t, uint32_t node, uint32_t *begin, uint32_t *end)
{
    uint32_t left = node, right = node;
    while (!t->leaf[left])
        left = t->first[left];
    while (!t->leaf[right])
        right = t->first[right] + t->count[right] - 1;
    *begin = t->first[left];
    *end = t->first[right] + t->count[right];
}

static bool list_vertices(growing *g, uint32_t row)
{
    literal_node *node = &g->to->nodes[row];
    const size_t most = 3 * (size_t)(g->end[row] - g->begin[row]);
    if (g->used + most > g->room) {
        g->room = 2 * (g->used + most);
        uint32_t *larger = realloc(g->to->vertices, g->room * sizeof *larger);
        if (!larger)
            return false;
        g->to->vertices = larger;
    }
    node->first_vertex = (uint32_t)g->used;
    for (uint32_t i = g->begin[row]; i < g->end[row]; i++) {
        const uint32_t *corners = g->to->triangles[g->from->tri[i].id].v;
        for (int k = 0; k < 3; k++) {
            if (g->listed[corners[k]] != row + 1)
                g->to->vertices[g->used++] = corners[k];
            g->listed[corners[k]] = row + 1;
        }
    }
    node->vertex_count = (uint32_t)g->used - node->first_vertex;
    return true;
}

// The rows are their own queue: each appends its two children.
static bool grow(growing *g)
{
    literal_tree *t = g->to;
    t->node_count = 1;
    g->end[0] = t->triangle_count;
    for (uint32_t row = 0; row < t->node_count; row++) {
        literal_node *node = &t->nodes[row];
        t->depth = node->level;
        node->triangle = g->from->tri[g->begin[row]].id;
        if (!list_vertices(g, row))
            return false;
        if (g->end[row] - g->begin[row] == 1)
            continue;
        const uint32_t origin = g->origin[row], child = t->node_count;
        const bool inner = origin != none && !g->from->leaf[origin];
        node->first_child = child;
        node->child_count = 2;
        t->node_count += 2;
        g->begin[child] = g->begin[row];
        g->end[child] = g->begin[row] + (g->end[row] - g->begin[row]) / 2;
        for (uint32_t i = 0; i < 2; i++) {
            t->nodes[child + i].level = node->level + 1;
            g->origin[child + i] = inner ? g->from->first[origin] + i : none;
        }
        if (inner)
            range_of(g->from, g->origin[child], &g->begin[child], &g->end[child]);
        g->begin[child + 1] = g->end[child];
        g->end[child + 1] = g->end[row];
    }
    return true;
}

bool literal_tree_halved(const shl_surface *rest, const float *fields, uint32_t field_count,
                         literal_tree *out)
{
    const shoal_allocator memory = shl_allocator_libc();
    const shl_build_input input = {.triangles = rest->triangles,
                                   .xyz = rest->xyz,
                                   .triangle_count = rest->triangle_count,
                                   .vertex_count = rest->vertex_count,
                                   .arity = 2,
                                   .fields = fields,
                                   .field_count = field_count};
    const uint32_t n = rest->triangle_count;
    shl_tree from;
    *out = (literal_tree){.triangle_count = n, .vertex_count = rest->vertex_count};
    if (shl_tree_build(&input, &memory, &from) != SHOAL_OK)
        return false;
    growing g = {.from = &from, .to = out};
    g.begin = calloc(2 * (size_t)n, sizeof *g.begin);
    g.end = calloc(2 * (size_t)n, sizeof *g.end);
    g.origin = calloc(2 * (size_t)n, sizeof *g.origin);
    g.listed = calloc(rest->vertex_count, sizeof *g.listed);
    out->nodes = calloc(2 * (size_t)n, sizeof *out->nodes);
    out->triangles = malloc(n * sizeof *out->triangles);
    bool good = g.begin && g.end && g.origin && g.listed && out->nodes && out->triangles;
    for (uint32_t i = 0; good && i < n; i++) {
        const uint32_t *v = rest->triangles + 3 * (size_t)i;
        out->triangles[i] = (shl_tri){{v[0], v[1], v[2]}, i};
    }
    good = good && grow(&g);
    free(g.begin);
    free(g.end);
    free(g.origin);
    free(g.listed);
    shl_tree_finish(&from, &memory);
    if (!good)
        literal_tree_finish(out);
    return good;
}
