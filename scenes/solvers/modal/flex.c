// SPDX-License-Identifier: MIT
#include "scenes/solvers/modal/flex.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

static const double near_cell = 0.02, near_margin = 0.12; // metres

// The table of places for contacts: its cells follow the size of a body that is not of about
// a metre, so that it never grows out of hand. Rigid bodies do not ask it.
static shoal_status make_near(shl_flex *f)
{
    const bool usual = f->reach >= near_cell && f->reach <= 1;
    return f->mode_count == 0
               ? SHOAL_OK
               : shl_nearest_create(&f->rest, usual ? near_cell : f->reach / 50,
                                    usual ? near_margin : f->reach / 8, &f->near);
}

shoal_status shl_vertex_shares(const shl_surface *s, double **out)
{
    double *shares = *out = calloc(s->vertex_count, sizeof *shares);
    if (!shares)
        return SHOAL_ERR_MEMORY;
    double total = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *c = s->triangles + 3 * t;
        const double *a = s->xyz + 3 * (size_t)c[0];
        double p[3], q[3], n[3];
        for (size_t k = 0; k < 3; k++) {
            p[k] = s->xyz[3 * (size_t)c[1] + k] - a[k];
            q[k] = s->xyz[3 * (size_t)c[2] + k] - a[k];
        }
        shl_cross(p, q, n);
        const double area = sqrt(shl_dot(n, n));
        for (size_t k = 0; k < 3; k++)
            shares[c[k]] += area;
        total += 3 * area;
    }
    for (size_t v = 0; v < s->vertex_count; v++)
        shares[v] /= total;
    return SHOAL_OK;
}

void shl_centre(shl_surface *s, const double *shares)
{
    double centre[3] = {0};
    for (size_t v = 0; v < s->vertex_count; v++)
        shl_add(centre, shares[v], s->xyz + 3 * v);
    for (size_t v = 0; v < s->vertex_count; v++)
        shl_add(s->xyz + 3 * v, -1, centre);
}

static void weigh(shl_flex *f, const double *shares)
{
    double square = 0;
    for (size_t v = 0; v < f->rest.vertex_count; v++) {
        const double *p = f->rest.xyz + 3 * v, m = f->mass * shares[v], pp = shl_dot(p, p);
        square = fmax(square, pp);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                f->inertia[3 * i + k] += m * ((i == k ? pp : 0) - p[i] * p[k]);
        }
    }
    f->reach = sqrt(square);
    if (f->fixed)
        return;
    f->inverse_mass = 1 / f->mass;
    shl_invert(f->inertia, f->inverse_inertia);
}

static double edge_strain(const shl_flex *f, uint32_t mode, uint32_t a, uint32_t b)
{
    const float *at_a = f->fields + 3 * ((size_t)a * f->mode_count + mode);
    const float *at_b = f->fields + 3 * ((size_t)b * f->mode_count + mode);
    double e[3], d[3];
    for (size_t k = 0; k < 3; k++) {
        e[k] = f->rest.xyz[3 * (size_t)b + k] - f->rest.xyz[3 * (size_t)a + k];
        d[k] = (double)at_b[k] - (double)at_a[k];
    }
    const double square = shl_dot(e, e);
    return square > 0 ? shl_dot(e, d) / square : 0;
}

static void take_mode(shl_flex *f, uint32_t j, const float *field, const double *shares)
{
    shl_mode *mode = &f->modes[j];
    double square = 0;
    for (size_t v = 0; v < f->rest.vertex_count; v++) {
        const double u[3] = {(double)field[3 * v], (double)field[3 * v + 1],
                             (double)field[3 * v + 2]};
        mode->mass += f->mass * shares[v] * shl_dot(u, u);
        square = fmax(square, shl_dot(u, u));
        memcpy(f->fields + 3 * (v * f->mode_count + j), field + 3 * v, 3 * sizeof *field);
    }
    mode->reach = sqrt(square);
}

typedef struct stretched {
    double strain;
    uint32_t a, b;
} stretched;

