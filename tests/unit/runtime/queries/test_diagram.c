// SPDX-License-Identifier: MIT
// Diagrams against brute force: every cell's two nearest bodies, in long double and by another
// way to measure a point and a triangle.
#include "run.h"

#include "greatest.h"
#include "runtime/queries/diagram/diagram.h"

#include <float.h>
#include <math.h>
#include <shoal/diagram.h>
#include <shoal/study.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct vec {
    long double x, y, z;
} vec;

static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec along(vec a, long double t, vec u)
{
    return (vec){a.x + t * u.x, a.y + t * u.y, a.z + t * u.z};
}

static long double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static long double to_segment(vec p, vec a, vec b)
{
    const vec u = sub(b, a);
    const long double length = dot(u, u);
    long double t = length > 0 ? dot(sub(p, a), u) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const vec w = sub(p, along(a, t, u));
    return sqrtl(dot(w, w));
}

// The plane where the point projects into the triangle, by signs of three areas; else edges.
static long double to_triangle(vec p, const vec t[3])
{
    const vec u = sub(t[1], t[0]), w = sub(t[2], t[0]);
    const vec n = {u.y * w.z - u.z * w.y, u.z * w.x - u.x * w.z, u.x * w.y - u.y * w.x};
    const long double nn = dot(n, n);
    long double least = to_segment(p, t[0], t[1]);
    least = fminl(least, to_segment(p, t[1], t[2]));
    least = fminl(least, to_segment(p, t[2], t[0]));
    bool inside = nn > 0;
    for (int i = 0; i < 3 && inside; i++) {
        const vec e = sub(t[(i + 1) % 3], t[i]), r = sub(p, t[i]);
        const vec c = {e.y * r.z - e.z * r.y, e.z * r.x - e.x * r.z, e.x * r.y - e.y * r.x};
        inside = dot(c, n) >= 0;
    }
    return inside ? fminl(least, fabsl(dot(sub(p, t[0]), n)) / sqrtl(nn)) : least;
}

typedef struct stage {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[WORLD_BODIES];
} stage;

static char said[256];

static void keep_line(void *user, shoal_status status, const char *text)
{
    (void)user;
    (void)status;
    snprintf(said, sizeof said, "%s", text);
}

static bool stage_make(stage *s, const world *w, shoal_executor executor, uint32_t threads,
                       const shoal_allocator *allocator)
{
    shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    cd.log = keep_line;
    if (allocator)
        cd.allocator = *allocator;
    sd.executor = executor;
    sd.threads = threads;
    *s = (stage){0};
    if (shoal_context_create(&cd, &s->ctx) || shoal_scene_create(s->ctx, &sd, &s->scene))
        return false;
    for (uint32_t b = 0; w && b < w->body_count; b++) {
        shoal_model *model = kind_model_of(s->ctx, w, b);
        const bool good = kind_add(s->scene, model, w, b, &s->body[b]) == SHOAL_OK &&
                          kind_set(s->scene, s->body[b], w, b, 0) == SHOAL_OK;
        shoal_model_destroy(model);
        if (!good)
            return false;
    }
    return shoal_scene_step(s->scene, SHOAL_QUERY_FIRST) == SHOAL_OK;
}

static void stage_free(stage *s)
{
    shoal_scene_destroy(s->scene);
    shoal_context_destroy(s->ctx);
}

static size_t cell_count(const shoal_grid *g)
{
    return (size_t)g->cells[0] * g->cells[1] * g->cells[2];
}

static bool is_bad(const shoal_scene *scene, uint32_t body)
{
    const shoal_body_numbers r = shoal_scene_bad_bodies(scene);
    for (size_t i = 0; i < r.count; i++) {
        if (r.rows[i] == body)
            return true;
    }
    return false;
}

