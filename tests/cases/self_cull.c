// SPDX-License-Identifier: MIT
// Gradients of leaves over a plane, for all kinds of coordinates, and their bounds joined.
#include "tests/cases/case.h"

#include <string.h>

enum { VERTICES = 50, JOINED = 9 };

static void *first_memory, *count_memory, *tri_memory, *inverse_memory, *row_memory[2],
    *joined_memory[2], *xyz_memory[2];
static shl_tree tree;
static float *inverse;           // [rows][4][SHL_LANES]
static void *xyz[2];             // by shoal_scalar
static shl_gradients *out[2];    // [2 * rows] float32, then float64
static shl_gradients *joined[2]; // [rows]

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    tree.first = shl_case_memory(&first_memory, rows * sizeof *tree.first);
    tree.count = shl_case_memory(&count_memory, rows * sizeof *tree.count);
    uint32_t triangles = 0;
    for (uint32_t i = 0; i < rows; i++) {
        tree.first[i] = triangles;
        tree.count[i] = (uint8_t)(1 + shl_random(&r) % SHL_LANES);
        triangles += tree.count[i];
    }
    shl_tri *tri = tree.tri = shl_case_memory(&tri_memory, triangles * sizeof *tri);
    tree.last_named = triangles;
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const uint32_t v = tri[i / 3].v[i % 3] = (uint32_t)(shl_random(&r) % VERTICES);
        if (v == VERTICES - 1 && i / 3 < tree.last_named)
            tree.last_named = i / 3;
    }
    float *single = xyz[SHOAL_F32] =
        shl_case_memory(&xyz_memory[0], 3 * VERTICES * sizeof *single);
    double *wide = xyz[SHOAL_F64] =
        shl_case_memory(&xyz_memory[1], 3 * VERTICES * sizeof *wide);
    const bool plain = seed % 2;
    for (int i = 0; i < 3 * VERTICES; i++) {
        single[i] = (float)(plain ? shl_random_unit(&r) : shl_random_coordinate(&r, true));
        wide[i] = plain ? shl_random_unit(&r) : shl_random_coordinate(&r, false);
    }
    inverse = shl_case_memory(&inverse_memory, rows * 4 * SHL_LANES * sizeof *inverse);
    for (uint32_t i = 0; i < rows * 4 * SHL_LANES; i++) {
        const uint32_t lane = i % SHL_LANES, last = tree.count[i / (4 * SHL_LANES)] - 1u;
        inverse[i] = lane > last ? inverse[i - 1] : 20 * (float)shl_random_unit(&r) - 10;
    }
    for (int w = 0; w < 2; w++) {
        out[w] = shl_case_memory(&row_memory[w], 2 * rows * sizeof *out[w]);
        joined[w] = shl_case_memory(&joined_memory[w], rows * sizeof *joined[w]);
    }
}

static void run_leaves(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < 2 * rows; i++)
        k->leaf_gradients(&tree, xyz[i / rows], (shoal_scalar)(i / rows), i % rows,
                          inverse + (size_t)(i % rows) * 4 * SHL_LANES, &out[which][i]);
}

static bool same_leaves(uint32_t rows)
{
    return memcmp(out[0], out[1], 2 * rows * sizeof *out[0]) == 0;
}

static void setup_join(uint32_t rows, uint64_t seed)
{
    setup(rows, seed);
    shl_kernels reference;
    shl_kernels_init(&reference, SHOAL_CPU_REF);
    run_leaves(&reference, rows, SHL_REF);
}

static void run_join(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t list[JOINED];
        for (uint32_t j = 0; j < JOINED; j++)
            list[j] = (i * 7 + j * j) % rows;
        k->join_gradients(out[SHL_REF], list, 1 + i % JOINED, &joined[which][i]);
    }
}

static bool same_join(uint32_t rows)
{
    return memcmp(joined[0], joined[1], rows * sizeof *joined[0]) == 0;
}

const shl_case shl_case_leaf_gradients = {
    .name = "leaf_gradients",
    .row = "leaf",
    .sizes = {1, 7, 500},
    .bench_rows = 300,
    .setup = setup,
    .run = run_leaves,
    .same = same_leaves,
};

const shl_case shl_case_join_gradients = {
    .name = "join_gradients",
    .row = "list of up to 9",
    .sizes = {1, 7, 500},
    .bench_rows = 300,
    .setup = setup_join,
    .run = run_join,
    .same = same_join,
};
