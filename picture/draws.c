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
    shl_array_finish(&d->seen, d->allocator);
    shl_array_finish(&d->xyz, d->allocator);
    shl_array_finish(&d->corner, d->allocator);
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

// --- What can be seen. ---

static void add_to_sight(void *user, const shoal_tree_box *box)
{
    shl_sight *all = user;
    bool finite = true;
    for (int k = 0; k < 3; k++)
        finite = finite && isfinite(box->lo[k]) && isfinite(box->hi[k]);
    for (int k = 0; k < 3 && finite; k++) {
        all->lo[k] = all->any && all->lo[k] < box->lo[k] ? all->lo[k] : box->lo[k];
        all->hi[k] = all->any && all->hi[k] > box->hi[k] ? all->hi[k] : box->hi[k];
    }
    all->any = all->any || finite;
}

shl_sight shl_sight_of(const shoal_scene *s)
{
    shl_sight all = {.any = false};
    if (s && shoal_scene_boxes(s, 0, false, add_to_sight, &all) != SHOAL_OK)
        all = (shl_sight){.any = false};
    return all;
}

typedef struct collection {
    shl_draws *draws;
    shoal_status status;
} collection;

static void add_seen(void *user, const shoal_tree_box *box)
{
    collection *l = user;
    shl_draws *d = l->draws;
    const size_t size = sizeof(shl_seen), n = d->seen_count;
    if (l->status == SHOAL_OK)
        l->status = shl_array_reserve(&d->seen, (n + 1) * size, n * size, d->allocator);
    if (l->status != SHOAL_OK)
        return;
    shl_seen *seen = (shl_seen *)d->seen.data + d->seen_count++;
    *seen = (shl_seen){.id = box->body, .model = shoal_scene_model(d->scene, box->body)};
    seen->is_instance = shoal_scene_instance(d->scene, box->body, &seen->instance);
}

shoal_status shl_draws_look(shl_draws *d)
{
    collection l = {d, SHOAL_OK};
    const shoal_status st = shoal_scene_boxes(d->scene, 0, false, add_seen, &l);
    return st == SHOAL_OK ? l.status : st;
}

const shl_seen *shl_draws_seen(const shl_draws *d, uint32_t body)
{
    const shl_seen *seen = d->seen.data;
    uint32_t begin = 0, end = d->seen_count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (seen[middle].id.index1 - 1 < body)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < d->seen_count && seen[begin].id.index1 - 1 == body ? &seen[begin] : NULL;
}

shoal_status shl_draws_mesh(shl_draws *d, const shl_seen *seen, const double **xyz,
                            const uint32_t **corner)
{
    const shoal_model_info info = shoal_model_get_info(seen->model);
    if (shl_array_reserve(&d->xyz, 3 * sizeof **xyz * info.vertex_count, 0, d->allocator) ||
        shl_array_reserve(&d->corner, 3 * sizeof **corner * info.triangle_count, 0,
                          d->allocator))
        return SHOAL_ERR_MEMORY;
    shoal_vertices v = shoal_vertices_f64(d->xyz.data, 0, info.vertex_count);
    v.order = SHOAL_ORDER_TREE;
    shoal_model_triangles(seen->model, SHOAL_ORDER_TREE, d->corner.data);
    *xyz = d->xyz.data;
    *corner = d->corner.data;
    return shoal_scene_vertices(d->scene, seen->id, &v);
}

// --- Bodies. ---

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

void shl_identity_instance(shl_gpu_instance *out)
{
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++)
        out->place[k][k] = 1;
}

static shoal_status draw_one(const shl_seen *seen, shl_draws *d)
{
    const shoal_model_info info = shoal_model_get_info(seen->model);
    shl_mesh_arrays mesh;
    const double *xyz;
    const uint32_t *corner;
    shoal_status st = shl_draws_mesh(d, seen, &xyz, &corner);
    if (st == SHOAL_OK)
        st = shl_draws_add(d, info.vertex_count, info.triangle_count, 1, 0, &mesh);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < 3 * (size_t)info.vertex_count; i++)
        mesh.xyz[i] = (float)(xyz[i] - d->origin[i % 3]);
    memcpy(mesh.triangles, corner, 3 * sizeof *corner * info.triangle_count);
    shl_identity_instance(mesh.instances);
    colour_of(seen->id.index1 - 1, mesh.instances->colour);
    return SHOAL_OK;
}

static void transform_instance(const shoal_instance *b, const double origin[3],
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

// All instances of a model at once, beginning with `first`.
static shoal_status draw_model(uint32_t first, shl_draws *d)
{
    shl_seen *seen = d->seen.data;
    const shoal_model *model = seen[first].model;
    const shoal_instance *shape = &seen[first].instance;
    const shoal_model_info info = shoal_model_get_info(model);
    uint32_t count = 0;
    for (uint32_t i = first; i < d->seen_count; i++)
        count += seen[i].is_instance && seen[i].model == model;
    shl_mesh_arrays mesh;
    const shoal_status st = shl_draws_add(d, info.vertex_count, info.triangle_count, count,
                                          shape->field_count, &mesh);
    if (st != SHOAL_OK)
        return st;
    for (size_t i = 0; i < 3 * (size_t)info.vertex_count; i++)
        mesh.xyz[i] = (float)shape->rest[i];
    shoal_model_triangles(model, SHOAL_ORDER_TREE, mesh.triangles);
    ((shl_gpu_draw *)d->draws.data)[d->count - 1].fields = shape->fields;
    for (uint32_t i = first, at = 0; i < d->seen_count; i++) {
        if (!seen[i].is_instance || seen[i].model != model)
            continue;
        transform_instance(&seen[i].instance, d->origin, &mesh.instances[at],
                           mesh.q + (size_t)at * shape->field_count);
        colour_of(seen[i].id.index1 - 1, mesh.instances[at++].colour);
        seen[i].drawn = true;
    }
    return SHOAL_OK;
}

shoal_status shl_draw_bodies(shl_draws *d)
{
    const shl_seen *seen = d->seen.data;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < d->seen_count && st == SHOAL_OK; i++) {
        if (!seen[i].drawn)
            st = seen[i].is_instance ? draw_model(i, d) : draw_one(&seen[i], d);
    }
    return st;
}

shoal_status shl_draw_floor(double height, shl_draws *d)
{
    const shl_sight box = shl_sight_of(d->scene);
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
    shl_identity_instance(mesh.instances);
    static const float grey[4] = {0.80f, 0.80f, 0.82f, 0};
    memcpy(mesh.instances->colour, grey, sizeof grey);
    return SHOAL_OK;
}
