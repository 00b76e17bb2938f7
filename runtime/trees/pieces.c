// SPDX-License-Identifier: MIT
#include "runtime/trees/pieces.h"

#include "kernels/reduced/reduced_open.h"

#include <math.h>
#include <string.h>

enum {
    SLABS = 32,        // across each axis; planes are between them
    FINE_ENOUGH = 128, // triangles a piece, on average: then their ragged rims do not matter
    SIDE_MAX = 2,      // patches that a cut leaves on one side
    CUT_MAX = 3,       // and on both
};

static const double snap = 1e-6; // of a piece: corners that near a plane are on it
static const double uneven = 1;  // what a slice costs more than a half
static const uint32_t none = UINT32_MAX;

// One level on its way to the next.
typedef struct cutter {
    shl_pieces *to;
    const shoal_allocator *allocator;
    shl_array patches; // of the next level
    shl_array right;   // shl_patch: of the piece at hand, beyond the plane
    uint32_t patch_count, right_count;
} cutter;

static const double *point_at(const shl_pieces *p, uint32_t row)
{
    return (const double *)p->rest.data + 3 * (size_t)row;
}

static double along(const shl_pieces *p, uint32_t row, int axis)
{
    return point_at(p, row)[axis];
}

// --- Where to cut. ---

static double area_of(const shl_pieces *p, const shl_patch *t)
{
    const double *a = point_at(p, t->v[0]), *b = point_at(p, t->v[1]),
                 *c = point_at(p, t->v[2]);
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
                 z = u[0] * v[1] - u[1] * v[0];
    return sqrt(x * x + y * y + z * z);
}

// A slab of a piece, or some slabs in a row: how much surface it holds, and its box.
typedef struct slab {
    double area, lo[3], hi[3];
} slab;

static const slab nothing = {
    0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(slab *s, const double lo[3], const double hi[3])
{
    for (int k = 0; k < 3; k++) {
        s->lo[k] = fmin(s->lo[k], lo[k]);
        s->hi[k] = fmax(s->hi[k], hi[k]);
    }
}

static void join(slab *s, const slab *with)
{
    s->area += with->area;
    grow(s, with->lo, with->hi);
}

static slab box_of(const shl_pieces *p, const shl_patch *list, uint32_t count)
{
    slab out = nothing;
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            grow(&out, point_at(p, list[i].v[k]), point_at(p, list[i].v[k]));
    }
    return out;
}

// SLABS slabs across an axis of a piece.
typedef struct ruler {
    int axis;
    double from, scale; // a place in slabs is (x - from) scale
    slab slabs[SLABS];
} ruler;

static double slab_position(const ruler *r, const double x[3])
{
    return (x[r->axis] - r->from) * r->scale;
}

static int slab_at(double position)
{
    return (int)fmin(fmax(position, 0), SLABS - 1);
}

// What slabs hold of an edge.
static void add_edge(ruler *r, const double a[3], const double b[3])
{
    const double *low = slab_position(r, a) < slab_position(r, b) ? a : b,
                 *high = low == a ? b : a;
    const double from = slab_position(r, low), to = slab_position(r, high);
    const int first = slab_at(from), last = slab_at(to);
    double before[3];
    memcpy(before, low, sizeof before);
    for (int i = first; i <= last; i++) {
        double at[3];
        const double t = i < last ? (i + 1 - from) / (to - from) : 1;
        for (int k = 0; k < 3; k++)
            at[k] = (1 - t) * low[k] + t * high[k];
        grow(&r->slabs[i], before, before);
        grow(&r->slabs[i], at, at);
        memcpy(before, at, sizeof before);
    }
}

static void add_patch(const shl_pieces *p, const shl_patch *t, ruler *r)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *a = point_at(p, t->v[i]), *b = point_at(p, t->v[(i + 1) % 3]);
        add_edge(r, a, b);
        lo = fmin(lo, slab_position(r, a));
        hi = fmax(hi, slab_position(r, a));
    }
    const double area = area_of(p, t), part = hi > lo ? area / (hi - lo) : 0;
    const int first = slab_at(lo), last = slab_at(hi);
    for (int i = first; i <= last; i++)
        r->slabs[i].area += first == last ? area : part * (fmin(hi, i + 1) - fmax(lo, i));
}

