// SPDX-License-Identifier: MIT
// Blocks of bounds opened for one body, and vertices evaluated for it. Timed with ten fields,
// checked with any number of them.
#include "tests/cases/case.h"

#include <string.h>

enum { BENCH_BLOCKS = 64, BENCH_VERTICES = 4096, PAIRS = 20, PAIRS_ROOM = PAIRS + 7 };

static shl_reduced model;
static shl_reduced_ready *ready;
static double pose[12], q[SHL_FIELDS_MAX];
static uint32_t *list;
static void *memory[16];
static shl_block *blocks[2], *past;
static shl_slants *slants[2];
static shl_node_pair *pairs[2]; // [rows][PAIRS + 7]
static uint32_t *kept[2];       // [rows]
static double *xyz[2];

static void make_body(uint64_t *r, uint32_t fields)
{
    ready = shl_case_memory(&memory[0], sizeof *ready + fields * sizeof(float));
    memset(ready, 0, sizeof *ready);
    for (int i = 0; i < 12; i++)
        pose[i] = (i < 9 ? 1 : 1e6) * (2 * shl_random_unit(r) - 1);
    for (uint32_t j = 0; j < fields; j++) {
        q[j] = shl_random(r) % 8 ? 2 * shl_random_unit(r) - 1 : 0;
        ready->weight[j] = (float)q[j];
    }
    ready->rotation = pose;
    ready->translation = pose + 9;
    ready->q = q;
    for (int k = 0; k < 3; k++) {
        ready->base[k] = (float)pose[9 + k];
        ready->lo[k] = (float)(pose[9 + k] - ready->base[k] - 1e-6);
        ready->hi[k] = (float)(pose[9 + k] - ready->base[k] + 1e-6);
    }
    for (int i = 0; i < 9; i++)
        ready->turn[i] = (float)pose[i];
    ready->stretch = 1.0000001f;
}

static uint32_t fields_for(uint32_t rows, uint32_t bench_rows, uint64_t *r)
{
    const uint32_t any = (uint32_t)(shl_random(r) % (SHL_FIELDS_MAX + 1));
    return rows == bench_rows ? 10 : any;
}

static void setup_blocks(uint32_t rows, uint64_t seed, shl_bounds bounds)
{
    uint64_t r = 2 * seed + 1;
    model.field_count = fields_for(rows, BENCH_BLOCKS, &r);
    model.block_floats = SHL_LANES * (shl_bounds_rest_rows(bounds) +
                                      shl_bounds_field_rows(bounds) * model.field_count);
    make_body(&r, model.field_count);
    const size_t floats = (size_t)rows * model.block_floats;
    model.blocks = shl_case_memory(&memory[1], floats * sizeof(float));
    for (size_t i = 0; i < floats; i++)
        model.blocks[i] = (float)(2 * shl_random_unit(&r) - 1);
    for (int which = 0; which < 2; which++) {
        blocks[which] = shl_case_memory(&memory[2 + which], rows * sizeof(shl_block));
        memset(blocks[which], 0x7e, rows * sizeof(shl_block));
    }
}

static void setup_spheres(uint32_t rows, uint64_t seed)
{
    setup_blocks(rows, seed, SHL_BOUNDS_SPHERES);
}

static void setup_boxes(uint32_t rows, uint64_t seed)
{
    setup_blocks(rows, seed, SHL_BOUNDS_BOXES);
}

static void setup_affine(uint32_t rows, uint64_t seed)
{
    setup_blocks(rows, seed, SHL_BOUNDS_AFFINE);
}

static void run_blocks(shl_reduced_open_fn *fn, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        fn(model.blocks + (size_t)i * model.block_floats, model.field_count, ready,
           rows == BENCH_BLOCKS ? SHL_LANES : 1 + i % SHL_LANES, &blocks[which][i]);
}

static void run_spheres(const shl_kernels *k, uint32_t rows, int which)
{
    run_blocks(k->reduced_open[SHL_BOUNDS_SPHERES], rows, which);
}

static void run_boxes(const shl_kernels *k, uint32_t rows, int which)
{
    run_blocks(k->reduced_open[SHL_BOUNDS_BOXES], rows, which);
}

static void run_affine(const shl_kernels *k, uint32_t rows, int which)
{
    run_blocks(k->reduced_open[SHL_BOUNDS_AFFINE], rows, which);
}