static long double to_body(const world *w, uint32_t b, vec p)
{
    long double least = INFINITY;
    const double *xyz = w->xyz[0][b];
    for (uint32_t t = 0; t < w->mesh[b].triangle_count; t++) {
        vec corner[3];
        for (int c = 0; c < 3; c++) {
            const double *at = xyz + 3 * (size_t)w->mesh[b].tri[3 * t + (uint32_t)c];
            corner[c] = (vec){at[0], at[1], at[2]};
        }
        least = fminl(least, to_triangle(p, corner));
    }
    return least;
}

// How far a distance may be off: what the header promises, and float32.
static long double tolerance(const world *w, const shoal_grid *g, const shoal_scene *scene)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        most = fmax(most, g->cell * g->cells[k]);
        for (uint32_t b = 0; b < w->body_count; b++) {
            for (uint32_t v = 0; !is_bad(scene, b) && v < w->mesh[b].vertex_count; v++)
                most = fmax(most, fabs(w->xyz[0][b][3 * v + (uint32_t)k] - g->origin[k]));
        }
    }
    return 0x1p-41L * most;
}

static bool cells_true(const world *w, const shoal_scene *scene, const shoal_grid *g,
                       const shoal_diagram_cell *cells)
{
    const long double off = tolerance(w, g, scene);
    for (size_t i = 0; i < cell_count(g); i++) {
        const shoal_diagram_cell *c = &cells[i];
        const size_t at[3] = {i % g->cells[0], i / g->cells[0] % g->cells[1],
                              i / g->cells[0] / g->cells[1]};
        const vec p = {g->origin[0] + (at[0] + 0.5L) * g->cell,
                       g->origin[1] + (at[1] + 0.5L) * g->cell,
                       g->origin[2] + (at[2] + 0.5L) * g->cell};
        long double told[2] = {INFINITY, INFINITY}, least[2] = {INFINITY, INFINITY};
        for (uint32_t b = 0; b < w->body_count; b++) {
            if (is_bad(scene, b))
                continue;
            const long double d = to_body(w, b, p);
            if (b == c->body[0])
                told[0] = d;
            else
                least[1] = fminl(least[1], d);
            if (b == c->body[1])
                told[1] = d;
            least[0] = fminl(least[0], d);
        }
        for (int k = 0; k < 2; k++) {
            if ((c->body[k] == SHOAL_NONE) != (least[k] == INFINITY))
                return false;
            if (c->body[k] == SHOAL_NONE && isinf(c->distance[k]))
                continue;
            const bool right =
                told[k] > (long double)FLT_MAX // which float32 cannot tell
                    ? isinf(c->distance[k])
                    : fabsl(c->distance[k] - told[k]) <= off + 0x1p-23L * told[k] + 1e-45L;
            if (!right || !(told[k] <= least[k] + off))
                return false;
        }
    }
    return true;
}

TEST equal_brute_force(void)
{
    uint32_t grids = 0, too_wide = 0;
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        world *w = world_make(kind);
        stage s;
        shoal_grid g;
        ASSERTm(w->name, stage_make(&s, w, SHOAL_EXECUTOR_OMP, 2, NULL));
        const shoal_status st = shoal_scene_grid(s.scene, kind % 5 ? 7 : 13, &g);
        if (st == SHOAL_OK) {
            shoal_diagram_cell *cells = malloc(cell_count(&g) * sizeof *cells);
            ASSERT(cells);
            const shoal_status drawn = shoal_scene_diagram(s.scene, &g, cells);
            ASSERT_EQm(w->name, SHOAL_OK, drawn);
            ASSERTm(w->name, cells_true(w, s.scene, &g, cells));
            grids++;
            free(cells);
        } else {
            ASSERT_EQm(w->name, SHOAL_ERR_LIMIT, st);
            too_wide++;
        }
        stage_free(&s);
        world_free(w);
    }
    printf("\n%u worlds, %u too wide for a grid\n", grids, too_wide);
    ASSERT(grids >= 10 && grids > 4 * too_wide);
    PASS();
}