static double square_of(const double size[3])
{
    return size[0] * size[0] + size[1] * size[1] + size[2] * size[2];
}

// What the boxes of a tree over `parts` parts measure: the squares of their diagonals, if the
// box is always cut across its longest side.
static double cost_of(const slab *s, uint32_t parts)
{
    double size[3], left = parts, boxes = 1;
    for (int k = 0; k < 3; k++)
        size[k] = s->hi[k] - s->lo[k];
    double sum = square_of(size);
    while (left > 1) {
        const int second = size[1] > size[0], axis = size[2] > size[second] ? 2 : second;
        const double by = left < 2 ? left : 2;
        size[axis] /= by;
        boxes *= by;
        sum += boxes * square_of(size);
        left /= 2;
    }
    return sum;
}

typedef struct plane {
    int axis;
    double at, near;
    uint32_t parts; // of those wanted, on the low side
    double cost;
} plane;

// Spheres go where the surface is, and both sides get some.
static uint32_t low_count(double area, double total, uint32_t parts)
{
    const double wanted = total > 0 ? parts * (area / total) + 0.5 : 0.5 * parts;
    return (uint32_t)fmin(fmax(wanted, 1), parts - 1);
}

static void try_axis(const ruler *r, double size, uint32_t parts, plane *best)
{
    slab above[SLABS], below = nothing;
    above[SLABS - 1] = r->slabs[SLABS - 1];
    for (int i = SLABS - 1; i-- > 0;) {
        above[i] = r->slabs[i];
        join(&above[i], &above[i + 1]);
    }
    for (int i = 1; i < SLABS; i++) {
        join(&below, &r->slabs[i - 1]);
        if (!(below.lo[0] <= below.hi[0] && above[i].lo[0] <= above[i].hi[0]))
            continue;
        const uint32_t low = low_count(below.area, above[0].area, parts);
        // halves make a better tree than slices
        const double off = 2.0 * low / parts - 1,
                     even = 1 + uneven * off * off + 1e-3 * fabs(off);
        const double cost = even * (cost_of(&below, low) + cost_of(&above[i], parts - low));
        if (cost < best->cost)
            *best = (plane){r->axis, r->from + i * (size / SLABS), snap * size, low, cost};
    }
}

// Where to cut a piece that is to become `parts` parts.
static plane plane_of(const shl_pieces *p, const shl_patch *list, uint32_t count,
                      uint32_t parts)
{
    const slab whole = box_of(p, list, count);
    plane best = {0, whole.lo[0], 0, parts / 2, INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        const double size = whole.hi[axis] - whole.lo[axis];
        if (!(size > 0))
            continue;
        ruler r = {.axis = axis, .from = whole.lo[axis], .scale = SLABS / size};
        for (int i = 0; i < SLABS; i++)
            r.slabs[i] = nothing;
        for (uint32_t i = 0; i < count; i++)
            add_patch(p, &list[i], &r);
        try_axis(&r, size, parts, &best);
    }
    return best;
}

// --- Cutting. ---

// The point of an edge that is on the plane.
static shoal_status add_point(cutter *c, uint32_t a, uint32_t b, const plane *by, uint32_t *out)
{
    shl_pieces *p = c->to;
    const size_t n = p->point_count, rest = 3 * sizeof(double),
                 field = 3 * (size_t)p->field_count * sizeof(float);
    shoal_status st = shl_array_reserve(&p->rest, (n + 1) * rest, n * rest, c->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&p->fields, (n + 1) * field, n * field, c->allocator);
    if (st != SHOAL_OK)
        return st;
    double *xyz = p->rest.data;
    float *u = p->fields.data;
    const double from = along(p, a, by->axis), to = along(p, b, by->axis);
    const double t = (by->at - from) / (to - from);
    for (size_t k = 0; k < 3; k++)
        xyz[3 * n + k] = (1 - t) * xyz[3 * (size_t)a + k] + t * xyz[3 * (size_t)b + k];
    const size_t scalars = 3 * (size_t)p->field_count;
    for (size_t i = 0; i < scalars; i++)
        u[n * scalars + i] =
            (float)((1 - t) * (double)u[a * scalars + i] + t * (double)u[b * scalars + i]);
    *out = p->point_count++;
    return SHOAL_OK;
}