static bool same_blocks(uint32_t rows)
{
    return memcmp(blocks[0], blocks[1], rows * sizeof(shl_block)) == 0;
}

const shl_case shl_case_reduced_spheres = {
    .name = "reduced_spheres",
    .row = "block of 8",
    .sizes = {1, 2, 8, BENCH_BLOCKS},
    .bench_rows = BENCH_BLOCKS,
    .setup = setup_spheres,
    .run = run_spheres,
    .same = same_blocks,
};

const shl_case shl_case_reduced_boxes = {
    .name = "reduced_boxes",
    .row = "block of 8",
    .sizes = {1, 2, 8, BENCH_BLOCKS},
    .bench_rows = BENCH_BLOCKS,
    .setup = setup_boxes,
    .run = run_boxes,
    .same = same_blocks,
};

const shl_case shl_case_reduced_affine = {
    .name = "reduced_affine",
    .row = "block of 8",
    .sizes = {1, 2, 8, BENCH_BLOCKS},
    .bench_rows = BENCH_BLOCKS,
    .setup = setup_affine,
    .run = run_affine,
    .same = same_blocks,
};

// Boxes of another state, moved; random ones stand in for them.
static void setup_move(uint32_t rows, uint64_t seed)
{
    setup_blocks(rows, seed, SHL_BOUNDS_BOXES);
    uint64_t r = 2 * seed + 1;
    model.delta = shl_case_memory(&memory[14], SHL_LANES * sizeof(float));
    past = shl_case_memory(&memory[15], rows * sizeof *past);
    for (uint32_t i = 0; i < SHL_LANES; i++)
        model.delta[i] = (float)shl_random_unit(&r);
    for (uint32_t i = 0; i < rows * SHL_LANES; i++) {
        for (int k = 0; k < 3; k++) {
            float *lo = &past[i / SHL_LANES].lo[k][i % SHL_LANES];
            *lo = (float)(2 * shl_random_unit(&r) - 1);
            past[i / SHL_LANES].hi[k][i % SHL_LANES] = *lo + (float)shl_random_unit(&r);
        }
    }
}

static void run_move(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        k->reduced_move(&past[i], model.delta, 0.01f * (float)i, ready,
                        rows == BENCH_BLOCKS ? SHL_LANES : 1 + i % SHL_LANES,
                        &blocks[which][i]);
}

const shl_case shl_case_reduced_move = {
    .name = "reduced_move",
    .row = "block of 8",
    .sizes = {1, 2, 8, BENCH_BLOCKS},
    .bench_rows = BENCH_BLOCKS,
    .setup = setup_move,
    .run = run_move,
    .same = same_blocks,
};

static void setup_slant(uint32_t rows, uint64_t seed)
{
    setup_blocks(rows, seed, SHL_BOUNDS_AFFINE);
    for (int which = 0; which < 2; which++) {
        slants[which] = shl_case_memory(&memory[8 + which], rows * sizeof(shl_slants));
        memset(slants[which], 0x7e, rows * sizeof(shl_slants));
    }
}

static void run_slant(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        k->reduced_slant(model.blocks + (size_t)i * model.block_floats, model.field_count,
                         ready, rows == BENCH_BLOCKS ? SHL_LANES : 1 + i % SHL_LANES,
                         &blocks[which][i], &slants[which][i]);
}

static bool same_slant(uint32_t rows)
{
    return same_blocks(rows) && memcmp(slants[0], slants[1], rows * sizeof(shl_slants)) == 0;
}

const shl_case shl_case_reduced_slant = {
    .name = "reduced_slant",
    .row = "block of 8",
    .sizes = {1, 2, 8, BENCH_BLOCKS},
    .bench_rows = BENCH_BLOCKS,
    .setup = setup_slant,
    .run = run_slant,
    .same = same_slant,
};

