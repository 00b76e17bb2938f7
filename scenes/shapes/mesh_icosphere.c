// SPDX-License-Identifier: MIT
#include "scenes/shapes/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Open addressing from an edge to the vertex in its middle.
typedef struct edge_map {
    uint64_t *edges; // [mask + 1] lower vertex << 32 | higher; 0 is free, no edge joins 0 to 0
    uint32_t *middles; // [mask + 1]
    uint32_t mask;
} edge_map;

static const uint32_t icosahedron[20][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
};

static void put_unit(double *out, double x, double y, double z)
{
    const double length = sqrt(x * x + y * y + z * z);
    out[0] = x / length;
    out[1] = y / length;
    out[2] = z / length;
}

static void start(shl_surface *s)
{
    const double g = (1.0 + sqrt(5.0)) / 2.0;
    for (uint32_t i = 0; i < 12; i++) {
        const double one = i & 1 ? 1 : -1, golden = i & 2 ? -g : g;
        if (i < 4)
            put_unit(s->xyz + 3 * i, one, golden, 0);
        else if (i < 8)
            put_unit(s->xyz + 3 * i, 0, one, golden);
        else
            put_unit(s->xyz + 3 * i, golden, 0, one);
    }
    memcpy(s->triangles, icosahedron, sizeof icosahedron);
    s->vertex_count = 12;
    s->triangle_count = 20;
}

static uint32_t middle(shl_surface *s, edge_map *map, uint32_t a, uint32_t b)
{
    const uint64_t edge = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint32_t slot = (uint32_t)(edge * 0x9e3779b97f4a7c15u >> 32) & map->mask;
    while (map->edges[slot] && map->edges[slot] != edge)
        slot = (slot + 1) & map->mask;
    if (!map->edges[slot]) {
        // the sum in order of vertex number, so that both triangles would give the same bits
        const double *p = s->xyz + 3 * (edge >> 32), *q = s->xyz + 3 * (edge & UINT32_MAX);
        put_unit(s->xyz + 3 * s->vertex_count, p[0] + q[0], p[1] + q[1], p[2] + q[2]);
        map->edges[slot] = edge;
        map->middles[slot] = s->vertex_count++;
    }
    return map->middles[slot];
}

// Cuts every triangle in four, in place: from the last one, since four rows replace one.
static void cut(shl_surface *s, edge_map *map)
{
    memset(map->edges, 0, ((size_t)map->mask + 1) * sizeof *map->edges);
    for (uint32_t i = s->triangle_count; i-- > 0;) {
        const uint32_t *t = s->triangles + 3 * (size_t)i;
        const uint32_t a = t[0], b = t[1], c = t[2];
        const uint32_t ab = middle(s, map, a, b), bc = middle(s, map, b, c),
                       ca = middle(s, map, c, a);
        const uint32_t four[12] = {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca};
        memcpy(s->triangles + 12 * (size_t)i, four, sizeof four);
    }
    s->triangle_count *= 4;
}

shoal_status shl_mesh_icosphere(uint32_t k, shl_surface *out)
{
    memset(out, 0, sizeof *out);
    if (k > SHL_ICOSPHERE_MAX)
        return SHOAL_ERR_ARGUMENT;
    const size_t quads = (size_t)1 << 2 * k, vertices = 10 * quads + 2, triangles = 20 * quads;
    // the last cut meets 7.5 * 4^k edges: half of the slots or fewer are taken
    edge_map map = {.mask = (uint32_t)(16 * quads - 1)};
    map.edges = malloc(((size_t)map.mask + 1) * sizeof *map.edges);
    map.middles = malloc(((size_t)map.mask + 1) * sizeof *map.middles);
    out->xyz = malloc(3 * vertices * sizeof *out->xyz);
    out->triangles = malloc(3 * triangles * sizeof *out->triangles);
    const bool room = map.edges && map.middles && out->xyz && out->triangles;
    if (room) {
        start(out);
        for (uint32_t i = 0; i < k; i++)
            cut(out, &map);
    } else {
        shl_surface_finish(out);
    }
    free(map.edges);
    free(map.middles);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_surface_finish(shl_surface *surface)
{
    free(surface->xyz);
    free(surface->triangles);
    memset(surface, 0, sizeof *surface);
}