// A world of some name, by itself.
static world *world_named(const char *name)
{
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        if (strcmp(world_name(kind), name) == 0)
            return world_make(kind);
    }
    return NULL;
}

// Larger than a tile, a part of a body only, a speck, and far away from everything.
TEST grids_may_be_anywhere(void)
{
    world *w = world_named("soups");
    stage s;
    ASSERT(w && stage_make(&s, w, SHOAL_EXECUTOR_OMP, 2, NULL));
    shoal_grid all;
    ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 33, &all));
    shoal_grid grids[4] = {all, all, all, all};
    grids[1].cell = all.cell / 7;
    grids[2].cells[0] = grids[2].cells[1] = grids[2].cells[2] = 1;
    grids[3].origin[0] += 1000 * all.cell;
    for (int k = 0; k < 3; k++)
        grids[1].cells[k] = grids[3].cells[k] = 9;
    for (int i = 0; i < 4; i++) {
        shoal_diagram_cell *cells = malloc(cell_count(&grids[i]) * sizeof *cells);
        ASSERT(cells);
        ASSERT_EQ(SHOAL_OK, shoal_scene_diagram(s.scene, &grids[i], cells));
        ASSERT(cells_true(w, s.scene, &grids[i], cells));
        free(cells);
    }
    stage_free(&s);
    world_free(w);
    PASS();
}

TEST threads_change_nothing(void)
{
    world *w = world_named("soups");
    ASSERT(w);
    shoal_diagram_cell *cells[4];
    shoal_grid g = {.cell = 0};
    static const shoal_executor executors[4] = {SHOAL_EXECUTOR_SERIAL, SHOAL_EXECUTOR_OMP,
                                                SHOAL_EXECUTOR_LOOPS, SHOAL_EXECUTOR_GUARD};
    for (int i = 0; i < 4; i++) {
        stage s;
        ASSERT(stage_make(&s, w, executors[i], i == 0 ? 1 : 4, NULL));
        ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 45, &g));
        cells[i] = malloc(cell_count(&g) * sizeof *cells[i]);
        ASSERT(cells[i]);
        ASSERT_EQ(SHOAL_OK, shoal_scene_diagram(s.scene, &g, cells[i]));
        ASSERT_EQ(0, memcmp(cells[0], cells[i], cell_count(&g) * sizeof *cells[i]));
        stage_free(&s);
    }
    for (int i = 0; i < 4; i++)
        free(cells[i]);
    world_free(w);
    PASS();
}

// One triangle in the plane x = 0, moved.
static bool add_triangle(stage *s, double x, shoal_body *out)
{
    static const uint32_t corners[3] = {0, 1, 2};
    const double xyz[9] = {x, 0, 0, x, 1, 0, x, 0, 1};
    shoal_model_def md = shoal_model_def_default();
    md.triangles = corners;
    md.triangle_count = 1;
    static const double rest[9] = {0, 0, 0, 0, 1, 0, 0, 0, 1};
    md.rest = shoal_positions_f64(rest, 3);
    shoal_model *model;
    const shoal_positions p = shoal_positions_f64(xyz, 3);
    if (shoal_model_create(s->ctx, &md, &model) != SHOAL_OK)
        return false;
    const bool good = shoal_scene_add_free(s->scene, model, out) == SHOAL_OK &&
                      shoal_scene_set_positions(s->scene, *out, &p) == SHOAL_OK;
    shoal_model_destroy(model);
    return good;
}

