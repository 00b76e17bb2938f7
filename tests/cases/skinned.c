// SPDX-License-Identifier: MIT
// Nodes of a skinned body opened with every kind of bounds, its own box, and vertices
// evaluated for it.
#include "tests/cases/case.h"

#include <string.h>

enum {
    BENCH_SHARES = 64,
    BENCH_SKINNED = 512,
    BENCH_VERTICES = 4096,
    POINTS = 40,
    WEIGHTS = 12
};

static shl_skinned model;
static shl_skinned_ready ready;
static void *memory[16];
static uint32_t lanes;
static shl_block blocks[2];
static shl_box boxes[2];
static double *xyz[2];
static float *scratch;
static uint32_t *list;

static float unit(uint64_t *r)
{
    return (float)(2 * shl_random_unit(r) - 1);
}

static void make_ready(uint64_t *r, uint32_t skinned)
{
    const size_t padded = model.padded;
    shl_point_map *map = shl_case_memory(&memory[0], skinned * sizeof *map);
    float *columns = shl_case_memory(&memory[1], 12 * padded * sizeof *columns);
    memset(columns, 0, 12 * padded * sizeof *columns);
    memset(map, 0, skinned * sizeof *map);
    for (uint32_t j = 0; j < skinned; j++) {
        for (size_t i = 0; i < 12; i++) {
            const float a = unit(r);
            columns[shl_group_at(j, SHL_MAP_ROWS, i)] = a;
            if (i < 9)
                map[j].turn[i] = a;
            else
                map[j].at[i - 9] = a;
        }
        for (int k = 0; k < 3; k++) {
            map[j].hi[k] = map[j].at[k] + (shl_random(r) % 2 ? 5 : 0.5f);
            map[j].lo[k] = map[j].at[k] - (shl_random(r) % 2 ? 5 : 0.5f);
            for (int i = 0; i < 3; i++) {
                map[j].part[k][i] = (float)shl_random_unit(r);
                map[j].row[k][i] = (uint8_t)(shl_random(r) % SHL_EXTENTS);
            }
        }
    }
    ready = (shl_skinned_ready){.slack_term = 1e-7f, .most = 8, .columns = columns, .map = map};
    for (int k = 0; k < 3; k++) {
        ready.base[k] = 1e3f * unit(r);
        ready.slack[k] = 1e-5f;
    }
}

static void make_zones(uint64_t *r)
{
    const size_t padded = model.padded;
    model.zone = shl_case_memory(&memory[2], SHL_ZONE_ROWS * padded * sizeof *model.zone);
    const uint32_t kind = (uint32_t)(shl_random(r) % 3);
    for (size_t j = 0; j < padded; j++) {
        const bool none = j >= model.point_count;
        const float most = (float)(shl_random(r) % 64) / 64;
        const float least = kind == 0 ? 0 : kind == 1 ? most : most / 2;
        for (size_t l = 0; l < 3; l++) {
            model.zone[shl_group_at(j, SHL_ZONE_ROWS, l)] = none ? 0 : unit(r);
            model.zone[shl_group_at(j, SHL_ZONE_ROWS, 3 + l)] =
                none ? 0 : (float)shl_random_unit(r);
        }
        model.zone[shl_group_at(j, SHL_ZONE_ROWS, 6)] = none ? 0 : least;
        model.zone[shl_group_at(j, SHL_ZONE_ROWS, 7)] = none ? 0 : most - least;
    }
}

static void setup_open(uint32_t rows, uint64_t seed)
{
    uint64_t r = 2 * seed + 1;
    memset(&model, 0, sizeof model);
    model.point_count = POINTS;
    model.padded = POINTS;
    model.blend = rows == BENCH_SHARES ? SHL_BLEND_DUAL : (shl_blend)(seed % SHL_BLENDS);
    model.region = rows == BENCH_SHARES ? SHL_REGION_DIRECTIONS
                                        : (shl_region)(seed / SHL_BLENDS % SHL_REGIONS);
    lanes = rows == BENCH_SHARES ? SHL_LANES : 1 + (uint32_t)(seed % SHL_LANES);
    make_ready(&r, POINTS);
    make_zones(&r);
    model.bounds_begin = shl_case_memory(&memory[4], 2 * sizeof(uint32_t));
    model.bounds_begin[0] = 0;
    model.bounds_begin[1] = rows;
    model.bounds_point = shl_case_memory(&memory[5], rows * sizeof(uint32_t));
    model.weight_bounds = shl_case_memory(&memory[6], rows * sizeof(shl_weight_bounds));
    const bool fixed = seed % 5 == 0; // least is largest
    for (uint32_t i = 0; i < rows; i++) {
        model.bounds_point[i] = (uint32_t)(shl_random(&r) % POINTS);
        for (int lane = 0; lane < SHL_LANES; lane++) {
            const uint16_t most =
                shl_random(&r) % 3 ? (uint16_t)(shl_random(&r) % SHL_WEIGHT_ONE) : 0;
            model.weight_bounds[i].most[lane] = most;
            model.weight_bounds[i].least[lane] = fixed ? most : (uint16_t)(most / (rows + 1));
        }
    }
    model.extents =
        shl_case_memory(&memory[7], SHL_EXTENTS * SHL_LANES * sizeof *model.extents);
    for (int i = 0; i < SHL_EXTENTS * SHL_LANES; i++)
        model.extents[i] = (float)(0.1 + shl_random_unit(&r));
    scratch = shl_case_memory(&memory[8], rows * SHL_SCRATCH_FLOATS * sizeof *scratch);
    memset(blocks, 0x7e, sizeof blocks);
}

