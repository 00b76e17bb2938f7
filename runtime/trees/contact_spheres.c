// SPDX-License-Identifier: MIT
// Contact spheres of a model, one around each piece of its surface, and the tree over them.
#include "runtime/trees/pieces.h"

#include <math.h>
#include <shoal/model.h>

enum { SPHERES_MAX = 1 << SHOAL_SPHERE_LEVEL_MAX };

// Fields on cuts are interpolated and rounded to float32, at most once a level.
static const double rounded = 0x1p-19;

static void put_sphere(const shl_below *b, bool cut, shl_reduced *r, uint32_t sphere)
{
    float *to = r->sphere_blocks + r->sphere_node[sphere] * shl_sphere_floats(r) +
                shl_sphere_lane(r, sphere);
    for (uint32_t field = 0; field <= r->field_count; field++, to += 4 * SHL_LANES) {
        double centre[3], radius = shl_below_ball(b, (int)field - 1, centre);
        radius += cut && field ? rounded * r->field_extent[field - 1] : 0;
        for (int k = 0; k < 3; k++)
            to[k * SHL_LANES] = (float)centre[k];
        to[3 * SHL_LANES] = shl_upwards(radius);
    }
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

// Where the first of `parts` parts of spheres [begin, end) ends, none larger than `most`: where
// they are far apart, and of such places the one that makes them most alike.
static uint32_t first_end(const uint8_t *gap, uint32_t begin, uint32_t end, uint32_t parts,
                          uint32_t most)
{
    const uint32_t even = begin + (end - begin) / parts, later = (parts - 1) * most;
    const uint32_t last = begin + most < end ? begin + most : end - 1;
    uint32_t best = end - begin > later + 1 ? end - later : begin + 1;
    for (uint32_t at = best + 1; at <= last && parts > 1; at++) {
        if (gap[at] < gap[best] ||
            (gap[at] == gap[best] && distance(at, even) < distance(best, even)))
            best = at;
    }
    return parts > 1 ? best : end;
}

// As few parts as there can be; returns how many.
static uint32_t split_evenly(const uint8_t *gap, uint32_t begin, uint32_t end, uint32_t most,
                             uint16_t *ends)
{
    uint32_t count = 0;
    for (; begin < end; begin = ends[count++]) {
        const uint32_t parts = (end - begin + most - 1) / most;
        ends[count] = (uint16_t)first_end(gap, begin, end, parts, most);
    }
    return count;
}

// Up to eight parts, none larger than `most`: the largest is cut in two where its spheres are
// farthest apart, until there are enough. Returns how many.
static uint32_t split(const uint8_t *gap, uint32_t begin, uint32_t end, uint32_t most,
                      uint16_t *ends)
{
    const uint32_t needed = (end - begin + most - 1) / most;
    const uint32_t wanted = most > SHL_LANES ? SHL_LANES : needed + (needed > 1);
    uint32_t count = 1, largest = 0, size = end - begin;
    ends[0] = (uint16_t)end;
    while (count < SHL_LANES && size > SHL_LANES / 2 && (count < wanted || size > most)) {
        const uint32_t from = largest ? ends[largest - 1] : begin;
        for (uint32_t i = count++; i > largest; i--)
            ends[i] = ends[i - 1];
        ends[largest] = (uint16_t)first_end(gap, from, from + size, 2, size - 1);
        size = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t own = ends[i] - (i ? ends[i - 1] : begin);
            largest = own > size ? i : largest;
            size = own > size ? own : size;
        }
    }
    return size <= most ? count : split_evenly(gap, begin, end, most, ends);
}

// The tree over spheres with these gaps, level by level; returns the number of nodes. `first`
// may be NULL.
static uint32_t lay(const uint8_t *gap, uint32_t spheres, uint32_t *first)
{
    uint16_t ends[2][SPHERES_MAX] = {{(uint16_t)spheres}}; // where a level's nodes end
    uint32_t nodes = 0, count = 1, most = 1;
    const uint32_t capacity =
        spheres > SHL_LANES ? 2 * spheres : spheres; // to choose where to part
    while (most * SHL_LANES < capacity)
        most *= SHL_LANES;
    for (int now = 0;; now = !now, most /= SHL_LANES) {
        uint32_t below = 0, begin = 0;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t end = ends[now][i];
            if (first)
                first[nodes + i] = nodes + count + (most > 1 ? below : begin);
            if (most > 1)
                below += split(gap, begin, end, most, ends[!now] + below);
            begin = end;
        }
        nodes += count;
        if (most == 1)
            break;
        count = below;
    }
    if (first)
        first[nodes] = nodes + spheres;
    return nodes;
}

