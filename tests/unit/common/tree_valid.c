// SPDX-License-Identifier: MIT
#include "tree_valid.h"

#include <string.h>

// Children must be a partition of the next level's rows.
static bool rows_valid(const shl_tree *t)
{
    if (t->node_count == 0 || t->level[0] != 0 || t->level[t->depth + 1] != t->node_count)
        return false;
    uint32_t next = 1, leaves = 0;
    uint64_t triangles = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->count[n] == 0 || t->count[n] > SHL_LANES)
            return false;
        if (t->leaf[n]) {
            leaves++;
            triangles += t->count[n];
            if (t->first[n] + t->count[n] > t->triangle_count || t->inner[n])
                return false;
        } else {
            if (t->first[n] != next)
                return false;
            for (uint32_t k = 0; k < t->count[n]; k++) {
                if (t->parent[next + k] != n)
                    return false;
            }
            for (uint32_t k = 0; k < SHL_LANES; k++) {
                if ((t->inner[n] >> k & 1) != (k < t->count[n] && !t->leaf[next + k]))
                    return false;
            }
            next += t->count[n];
        }
    }
    for (uint32_t l = 1; l <= t->depth; l++) {
        if (t->level[l] <= t->level[l - 1])
            return false;
    }
    return next == t->node_count && leaves == t->leaf_count && triangles == t->triangle_count;
}

static void triangle_range(const shl_tree *t, uint32_t node, uint32_t *begin, uint32_t *end)
{
    uint32_t low = node, high = node;
    while (!t->leaf[low])
        low = t->first[low];
    while (!t->leaf[high])
        high = t->first[high] + t->count[high] - 1;
    *begin = t->first[low];
    *end = t->first[high] + t->count[high];
}

// Each node's range and list together must be exactly the vertices of its triangles.
static bool vertices_valid(const shl_tree *t, uint32_t *stamp)
{
    for (uint32_t n = 0; n < t->node_count; n++) {
        const uint32_t named = 2 * n + 1, covered = 2 * n + 2;
        uint32_t begin, end, distinct = 0, matched = 0;
        if (t->vertex_begin[n] > t->vertex_end[n] ||
            (t->leaf[n] && t->vertex_begin[n] != t->vertex_end[n]))
            return false;
        triangle_range(t, n, &begin, &end);
        for (uint32_t i = begin; i < end; i++) {
            for (int k = 0; k < 3; k++) {
                const uint32_t v = t->tri[i].v[k];
                if (v >= t->used_vertices || (v + 1 == t->vertex_count && i < t->last_named))
                    return false;
                distinct += stamp[v] != named;
                stamp[v] = named;
            }
        }
        for (uint32_t v = t->vertex_begin[n]; v < t->vertex_end[n]; v++) {
            matched += stamp[v] == named;
            if (stamp[v] != named)
                return false;
            stamp[v] = covered;
        }
        for (uint32_t i = t->list_begin[n]; i < t->list_begin[n + 1]; i++) {
            const uint32_t v = t->list[i];
            if (v >= t->used_vertices || (stamp[v] != named && stamp[v] != covered))
                return false;
            if (i > t->list_begin[n] && v < t->list[i - 1])
                return false;
            matched += stamp[v] == named;
            stamp[v] = covered;
        }
        const uint32_t length = t->list_begin[n + 1] - t->list_begin[n];
        if (matched != distinct || length % 4 != 0 ||
            (t->leaf[n] && length < SHL_LEAF_LIST_MIN))
            return false;
    }
    return true;
}

bool tree_valid(const shl_tree *tree, const shoal_allocator *allocator)
{
    if (!rows_valid(tree))
        return false;
    const size_t bytes = tree->vertex_count * sizeof(uint32_t);
    uint32_t *stamp = shl_zalloc(allocator, bytes);
    if (!stamp)
        return false;
    bool valid = vertices_valid(tree, stamp);
    memset(stamp, 0, bytes);
    for (uint32_t i = 0; valid && i < tree->vertex_count; i++) {
        valid = tree->order[i] < tree->vertex_count && !stamp[tree->order[i]];
        if (valid)
            stamp[tree->order[i]] = 1;
    }
    shl_free(allocator, stamp, bytes);
    return valid;
}
