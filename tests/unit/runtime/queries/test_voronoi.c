// SPDX-License-Identifier: MIT
// Bounds from the grid on the CPU against the distances of all pairs of triangles.
#include "bound_scenes.h"
#include "tri_distance.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static shl_kernels kernels[2]; // reference, best

static uint64_t scenes_wanted(void)
{
    return getenv("SHOAL_LONG") ? 1400 : 60; // of each kind, about 80 triangles each
}

TEST bounds_hold(bound_kind kind)
{
    static bound_scene s;
    bound_tally tally = {0};
    shl_voronoi bounds = {0};
    const shoal_allocator memory = shl_allocator_libc();
    for (uint64_t seed = 0; seed < scenes_wanted(); seed++) {
        float upper[2][BOUND_TRIS];
        bound_scene_make(kind, seed, &s);
        for (int i = 0; i < 2; i++)
            ASSERT_EQ(SHOAL_OK,
                      shl_voronoi_run(&bounds, &s.def, &kernels[i], &memory, upper[i]));
        ASSERT_EQ(0, memcmp(upper[0], upper[1], s.count * sizeof(float)));
        bound_scene_judge(&s, seed, upper[1], &tally);
    }
    shl_voronoi_finish(&bounds);
    fprintf(stderr,
            "kind %d: %d triangles, %d with a bound, %d wrong, U - d mean %.3f most %.3f\n",
            (int)kind, (int)tally.tris, (int)tally.bounded, (int)tally.wrong,
            tally.sum_excess / (double)(tally.bounded + !tally.bounded), tally.worst_excess);
    ASSERT_EQ(0, tally.wrong);
    ASSERT(tally.bounded > tally.tris / 20);
    PASS();
}

// The promised error of a single distance, on triangles of every shape; and that it is not
// promised for nothing.
TEST distances_hold(void)
{
    uint64_t r = 88172645463325252u;
    double closest = 0;
    for (int i = 0; i < 40000; i++) {
        double corners[9], sample[9], unit[15];
        for (int k = 0; k < 15; k++) {
            r ^= r << 13, r ^= r >> 7, r ^= r << 17;
            unit[k] = (double)(r >> 11) * 0x1p-53;
        }
        const double size = pow(10, 3 * unit[12] - 1), height = pow(10, -7 * unit[13]);
        for (int k = 0; k < 9; k++)
            corners[k] = 100 * unit[14] + size * unit[k];
        if (i % 2) {
            for (int k = 0; k < 3; k++) // a sliver
                corners[6 + k] = corners[k] + unit[9] * (corners[3 + k] - corners[k]) +
                                 height * (unit[6 + k] - 0.5);
        }
        float p[3];
        for (int k = 0; k < 3; k++) { // above the inside more often than not
            const double v = unit[9], w = unit[10] * (1 - v);
            p[k] = (float)(floor(corners[k] + v * (corners[3 + k] - corners[k]) +
                                 w * (corners[6 + k] - corners[k]) + 8 * unit[11] - 4) +
                           0.5);
            sample[k] = sample[3 + k] = sample[6 + k] = (double)p[k];
        }
        shl_cell_tri tri;
        const double origin[3] = {0};
        const double promised = shl_cell_tri_set(corners, origin, 1, 10, 0, &tri);
        const shl_site site = shl_site_of(&tri);
        const double error = fabs((double)sqrtf(shl_site_square(&site, p)) -
                                  oracle_tri_distance(sample, corners));
        ASSERT(error <= promised);
        closest = fmax(closest, error / promised);
    }
    fprintf(stderr, "a distance was wrong by %.3f of what is allowed\n", closest);
    ASSERT(closest > 0.01);
    PASS();
}

