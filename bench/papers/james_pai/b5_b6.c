// SPDX-License-Identifier: MIT
// B5 and B6: how tight the bounds of a folded plate are, level by level of a binary tree,
// beside the figures of James & Pai 2004. Nothing is timed here.
#include "bench/harness/bench.h"
#include "bench/papers/james_pai/literal/spheres.h"
#include "bench/papers/james_pai/plate.h"
#include "runtime/trees/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 64, AFFINE_ROWS = 6 + 13 * BENCH_PLATE_FIELDS_MAX };

// --- B5: how much a node grows. ---

// The chair of the paper, 17,914 triangles, M = 10.
static const double chair[] = {1.000, 0.684, 0.575, 0.399, 0.252, 0.167, 0.110,
                               0.080, 0.057, 0.041, 0.030, 0.022, 0.017, 0.016,
                               0.015, 0.013, 0.007, 0.004, 0.003};
enum { CHAIR_LEVELS = sizeof chair / sizeof *chair };

// Sums over the nodes of a level of the length of all d_j.
typedef struct growth {
    double means, balls, affine;
    uint32_t nodes;
} growth;

// Length of the d_j of `fields` fields, one each `step` floats.
static double length_of(const float *d, uint32_t fields, uint32_t step)
{
    double square = 0;
    for (uint32_t j = 0; j < fields; j++)
        square += (double)d[j * (size_t)step] * (double)d[j * (size_t)step];
    return sqrt(square);
}

// The rows of affine bounds, one float each.
static void affine_rows(const bench_plate *p, uint32_t node, float rows[AFFINE_ROWS])
{
    const literal_node *n = &p->tree.nodes[node];
    const shl_below below = {&p->model, p->tree.vertices + n->first_vertex, n->vertex_count};
    float block[AFFINE_ROWS * SHL_LANES];
    shl_below_bounds(&below, SHL_BOUNDS_AFFINE, 0, block);
    for (size_t i = 0; i < 6 + 13 * (size_t)p->model.field_count; i++)
        rows[i] = block[i * SHL_LANES];
}

static void sum_growth(const bench_plate *p, const literal_spheres spheres[2],
                       growth levels[LEVELS])
{
    const uint32_t fields = p->model.field_count, floats = 4 + 4 * fields;
    for (uint32_t n = 0; n < p->tree.node_count; n++) {
        float rows[AFFINE_ROWS] = {0};
        affine_rows(p, n, rows);
        growth *at = &levels[p->tree.nodes[n].level];
        at->nodes++;
        at->means += length_of(spheres[0].rows + (size_t)n * floats + 7, fields, 4);
        at->balls += length_of(spheres[1].rows + (size_t)n * floats + 7, fields, 4);
        at->affine += length_of(rows + 9, fields, 13);
    }
}

static void report_growth(bench_report *report, const bench_plate *p,
                          const growth levels[LEVELS])
{
    const double root = levels[0].means;
    for (uint32_t l = 0; l <= p->tree.depth; l++) {
        const growth *at = &levels[l];
        const double scale = 1 / (root * at->nodes);
        json_t *paper = l < CHAIR_LEVELS ? json_real(chair[l]) : json_null();
        bench_row(report, json_pack("{s:s, s:i, s:i, s:o, s:f, s:f, s:f}", "plate", p->name,
                                    "level", (int)l, "nodes", (int)at->nodes, "paper_chair",
                                    paper, "means", at->means * scale, "balls",
                                    at->balls * scale, "affine", at->affine * scale));
    }
    bench_gate_named(report, levels[4].affine / (root * levels[4].nodes), 0.1, 0.05,
                     BENCH_LOWER, "affine, level 4, %s", p->name);
}

// Spheres with the paper's centres and with the library's.
static bool make_spheres(const bench_plate *p, literal_spheres out[2])
{
    memset(out, 0, 2 * sizeof *out);
    return literal_spheres_create(&p->tree, &p->model, LITERAL_MEANS, &out[0]) &&
           literal_spheres_create(&p->tree, &p->model, LITERAL_BALLS, &out[1]);
}

