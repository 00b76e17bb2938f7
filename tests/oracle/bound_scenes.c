// SPDX-License-Identifier: MIT
#include "bound_scenes.h"

#include "tri_distance.h"

#include <math.h>
#include <stdio.h>

static uint64_t state;

static double unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state * 0x2545f4914f6cdd1du >> 11) * 0x1p-53;
}

static double between(double lo, double hi)
{
    return lo + (hi - lo) * unit();
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)(unit() * n);
}

// Everything here is in cells; the caller scales.
static void corner(bound_scene *s, uint32_t t, int i, double x, double y, double z)
{
    s->corners[t][3 * i] = x;
    s->corners[t][3 * i + 1] = y;
    s->corners[t][3 * i + 2] = z;
}

static void random_tri(bound_scene *s, uint32_t t, const double at[3], double size)
{
    for (int i = 0; i < 3; i++)
        corner(s, t, i, at[0] + between(-size, size), at[1] + between(-size, size),
               at[2] + between(-size, size));
}

static void scatter(bound_scene *s, uint32_t n, double extent, double smallest, double largest,
                    uint32_t owners)
{
    for (uint32_t t = 0; t < n; t++) {
        const double at[3] = {extent * unit(), extent * unit(), extent * unit()};
        random_tri(s, t, at, smallest * pow(largest / smallest, unit()));
        s->cells[t].owner = below(owners);
    }
    s->count = n;
}

static void slivers(bound_scene *s)
{
    scatter(s, 40 + below(60), between(6, 30), 0.05, 8, 2 + below(6));
    for (uint32_t t = 0; t < s->count; t++) {
        const double height = pow(10, -7 * unit()), where = unit();
        double *c = s->corners[t];
        for (int k = 0; k < 3; k++) // the third corner almost on the first edge
            c[6 + k] = c[k] + where * (c[3 + k] - c[k]) + height * between(-1, 1);
    }
}

static void specks(bound_scene *s)
{
    scatter(s, 30 + below(90), between(2, 20), 1e-6, 0.3, 60);
    for (uint32_t t = 0; t < s->count; t++) {
        double *c = s->corners[t];
        const uint32_t flat = below(4);
        for (int k = 0; k < 3; k++) {
            if (flat <= 1)
                c[6 + k] = c[k]; // a segment
            if (flat == 0)
                c[3 + k] = c[k]; // a point
        }
    }
}

// Triangles that share corners, edges and planes with those of other owners.
static void contact(bound_scene *s)
{
    scatter(s, 60, between(4, 16), 0.3, 4, 4);
    for (uint32_t t = 1; t < s->count; t++) {
        double *c = s->corners[t];
        const double *before = s->corners[t - 1];
        const uint32_t shared = below(5); // 4: the same triangle
        for (int i = 0; i < 3 * (int)(shared > 3 ? 3 : shared); i++)
            c[i] = before[i];
        if (shared == 3) { // same plane
            for (int k = 0; k < 3; k++) {
                c[k] = 0.5 * (before[k] + before[3 + k]);
                c[6 + k] = before[k] + before[3 + k] - before[6 + k];
            }
        }
    }
}

// Parallel patches, apart by what the band can just see or just not see.
static void edge(bound_scene *s)
{
    const double r = sqrt(3) / 2, band = (double)s->def.band;
    const double limits[] = {2 * (band - r), 2 * band, band, 2 * (band - r) - 1};
    uint32_t t = 0;
    for (uint32_t patch = 0; patch < 3; patch++) {
        const double gap =
            limits[below(4)] + (double)((int)below(3) - 1) * pow(10, -1 - 6 * unit());
        const double z = patch == 0 ? 0 : s->corners[t - 1][2] + gap;
        for (int i = 0; i < 8; i++, t++) {
            for (int c = 0; c < 3; c++)
                corner(s, t, c, i / 2 + (c == 1), between(0, 1) + i % 2 + (c == 2), z);
            s->cells[t].owner = patch;
        }
    }
    s->count = t;
    const double turn = below(2) ? between(0, 1.5) : 0, c = cos(turn), w = sin(turn);
    for (t = 0; t < s->count; t++) {
        for (int i = 0; i < 3; i++) {
            double *p = &s->corners[t][3 * i];
            const double y = p[1], z = p[2];
            p[1] = c * y - w * z;
            p[2] = w * y + c * z;
        }
    }
}

static void tets(bound_scene *s)
{
    const uint32_t bodies = 8 + below(30);
    const double extent = between(4, 20);
    for (uint32_t b = 0; b < bodies; b++) {
        double p[4][3];
        const double size = pow(10, between(-2, 0.5)),
                     at[3] = {extent * unit(), extent * unit(), extent * unit()};
        for (int i = 0; i < 12; i++)
            p[i / 3][i % 3] = at[i % 3] + between(-size, size);
        for (uint32_t f = 0; f < 4; f++) {
            for (uint32_t i = 0; i < 3; i++) {
                const double *q = p[(f + i) % 4];
                corner(s, 4 * b + f, (int)i, q[0], q[1], q[2]);
            }
            s->cells[4 * b + f].owner = b;
        }
    }
    s->count = 4 * bodies;
}

static double height(double x, double y, double phase)
{
    return 0.7 * sin(x + phase) + 0.5 * cos(1.3 * y - phase);
}

