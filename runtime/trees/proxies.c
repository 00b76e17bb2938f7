// SPDX-License-Identifier: MIT
// Contact spheres of a model, and the tree over them. Spheres of level L contain what is below
// a node of binary level L; three binary levels are one 8-wide level, two are one 4-wide level,
// and between those, and in leaves, a node's children or triangles, which stand in the order of
// the splits, are taken in runs.
#include "runtime/trees/reduced.h"

#include <math.h>
#include <shoal/model.h>

enum { PROXIES_MAX = 1 << SHOAL_PROXY_LEVEL_MAX };

// Takes the spheres below a node, depth first: neighbours get neighbouring numbers.
typedef struct cutting {
    const shl_tree *tree;
    uint32_t binary;      // levels of a wide one
    shl_reduced *reduced; // NULL: only counts
    uint32_t *scratch;    // as shl_proxies_build() has it
    uint32_t count;
    uint8_t apart;            // level that parts the next sphere from the last; 0 is far
    uint8_t gap[PROXIES_MAX]; // the same of each sphere
    uint32_t rows[SHL_LANES]; // children or triangles of the node that is being cut
} cutting;

static void put_sphere(const shl_below *b, shl_reduced *r, uint32_t proxy)
{
    float *to =
        r->proxy_blocks + r->proxy_node[proxy] * shl_proxy_floats(r) + shl_proxy_lane(r, proxy);
    for (uint32_t field = 0; field <= r->field_count; field++, to += 4 * SHL_LANES) {
        double centre[3];
        const double radius = shl_below_ball(b, (int)field - 1, centre);
        for (int k = 0; k < 3; k++)
            to[k * SHL_LANES] = (float)centre[k];
        to[3 * SHL_LANES] = shl_upwards(radius);
    }
}

static double middle(const shl_reduced *r, const shl_tri *tri, int axis)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += r->rest[3 * (size_t)tri->v[k] + (size_t)axis];
    return sum;
}

// Leaves keep their triangles in no order: halves them where they spread most, as often as
// there are runs to make.
static void halve(const shl_reduced *r, uint32_t *rows, uint32_t count, const shl_tri *tri,
                  uint32_t runs)
{
    double most = -1;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            lo = fmin(lo, middle(r, &tri[rows[i]], k));
            hi = fmax(hi, middle(r, &tri[rows[i]], k));
        }
        axis = hi - lo > most ? k : axis;
        most = fmax(most, hi - lo);
    }
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t row = rows[i];
        uint32_t at = i;
        for (; at && middle(r, &tri[rows[at - 1]], axis) > middle(r, &tri[row], axis); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
    const uint32_t left = runs / 2, cut_at = left * count / runs;
    if (left > 1)
        halve(r, rows, cut_at, tri, left);
    if (runs - left > 1)
        halve(r, rows + cut_at, count - cut_at, tri, runs - left);
}

// Children or triangles [begin, end) of a node make one sphere.
static void take(cutting *c, uint32_t node, uint32_t begin, uint32_t end)
{
    const shl_tree *t = c->tree;
    shl_below b = {c->reduced, c->scratch, 0};
    const uint32_t proxy = c->count++;
    c->gap[proxy] = c->apart;
    c->apart = UINT8_MAX;
    if (!c->reduced)
        return;
    if (end - begin == t->count[node]) {
        shl_below_add(&b, t, node);
    } else {
        for (uint32_t i = begin; i < end; i++) {
            if (!t->leaf[node])
                shl_below_add(&b, t, c->rows[i]);
            for (int k = 0; k < 3 && t->leaf[node]; k++)
                b.rows[b.count++] = t->tri[c->rows[i]].v[k];
        }
    }
    put_sphere(&b, c->reduced, proxy);
}

// `left` binary levels are to go.
static void cut(cutting *c, uint32_t node, uint32_t left, uint8_t level)
{
    const shl_tree *t = c->tree;
    const uint32_t count = t->count[node];
    if (!t->leaf[node] && left >= c->binary) {
        for (uint32_t lane = 0; lane < count; lane++) {
            c->apart = level < c->apart ? level : c->apart;
            cut(c, t->first[node] + lane, left - c->binary, (uint8_t)(level + 1));
        }
        return;
    }
    const uint32_t most = 1u << left, runs = count < most ? count : most;
    for (uint32_t i = 0; i < count; i++)
        c->rows[i] = t->first[node] + i;
    if (c->reduced && t->leaf[node] && runs > 1)
        halve(c->reduced, c->rows, count, t->tri, runs);
    for (uint32_t run = 0; run < runs; run++) {
        c->apart = level < c->apart ? level : c->apart;
        take(c, node, run * count / runs, (run + 1) * count / runs);
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
static uint32_t split(const uint8_t *gap, uint32_t begin, uint32_t end, uint32_t most,
                      uint16_t *ends)
{
    uint32_t count = 0;
    for (; begin < end; begin = ends[count++]) {
        const uint32_t parts = (end - begin + most - 1) / most;
        ends[count] = (uint16_t)first_end(gap, begin, end, parts, most);
    }
    return count;
}

// The tree over spheres with these gaps, level by level; returns the number of nodes. `first`
// may be NULL.
static uint32_t lay(const uint8_t *gap, uint32_t spheres, uint32_t *first)
{
    uint16_t ends[2][PROXIES_MAX] = {{(uint16_t)spheres}}; // where a level's nodes end
    uint32_t nodes = 0, count = 1, most = 1;
    while (most * SHL_LANES < spheres)
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

uint32_t shl_proxy_count(const shl_tree *t, uint32_t arity, uint32_t level, uint32_t *nodes)
{
    cutting c = {.tree = t, .binary = (uint32_t)__builtin_ctz(arity)};
    cut(&c, 0, level, 0);
    *nodes = lay(c.gap, c.count, NULL);
    return c.count;
}

static double value(const shl_reduced *r, uint32_t proxy, uint32_t row)
{
    const uint32_t at = row * SHL_LANES + shl_proxy_lane(r, proxy);
    return (double)shl_proxy_block(r, r->proxy_node[proxy])[at];
}

// A sphere around proxies [begin, end), for any state: as far as the farthest centre and its
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
    for (uint32_t n = 0; r->proxy_first[n] < r->proxy_nodes; n++) {
        for (uint32_t child = r->proxy_first[n]; child < r->proxy_first[n + 1]; child++) {
            uint32_t begin = child, end = child + 1;
            while (begin < r->proxy_nodes) { // one level down
                begin = r->proxy_first[begin];
                end = r->proxy_first[end];
            }
            wrap(r, begin - r->proxy_nodes, end - r->proxy_nodes,
                 r->proxy_blocks + n * shl_proxy_floats(r) + (child - r->proxy_first[n]));
        }
    }
}

void shl_proxies_build(const shl_tree *t, uint32_t arity, uint32_t level, shl_reduced *r,
                       uint32_t *scratch)
{
    const uint32_t binary = (uint32_t)__builtin_ctz(arity);
    cutting plan = {.tree = t, .binary = binary};
    cut(&plan, 0, level, 0);
    lay(plan.gap, plan.count, r->proxy_first);
    for (uint32_t n = 0; n < r->proxy_nodes; n++) {
        for (uint32_t i = r->proxy_first[n]; i < r->proxy_first[n + 1]; i++) {
            if (i >= r->proxy_nodes)
                r->proxy_node[i - r->proxy_nodes] = n;
        }
    }
    cutting c = {.tree = t, .binary = binary, .reduced = r, .scratch = scratch};
    cut(&c, 0, level, 0);
    wrap_nodes(r);
}
