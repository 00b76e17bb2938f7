// SPDX-License-Identifier: MIT
// Triangles whose boxes overlap, a third of them on a coarse lattice where exact signs decide.
#include "tests/cases/case.h"

#include <stdlib.h>
#include <string.h>

static void *xyz[2][2]; // [side][scalar]
static shl_tri *tris;
static shl_tri_pair *pairs;
static shl_tri_side side[2];
static void *out_memory[2];
static shl_tri_pair *out[2];
static uint32_t kept[2];
static uint64_t exact[2];

static void fill(uint32_t rows, uint64_t seed, shoal_scalar a, shoal_scalar b)
{
    uint64_t r = seed * 2 + 1;
    tris = realloc(tris, rows * sizeof *tris);
    pairs = realloc(pairs, rows * sizeof *pairs);
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 2; k++) {
            free(xyz[s][k]);
            xyz[s][k] = malloc((size_t)rows * 9 * (k ? sizeof(double) : sizeof(float)));
        }
    }
    for (uint32_t i = 0; i < rows; i++) {
        const bool lattice = i % 3 == 0;
        tris[i] = (shl_tri){{3 * i, 3 * i + 1, 3 * i + 2}, i};
        pairs[i] = (shl_tri_pair){i, i};
        for (int s = 0; s < 2; s++) {
            for (size_t k = 9 * (size_t)i; k < 9 * (size_t)i + 9; k++) {
                const double u = shl_random_unit(&r);
                const float v = lattice ? (float)(int)(4 * u) : (float)u;
                ((float *)xyz[s][0])[k] = v;
                ((double *)xyz[s][1])[k] = lattice ? (double)v : u;
            }
        }
    }
    side[0] = (shl_tri_side){xyz[0][a], tris, a};
    side[1] = (shl_tri_side){xyz[1][b], tris, b};
    for (int w = 0; w < 2; w++) {
        out[w] = shl_case_memory(&out_memory[w], rows * sizeof *out[w]);
        memset(out[w], 0x55, rows * sizeof *out[w]);
    }
}

static void setup_f32(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, SHOAL_F32, SHOAL_F32);
}

static void setup_f64(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, SHOAL_F64, SHOAL_F64);
}

static void setup_mixed(uint32_t rows, uint64_t seed)
{
    fill(rows, seed, seed % 2 ? SHOAL_F32 : SHOAL_F64, seed % 2 ? SHOAL_F64 : SHOAL_F32);
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    exact[which] = 0;
    kept[which] = k->tri_overlap(&side[0], &side[1], pairs, rows, out[which], &exact[which]);
}

static bool same(uint32_t rows)
{
    return kept[0] == kept[1] && kept[0] <= rows &&
           memcmp(out[0], out[1], kept[0] * sizeof *out[0]) == 0;
}

const shl_case shl_case_tri_overlap_f32 = {
    .name = "tri_overlap_f32",
    .row = "pair",
    .sizes = {1, 3, 4, 5, 255, 256, 257, 1000},
    .bench_rows = 1000,
    .setup = setup_f32,
    .run = run,
    .same = same,
};

const shl_case shl_case_tri_overlap_f64 = {
    .name = "tri_overlap_f64",
    .row = "pair",
    .sizes = {1, 3, 4, 5, 255, 256, 257, 1000},
    .bench_rows = 1000,
    .setup = setup_f64,
    .run = run,
    .same = same,
};

const shl_case shl_case_tri_overlap_mixed = {
    .name = "tri_overlap_mixed",
    .row = "pair",
    .sizes = {1, 3, 4, 5, 255, 256, 257, 1000},
    .bench_rows = 1000,
    .setup = setup_mixed,
    .run = run,
    .same = same,
};
