// SPDX-License-Identifier: MIT
// For every leaf and every node of leaves: is the surface around it a sheet over a rectangle?
//
// Let T be the triangles that can be reached from the node's own through edges, while their
// boxes in the u plane overlap the inside D of the rectangle. u is one-to-one on T over D if
// * all triangles of T have the same strict sense in the u plane,
// * no edge with any but two triangles, one each way, has a box that overlaps D, and
// * some point of D lies in one triangle of T only.
// For on a path in D that avoids vertices the number of triangles above a point changes
// nowhere: at an edge within D one triangle ends and the one beyond begins on the other side,
// being of the same sense; and that one is in T, since its box contains the edge. So it is 1
// throughout, and at edges and vertices in D too, where more would be more nearby.
#include "runtime/trees/self_cull.h"

#include "kernels/tri/leaf_gradients.h"

#include <math.h>
#include <string.h>

static const double sure =
    0x1p-20; // of a sum of two products in double, whose error is far less
enum { TRIANGLES_AT_MOST = 4096 }; // in a cover

typedef struct rectangle {
    double lo[2], hi[2];
} rectangle;

// Triangles.
typedef struct range {
    uint32_t begin, end;
} range;

// A growing list of rows.
typedef struct list {
    shl_array rows;
    size_t count;
} list;

typedef struct builder {
    const shl_tree *tree;
    const double *rest;
    const shoal_allocator *allocator;
    shl_mesh_links links;
    shl_certificate *out;
    uint32_t *seen_triangle, *seen_node; // [triangle_count], [node_count] stamps
    uint32_t *queue;                     // [TRIANGLES_AT_MOST]
    uint32_t queued, stamp;
    list cover, near;
} builder;

static const double *corner(const builder *b, uint32_t row, int k)
{
    return b->rest + 3 * (size_t)b->tree->tri[row].v[k];
}

// The axes that are left without `axis`, in cyclic order.
static int left(int axis, int i)
{
    return (axis + 1 + i) % 3;
}

