// SPDX-License-Identifier: MIT
// The middle part of B1, after the curtain of James & Pai 2004: a ball is thrown at a swaying
// plate and bounces, 110 frames. What keeping the tree right costs when only the nodes are
// updated that the ball meets, and when the tree is layered and needs every vertex.
#include "bench/papers/james_pai/b1_ball.h"

#include "bench/papers/james_pai/layered.h"
#include "bench/papers/james_pai/literal/spheres.h"
#include "bench/papers/james_pai/plate.h"
#include "runtime/kinds/reduced/reduced.h"
#include "runtime/trees/build.h"
#include "runtime/trees/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 110, LAYERED = SHL_BOUNDS_COUNT, CONTENDERS };

static const double mean_growth = 1.51; // R' / R of the paper's curtain
static const char *const names[CONTENDERS] = {"spheres", "boxes", "affine", "layered"};

// What a contender needs in a frame; times are the least of all repeats.
typedef struct cost {
    double update_s, search_s;
    uint64_t blocks, leaves; // of all frames
} cost;

typedef struct opened {
    uint32_t *nodes; // of all frames, in turn
    uint32_t count, room, end[FRAMES];
} opened;

typedef struct stage {
    bench_plate plate;
    shl_tree tree; // eight children a node
    shl_reduced model[SHL_BOUNDS_COUNT];
    bench_layered layered;
    double (*state)[12 + BENCH_PLATE_FIELDS_MAX]; // [FRAMES] pose and q
    literal_sphere ball[FRAMES];
    shl_reduced_body body;
    shl_bodies rows; // of that body alone
    uint8_t flags;
    shl_box box;
    opened opened;
    cost cost[CONTENDERS];
    uint64_t tests[3]; // binary trees: paper's means, balls, layered
} stage;

// --- Binary trees as in the paper: how many spheres are tested. ---

// Radii grow in proportion to q, so one look tells the amplitude.
static double amplitude_of(const literal_spheres *means, const bench_plate *p)
{
    const double zero[BENCH_PLATE_FIELDS_MAX] = {0};
    double sum = 0;
    uint64_t count = 0;
    for (uint32_t f = 0; f < FRAMES; f += 10) {
        double q[BENCH_PLATE_FIELDS_MAX];
        bench_plate_sway(p, (double)f / FRAMES, 1, q);
        for (uint32_t n = 0; n < p->tree.node_count; n++, count++)
            sum += literal_wrapped(means, n, q).r / literal_wrapped(means, n, zero).r - 1;
    }
    return (mean_growth - 1) * (double)count / sum;
}

// The vertex nearest to the middle of the plate's box.
static uint32_t middle_of(const shl_surface *mesh)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        lo[i % 3] = fmin(lo[i % 3], mesh->xyz[i]);
        hi[i % 3] = fmax(hi[i % 3], mesh->xyz[i]);
    }
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double square = 0;
        for (size_t k = 0; k < 3; k++) {
            const double d = mesh->xyz[3 * (size_t)v + k] - 0.5 * (lo[k] + hi[k]);
            square += d * d;
        }
        best = square < least ? v : best;
        least = fmin(square, least);
    }
    return best;
}

// Straight down to where the seat is in that frame and back up; it touches the plate halfway.
static void throw_ball(stage *s, double amplitude)
{
    const bench_plate *p = &s->plate;
    const uint32_t vertex = middle_of(&p->mesh), fields = p->model.field_count;
    const float *u = p->model.fields + 3 * (size_t)vertex * fields;
    for (uint32_t f = 0; f < FRAMES; f++) {
        const double away = fabs(2.0 * f / FRAMES - 1);
        double *state = s->state[f], *at = s->ball[f].c;
        memset(state, 0, sizeof *s->state);
        state[0] = state[4] = state[8] = 1;
        bench_plate_sway(p, (double)f / FRAMES, amplitude, state + 12);
        memcpy(at, p->mesh.xyz + 3 * (size_t)vertex, sizeof s->ball[f].c);
        for (uint32_t i = 0; i < 3 * fields; i++)
            at[i % 3] += (double)u[i] * state[12 + i / 3];
        at[p->side] += p->ball * (0.9 + 12 * away);
        s->ball[f].r = p->ball;
    }
}

static bool count_tests(stage *s, const literal_spheres *means, const literal_spheres *balls)
{
    const literal_tree *t = &s->plate.tree;
    literal_sphere *layered = malloc(t->node_count * sizeof *layered);
    double *xyz = malloc(3 * (size_t)t->vertex_count * sizeof *xyz);
    for (uint32_t f = 0; f < FRAMES && layered && xyz; f++) {
        const double *q = s->state[f] + 12;
        uint64_t leaves = 0;
        bench_plate_deform(&s->plate, q, xyz);
        literal_layered(t, xyz, layered);
        s->tests[0] += literal_search(t, NULL, means, q, s->ball[f], &leaves);
        s->tests[1] += literal_search(t, NULL, balls, q, s->ball[f], &leaves);
        s->tests[2] += literal_search(t, layered, NULL, NULL, s->ball[f], &leaves);
    }
    const bool good = layered && xyz;
    free(layered);
    free(xyz);
    return good;
}

