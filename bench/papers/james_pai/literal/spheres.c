// SPDX-License-Identifier: MIT
#include "bench/papers/james_pai/literal/spheres.h"

#include "runtime/trees/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double distance(const double a[3], const double b[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

static void value_at(const shl_reduced *m, int field, uint32_t vertex, double out[3])
{
    for (size_t k = 0; k < 3; k++)
        out[k] =
            field < 0
                ? m->rest[3 * (size_t)vertex + k]
                : (double)m->fields[3 * ((size_t)vertex * m->field_count + (size_t)field) + k];
}

// The middle of the box at rest, the mean of a field.
static void centre_of(const shl_reduced *m, int field, const uint32_t *list, uint32_t count,
                      double out[3])
{
    double lo[3], hi[3], sum[3] = {0};
    value_at(m, field, list[0], lo);
    memcpy(hi, lo, sizeof hi);
    for (uint32_t i = 0; i < count; i++) {
        double v[3];
        value_at(m, field, list[i], v);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], v[k]);
            hi[k] = fmax(hi[k], v[k]);
            sum[k] += v[k];
        }
    }
    for (int k = 0; k < 3; k++)
        out[k] = field < 0 ? 0.5 * (lo[k] + hi[k]) : sum[k] / count;
}

static double radius_about(const shl_reduced *m, int field, const uint32_t *list,
                           uint32_t count, const double centre[3])
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        double v[3];
        value_at(m, field, list[i], v);
        most = fmax(most, distance(v, centre));
    }
    return most;
}

bool literal_spheres_create(const literal_tree *tree, const shl_reduced *model,
                            literal_centres centres, literal_spheres *out)
{
    *out = (literal_spheres){.tree = tree, .row_floats = 4 + 4 * model->field_count};
    out->rows = malloc((size_t)tree->node_count * out->row_floats * sizeof *out->rows);
    for (uint32_t n = 0; out->rows && n < tree->node_count; n++) {
        const literal_node *node = &tree->nodes[n];
        uint32_t *list = tree->vertices + node->first_vertex;
        const shl_below below = {model, list, node->vertex_count};
        float *row = out->rows + (size_t)n * out->row_floats;
        for (int field = -1; field < (int)model->field_count; field++, row += 4) {
            double c[3], r;
            if (centres == LITERAL_BALLS) {
                r = shl_below_ball(&below, field, c);
            } else {
                centre_of(model, field, list, node->vertex_count, c);
                r = radius_about(model, field, list, node->vertex_count, c);
            }
            for (int k = 0; k < 3; k++)
                row[k] = (float)c[k];
            row[3] = shl_upwards(r);
        }
    }
    return out->rows;
}

void literal_spheres_finish(literal_spheres *s)
{
    free(s->rows);
    memset(s, 0, sizeof *s);
}

literal_sphere literal_wrapped(const literal_spheres *s, uint32_t node, const double *q)
{
    const float *row = s->rows + (size_t)node * s->row_floats;
    literal_sphere out = {{(double)row[0], (double)row[1], (double)row[2]}, (double)row[3]};
    for (uint32_t i = 4; i < s->row_floats; i += 4, q++) {
        for (uint32_t k = 0; k < 3; k++)
            out.c[k] += (double)row[i + k] * *q;
        out.r += (double)row[i + 3] * fabs(*q);
    }
    return out;
}

// --- Layered. ---

// The smallest ball around three points: over the longest side, or through all three.
static literal_sphere around_triangle(const double *const p[3])
{
    int far = 0; // the corner opposite to the longest side
    for (int i = 1; i < 3; i++) {
        if (distance(p[(i + 1) % 3], p[(i + 2) % 3]) >
            distance(p[(far + 1) % 3], p[(far + 2) % 3]))
            far = i;
    }
    const double *a = p[far], *b = p[(far + 1) % 3], *c = p[(far + 2) % 3];
    literal_sphere out;
    double ab[3], ac[3], bb = 0, cc = 0, bc = 0;
    for (int k = 0; k < 3; k++) {
        out.c[k] = 0.5 * (b[k] + c[k]);
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        bb += ab[k] * ab[k];
        cc += ac[k] * ac[k];
        bc += ab[k] * ac[k];
    }
    const double area = bb * cc - bc * bc;
    if (bc > 0 && area > 0) { // an acute angle
        const double s = 0.5 * cc * (bb - bc) / area, t = 0.5 * bb * (cc - bc) / area;
        for (int k = 0; k < 3; k++)
            out.c[k] = a[k] + s * ab[k] + t * ac[k];
    }
    out.r = fmax(distance(out.c, a), fmax(distance(out.c, b), distance(out.c, c)));
    return out;
}

static literal_sphere around_two(const literal_sphere *a, const literal_sphere *b)
{
    const double d = distance(a->c, b->c);
    if (d + b->r <= a->r)
        return *a;
    if (d + a->r <= b->r)
        return *b;
    literal_sphere out = {.r = 0.5 * (d + a->r + b->r)};
    for (int k = 0; k < 3; k++)
        out.c[k] = a->c[k] + (out.r - a->r) / d * (b->c[k] - a->c[k]);
    return out;
}

void literal_layered(const literal_tree *t, const double *xyz, literal_sphere *out)
{
    for (uint32_t n = t->node_count; n-- > 0;) {
        const literal_node *node = &t->nodes[n];
        if (node->child_count) {
            out[n] = around_two(&out[node->first_child], &out[node->first_child + 1]);
            continue;
        }
        const uint32_t *v = t->triangles[node->triangle].v;
        out[n] = around_triangle((const double *const[3]){
            xyz + 3 * (size_t)v[0], xyz + 3 * (size_t)v[1], xyz + 3 * (size_t)v[2]});
    }
}

uint64_t literal_search(const literal_tree *t, const literal_sphere *layered,
                        const literal_spheres *wrapped, const double *q, literal_sphere ball,
                        uint64_t *leaves)
{
    enum { DEEPEST = 128 };
    uint32_t stack[DEEPEST], depth = t->depth + 2 <= DEEPEST;
    uint64_t tests = 0;
    stack[0] = 0;
    while (depth) {
        const uint32_t n = stack[--depth];
        const literal_node *node = &t->nodes[n];
        const literal_sphere own = wrapped ? literal_wrapped(wrapped, n, q) : layered[n];
        tests++;
        if (distance(own.c, ball.c) > own.r + ball.r)
            continue;
        *leaves += !node->child_count;
        for (uint32_t i = 0; i < node->child_count; i++)
            stack[depth++] = node->first_child + i;
    }
    return tests;
}