static void gaps_of(const shl_pieces *p, uint8_t gap[SPHERES_MAX])
{
    for (uint32_t i = 0; i < p->count; i++)
        gap[i] = ((const shl_piece *)p->pieces.data)[i].gap;
}

uint32_t shl_sphere_nodes(const shl_pieces *pieces)
{
    uint8_t gap[SPHERES_MAX];
    gaps_of(pieces, gap);
    return lay(gap, pieces->count, NULL);
}

static double value(const shl_reduced *r, uint32_t sphere, uint32_t row)
{
    const uint32_t at = row * SHL_LANES + shl_sphere_lane(r, sphere);
    return (double)shl_sphere_block(r, r->sphere_node[sphere])[at];
}

// A sphere around spheres [begin, end), for any state: as far as the farthest centre and its
// radius, at rest and in each field apart.
static void wrap(const shl_reduced *r, uint32_t begin, uint32_t end, float *to)
{
    for (uint32_t row = 0; row < 4 * (r->field_count + 1); row += 4, to += 4 * SHL_LANES) {
        double centre[3], most = 0;
        for (uint32_t k = 0; k < 3; k++) {
            double lo = INFINITY, hi = -INFINITY;
            for (uint32_t i = begin; i < end; i++) {
                lo = fmin(lo, value(r, i, row + k));
                hi = fmax(hi, value(r, i, row + k));
            }
            to[k * SHL_LANES] = (float)(0.5 * lo + 0.5 * hi);
            centre[k] = (double)to[k * SHL_LANES];
        }
        for (uint32_t i = begin; i < end; i++) {
            double square = 0;
            for (uint32_t k = 0; k < 3; k++) {
                const double d = value(r, i, row + k) - centre[k];
                square += d * d;
            }
            most = fmax(most, sqrt(square) + value(r, i, row + 3));
        }
        to[3 * SHL_LANES] = shl_upwards(most);
    }
}

static void wrap_nodes(shl_reduced *r)
{
    for (uint32_t n = 0; r->sphere_first[n] < r->sphere_nodes; n++) {
        for (uint32_t child = r->sphere_first[n]; child < r->sphere_first[n + 1]; child++) {
            uint32_t begin = child, end = child + 1;
            while (begin < r->sphere_nodes) { // one level down
                begin = r->sphere_first[begin];
                end = r->sphere_first[end];
            }
            wrap(r, begin - r->sphere_nodes, end - r->sphere_nodes,
                 r->sphere_blocks + n * shl_sphere_floats(r) + (child - r->sphere_first[n]));
        }
    }
}

// Points of a piece, each once: `seen` has the last piece that each was in, counted from 1.
static void list_points(const shl_pieces *p, uint32_t piece, uint32_t *seen, shl_below *out)
{
    const shl_piece *range = (const shl_piece *)p->pieces.data + piece;
    const shl_patch *patches = p->patches.data;
    out->count = 0;
    for (uint32_t i = range->begin; i < range->end; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t v = patches[i].v[k];
            if (seen[v] != piece + 1)
                out->rows[out->count++] = v;
            seen[v] = piece + 1;
        }
    }
}

static void put_spheres(const shl_pieces *p, shl_reduced *r, uint32_t *rows, uint32_t *seen)
{
    const shl_reduced points = {.field_count = p->field_count,
                                .vertex_count = p->point_count,
                                .rest = p->rest.data,
                                .fields = p->fields.data};
    for (uint32_t i = 0; i < p->count; i++) {
        shl_below b = {&points, rows, 0};
        list_points(p, i, seen, &b);
        bool cut = false;
        for (uint32_t k = 0; k < b.count; k++)
            cut |= b.rows[k] >= p->vertex_count;
        put_sphere(&b, cut, r, i);
    }
}

shoal_status shl_spheres_build(const shl_pieces *p, const shoal_allocator *allocator,
                               shl_reduced *r)
{
    const size_t bytes = p->point_count * sizeof(uint32_t);
    uint32_t *rows = shl_alloc(allocator, bytes), *seen = shl_zalloc(allocator, bytes);
    const shoal_status st = rows && seen ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        uint8_t gap[SPHERES_MAX];
        gaps_of(p, gap);
        lay(gap, p->count, r->sphere_first);
        for (uint32_t n = 0; n < r->sphere_nodes; n++) {
            for (uint32_t i = r->sphere_first[n]; i < r->sphere_first[n + 1]; i++) {
                if (i >= r->sphere_nodes)
                    r->sphere_node[i - r->sphere_nodes] = n;
            }
        }
        put_spheres(p, r, rows, seen);
        wrap_nodes(r);
    }
    shl_free(allocator, rows, bytes);
    shl_free(allocator, seen, bytes);
    return st;
}
