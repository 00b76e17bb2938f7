// SPDX-License-Identifier: MIT
// Whether triangles enclose something.
#ifndef TESTS_UNIT_SCENES_CLOSED_H
#define TESTS_UNIT_SCENES_CLOSED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Each directed edge is there as often as its reverse; with `once`, once.
static bool closed(const uint32_t *triangles, uint32_t count, bool once)
{
    const size_t n = 3 * (size_t)count;
    uint64_t *there = malloc(2 * n * sizeof *there), *back = there + n;
    bool good = there && n;
    for (size_t i = 0; i < n && good; i++) {
        const uint64_t from = triangles[i], to = triangles[i % 3 == 2 ? i - 2 : i + 1];
        there[i] = from << 32 | to;
        back[i] = to << 32 | from;
        good = from != to;
    }
    if (good) {
        qsort(there, n, sizeof *there, by_value);
        qsort(back, n, sizeof *back, by_value);
    }
    for (size_t i = 0; i < n && good; i++)
        good = there[i] == back[i] && !(once && i > 0 && there[i] == there[i - 1]);
    free(there);
    return good;
}

// Whether edges lead from each vertex to each other one, through all `vertices`.
static inline bool in_one_piece(const uint32_t *triangles, uint32_t count, uint32_t vertices)
{
    uint32_t *group = malloc(vertices * sizeof *group);
    bool one = group && vertices, changed = one;
    for (uint32_t v = 0; v < vertices && one; v++)
        group[v] = v;
    while (changed) { // the lowest number of a group spreads, in both directions of an edge
        changed = false;
        for (size_t i = 0; i < 3 * (size_t)count; i++) {
            const uint32_t from = triangles[i], to = triangles[i % 3 == 2 ? i - 2 : i + 1];
            const uint32_t low = group[from] < group[to] ? group[from] : group[to];
            changed |= group[from] != group[to];
            group[from] = group[to] = low;
        }
    }
    for (uint32_t v = 0; v < vertices && one; v++)
        one = group[v] == 0;
    free(group);
    return one;
}

// What closed triangles enclose; negative if they face inwards.
static inline double enclosed_volume(const double *xyz, const uint32_t *triangles,
                                     uint32_t count)
{
    double sum = 0;
    for (size_t t = 0; t < count; t++) {
        const double *a = xyz + 3 * (size_t)triangles[3 * t],
                     *b = xyz + 3 * (size_t)triangles[3 * t + 1],
                     *c = xyz + 3 * (size_t)triangles[3 * t + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

#endif