TEST ties_go_to_the_lowest(void)
{
    stage s;
    shoal_body body[4];
    ASSERT(stage_make(&s, NULL, SHOAL_EXECUTOR_SERIAL, 1, NULL));
    for (int i = 0; i < 4; i++) // 0 and 2 at the same place, 3 as far on the other side as 1
        ASSERT(add_triangle(&s, i == 1 ? 2 : i == 3 ? -2 : 0, &body[i]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_FIRST));
    // centres at x = -4, 0, 4 in the triangles' hull
    const shoal_grid g = {{-6, -1.75, -1.75}, 4, {3, 1, 1}};
    shoal_diagram_cell cells[3];
    ASSERT_EQ(SHOAL_OK, shoal_scene_diagram(s.scene, &g, cells));
    static const uint32_t first[3] = {3, 0, 1}, second[3] = {0, 2, 0};
    static const float distance[3][2] = {{2, 4}, {0, 0}, {2, 4}};
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(first[i], cells[i].body[0]);
        ASSERT_EQ(second[i], cells[i].body[1]);
        ASSERT_EQ(distance[i][0], cells[i].distance[0]);
        ASSERT_EQ(distance[i][1], cells[i].distance[1]);
    }
    // a body that is gone, and one of NaN, are no neighbours
    double nan_xyz[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1};
    const shoal_positions p = shoal_positions_f64(nan_xyz, 3);
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(s.scene, body[0]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(s.scene, body[2], &p));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_FIRST));
    ASSERT_EQ(SHOAL_OK, shoal_scene_diagram(s.scene, &g, cells));
    ASSERT_EQ(1u, cells[1].body[0]); // as far as 3
    ASSERT_EQ(3u, cells[1].body[1]);
    ASSERT_EQ(SHOAL_OK, shoal_scene_remove(s.scene, body[1]));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_FIRST));
    ASSERT_EQ(SHOAL_OK, shoal_scene_diagram(s.scene, &g, cells));
    ASSERT_EQ(3u, cells[2].body[0]); // alone
    ASSERT_EQ(6.0f, cells[2].distance[0]);
    ASSERT_EQ(SHOAL_NONE, cells[2].body[1]);
    ASSERT(isinf(cells[2].distance[1]));
    stage_free(&s);
    PASS();
}

TEST wrong_calls_are_refused(void)
{
    stage s;
    shoal_body body;
    shoal_grid g;
    shoal_diagram_cell cell;
    ASSERT(stage_make(&s, NULL, SHOAL_EXECUTOR_OMP, 1, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_grid(s.scene, 8, &g)); // no body
    ASSERT_EQ(0u, g.cells[0]);
    ASSERT_STR_EQ("grid: no step has ended with a body", said);
    ASSERT(add_triangle(&s, 0, &body));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_FIRST));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_grid(s.scene, 0, &g));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_grid(s.scene, 4097, &g));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_grid(s.scene, 8, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_grid(NULL, 8, &g));
    ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 8, &g));
    shoal_grid wrong[5] = {g, g, g, g, g};
    wrong[0].cell = 0;
    wrong[1].cell = NAN;
    wrong[2].cells[1] = 0;
    wrong[3].origin[2] = INFINITY;
    wrong[4].cell = INFINITY;
    for (int i = 0; i < 5; i++)
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_diagram(s.scene, &wrong[i], &cell));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_diagram(s.scene, NULL, &cell));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_diagram(s.scene, &g, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_diagram(NULL, &g, &cell));
    shoal_grid large = {{0}, 1, {4096, 4096, 256}};
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_diagram(s.scene, &large, &cell));
    shoal_grid fine = {{0}, 1e-80, {1, 1, 1}};
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_diagram(s.scene, &fine, &cell));
    ASSERT_STR_EQ("diagram: cells of 1e-80 are too small for these bodies", said);
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_begin(s.scene, SHOAL_QUERY_FIRST, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_grid(s.scene, 8, &g));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_diagram(s.scene, &large, &cell));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_end(s.scene));
    stage_free(&s);
    PASS();
}

