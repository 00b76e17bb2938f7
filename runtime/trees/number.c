// SPDX-License-Identifier: MIT
// Vertices in tree order: each row of a tree owns the vertices its triangles name first.
//
// Large bodies are refreshed subtree by subtree, and one needs vertices of those before it. So
// that it finds them together, each subtree numbers last what others need: at 327,680 triangles
// these are a fifth of all memory that a refresh reads if they stand where their triangles are.
#include "runtime/trees/build.h"

#include <string.h>

typedef struct numbering {
    uint32_t *tri_begin, *tri_end; // [node_count] triangle rows of a node
    uint32_t *before, *after;      // [triangle_count] vertices numbered before and with it
    uint32_t *stamp;               // [vertex_count] last node that listed the vertex, plus 1
    uint32_t *last_subtree;        // [vertex_count] last subtree that names it, plus 1
} numbering;

static void triangle_ranges(const shl_tree *t, numbering *n)
{
    for (uint32_t row = t->node_count; row-- > 0;) {
        const uint32_t first = t->first[row], last = first + t->count[row] - 1;
        n->tri_begin[row] = t->leaf[row] ? first : n->tri_begin[first];
        n->tri_end[row] = t->leaf[row] ? last + 1 : n->tri_end[last];
    }
}

// The level whose nodes are refreshed as one row each: depends on the model only, so that
// chunks are the same for any number of workers.
static uint32_t subtree_level(const shl_tree *t, uint32_t used_vertices)
{
    for (uint32_t level = 0;; level++) {
        const uint32_t nodes = t->level[level + 1] - t->level[level];
        if (used_vertices / SHL_SUBTREE_VERTICES < nodes || level + 1 >= t->depth)
            return level;
    }
}

// Which subtree is the last to name a vertex: triangles of subtrees ascend. What leaves above
// the subtrees name is in a list wherever it is needed.
static void find_last_subtrees(const shl_tree *t, numbering *n)
{
    memset(n->last_subtree, 0, t->vertex_count * sizeof *n->last_subtree);
    for (uint32_t subtree = t->level[t->subtree_level];
         subtree < t->level[t->subtree_level + 1]; subtree++) {
        for (uint32_t i = n->tri_begin[subtree]; i < n->tri_end[subtree]; i++) {
            for (int k = 0; k < 3; k++)
                n->last_subtree[t->tri[i].v[k]] = subtree + 1;
        }
    }
}

static uint32_t count_used(const shl_tree *t, numbering *n)
{
    uint32_t used = 0;
    memset(n->stamp, 0, t->vertex_count * sizeof *n->stamp);
    for (uint32_t i = 0; i < t->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            used += n->stamp[t->tri[i].v[k]] == 0;
            n->stamp[t->tri[i].v[k]] = 1;
        }
    }
    return used;
}

// Numbers what a triangle names first, but for what subtrees after `subtree` name, too; `stamp`
// serves as the map from old to new.
static uint32_t number_one(shl_tree *t, numbering *n, uint32_t row, uint32_t subtree,
                           uint32_t next)
{
    for (int k = 0; k < 3; k++) {
        const uint32_t old = t->tri[row].v[k];
        if (n->stamp[old] != UINT32_MAX || n->last_subtree[old] > subtree + 1)
            continue;
        t->order[next] = old;
        n->stamp[old] = next++;
    }
    return next;
}

static uint32_t number_some(shl_tree *t, numbering *n, uint32_t begin, uint32_t end,
                            uint32_t subtree, uint32_t next)
{
    for (uint32_t i = begin; i < end; i++) {
        n->before[i] = next;
        next = number_one(t, n, i, subtree, next);
        n->after[i] = next;
    }
    return next;
}

// Renumbers the corners.
static void renumber(shl_tree *t, numbering *n)
{
    t->used_vertices = count_used(t, n);
    t->subtree_level = subtree_level(t, t->used_vertices);
    find_last_subtrees(t, n);
    memset(n->stamp, 0xff, t->vertex_count * sizeof *n->stamp);
    const uint32_t none = UINT32_MAX - 1; // all subtrees come before it
    uint32_t next = 0, done = 0;
    for (uint32_t subtree = t->level[t->subtree_level];
         subtree < t->level[t->subtree_level + 1]; subtree++) {
        const uint32_t begin = n->tri_begin[subtree], end = n->tri_end[subtree];
        next = number_some(t, n, done, begin, none, next); // leaves above the subtrees
        next = number_some(t, n, begin, end, subtree, next);
        for (uint32_t i = begin; i < end; i++)
            next = number_one(t, n, i, none, next);
        done = end;
    }
    next = number_some(t, n, done, t->triangle_count, none, next);
    for (uint32_t v = 0; v < t->vertex_count; v++) {
        if (n->stamp[v] == UINT32_MAX)
            t->order[next++] = v;
    }
    t->last_named = t->triangle_count;
    for (uint32_t i = t->triangle_count; i-- > 0;) {
        for (int k = 0; k < 3; k++) {
            t->tri[i].v[k] = n->stamp[t->tri[i].v[k]];
            if (t->tri[i].v[k] + 1 == t->vertex_count)
                t->last_named = i;
        }
    }
}

