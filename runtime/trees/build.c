// SPDX-License-Identifier: MIT
#include "runtime/trees/build.h"

#include <math.h>
#include <string.h>

// A range of triangles that becomes one node: [begin, end) of each of the three sorted lists.
typedef struct part {
    uint32_t begin, end;
    double area; // half the surface of its box
} part;

typedef struct bounds {
    double lo[3], hi[3];
} bounds;

typedef struct builder {
    uint32_t *sorted[3]; // [n] triangle numbers by centre along x, y, z; ranges are nodes
    uint32_t *scratch;   // [n]
    uint8_t *left;       // [n] by triangle number: which side of the current split
    bounds *box;         // [n] by triangle number
    double *area;        // [n] by position: half area of everything left of it, inclusive
    const shl_build_input *in;
} builder;

static double half_area(const bounds *b)
{
    const double x = b->hi[0] - b->lo[0], y = b->hi[1] - b->lo[1], z = b->hi[2] - b->lo[2];
    return x * y + y * z + z * x;
}

static bounds nothing(void)
{
    return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void grow(bounds *b, const bounds *by)
{
    for (int k = 0; k < 3; k++) {
        b->lo[k] = by->lo[k] < b->lo[k] ? by->lo[k] : b->lo[k];
        b->hi[k] = by->hi[k] > b->hi[k] ? by->hi[k] : b->hi[k];
    }
}

// Halves before adding: the sum of two finite doubles may not be finite.
static double centre(const bounds *b, int axis)
{
    return 0.5 * b->lo[axis] + 0.5 * b->hi[axis];
}

static bool before(const builder *b, int axis, uint32_t i, uint32_t j)
{
    const double ci = centre(&b->box[i], axis), cj = centre(&b->box[j], axis);
    return ci < cj || (ci == cj && i < j);
}

// Bottom-up merge sort: stable, no recursion, and the order is total because of the index.
static void sort_axis(builder *b, int axis)
{
    const uint32_t n = b->in->triangle_count;
    uint32_t *from = b->sorted[axis], *to = b->scratch;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t begin = 0; begin < n; begin += 2 * width) {
            const uint64_t middle = begin + width < n ? begin + width : n;
            const uint64_t end = begin + 2 * width < n ? begin + 2 * width : n;
            uint64_t i = begin, j = middle;
            for (uint64_t k = begin; k < end; k++) {
                const bool take_i =
                    i < middle && (j == end || !before(b, axis, from[j], from[i]));
                to[k] = take_i ? from[i++] : from[j++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != b->sorted[axis])
        memcpy(b->sorted[axis], from, n * sizeof *from);
}

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

typedef struct split {
    double cost;
    int axis;
    uint32_t at; // triangles on the left
} split;

// Best split of `p` that leaves at most `slots` children of at most `unit` triangles.
// Costs are area times leaves; ties go to the first axis and to the more even split.
static split best_split(builder *b, const part *p, uint32_t unit, uint32_t slots)
{
    const uint32_t n = p->end - p->begin;
    split best = {INFINITY, 0, n / 2};
    uint32_t best_uneven = UINT32_MAX;
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t *list = b->sorted[axis] + p->begin;
        bounds box = nothing();
        for (uint32_t i = 0; i < n; i++) {
            grow(&box, &b->box[list[i]]);
            b->area[i] = half_area(&box);
        }
        box = nothing();
        for (uint32_t right = 1; right < n; right++) {
            const uint32_t at = n - right;
            grow(&box, &b->box[list[at]]);
            if (ceil_div(at, unit) + ceil_div(right, unit) > slots)
                continue;
            const double cost = b->area[at - 1] * ceil_div(at, SHL_LANES) +
                                half_area(&box) * ceil_div(right, SHL_LANES);
            const uint32_t uneven = at > right ? at - right : right - at;
            if (cost < best.cost || (cost == best.cost && uneven < best_uneven)) {
                best = (split){cost, axis, at};
                best_uneven = uneven;
            }
        }
    }
    if (best_uneven == UINT32_MAX) // areas overflowed: any legal split will do
        best.at = ceil_div(ceil_div(n, unit), 2) * unit < n
                      ? ceil_div(ceil_div(n, unit), 2) * unit
                      : n / 2;
    return best;
}

static double part_area(const builder *b, const part *p)
{
    bounds box = nothing();
    for (uint32_t i = p->begin; i < p->end; i++)
        grow(&box, &b->box[b->sorted[0][i]]);
    return half_area(&box);
}

// Splits all three lists the same way, each keeping its own order.
static void apply(builder *b, const part *p, const split *s, part out[2])
{
    for (uint32_t i = p->begin; i < p->end; i++)
        b->left[b->sorted[s->axis][i]] = i - p->begin < s->at;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t *list = b->sorted[axis];
        uint32_t kept = p->begin, moved = 0;
        for (uint32_t i = p->begin; i < p->end; i++) {
            if (b->left[list[i]])
                list[kept++] = list[i];
            else
                b->scratch[moved++] = list[i];
        }
        memcpy(list + kept, b->scratch, moved * sizeof *list);
    }
    out[0] = (part){p->begin, p->begin + s->at, 0};
    out[1] = (part){p->begin + s->at, p->end, 0};
    out[0].area = part_area(b, &out[0]);
    out[1].area = part_area(b, &out[1]);
}

