// SPDX-License-Identifier: MIT
#include "scenes/shapes/chair.h"

#include "scenes/models/orthogonal.h"

#include <math.h>

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

// The height of the seat's rim above the centre of mass: the highest point is a given way
// above it.
static double seat_height(const shl_surface *chair)
{
    double top = -INFINITY;
    for (size_t v = 0; v < chair->vertex_count; v++)
        top = fmax(top, chair->xyz[3 * v + 2]);
    return top - 0.47;
}

// How a point moves that is given from the centre of mass; `up` is where the seat is.
static void shape_from_centre(const void *up, uint32_t field, const double p[3], double u[3])
{
    const double at[3] = {p[0], p[1], p[2] - *(const double *)up};
    shape(field, at, u);
}

shoal_status shl_chair_fields(const shl_surface *chair, const double *mass, float **fields)
{
    const double up = seat_height(chair);
    return shl_orthogonal_fields(chair, mass, shape_from_centre, &up, SHL_CHAIR_FIELDS, fields);
}
