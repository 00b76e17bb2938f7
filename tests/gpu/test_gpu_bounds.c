// SPDX-License-Identifier: MIT
// What the shaders compute, on whatever device there is, against all pairs of triangles.
#include "../unit/common/host_env.h"
#include "bound_scenes.h"
#include "runtime/gpu/gpu.h"
#include "tri_distance.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static shl_place place;
static shl_gpu_link device;
static shl_gpu *gpu;

static uint64_t scenes_wanted(void)
{
    return getenv("SHOAL_LONG") ? 1600 : 25; // of nine kinds, about 74 triangles each
}

static shl_gpu_bounds job_of(const bound_scene *s)
{
    const shl_voronoi_def *d = &s->def;
    return (shl_gpu_bounds){d->tris, d->count, {d->cells[0], d->cells[1], d->cells[2]},
                            d->band, d->eps,   d->pair_limit,
                            false,   false};
}

static shl_gpu_status run(const shl_gpu_bounds *job, float *upper, shl_gpu_cell *grid)
{
    uint64_t ticket;
    shl_gpu_line why = {""};
    shl_gpu_status st = device.api->submit(gpu, job, &ticket, &why);
    if (st == SHL_GPU_OK)
        st = device.api->collect(gpu, ticket, upper, grid, NULL, &why);
    if (st != SHL_GPU_OK)
        fprintf(stderr, "%s\n", why.text);
    return st;
}

TEST bounds_hold(bound_kind kind)
{
    static bound_scene s;
    bound_tally tally = {0};
    for (uint64_t seed = 0; seed < scenes_wanted(); seed++) {
        float upper[BOUND_TRIS];
        bound_scene_make(kind, 1000 + seed, &s);
        const shl_gpu_bounds job = job_of(&s);
        ASSERT_EQ(SHL_GPU_OK, run(&job, upper, NULL));
        bound_scene_judge(&s, seed, upper, &tally);
    }
    fprintf(stderr,
            "kind %d: %d triangles, %d with a bound, %d wrong, U - d mean %.3f most %.3f\n",
            (int)kind, (int)tally.tris, (int)tally.bounded, (int)tally.wrong,
            tally.sum_excess / (double)(tally.bounded + !tally.bounded), tally.worst_excess);
    ASSERT_EQ(0, tally.wrong);
    ASSERT(tally.bounded > tally.tris / 20);
    PASS();
}

// Several thousand triangles of two wavy bodies: many bricks, lists that outgrow the first
// guess, several dispatches; the CPU must see the same up to where its bricks end.
TEST large_scene(void)
{
    enum { N = 40, COUNT = 2 * 2 * N * N };
    static shl_cell_tri tris[COUNT];
    static float upper[COUNT], cpu[COUNT];
    const double origin[3] = {0, 0, -2};
    double worst = 0;
    uint32_t t = 0;
    for (uint32_t sheet = 0; sheet < 2; sheet++) {
        for (uint32_t i = 0; i < 2 * N * N; i++, t++) {
            double p[9];
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t cell = i / 2, half = i % 2;
                p[3 * c] = 0.8 * (cell % N + (c == 1 || (half && c == 2)));
                p[3 * c + 1] = 0.8 * (cell / N + (c == 2 || (half && c == 0)));
                p[3 * c + 2] = sheet * (1 + 0.1 * p[3 * c]) + sin(p[3 * c] + sheet) +
                               cos(0.7 * p[3 * c + 1]);
            }
            worst = fmax(worst, shl_cell_tri_set(p, origin, 1, shl_voronoi_cutoff(4), sheet + 7,
                                                 &tris[t]));
        }
    }
    const shl_voronoi_def def = {.tris = tris,
                                 .count = COUNT,
                                 .cells = {32, 32, 12},
                                 .band = 4,
                                 .eps = shl_voronoi_eps(worst, 4),
                                 .pair_limit = 1 << 24};
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    shl_voronoi bounds = {0};
    const shoal_allocator memory = shl_allocator_libc();
    ASSERT_EQ(SHOAL_OK, shl_voronoi_run(&bounds, &def, &kernels, &memory, cpu));
    shl_voronoi_finish(&bounds);
    shl_gpu_bounds job = {tris, COUNT, {32, 32, 12}, 4, def.eps, 1 << 24, false, false};
    uint64_t ticket[3];
    shl_gpu_line why;
    for (int i = 0; i < 3; i++) // three in the ring at once
        ASSERT_EQ(SHL_GPU_OK, device.api->submit(gpu, &job, &ticket[i], &why));
    for (int i = 2; i >= 0; i--) {
        memset(upper, 0, sizeof upper);
        ASSERT_EQ(SHL_GPU_OK, device.api->collect(gpu, ticket[i], upper, NULL, NULL, &why));
        for (t = 0; t < COUNT; t++) {
            if (isinf(cpu[t]) || isinf(upper[t])) // beyond the band they may differ
                ASSERT(fminf(cpu[t], upper[t]) > 2 * (4 - 0.8660255f) - def.eps);
            else
                ASSERT_IN_RANGE(cpu[t], upper[t], 2 * def.eps);
        }
    }
    PASS();
}

