// SPDX-License-Identifier: MIT
// Where the grid lies and how fine it is. Nothing here can make an answer wrong: a bad grid
// only leaves more for the exact search.
#include "runtime/queries/distance/search.h"

#include <float.h>
#include <math.h>

enum {
    SAMPLES = 64,          // bodies that are asked how far their neighbours are
    BRICKS_AUTO = 1 << 20, // more make a grid that nobody asked for coarser
    COARSER_MAX = 40,      // doublings
};
static const float band_least = 2, band_most = 4, band_most_fixed = 8;

void shl_grid_none(shl_grid *g)
{
    g->used = g->on_gpu = false;
    atomic_store(&g->failed, false);
    g->cell_count = g->gpu_jobs = 0;
    g->cull_rows = g->tri_rows = g->chunk_rows = g->brick_rows = g->body_rows = 0;
}

// --- Boxes. ---

static double square(double x)
{
    return x * x;
}

// Algorithm: every face of a tight box has a point of the body. The largest distance of two
// faces bounds that of their points; the least over all pairs of faces is taken.
double shl_box_bound(const shl_box *a, const shl_box *b, bool tight)
{
    double most[3], all = 0, least = INFINITY, scale = 0;
    for (int k = 0; k < 3; k++) {
        most[k] =
            fmax((double)a->hi[k] - (double)b->lo[k], (double)b->hi[k] - (double)a->lo[k]);
        all += square(most[k]);
        scale = fmax(scale, fmax(fmax(fabs((double)a->lo[k]), fabs((double)a->hi[k])),
                                 fmax(fabs((double)b->lo[k]), fabs((double)b->hi[k]))));
    }
    for (int i = 0; i < 36 && tight; i++) {
        const int k = i / 12, m = i / 4 % 3;
        const double x = i & 1 ? (double)a->hi[k] : (double)a->lo[k];
        const double y = i & 2 ? (double)b->hi[m] : (double)b->lo[m];
        double sum = all - square(most[k]);
        if (k == m) {
            sum += square(x - y);
        } else { // x is fixed on axis k for a, y on axis m for b
            sum -= square(most[m]);
            sum += square(fmax(fabs(x - (double)b->lo[k]), fabs(x - (double)b->hi[k])));
            sum += square(fmax(fabs(y - (double)a->lo[m]), fabs(y - (double)a->hi[m])));
        }
        least = fmin(least, sum);
    }
    // float64 is rounded outwards by a float's last bit, and this is rounded too
    const double bound = sqrt(fmax(fmin(least, all), 0) + all * 0x1p-40);
    return bound + 0x1p-20 * scale;
}

// --- How fine. ---

// Sides of triangles, by the surface of boxes that they fill.
static double mean_edge(const shl_distance *d)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < d->body_count; i++) {
        shl_view b;
        shl_view_of(d->ports, shl_distance_body(d, i), &b);
        double side[3];
        for (int k = 0; k < 3; k++)
            side[k] = (double)b.box->hi[k] - (double)b.box->lo[k];
        const double area = 2 * (side[0] * side[1] + side[1] * side[2] + side[2] * side[0]);
        const double n = b.tree->triangle_count;
        sum += sqrt(2 * area * n); // n edges of triangles of area / n
        count += n;
    }
    return count > 0 ? sum / count : 0;
}

// How far neighbours are, roughly: in the last step, or by their boxes.
static double typical_gap(const shl_distance *d)
{
    const uint32_t stride = d->body_count / SAMPLES + 1;
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < d->body_count; i += stride) {
        const shl_closest_pair *w =
            (const shl_closest_pair *)d->witness.data + shl_distance_body(d, i);
        double gap = INFINITY;
        if (w->revision_a) {
            gap = w->distance;
        } else {
            float square;
            (void)shl_broad_nearest(&d->tree, shl_distance_box(d, i), shl_distance_body(d, i),
                                    &square);
            gap = sqrt((double)square);
        }
        if (isfinite(gap)) {
            sum += gap;
            count++;
        }
    }
    return count > 0 ? 1.5 * sum / count : 0;
}

// The box of all bodies; false if no grid fits it.
static bool bounding_box(const shl_distance *d, double lo[3], double side[3])
{
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        double from = INFINITY, to = -INFINITY;
        for (uint32_t i = 0; i < d->body_count; i++) {
            const shl_box *box = shl_distance_box(d, i);
            from = fmin(from, (double)box->lo[k]);
            to = fmax(to, (double)box->hi[k]);
        }
        lo[k] = from;
        side[k] = to - from;
        longest = fmax(longest, side[k]);
    }
    return longest > DBL_MIN * 0x1p100 && isfinite(longest);
}

