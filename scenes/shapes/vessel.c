// SPDX-License-Identifier: MIT
#include "scenes/shapes/vessel.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

double shl_surface_volume6(const shl_surface *s)
{
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *c = s->triangles + 3 * t;
        double n[3];
        shl_cross(s->xyz + 3 * (size_t)c[1], s->xyz + 3 * (size_t)c[2], n);
        sum += shl_dot(s->xyz + 3 * (size_t)c[0], n);
    }
    return sum;
}

static void face_outwards(shl_surface *s)
{
    if (shl_surface_volume6(s) >= 0)
        return;
    for (size_t t = 0; t < s->triangle_count; t++) {
        uint32_t *c = s->triangles + 3 * t, swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
}

static shoal_status reserve(shl_surface *s, size_t vertices, size_t triangles)
{
    *s = (shl_surface){.xyz = calloc(vertices, 3 * sizeof *s->xyz),
                       .triangles = calloc(triangles, 3 * sizeof *s->triangles)};
    if (s->xyz && s->triangles)
        return SHOAL_OK;
    shl_surface_finish(s);
    return SHOAL_ERR_MEMORY;
}

static void add_vertex(shl_surface *s, double x, double y, double z)
{
    double *to = s->xyz + 3 * (size_t)s->vertex_count++;
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

// A triangle with two equal corners is none.
static void add_triangle(shl_surface *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == b || b == c || c == a)
        return;
    uint32_t *to = s->triangles + 3 * (size_t)s->triangle_count++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

static void add_square(shl_surface *s, const uint32_t q[4])
{
    add_triangle(s, q[0], q[1], q[2]);
    add_triangle(s, q[0], q[2], q[3]);
}

shoal_status shl_mesh_turned(const shl_turned *def, shl_surface *out)
{
    *out = (shl_surface){0};
    const uint32_t n = def->segments;
    if (n < 3 || def->count < 3)
        return SHOAL_ERR_ARGUMENT;
    uint32_t *first = calloc(def->count, sizeof *first);
    shoal_status st = first ? reserve(out, (size_t)n * def->count, 2 * (size_t)n * def->count)
                            : SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < def->count && st == SHOAL_OK; i++) {
        const double radius = def->outline[i][0], z = def->outline[i][1];
        first[i] = out->vertex_count;
        for (uint32_t j = 0; j < (radius > 0 ? n : 1); j++) {
            const shl_sincos t = shl_sincos_of(6.283185307179586 * j / n);
            add_vertex(out, radius * t.cos, radius * t.sin, z);
        }
    }
    for (uint32_t i = 0; i + !def->ring < def->count && st == SHOAL_OK; i++) {
        const uint32_t next = (i + 1) % def->count;
        const bool tip[2] = {def->outline[i][0] <= 0, def->outline[next][0] <= 0};
        for (uint32_t j = 0; j < n; j++) {
            const uint32_t k = (j + 1) % n;
            const uint32_t q[4] = {first[i] + (tip[0] ? 0 : j), first[i] + (tip[0] ? 0 : k),
                                   first[next] + (tip[1] ? 0 : k),
                                   first[next] + (tip[1] ? 0 : j)};
            add_square(out, q);
        }
    }
    free(first);
    if (st == SHOAL_OK)
        face_outwards(out);
    return st;
}

static void unit(double x, double z, double out[2])
{
    const double length = sqrt(x * x + z * z);
    out[0] = x / length;
    out[1] = z / length;
}

// The normal of a polyline at a point, to its left, so long that a parallel line keeps its
// distance.
static void normal_at(const double (*line)[2], uint32_t count, uint32_t i, double out[2])
{
    double before[2], behind[2];
    const uint32_t a = i ? i - 1 : 0, b = i + 1 < count ? i : count - 2;
    unit(line[a + 1][0] - line[a][0], line[a + 1][1] - line[a][1], before);
    unit(line[b + 1][0] - line[b][0], line[b + 1][1] - line[b][1], behind);
    const double turned = 1 + before[0] * behind[0] + before[1] * behind[1];
    out[0] = -(before[1] + behind[1]) / turned;
    out[1] = (before[0] + behind[0]) / turned;
}

shoal_status shl_mesh_drawn(const shl_drawn *def, shl_surface *out)
{
    *out = (shl_surface){0};
    const uint32_t points = def->points, stations = def->stations, loop = 2 * points;
    if (points < 2 || stations < 2)
        return SHOAL_ERR_ARGUMENT;
    const shoal_status st =
        reserve(out, (size_t)loop * stations, 2 * (size_t)loop * stations + 4 * (size_t)points);
    if (st != SHOAL_OK)
        return st;
    for (uint32_t i = 0; i < stations; i++) {
        double up[2];
        normal_at(def->path, stations, i, up);
        for (uint32_t k = 0; k < loop; k++) { // along the inside and back along the outside
            const uint32_t at = k < points ? k : loop - 1 - k;
            double side[2];
            normal_at(def->section, points, at, side);
            const double off = k < points ? 0 : -def->thickness;
            const double y = def->section[at][0] + off * side[0];
            const double height = def->section[at][1] + off * side[1];
            add_vertex(out, def->path[i][0] + height * up[0], y,
                       def->path[i][1] + height * up[1]);
        }
    }
    for (uint32_t i = 0; i + 1 < stations; i++) {
        for (uint32_t k = 0; k < loop; k++) {
            const uint32_t a = i * loop + k, b = i * loop + (k + 1) % loop;
            add_square(out, (const uint32_t[4]){a, b, b + loop, a + loop});
        }
    }
    const uint32_t end = (stations - 1) * loop;
    for (uint32_t k = 0; k + 1 < points; k++) {
        const uint32_t a = k, b = k + 1, c = loop - 2 - k, d = loop - 1 - k;
        add_square(out, (const uint32_t[4]){d, c, b, a});
        add_square(out, (const uint32_t[4]){end + a, end + b, end + c, end + d});
    }
    face_outwards(out);
    return SHOAL_OK;
}