static void sheets(bound_scene *s)
{
    const uint32_t n = 5;
    const double step = between(0.3, 3), gap = between(0, 9);
    uint32_t t = 0;
    for (uint32_t sheet = 0; sheet < 3; sheet++) {
        const double phase = 6 * unit();
        for (uint32_t i = 0; i < n * n; i++) {
            for (uint32_t half = 0; half < 2; half++, t++) {
                for (uint32_t c = 0; c < 3; c++) {
                    const double x = step * (i % n + (c == 1 || (half && c == 2)));
                    const double y = step * (i / n + (c == 2 || (half && c == 0)));
                    corner(s, t, (int)c, x, y, sheet * gap + height(x, y, phase));
                }
                s->cells[t].owner = sheet;
            }
        }
    }
    s->count = t;
}

static void floor_scene(bound_scene *s)
{
    const double extent = between(20, 120);
    scatter(s, 30 + below(30), extent, 0.2, 3, 20);
    for (uint32_t t = 0; t < s->count; t++) {
        for (int i = 0; i < 3; i++)
            s->corners[t][3 * i + 2] *= 9 / extent;
        s->cells[t].owner++;
    }
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t t = s->count++;
        corner(s, t, 0, half ? extent : 0, half ? extent : 0, 0);
        corner(s, t, 1, extent, 0, 0);
        corner(s, t, 2, 0, extent, 0.01);
        s->cells[t].owner = 0;
    }
}

// World coordinates, the grid around them, and back to cells as the library does it.
static void place(bound_scene *s)
{
    double lo[3], hi[3], worst = 0;
    const double shift = pow(10, between(-1, 4)) * (below(2) ? 1 : 0);
    s->cell = pow(10, between(-3, 3));
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t t = 0; t < s->count; t++) {
        for (int i = 0; i < 9; i++) {
            double *x = &s->corners[t][i];
            *x = (*x + shift) * s->cell;
            lo[i % 3] = fmin(lo[i % 3], *x);
            hi[i % 3] = fmax(hi[i % 3], *x);
        }
    }
    for (int k = 0; k < 3; k++) {
        s->origin[k] = lo[k];
        s->def.cells[k] = 1 + (uint32_t)((hi[k] - lo[k]) / s->cell);
    }
    for (uint32_t t = 0; t < s->count; t++)
        worst = fmax(worst, shl_cell_tri_set(s->corners[t], s->origin, s->cell,
                                             shl_voronoi_cutoff(s->def.band), s->cells[t].owner,
                                             &s->cells[t]));
    s->def.tris = s->cells;
    s->def.count = s->count;
    s->def.eps = shl_voronoi_eps(worst, s->def.band);
    s->def.pair_limit = 1u << 24;
}

static void measure(bound_scene *s)
{
    for (uint32_t t = 0; t < s->count; t++)
        s->distance[t] = INFINITY;
    for (uint32_t t = 1; t < s->count; t++) {
        for (uint32_t u = 0; u < t; u++) {
            if (s->cells[t].owner == s->cells[u].owner)
                continue;
            const double d = oracle_tri_distance(s->corners[t], s->corners[u]) / s->cell;
            s->distance[t] = fmin(s->distance[t], d);
            s->distance[u] = fmin(s->distance[u], d);
        }
    }
}

void bound_scene_make(bound_kind kind, uint64_t seed, bound_scene *s)
{
    state = (seed * BOUND_KINDS + kind + 1) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 8; i++)
        unit();
    s->kind = kind;
    s->def = (shl_voronoi_def){.band = (float)between(1, 7)};
    if (kind == BOUND_RANDOM)
        scatter(s, 20 + below(100), between(4, 30), 0.1, 3, 2 + below(8));
    else if (kind == BOUND_SHARED_CELLS)
        scatter(s, 80, between(0.5, 4), 0.02, 0.5, 40);
    else if (kind == BOUND_SLIVERS)
        slivers(s);
    else if (kind == BOUND_SPECKS)
        specks(s);
    else if (kind == BOUND_CONTACT)
        contact(s);
    else if (kind == BOUND_EDGE)
        edge(s);
    else if (kind == BOUND_TETS)
        tets(s);
    else if (kind == BOUND_SELF_CULL)
        sheets(s);
    else
        floor_scene(s);
    place(s);
    measure(s);
}

void bound_scene_judge(const bound_scene *s, uint64_t seed, const float *upper,
                       bound_tally *tally)
{
    const double eps = (double)s->def.eps, two_r = sqrt(3);
    for (uint32_t t = 0; t < s->count; t++) {
        const double u = (double)upper[t], d = s->distance[t];
        const bool found = isfinite(upper[t]);
        const bool right = found ? u - two_r - eps <= d && d <= u + eps
                                 : upper[t] > 0 && d > 2 * (double)s->def.band - two_r - eps;
        if (!right && tally->wrong++ < 5)
            fprintf(stderr,
                    "kind %d, seed %d, triangle %u: distance %.9g, bound %.9g, eps %g, "
                    "band %g\n",
                    (int)s->kind, (int)seed, t, d, u, eps, (double)s->def.band);
        tally->tris++;
        tally->bounded += found;
        if (found) {
            tally->sum_excess += u - d;
            tally->worst_excess = fmax(tally->worst_excess, u - d);
        }
    }
}
