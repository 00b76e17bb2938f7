// SPDX-License-Identifier: MIT
// M2: how tight boxes of point-based bodies are, level by level of a binary tree, beside the
// optimal boxes and beside figure 5 of Steinemann et al. 2007. Nothing is timed here.
#include "bench/harness/bench.h"
#include "bench/harness/chart.h"
#include "bench/papers/steinemann/brain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 32, STATES = 6, VERTICES = 29966, MANY = 509, FEW = 65 };

// What is compared: bounds of the library, and the accumulation bound of Adams et al. 2005.
typedef struct variant {
    const char *name, *colour;
    shl_blend blend;
    shl_region region;
} variant;

static const variant variants[] = {
    {"auto", "#1f77b4", SHL_BLEND_DUAL, SHL_REGION_DIRECTIONS},
    {"knapsack, 26 directions", "#17becf", SHL_BLEND_KNAPSACK, SHL_REGION_DIRECTIONS},
    {"dual, clipped", "#2ca02c", SHL_BLEND_DUAL, SHL_REGION_CLIPPED},
    {"knapsack, boxes", "#9467bd", SHL_BLEND_KNAPSACK, SHL_REGION_BOXES},
    {"eq. 11, boxes", "#d62728", SHL_BLEND_CORNER, SHL_REGION_BOXES},
    {"union, boxes", "#7f7f7f", SHL_BLEND_UNION, SHL_REGION_BOXES},
};
enum { VARIANTS = sizeof variants / sizeof *variants, ACCUMULATED = VARIANTS, ALL };

typedef struct ratios {
    double sum[ALL][LEVELS], most[ALL][LEVELS];
    double root_last[ALL]; // at full amplitude
    uint64_t count[LEVELS];
    uint32_t levels;
    uint64_t outside; // nodes whose box does not hold its vertices
} ratios;

static void add(ratios *r, uint32_t which, uint32_t level, double ratio)
{
    r->sum[which][level] += ratio;
    r->most[which][level] = fmax(r->most[which][level], ratio);
}

static bool holds(const double lo[3], const double hi[3], const double exact[6])
{
    bool good = true;
    for (int k = 0; k < 3; k++)
        good = good && lo[k] <= exact[k] && exact[3 + k] <= hi[k];
    return good;
}

static void add_blocks(bench_brain *b, const shl_kernels *kernels, uint32_t which,
                       const uint8_t *level, ratios *r)
{
    const shl_tree *t = &b->tree;
    for (uint32_t n = 0; n < t->node_count; n++) {
        shl_block block;
        if (t->leaf[n])
            continue;
        shl_skinned_bound(kernels, &b->body, n, &b->scratch, &block);
        for (uint32_t lane = 0; lane < t->count[n]; lane++) {
            const uint32_t child = t->first[n] + lane;
            double lo[3], hi[3];
            for (int k = 0; k < 3; k++) {
                lo[k] = (double)block.lo[k][lane];
                hi[k] = (double)block.hi[k][lane];
            }
            const double *exact = b->box[child];
            r->outside += !holds(lo, hi, exact);
            add(r, which, level[child], bench_radius(lo, hi) / bench_radius(exact, exact + 3));
        }
    }
}

static double root_ratio(const bench_brain *b, ratios *r)
{
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = (double)b->root.lo[k];
        hi[k] = (double)b->root.hi[k];
    }
    r->outside += !holds(lo, hi, b->box[0]);
    return bench_radius(lo, hi) / bench_radius(b->box[0], b->box[0] + 3);
}

// The root's sphere of Adams et al.: the centre moves by mean weights, the radius grows by what
// each node may add to that.
static double accumulated(const bench_brain *b)
{
    const shl_skinned *p = &b->skinned;
    const double *maps = b->body.maps.data, vertices = p->vertex_count;
    double far = 0, radius = 0, *mean = calloc(2 * (size_t)p->point_count, sizeof *mean);
    if (!mean)
        return NAN;
    double *away = mean + p->point_count;
    for (size_t e = 0; e < p->weight_count; e++)
        mean[p->weight_point[e]] += (double)p->weight[e] / vertices;
    for (size_t j = 0; j < p->point_count; j++) // some vertex does not see it
        away[j] = mean[j];
    for (size_t e = 0; e < p->weight_count; e++) {
        const size_t j = p->weight_point[e];
        away[j] = fmax(away[j], fabs((double)p->weight[e] - mean[j]));
    }
    for (size_t v = 0; v < p->vertex_count; v++) {
        double square = 0;
        for (size_t k = 0; k < 3; k++) {
            const double d = p->rest[3 * v + k] - p->middle[k];
            square += d * d;
        }
        far = fmax(far, sqrt(square));
    }
    radius = far;
    for (size_t j = 0; j < p->point_count; j++) {
        double move = 0, turn = 0;
        for (int k = 0; k < 3; k++) {
            const double *g = maps + 12 * j + 4 * k;
            const double at =
                g[0] * p->middle[0] + g[1] * p->middle[1] + g[2] * p->middle[2] + g[3];
            move += at * at;
            turn += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        }
        radius += away[j] * sqrt(move) + (double)(p->zone[shl_group_at(j, SHL_ZONE_ROWS, 6)] +
                                                  p->zone[shl_group_at(j, SHL_ZONE_ROWS, 7)]) *
                                             sqrt(turn) * far;
    }
    free(mean);
    return radius / bench_radius(b->box[0], b->box[0] + 3);
}