// The part of a patch on one side: a fan of patches. Returns how many.
static uint32_t take_side(const shl_patch *t, const int side[3], const uint32_t crossing[3],
                          int which, shl_patch *out)
{
    uint32_t corners[4], count = 0, tris = 0;
    for (int i = 0; i < 3; i++) {
        if (side[i] == which || side[i] == 0)
            corners[count++] = t->v[i];
        if (crossing[i] != none)
            corners[count++] = crossing[i];
    }
    for (uint32_t i = 2; i < count; i++)
        out[tris++] = (shl_patch){{corners[0], corners[i - 1], corners[i]}, t->of};
    return tris;
}

// A patch goes to the side it is on, or its parts do; without `exact` to that of its middle.
static shoal_status put_patch(cutter *c, const shl_patch *t, const plane *by, bool exact)
{
    double off[3], sum = 0;
    int side[3], least = 1, most = -1;
    for (int i = 0; i < 3; i++) {
        off[i] = along(c->to, t->v[i], by->axis) - by->at;
        sum += off[i];
        side[i] = (off[i] > by->near) - (off[i] < -by->near);
        least = side[i] < least ? side[i] : least;
        most = side[i] > most ? side[i] : most;
    }
    shl_patch *left = (shl_patch *)c->patches.data + c->patch_count,
              *right = (shl_patch *)c->right.data + c->right_count;
    if (!exact || least == most || least * most == 0) {
        const bool is_left = least + most ? least + most < 0 : sum < 0;
        *(is_left ? left : right) = *t;
        c->patch_count += is_left;
        c->right_count += !is_left;
        return SHOAL_OK;
    }
    uint32_t crossing[3] = {none, none, none};
    for (int i = 0; i < 3; i++) {
        if (side[i] * side[(i + 1) % 3] < 0) {
            const shoal_status st = add_point(c, t->v[i], t->v[(i + 1) % 3], by, &crossing[i]);
            if (st != SHOAL_OK)
                return st;
        }
    }
    c->patch_count += take_side(t, side, crossing, -1, left);
    c->right_count += take_side(t, side, crossing, 1, right);
    return SHOAL_OK;
}

static bool is_whole(const shl_patch *list, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (list[i].of != list[0].of)
            return false;
    }
    return true;
}

// A piece becomes two, or stays as it is. Returns how many in *made.
static shoal_status halve(cutter *c, const shl_piece *piece, uint8_t level, shl_piece halves[2],
                          uint32_t *half_count)
{
    const shl_patch *list = (const shl_patch *)c->to->patches.data + piece->begin;
    const uint32_t count = piece->end - piece->begin, begin = c->patch_count;
    const size_t size = sizeof *list;
    shoal_status st =
        shl_array_reserve(&c->patches, (c->patch_count + CUT_MAX * (size_t)count) * size,
                          c->patch_count * size, c->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&c->right, SIDE_MAX * (size_t)count * size, 0, c->allocator);
    if (st != SHOAL_OK)
        return st;
    *half_count = 1;
    halves[0] = (shl_piece){begin, begin + count, piece->parts, piece->gap};
    if (piece->parts == 1 || is_whole(list, count)) {
        memcpy((shl_patch *)c->patches.data + begin, list, count * size);
        c->patch_count += count;
        halves[0].parts = 1;
        return SHOAL_OK;
    }
    const plane by = plane_of(c->to, list, count, piece->parts);
    const bool exact = count <= (uint64_t)FINE_ENOUGH * piece->parts;
    c->right_count = 0;
    for (uint32_t i = 0; i < count && st == SHOAL_OK; i++)
        st = put_patch(c, &list[i], &by, exact);
    if (st == SHOAL_OK && (c->right_count == 0 || c->patch_count == begin)) {
        // all on one side: any halves will do
        memcpy((shl_patch *)c->patches.data + begin, list, count * size);
        c->patch_count = begin + count / 2;
        c->right_count = count - count / 2;
        memcpy(c->right.data, list + count / 2, c->right_count * size);
    }
    if (st != SHOAL_OK)
        return st;
    memcpy((shl_patch *)c->patches.data + c->patch_count, c->right.data, c->right_count * size);
    halves[0].end = c->patch_count;
    halves[0].parts = by.parts;
    c->patch_count += c->right_count;
    halves[1] = (shl_piece){halves[0].end, c->patch_count, piece->parts - by.parts, level};
    *half_count = 2;
    return SHOAL_OK;
}

