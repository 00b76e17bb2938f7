// SPDX-License-Identifier: MIT
// Triangles that are apart: beside, above and through each other, slivers and points too.
#include "tests/cases/case.h"

#include "kernels/tri/tri_distance.h"

#include <math.h>
#include <string.h>

typedef struct item {
    float a[9];
    shl_tri_lanes b;
    float limit;
} item;

static void *item_memory, *out_memory[2];
static item *items;
static uint32_t *out[2];

static void setup(uint32_t rows, uint64_t seed)
{
    uint64_t r = seed * 2 + 1;
    items = shl_case_memory(&item_memory, rows * sizeof *items);
    for (int which = 0; which < 2; which++)
        out[which] = shl_case_memory(&out_memory[which], rows * sizeof(uint32_t));
    for (uint32_t i = 0; i < rows; i++) {
        static const float sizes[] = {0.5f, 0.1f, 1e-3f, 1e-7f, 0};
        item *t = &items[i];
        t->limit =
            shl_random(&r) % 16 == 0 ? INFINITY : 0.3f * fabsf((float)shl_random_unit(&r));
        for (int lane = -1; lane < SHL_LANES; lane++) {
            float at[3], size[3];
            for (int k = 0; k < 3; k++) {
                at[k] = 0.5f * (float)shl_random_unit(&r);
                size[k] = sizes[shl_random(&r) % 5];
            }
            for (int c = 0; c < 9; c++) {
                const float x = at[c % 3] + size[c % 3] * (float)shl_random_unit(&r);
                if (lane < 0)
                    t->a[c] = x;
                else
                    t->b.x[c / 3][c % 3][lane] = x;
            }
        }
    }
}

static void run(const shl_kernels *k, uint32_t rows, int which)
{
    for (uint32_t i = 0; i < rows; i++)
        out[which][i] = k->tri_apart(items[i].a, &items[i].b, items[i].limit, 0xff);
}

// Besides being equal: nobody within the limit is left out, and many beyond it are.
static bool same(uint32_t rows)
{
    if (memcmp(out[0], out[1], rows * sizeof(uint32_t)) != 0)
        return false;
    uint32_t beyond = 0, left_out = 0;
    for (uint32_t i = 0; i < rows && i < 2000; i++) {
        for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
            double a[9], b[9];
            for (int c = 0; c < 9; c++) {
                a[c] = (double)items[i].a[c];
                b[c] = (double)items[i].b.x[c / 3][c % 3][lane];
            }
            shl_closest c;
            shl_tri_closest(a, b, &c);
            const bool stays = out[0][i] >> lane & 1;
            if (!stays && c.distance <= (double)items[i].limit)
                return false;
            beyond += c.distance > 1.2 * (double)items[i].limit + 1e-4;
            left_out += !stays;
        }
    }
    return left_out >= beyond / 2;
}

const shl_case shl_case_tri_apart = {
    .name = "tri_apart",
    .row = "eight",
    .sizes = {1, 5, 2000},
    .bench_rows = 1000,
    .setup = setup,
    .run = run,
    .same = same,
};