// --- Trees of eight children a node, at equal care. ---

static void place(stage *s, const shl_kernels *kernels, uint32_t frame)
{
    s->body.state.data = s->state[frame];
    s->rows.flags = &s->flags;
    s->rows.box = &s->box;
    shl_reduced_update(kernels, &s->body, &s->rows);
}

static shl_box box_of(const literal_sphere *ball)
{
    shl_box box;
    for (int k = 0; k < 3; k++) {
        box.lo[k] = (float)(ball->c[k] - ball->r);
        box.hi[k] = (float)(ball->c[k] + ball->r);
    }
    return box;
}

// Opens what the ball meets, down to the leaves; notes it if asked to.
static void search(stage *s, const shl_kernels *kernels, uint32_t frame, cost *sum,
                   opened *notes)
{
    const shl_tree *t = &s->tree;
    const shl_reduced *m = s->body.model;
    const shl_box box = box_of(&s->ball[frame]);
    uint32_t stack[SHL_LEVELS_MAX * SHL_LANES], depth = 1;
    stack[0] = 0;
    while (depth) {
        const uint32_t n = stack[--depth];
        shl_block block;
        shl_node_pair hit[SHL_LANES + 1];
        kernels->reduced_open[m->bounds](shl_reduced_block(m, n), m->field_count,
                                         s->body.ready.data, t->count[n], &block);
        const uint32_t hits =
            kernels->block_clip((shl_lanes){&block, t->first[n]}, 0, &box, hit);
        sum->blocks++;
        if (notes && notes->count < notes->room)
            notes->nodes[notes->count++] = n;
        for (uint32_t i = 0; i < hits; i++) {
            if (t->leaf[hit[i].a])
                sum->leaves++;
            else
                stack[depth++] = hit[i].a;
        }
    }
    if (notes)
        notes->end[frame] = notes->count;
}

// The same nodes again, and nothing but their bounds.
static void update(stage *s, const shl_kernels *kernels, uint32_t frame)
{
    const shl_reduced *m = s->body.model;
    for (uint32_t i = frame ? s->opened.end[frame - 1] : 0; i < s->opened.end[frame]; i++) {
        const uint32_t n = s->opened.nodes[i];
        shl_block block;
        kernels->reduced_open[m->bounds](shl_reduced_block(m, n), m->field_count,
                                         s->body.ready.data, s->tree.count[n], &block);
    }
}

// Both parts, a good hundred microseconds each time.
static void time_bounds(stage *s, const shl_kernels *kernels, shl_bounds bounds,
                        uint32_t repeat)
{
    enum { ROUNDS = 8 };
    cost *c = &s->cost[bounds], ignored = {0};
    s->body.model = &s->model[bounds];
    s->opened.count = 0;
    for (uint32_t f = 0; f < FRAMES; f++) {
        place(s, kernels, f);
        search(s, kernels, f, c, &s->opened);
    }
    for (uint32_t i = 0; i < 20 * repeat; i++) {
        double start = bench_now_s();
        for (uint32_t f = 0; f < FRAMES * ROUNDS; f++) {
            place(s, kernels, f % FRAMES);
            search(s, kernels, f % FRAMES, &ignored, NULL);
        }
        bench_keep_least(&c->search_s, (bench_now_s() - start) / ROUNDS);
        start = bench_now_s();
        for (uint32_t f = 0; f < FRAMES * ROUNDS; f++) {
            place(s, kernels, f % FRAMES);
            update(s, kernels, f % FRAMES);
        }
        bench_keep_least(&c->update_s, (bench_now_s() - start) / ROUNDS);
    }
}

static void time_layered(stage *s, uint32_t repeat)
{
    bench_layered_fn *const update_all = bench_layered_best();
    cost *c = &s->cost[LAYERED];
    for (uint32_t i = 0; i < repeat; i++) {
        double search_s = 0, update_s = 0;
        c->blocks = c->leaves = 0;
        for (uint32_t f = 0; f < FRAMES; f++) {
            float q[BENCH_PLATE_FIELDS_MAX] = {0}, ball[4];
            for (uint32_t j = 0; j < s->plate.model.field_count; j++)
                q[j] = (float)s->state[f][12 + j];
            for (int k = 0; k < 4; k++)
                ball[k] = (float)(k < 3 ? s->ball[f].c[k] : s->ball[f].r);
            const double start = bench_now_s();
            update_all(&s->layered, q);
            const double updated = bench_now_s();
            c->blocks += bench_layered_search(&s->layered, ball, &c->leaves);
            update_s += updated - start;
            search_s += bench_now_s() - updated;
        }
        bench_keep_least(&c->update_s, update_s);
        bench_keep_least(&c->search_s, search_s);
    }
}

// --- The whole. ---