// A lane whose shape and place make it part from another one about as often as not.
static void random_slant(uint64_t *r, uint32_t lane, shl_slants *out)
{
    const float thin = shl_random(r) % 4 ? 0.05f : 1;
    out->r[lane] = (float)shl_random_unit(r) * 0.1f;
    for (int k = 0; k < 3; k++) {
        out->c[k][lane] = 2 * (float)(2 * shl_random_unit(r) - 1);
        out->s[k][lane] = out->r[lane] + (float)shl_random_unit(r) * 0.3f;
        for (int e = 0; e < 3; e++) {
            out->n[e][k][lane] = (float)(2 * shl_random_unit(r) - 1) / 1.75f;
            out->e[e][k][lane] = 0.3f * thin * (float)(2 * shl_random_unit(r) - 1);
        }
    }
}

static void setup_keep(uint32_t rows, uint64_t seed)
{
    uint64_t r = 2 * seed + 1;
    slants[0] = shl_case_memory(&memory[8], (rows + 1) * sizeof(shl_slants));
    for (uint32_t i = 0; i <= rows; i++) {
        for (uint32_t lane = 0; lane < SHL_LANES; lane++)
            random_slant(&r, lane, &slants[0][i]);
    }
    const size_t room = (size_t)rows * PAIRS_ROOM;
    for (int which = 0; which < 2; which++) {
        pairs[which] = shl_case_memory(&memory[10 + which], room * sizeof(shl_node_pair));
        kept[which] = shl_case_memory(&memory[12 + which], rows * sizeof(uint32_t));
    }
    for (size_t i = 0; i < room; i++) {
        shl_node_pair *p = &pairs[0][i];
        *p = (shl_node_pair){100 + (uint32_t)shl_random(&r) % SHL_LANES,
                             200 + (uint32_t)shl_random(&r) % SHL_LANES,
                             {{(float)i, 0, 0}, {0, 0, 0}}};
    }
    memcpy(pairs[1], pairs[0], room * sizeof(shl_node_pair));
}

static void run_keep(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        kept[which][i] = k->slant_filter(&slants[0][i], &slants[0][i + 1], 100, 200,
                                         pairs[which] + (size_t)i * PAIRS_ROOM, 1 + i % PAIRS);
}

static bool same_keep(uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const size_t at = (size_t)i * PAIRS_ROOM;
        if (kept[0][i] != kept[1][i] ||
            memcmp(pairs[0] + at, pairs[1] + at, kept[0][i] * sizeof *pairs[0]) != 0)
            return false;
    }
    return true;
}

const shl_case shl_case_slant_filter = {
    .name = "slant_filter",
    .row = "block pair",
    .sizes = {1, 2, 8, 100},
    .bench_rows = 100,
    .setup = setup_keep,
    .run = run_keep,
    .same = same_keep,
};

// Twelve vertices a call, as a leaf has.
static void setup_eval(uint32_t rows, uint64_t seed)
{
    uint64_t r = 2 * seed + 1;
    model.field_count = fields_for(rows, BENCH_VERTICES, &r);
    make_body(&r, model.field_count);
    const size_t scalars = 3 * (size_t)rows, floats = scalars * model.field_count;
    model.rest = shl_case_memory(&memory[4], (scalars + 1) * sizeof(double));
    model.fields = shl_case_memory(&memory[1], (floats + 1) * sizeof(float));
    list = shl_case_memory(&memory[5], rows * sizeof *list);
    for (size_t i = 0; i < scalars + 1; i++)
        model.rest[i] = shl_random_coordinate(&r, true);
    for (size_t i = 0; i < floats + 1; i++)
        model.fields[i] = (float)(2 * shl_random_unit(&r) - 1);
    for (uint32_t i = 0; i < rows; i++)
        list[i] = (uint32_t)(i + shl_random(&r) % 8) % rows;
    for (int which = 0; which < 2; which++)
        xyz[which] = shl_case_memory(&memory[6 + which], scalars * sizeof(double));
}

static void run_eval(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i += 12)
        k->reduced_eval(&model, ready, list + i, rows - i < 12 ? rows - i : 12,
                        xyz[which] + 3 * (size_t)i);
}

static bool same_eval(uint32_t rows)
{
    return memcmp(xyz[0], xyz[1], 3 * (size_t)rows * sizeof(double)) == 0;
}

const shl_case shl_case_reduced_eval = {
    .name = "reduced_eval",
    .row = "vertex",
    .sizes = {4, 8, 12, 24, 100, BENCH_VERTICES},
    .bench_rows = BENCH_VERTICES,
    .setup = setup_eval,
    .run = run_eval,
    .same = same_eval,
};
