// SPDX-License-Identifier: MIT
// Edges sorted by both ends, so that those of one pair of vertices follow each other.
#include "runtime/trees/neighbours.h"

#include <string.h>

typedef struct edges {
    const uint32_t *triangles;
    uint32_t *list, *sorted; // [3 * faces] edge k of face f is number 3 f + k
    uint32_t *start;         // [vertices + 1]
    size_t count, vertices;
} edges;

// The lower end of an edge, or the higher one.
static uint32_t end_of(const edges *e, uint32_t edge, bool higher)
{
    const uint32_t a = e->triangles[edge];
    const uint32_t b = e->triangles[edge % 3 == 2 ? edge - 2 : edge + 1];
    return (a > b) == higher ? a : b;
}

// Stable, so two passes sort by both ends.
static void sort_by_end(edges *e, bool higher)
{
    memset(e->start, 0, (e->vertices + 1) * sizeof *e->start);
    for (size_t i = 0; i < e->count; i++)
        e->start[end_of(e, e->list[i], higher) + 1]++;
    for (size_t v = 0; v < e->vertices; v++)
        e->start[v + 1] += e->start[v];
    for (size_t i = 0; i < e->count; i++)
        e->sorted[e->start[end_of(e, e->list[i], higher)]++] = e->list[i];
    uint32_t *swap = e->list;
    e->list = e->sorted;
    e->sorted = swap;
}

static void link_faces(const edges *e, uint32_t *face)
{
    for (size_t i = 1; i < e->count; i++) {
        const uint32_t a = e->list[i - 1], b = e->list[i];
        const uint32_t low = end_of(e, b, false), high = end_of(e, b, true);
        if (a / 3 == b / 3 || low == high || end_of(e, a, false) != low ||
            end_of(e, a, true) != high)
            continue;
        face[2 * (size_t)a + 1] = b / 3;
        face[2 * (size_t)b] = a / 3;
    }
}

shoal_status shl_neighbours_find(const shl_build_input *in, const shoal_allocator *allocator,
                                 shl_neighbours *out)
{
    const size_t faces = in->triangle_count, count = 3 * faces, vertices = in->vertex_count;
    const size_t scratch = (2 * count + vertices + 1) * sizeof(uint32_t);
    const size_t bytes = SHL_NEIGHBOURS * faces * sizeof(uint32_t);
    *out = (shl_neighbours){shl_alloc(allocator, bytes), in->triangle_count};
    uint32_t *memory = shl_alloc(allocator, scratch);
    if (!memory || !out->face) {
        shl_free(allocator, memory, scratch);
        shl_neighbours_finish(out, allocator);
        return SHOAL_ERR_MEMORY;
    }
    edges e = {in->triangles, memory, memory + count, memory + 2 * count, count, vertices};
    for (size_t i = 0; i < count; i++)
        e.list[i] = (uint32_t)i;
    sort_by_end(&e, true);
    sort_by_end(&e, false);
    memset(out->face, 0xff, bytes);
    link_faces(&e, out->face);
    shl_free(allocator, memory, scratch);
    return SHOAL_OK;
}

void shl_neighbours_finish(shl_neighbours *n, const shoal_allocator *allocator)
{
    shl_free(allocator, n->face, SHL_NEIGHBOURS * (size_t)n->faces * sizeof *n->face);
    *n = (shl_neighbours){0};
}
