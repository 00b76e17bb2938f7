// SPDX-License-Identifier: MIT
// Contact spheres of a model. Spheres of level L contain what is below a node of binary level
// L; three binary levels are one 8-wide level, two are one 4-wide level, and between those a
// node's children, which stand in the order of the splits, are taken in runs.
#include "runtime/trees/reduced.h"

#include <math.h>

// The level of proxies in the tree, and into how many runs its nodes are cut.
static uint32_t level_of(const shl_tree *t, uint32_t arity, uint32_t level, uint32_t *runs)
{
    const uint32_t binary = (uint32_t)__builtin_ctz(arity), wide = level / binary;
    *runs = 1u << level % binary;
    return wide > t->depth ? t->depth : wide;
}

static uint32_t runs_of(const shl_tree *t, uint32_t node, uint32_t most)
{
    return t->leaf[node] ? 1 : t->count[node] < most ? t->count[node] : most;
}

uint32_t shl_proxy_count(const shl_tree *t, uint32_t arity, uint32_t level)
{
    uint32_t runs, count = 0;
    const uint32_t wide = level_of(t, arity, level, &runs);
    for (uint32_t n = 0; n < t->level[wide + 1]; n++) {
        if (n >= t->level[wide])
            count += runs_of(t, n, runs);
        else
            count += t->leaf[n];
    }
    return count;
}

static void put_sphere(const shl_below *b, shl_reduced *r, uint32_t proxy)
{
    for (uint32_t row = 0; row <= r->field_count; row++) {
        double centre[3];
        const double radius = shl_below_ball(b, (int)row - 1, centre);
        float *to = r->proxies + 4 * (size_t)row * r->proxy_count + proxy;
        for (size_t k = 0; k < 3; k++)
            to[k * r->proxy_count] = (float)centre[k];
        to[3 * (size_t)r->proxy_count] = shl_upwards(radius);
    }
}

// A sphere around all others, for any state: as far as the farthest centre and its radius, at
// rest and in each field apart.
static void put_root(shl_reduced *r)
{
    const size_t n = r->proxy_count;
    for (size_t row = 0; row <= r->field_count; row++) {
        const float *from = r->proxies + 4 * row * n;
        float *to = r->proxy_root + 4 * row;
        double most = 0;
        for (size_t k = 0; k < 3; k++) {
            double lo = INFINITY, hi = -INFINITY;
            for (size_t i = 0; i < n; i++) {
                lo = fmin(lo, (double)from[k * n + i]);
                hi = fmax(hi, (double)from[k * n + i]);
            }
            to[k] = (float)(0.5 * lo + 0.5 * hi);
        }
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (size_t k = 0; k < 3; k++) {
                const double d = (double)from[k * n + i] - (double)to[k];
                square += d * d;
            }
            most = fmax(most, sqrt(square) + (double)from[3 * n + i]);
        }
        to[3] = shl_upwards(most);
    }
}

void shl_proxies_build(const shl_tree *t, uint32_t arity, uint32_t level, shl_reduced *r,
                       uint32_t *scratch)
{
    uint32_t most, proxy = 0;
    const uint32_t wide = level_of(t, arity, level, &most);
    for (uint32_t n = 0; n < t->level[wide + 1]; n++) {
        const bool above = n < t->level[wide];
        if (above && !t->leaf[n])
            continue;
        const uint32_t runs = above ? 1 : runs_of(t, n, most);
        for (uint32_t run = 0; run < runs; run++) {
            shl_below b = {r, scratch, 0};
            if (runs == 1) {
                shl_below_add(&b, t, n);
            } else {
                const uint32_t end = (run + 1) * t->count[n] / runs;
                for (uint32_t k = run * t->count[n] / runs; k < end; k++)
                    shl_below_add(&b, t, t->first[n] + k);
            }
            put_sphere(&b, r, proxy++);
        }
    }
    put_root(r);
}