static shoal_status make_trees(stage *s)
{
    const shoal_allocator memory = shl_allocator_libc();
    const bench_plate *p = &s->plate;
    const shl_build_input input = {.triangles = p->mesh.triangles,
                                   .xyz = p->mesh.xyz,
                                   .triangle_count = p->mesh.triangle_count,
                                   .vertex_count = p->mesh.vertex_count};
    shoal_status st = shl_tree_build(&input, &memory, &s->tree);
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT && st == SHOAL_OK; bounds++) {
        const shl_reduced_input rows = {p->mesh.xyz, p->fields, p->model.field_count,
                                        (shl_bounds)bounds, -1};
        st = shl_reduced_build(&s->tree, &rows, &memory, &s->model[bounds]);
    }
    if (st == SHOAL_OK && !bench_layered_create(&s->tree, &s->model[0], &s->layered))
        st = SHOAL_ERR_MEMORY;
    s->body.tree = &s->tree;
    s->body.ready.data =
        calloc(1, sizeof(shl_reduced_ready) + p->model.field_count * sizeof(float));
    s->state = calloc(FRAMES, sizeof *s->state);
    s->opened.room = FRAMES * (s->tree.node_count - s->tree.leaf_count);
    s->opened.nodes = malloc(s->opened.room * sizeof *s->opened.nodes);
    const bool room = s->body.ready.data && s->state && s->opened.nodes;
    return st == SHOAL_OK && !room ? SHOAL_ERR_MEMORY : st;
}

static void finish(stage *s)
{
    const shoal_allocator memory = shl_allocator_libc();
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++)
        shl_reduced_finish(&s->model[bounds], &memory);
    shl_tree_finish(&s->tree, &memory);
    bench_layered_finish(&s->layered);
    bench_plate_finish(&s->plate);
    free(s->body.ready.data);
    free(s->state);
    free(s->opened.nodes);
}

static void report_stage(bench_report *report, const stage *s)
{
    const char *plate = s->plate.name;
    const double layered_tests = (double)s->tests[2];
    bench_row(report,
              json_pack("{s:s, s:s, s:f, s:f, s:f}", "plate", plate, "tests a frame",
                        "binary trees", "means", (double)s->tests[0] / FRAMES, "balls",
                        (double)s->tests[1] / FRAMES, "layered", layered_tests / FRAMES));
    const cost *layered = &s->cost[LAYERED];
    for (int i = 0; i < CONTENDERS; i++) {
        const cost *c = &s->cost[i];
        const double whole = i == LAYERED ? c->update_s + c->search_s : c->search_s;
        bench_row(report,
                  json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "plate", plate, "method",
                            names[i], "blocks", (double)c->blocks / FRAMES, "leaves",
                            (double)c->leaves / FRAMES, "update_us", 1e6 * c->update_s / FRAMES,
                            "whole_us", 1e6 * whole / FRAMES));
    }
    for (int i = 0; i < SHL_BOUNDS_COUNT; i++) {
        bench_gate_named(report, layered->update_s / s->cost[i].update_s, 50, 200, BENCH_HIGHER,
                         "layered update / update of %s, %s", names[i], plate);
    }
    for (int i = 0; i < SHL_BOUNDS_COUNT; i++) {
        bench_gate_named(report, (layered->update_s + layered->search_s) / s->cost[i].search_s,
                         50, 200, BENCH_HIGHER, "layered frame / frame of %s, %s", names[i],
                         plate);
    }
    bench_gate_named(report, (double)s->tests[0] / layered_tests, 2, 1.2, BENCH_LOWER,
                     "tests with means / layered, %s", plate);
}

static shoal_status run_stage(bench_report *report, uint32_t which, const shl_kernels *kernels,
                              uint32_t repeat)
{
    stage s = {0};
    literal_spheres means = {0}, balls = {0};
    shoal_status st = bench_plate_create(which, &s.plate);
    if (st == SHOAL_OK)
        st = make_trees(&s);
    bool good = st == SHOAL_OK;
    good = good &&
           literal_spheres_create(&s.plate.tree, &s.plate.model, LITERAL_MEANS, &means) &&
           literal_spheres_create(&s.plate.tree, &s.plate.model, LITERAL_BALLS, &balls);
    if (good) {
        throw_ball(&s, amplitude_of(&means, &s.plate));
        good = count_tests(&s, &means, &balls);
    }
    if (good) {
        for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++)
            time_bounds(&s, kernels, (shl_bounds)bounds, repeat);
        time_layered(&s, repeat);
        report_stage(report, &s);
    }
    literal_spheres_finish(&means);
    literal_spheres_finish(&balls);
    finish(&s);
    return st == SHOAL_OK && !good ? SHOAL_ERR_MEMORY : st;
}

shoal_status bench_thrown_ball(bench_report *report, const shl_kernels *kernels,
                               uint32_t repeat)
{
    shoal_status st = SHOAL_OK;
    for (uint32_t which = 0; which < BENCH_PLATES && st == SHOAL_OK; which++)
        st = run_stage(report, which, kernels, repeat);
    return st;
}