static shoal_status push(const builder *b, list *l, uint32_t row)
{
    const size_t size = sizeof row;
    if (l->count == UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    if (l->rows.capacity < (l->count + 1) * size) {
        const shoal_status st = shl_array_reserve(&l->rows, 2 * (l->count + 32) * size,
                                                  l->count * size, b->allocator);
        if (st != SHOAL_OK)
            return st;
    }
    ((uint32_t *)l->rows.data)[l->count++] = row;
    return SHOAL_OK;
}

// Side of p with respect to the line from q to r: 1 or -1 if rounding cannot change it, else 0.
static int side(int axis, const double *p, const double *q, const double *r)
{
    const int i = left(axis, 0), j = left(axis, 1);
    const double one = (q[i] - p[i]) * (r[j] - p[j]), two = (q[j] - p[j]) * (r[i] - p[i]);
    const double limit = sure * (fabs(one) + fabs(two)) + 0x1p-900;
    return one - two > limit ? 1 : one - two < -limit ? -1 : 0;
}

static int sense(const builder *b, int axis, uint32_t row)
{
    return side(axis, corner(b, row, 0), corner(b, row, 1), corner(b, row, 2));
}

static rectangle nothing(void)
{
    return (rectangle){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
}

static void include(rectangle *r, int axis, const double *p)
{
    for (int i = 0; i < 2; i++) {
        r->lo[i] = fmin(r->lo[i], p[left(axis, i)]);
        r->hi[i] = fmax(r->hi[i], p[left(axis, i)]);
    }
}

// Does a closed box meet the inside of a rectangle?
static bool meets(const rectangle *box, const rectangle *inside)
{
    return box->lo[0] < inside->hi[0] && box->hi[0] > inside->lo[0] &&
           box->lo[1] < inside->hi[1] && box->hi[1] > inside->lo[1];
}

static rectangle box_of(const builder *b, int axis, uint32_t row)
{
    rectangle r = nothing();
    for (int k = 0; k < 3; k++)
        include(&r, axis, corner(b, row, k));
    return r;
}

// Triangles of a leaf, or of all leaves below a node of leaves: one range.
static range triangles_of(const shl_tree *t, uint32_t node)
{
    if (t->leaf[node])
        return (range){t->first[node], t->first[node] + t->count[node]};
    const uint32_t last = t->first[node] + t->count[node] - 1u;
    return (range){t->first[t->first[node]], t->first[last] + t->count[last]};
}

// The node of the same kind that a leaf belongs to, or SHL_NO_ROW.
static uint32_t owner(const shl_tree *t, uint32_t leaf, bool leaves)
{
    if (leaves)
        return leaf;
    return leaf != 0 && !t->inner[t->parent[leaf]] ? t->parent[leaf] : SHL_NO_ROW;
}

// --- Gradients. ---

static int steepest(const builder *b, range rows)
{
    double sum[3] = {0, 0, 0};
    for (uint32_t row = rows.begin; row < rows.end; row++) {
        const double *p = corner(b, row, 0), *q = corner(b, row, 1), *r = corner(b, row, 2);
        for (int k = 0; k < 3; k++) {
            const int i = left(k, 0), j = left(k, 1);
            sum[k] += fabs((q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]));
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        axis = sum[k] > sum[axis] ? k : axis;
    return axis;
}

// The inverse of a triangle's edges in the u plane. False if it is beyond what the bound of the
// gradients allows: `side` has made sure that no sum below has lost more than a few bits.
static bool invert(const builder *b, int axis, uint32_t row, float out[4])
{
    const double *p = corner(b, row, 0), *q = corner(b, row, 1), *r = corner(b, row, 2);
    const int i = left(axis, 0), j = left(axis, 1);
    const double a[2] = {q[i] - p[i], q[j] - p[j]}, c[2] = {r[i] - p[i], r[j] - p[j]};
    const double det = a[0] * c[1] - a[1] * c[0];
    const double inverse[4] = {c[1] / det, -c[0] / det, -a[1] / det, a[0] / det};
    for (int k = 0; k < 4; k++) {
        out[k] = (float)inverse[k];
        const double size = fabs(inverse[k]);
        if (size != 0 && !(size > SHL_INVERSE_MIN && size < SHL_INVERSE_MAX))
            return false;
    }
    return true;
}

static void invert_leaves(const builder *b)
{
    const shl_tree *t = b->tree;
    uint32_t slot = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        b->out->axis[n] = SHL_NO_AXIS;
        if (!t->leaf[n])
            continue;
        // brothers have the same axis where they can, as they need the same
        const uint32_t above = owner(t, n, false);
        const int axis = steepest(b, triangles_of(t, above == SHL_NO_ROW ? n : above));
        bool good = true;
        float *inverse = b->out->inverse + (size_t)slot * 4 * SHL_LANES;
        for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
            const uint32_t row = t->first[n] + (lane < t->count[n] ? lane : t->count[n] - 1u);
            float of_row[4];
            good = good && sense(b, axis, row) != 0 && invert(b, axis, row, of_row);
            for (int k = 0; good && k < 4; k++)
                inverse[k * SHL_LANES + lane] = of_row[k];
        }
        b->out->axis[n] = (uint8_t)(good ? axis : SHL_NO_AXIS);
        b->out->slot[n] = slot++;
    }
}

// --- Covers. ---

// Marks the node and lists those of its kind and axis that share a vertex; the rectangle holds
// all of them.
static shoal_status find_neighbours(builder *b, uint32_t node, int axis, rectangle *inside)
{
    const shl_tree *t = b->tree;
    const range own = triangles_of(t, node);
    b->seen_node[node] = b->stamp;
    for (uint32_t row = own.begin; row < own.end; row++) {
        for (int k = 0; k < 3; k++) {
            include(inside, axis, corner(b, row, k));
            const uint32_t v = t->tri[row].v[k];
            for (uint32_t i = b->links.begin[v]; i < b->links.begin[v + 1]; i++) {
                const uint32_t leaf = b->links.leaf_of[b->links.around[i]];
                const uint32_t other = owner(t, leaf, t->leaf[node]);
                if (other == SHL_NO_ROW || b->seen_node[other] == b->stamp ||
                    b->out->axis[leaf] != axis)
                    continue;
                b->seen_node[other] = b->stamp;
                const shoal_status st = push(b, &b->near, other);
                if (st != SHOAL_OK)
                    return st;
            }
        }
    }
    return SHOAL_OK;
}

static bool enter(builder *b, uint32_t row, int axis, int wanted)
{
    if (b->seen_triangle[row] == b->stamp)
        return true;
    if (b->queued == TRIANGLES_AT_MOST || b->out->axis[b->links.leaf_of[row]] != axis ||
        sense(b, axis, row) != wanted)
        return false;
    b->seen_triangle[row] = b->stamp;
    b->queue[b->queued++] = row;
    return true;
}

// Collects T in the queue. False if something stands against it.
static bool collect(builder *b, uint32_t node, int axis, const rectangle *inside)
{
    const range own = triangles_of(b->tree, node);
    const int wanted = sense(b, axis, own.begin);
    b->queued = 0;
    for (uint32_t row = own.begin; row < own.end; row++) {
        if (!enter(b, row, axis, wanted))
            return false;
    }
    for (uint32_t i = 0; i < b->queued; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t row = b->queue[i], beyond = b->links.across[3 * (size_t)row + k];
            rectangle box = nothing();
            if (beyond != SHL_NO_ROW) {
                box = box_of(b, axis, beyond);
            } else {
                include(&box, axis, corner(b, row, k));
                include(&box, axis, corner(b, row, (k + 1) % 3));
            }
            if (meets(&box, inside) &&
                (beyond == SHL_NO_ROW || !enter(b, beyond, axis, wanted)))
                return false;
        }
    }
    return true;
}

