// SPDX-License-Identifier: MIT
#include "worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *need(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        abort();
    return memory;
}

uint64_t world_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double world_unit(uint64_t *state)
{
    return (double)(world_random(state) >> 40) * 0x1p-23 - 1;
}

static world_mesh mesh_alloc(uint32_t vertices, uint32_t triangles)
{
    return (world_mesh){vertices, triangles, need(3 * (size_t)triangles * sizeof(uint32_t)),
                        need(3 * (size_t)vertices * sizeof(double))};
}

void mesh_free(world_mesh *mesh)
{
    free(mesh->tri);
    free(mesh->rest);
    memset(mesh, 0, sizeof *mesh);
}

// The vertex halfway between two, made at most once.
static uint32_t middle(world_mesh *m, uint32_t (*made)[3], uint32_t *made_count, uint32_t a,
                       uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t i = 0; i < *made_count; i++) {
        if (made[i][0] == low && made[i][1] == high)
            return made[i][2];
    }
    double *p = m->rest + 3 * (size_t)m->vertex_count, length = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = m->rest[3 * (size_t)low + k] + m->rest[3 * (size_t)high + k];
        length += p[k] * p[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++)
        p[k] /= length;
    const uint32_t row[3] = {low, high, m->vertex_count};
    memcpy(made[(*made_count)++], row, sizeof row);
    return m->vertex_count++;
}

static void split_all(world_mesh *m)
{
    const uint32_t n = m->triangle_count;
    uint32_t *tri = need(12 * (size_t)n * sizeof *tri);
    uint32_t(*made)[3] = need((3 * (size_t)n / 2) * sizeof *made), made_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *v = m->tri + 3 * (size_t)i;
        uint32_t h[3];
        for (int k = 0; k < 3; k++)
            h[k] = middle(m, made, &made_count, v[k], v[(k + 1) % 3]);
        const uint32_t four[12] = {v[0], h[0], h[2], v[1], h[1], h[0],
                                   v[2], h[2], h[1], h[0], h[1], h[2]};
        memcpy(tri + 12 * (size_t)i, four, sizeof four);
    }
    free(made);
    free(m->tri);
    m->tri = tri;
    m->triangle_count = 4 * n;
}

world_mesh mesh_ball(int level, uint64_t seed)
{
    static const int8_t corners[12][3] = {{-1, 2, 0}, {1, 2, 0}, {-1, -2, 0}, {1, -2, 0},
                                          {0, -1, 2}, {0, 1, 2}, {0, -1, -2}, {0, 1, -2},
                                          {2, 0, -1}, {2, 0, 1}, {-2, 0, -1}, {-2, 0, 1}};
    static const uint8_t faces[60] = {0, 11, 5, 0, 5,  1,  0,  1,  7,  0,  7, 10, 0, 10, 11,
                                      1, 5,  9, 5, 11, 4,  11, 10, 2,  10, 7, 6,  7, 1,  8,
                                      3, 9,  4, 3, 4,  2,  3,  2,  6,  3,  6, 8,  3, 8,  9,
                                      4, 9,  5, 2, 4,  11, 6,  2,  10, 8,  6, 7,  9, 8,  1};
    const uint32_t vertices = 10u * (1u << 2 * level) + 2;
    world_mesh m = mesh_alloc(vertices, 20);
    m.vertex_count = 12;
    for (int i = 0; i < 36; i++)
        m.rest[i] = corners[i / 3][i % 3] / sqrt(5.0);
    for (int i = 0; i < 60; i++)
        m.tri[i] = faces[i];
    for (int l = 0; l < level; l++)
        split_all(&m);
    for (uint32_t v = 0; v < m.vertex_count; v++) {
        double *p = m.rest + 3 * (size_t)v;
        const double bump = 1 + 0.3 * p[0] * p[1] * p[2] * 4 + 0.05 * world_unit(&seed);
        for (int k = 0; k < 3; k++)
            p[k] = world_float(p[k] * bump);
    }
    return m;
}

world_mesh mesh_soup(uint32_t triangles, double size, uint64_t seed)
{
    world_mesh m = mesh_alloc(3 * triangles, triangles);
    for (uint32_t i = 0; i < triangles; i++) {
        double centre[3];
        for (int k = 0; k < 3; k++)
            centre[k] = world_unit(&seed);
        for (uint32_t c = 0; c < 3; c++) {
            m.tri[3 * (size_t)i + c] = 3 * i + c;
            for (int k = 0; k < 3; k++)
                m.rest[9 * (size_t)i + 3 * c + (size_t)k] =
                    world_float(centre[k] + size * world_unit(&seed));
        }
    }
    return m;
}

world_mesh mesh_lattice(uint32_t triangles, uint32_t vertices, int side, uint64_t seed)
{
    world_mesh m = mesh_alloc(vertices, triangles);
    for (size_t i = 0; i < 3 * (size_t)vertices; i++)
        m.rest[i] = (double)(world_random(&seed) % (uint64_t)side);
    for (size_t i = 0; i < 3 * (size_t)triangles; i++)
        m.tri[i] = (uint32_t)(world_random(&seed) % vertices);
    return m;
}
