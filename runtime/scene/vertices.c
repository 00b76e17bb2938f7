// SPDX-License-Identifier: MIT
#include "runtime/scene/vertices.h"

#include "layouts/float_env.h"
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
    shl_kinds[kind]->vertices(s->kinds[kind], s->bodies.row[body], 0, v->tree->vertex_count,
                              v->memory.data);
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

// --- For users. ---

enum { RUN = 64 }; // vertices evaluated at a time

static const char *fault_of(const shoal_vertices *out, uint32_t count)
{
    if (!out || !out->x || !out->y || !out->z)
        return "out, x, y or z is NULL";
    if (out->stride == 0)
        return "stride is 0";
    if (out->scalar != SHOAL_F32 && out->scalar != SHOAL_F64)
        return "unknown scalar";
    if (out->order != SHOAL_ORDER_USER && out->order != SHOAL_ORDER_TREE)
        return "unknown order";
    if (out->first > count || out->count > count - out->first)
        return "the range ends beyond the model's vertices";
    return NULL;
}

static void write_run(const shoal_vertices *out, const double *xyz, const uint32_t *names,
                      uint32_t begin, uint32_t end)
{
    void *const axis[3] = {out->x, out->y, out->z};
    for (uint32_t row = begin; row < end; row++) {
        const size_t at = ((names ? names[row] : row) - out->first) * out->stride;
        for (int k = 0; k < 3; k++, xyz++) {
            if (out->scalar == SHOAL_F32)
                ((float *)axis[k])[at] = (float)*xyz;
            else
                ((double *)axis[k])[at] = *xyz;
        }
    }
}

shoal_status shoal_scene_vertices(const shoal_scene *s, shoal_body id,
                                  const shoal_vertices *out)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "vertices: the scene is NULL");
    shoal_status st;
    const uint32_t body = shl_body_find(s, id, "vertices", &st);
    if (body == SHL_NONE)
        return st;
    shl_view view;
    shl_view_of(&s->ports, body, &view);
    const char *fault = fault_of(out, view.tree->vertex_count);
    if (fault)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "vertices: %s", fault);
    if (!shl_body_is(&s->bodies, body, SHL_BODY_ACTIVE | SHL_BODY_BAD | SHL_BODY_FRESH))
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "vertices: body %u has no state yet", body);
    const void *self = s->kinds[s->bodies.kind[body]];
    const uint32_t row = s->bodies.row[body];
    const shl_kind *kind = view.kind;
    const uint32_t *names = out->order == SHOAL_ORDER_USER ? view.tree->order
                            : kind->model_rows             ? kind->model_rows(self, row)
                                                           : NULL;
    const uint32_t last = names ? view.tree->vertex_count : out->first + out->count;
    for (uint32_t begin = names ? 0 : out->first, end; begin < last; begin = end) {
        double xyz[3 * RUN];
        for (end = begin; end < last && end - begin < RUN &&
                          (!names || names[end] - out->first < out->count);
             end++) {
        }
        if (end == begin) {
            end++;
            continue;
        }
        kind->vertices(self, row, begin, end, xyz);
        write_run(out, xyz, names, begin, end);
    }
    return SHOAL_OK;
}