static shoal_status halve_level(cutter *c, uint8_t level)
{
    shl_pieces *p = c->to;
    shl_array next = {0};
    shoal_status st =
        shl_array_reserve(&next, 2 * p->count * sizeof(shl_piece), 0, c->allocator);
    uint32_t count = 0;
    c->patch_count = 0;
    for (uint32_t i = 0; i < p->count && st == SHOAL_OK; i++) {
        uint32_t halves = 0;
        st = halve(c, (const shl_piece *)p->pieces.data + i, level,
                   (shl_piece *)next.data + count, &halves);
        count += halves;
    }
    if (st != SHOAL_OK) {
        shl_array_finish(&next, c->allocator);
        return st;
    }
    const shl_array patches = p->patches;
    shl_array_finish(&p->pieces, c->allocator);
    p->pieces = next;
    p->patches = c->patches;
    c->patches = patches;
    p->count = count;
    return SHOAL_OK;
}

// --- The whole surface as one piece. ---

static shoal_status copy_mesh(shl_pieces *p, const shl_tree *tree, const shl_reduced_input *in,
                              uint32_t parts, const shoal_allocator *allocator)
{
    const size_t vertices = tree->vertex_count, fields = in->field_count;
    const uint32_t n = tree->triangle_count;
    *p = (shl_pieces){.count = 1,
                      .point_count = tree->vertex_count,
                      .vertex_count = tree->vertex_count,
                      .field_count = in->field_count};
    shoal_status st = SHL_RESERVE(allocator, {&p->pieces, sizeof(shl_piece)},
                                  {&p->patches, n * sizeof(shl_patch)},
                                  {&p->rest, 3 * vertices * sizeof(double)},
                                  {&p->fields, (3 * vertices * fields + 1) * sizeof(float)});
    if (st != SHOAL_OK)
        return st;
    memcpy(p->rest.data, in->xyz, 3 * vertices * sizeof(double));
    float *u = p->fields.data;
    for (size_t v = 0; v < vertices; v++) {
        for (size_t j = 0; j < fields; j++)
            memcpy(u + 3 * (v * fields + j), in->fields + 3 * (j * vertices + v),
                   3 * sizeof *u);
    }
    shl_patch *patches = p->patches.data;
    for (uint32_t i = 0; i < n; i++) {
        const shl_tri *t = &tree->tri[i];
        patches[t->id].of = t->id;
        for (int k = 0; k < 3; k++) {
            const uint32_t v = tree->order[t->v[k]];
            patches[t->id].v[k] = v;
            for (int axis = 0; axis < 3; axis++) {
                if (!(fabs(along(p, v, axis)) <= SHL_REDUCED_MAX))
                    return SHOAL_ERR_LIMIT;
            }
        }
    }
    *(shl_piece *)p->pieces.data = (shl_piece){0, n, parts, 0};
    return SHOAL_OK;
}

shoal_status shl_pieces_make(shl_pieces *p, const shl_tree *tree, const shl_reduced_input *in,
                             uint32_t level, const shoal_allocator *allocator)
{
    shoal_status st = copy_mesh(p, tree, in, 1u << level, allocator);
    cutter c = {.to = p, .allocator = allocator};
    uint32_t before = 0;
    for (uint32_t i = 0; st == SHOAL_OK && p->count != before; i++) {
        before = p->count;
        st = halve_level(&c, (uint8_t)(i < UINT8_MAX ? i : UINT8_MAX));
    }
    shl_array_finish(&c.patches, allocator);
    shl_array_finish(&c.right, allocator);
    return st;
}

void shl_piece_list_finish(shl_pieces *p, const shoal_allocator *allocator)
{
    shl_array_finish(&p->pieces, allocator);
    shl_array_finish(&p->patches, allocator);
    shl_array_finish(&p->rest, allocator);
    shl_array_finish(&p->fields, allocator);
}