shoal_status bench_b5(const bench_options *options, bench_report *report)
{
    (void)options;
    for (uint32_t which = 0; which < BENCH_PLATES; which++) {
        bench_plate p;
        literal_spheres spheres[2];
        growth levels[LEVELS] = {0};
        const shoal_status st = bench_plate_create(which, &p);
        if (st != SHOAL_OK)
            return st;
        const bool made = p.tree.depth < LEVELS && make_spheres(&p, spheres);
        if (made) {
            sum_growth(&p, spheres, levels);
            report_growth(report, &p, levels);
        }
        literal_spheres_finish(&spheres[0]);
        literal_spheres_finish(&spheres[1]);
        bench_plate_finish(&p);
        if (!made)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

// --- B6: radii of a bent plate, in units of the wrapped radius at rest. ---

enum { STATES = 8, FIGURE_LEVEL = 6 };

typedef struct ratio {
    double sum, most;
} ratio;

typedef struct radii {
    ratio rest_layered, layered, means, balls, affine, least;
    uint64_t count;
} radii;

static void add(ratio *r, double value)
{
    r->sum += value;
    r->most = fmax(r->most, value);
}

// The largest factor by which a matrix lengthens a vector: the root of the largest eigenvalue
// of A^T A, which is symmetric (Smith 1961).
static double stretch_of(const double a[9])
{
    double b[9], square = 0;
    for (int i = 0; i < 9; i++)
        b[i] = a[i / 3] * a[i % 3] + a[3 + i / 3] * a[3 + i % 3] + a[6 + i / 3] * a[6 + i % 3];
    const double mean = (b[0] + b[4] + b[8]) / 3;
    for (int i = 0; i < 9; i++) {
        b[i] -= i % 4 == 0 ? mean : 0;
        square += b[i] * b[i];
    }
    const double p = sqrt(square / 6);
    if (p == 0)
        return sqrt(mean);
    const double det = b[0] * (b[4] * b[8] - b[5] * b[7]) - b[1] * (b[3] * b[8] - b[5] * b[6]) +
                       b[2] * (b[3] * b[7] - b[4] * b[6]);
    const double half = fmax(-1, fmin(1, det / (2 * p * p * p)));
    return sqrt(mean + 2 * p * cos(acos(half) / 3));
}

// Radius of the ball that affine bounds give: |I + H| R + sum d_j |q_j|.
static double affine_radius(const bench_plate *p, uint32_t node, const double *q)
{
    const literal_node *n = &p->tree.nodes[node];
    float rows[AFFINE_ROWS] = {0};
    affine_rows(p, node, rows);
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, most = 0, rest = 0;
    for (uint32_t i = 0; i < n->vertex_count; i++) {
        const double *v = p->model.rest + 3 * (size_t)p->tree.vertices[n->first_vertex + i];
        const double d[3] = {v[0] - (double)rows[0], v[1] - (double)rows[1],
                             v[2] - (double)rows[2]};
        most = fmax(most, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    for (uint32_t j = 0; j < p->model.field_count; j++) {
        const float *field = rows + 6 + 13 * j;
        rest += (double)field[3] * fabs(q[j]);
        for (int i = 0; i < 9; i++)
            turn[i] += q[j] * (double)field[4 + i];
    }
    return stretch_of(turn) * sqrt(most) + rest;
}

// The amplitude at which the paper's spheres of level 6 are 1.25 times what they are at rest,
// as those of the paper's bridge in its figure 6. Radii grow in proportion to q.
static double amplitude_of(const bench_plate *p, const literal_spheres *means)
{
    double sum = 0;
    uint64_t count = 0;
    for (int state = 0; state < STATES; state++) {
        double q[BENCH_PLATE_FIELDS_MAX];
        const double zero[BENCH_PLATE_FIELDS_MAX] = {0};
        bench_plate_sway(p, (double)state / STATES, 1, q);
        for (uint32_t n = 0; n < p->tree.node_count; n++) {
            if (p->tree.nodes[n].level != FIGURE_LEVEL)
                continue;
            sum += literal_wrapped(means, n, q).r / literal_wrapped(means, n, zero).r - 1;
            count++;
        }
    }
    return 0.25 * (double)count / sum;
}

// What there is of a plate for one look at it.
typedef struct look {
    const bench_plate *plate;
    literal_spheres spheres[2];
    literal_sphere *rest, *layered; // [node_count]
    double *xyz;                    // [3 * vertex_count]
    radii levels[LEVELS];
} look;

static void add_state(look *l, const double *q)
{
    const bench_plate *p = l->plate;
    const double zero[BENCH_PLATE_FIELDS_MAX] = {0};
    bench_plate_deform(p, q, l->xyz);
    literal_layered(&p->tree, l->xyz, l->layered);
    const shl_reduced bent = {.rest = l->xyz};
    for (uint32_t n = 0; n < p->tree.node_count; n++) {
        const literal_node *node = &p->tree.nodes[n];
        if (node->level > 12) // a few triangles each, and many of them
            break;
        const shl_below below = {&bent, p->tree.vertices + node->first_vertex,
                                 node->vertex_count};
        const double own = 1 / literal_wrapped(&l->spheres[0], n, zero).r;
        double centre[3];
        radii *at = &l->levels[node->level];
        at->count++;
        add(&at->rest_layered, l->rest[n].r * own);
        add(&at->layered, l->layered[n].r * own);
        add(&at->means, literal_wrapped(&l->spheres[0], n, q).r * own);
        add(&at->balls, literal_wrapped(&l->spheres[1], n, q).r * own);
        add(&at->affine, affine_radius(p, n, q) * own);
        add(&at->least, shl_below_ball(&below, -1, centre) * own);
    }
}

static json_t *mean_and_most(const ratio *r, uint64_t count)
{
    return json_pack("[f, f]", r->sum / (double)count, r->most);
}

static void report_radii(bench_report *report, const look *l)
{
    const char *plate = l->plate->name;
    for (uint32_t level = 0; level < LEVELS && l->levels[level].count; level++) {
        const radii *at = &l->levels[level];
        bench_row(report,
                  json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "plate", plate,
                            "level", (int)level, "nodes", (int)(at->count / STATES),
                            "layered_at_rest", mean_and_most(&at->rest_layered, at->count),
                            "layered", mean_and_most(&at->layered, at->count), "means",
                            mean_and_most(&at->means, at->count), "balls",
                            mean_and_most(&at->balls, at->count), "affine",
                            mean_and_most(&at->affine, at->count), "least",
                            mean_and_most(&at->least, at->count)));
    }
    const radii *at = &l->levels[FIGURE_LEVEL];
    const double count = (double)at->count, layered = at->layered.sum / count;
    bench_gate_named(report, count / at->rest_layered.sum, 1, 1 / 1.31, BENCH_LOWER,
                     "wrapped / layered at rest, %s", plate);
    bench_gate_named(report, at->means.sum / count / layered, 1, 1.25 / 1.31, BENCH_LOWER,
                     "means / layered, bent, %s", plate);
    bench_gate_named(report, at->affine.sum / count, layered, 1.10, BENCH_LOWER,
                     "affine, bent, %s", plate);
}

static bool begin(look *l, const bench_plate *p)
{
    memset(l, 0, sizeof *l);
    l->plate = p;
    l->rest = malloc(p->tree.node_count * sizeof *l->rest);
    l->layered = malloc(p->tree.node_count * sizeof *l->layered);
    l->xyz = malloc(3 * (size_t)p->mesh.vertex_count * sizeof *l->xyz);
    return make_spheres(p, l->spheres) && l->rest && l->layered && l->xyz;
}

static void end(look *l)
{
    literal_spheres_finish(&l->spheres[0]);
    literal_spheres_finish(&l->spheres[1]);
    free(l->rest);
    free(l->layered);
    free(l->xyz);
}

shoal_status bench_b6(const bench_options *options, bench_report *report)
{
    (void)options;
    for (uint32_t which = 0; which < BENCH_PLATES; which++) {
        bench_plate p;
        look l;
        const shoal_status st = bench_plate_create(which, &p);
        if (st != SHOAL_OK)
            return st;
        const bool made = begin(&l, &p);
        if (made) {
            const double amplitude = amplitude_of(&p, &l.spheres[0]);
            literal_layered(&p.tree, p.mesh.xyz, l.rest);
            for (int state = 0; state < STATES; state++) {
                double q[BENCH_PLATE_FIELDS_MAX];
                bench_plate_sway(&p, (double)state / STATES, amplitude, q);
                add_state(&l, q);
            }
            report_radii(report, &l);
        }
        end(&l);
        bench_plate_finish(&p);
        if (!made)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}