// The edges that a mode stretches most, found one by one into a sorted list.
static void take_edges(shl_flex *f, uint32_t mode)
{
    stretched most[SHL_FLEX_EDGES] = {{0}};
    for (size_t i = 0; i < 3 * (size_t)f->rest.triangle_count; i++) {
        const uint32_t *c = f->rest.triangles + i / 3 * 3;
        stretched s = {.a = c[i % 3], .b = c[(i + 1) % 3]};
        if (s.a > s.b) // the edge's other triangle has it the other way round
            continue;
        s.strain = fabs(edge_strain(f, mode, s.a, s.b));
        for (int k = 0; k < SHL_FLEX_EDGES && s.strain > 0; k++) {
            if (s.strain > most[k].strain) {
                const stretched less = most[k];
                most[k] = s;
                s = less;
            }
        }
    }
    for (int k = 0; k < SHL_FLEX_EDGES && most[k].strain > 0; k++) {
        for (uint32_t j = 0; j < f->mode_count; j++)
            f->strain[f->edge_count][j] = edge_strain(f, j, most[k].a, most[k].b);
        f->edge_count++;
    }
}

double shl_flex_strain(const shl_flex *f, const double *q)
{
    double most = 0;
    for (uint32_t e = 0; e < f->edge_count; e++) {
        double sum = 0;
        for (uint32_t j = 0; j < f->mode_count; j++)
            sum += f->strain[e][j] * q[j];
        most = fmax(most, fabs(sum));
    }
    return most;
}

// `out` tells what is known before.
static shoal_status create(shl_flex *out, const double *shares, const float *fields,
                           const double *hertz)
{
    const size_t n = out->rest.vertex_count;
    const uint32_t mode_count = out->mode_count;
    shoal_status st = mode_count <= SHL_FLEX_MODES_MAX ? SHOAL_OK : SHOAL_ERR_ARGUMENT;
    if (st == SHOAL_OK) {
        out->fields = malloc((3 * n * mode_count + 1) * sizeof *out->fields);
        st = out->fields ? SHOAL_OK : SHOAL_ERR_MEMORY;
    }
    if (st == SHOAL_OK) {
        weigh(out, shares);
        for (uint32_t j = 0; j < mode_count; j++) {
            out->modes[j].w = 6.283185307179586 * hertz[j];
            take_mode(out, j, fields + 3 * n * j, shares);
        }
        for (uint32_t j = 0; j < mode_count && !out->fixed; j++)
            take_edges(out, j);
    }
    if (st == SHOAL_OK && !out->fixed)
        st = make_near(out);
    if (st == SHOAL_OK && !out->fixed)
        st = shl_patches_create(&out->rest, out->fields, mode_count, &out->patches);
    if (st != SHOAL_OK)
        shl_flex_finish(out);
    return st;
}

shoal_status shl_flex_create(shl_surface *rest, const double *shares, double mass,
                             const float *fields, const double *hertz, uint32_t mode_count,
                             shl_flex *out)
{
    *out = (shl_flex){.rest = *rest, .mode_count = mode_count, .mass = mass};
    memset(rest, 0, sizeof *rest);
    return create(out, shares, fields, hertz);
}

shoal_status shl_flex_create_fixed(shl_surface *rest, const double *shares, double mass,
                                   const float *fields, const double *hertz,
                                   uint32_t mode_count, shl_flex *out)
{
    *out = (shl_flex){.rest = *rest, .mode_count = mode_count, .fixed = true, .mass = mass};
    memset(rest, 0, sizeof *rest);
    return create(out, shares, fields, hertz);
}

void shl_flex_finish(shl_flex *f)
{
    shl_surface_finish(&f->rest);
    free(f->fields);
    shl_nearest_finish(&f->near);
    shl_patches_finish(&f->patches);
    memset(f, 0, sizeof *f);
}

void shl_flex_vertex(const shl_flex *f, uint32_t vertex, const double *q, double out[3])
{
    const float *u = f->fields + 3 * (size_t)vertex * f->mode_count;
    memcpy(out, f->rest.xyz + 3 * (size_t)vertex, 3 * sizeof *out);
    for (uint32_t j = 0; j < f->mode_count; j++) {
        for (size_t k = 0; k < 3; k++)
            out[k] += (double)u[3 * j + k] * q[j];
    }
}
