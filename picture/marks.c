// SPDX-License-Identifier: MIT
// What met in the last step: triangles in red, contact spheres in orange.
#include "picture/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float red[4] = {0.95f, 0.12f, 0.10f, 0.8f}, orange[4] = {1.0f, 0.62f, 0.10f, 0.2f};
static const double lift = 5e-4; // towards the eye, as a share of the way: over what it marks

// A triangle or a sphere of a body, by its number.
typedef struct element {
    uint32_t body, number;
} element;

static int by_element(const void *a, const void *b)
{
    const element *x = a, *y = b;
    if (x->body != y->body)
        return x->body < y->body ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static size_t sort_unique(element *list, size_t count)
{
    qsort(list, count, sizeof *list, by_element);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_element(&list[kept - 1], &list[i]) != 0)
            list[kept++] = list[i];
    }
    return kept;
}

static size_t add_pairs(const shoal_pair *pairs, size_t count, element *out)
{
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = (element){pairs[i].body_a, pairs[i].triangle_a};
        out[2 * i + 1] = (element){pairs[i].body_b, pairs[i].triangle_b};
    }
    return 2 * count;
}

// The marked triangles of one body.
static shoal_status write_body(shl_draws *d, const element *list, size_t count,
                               const double eye[3], float **xyz)
{
    const shl_seen *seen = shl_draws_seen(d, list->body);
    if (!seen)
        return SHOAL_OK;
    const uint32_t triangles = shoal_model_get_info(seen->model).triangle_count;
    const double *vertices;
    const uint32_t *corner;
    const shoal_status st = shl_draws_mesh(d, seen, &vertices, &corner);
    for (size_t i = 0; i < count && st == SHOAL_OK; i++) {
        for (size_t c = 0; c < 3 && list[i].number < triangles; c++) {
            const double *at = vertices + 3 * (size_t)corner[3 * (size_t)list[i].number + c];
            for (int k = 0; k < 3; k++)
                *(*xyz)++ = (float)(at[k] + lift * (eye[k] - at[k]) - d->origin[k]);
        }
    }
    return st;
}

static shoal_status draw_list(const element *list, size_t count, const double eye[3],
                              shl_draws *d)
{
    shl_mesh_arrays mesh;
    if (count == 0 || count > UINT32_MAX / 9)
        return SHOAL_OK;
    shoal_status st = shl_draws_add(d, 3 * (uint32_t)count, (uint32_t)count, 1, 0, &mesh);
    if (st != SHOAL_OK)
        return st;
    float *xyz = memset(mesh.xyz, 0, 9 * count * sizeof *mesh.xyz);
    for (size_t begin = 0, end; begin < count && st == SHOAL_OK; begin = end) {
        for (end = begin; end < count && list[end].body == list[begin].body; end++) {
        }
        st = write_body(d, list + begin, end - begin, eye, &xyz);
    }
    for (uint32_t i = 0; i < 3 * (uint32_t)count; i++)
        mesh.triangles[i] = i;
    shl_identity_instance(mesh.instances);
    memcpy(mesh.instances->colour, red, sizeof red);
    return st;
}

shoal_status shl_draw_pairs(const double eye[3], shl_draws *d)
{
    const shoal_pairs pairs = shoal_scene_pairs(d->scene);
    const shoal_pairs self = shoal_scene_self_pairs(d->scene);
    const shoal_pairs first = shoal_scene_first_pairs(d->scene);
    const size_t most = 2 * (pairs.count + self.count + first.count);
    if (most == 0)
        return SHOAL_OK;
    shl_array memory = {0};
    if (shl_array_reserve(&memory, most * sizeof(element), 0, d->allocator) != SHOAL_OK)
        return SHOAL_ERR_MEMORY;
    element *list = memory.data;
    size_t count = add_pairs(pairs.rows, pairs.count, list);
    count += add_pairs(self.rows, self.count, list + count);
    count += add_pairs(first.rows, first.count, list + count);
    count = sort_unique(list, count);
    const shoal_status st = draw_list(list, count, eye, d);
    shl_array_finish(&memory, d->allocator);
    return st;
}

// A ball of radius 1, 12 strips of 24.
enum { STRIPS = 12, SECTORS = 24, BALL_VERTICES = (STRIPS + 1) * SECTORS };

static void fill_ball(const shl_mesh_arrays *mesh)
{
    for (uint32_t v = 0; v < BALL_VERTICES; v++) {
        const uint32_t strip = v / SECTORS;
        const double down = M_PI * strip / STRIPS, round = 2 * M_PI * (v % SECTORS) / SECTORS;
        mesh->xyz[3 * v] = (float)(sin(down) * cos(round));
        mesh->xyz[3 * v + 1] = (float)(sin(down) * sin(round));
        mesh->xyz[3 * v + 2] = (float)cos(down);
    }
    uint32_t *to = mesh->triangles;
    for (uint32_t strip = 0; strip < STRIPS; strip++) {
        for (uint32_t i = 0; i < SECTORS; i++) {
            const uint32_t a = strip * SECTORS + i, b = strip * SECTORS + (i + 1) % SECTORS;
            const uint32_t corners[6] = {a, a + SECTORS, b, b, a + SECTORS, b + SECTORS};
            memcpy(to, corners, sizeof corners);
            to += 6;
        }
    }
}

// The sphere as it is in the body's state; false: there is none that could be seen.
static bool sphere_of(const shl_draws *d, element e, double out[4])
{
    const shl_seen *seen = shl_draws_seen(d, e.body);
    return seen && shoal_scene_sphere(d->scene, seen->id, e.number, out);
}

static void transform_sphere(const shl_draws *d, element e, shl_gpu_instance *out)
{
    double at[4];
    memset(out, 0, sizeof *out);
    if (!sphere_of(d, e, at))
        return;
    for (int k = 0; k < 3; k++) {
        out->place[k][k] = (float)at[3];
        out->place[k][3] = (float)(at[k] - d->origin[k]);
    }
    memcpy(out->colour, orange, sizeof orange);
}

shoal_status shl_draw_spheres(shl_draws *d)
{
    const shoal_sphere_contacts r = shoal_scene_sphere_contacts(d->scene);
    if (r.count == 0)
        return SHOAL_OK;
    shl_array memory = {0};
    if (shl_array_reserve(&memory, 2 * r.count * sizeof(element), 0, d->allocator) != SHOAL_OK)
        return SHOAL_ERR_MEMORY;
    element *list = memory.data;
    size_t count = 0;
    for (size_t i = 0; i < r.count; i++) {
        const shoal_sphere_contact *c = &r.rows[i];
        const element both[2] = {{c->body_a, c->sphere_a}, {c->body_b, c->element_b}};
        for (int k = 0; k < 2; k++) {
            double at[4];
            if (sphere_of(d, both[k], at))
                list[count++] = both[k];
        }
    }
    count = sort_unique(list, count);
    shl_mesh_arrays mesh;
    shoal_status st = count <= UINT32_MAX ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        st = shl_draws_add(d, BALL_VERTICES, 2 * STRIPS * SECTORS, (uint32_t)count, 0, &mesh);
    if (st == SHOAL_OK) {
        fill_ball(&mesh);
        for (size_t i = 0; i < count; i++)
            transform_sphere(d, list[i], &mesh.instances[i]);
    }
    shl_array_finish(&memory, d->allocator);
    return st;
}
