// SPDX-License-Identifier: MIT
#include "scenes/models/modal_plate.h"
#include "scenes/math/portable_math.h"

#include <stdlib.h>
#include <string.h>

static const double width = 0.45, thickness = 0.02;

// Directions of the fold: leg, seat, back, with bends between them.
static double direction(double s)
{
    static const double at[] = {0, 0.26, 0.34, 0.60, 0.68, 1};
    static const double angle[] = {1.5, 1.5, 3.1, 3.1, 1.75, 1.75};
    int i = 0;
    while (i < 4 && s > at[i + 1])
        i++;
    return angle[i] + (angle[i + 1] - angle[i]) * (s - at[i]) / (at[i + 1] - at[i]);
}

// A section of the fold: where it is and which way the tangent t and the normal n point.
typedef struct section {
    double s, x, y;
    shl_sincos t;
} section;

static void make_sections(uint32_t along, section *out)
{
    enum { FINE = 16 };
    double x = 0, y = 0, sum_x = 0, sum_y = 0;
    for (uint32_t i = 0; i <= along; i++) {
        out[i] = (section){.s = (double)i / along, .x = x, .y = y};
        out[i].t = shl_sincos_of(direction(out[i].s));
        sum_x += x;
        sum_y += y;
        for (int k = 0; k < FINE; k++) {
            const shl_sincos t = shl_sincos_of(direction((i + (k + 0.5) / FINE) / along));
            x += t.cos / (FINE * (double)along);
            y += t.sin / (FINE * (double)along);
        }
    }
    for (uint32_t i = 0; i <= along; i++) {
        out[i].x -= sum_x / (along + 1);
        out[i].y -= sum_y / (along + 1);
    }
}

// Deflection of a free-free beam in its nth bending mode, 1 at s = 0.
static double beam(uint32_t n, double s)
{
    static const double roots[] = {4.730040744862704,  7.853204624095838,  10.995607838001671,
                                   14.137165491257464, 17.278759657399480, 20.420352245626061};
    const double b = roots[n], e = shl_exp_of(b), x = shl_exp_of(b * s);
    const shl_sincos end = shl_sincos_of(b), here = shl_sincos_of(b * s);
    const double sigma = (0.5 * (e + 1 / e) - end.cos) / (0.5 * (e - 1 / e) - end.sin);
    return 0.5 * ((0.5 * (x + 1 / x) + here.cos) - sigma * (0.5 * (x - 1 / x) + here.sin));
}

typedef enum kind { BEND, SIDE, TWIST, STRETCH, ACROSS } kind;

static const struct {
    kind kind;
    uint32_t order;
} fields_of_plate[SHL_MODAL_PLATE_FIELDS_MAX] = {
    {BEND, 0},  {BEND, 1},    {BEND, 2},    {BEND, 3},   {SIDE, 0}, {SIDE, 1},
    {TWIST, 0}, {TWIST, 1},   {STRETCH, 0}, {ACROSS, 0}, {BEND, 4}, {SIDE, 2},
    {TWIST, 2}, {STRETCH, 1}, {BEND, 5},    {SIDE, 3},
};

// Displacement at place w in [-1, 1] across: along tangent, normal, and width.
static void field_at(uint32_t field, double s, double w, double out[3])
{
    const uint32_t order = fields_of_plate[field].order;
    const double wave = shl_sincos_of(3.141592653589793 * (order + 1) * s).cos;
    out[0] = out[1] = out[2] = 0;
    switch (fields_of_plate[field].kind) {
    case BEND:
        out[1] = beam(order, s);
        break;
    case SIDE:
        out[2] = beam(order, s);
        break;
    case TWIST:
        out[1] = w * wave;
        break;
    case STRETCH:
        out[0] = wave;
        break;
    case ACROSS:
        out[1] = 1.5 * w * w - 0.5;
        break;
    }
}

static void put_vertex(shl_surface *s, const section *at, double w, double up, float *fields,
                       uint32_t field_count, size_t vertex_count)
{
    const size_t v = s->vertex_count++;
    double *p = s->xyz + 3 * v;
    p[0] = at->x - up * at->t.sin;
    p[1] = at->y + up * at->t.cos;
    p[2] = 0.5 * width * w;
    for (uint32_t j = 0; j < field_count; j++) {
        float *u = fields + 3 * (j * vertex_count + v);
        double d[3];
        field_at(j, at->s, w, d);
        const volatile float x = (float)(d[0] * at->t.cos - d[1] * at->t.sin);
        const volatile float y = (float)(d[0] * at->t.sin + d[1] * at->t.cos);
        const volatile float z = (float)d[2];
        u[0] = x;
        u[1] = y;
        u[2] = z;
    }
}

static void put_quad(shl_surface *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count, corners, sizeof corners);
    s->triangle_count += 2;
}

// Both sides are grids of the same numbering, one after the other; the rim joins them.
static void put_triangles(shl_surface *s, uint32_t along, uint32_t across)
{
    const uint32_t row = across + 1, side = (along + 1) * row;
    for (uint32_t i = 0; i < along; i++) {
        for (uint32_t k = 0; k < across; k++) {
            const uint32_t a = i * row + k, b = a + row;
            put_quad(s, a, a + 1, b + 1, b);
            put_quad(s, a + side, b + side, b + 1 + side, a + 1 + side);
        }
        const uint32_t a = i * row, b = a + row, c = a + across, d = b + across;
        put_quad(s, a, b, b + side, a + side);
        put_quad(s, d, c, c + side, d + side);
    }
    for (uint32_t k = 0; k < across; k++) {
        const uint32_t a = k, b = along * row + k;
        put_quad(s, a + 1, a, a + side, a + 1 + side);
        put_quad(s, b, b + 1, b + 1 + side, b + side);
    }
}

shoal_status shl_mesh_modal_plate(uint32_t along, uint32_t across, uint32_t field_count,
                                  shl_surface *out, float **fields)
{
    memset(out, 0, sizeof *out);
    *fields = NULL;
    if (along < 1 || along > 30000 || across < 1 || across > 30000 ||
        field_count > SHL_MODAL_PLATE_FIELDS_MAX)
        return SHOAL_ERR_ARGUMENT;
    const size_t quads = (size_t)along * across, rim = along + across;
    const size_t vertices = 2 * (quads + rim + 1), triangles = 4 * (quads + rim);
    section *sections = malloc((along + (size_t)1) * sizeof *sections);
    out->xyz = malloc(3 * vertices * sizeof *out->xyz);
    out->triangles = malloc(3 * triangles * sizeof *out->triangles);
    *fields = malloc((3 * vertices * field_count + 1) * sizeof **fields);
    const bool room = sections && out->xyz && out->triangles && *fields;
    if (room) {
        make_sections(along, sections);
        for (int side = 0; side < 2; side++) {
            for (uint32_t i = 0; i <= along; i++) {
                for (uint32_t k = 0; k <= across; k++)
                    put_vertex(out, &sections[i], 2.0 * k / across - 1,
                               (side - 0.5) * thickness, *fields, field_count, vertices);
            }
        }
        put_triangles(out, along, across);
    } else {
        shl_surface_finish(out);
        free(*fields);
        *fields = NULL;
    }
    free(sections);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