// Does a point near the middle of the first triangle lie in no other of T?
static bool once(const builder *b, int axis)
{
    const uint32_t first = b->queue[0];
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = (corner(b, first, 0)[k] + corner(b, first, 1)[k] + corner(b, first, 2)[k]) / 3;
    const int wanted = sense(b, axis, first);
    for (uint32_t i = 0; i < b->queued; i++) {
        bool within = true, outside = false;
        for (int k = 0; k < 3; k++) {
            const int s =
                side(axis, p, corner(b, b->queue[i], k), corner(b, b->queue[i], (k + 1) % 3));
            within &= s == wanted;
            outside |= s == -wanted;
        }
        if (i == 0 ? !within : !outside)
            return false;
    }
    return true;
}

// Lists the marked leaves of T; all leaves of one node as that node.
static shoal_status list_cover(builder *b)
{
    const shl_tree *t = b->tree;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < b->queued && st == SHOAL_OK; i++) {
        const uint32_t leaf = b->links.leaf_of[b->queue[i]], above = owner(t, leaf, false);
        if (b->seen_node[leaf] != b->stamp)
            continue; // listed already
        bool all = above != SHL_NO_ROW;
        for (uint32_t k = 0; all && k < t->count[above]; k++)
            all = b->seen_node[t->first[above] + k] == b->stamp;
        for (uint32_t k = 0; all && k < t->count[above]; k++)
            b->seen_node[t->first[above] + k] = 0;
        b->seen_node[leaf] = 0;
        st = push(b, &b->cover, all ? above : leaf);
    }
    return st;
}

