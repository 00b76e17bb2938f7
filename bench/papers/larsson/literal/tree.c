// SPDX-License-Identifier: MIT
#include "bench/papers/larsson/literal/literal.h"

#include <stdlib.h>
#include <string.h>

// What is needed while a tree grows. A node's triangles are order[begin, end).
typedef struct builder {
    literal_tree *tree;
    const double *xyz;      // [3 * vertices] at rest
    uint32_t split_axes;    // 1, 2 or 3
    uint32_t *order;        // [triangles]
    uint32_t *spare;        // [triangles]
    uint8_t *volume;        // [triangles] the sub-volume that holds a triangle's midpoint
    uint32_t *begin, *end;  // [nodes]
    uint32_t *listed;       // [vertices] the last node, plus 1, that listed a vertex
    uint32_t vertices_used; // of tree->vertices
    uint32_t vertices_room;
} builder;

static const double *corner(const builder *b, uint32_t triangle, int i)
{
    return b->xyz + 3 * (size_t)b->tree->triangles[triangle].v[i];
}

static void box_of(const builder *b, uint32_t node, double lo[3], double hi[3])
{
    memcpy(lo, corner(b, b->order[b->begin[node]], 0), 3 * sizeof *lo);
    memcpy(hi, lo, 3 * sizeof *hi);
    for (uint32_t i = b->begin[node]; i < b->end[node]; i++) {
        for (int k = 0; k < 9; k++) {
            const double x = corner(b, b->order[i], k / 3)[k % 3];
            lo[k % 3] = x < lo[k % 3] ? x : lo[k % 3];
            hi[k % 3] = x > hi[k % 3] ? x : hi[k % 3];
        }
    }
}

static void longest_first(const double lo[3], const double hi[3], int axes[3])
{
    for (int i = 0; i < 3; i++) {
        int at = i;
        for (; at > 0 && hi[i] - lo[i] > hi[axes[at - 1]] - lo[axes[at - 1]]; at--)
            axes[at] = axes[at - 1];
        axes[at] = i;
    }
}

static uint32_t volume_of(const builder *b, uint32_t triangle, const int axes[3],
                          const double centre[3])
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < b->split_axes; i++) {
        const int axis = axes[i];
        const double middle = (corner(b, triangle, 0)[axis] + corner(b, triangle, 1)[axis] +
                               corner(b, triangle, 2)[axis]) /
                              3;
        v |= (uint32_t)(middle >= centre[axis]) << i;
    }
    return v;
}

// Sorts a node's triangles by sub-volume; count[v] tells how many each has.
static void split(builder *b, uint32_t node, uint32_t count[8])
{
    double lo[3], hi[3], centre[3];
    int axes[3];
    box_of(b, node, lo, hi);
    longest_first(lo, hi, axes);
    for (int i = 0; i < 3; i++)
        centre[i] = 0.5 * (lo[i] + hi[i]);
    memset(count, 0, 8 * sizeof *count);
    for (uint32_t i = b->begin[node]; i < b->end[node]; i++) {
        const uint32_t v = volume_of(b, b->order[i], axes, centre);
        b->volume[i] = (uint8_t)v;
        count[v]++;
    }
    uint32_t at[8], sum = b->begin[node];
    for (int v = 0; v < 8; v++) {
        at[v] = sum;
        sum += count[v];
    }
    for (uint32_t i = b->begin[node]; i < b->end[node]; i++)
        b->spare[at[b->volume[i]]++] = b->order[i];
    const uint32_t n = b->end[node] - b->begin[node];
    memcpy(b->order + b->begin[node], b->spare + b->begin[node], n * sizeof *b->order);
    for (int v = 0; v < 8; v++) {
        if (count[v] == n) { // no plane parts them: halves by number
            count[v] = 0;
            count[0] = n / 2;
            count[1] = n - n / 2;
            break;
        }
    }
}

static bool list_vertices(builder *b, uint32_t node)
{
    literal_tree *t = b->tree;
    const uint32_t most = 3 * (b->end[node] - b->begin[node]);
    if (b->vertices_room - b->vertices_used < most) {
        b->vertices_room = 2 * (b->vertices_used + most);
        uint32_t *more = realloc(t->vertices, b->vertices_room * sizeof *more);
        if (!more)
            return false;
        t->vertices = more;
    }
    t->nodes[node].first_vertex = b->vertices_used;
    for (uint32_t i = b->begin[node]; i < b->end[node]; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t v = t->triangles[b->order[i]].v[k];
            if (b->listed[v] != node + 1)
                t->vertices[b->vertices_used++] = v;
            b->listed[v] = node + 1;
        }
    }
    t->nodes[node].vertex_count = b->vertices_used - t->nodes[node].first_vertex;
    return true;
}

// The rows are their own queue: each node appends its children.
static bool grow(builder *b)
{
    literal_tree *t = b->tree;
    b->end[0] = t->triangle_count;
    t->node_count = 1;
    for (uint32_t node = 0; node < t->node_count; node++) {
        literal_node *row = &t->nodes[node];
        t->depth = row->level;
        if (!list_vertices(b, node))
            return false;
        row->triangle = b->order[b->begin[node]];
        if (b->end[node] - b->begin[node] == 1)
            continue;
        uint32_t count[8], begin = b->begin[node];
        split(b, node, count);
        row->first_child = t->node_count;
        for (int v = 0; v < 8; v++) {
            if (!count[v])
                continue;
            t->nodes[t->node_count].level = row->level + 1;
            b->begin[t->node_count] = begin;
            b->end[t->node_count++] = begin += count[v];
            row->child_count++;
        }
    }
    while (t->cut < t->node_count && t->nodes[t->cut].level <= t->depth / 2)
        t->cut++;
    return true;
}

bool literal_tree_create(const shl_surface *rest, uint32_t arity, literal_tree *out)
{
    const uint32_t n = rest->triangle_count, most = 2 * n; // inner nodes have two or more
    *out = (literal_tree){.triangle_count = n, .vertex_count = rest->vertex_count};
    builder b = {.tree = out, .xyz = rest->xyz};
    b.split_axes = arity == 2 ? 1 : arity == 4 ? 2 : 3;
    out->nodes = calloc(most, sizeof *out->nodes);
    out->triangles = malloc(n * sizeof *out->triangles);
    b.order = malloc(n * sizeof *b.order);
    b.spare = malloc(n * sizeof *b.spare);
    b.volume = malloc(n * sizeof *b.volume);
    b.begin = calloc(most, sizeof *b.begin);
    b.end = calloc(most, sizeof *b.end);
    b.listed = calloc(rest->vertex_count, sizeof *b.listed);
    bool good = out->nodes && out->triangles && b.order && b.spare && b.volume && b.begin &&
                b.end && b.listed;
    for (uint32_t i = 0; good && i < n; i++) {
        const uint32_t *v = rest->triangles + 3 * (size_t)i;
        out->triangles[i] = (shl_tri){{v[0], v[1], v[2]}, i};
        b.order[i] = i;
    }
    good = good && grow(&b);
    free(b.order);
    free(b.spare);
    free(b.volume);
    free(b.begin);
    free(b.end);
    free(b.listed);
    if (!good)
        literal_tree_finish(out);
    return good;
}

void literal_tree_finish(literal_tree *tree)
{
    free(tree->nodes);
    free(tree->vertices);
    free(tree->triangles);
    memset(tree, 0, sizeof *tree);
}
