// SPDX-License-Identifier: MIT
#include "scenes/shapes/regions.h"

#include <math.h>
#include <stdlib.h>

static double edge_length(const shl_surface *s, uint32_t a, uint32_t b)
{
    double square = 0;
    for (size_t k = 0; k < 3; k++) {
        const double d = s->xyz[3 * (size_t)a + k] - s->xyz[3 * (size_t)b + k];
        square += d * d;
    }
    return sqrt(square);
}

// Shortest ways along edges from one vertex to all, by going over the edges until nothing gets
// shorter.
static void ways_from(const shl_surface *s, uint32_t from, double *way)
{
    for (uint32_t i = 0; i < s->vertex_count; i++)
        way[i] = i == from ? 0 : INFINITY;
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) {
            const uint32_t a = s->triangles[i], b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
            const double by = edge_length(s, a, b);
            if (way[a] + by < way[b]) {
                way[b] = way[a] + by;
                shorter = true;
            }
            if (way[b] + by < way[a]) {
                way[a] = way[b] + by;
                shorter = true;
            }
        }
    }
}

// The vertex that is farthest from the nearest of the first `count` centres.
static uint32_t farthest(const shl_surface *s, const double *way, uint32_t count, double *out)
{
    uint32_t best = 0;
    *out = -1;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        double least = INFINITY;
        for (uint32_t r = 0; r < count; r++) {
            const double d = way[(size_t)r * s->vertex_count + v];
            least = d < least ? d : least;
        }
        if (least > *out) {
            *out = least;
            best = v;
        }
    }
    return best;
}

shoal_status shl_regions_find(const shl_surface *s, uint32_t count, double overlap,
                              shl_regions *out)
{
    *out = (shl_regions){0};
    if (count == 0 || !(overlap >= 1))
        return SHOAL_ERR_ARGUMENT;
    const size_t n = s->vertex_count;
    double *way = malloc(count * n * sizeof *way);
    out->begin = calloc(count + (size_t)1, sizeof *out->begin);
    out->vertex = malloc(count * n * sizeof *out->vertex);
    if (!way || !out->begin || !out->vertex) {
        free(way);
        shl_regions_finish(out);
        return SHOAL_ERR_MEMORY;
    }
    double cover = 0;
    uint32_t centre = 0;
    for (uint32_t r = 0; r < count; r++) {
        ways_from(s, centre, way + r * n);
        centre = farthest(s, way, r + 1, &cover);
    }
    out->count = count;
    for (uint32_t r = 0; r < count; r++) {
        uint32_t at = out->begin[r];
        for (uint32_t v = 0; v < n; v++) {
            if (count == 1 || way[r * n + v] <= overlap * cover)
                out->vertex[at++] = v;
        }
        out->begin[r + 1] = at;
    }
    free(way);
    return SHOAL_OK;
}

void shl_regions_finish(shl_regions *r)
{
    free(r->begin);
    free(r->vertex);
    *r = (shl_regions){0};
}
