// SPDX-License-Identifier: MIT
// Parts of a body that cannot meet themselves, so that the search need not look.
//
// Over the rectangle D of a cover (layouts/models/self_cull.h) the positions are one function
// g, linear on each triangle. Let all gradients lie within R of a matrix C, entry by entry, and
// let r be the root of the sum of all R^2. Along the segment between two points p, q of D,
// which lies in D,
//   |g(p) - g(q) - C (p - q)| <= r |p - q|.
// If r is less than the smallest singular value s of C, then |C (p - q)| >= s |p - q| is more,
// so that g(p) = g(q) only if p = q: triangles in D meet only where they share vertices. On the
// border of D that holds by continuity, since two places there with the same u are the same
// place: the triangles around it within D are joined by edges that enter D.
//
// s > r means that C'C - r^2 I is positive definite: for C'C = [a b; b c], a > r^2 and
// (a - r^2)(c - r^2) > b^2.
#include "runtime/kinds/free/free.h"

#include <string.h>

static const double tiny = 0x1p-100;    // far above what underflow does to a gradient
static const double relative = 0x1p-20; // far above what doubles lose in a dozen operations

static void refresh_leaf(const shl_kernels *kernels, const shl_free_body *b, uint32_t leaf)
{
    const shl_certificate *certificate = &b->model->certificate;
    if (certificate->axis[leaf] != SHL_NO_AXIS)
        kernels->leaf_gradients(b->tree, b->xyz, b->scalar, leaf,
                                certificate->inverse +
                                    (size_t)certificate->slot[leaf] * 4 * SHL_LANES,
                                &b->cull.gradients[leaf]);
}

// What covers name: nodes of leaves that all have an axis.
static void join_leaves(const shl_kernels *kernels, const shl_free_body *b, uint32_t node)
{
    const uint32_t count = b->tree->count[node];
    uint32_t leaves[SHL_LANES];
    for (uint32_t k = 0; k < count; k++)
        leaves[k] = b->tree->first[node] + k;
    kernels->join_gradients(b->cull.gradients, leaves, count, &b->cull.gradients[node]);
}

void shl_free_cull_refresh(const shl_kernels *kernels, const shl_free_body *b, uint32_t root)
{
    const shl_tree *t = b->tree;
    uint32_t leaves = 0, begin = root, end = root + 1; // what lies below root on a level
    if (t->leaf[root]) {
        refresh_leaf(kernels, b, root);
        leaves++;
    }
    while (begin < end) {
        uint32_t next_begin = 0, next_end = 0;
        for (uint32_t n = begin; n < end; n++) {
            if (t->leaf[n])
                continue;
            next_begin = next_end ? next_begin : t->first[n];
            next_end = t->first[n] + t->count[n];
            for (uint32_t child = t->first[n]; child < next_end; child++) {
                if (!t->leaf[child])
                    continue;
                refresh_leaf(kernels, b, child);
                leaves++;
            }
            if (!t->inner[n])
                join_leaves(kernels, b, n);
        }
        begin = next_begin;
        end = next_end;
    }
    atomic_fetch_add_explicit(b->cull.fresh, leaves, memory_order_relaxed);
}

void shl_free_cull_refresh_top(const shl_kernels *kernels, const shl_free_body *b)
{
    const shl_tree *t = b->tree;
    uint32_t leaves = 0;
    for (uint32_t n = 0; n < t->level[t->subtree_level]; n++) {
        if (!t->leaf[n])
            continue;
        refresh_leaf(kernels, b, n);
        leaves++;
    }
    for (uint32_t n = 0; n < t->level[t->subtree_level]; n++) {
        if (!t->leaf[n] && !t->inner[n])
            join_leaves(kernels, b, n);
    }
    atomic_fetch_add_explicit(b->cull.fresh, leaves, memory_order_relaxed);
}

