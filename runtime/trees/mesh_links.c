// SPDX-License-Identifier: MIT
#include "runtime/trees/self_cull.h"

#include <string.h>

// The one triangle that runs through an edge the other way; none if anything else lies there.
static uint32_t find_across(const shl_tree *t, const shl_mesh_links *m, uint32_t row,
                            uint32_t from, uint32_t to)
{
    uint32_t found = SHL_NO_ROW, others = 0;
    for (uint32_t i = m->begin[from]; i < m->begin[from + 1]; i++) {
        const uint32_t other = m->around[i];
        const uint32_t *v = t->tri[other].v;
        if (other == row || (v[0] != to && v[1] != to && v[2] != to))
            continue;
        others++;
        for (int k = 0; k < 3; k++) {
            if (v[k] == to && v[(k + 1) % 3] == from)
                found = other;
        }
    }
    return others == 1 ? found : SHL_NO_ROW;
}

static void fill(const shl_tree *t, shl_mesh_links *m)
{
    for (uint32_t n = 0; n < t->node_count; n++) {
        for (uint32_t k = 0; t->leaf[n] && k < t->count[n]; k++)
            m->leaf_of[t->first[n] + k] = n;
    }
    for (uint32_t i = 0; i < 3 * t->triangle_count; i++)
        m->begin[t->tri[i / 3].v[i % 3] + 1]++;
    for (uint32_t v = 0; v < t->vertex_count; v++)
        m->begin[v + 1] += m->begin[v];
    for (uint32_t i = 3 * t->triangle_count; i-- > 0;)
        m->around[--m->begin[t->tri[i / 3].v[i % 3] + 1]] = i / 3;
    // every row now holds where its vertex begins, one place too far
    memmove(m->begin, m->begin + 1, t->vertex_count * sizeof *m->begin);
    m->begin[t->vertex_count] = 3 * t->triangle_count;
    for (uint32_t i = 0; i < 3 * t->triangle_count; i++) {
        const uint32_t *v = t->tri[i / 3].v;
        m->across[i] = find_across(t, m, i / 3, v[i % 3], v[(i % 3 + 1) % 3]);
    }
}

shoal_status shl_mesh_links_make(const shl_tree *tree, const shoal_allocator *allocator,
                                 shl_mesh_links *out)
{
    const size_t triangles = tree->triangle_count, vertices = tree->vertex_count;
    *out = (shl_mesh_links){.triangle_count = tree->triangle_count,
                            .vertex_count = tree->vertex_count};
    out->leaf_of = shl_alloc(allocator, triangles * sizeof *out->leaf_of);
    out->begin = shl_zalloc(allocator, (vertices + 1) * sizeof *out->begin);
    out->around = shl_alloc(allocator, 3 * triangles * sizeof *out->around);
    out->across = shl_alloc(allocator, 3 * triangles * sizeof *out->across);
    if (!out->leaf_of || !out->begin || !out->around || !out->across) {
        shl_mesh_links_finish(out, allocator);
        return SHOAL_ERR_MEMORY;
    }
    fill(tree, out);
    return SHOAL_OK;
}

void shl_mesh_links_finish(shl_mesh_links *links, const shoal_allocator *allocator)
{
    const size_t triangles = links->triangle_count, vertices = links->vertex_count;
    shl_free(allocator, links->leaf_of, triangles * sizeof *links->leaf_of);
    shl_free(allocator, links->begin, (vertices + 1) * sizeof *links->begin);
    shl_free(allocator, links->around, 3 * triangles * sizeof *links->around);
    shl_free(allocator, links->across, 3 * triangles * sizeof *links->across);
    *links = (shl_mesh_links){0};
}
