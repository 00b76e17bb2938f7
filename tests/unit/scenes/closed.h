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

#endif
