// SPDX-License-Identifier: MIT
#include "runtime/trees/skinned.h"

#include "kernels/round.h"
#include "kernels/skinned/skinned_open.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What some vertices say of one point.
typedef struct tally {
    double least, most; // of its weights above 0
    double now;         // weight of the vertex that is being looked at
    uint32_t vertices;  // with a weight above 0
    uint32_t vertex1;   // 1 + the last of them
    uint32_t stamp;     // of the child it is about
    uint32_t bounds;    // place in its block, and the block
    uint32_t block1;
} tally;

typedef struct builder {
    const shl_tree *tree;
    shl_skinned *out;
    tally *tally;      // [point_count]
    uint32_t *touched; // [point_count] control points of the child
    uint32_t touched_count;
    uint32_t *united; // [point_count] control points of the block
    uint32_t united_count;
    uint32_t stamp; // of the child
} builder;

static void copy_rows(const shl_tree *tree, const shl_skinned_input *in, shl_skinned *p)
{
    uint32_t at = 0;
    for (size_t row = 0; row < p->vertex_count; row++) {
        const size_t v = tree->order[row];
        memcpy(p->rest + 3 * row, in->xyz + 3 * v, 3 * sizeof *p->rest);
        const uint32_t begin = in->weight_begin[v], count = in->weight_begin[v + 1] - begin;
        p->weight_begin[row] = at;
        memcpy(p->weight_point + at, in->weight_point + begin,
               count * sizeof *in->weight_point);
        memcpy(p->weight + at, in->weight + begin, count * sizeof *in->weight);
        at += count;
    }
    p->weight_begin[p->vertex_count] = at;
    memcpy(p->at, in->at, 3 * (size_t)p->point_count * sizeof *p->at);
}

// Where a vertex is among those of a node: its range comes first, then its list.
static uint32_t index_of(const shl_tree *tree, uint32_t node, uint32_t vertex)
{
    const uint32_t begin = tree->vertex_begin[node], end = tree->vertex_end[node];
    if (vertex >= begin && vertex < end)
        return vertex - begin;
    uint32_t at = tree->list_begin[node];
    while (tree->list[at] != vertex)
        at++;
    return end - begin + at - tree->list_begin[node];
}

// Corners of triangles as places among the vertices that are evaluated together: those of the
// node above a leaf, if all its children are leaves, or of the leaf alone.
static void find_corners(const shl_tree *tree, shl_skinned *p)
{
    for (uint32_t n = 0; n < tree->node_count; n++) {
        const uint32_t above = tree->parent[n],
                       node = tree->leaf[above] || tree->inner[above] ? n : above;
        for (uint32_t i = 0; tree->leaf[n] && i < 3u * tree->count[n]; i++) {
            const uint32_t row = tree->first[n] + i / 3;
            p->local[row].v[i % 3] = index_of(tree, node, tree->tri[row].v[i % 3]);
            p->local[row].id = tree->tri[row].id;
        }
    }
}

static void measure_rest(const shl_tree *tree, shl_skinned *p)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)tree->used_vertices; i++) {
        lo[i % 3] = fmin(lo[i % 3], p->rest[i]);
        hi[i % 3] = fmax(hi[i % 3], p->rest[i]);
        p->extent = fmax(p->extent, fabs(p->rest[i]));
    }
    for (int k = 0; k < 3; k++) {
        p->middle[k] = (float)(0.5 * lo[k] + 0.5 * hi[k]);
        p->half[k] = fmax(hi[k] - p->middle[k], p->middle[k] - lo[k]) * (1 + 0x1p-50);
    }
}

// Adds the weights of one vertex, and lists control points that are new to the child.
static void add_vertex(builder *b, uint32_t row)
{
    const shl_skinned *p = b->out;
    const uint32_t begin = p->weight_begin[row], end = p->weight_begin[row + 1];
    for (uint32_t e = begin; e < end; e++) {
        tally *t = &b->tally[p->weight_point[e]];
        if (t->vertex1 != row + 1)
            t->now = 0;
        t->vertex1 = row + 1;
        t->now += (double)p->weight[e];
    }
    for (uint32_t e = begin; e < end; e++) {
        tally *t = &b->tally[p->weight_point[e]];
        if (t->vertex1 != row + 1 || !(t->now > 0))
            continue; // seen already, or nothing
        t->vertex1 = 0;
        if (t->stamp != b->stamp) {
            t->stamp = b->stamp;
            t->least = t->most = t->now;
            t->vertices = 0;
            b->touched[b->touched_count++] = p->weight_point[e];
        }
        t->least = fmin(t->least, t->now);
        t->most = fmax(t->most, t->now);
        t->vertices++;
    }
}

