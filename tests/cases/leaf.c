// SPDX-License-Identifier: MIT
// Leaves and what is made of them: boxes in steps of a grid, candidates in columns, verdicts.
// A forest of one-leaf trees over few vertices on a lattice, so that pairs share some, touch
// and lie in one plane; leaves of one to eight triangles; grids that hold the vertices, or are
// somewhere else, or have no extent.
#include "tests/cases/case.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 60 };

static float *xyz;
static void *xyz_memory, *tri_memory, *first_memory, *count_memory, *leaf_flag_memory,
    *open_memory[2], *columns_memory[2], *kept_memory[2], *total_memory[2], *exact_memory[2];
static shl_tri *tri;
static uint32_t *first;
static uint8_t *count, *leaf;
static shl_tree tree;
static shl_lattice grid;
static shl_leaf_tris *opened[2];    // [rows]
static shl_tri_columns *columns[2]; // [rows]
static shl_tri_pair *kept[2];       // [rows][SHL_COLUMN_ROWS]
static uint32_t *total[2];          // [rows][2] candidates, and those that touch
static uint64_t *exact[2];          // [rows]

static float coordinate(uint64_t *r, bool lattice)
{
    const float u = (float)shl_random_unit(r);
    return lattice ? (float)(int)(4 * u) : 4 * u;
}

static void fill_grid(uint64_t *r)
{
    shl_box box;
    for (int k = 0; k < 3; k++) {
        const float size[] = {4, 4, 4, 1, 0, 0x1p-140f, 0x1p127f, 4};
        box.lo[k] = (float)(shl_random(r) % 4 == 0) * coordinate(r, false);
        box.hi[k] = box.lo[k] + size[shl_random(r) % 8];
    }
    grid = shl_grid_of(&box);
}

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    xyz = shl_case_memory(&xyz_memory, 3 * VERTICES * sizeof *xyz);
    for (uint32_t i = 0; i < 3 * VERTICES; i++)
        xyz[i] = coordinate(&r, i / 3 % 2);
    if (seed % 5 == 0)
        xyz[shl_random(&r) % (3 * VERTICES)] = 0x1p126f;
    first = shl_case_memory(&first_memory, rows * sizeof *first);
    count = shl_case_memory(&count_memory, rows);
    leaf = shl_case_memory(&leaf_flag_memory, rows);
    uint32_t triangles = 0;
    for (uint32_t i = 0; i < rows; i++) {
        first[i] = triangles;
        count[i] = (uint8_t)(shl_random(&r) % 3 ? SHL_LANES : 1 + shl_random(&r) % SHL_LANES);
        leaf[i] = 1;
        triangles += count[i];
    }
    tri = shl_case_memory(&tri_memory, triangles * sizeof *tri);
    uint32_t last_named = triangles;
    for (uint32_t i = triangles; i-- > 0;) {
        for (int k = 0; k < 3; k++) {
            tri[i].v[k] = (uint32_t)(shl_random(&r) % (VERTICES - (i % 16 != 0)));
            if (tri[i].v[k] == VERTICES - 1)
                last_named = i;
        }
        tri[i].id = i;
    }
    tree = (shl_tree){.node_count = rows,
                      .leaf_count = rows,
                      .triangle_count = triangles,
                      .vertex_count = VERTICES,
                      .last_named = last_named,
                      .first = first,
                      .count = count,
                      .leaf = leaf,
                      .tri = tri};
    fill_grid(&r);
    for (int w = 0; w < 2; w++) {
        opened[w] = shl_case_memory(&open_memory[w], rows * sizeof *opened[w]);
        columns[w] = shl_case_memory(&columns_memory[w], rows * sizeof *columns[w]);
        kept[w] = shl_case_memory(&kept_memory[w], rows * sizeof *kept[w] * SHL_COLUMN_ROWS);
        total[w] = shl_case_memory(&total_memory[w], 2 * rows * sizeof *total[w]);
        exact[w] = shl_case_memory(&exact_memory[w], rows * sizeof *exact[w]);
        memset(opened[w], 0, rows * sizeof *opened[w]);
        memset(columns[w], 0, rows * sizeof *columns[w]);
        for (uint32_t i = 0; i < rows; i++)
            shl_leaf_open_ref(&tree, xyz, i, &grid, &opened[w][i]);
    }
}

static void run_open(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        k->leaf_open(&tree, xyz, i, &grid, &opened[which][i]);
}