// Only the near nodes remain that lie in T altogether; then the leaves of T are the cover.
static shoal_status contained_neighbours(builder *b, size_t near_begin)
{
    uint32_t *near = b->near.rows.data;
    size_t kept = near_begin;
    for (size_t i = near_begin; i < b->near.count; i++) {
        const range rows = triangles_of(b->tree, near[i]);
        bool all = true;
        for (uint32_t row = rows.begin; row < rows.end; row++)
            all &= b->seen_triangle[row] == b->stamp;
        if (all)
            near[kept++] = near[i];
    }
    b->near.count = kept;
    b->stamp++;
    for (uint32_t i = 0; i < b->queued; i++)
        b->seen_node[b->links.leaf_of[b->queue[i]]] = b->stamp;
    return list_cover(b);
}

static shoal_status cover(builder *b, uint32_t node)
{
    const shl_tree *t = b->tree;
    const int axis = b->out->axis[t->leaf[node] ? node : t->first[node]];
    if (t->inner[node] || axis == SHL_NO_AXIS)
        return SHOAL_OK;
    const size_t near_begin = b->near.count;
    rectangle inside = nothing();
    b->stamp++;
    shoal_status st = find_neighbours(b, node, axis, &inside);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = near_begin; i < b->near.count; i++) {
        const range rows = triangles_of(t, ((const uint32_t *)b->near.rows.data)[i]);
        for (uint32_t row = 3 * rows.begin; row < 3 * rows.end; row++)
            include(&inside, axis, corner(b, row / 3, (int)(row % 3)));
    }
    if (collect(b, node, axis, &inside) && once(b, axis))
        return contained_neighbours(b, near_begin);
    b->near.count = near_begin;
    return SHOAL_OK;
}

static shoal_status cover_all(builder *b)
{
    shl_certificate *out = b->out;
    for (uint32_t n = 0; n < b->tree->node_count; n++) {
        const shoal_status st = cover(b, n);
        if (st != SHOAL_OK)
            return st;
        out->cover_begin[n + 1] = (uint32_t)b->cover.count;
        out->near_begin[n + 1] = (uint32_t)b->near.count;
    }
    out->cover_count = (uint32_t)b->cover.count;
    out->near_count = (uint32_t)b->near.count;
    const shoal_status st = shl_certificate_reserve(out, b->allocator);
    if (st == SHOAL_OK && out->cover)
        memcpy(out->cover, b->cover.rows.data, b->cover.count * sizeof *out->cover);
    if (st == SHOAL_OK && out->near)
        memcpy(out->near, b->near.rows.data, b->near.count * sizeof *out->near);
    return st;
}

shoal_status shl_certificate_build(const shl_tree *tree, const double *rest,
                                   const shoal_allocator *allocator, shl_certificate *out)
{
    *out = (shl_certificate){.node_count = tree->node_count, .leaf_count = tree->leaf_count};
    builder b = {.tree = tree, .rest = rest, .allocator = allocator, .out = out};
    const size_t triangles = tree->triangle_count * sizeof *b.seen_triangle;
    const size_t nodes = tree->node_count * sizeof *b.seen_node;
    const size_t queue = TRIANGLES_AT_MOST * sizeof *b.queue;
    shoal_status st = shl_mesh_links_make(tree, allocator, &b.links);
    b.seen_triangle = shl_zalloc(allocator, triangles);
    b.seen_node = shl_zalloc(allocator, nodes);
    b.queue = shl_alloc(allocator, queue);
    if (!b.seen_triangle || !b.seen_node || !b.queue)
        st = SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        st = shl_certificate_reserve(out, allocator);
    if (st == SHOAL_OK) {
        invert_leaves(&b);
        st = cover_all(&b);
    }
    shl_mesh_links_finish(&b.links, allocator);
    shl_free(allocator, b.seen_triangle, triangles);
    shl_free(allocator, b.seen_node, nodes);
    shl_free(allocator, b.queue, queue);
    shl_array_finish(&b.cover.rows, allocator);
    shl_array_finish(&b.near.rows, allocator);
    if (st != SHOAL_OK)
        shl_certificate_finish(out, allocator);
    return st;
}