// All vertices below a node; returns how many, some of them more than once.
static uint32_t add_below(builder *b, uint32_t node)
{
    const shl_tree *t = b->tree;
    b->stamp++;
    b->touched_count = 0;
    for (uint32_t v = t->vertex_begin[node]; v < t->vertex_end[node]; v++)
        add_vertex(b, v);
    for (uint32_t i = t->list_begin[node]; i < t->list_begin[node + 1]; i++)
        add_vertex(b, t->list[i]);
    return t->vertex_end[node] - t->vertex_begin[node] + t->list_begin[node + 1] -
           t->list_begin[node];
}

static uint16_t least_of(const tally *t, uint32_t vertices)
{
    return t->vertices < vertices ? 0 : (uint16_t)floor(t->least * SHL_WEIGHT_ONE);
}

static uint16_t most_of(const tally *t)
{
    return (uint16_t)ceil(t->most * SHL_WEIGHT_ONE);
}

// --- What is known of each point over all vertices. ---

static void measure_points(builder *b)
{
    shl_skinned *p = b->out;
    double(*box)[6] = (double(*)[6])(b->tally + p->point_count); // lo, hi
    for (uint32_t j = 0; j < p->point_count; j++) {
        for (int k = 0; k < 3; k++) {
            box[j][k] = INFINITY;
            box[j][3 + k] = -INFINITY;
        }
    }
    for (uint32_t row = 0; row < p->vertex_count; row++) {
        const double *v = p->rest + 3 * (size_t)row;
        double sum = 0;
        for (uint32_t e = p->weight_begin[row]; e < p->weight_begin[row + 1]; e++) {
            const uint32_t j = p->weight_point[e];
            const double *x = p->at + 3 * (size_t)j;
            sum += (double)p->weight[e];
            if (!(p->weight[e] > 0))
                continue;
            const double far = hypot(hypot(v[0] - x[0], v[1] - x[1]), v[2] - x[2]);
            p->support[j] = fmax(p->support[j], far * (1 + 0x1p-40));
            for (int k = 0; k < 3 && row < b->tree->used_vertices; k++) {
                box[j][k] = fmin(box[j][k], v[k] - p->middle[k]);
                box[j][3 + k] = fmax(box[j][3 + k], v[k] - p->middle[k]);
            }
        }
        const double count = p->weight_begin[row + 1] - p->weight_begin[row];
        if (row < b->tree->used_vertices)
            p->off = fmax(p->off, fabs(1 - sum) + 0x1p-40 + 0x1p-52 * count);
        p->rounding = fmax(p->rounding, 0x1p-44 + 1.01 * 0x1p-53 * (count + 8));
    }
    const uint32_t vertices = add_below(b, 0);
    for (uint32_t i = 0; i < b->touched_count; i++) {
        const uint32_t j = b->touched[i];
        const tally *t = &b->tally[j];
        const uint16_t least = least_of(t, vertices);
        p->zone[shl_group_at(j, SHL_ZONE_ROWS, 6)] = (float)least / SHL_WEIGHT_ONE;
        p->zone[shl_group_at(j, SHL_ZONE_ROWS, 7)] =
            (float)(most_of(t) - least) / SHL_WEIGHT_ONE;
        for (size_t k = 0; k < 3; k++) {
            const double *at = box[j], mid = (float)(0.5 * at[k] + 0.5 * at[3 + k]);
            const double half = fmax(at[3 + k] - mid, mid - at[k]) + 0x1p-50 * p->half[k];
            p->zone[shl_group_at(j, SHL_ZONE_ROWS, k)] = (float)mid;
            p->zone[shl_group_at(j, SHL_ZONE_ROWS, 3 + k)] = shl_round_up(half * (1 + 0x1p-50));
        }
    }
}

// --- Nodes. ---

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Lists the control points that act on some child of a node, ascending.
static void unite(builder *b, uint32_t node)
{
    const shl_tree *t = b->tree;
    const uint32_t block1 = b->out->block_of[node] + 1;
    b->united_count = 0;
    for (uint32_t lane = 0; lane < t->count[node]; lane++) {
        add_below(b, t->first[node] + lane);
        for (uint32_t i = 0; i < b->touched_count; i++) {
            tally *of = &b->tally[b->touched[i]];
            if (of->block1 != block1)
                b->united[b->united_count++] = b->touched[i];
            of->block1 = block1;
        }
    }
    qsort(b->united, b->united_count, sizeof *b->united, by_number);
    for (uint32_t i = 0; i < b->united_count; i++)
        b->tally[b->united[i]].bounds = i;
}