// Shell's sort with Ciura's gaps: leaves have a dozen rows, upper nodes some hundreds.
static void sort_rows(uint32_t *rows, uint32_t count)
{
    static const uint32_t gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        const uint32_t gap = gaps[g];
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t row = rows[i];
            uint32_t j = i;
            for (; j >= gap && rows[j - gap] > row; j -= gap)
                rows[j] = rows[j - gap];
            rows[j] = row;
        }
    }
}

// Writes a node's list to `out` (NULL: only counts) and returns its padded length.
static uint32_t list_node(const shl_tree *t, numbering *n, uint32_t row, uint32_t *out)
{
    const uint32_t begin = t->vertex_begin[row], end = t->vertex_end[row];
    uint32_t count = 0;
    for (uint32_t i = n->tri_begin[row]; i < n->tri_end[row]; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t v = t->tri[i].v[k];
            if ((v >= begin && v < end) || n->stamp[v] == row + 1)
                continue;
            n->stamp[v] = row + 1;
            if (out)
                out[count] = v;
            count++;
        }
    }
    if (out)
        sort_rows(out, count);
    for (; count % 4 != 0 || (t->leaf[row] && count < SHL_LEAF_LIST_MIN); count++) {
        if (out)
            out[count] = out[count - 1];
    }
    return count;
}

static shoal_status make_lists(shl_tree *t, numbering *n, const shoal_allocator *allocator)
{
    uint64_t total = 0;
    memset(n->stamp, 0, t->vertex_count * sizeof *n->stamp);
    for (uint32_t row = 0; row < t->node_count; row++) {
        const uint32_t last = n->tri_end[row];
        t->vertex_begin[row] = t->vertex_end[row] = n->before[n->tri_begin[row]];
        if (!t->leaf[row] && row >= t->level[t->subtree_level + 1])
            t->vertex_end[row] = n->after[last - 1];
        else if (!t->leaf[row]) // a subtree, or several
            t->vertex_end[row] = last < t->triangle_count ? n->before[last] : t->used_vertices;
        t->list_begin[row] = (uint32_t)total;
        total += list_node(t, n, row, NULL);
        if (total > UINT32_MAX)
            return SHOAL_ERR_LIMIT;
    }
    t->list_begin[t->node_count] = (uint32_t)total;
    t->list = shl_alloc(allocator, total * sizeof *t->list);
    if (!t->list)
        return SHOAL_ERR_MEMORY;
    t->list_count = (uint32_t)total;
    memset(n->stamp, 0, t->vertex_count * sizeof *n->stamp);
    for (uint32_t row = 0; row < t->node_count; row++)
        list_node(t, n, row, t->list + t->list_begin[row]);
    return SHOAL_OK;
}

static void link_children(shl_tree *t)
{
    for (uint32_t row = 0; row < t->node_count; row++) {
        t->inner[row] = 0;
        for (uint32_t k = 0; !t->leaf[row] && k < t->count[row]; k++) {
            t->inner[row] |= (uint8_t)(!t->leaf[t->first[row] + k] << k);
            t->parent[t->first[row] + k] = row;
        }
    }
}

shoal_status shl_tree_number_vertices(shl_tree *t, const shoal_allocator *allocator)
{
    const size_t nodes = t->node_count;
    t->inner = shl_alloc(allocator, nodes * sizeof *t->inner);
    t->parent = shl_zalloc(allocator, nodes * sizeof *t->parent);
    t->vertex_begin = shl_alloc(allocator, nodes * sizeof *t->vertex_begin);
    t->vertex_end = shl_alloc(allocator, nodes * sizeof *t->vertex_end);
    t->list_begin = shl_alloc(allocator, (nodes + 1) * sizeof *t->list_begin);
    t->order = shl_alloc(allocator, t->vertex_count * sizeof *t->order);
    const size_t scratch = 2 * (nodes + t->triangle_count + t->vertex_count) * sizeof(uint32_t);
    uint32_t *memory = shl_alloc(allocator, scratch);
    shoal_status st = SHOAL_ERR_MEMORY;
    if (memory && t->inner && t->parent && t->vertex_begin && t->vertex_end && t->list_begin &&
        t->order) {
        numbering n;
        n.tri_begin = memory;
        n.tri_end = n.tri_begin + nodes;
        n.before = n.tri_end + nodes;
        n.after = n.before + t->triangle_count;
        n.stamp = n.after + t->triangle_count;
        n.last_subtree = n.stamp + t->vertex_count;
        link_children(t);
        triangle_ranges(t, &n);
        renumber(t, &n);
        st = make_lists(t, &n, allocator);
    }
    shl_free(allocator, memory, scratch);
    return st;
}
