// SPDX-License-Identifier: MIT
#include "scenes/chair.h"

#include <math.h>
#include <stdlib.h>

const double shl_chair_hertz[SHL_CHAIR_FIELDS] = {28, 40, 22, 45, 48, 52, 56, 60, 66, 72};

// Metres: heights over the seat, and from the middle of the seat.
static const double bend_from = 0.2, bend_to = 0.42, feet = 0.43, arm_top = 0.193;
static const double half_width = 0.215, lean = 0.31, splay = 0.16;

static double sign_of(double x)
{
    return x < 0 ? -1 : 1;
}

// All shapes bend the sheet and hardly stretch it, at a point relative to the middle of the
// seat.

// The back bends above the arms, across its own slope.
static void bend_back(const double p[3], double share, double u[3])
{
    const double a = p[2] > bend_from ? (p[2] - bend_from) / (bend_to - bend_from) : 0;
    u[1] = share * a * a;
    u[2] = -lean * u[1];
}

// A leg bends away by x and y like a beam: what is off its axis goes up or down.
static void bend_leg(const double p[3], double x, double y, double u[3])
{
    const double b = p[2] < 0 ? -p[2] / feet : 0, out = half_width * (1 + splay * b);
    u[0] = x * b * b;
    u[1] = y * b * b;
    u[2] = 2 * b / feet * (x * (p[0] - sign_of(p[0]) * out) + y * (p[1] - sign_of(p[1]) * out));
}

// An arm bends sideways: not at its ends, in the seat and the back.
static void bend_arm(const double p[3], double x, double u[3])
{
    const double up = p[2] > 0 ? p[2] / arm_top : 0, fore = p[1] < 0.2 ? 0.2 - p[1] : 0;
    u[0] = up * up * fore * fore * x;
}

// The seat warps, and all else follows: diagonal feet rise.
static void warp(const double p[3], double u[3])
{
    u[0] = -p[1] * p[2];
    u[1] = -p[0] * p[2];
    u[2] = p[0] * p[1];
}

static void shape(uint32_t field, const double p[3], double u[3])
{
    const double sx = sign_of(p[0]), sy = sign_of(p[1]);
    switch (field) {
    case 0:
        bend_back(p, 1, u);
        break;
    case 1: // the back twists
        bend_back(p, p[0], u);
        break;
    case 2:
        warp(p, u);
        break;
    case 3: // all legs sway sideways
        bend_leg(p, 1, 0, u);
        break;
    case 4: // forwards
        bend_leg(p, 0, 1, u);
        break;
    case 5: // about the chair's axis
        bend_leg(p, -sy, sx, u);
        break;
    case 6: // they splay sideways
        bend_leg(p, sx, 0, u);
        break;
    case 7: // and forwards
        bend_leg(p, 0, sy, u);
        break;
    case 8: // arms part
        bend_arm(p, sx, u);
        break;
    default: // arms sway
        bend_arm(p, 1, u);
        break;
    }
}

typedef struct space {
    const double *mass; // [vertices]
    double (*rows)[3];  // [6 + SHL_CHAIR_FIELDS][vertices] rigid motions, then fields
    size_t vertices;    //
} space;

static double product(const space *s, size_t row, size_t other)
{
    const double(*a)[3] = (const double(*)[3])s->rows + row * s->vertices;
    const double(*b)[3] = (const double(*)[3])s->rows + other * s->vertices;
    double sum = 0;
    for (size_t v = 0; v < s->vertices; v++)
        sum += s->mass[v] * (a[v][0] * b[v][0] + a[v][1] * b[v][1] + a[v][2] * b[v][2]);
    return sum;
}

// Gram and Schmidt, twice for the digits that the first pass loses.
static void orthogonalise(space *s, size_t row)
{
    for (size_t other = 0; other < 2 * row; other++) {
        const size_t from = other % row;
        const double share = product(s, row, from) / product(s, from, from);
        double *a = s->rows[row * s->vertices];
        const double *b = s->rows[from * s->vertices];
        for (size_t i = 0; i < 3 * s->vertices; i++)
            a[i] -= share * b[i];
    }
}

static void put_rigid(const shl_surface *chair, space *s)
{
    for (size_t v = 0; v < s->vertices; v++) {
        const double *p = chair->xyz + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            s->rows[k * s->vertices + v][k] = 1;
            double *turn = s->rows[(3 + k) * s->vertices + v];
            turn[(k + 1) % 3] = -p[(k + 2) % 3];
            turn[(k + 2) % 3] = p[(k + 1) % 3];
        }
    }
}

static void put_field(const space *s, uint32_t field, float *to)
{
    const double *from = s->rows[(6 + (size_t)field) * s->vertices];
    double most = 0;
    for (size_t v = 0; v < s->vertices; v++) {
        const double *u = from + 3 * v;
        most = fmax(most, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    for (size_t i = 0; i < 3 * s->vertices; i++) {
        const volatile float rounded = (float)(from[i] / sqrt(most));
        to[i] = rounded;
    }
}

// The height of the seat's rim above the centre of mass: the highest point is a given way
// above it.
static double seat_height(const shl_surface *chair)
{
    double top = -INFINITY;
    for (size_t v = 0; v < chair->vertex_count; v++)
        top = fmax(top, chair->xyz[3 * v + 2]);
    return top - 0.47;
}

shoal_status shl_chair_fields(const shl_surface *chair, const double *mass, float **fields)
{
    const size_t n = chair->vertex_count;
    space s = {mass, calloc((6 + (size_t)SHL_CHAIR_FIELDS) * n, sizeof *s.rows), n};
    *fields = malloc(3 * (size_t)SHL_CHAIR_FIELDS * n * sizeof **fields);
    if (!s.rows || !*fields) {
        free(s.rows);
        free(*fields);
        *fields = NULL;
        return SHOAL_ERR_MEMORY;
    }
    put_rigid(chair, &s);
    const double up = seat_height(chair);
    for (uint32_t field = 0; field < SHL_CHAIR_FIELDS; field++) {
        for (size_t v = 0; v < n; v++) {
            const double *p = chair->xyz + 3 * v;
            const double at[3] = {p[0], p[1], p[2] - up};
            shape(field, at, s.rows[(6 + (size_t)field) * n + v]);
        }
    }
    for (size_t row = 1; row < 6 + (size_t)SHL_CHAIR_FIELDS; row++)
        orthogonalise(&s, row);
    for (uint32_t field = 0; field < SHL_CHAIR_FIELDS; field++)
        put_field(&s, field, *fields + 3 * n * field);
    free(s.rows);
    return SHOAL_OK;
}
