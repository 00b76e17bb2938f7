// SPDX-License-Identifier: MIT
#include "picture/draws.h"

#include <math.h>
#include <string.h>

void shl_draws_finish(shl_draws *d)
{
    shl_array *memory = d->memory.data;
    for (uint32_t i = 0; i < d->memory_count; i++)
        shl_array_finish(&memory[i], d->allocator);
    shl_array_finish(&d->memory, d->allocator);
    shl_array_finish(&d->draws, d->allocator);
}

// Memory that lives as long as the draws. NULL: there is none.
static void *allocate(shl_draws *d, size_t bytes)
{
    const size_t n = d->memory_count, size = sizeof(shl_array);
    if (shl_array_reserve(&d->memory, (n + 1) * size, n * size, d->allocator) != SHOAL_OK)
        return NULL;
    shl_array *memory = d->memory.data;
    memory[n] = (shl_array){0};
    if (shl_array_reserve(&memory[n], bytes ? bytes : 1, 0, d->allocator) != SHOAL_OK)
        return NULL;
    d->memory_count++;
    return memory[n].data;
}

shoal_status shl_draws_add(shl_draws *d, uint32_t vertices, uint32_t triangles,
                           uint32_t instances, uint32_t fields, shl_mesh_arrays *out)
{
    const size_t n = d->count, size = sizeof(shl_gpu_draw);
    if (shl_array_reserve(&d->draws, (n + 1) * size, n * size, d->allocator) != SHOAL_OK)
        return SHOAL_ERR_MEMORY;
    out->xyz = allocate(d, 3 * (size_t)vertices * sizeof *out->xyz);
    out->triangles = allocate(d, 3 * (size_t)triangles * sizeof *out->triangles);
    out->instances = allocate(d, (size_t)instances * sizeof *out->instances);
    out->q = allocate(d, (size_t)instances * fields * sizeof *out->q);
    if (!out->xyz || !out->triangles || !out->instances || !out->q)
        return SHOAL_ERR_MEMORY;
    shl_gpu_draw *draw = (shl_gpu_draw *)d->draws.data + n;
    *draw = (shl_gpu_draw){.xyz = out->xyz,
                           .triangles = out->triangles,
                           .instances = out->instances,
                           .q = out->q,
                           .vertex_count = vertices,
                           .triangle_count = triangles,
                           .field_count = fields,
                           .instance_count = instances};
    d->count++;
    return SHOAL_OK;
}

shl_box shl_draws_extent(const shoal_scene *s)
{
    shl_box all = {{0}, {0}};
    bool any = false;
    for (uint32_t i = 0; i < s->bodies.table.count; i++) {
        const shl_box *box = &s->bodies.box[i];
        bool finite = shl_visible(s, i);
        for (int k = 0; k < 3 && finite; k++)
            finite = isfinite(box->lo[k]) && isfinite(box->hi[k]);
        if (!finite)
            continue;
        for (int k = 0; k < 3; k++) {
            all.lo[k] = any && all.lo[k] < box->lo[k] ? all.lo[k] : box->lo[k];
            all.hi[k] = any && all.hi[k] > box->hi[k] ? all.hi[k] : box->hi[k];
        }
        any = true;
    }
    return all;
}

// Soft colours, the same for a body in every picture. The golden ratio keeps neighbours apart.
static void colour_of(uint32_t body, float out[4])
{
    const double hue = 6 * fmod(0.58 + 0.6180339887 * body, 1.0);
    for (int k = 0; k < 3; k++) {
        const double away = fabs(fmod(hue + 6 - 2.0 * k, 6.0) - 3) - 1; // of a colour wheel
        const double full = away < 0 ? 0 : away > 1 ? 1 : away;
        out[k] = (float)(0.52 + 0.36 * full);
    }
    out[3] = 0;
}

static void copy_triangles(const shl_tree *tree, uint32_t *out)
{
    for (uint32_t t = 0; t < tree->triangle_count; t++)
        memcpy(out + 3 * (size_t)t, tree->tri[t].v, 3 * sizeof *out);
}

static void identity_instance(shl_gpu_instance *out)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++)
        out->place[k][k] = 1;
}

static shoal_status draw_one(const shl_vertices *v, shl_draws *d)
{
    shl_mesh_arrays mesh;
    const shl_tree *tree = v->tree;
    const shoal_status st =
        shl_draws_add(d, tree->vertex_count, tree->triangle_count, 1, 0, &mesh);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < 3 * (size_t)tree->vertex_count; i++)
        mesh.xyz[i] = (float)(v->xyz[i] - d->origin[i % 3]);
    copy_triangles(tree, mesh.triangles);
    identity_instance(mesh.instances);
    colour_of(v->body, mesh.instances->colour);
    return SHOAL_OK;
}