// Which part to split next: those too large for a child first, then the largest surface.
static int choose(const part *parts, int count, uint32_t unit)
{
    int best = -1;
    for (int i = 0; i < count; i++) {
        const uint32_t n = parts[i].end - parts[i].begin;
        if (n <= SHL_LANES)
            continue;
        if (best < 0) {
            best = i;
            continue;
        }
        const bool large = n > unit, best_large = parts[best].end - parts[best].begin > unit;
        if (large != best_large ? large : parts[i].area > parts[best].area)
            best = i;
    }
    return best;
}

// Splits a node's triangles into at most eight children, none above `unit` triangles, and
// spends what room is left on the largest ones.
static int split_node(builder *b, part node, uint32_t unit, part out[SHL_LANES])
{
    int count = 1;
    out[0] = node;
    while (count < SHL_LANES) {
        const int i = choose(out, count, unit);
        if (i < 0)
            break;
        uint32_t others = 0; // children the other parts will need
        for (int k = 0; k < count; k++)
            others += k == i ? 0 : ceil_div(out[k].end - out[k].begin, unit);
        const uint32_t slots = SHL_LANES - others;
        if (slots < 2)
            break;
        const split s = best_split(b, &out[i], unit, slots);
        part halves[2];
        apply(b, &out[i], &s, halves);
        memmove(&out[i + 2], &out[i + 1], (size_t)(count - i - 1) * sizeof *out);
        out[i] = halves[0];
        out[i + 1] = halves[1];
        count++;
    }
    return count;
}

// Level by level. `parts[row]` is the range of node `row`; children are appended at the end.
static shoal_status make_rows(builder *b, shl_tree *t, shl_array *parts, shl_array *rows,
                              const shoal_allocator *allocator)
{
    typedef struct row {
        uint32_t first;
        uint8_t count, leaf;
    } row;
    const uint32_t n = b->in->triangle_count;
    part root = {0, n, 0};
    root.area = part_area(b, &root);
    ((part *)parts->data)[0] = root;
    uint32_t count = 1;
    t->level[1] = 1;
    uint64_t unit = SHL_LANES; // triangles a child may hold
    while (unit * SHL_LANES < n)
        unit *= SHL_LANES;
    for (uint32_t level = 0;; level++, unit /= SHL_LANES) {
        const uint32_t begin = t->level[level], end = t->level[level + 1];
        for (uint32_t i = begin; i < end; i++) {
            const part p = ((part *)parts->data)[i];
            if (p.end - p.begin <= SHL_LANES) {
                ((row *)rows->data)[i] = (row){p.begin, (uint8_t)(p.end - p.begin), 1};
                t->leaf_count++;
                continue;
            }
            part children[SHL_LANES];
            const int children_count = split_node(b, p, (uint32_t)unit, children);
            const size_t need = (size_t)count + SHL_LANES;
            shoal_status st =
                shl_array_reserve(parts, need * sizeof(part), count * sizeof(part), allocator);
            if (st == SHOAL_OK)
                st =
                    shl_array_reserve(rows, need * sizeof(row), count * sizeof(row), allocator);
            if (st != SHOAL_OK)
                return st;
            ((row *)rows->data)[i] = (row){count, (uint8_t)children_count, 0};
            memcpy((part *)parts->data + count, children,
                   (size_t)children_count * sizeof(part));
            count += (uint32_t)children_count;
        }
        if (count == end) {
            t->depth = level;
            break;
        }
        t->level[level + 2] = count;
    }
    t->node_count = count;
    t->first = shl_alloc(allocator, count * sizeof *t->first);
    t->count = shl_alloc(allocator, count * sizeof *t->count);
    t->leaf = shl_alloc(allocator, count * sizeof *t->leaf);
    if (!t->first || !t->count || !t->leaf)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const row r = ((row *)rows->data)[i];
        t->first[i] = r.first;
        t->count[i] = r.count;
        t->leaf[i] = r.leaf;
    }
    return SHOAL_OK;
}

