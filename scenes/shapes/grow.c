// SPDX-License-Identifier: MIT
#include "scenes/shapes/grow.h"

#include <stdlib.h>
#include <string.h>

// Room for one more of `count` things of `size` bytes.
static void *one_more(shl_grow *g, void *things, uint32_t count, uint32_t *capacity,
                      size_t size)
{
    if (g->failed || count < *capacity)
        return things;
    const uint32_t wider = *capacity ? 2 * *capacity : 1024;
    void *more = realloc(things, wider * size);
    g->failed = !more;
    *capacity = more ? wider : *capacity;
    return more ? more : things;
}

uint32_t shl_grow_vertex(shl_grow *g, const double p[3])
{
    g->xyz = one_more(g, g->xyz, g->vertices, &g->vertex_capacity, 3 * sizeof *g->xyz);
    if (!g->failed)
        memcpy(g->xyz + 3 * (size_t)g->vertices, p, 3 * sizeof *p);
    return g->vertices++;
}

void shl_grow_triangle(shl_grow *g, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};
    g->corners =
        one_more(g, g->corners, g->triangles, &g->triangle_capacity, 3 * sizeof *g->corners);
    if (!g->failed)
        memcpy(g->corners + 3 * (size_t)g->triangles, corners, sizeof corners);
    g->triangles++;
}

void shl_grow_quad(shl_grow *g, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    shl_grow_triangle(g, a, b, c);
    shl_grow_triangle(g, a, c, d);
}

shoal_status shl_grow_end(shl_grow *g, shl_surface *out)
{
    *out = (shl_surface){g->xyz, g->corners, g->vertices, g->triangles};
    if (g->failed)
        shl_surface_finish(out);
    return g->failed ? SHOAL_ERR_MEMORY : SHOAL_OK;
}