static bool same_open(uint32_t rows)
{
    return memcmp(opened[0], opened[1], rows * sizeof *opened[0]) == 0;
}

// Two leaves at a time after each other, the first in all kinds.
static void fill_columns(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t kind = i % 4;
        const shl_leaf_tris *a = &opened[which][i];
        const shl_leaf_tris *b = kind & SHL_LEAF_SELF ? a : &opened[which][(i + 1) % rows];
        const uint32_t n = k->leaf_pairs(a, b, kind, &columns[which][i], 0);
        total[which][2 * i] =
            k->leaf_pairs(a, &opened[which][(i + 7) % rows], 0, &columns[which][i], n);
    }
}

static bool same_columns(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t n = total[0][2 * i];
        if (total[1][2 * i] != n ||
            memcmp(columns[0][i].row, columns[1][i].row, n * sizeof(shl_tri_pair)) != 0)
            return false;
        for (int c = 0; c < 18; c++) {
            if (memcmp(columns[0][i].corner[c / 9][c / 3 % 3][c % 3],
                       columns[1][i].corner[c / 9][c / 3 % 3][c % 3], n * sizeof(float)) != 0)
                return false;
        }
    }
    return true;
}

static void setup_filled(uint32_t rows, uint64_t seed)
{
    shl_kernels reference;
    shl_kernels_init(&reference, SHOAL_CPU_REF);
    setup(rows, seed);
    fill_columns(&reference, rows, SHL_REF);
    fill_columns(&reference, rows, SHL_NEW);
}

// Corners that stand for others, which the sides have: off by up to a rounding, from far below
// the size of a triangle to far above it.
static void setup_strayed(uint32_t rows, uint64_t seed)
{
    setup_filled(rows, seed);
    uint64_t r = seed + 99;
    for (uint32_t i = 0; i < rows; i++) {
        shl_tri_columns *rounded = &columns[SHL_REF][i];
        const float rounding = ldexpf(1, -(int)(shl_random(&r) % 40));
        rounded->rounding = rounding;
        for (uint32_t n = 0; n < 18 * total[SHL_REF][2 * i]; n++) {
            float *x = &rounded->corner[n % 18 / 9][n % 9 / 3][n % 3][n / 18];
            // an exact sum of what is off: rounding must not add to it
            const float off = *x + rounding * (float)(shl_random_unit(&r) - 0.5);
            if (fabs((double)off - (double)*x) <= (double)rounding)
                *x = off;
        }
        columns[SHL_NEW][i] = *rounded;
    }
}

static void run_columns(const shl_kernels *k, uint32_t rows, int which)
{
    const shl_tri_side side = {xyz, tri, SHOAL_F32};
    for (uint32_t i = 0; i < rows; i++) {
        exact[which][i] = 0;
        total[which][2 * i + 1] =
            k->tri_columns(&columns[which][i], total[which][2 * i], &side, &side,
                           kept[which] + (size_t)i * SHL_COLUMN_ROWS, &exact[which][i]);
    }
}

static bool same_kept(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const size_t at = (size_t)i * SHL_COLUMN_ROWS;
        const uint32_t n = total[0][2 * i + 1];
        if (total[1][2 * i + 1] != n || exact[0][i] != exact[1][i] ||
            memcmp(kept[0] + at, kept[1] + at, n * sizeof *kept[0]) != 0)
            return false;
    }
    return true;
}

const shl_case shl_case_leaf_open = {
    .name = "leaf_open",
    .row = "leaf",
    .sizes = {1, 7, 200},
    .bench_rows = 100,
    .setup = setup,
    .run = run_open,
    .same = same_open,
};

const shl_case shl_case_leaf_pairs = {
    .name = "leaf_pairs",
    .row = "two pairs of leaves",
    .sizes = {1, 7, 200},
    .bench_rows = 100,
    .setup = setup,
    .run = fill_columns,
    .same = same_columns,
};

const shl_case shl_case_tri_rounding = {
    .name = "tri_rounding",
    .row = "two pairs of leaves",
    .sizes = {1, 7, 200},
    .bench_rows = 100,
    .setup = setup_strayed,
    .run = run_columns,
    .same = same_kept,
};

const shl_case shl_case_tri_columns = {
    .name = "tri_columns",
    .row = "two pairs of leaves",
    .sizes = {1, 7, 200},
    .bench_rows = 100,
    .setup = setup_filled,
    .run = run_columns,
    .same = same_kept,
};