static shoal_status make_triangles(const builder *b, shl_tree *t,
                                   const shoal_allocator *allocator)
{
    const uint32_t n = b->in->triangle_count;
    t->tri = shl_alloc(allocator, n * sizeof *t->tri);
    if (!t->tri)
        return SHOAL_ERR_MEMORY;
    t->triangle_count = n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t id = b->sorted[0][i];
        const uint32_t *v = b->in->triangles + 3 * (size_t)id;
        t->tri[i] = (shl_tri){{v[0], v[1], v[2]}, id};
    }
    return SHOAL_OK;
}

static void triangle_bounds(builder *b)
{
    for (uint32_t i = 0; i < b->in->triangle_count; i++) {
        bounds box = nothing();
        for (int k = 0; k < 3; k++) {
            const double *p = b->in->xyz + 3 * (size_t)b->in->triangles[3 * (size_t)i + k];
            const bounds point = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
            grow(&box, &point);
        }
        b->box[i] = box;
    }
}

shoal_status shl_tree_build(const shl_build_input *input, const shoal_allocator *allocator,
                            shl_tree *out)
{
    memset(out, 0, sizeof *out);
    const size_t n = input->triangle_count;
    builder b = {.in = input};
    shl_array memory = {0}, parts = {0}, rows = {0};
    // One block for all columns: 4 lists, flags, boxes, areas.
    const size_t lists = (n * 4 + 63) / 64 * 64, flags = (n + 63) / 64 * 64;
    shoal_status st = shl_array_reserve(
        &memory, 4 * lists + flags + n * (sizeof *b.box + sizeof *b.area), 0, allocator);
    const size_t start_rows = n / 4 + 2 * SHL_LANES;
    if (st == SHOAL_OK)
        st = shl_array_reserve(&parts, start_rows * sizeof(part), 0, allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&rows, start_rows * 8, 0, allocator);
    if (st == SHOAL_OK) {
        char *at = memory.data;
        for (int axis = 0; axis < 3; axis++, at += lists)
            b.sorted[axis] = (uint32_t *)at;
        b.scratch = (uint32_t *)at;
        b.box = (bounds *)(at + lists);
        b.area = (double *)(b.box + n);
        b.left = (uint8_t *)(b.area + n);
        triangle_bounds(&b);
        for (int axis = 0; axis < 3; axis++) {
            for (uint32_t i = 0; i < n; i++)
                b.sorted[axis][i] = i;
            sort_axis(&b, axis);
        }
        out->vertex_count = input->vertex_count;
        st = make_rows(&b, out, &parts, &rows, allocator);
    }
    if (st == SHOAL_OK)
        st = make_triangles(&b, out, allocator);
    shl_array_finish(&memory, allocator);
    shl_array_finish(&parts, allocator);
    shl_array_finish(&rows, allocator);
    if (st == SHOAL_OK)
        st = shl_tree_number_vertices(out, allocator);
    if (st != SHOAL_OK)
        shl_tree_finish(out, allocator);
    return st;
}