static void transform_instance(const shl_instance *b, const double origin[3],
                               shl_gpu_instance *out, float *q)
{
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++)
            out->place[k][j] = (float)b->rotation[3 * k + j];
        out->place[k][3] = (float)(b->translation[k] - origin[k]);
    }
    for (uint32_t j = 0; j < b->field_count; j++)
        q[j] = (float)b->q[j];
}

// The body as an instance of its model; false if it is none, or cannot be seen.
static bool instance_of(const shoal_scene *s, uint32_t body, shl_instance *out)
{
    const uint8_t kind = s->bodies.kind[body];
    return shl_visible(s, body) && shl_kinds[kind]->instance &&
           shl_kinds[kind]->instance(s->kinds[kind], s->bodies.row[body], out);
}

// All instances of a model at once, beginning with body `first`.
static shoal_status draw_model(const shoal_scene *s, uint32_t first, shl_draws *d)
{
    shl_instance model, other;
    if (!instance_of(s, first, &model))
        return SHOAL_OK;
    const shl_tree *tree = &s->bodies.model[first]->tree;
    uint32_t count = 0;
    for (uint32_t i = first; i < s->bodies.table.count; i++)
        count += instance_of(s, i, &other) && other.fields == model.fields;
    shl_mesh_arrays mesh;
    const shoal_status st = shl_draws_add(d, tree->vertex_count, tree->triangle_count, count,
                                          model.field_count, &mesh);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < 3 * (size_t)tree->vertex_count; i++)
        mesh.xyz[i] = (float)model.rest[i];
    copy_triangles(tree, mesh.triangles);
    ((shl_gpu_draw *)d->draws.data)[d->count - 1].fields = model.fields;
    for (uint32_t i = first, at = 0; i < s->bodies.table.count; i++) {
        if (!instance_of(s, i, &other) || other.fields != model.fields)
            continue;
        transform_instance(&other, d->origin, &mesh.instances[at],
                           mesh.q + (size_t)at * model.field_count);
        colour_of(i, mesh.instances[at].colour);
        at++;
    }
    return SHOAL_OK;
}

// Models are few, so those that are drawn already are found by looking at all draws.
static bool drawn(const shl_draws *d, const float *fields)
{
    const shl_gpu_draw *draws = d->draws.data;
    for (uint32_t i = 0; i < d->count; i++) {
        if (draws[i].fields == fields)
            return true;
    }
    return false;
}

shoal_status shl_draw_bodies(const shoal_scene *s, shl_draws *d)
{
    shl_vertices v = {.scene = s};
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->bodies.table.count && st == SHOAL_OK; i++) {
        shl_instance model;
        if (!shl_visible(s, i))
            continue;
        if (instance_of(s, i, &model)) {
            st = drawn(d, model.fields) ? SHOAL_OK : draw_model(s, i, d);
            continue;
        }
        st = shl_vertices_of(&v, i);
        if (st == SHOAL_OK)
            st = draw_one(&v, d);
    }
    shl_vertices_finish(&v);
    return st;
}

shoal_status shl_draw_floor(const shoal_scene *s, double height, shl_draws *d)
{
    const shl_box box = shl_draws_extent(s);
    const double wide = 30 * (double)fmaxf(fmaxf(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]),
                                           box.hi[2] - box.lo[2]);
    shl_mesh_arrays mesh;
    const shoal_status st = shl_draws_add(d, 4, 2, 1, 0, &mesh);
    if (st != SHOAL_OK)
        return st;
    static const uint32_t corners[6] = {0, 1, 3, 0, 3, 2};
    memcpy(mesh.triangles, corners, sizeof corners);
    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < 2; k++) {
            const double middle = 0.5 * ((double)box.lo[k] + box.hi[k]);
            mesh.xyz[3 * v + k] = (float)(middle + (v >> k & 1 ? wide : -wide) - d->origin[k]);
        }
        mesh.xyz[3 * v + 2] = (float)(height - d->origin[2]);
    }
    identity_instance(mesh.instances);
    static const float grey[4] = {0.80f, 0.80f, 0.82f, 0};
    memcpy(mesh.instances->colour, grey, sizeof grey);
    return SHOAL_OK;
}
