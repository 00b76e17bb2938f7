// SPDX-License-Identifier: MIT
// Forces on control points where surfaces of soft bodies cut each other.
#include "scenes/math/vec.h"
#include "scenes/shapes/tri_cut.h"
#include "scenes/solvers/mls/elastic.h"

// The three vertices of a triangle.
static const uint32_t *corners_of(const shl_elastic *s, uint32_t triangle)
{
    return s->surface.triangles + 3 * (size_t)triangle;
}

static void triangle_at(const shl_elastic *s, uint32_t body, uint32_t triangle, double out[9])
{
    for (int c = 0; c < 3; c++)
        shl_elastic_vertex(s, body, corners_of(s, triangle)[c], out + 3 * c);
}

// How fast a point of a triangle goes: the control points' velocities, blended.
static void velocity_at(const shl_elastic *s, uint32_t body, uint32_t triangle,
                        const double share[3], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int c = 0; c < 3; c++) {
        const uint32_t vertex = corners_of(s, triangle)[c];
        for (uint32_t e = s->controls.weight_begin[vertex];
             e < s->controls.weight_begin[vertex + 1]; e++)
            shl_add(out, share[c] * (double)s->controls.weight[e],
                    s->v + 3 * ((size_t)body * s->all + s->controls.weight_control[e]));
    }
}

// A force at a point of a triangle: a vertex is sum w_j (y_j + F_j (p - x_j)), so control point
// j gets w_j of it, and its gradient w_j times the product with p - x_j.
static void push(shl_elastic *s, uint32_t body, uint32_t triangle, const double share[3],
                 double sign, const double force[3])
{
    for (int c = 0; c < 3; c++) {
        const uint32_t vertex = corners_of(s, triangle)[c];
        const double *rest = s->surface.xyz + 3 * (size_t)vertex;
        for (uint32_t e = s->controls.weight_begin[vertex];
             e < s->controls.weight_begin[vertex + 1]; e++) {
            const size_t j = s->controls.weight_control[e], row = (size_t)body * s->all + j;
            const double w = sign * share[c] * (double)s->controls.weight[e];
            double from[3];
            for (size_t k = 0; k < 3; k++)
                from[k] = rest[k] - s->mls.rest[3 * j + k];
            shl_add(s->load + 3 * row, w, force);
            for (size_t k = 0; k < 3; k++)
                shl_add(s->couple + 9 * row + 3 * k, w * force[k], from);
        }
    }
}

static void respond(shl_elastic *s, const shoal_pair *pair)
{
    double a[9], b[9], normal[3], speed[2][3];
    shl_tri_cut cut;
    triangle_at(s, pair->body_a, pair->triangle_a, a);
    triangle_at(s, pair->body_b, pair->triangle_b, b);
    if (!shl_cut_triangles(a, b, &cut))
        return;
    // from a to b; surfaces that cross at right angles push half as hard as parallel ones
    for (int k = 0; k < 3; k++)
        normal[k] = 0.5 * (cut.normal[0][k] - cut.normal[1][k]);
    velocity_at(s, pair->body_a, pair->triangle_a, cut.share[0], speed[0]);
    velocity_at(s, pair->body_b, pair->triangle_b, cut.share[1], speed[1]);
    const double closing = shl_dot(speed[0], normal) - shl_dot(speed[1], normal);
    const double size = cut.length * fmax(0, s->def.stiffness + s->def.contact_damp * closing);
    for (int k = 0; k < 3; k++)
        normal[k] *= size;
    push(s, pair->body_a, pair->triangle_a, cut.share[0], -1, normal);
    push(s, pair->body_b, pair->triangle_b, cut.share[1], 1, normal);
}

void shl_elastic_contacts(shl_elastic *s, const shoal_pair *pairs, size_t count)
{
    const size_t rows = (size_t)s->def.bodies * s->all;
    memset(s->load, 0, 3 * rows * sizeof *s->load);
    memset(s->couple, 0, 9 * rows * sizeof *s->couple);
    for (size_t i = 0; i < count; i++)
        respond(s, &pairs[i]);
}