static void fill_weight_bounds(builder *b, uint32_t node)
{
    const shl_tree *t = b->tree;
    shl_skinned *p = b->out;
    const uint32_t begin = p->bounds_begin[p->block_of[node]];
    memcpy(p->bounds_point + begin, b->united, b->united_count * sizeof *b->united);
    for (uint32_t lane = 0; lane < t->count[node]; lane++) {
        const uint32_t vertices = add_below(b, t->first[node] + lane);
        for (uint32_t i = 0; i < b->touched_count; i++) {
            const tally *of = &b->tally[b->touched[i]];
            shl_weight_bounds *bounds = &p->weight_bounds[begin + of->bounds];
            bounds->least[lane] = least_of(of, vertices);
            bounds->most[lane] = most_of(of);
        }
    }
}

static void stretch(const shl_skinned *p, uint32_t row, double most[SHL_EXTENTS])
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = p->rest[3 * (size_t)row + (size_t)k] - p->middle[k];
    const double slack = 0x1p-48 * (p->half[0] + p->half[1] + p->half[2]);
    for (int i = 0; i < SHL_EXTENTS; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        most[i] = fmax(most[i], x * v[0] + y * v[1] + z * v[2] + slack);
    }
}

static void fill_extents(const builder *b, uint32_t node)
{
    const shl_tree *t = b->tree;
    shl_skinned *p = b->out;
    float *out = p->extents + (size_t)p->block_of[node] * SHL_EXTENTS * SHL_LANES;
    for (uint32_t lane = 0; lane < t->count[node]; lane++) {
        const uint32_t child = t->first[node] + lane;
        double most[SHL_EXTENTS];
        for (int i = 0; i < SHL_EXTENTS; i++)
            most[i] = -INFINITY;
        for (uint32_t v = t->vertex_begin[child]; v < t->vertex_end[child]; v++)
            stretch(p, v, most);
        for (uint32_t i = t->list_begin[child]; i < t->list_begin[child + 1]; i++)
            stretch(p, t->list[i], most);
        for (int i = 0; i < SHL_EXTENTS; i++)
            out[i * SHL_LANES + (int)lane] = shl_round_up(most[i]);
    }
}

static shoal_status bound_nodes(builder *b, const shoal_allocator *allocator)
{
    const shl_tree *t = b->tree;
    shl_skinned *p = b->out;
    uint32_t block = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->leaf[n])
            continue;
        p->node_of[block] = n;
        p->block_of[n] = block++;
        unite(b, n);
        p->bounds_begin[block] = p->bounds_begin[block - 1] + b->united_count;
        p->bounds_most = b->united_count > p->bounds_most ? b->united_count : p->bounds_most;
    }
    p->bounds_count = p->bounds_begin[block];
    const shoal_status st = shl_skinned_reserve(p, allocator);
    for (uint32_t i = 0; i < p->point_count; i++)
        b->tally[i].block1 = 0;
    for (uint32_t n = 0; n < t->node_count && st == SHOAL_OK; n++) {
        if (t->leaf[n])
            continue;
        unite(b, n);
        fill_weight_bounds(b, n);
        fill_extents(b, n);
    }
    return st;
}

static double farthest(const double *v, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

shoal_status shl_skinned_build(const shl_tree *tree, const shl_skinned_input *input,
                               const shoal_allocator *allocator, shl_skinned *out)
{
    const size_t skinned = input->point_count;
    *out = (shl_skinned){
        .point_count = input->point_count,
        .padded = (input->point_count + SHL_LANES - 1) / SHL_LANES * SHL_LANES,
        .vertex_count = tree->vertex_count,
        .triangle_count = tree->triangle_count,
        .node_count = tree->node_count,
        .block_count = tree->node_count - tree->leaf_count,
        .weight_count = input->weight_begin[tree->vertex_count],
        .blend = input->blend,
        .region = input->region,
    };
    // tallies, boxes of control points, two lists
    const size_t bytes = skinned * (sizeof(tally) + 6 * sizeof(double) + 2 * sizeof(uint32_t));
    char *memory = shl_zalloc(allocator, bytes);
    shoal_status st = shl_skinned_reserve(out, allocator);
    if (!memory)
        st = SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        copy_rows(tree, input, out);
        measure_rest(tree, out);
        const double most = fmax(farthest(out->rest, 3 * (size_t)out->vertex_count),
                                 farthest(out->at, 3 * skinned));
        st = most <= SHL_SKINNED_MAX ? SHOAL_OK : SHOAL_ERR_LIMIT;
    }
    if (st == SHOAL_OK) {
        uint32_t *lists = (uint32_t *)(memory + skinned * (sizeof(tally) + 6 * sizeof(double)));
        builder b = {tree, out, (tally *)memory, lists, 0, lists + skinned, 0, 0};
        find_corners(tree, out);
        measure_points(&b);
        st = bound_nodes(&b, allocator);
    }
    shl_free(allocator, memory, bytes);
    if (st != SHOAL_OK)
        shl_skinned_finish(out, allocator);
    return st;
}
