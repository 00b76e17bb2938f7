// SPDX-License-Identifier: MIT
// Triangles sorted by their lowest x are compared with those that begin before they end. Boxes
// are compared as they are, without arithmetic, so a rejected pair has no point in common.
#include "mesh_oracle.h"

#include "tri_oracle.h"

#include <math.h>
#include <stdlib.h>

typedef enum scope { BETWEEN_BODIES, WITHIN_APART, WITHIN_ALL } scope;

typedef struct item {
    double lo[3], hi[3];
    const oracle_mesh *mesh;
    uint32_t body, tri;
} item;

typedef struct item_list {
    item *items; // [capacity]
    size_t count, capacity;
} item_list;

typedef struct pair_list {
    oracle_pair *pairs; // [capacity]
    size_t count, capacity;
} pair_list;

static void *grown(void *block, size_t *capacity, size_t size)
{
    *capacity = *capacity ? 2 * *capacity : 256;
    void *larger = realloc(block, *capacity * size);
    if (!larger)
        abort(); // a shorter list would be a wrong truth
    return larger;
}

static bool all_finite(const oracle_mesh *m)
{
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        if (!isfinite(m->xyz[i]))
            return false;
    }
    return true;
}

static void corners_of(const oracle_mesh *m, uint32_t tri, double out[9])
{
    for (int i = 0; i < 9; i++)
        out[i] =
            m->xyz[3 * (size_t)m->tri[3 * (size_t)tri + (size_t)(i / 3)] + (size_t)(i % 3)];
}

static void push_body(item_list *list, const oracle_mesh *m, uint32_t body)
{
    if (!all_finite(m))
        return;
    for (uint32_t tri = 0; tri < m->triangle_count; tri++) {
        if (list->count == list->capacity)
            list->items = grown(list->items, &list->capacity, sizeof *list->items);
        item *it = &list->items[list->count++];
        *it = (item){.mesh = m, .body = body, .tri = tri};
        double c[9];
        corners_of(m, tri, c);
        for (int axis = 0; axis < 3; axis++) {
            it->lo[axis] = fmin(fmin(c[axis], c[3 + axis]), c[6 + axis]);
            it->hi[axis] = fmax(fmax(c[axis], c[3 + axis]), c[6 + axis]);
        }
    }
}

static int by_lowest_x(const void *left, const void *right)
{
    const item *a = left, *b = right;
    return (a->lo[0] > b->lo[0]) - (a->lo[0] < b->lo[0]);
}

static int by_fields(const void *left, const void *right)
{
    const oracle_pair *a = left, *b = right;
    if (a->body_a != b->body_a)
        return a->body_a < b->body_a ? -1 : 1;
    if (a->tri_a != b->tri_a)
        return a->tri_a < b->tri_a ? -1 : 1;
    if (a->body_b != b->body_b)
        return a->body_b < b->body_b ? -1 : 1;
    return (a->tri_b > b->tri_b) - (a->tri_b < b->tri_b);
}

static int first_corner(const uint32_t t[3], uint32_t vertex)
{
    for (int i = 0; i < 3; i++) {
        if (t[i] == vertex)
            return i;
    }
    return -1;
}

int oracle_shared_corners(const uint32_t a[3], const uint32_t b[3], int shared_a[3],
                          int shared_b[3])
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const int k = first_corner(b, a[i]);
        if (k < 0 || first_corner(a, a[i]) != i)
            continue;
        shared_a[count] = i;
        shared_b[count] = k;
        count++;
    }
    return count;
}

static bool yz_boxes_meet(const item *a, const item *b)
{
    return a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] &&
           b->lo[2] <= a->hi[2];
}

static bool items_meet(const item *a, const item *b, scope which)
{
    double ca[9], cb[9];
    corners_of(a->mesh, a->tri, ca);
    corners_of(b->mesh, b->tri, cb);
    if (which == BETWEEN_BODIES)
        return a->body != b->body && oracle_tri_tri(ca, cb);
    int shared_a[3], shared_b[3];
    const int count =
        oracle_shared_corners(&a->mesh->tri[3 * (size_t)a->tri],
                              &b->mesh->tri[3 * (size_t)b->tri], shared_a, shared_b);
    if (count == 0)
        return oracle_tri_tri(ca, cb);
    return which == WITHIN_ALL && oracle_tri_tri_adjacent(ca, cb, count, shared_a, shared_b);
}

static void push_pair(pair_list *list, const item *a, const item *b)
{
    if (list->count == list->capacity)
        list->pairs = grown(list->pairs, &list->capacity, sizeof *list->pairs);
    const bool in_order = a->body != b->body ? a->body < b->body : a->tri < b->tri;
    const item *first = in_order ? a : b, *second = in_order ? b : a;
    list->pairs[list->count++] =
        (oracle_pair){first->body, first->tri, second->body, second->tri};
}

static size_t sweep(item_list *list, scope which, oracle_pair **out)
{
    pair_list found = {0};
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, by_lowest_x);
    for (size_t i = 0; i < list->count; i++) {
        const item *a = &list->items[i];
        for (size_t k = i + 1; k < list->count && list->items[k].lo[0] <= a->hi[0]; k++) {
            const item *b = &list->items[k];
            if (yz_boxes_meet(a, b) && items_meet(a, b, which))
                push_pair(&found, a, b);
        }
    }
    if (found.count > 0)
        qsort(found.pairs, found.count, sizeof *found.pairs, by_fields);
    free(list->items);
    *out = found.pairs;
    return found.count;
}

size_t oracle_pairs(const oracle_mesh *m, uint32_t n, oracle_pair **out)
{
    item_list list = {0};
    for (uint32_t body = 0; body < n; body++)
        push_body(&list, &m[body], body);
    return sweep(&list, BETWEEN_BODIES, out);
}

size_t oracle_self_pairs(const oracle_mesh *m, bool with_adjacent, oracle_pair **out)
{
    item_list list = {0};
    push_body(&list, m, 0);
    return sweep(&list, with_adjacent ? WITHIN_ALL : WITHIN_APART, out);
}
