// SPDX-License-Identifier: MIT
#include "runtime/trees/reduced.h"
#include "runtime/trees/pieces.h"

#include "kernels/reduced/reduced_open.h"
#include "kernels/round.h"

#include <math.h>
#include <string.h>

// What positions or displacements of these vertices are measured: rest is field -1.
typedef struct column {
    const shl_below *of;
    int field;
} column;

static void value_at(const column *c, uint32_t i, double out[3])
{
    shl_below_value(c->of, c->field, i, out);
}

float shl_upwards(double x)
{
    return shl_round_up(x * (1 + 0x1p-49));
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Middle of the box of all values.
static void mid_range(const column *c, double out[3])
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < c->of->count; i++) {
        double v[3];
        value_at(c, i, v);
        for (int k = 0; k < 3; k++) {
            lo[k] = v[k] < lo[k] ? v[k] : lo[k];
            hi[k] = v[k] > hi[k] ? v[k] : hi[k];
        }
    }
    for (int k = 0; k < 3; k++)
        out[k] = (float)(0.5 * lo[k] + 0.5 * hi[k]);
}

static double radius(const column *c, const double from[3], double farthest[3])
{
    double most = -1;
    for (uint32_t i = 0; i < c->of->count; i++) {
        double v[3], d[3];
        value_at(c, i, v);
        for (int k = 0; k < 3; k++)
            d[k] = v[k] - from[k];
        const double r = length(d);
        if (r > most) {
            most = r;
            memcpy(farthest, v, sizeof v);
        }
    }
    return most;
}

// Towards the centre of the smallest ball, by steps to the farthest value (Badoiu & Clarkson
// 2003); the best one seen. Any centre gives a valid bound.
static double ball(const column *c, double out[3])
{
    enum { ROUNDS = 24 };
    double centre[3], far[3] = {0};
    mid_range(c, out);
    double best = radius(c, out, far);
    memcpy(centre, out, sizeof centre);
    for (int round = 1; round <= ROUNDS; round++) {
        for (int k = 0; k < 3; k++)
            centre[k] = (float)(centre[k] + (far[k] - centre[k]) / (round + 1));
        const double r = radius(c, centre, far);
        if (r < best) {
            best = r;
            memcpy(out, centre, sizeof centre);
        }
    }
    return best;
}

double shl_below_ball(const shl_below *below, int field, double centre[3])
{
    const column c = {below, field};
    return ball(&c, centre);
}

static void half_box(const column *c, const double centre[3], double half[3])
{
    half[0] = half[1] = half[2] = 0;
    for (uint32_t i = 0; i < c->of->count; i++) {
        double v[3];
        value_at(c, i, v);
        for (int k = 0; k < 3; k++)
            half[k] = fmax(half[k], fabs(v[k] - centre[k]));
    }
}

void shl_below_box(const shl_below *below, int field, double centre[3], double half[3])
{
    const column c = {below, field};
    mid_range(&c, centre);
    half_box(&c, centre, half);
}

// Where the rows of one child are in a block.
static void put(float *block, uint32_t row, uint32_t lane, const double *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        block[(row + i) * SHL_LANES + lane] = (float)values[i];
}

static void put_up(float *block, uint32_t row, uint32_t lane, const double *bounds,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        block[(row + i) * SHL_LANES + lane] = shl_upwards(bounds[i]);
}

static void spheres(const shl_below *b, uint32_t lane, float *block)
{
    for (int field = -1; field < (int)b->model->field_count; field++) {
        const column c = {b, field};
        double centre[3];
        const double r = ball(&c, centre);
        const uint32_t row = 4 * (uint32_t)(field + 1);
        put(block, row, lane, centre, 3);
        put_up(block, row + 3, lane, &r, 1);
    }
}

static void boxes(const shl_below *b, uint32_t lane, float *block)
{
    for (int field = -1; field < (int)b->model->field_count; field++) {
        double centre[3], half[3];
        shl_below_box(b, field, centre, half);
        const uint32_t row = 6 * (uint32_t)(field + 1);
        put(block, row, lane, centre, 3);
        put_up(block, row + 3, lane, half, 3);
    }
}

// --- The whole. ---

typedef void child_fn(const shl_below *b, uint32_t lane, float *block);
static child_fn *const child_bounds[SHL_BOUNDS_COUNT] = {spheres, boxes, shl_below_affine};

void shl_below_bounds(const shl_below *b, shl_bounds bounds, uint32_t lane, float *block)
{
    child_bounds[bounds](b, lane, block);
}

static void copy_rows(const shl_tree *tree, const shl_reduced_input *in, shl_reduced *r)
{
    const size_t fields = r->field_count, vertices = r->vertex_count;
    for (size_t row = 0; row < vertices; row++) {
        const size_t v = tree->order[row];
        memcpy(r->rest + 3 * row, in->xyz + 3 * v, 3 * sizeof *r->rest);
        for (size_t j = 0; j < fields; j++)
            memcpy(r->fields + 3 * (row * fields + j), in->fields + 3 * (j * vertices + v),
                   3 * sizeof *r->fields);
    }
    for (size_t i = 0; i < 3 * vertices; i++) {
        r->extent = fmax(r->extent, fabs(r->rest[i]));
        for (size_t j = 0; j < fields; j++) {
            const float u = r->fields[3 * (i / 3 * fields + j) + i % 3];
            r->field_extent[j] = fmax(r->field_extent[j], fabs((double)u));
        }
    }
}