// The diagram, from the fused bounds or slice by slice.
TEST grid_is_right(bool slices)
{
    static bound_scene s;
    static shl_gpu_cell grid[40 * 40 * 40];
    uint32_t compared = 0, second = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        float upper[BOUND_TRIS], before[BOUND_TRIS], again[BOUND_TRIS];
        bound_scene_make(seed % 2 ? BOUND_TETS : BOUND_SELF_CULL, seed, &s);
        shl_gpu_bounds job = job_of(&s);
        ASSERT_EQ(SHL_GPU_OK, run(&job, before, NULL));
        job.grid = true;
        job.slices = slices;
        const uint32_t *n = job.cells;
        ASSERT(n[0] * n[1] * n[2] <= sizeof grid / sizeof *grid);
        ASSERT_EQ(SHL_GPU_OK, run(&job, upper, grid));
        for (uint32_t t = 0; t < s.count && slices; t++)
            ASSERT(isinf(upper[t]));
        const shl_gpu_bounds fused = job_of(&s); // what a slice leaves behind disturbs nobody
        ASSERT_EQ(SHL_GPU_OK, run(&fused, again, NULL));
        ASSERT_EQ(0, memcmp(slices ? before : upper, again, s.count * sizeof *again));
        for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i += 7) {
            const uint32_t at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
            double p[9], best[2] = {INFINITY, INFINITY};
            uint32_t owner = UINT32_MAX;
            for (int k = 0; k < 9; k++)
                p[k] = s.origin[k % 3] + (at[k % 3] + 0.5) * s.cell;
            for (uint32_t t = 0; t < s.count; t++) {
                const double d = oracle_tri_distance(p, s.corners[t]) / s.cell;
                if (d < best[0])
                    best[0] = d, owner = s.cells[t].owner;
            }
            for (uint32_t t = 0; t < s.count; t++) {
                if (s.cells[t].owner != owner)
                    best[1] = fmin(best[1], oracle_tri_distance(p, s.corners[t]) / s.cell);
            }
            for (int k = 0; k < 2; k++) {
                const double got = (double)grid[i].distance[k], eps = (double)s.def.eps;
                if (isinf(got))
                    ASSERT(best[k] > (double)job.band - eps);
                else
                    ASSERT(fabs(best[k] - got) <= eps);
                ASSERT_EQ(isinf(got) != 0, grid[i].owner[k] == UINT32_MAX);
                second += k == 1 && !isinf(got);
            }
            ASSERT(grid[i].owner[0] == UINT32_MAX || grid[i].owner[0] != grid[i].owner[1]);
            compared++;
        }
    }
    ASSERT(compared > 500 && second > 100);
    PASS();
}

TEST empty_job(void)
{
    shl_gpu_bounds job = {NULL, 0, {4, 4, 4}, 2, 0.1f, 100, true, false};
    shl_gpu_cell grid[64];
    ASSERT_EQ(SHL_GPU_OK, run(&job, NULL, grid));
    for (int i = 0; i < 64; i++)
        ASSERT(isinf(grid[i].distance[0]) && grid[i].owner[1] == UINT32_MAX);
    PASS();
}

static void note_state(void *user)
{
    *(host_state *)user = host_state_now();
}

// A thread inherits the environment of the one that makes it; the GL thread has its own.
TEST thread_has_the_default_environment(void)
{
    for (int env = 0; env < HOST_ENVS; env++) {
        host_state wanted, got = {{0}};
        const shl_gpu_def def = {
            .software = true, .start_ms = 120000, .enter = note_state, .user = &got};
        shl_gpu *other;
        shl_gpu_line why;
        if (!host_env_enter(env))
            continue;
        const shl_gpu_status st = device.api->create(&def, &other, &why);
        fesetenv(FE_DFL_ENV);
        wanted = host_state_now();
        ASSERT_EQ(SHL_GPU_OK, st);
        device.api->destroy(other);
        ASSERT(host_state_same(&wanted, &got));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    setenv("SHOAL_GPU", "force", 1);
    setenv("LP_NUM_THREADS", "0", 0); // llvmpipe computes in the GL thread itself
    shl_place_init(&place);
    if (!shl_gpu_link_init(&device, SHOAL_GPU_AUTO, &place))
        return 1;
    // a device of our own: on a busy machine a software renderer takes its time
    const shl_gpu_def def = {.software = true, .start_ms = 120000, .job_ms = 120000};
    shl_gpu_line why;
    if (shl_gpu_open(&device) && device.api->create(&def, &gpu, &why) == SHL_GPU_OK) {
        for (int kind = 0; kind < BOUND_KINDS; kind++)
            RUN_TEST1(bounds_hold, (bound_kind)kind);
        RUN_TEST(large_scene);
        RUN_TEST1(grid_is_right, false);
        RUN_TEST1(grid_is_right, true);
        RUN_TEST(empty_job);
        RUN_TEST(thread_has_the_default_environment);
    } else
        printf("no GPU: %s\nPass: 0, fail: 0, skip: %d.\n", device.info.reason,
               BOUND_KINDS + 5);
    if (gpu)
        device.api->destroy(gpu);
    shl_gpu_link_finish(&device);
    shl_place_finish(&place);
    if (!gpu)
        return 0;
    GREATEST_MAIN_END();
}
