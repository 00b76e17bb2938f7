// SPDX-License-Identifier: MIT
#include "runtime/scene/vertices.h"

#include "runtime/scene/scene.h"

void shl_vertices_finish(shl_vertices *v)
{
    shl_array_finish(&v->memory, &v->scene->ctx->allocator);
    v->tree = NULL;
    v->xyz = NULL;
}

shoal_status shl_vertices_of(shl_vertices *v, uint32_t body)
{
    const shoal_scene *s = v->scene;
    const uint8_t kind = s->bodies.kind[body];
    shl_view view;
    shl_view_of(&s->ports, body, &view);
    const shoal_status st =
        shl_array_reserve(&v->memory, 3 * (size_t)view.tree->vertex_count * sizeof(double), 0,
                          &s->ctx->allocator);
    if (st != SHOAL_OK) {
        shl_vertices_finish(v);
        return st;
    }
    v->body = body;
    v->tree = view.tree;
    v->xyz = v->memory.data;
    shl_kinds[kind]->vertices(s->kinds[kind], s->bodies.row[body], v->memory.data);
    return SHOAL_OK;
}

shoal_status shl_vertices_next(shl_vertices *v)
{
    const shl_bodies *b = &v->scene->bodies;
    while (v->next < b->table.count && !shl_body_is(b, v->next, SHL_BODY_ACTIVE))
        v->next++;
    if (v->next < b->table.count)
        return shl_vertices_of(v, v->next++);
    shl_vertices_finish(v);
    return SHOAL_OK;
}