static shoal_status measure(const shl_kernels *kernels, bench_brain *b, shl_brain_motion motion,
                            ratios *r)
{
    const shl_tree *t = &b->tree;
    uint8_t *level = calloc(t->node_count, 1);
    if (!level)
        return SHOAL_ERR_MEMORY;
    memset(r, 0, sizeof *r);
    for (uint32_t n = 1; n < t->node_count; n++)
        level[n] = (uint8_t)(level[t->parent[n]] + 1);
    r->levels = t->depth + 1 < LEVELS ? t->depth + 1 : LEVELS;
    for (int state = 1; state <= STATES; state++) {
        for (uint32_t which = 0; which < VARIANTS; which++) {
            b->skinned.blend = variants[which].blend;
            b->skinned.region = variants[which].region;
            bench_brain_pose(b, kernels, motion, (double)state / STATES);
            if (which == 0)
                bench_brain_vertices(b, kernels);
            r->root_last[which] = root_ratio(b, r);
            add(r, which, 0, r->root_last[which]);
            add_blocks(b, kernels, which, level, r);
        }
        r->root_last[ACCUMULATED] = accumulated(b);
        add(r, ACCUMULATED, 0, r->root_last[ACCUMULATED]);
        for (uint32_t n = 0; n < t->node_count; n++)
            r->count[level[n]]++;
    }
    free(level);
    return SHOAL_OK;
}

static void report_ratios(bench_report *report, const char *motion, uint32_t nodes,
                          const ratios *r)
{
    for (uint32_t level = 0; level < r->levels; level++) {
        const double count = (double)r->count[level];
        json_t *row = json_pack("{s:s, s:i, s:i, s:i}", "motion", motion, "nodes", (int)nodes,
                                "level", (int)level, "boxes", (int)r->count[level] / STATES);
        for (uint32_t which = 0; which < VARIANTS; which++)
            json_object_set_new(
                row, variants[which].name,
                json_pack("[f, f]", r->sum[which][level] / count, r->most[which][level]));
        if (level == 0)
            json_object_set_new(
                row, "accumulated",
                json_pack("[f, f]", r->sum[ACCUMULATED][0] / count, r->most[ACCUMULATED][0]));
        bench_row(report, row);
    }
}

static void gates(bench_report *report, const ratios *r)
{
    double worst = 0;
    for (uint32_t level = 0; level < r->levels; level++)
        worst = fmax(worst, r->sum[0][level] / (double)r->count[level]);
    bench_gate(report, "root radius over optimal, pull, 509 nodes, mean",
               r->sum[0][0] / (double)r->count[0], 1.25, 1.15, BENCH_LOWER);
    bench_gate(report, "worst level's mean radius over optimal, pull, 509 nodes", worst, 1.3,
               1.25, BENCH_LOWER);
    bench_gate(report, "accumulation bound / auto at the root, full pull, 509 nodes",
               r->root_last[ACCUMULATED] / r->root_last[0], 30, 68, BENCH_HIGHER);
}

static void draw(FILE *f, const void *what)
{
    bench_lines_draw(f, what);
}

static bool plot(const char *path, const ratios *r)
{
    double x[LEVELS], y[VARIANTS][LEVELS];
    bench_line lines[VARIANTS];
    for (uint32_t level = 0; level < r->levels; level++)
        x[level] = level;
    for (uint32_t which = 0; which < VARIANTS; which++) {
        for (uint32_t level = 0; level < r->levels; level++)
            y[which][level] = r->sum[which][level] / (double)r->count[level];
        lines[which] = (bench_line){.name = variants[which].name,
                                    .colour = variants[which].colour,
                                    .dashed = which == 1,
                                    .count = r->levels,
                                    .x = x,
                                    .y = y[which]};
    }
    const bench_lines picture = {.title = "brain, pulled: radius of boxes over optimal",
                                 .x_name = "level",
                                 .y_name = "mean ratio",
                                 .lines = lines,
                                 .count = VARIANTS};
    return bench_file_write(path, draw, &picture);
}

shoal_status bench_m2(const bench_options *options, bench_report *report)
{
    static const char *const names[] = {"pull", "bend", "twist"};
    static const uint32_t nodes[] = {MANY, FEW};
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    uint64_t outside = 0;
    for (int i = 0; i < 2; i++) {
        bench_brain b;
        shoal_status st = bench_brain_create(VERTICES, nodes[i], 2, &b);
        for (int motion = 0; motion < 3 && st == SHOAL_OK; motion++) {
            ratios r;
            st = measure(&kernels, &b, (shl_brain_motion)motion, &r);
            if (st != SHOAL_OK)
                break;
            outside += r.outside;
            report_ratios(report, names[motion], b.skinned.point_count, &r);
            if (motion == SHL_BRAIN_PULL && nodes[i] == MANY) {
                gates(report, &r);
                if (options->plot && !plot(options->plot, &r))
                    st = SHOAL_ERR_FILE;
            }
        }
        bench_brain_finish(&b);
        if (st != SHOAL_OK)
            return st;
    }
    bench_gate(report, "vertices outside of a box", (double)outside, 0, 0, BENCH_LOWER);
    return SHOAL_OK;
}