static void run_open(const shl_kernels *k, uint32_t rows, int which)
{
    (void)rows;
    k->skinned_open(&model, 0, &ready, lanes, scratch, &blocks[which]);
}

static bool same_open(uint32_t rows)
{
    (void)rows;
    return memcmp(&blocks[0], &blocks[1], sizeof *blocks) == 0;
}

const shl_case shl_case_skinned_open = {
    .name = "skinned_open",
    .row = "node that acts",
    .sizes = {1, 2, 3, 9, 40, BENCH_SHARES},
    .bench_rows = BENCH_SHARES,
    .setup = setup_open,
    .run = run_open,
    .same = same_open,
};

static void setup_root(uint32_t rows, uint64_t seed)
{
    uint64_t r = 2 * seed + 1;
    memset(&model, 0, sizeof model);
    model.point_count = rows;
    model.padded = (rows + SHL_LANES - 1) / SHL_LANES * SHL_LANES;
    make_ready(&r, rows);
    make_zones(&r);
    scratch = shl_case_memory(&memory[8],
                              model.padded / SHL_LANES * SHL_SCRATCH_FLOATS * sizeof *scratch);
    memset(boxes, 0x7e, sizeof boxes);
}

static void run_root(const shl_kernels *k, uint32_t rows, int which)
{
    (void)rows;
    k->skinned_box(&model, &ready, scratch, &boxes[which]);
}

static bool same_root(uint32_t rows)
{
    (void)rows;
    return memcmp(&boxes[0], &boxes[1], sizeof *boxes) == 0;
}

const shl_case shl_case_skinned_box = {
    .name = "skinned_box",
    .row = "node of a body",
    .sizes = {1, 2, 7, 8, 9, 65, BENCH_SKINNED},
    .bench_rows = BENCH_SKINNED,
    .setup = setup_root,
    .run = run_root,
    .same = same_root,
};

static void setup_eval(uint32_t rows, uint64_t seed)
{
    uint64_t r = 2 * seed + 1;
    memset(&model, 0, sizeof model);
    model.point_count = POINTS;
    double *maps = shl_case_memory(&memory[9], 12 * POINTS * sizeof *maps);
    for (int i = 0; i < 12 * POINTS; i++)
        maps[i] = shl_random_coordinate(&r, false);
    model.rest = shl_case_memory(&memory[10], 3 * (size_t)rows * sizeof(double));
    model.weight_begin = shl_case_memory(&memory[11], (rows + (size_t)1) * sizeof(uint32_t));
    list = shl_case_memory(&memory[12], rows * sizeof *list);
    model.weight_begin[0] = 0;
    for (uint32_t v = 0; v < rows; v++) {
        const uint32_t count =
            rows == BENCH_VERTICES ? WEIGHTS : (uint32_t)(shl_random(&r) % WEIGHTS);
        model.weight_begin[v + 1] = model.weight_begin[v] + count;
        list[v] = (uint32_t)(shl_random(&r) % rows);
        for (size_t k = 0; k < 3; k++)
            model.rest[3 * v + k] = shl_random_coordinate(&r, false);
    }
    const size_t weights = model.weight_begin[rows];
    model.weight_point = shl_case_memory(&memory[13], weights * sizeof(uint32_t) + 1);
    model.weight = shl_case_memory(&memory[14], weights * sizeof(float) + 1);
    for (size_t e = 0; e < weights; e++) {
        model.weight_point[e] = (uint32_t)(shl_random(&r) % POINTS);
        model.weight[e] = (float)shl_random_unit(&r);
    }
    double *both = shl_case_memory(&memory[15], 6 * (size_t)rows * sizeof *both);
    memset(both, 0x7e, 6 * (size_t)rows * sizeof *both);
    xyz[0] = both;
    xyz[1] = both + 3 * (size_t)rows;
}

static void run_eval(const shl_kernels *k, uint32_t rows, int which)
{
    k->skinned_eval(&model, memory[9], list, rows, xyz[which]);
}

static bool same_eval(uint32_t rows)
{
    // a NaN of two infinities may have any sign
    for (size_t i = 0; i < 3 * (size_t)rows; i++) {
        const bool nan = xyz[0][i] != xyz[0][i] && xyz[1][i] != xyz[1][i];
        if (!nan && memcmp(&xyz[0][i], &xyz[1][i], sizeof *xyz[0]) != 0)
            return false;
    }
    return true;
}

const shl_case shl_case_skinned_eval = {
    .name = "skinned_eval",
    .row = "vertex",
    .sizes = {1, 2, 3, 12, 33, BENCH_VERTICES},
    .bench_rows = BENCH_VERTICES,
    .setup = setup_eval,
    .run = run_eval,
    .same = same_eval,
};