// Borrowed positions that are read in place, and those that are gathered, are looked at anew;
// before a step has gathered them there is nothing else to look at.
TEST borrowed_positions_are_read_anew(void)
{
    static double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int order = 0; order < 2; order++) {
        stage s;
        shoal_body body;
        shoal_grid g[3];
        ASSERT(stage_make(&s, NULL, SHOAL_EXECUTOR_SERIAL, 1, NULL));
        ASSERT(add_triangle(&s, 0, &body));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_FIRST));
        shoal_positions p = shoal_positions_f64(xyz, 3);
        p.hold = SHOAL_BORROW;
        p.order = order ? SHOAL_ORDER_TREE : SHOAL_ORDER_USER;
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(s.scene, body, &p));
        ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 8, &g[0]));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(s.scene, SHOAL_QUERY_FIRST));
        ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 8, &g[1]));
        for (int v = 0; v < 3; v++)
            xyz[3 * v] += 8;
        ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 8, &g[2]));
        ASSERT_EQ(0, memcmp(&g[0], &g[1], sizeof g[0]));
        ASSERT_IN_RANGE(g[1].origin[0] + 8, g[2].origin[0], 1e-12);
        shoal_diagram_cell cells[8];
        const shoal_grid row = {{-0.5, -0.5, -0.5}, 1, {8, 1, 1}};
        ASSERT_EQ(SHOAL_OK, shoal_scene_diagram(s.scene, &row, cells));
        ASSERT_EQ(1.0f, cells[7].distance[0]); // from 7 to 8
        xyz[4] = NAN;
        ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_grid(s.scene, 8, &g[2]));
        ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_diagram(s.scene, &row, cells));
        xyz[4] = 0;
        for (int v = 0; v < 3; v++)
            xyz[3 * v] -= 8;
        stage_free(&s);
    }
    PASS();
}

// Tiles cover a row of almost 2^32 cells, which no test fills.
TEST long_rows_have_tiles(void)
{
    const shl_diagram d = {.cells = {UINT32_MAX - 3, 1, 1}};
    ASSERT_EQ(UINT32_MAX / SHL_DIAGRAM_TILE + 1, shl_diagram_tiles(&d));
    PASS();
}

static _Atomic long countdown, blocks;

static void *fault_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (atomic_fetch_sub(&countdown, 1) == 0)
        return NULL;
    atomic_fetch_add(&blocks, 1);
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void fault_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    atomic_fetch_sub(&blocks, 1);
    free(memory);
}

TEST any_allocation_may_fail(void)
{
    world *w = world_named("soups");
    stage s;
    const shoal_allocator allocator = {fault_alloc, fault_release, NULL};
    atomic_store(&countdown, -1);
    ASSERT(w && stage_make(&s, w, SHOAL_EXECUTOR_OMP, 2, &allocator));
    shoal_grid g;
    ASSERT_EQ(SHOAL_OK, shoal_scene_grid(s.scene, 40, &g));
    shoal_diagram_cell *cells = malloc(cell_count(&g) * sizeof *cells);
    ASSERT(cells);
    const long held = atomic_load(&blocks);
    shoal_status st = SHOAL_ERR_MEMORY;
    long n = 0;
    for (; st != SHOAL_OK; n++) {
        atomic_store(&countdown, n);
        st = shoal_scene_diagram(s.scene, &g, cells);
        ASSERT(st == SHOAL_OK || st == SHOAL_ERR_MEMORY);
        ASSERT_EQ_FMT(held, atomic_load(&blocks), "%ld");
    }
    ASSERT(n > 5);
    ASSERT(cells_true(w, s.scene, &g, cells));
    free(cells);
    atomic_store(&countdown, -1);
    stage_free(&s);
    world_free(w);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(equal_brute_force);
    RUN_TEST(grids_may_be_anywhere);
    RUN_TEST(threads_change_nothing);
    RUN_TEST(ties_go_to_the_lowest);
    RUN_TEST(wrong_calls_are_refused);
    RUN_TEST(borrowed_positions_are_read_anew);
    RUN_TEST(long_rows_have_tiles);
    RUN_TEST(any_allocation_may_fail);
    GREATEST_MAIN_END();
}
