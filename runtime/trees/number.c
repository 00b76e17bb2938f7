// SPDX-License-Identifier: MIT
// Vertices in tree order: each row of a tree owns the vertices its triangles name first.
#include "runtime/trees/build.h"

#include <string.h>

typedef struct numbering {
    uint32_t *tri_begin, *tri_end; // [node_count] triangle rows of a node
    uint32_t *new_before;          // [triangle_count + 1] vertices named before a triangle
    uint32_t *stamp;               // [vertex_count] last node that listed the vertex, plus 1
} numbering;

static void triangle_ranges(const shl_tree *t, numbering *n)
{
    for (uint32_t row = t->node_count; row-- > 0;) {
        const uint32_t first = t->first[row], last = first + t->count[row] - 1;
        n->tri_begin[row] = t->leaf[row] ? first : n->tri_begin[first];
        n->tri_end[row] = t->leaf[row] ? last + 1 : n->tri_end[last];
    }
}

// Renumbers the corners; `stamp` serves as the map from old to new here.
static void renumber(shl_tree *t, numbering *n)
{
    uint32_t next = 0;
    t->last_named = t->triangle_count;
    memset(n->stamp, 0xff, t->vertex_count * sizeof *n->stamp);
    for (uint32_t i = 0; i < t->triangle_count; i++) {
        n->new_before[i] = next;
        for (int k = 0; k < 3; k++) {
            const uint32_t old = t->tri[i].v[k];
            if (n->stamp[old] == UINT32_MAX) {
                t->order[next] = old;
                n->stamp[old] = next++;
                if (next == t->vertex_count)
                    t->last_named = i;
            }
            t->tri[i].v[k] = n->stamp[old];
        }
    }
    n->new_before[t->triangle_count] = next;
    t->used_vertices = next;
    for (uint32_t v = 0; v < t->vertex_count; v++) {
        if (n->stamp[v] == UINT32_MAX)
            t->order[next++] = v;
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
    const uint32_t below = t->leaf[row] ? UINT32_MAX : t->vertex_begin[row];
    uint32_t count = 0;
    for (uint32_t i = n->tri_begin[row]; i < n->tri_end[row]; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t v = t->tri[i].v[k];
            if (v >= below || n->stamp[v] == row + 1)
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
        const uint32_t begin = n->new_before[n->tri_begin[row]];
        t->vertex_begin[row] = begin;
        t->vertex_end[row] = t->leaf[row] ? begin : n->new_before[n->tri_end[row]];
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

static void mark_children(shl_tree *t)
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
    const size_t scratch =
        (2 * nodes + t->triangle_count + 1 + t->vertex_count) * sizeof(uint32_t);
    uint32_t *memory = shl_alloc(allocator, scratch);
    shoal_status st = SHOAL_ERR_MEMORY;
    if (memory && t->inner && t->parent && t->vertex_begin && t->vertex_end && t->list_begin &&
        t->order) {
        numbering n;
        n.tri_begin = memory;
        n.tri_end = n.tri_begin + nodes;
        n.new_before = n.tri_end + nodes;
        n.stamp = n.new_before + t->triangle_count + 1;
        mark_children(t);
        triangle_ranges(t, &n);
        renumber(t, &n);
        st = make_lists(t, &n, allocator);
    }
    shl_free(allocator, memory, scratch);
    return st;
}
