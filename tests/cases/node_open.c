// SPDX-License-Identifier: MIT
// Every node of a tree over a wavy sheet, opened with and without skipped lanes.
#include "runtime/trees/build.h"
#include "tests/cases/case.h"

#include <stdlib.h>
#include <string.h>

static shl_tree tree;
static void *xyz, *block_memory[2];
static shl_block *blocks[2];
static bool all_finite[2];

static void fill(uint32_t rows, uint64_t seed, bool float32)
{
    uint64_t r = seed * 2 + 1;
    const shoal_allocator memory = shl_allocator_libc();
    shl_tree_finish(&tree, &memory);
    // A strip of quads, two triangles each, plus a vertex that no triangle names.
    const uint32_t columns = rows / 2 + 2, vertices = 2 * columns + 1;
    uint32_t *triangles = malloc(3 * sizeof(uint32_t) * rows);
    double *rest = malloc(3 * sizeof(double) * vertices);
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t q = i / 2 * 2;
        const uint32_t corner[2][3] = {{q, q + 1, q + 2}, {q + 2, q + 1, q + 3}};
        memcpy(triangles + 3 * (size_t)i, corner[i % 2], sizeof corner[0]);
    }
    for (uint32_t v = 0; v < vertices; v++) {
        rest[3 * v] = v / 2 % 64;
        rest[3 * v + 1] = v % 2 + 2.0 * (v / 128);
        rest[3 * v + 2] = shl_random_unit(&r);
    }
    const shl_build_input input = {
        .triangles = triangles, .xyz = rest, .triangle_count = rows, .vertex_count = vertices};
    if (shl_tree_build(&input, &memory, &tree) != SHOAL_OK)
        exit(71);
    free(xyz);
    xyz = malloc((size_t)vertices * 3 * (float32 ? sizeof(float) : sizeof(double)));
    for (size_t i = 0; i < 3 * (size_t)vertices; i++) {
        const double v = shl_random_coordinate(&r, float32);
        if (float32)
            ((float *)xyz)[i] = (float)v;
        else
            ((double *)xyz)[i] = v;
    }
    for (int which = 0; which < 2; which++) {
        blocks[which] =
            shl_case_memory(&block_memory[which], tree.node_count * sizeof(shl_block));
        memset(blocks[which], 0x7e, tree.node_count * sizeof(shl_block));
    }
    free(triangles);
    free(rest);
}

static void setup_f32(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, true);
}

static void setup_f64(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, false);
}

static void run(shl_node_open_fn *fn, int which)
{
    all_finite[which] = true;
    for (uint32_t n = 0; n < tree.node_count; n++) {
        const uint32_t skip = n % 5 == 4 ? n * 37 & 0xff : 0;
        all_finite[which] &= fn(&tree, xyz, n, skip, &blocks[which][n]);
    }
}

static void run_f32(const shl_kernels *k, uint32_t rows, int which)
{
    (void)rows;
    run(k->node_open[SHOAL_F32], which);
}

static void run_f64(const shl_kernels *k, uint32_t rows, int which)
{
    (void)rows;
    run(k->node_open[SHOAL_F64], which);
}

static bool same(uint32_t rows)
{
    return rows == tree.triangle_count && all_finite[0] && all_finite[1] &&
           memcmp(blocks[0], blocks[1], tree.node_count * sizeof(shl_block)) == 0;
}

const shl_case shl_case_node_open_f32 = {
    .name = "node_open_f32",
    .row = "triangle",
    .sizes = {1, 2, 7, 8, 9, 64, 65, 200, 1000, 5000},
    .bench_rows = 5000,
    .setup = setup_f32,
    .run = run_f32,
    .same = same,
};

const shl_case shl_case_node_open_f64 = {
    .name = "node_open_f64",
    .row = "triangle",
    .sizes = {1, 2, 7, 8, 9, 64, 65, 200, 1000, 5000},
    .bench_rows = 5000,
    .setup = setup_f64,
    .run = run_f64,
    .same = same,
};