static void find_corners(const shl_tree *tree, shl_reduced *r)
{
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const uint32_t *list = tree->list + tree->list_begin[n];
        for (uint32_t i = 0; tree->leaf[n] && i < 3u * tree->count[n]; i++) {
            const uint32_t row = tree->first[n] + i / 3;
            uint32_t at = 0;
            while (list[at] != tree->tri[row].v[i % 3])
                at++;
            r->local[row].v[i % 3] = at;
            r->local[row].id = tree->tri[row].id;
        }
    }
}

void shl_below_add(shl_below *b, const shl_tree *t, uint32_t node)
{
    for (uint32_t v = t->vertex_begin[node]; v < t->vertex_end[node]; v++)
        b->rows[b->count++] = v;
    for (uint32_t i = t->list_begin[node]; i < t->list_begin[node + 1]; i++)
        b->rows[b->count++] = t->list[i];
}

// The largest factor by which U_i, three rows of M, can lengthen a vector: the root of the
// largest eigenvalue of U U^T, by the formula for symmetric 3 x 3 matrices, and some room.
static double gain(const float *u, uint32_t fields)
{
    double g[9] = {0};
    for (uint32_t j = 0; j < fields; j++) {
        for (int k = 0; k < 9; k++)
            g[k] += (double)u[3 * j + (uint32_t)k / 3] * (double)u[3 * j + (uint32_t)k % 3];
    }
    const double mean = (g[0] + g[4] + g[8]) / 3, off = g[1] * g[1] + g[2] * g[2] + g[5] * g[5];
    double spread = 2 * off;
    for (int k = 0; k < 9; k += 4)
        spread += (g[k] - mean) * (g[k] - mean);
    // three numbers with these squares: none is farther from the mean
    const double most = mean + sqrt(spread * (2.0 / 3));
    return sqrt(most) * (1 + 0x1p-20);
}

static void bound_motion(const shl_below *b, uint32_t lane, float *delta)
{
    const shl_reduced *m = b->model;
    double most = 0;
    for (uint32_t i = 0; i < b->count; i++)
        most = fmax(most,
                    gain(m->fields + 3 * (size_t)b->rows[i] * m->field_count, m->field_count));
    delta[lane] = shl_upwards(most);
}

static void bound_nodes(const shl_tree *t, shl_reduced *r, uint32_t *scratch)
{
    uint32_t block = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->leaf[n])
            continue;
        r->block_of[n] = block++;
        float *out = r->blocks + (size_t)r->block_of[n] * r->block_floats;
        for (uint32_t lane = 0; lane < t->count[n]; lane++) {
            const uint32_t child = t->first[n] + lane;
            shl_below b = {r, scratch, 0};
            shl_below_add(&b, t, child);
            shl_below_bounds(&b, r->bounds, lane, out);
            bound_motion(&b, lane, r->delta + (size_t)SHL_LANES * r->block_of[n]);
        }
    }
}

// Contact spheres and room for all; rounding is to the nearest.
static shoal_status build(const shl_tree *tree, const shl_reduced_input *input,
                          const shoal_allocator *allocator, shl_pieces *pieces,
                          uint32_t *scratch, shl_reduced *out)
{
    shoal_status st = SHOAL_OK;
    if (input->sphere_level >= 0) {
        st = shl_pieces_make(pieces, tree, input, (uint32_t)input->sphere_level, allocator);
        if (st != SHOAL_OK)
            return st;
        out->sphere_count = pieces->count;
        out->sphere_nodes = shl_sphere_nodes(pieces);
    }
    st = shl_reduced_reserve(out, allocator);
    if (st != SHOAL_OK)
        return st;
    copy_rows(tree, input, out);
    double most = out->extent;
    for (uint32_t j = 0; j < out->field_count; j++)
        most = fmax(most, out->field_extent[j]);
    if (!(most <= SHL_REDUCED_MAX))
        return SHOAL_ERR_LIMIT;
    find_corners(tree, out);
    bound_nodes(tree, out, scratch);
    return out->sphere_count ? shl_spheres_build(pieces, allocator, out) : SHOAL_OK;
}

shoal_status shl_reduced_build(const shl_tree *tree, const shl_reduced_input *input,
                               const shoal_allocator *allocator, shl_reduced *out)
{
    *out = (shl_reduced){
        .field_count = input->field_count,
        .vertex_count = tree->vertex_count,
        .triangle_count = tree->triangle_count,
        .node_count = tree->node_count,
        .block_count = tree->node_count - tree->leaf_count,
        .bounds = input->bounds,
    };
    out->block_floats = SHL_LANES * (shl_bounds_rest_rows(input->bounds) +
                                     shl_bounds_field_rows(input->bounds) * input->field_count);
    // lists hold vertices that a node does not own, and padding
    const size_t scratch_bytes =
        ((size_t)tree->vertex_count + SHL_LEAF_LIST_MIN + SHL_LEAF_VERTICES) * sizeof(uint32_t);
    uint32_t *scratch = shl_alloc(allocator, scratch_bytes);
    shl_pieces pieces = {0};
    shoal_status st = SHOAL_ERR_MEMORY;
    if (scratch)
        st = build(tree, input, allocator, &pieces, scratch, out);
    shl_piece_list_finish(&pieces, allocator);
    shl_free(allocator, scratch, scratch_bytes);
    if (st != SHOAL_OK)
        shl_reduced_finish(out, allocator);
    return st;
}