static uint64_t size_up(shl_grid *g, const double side[3])
{
    uint64_t bricks = 1;
    static const uint32_t sides[3] = {SHL_BRICK_X, SHL_BRICK_Y, SHL_BRICK_Z};
    g->cell_count = 1;
    for (int k = 0; k < 3; k++) {
        const double cells = fmin(floor(side[k] / g->cell), 0x1p20) + 1;
        g->cells[k] = (uint32_t)cells;
        g->cell_count *= g->cells[k];
        bricks *= (g->cells[k] + sides[k] - 1) / sides[k];
    }
    return bricks;
}

// The side of a cell and the band, in cells; the latter as wide as neighbours are far.
static void choose_cell(shl_distance *d, const double side[3])
{
    shl_grid *g = &d->grid;
    const double longest = fmax(fmax(side[0], side[1]), side[2]);
    double cutoff = d->queries & SHOAL_QUERY_NEAREST ? typical_gap(d) : 0;
    if (d->queries & SHOAL_QUERY_WITHIN && isfinite(d->ports->def->within))
        cutoff = fmax(cutoff, d->ports->def->within);
    const double half = fmin(cutoff, longest) / 2;
    if (d->ports->def->grid_resolution) {
        g->cell = longest / d->ports->def->grid_resolution;
    } else {
        const double edge = fmax(mean_edge(d), 0x1p-16 * longest);
        g->cell = fmin(fmax(edge, half / ((double)band_most - 1)), longest);
        g->cell *= (double)(UINT64_C(1) << g->coarser);
    }
    const double band = ceil(half / g->cell + (double)SHL_VORONOI_R + 0.1);
    const float most = d->ports->def->grid_resolution ? band_most_fixed : band_most;
    g->band = band < (double)band_least ? band_least : band < (double)most ? (float)band : most;
}

// A grid that nobody asked for is made coarser until it fits.
static shoal_status fit(shl_distance *d, const double side[3])
{
    shl_grid *g = &d->grid;
    choose_cell(d, side);
    uint64_t bricks = size_up(g, side);
    if (d->ports->def->grid_resolution) {
        if (bricks <= SHL_VORONOI_BRICKS)
            return SHOAL_OK;
        return shl_fail(d->ports->ctx, SHOAL_ERR_LIMIT,
                        "step: a grid of %u x %u x %u cells for distances is too large",
                        g->cells[0], g->cells[1], g->cells[2]);
    }
    const double wanted = g->cell;
    for (int i = 0; i < COARSER_MAX && bricks > BRICKS_AUTO; i++) {
        g->cell *= 1.25;
        bricks = size_up(g, side);
    }
    if (g->cell > wanted && !g->told_coarse) {
        shl_warn(d->ports->ctx,
                 "step: the grid for distances is %.1f times coarser than triangles, to fit "
                 "into memory",
                 g->cell / wanted);
        g->told_coarse = true;
    }
    return SHOAL_OK;
}

static shoal_status reserve(shl_distance *d)
{
    shl_grid *g = &d->grid;
    const size_t tris = ((const uint32_t *)d->tri_begin.data)[d->body_count];
    const size_t nodes = ((const uint32_t *)d->node_begin.data)[d->body_count];
    const struct {
        shl_array *array;
        size_t bytes;
    } arrays[] = {
        {&g->owners, d->body_count * sizeof(shl_grid_owner)},
        {&g->wanted, nodes},
        {&g->tris, tris * sizeof(shl_cell_tri)},
        {&g->errors, (nodes / SHL_GRID_NODES + 1) * sizeof(double)},
        {&g->upper, tris * sizeof(float)},
        {&g->lower, tris * sizeof(float)},
        {&g->node_lower, nodes * sizeof(float)},
    };
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays && st == SHOAL_OK; i++)
        st = shl_array_reserve(arrays[i].array, arrays[i].bytes, 0, d->ports->allocator);
    for (uint32_t i = 0; i < d->ports->workers && st == SHOAL_OK; i++)
        st = shl_array_reserve(&d->scratch[i].boxes,
                               (d->body_count / SHL_LANES + 1) * sizeof(shl_block), 0,
                               d->ports->allocator);
    return st;
}

shoal_status shl_grid_plan(shl_distance *d)
{
    shl_grid *g = &d->grid;
    double side[3];
    if (d->body_count < 2 || !bounding_box(d, g->origin, side))
        return SHOAL_OK;
    shoal_status st = fit(d, side);
    if (st == SHOAL_OK)
        st = reserve(d);
    if (st != SHOAL_OK)
        return st;
    shl_grid_set_owners(d);
    g->used = true;
    g->on_gpu = g->with == SHL_WITH_GPU;
    g->cull_rows = g->body_rows = d->body_count;
    g->tri_rows = ((const uint32_t *)d->node_begin.data)[d->body_count];
    return SHOAL_OK;
}
