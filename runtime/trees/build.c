// SPDX-License-Identifier: MIT
#include "runtime/trees/build.h"

#include "runtime/trees/ranges.h"

#include <string.h>

static shl_builder_fn *const builders[] = {
    [SHOAL_BUILDER_SURFACE_AREA] = shl_build_surface_area,
    [SHOAL_BUILDER_INITIAL_SHAPE_CENTRE] = shl_build_shape,
    [SHOAL_BUILDER_INITIAL_SHAPE_MEAN] = shl_build_shape,
    [SHOAL_BUILDER_CONNECTIVITY] = shl_build_connectivity,
    [SHOAL_BUILDER_POSES] = shl_build_surface_area,
};

static shoal_status put_triangles(const shl_build *b)
{
    const uint32_t n = b->in->triangle_count;
    shl_tree *t = b->out;
    t->tri = shl_alloc(b->allocator, n * sizeof *t->tri);
    if (!t->tri)
        return SHOAL_ERR_MEMORY;
    t->triangle_count = n;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t id = b->order[i];
        const uint32_t *v = b->in->triangles + 3 * (size_t)id;
        t->tri[i] = (shl_tri){{v[0], v[1], v[2]}, id};
    }
    return SHOAL_OK;
}

shoal_status shl_tree_build(const shl_build_input *input, const shoal_allocator *allocator,
                            shl_tree *out)
{
    memset(out, 0, sizeof *out);
    const uint32_t n = input->triangle_count;
    const size_t bytes = n * sizeof(uint32_t);
    shl_build b = {
        input, allocator, input->arity ? input->arity : SHL_LANES, shl_alloc(allocator, bytes),
        0,     out};
    if (!b.order)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
        b.order[i] = i;
    out->vertex_count = input->vertex_count;
    shoal_status st = builders[input->builder](&b);
    if (st == SHOAL_OK)
        st = put_triangles(&b);
    shl_free(allocator, b.order, bytes);
    if (st == SHOAL_OK)
        st = shl_tree_number_vertices(out, allocator);
    if (st != SHOAL_OK)
        shl_tree_finish(out, allocator);
    return st;
}