// The proof above, with margins for the rounding of this very computation.
bool shl_free_cull_injective(const shl_gradients *g)
{
    double r2 = 0, c[6], a = 0, b = 0, d = 0;
    for (int k = 0; k < 6; k++) {
        const double lo = (double)g->lo[k], hi = (double)g->hi[k];
        const double radius = 0.5 * (hi - lo) * (1 + relative) + tiny;
        c[k] = 0.5 * (lo + hi);
        r2 += radius * radius;
    }
    for (int k = 0; k < 3; k++) {
        a += c[k] * c[k];
        b += c[k] * c[3 + k];
        d += c[3 + k] * c[3 + k];
    }
    const double one = a * (1 - relative) - r2, two = d * (1 - relative) - r2;
    return one > 0 && two > 0 &&
           one * two * (1 - relative) > b * b + relative * relative * a * d;
}

static bool prove(const shl_kernels *kernels, const shl_free_body *b, uint32_t node)
{
    const shl_certificate *certificate = &b->model->certificate;
    const uint32_t begin = certificate->cover_begin[node],
                   end = certificate->cover_begin[node + 1];
    if (begin == end)
        return false;
    shl_gradients all;
    kernels->join_gradients(b->cull.gradients, certificate->cover + begin, end - begin, &all);
    return shl_free_cull_injective(&all);
}

// Two threads may work it out at once; they find the same.
static bool proved(const shl_kernels *kernels, const shl_free_body *b, uint32_t node)
{
    _Atomic uint64_t *memo = &b->cull.proof[node];
    const uint64_t known = atomic_load_explicit(memo, memory_order_relaxed);
    if (known >> 1 == b->epoch)
        return known & 1;
    const bool found = prove(kernels, b, node);
    atomic_store_explicit(memo, (uint64_t)b->epoch << 1 | found, memory_order_relaxed);
    return found;
}

// Lists are short, and nobody can guess where in one the answer is: all of it is compared.
static bool lists(const shl_certificate *certificate, uint32_t node, uint32_t other)
{
    uint32_t found = 0;
    for (uint32_t i = certificate->near_begin[node]; i < certificate->near_begin[node + 1]; i++)
        found |= certificate->near[i] == other;
    return found;
}

static bool apart(const shl_view *v, uint32_t x, uint32_t y)
{
    const shl_free_body *b = v->state;
    if (x == y)
        return proved(v->kernels, b, x);
    const shl_certificate *certificate = &b->model->certificate;
    return (lists(certificate, x, y) && proved(v->kernels, b, x)) ||
           (lists(certificate, y, x) && proved(v->kernels, b, y));
}

static bool far(const shl_view *v, uint32_t x, uint32_t y)
{
    const shl_free_body *b = v->state;
    const shl_tree *t = b->tree;
    const shl_certificate *certificate = &b->model->certificate;
    if (x == y || t->leaf[x] || t->leaf[y] || t->inner[x] || t->inner[y])
        return false;
    return !lists(certificate, x, y) && !lists(certificate, y, x);
}

// Whether all gradients are of this epoch.
static bool ready(const shl_view *v)
{
    const shl_free_body *b = v->state;
    return b->cull.gradients && !b->own_tree &&
           atomic_load_explicit(b->cull.fresh, memory_order_relaxed) ==
               b->model->certificate.leaf_count;
}

const shl_self_cull shl_free_cull = {.ready = ready, .far = far, .apart = apart};

bool shl_free_cull_reserve(const shoal_model *model, shl_certificates *cull,
                           const shoal_allocator *allocator)
{
    const size_t nodes = model->certificate.node_count;
    const size_t bytes = sizeof *cull->proof + // `fresh`, with those after it aligned
                         nodes * (sizeof *cull->gradients + sizeof *cull->proof);
    if (!model->has_self_cull)
        return true;
    if (shl_array_reserve(&cull->memory, bytes, 0, allocator) != SHOAL_OK)
        return false;
    cull->gradients = memset(cull->memory.data, 0, bytes);
    cull->proof = (_Atomic uint64_t *)(cull->gradients + nodes);
    cull->fresh = (_Atomic uint32_t *)(cull->proof + nodes);
    return true;
}