// Lists longer than what the kernel keeps between its passes.
TEST long_lists(void)
{
    enum { COUNT = 3 * SHL_BRICK_KEEP };
    static shl_cell_tri tris[COUNT];
    static float upper[2][COUNT];
    double worst = 0;
    const double origin[3] = {0};
    for (uint32_t t = 0; t < COUNT; t++) {
        double corners[9];
        for (int i = 0; i < 9; i++)
            corners[i] = 1 + (double)(t * 37 % 101) / 60 + (double)(i * 7 % 5) / 9;
        worst = fmax(worst, shl_cell_tri_set(corners, origin, 1, shl_voronoi_cutoff(3), t % 3,
                                             &tris[t]));
    }
    shl_voronoi_def def = {.tris = tris,
                           .count = COUNT,
                           .cells = {4, 4, 4},
                           .band = 3,
                           .eps = shl_voronoi_eps(worst, 3),
                           .pair_limit = 1 << 20};
    shl_voronoi bounds = {0};
    const shoal_allocator memory = shl_allocator_libc();
    for (int i = 0; i < 2; i++)
        ASSERT_EQ(SHOAL_OK, shl_voronoi_run(&bounds, &def, &kernels[i], &memory, upper[i]));
    ASSERT_EQ(0, memcmp(upper[0], upper[1], sizeof upper[0]));
    ASSERT_EQ(COUNT, bounds.longest);
    for (uint32_t t = 0; t < COUNT; t++) // some twin of another owner touches each
        ASSERT(upper[0][t] <= 2 * SHL_VORONOI_R + def.eps);
    def.pair_limit = COUNT - 1;
    ASSERT_EQ(SHOAL_ERR_LIMIT, shl_voronoi_run(&bounds, &def, &kernels[1], &memory, upper[0]));
    shl_voronoi_finish(&bounds);
    PASS();
}

TEST refuses(void)
{
    shl_cell_tri tri;
    const double origin[3] = {0}, far[9] = {0, 0, 0, 1, 0, 0, 0, 2e6, 0};
    const double bad[9] = {0, 0, 0, NAN, 0, 0, 0, 1, 0};
    ASSERT(isinf(shl_cell_tri_set(far, origin, 1, 10, 0, &tri)));
    ASSERT(isinf(shl_cell_tri_set(bad, origin, 1, 10, 0, &tri)));
    shl_voronoi bounds = {0};
    const shoal_allocator memory = shl_allocator_libc();
    float upper = 0;
    const shl_voronoi_def rows[] = {
        {.cells = {0, 1, 1}, .band = 2},
        {.cells = {1, 1, 1}, .band = 0.5f},
        {.cells = {1, 1, 1}, .band = NAN},
        {.cells = {1, 1, 1}, .band = 2, .eps = INFINITY},
        {.cells = {1 << 20, 1 << 20, 1}, .band = 2},
        {.cells = {1u << 31, 1, 1}, .band = 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ASSERT_EQ(i < 4 ? SHOAL_ERR_ARGUMENT : SHOAL_ERR_LIMIT,
                  shl_voronoi_run(&bounds, &rows[i], &kernels[1], &memory, &upper));
    const shl_voronoi_def none = {.cells = {1, 1, 1}, .band = 2};
    ASSERT_EQ(SHOAL_OK, shl_voronoi_run(&bounds, &none, &kernels[1], &memory, &upper));
    shl_voronoi_finish(&bounds);
    PASS();
}

static long countdown;

static void *failing_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    return countdown-- == 0 ? NULL : aligned_alloc(align, (size + align - 1) / align * align);
}

static void failing_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

// The nth allocation fails, for every n; the next run is right again.
TEST survives_no_memory(void)
{
    static bound_scene s;
    bound_scene_make(BOUND_TETS, 1, &s);
    const shoal_allocator memory = {failing_alloc, failing_release, NULL};
    float right[BOUND_TRIS], upper[BOUND_TRIS];
    for (long n = -1;; n++) {
        shl_voronoi bounds = {0};
        countdown = n;
        shoal_status st =
            shl_voronoi_run(&bounds, &s.def, &kernels[1], &memory, n < 0 ? right : upper);
        const bool failed = n >= 0 && countdown < 0;
        ASSERT_EQ(failed ? SHOAL_ERR_MEMORY : SHOAL_OK, st);
        if (failed)
            st = shl_voronoi_run(&bounds, &s.def, &kernels[1], &memory, upper);
        ASSERT_EQ(SHOAL_OK, st);
        shl_voronoi_finish(&bounds);
        if (n >= 0)
            ASSERT_EQ(0, memcmp(right, upper, s.count * sizeof(float)));
        if (n >= 0 && !failed)
            break;
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shl_kernels_init(&kernels[0], SHOAL_CPU_REF);
    shl_kernels_init(&kernels[1], SHOAL_CPU_BEST);
    for (int kind = 0; kind < BOUND_KINDS; kind++)
        RUN_TEST1(bounds_hold, (bound_kind)kind);
    RUN_TEST(distances_hold);
    RUN_TEST(long_lists);
    RUN_TEST(refuses);
    RUN_TEST(survives_no_memory);
    GREATEST_MAIN_END();
}
