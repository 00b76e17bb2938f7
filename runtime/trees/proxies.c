// SPDX-License-Identifier: MIT
// Contact spheres of a model, and the tree over them. Spheres of level L contain what is below
// a node of binary level L; three binary levels are one 8-wide level, two are one 4-wide level,
// and between those, and in leaves, a node's children or triangles, which stand in the order of
// the splits, are taken in runs.
#include "runtime/trees/reduced.h"

#include <math.h>

// Takes the spheres below a node, depth first: neighbours get neighbouring numbers.
typedef struct cutting {
    const shl_tree *tree;
    uint32_t binary;      // levels of a wide one
    shl_reduced *reduced; // NULL: only counts
    uint32_t *scratch;    // as shl_proxies_build() has it
    uint32_t count;
} cutting;

static void put_sphere(const shl_below *b, shl_reduced *r, uint32_t proxy)
{
    float *to =
        r->proxy_blocks + shl_proxy_node(r, proxy) * shl_proxy_floats(r) + proxy % SHL_LANES;
    for (uint32_t field = 0; field <= r->field_count; field++, to += 4 * SHL_LANES) {
        double centre[3];
        const double radius = shl_below_ball(b, (int)field - 1, centre);
        for (int k = 0; k < 3; k++)
            to[k * SHL_LANES] = (float)centre[k];
        to[3 * SHL_LANES] = shl_upwards(radius);
    }
}

// Children or triangles [begin, end) of a node make one sphere.
static void take(cutting *c, uint32_t node, uint32_t begin, uint32_t end)
{
    const shl_tree *t = c->tree;
    shl_below b = {c->reduced, c->scratch, 0};
    const uint32_t proxy = c->count++;
    if (!c->reduced)
        return;
    if (end - begin == t->count[node]) {
        shl_below_add(&b, t, node);
    } else {
        for (uint32_t row = t->first[node] + begin; row < t->first[node] + end; row++) {
            if (!t->leaf[node])
                shl_below_add(&b, t, row);
            for (int k = 0; k < 3 && t->leaf[node]; k++)
                b.rows[b.count++] = t->tri[row].v[k];
        }
    }
    put_sphere(&b, c->reduced, proxy);
}

// `left` binary levels are to go; there are at most SHOAL_PROXY_LEVEL_MAX.
static void cut(cutting *c, uint32_t node, uint32_t left)
{
    const shl_tree *t = c->tree;
    const uint32_t count = t->count[node];
    if (!t->leaf[node] && left >= c->binary) {
        for (uint32_t lane = 0; lane < count; lane++)
            cut(c, t->first[node] + lane, left - c->binary);
        return;
    }
    const uint32_t most = 1u << left, runs = count < most ? count : most;
    for (uint32_t run = 0; run < runs; run++)
        take(c, node, run * count / runs, (run + 1) * count / runs);
}

uint32_t shl_proxy_count(const shl_tree *t, uint32_t arity, uint32_t level)
{
    cutting c = {.tree = t, .binary = (uint32_t)__builtin_ctz(arity)};
    cut(&c, 0, level);
    return c.count;
}

static uint32_t above(uint32_t count)
{
    return (count + SHL_LANES - 1) / SHL_LANES;
}

uint32_t shl_proxy_node_count(uint32_t proxies)
{
    uint32_t sum = 0;
    for (uint32_t n = proxies; n > (sum > 0); sum += n) // one node is the root
        n = above(n);
    return sum;
}

static void put_first(shl_reduced *r)
{
    uint32_t end = r->proxy_nodes, count = above(r->proxy_count), below = r->proxy_nodes;
    r->proxy_first[end] = end + r->proxy_count;
    for (;;) { // levels from the lowest
        for (uint32_t i = 0; i < count; i++)
            r->proxy_first[end - count + i] = below + SHL_LANES * i;
        end = below = end - count;
        if (end == 0)
            return;
        count = above(count);
    }
}

static double value(const shl_reduced *r, uint32_t proxy, uint32_t row)
{
    return (double)shl_proxy_block(
        r, shl_proxy_node(r, proxy))[row * SHL_LANES + proxy % SHL_LANES];
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
    cutting c = {t, (uint32_t)__builtin_ctz(arity), r, scratch, 0};
    put_first(r);
    cut(&c, 0, level);
    wrap_nodes(r);
}
