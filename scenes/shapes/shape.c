// SPDX-License-Identifier: MIT
#include "scenes/shapes/shape.h"
#include "scenes/math/portable_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 7 };

// Columns in the order in which positions are written.
typedef struct shape {
    uint32_t count;
    double *memory;            // holds all columns
    double *x, *y, *z;         // [count] direction from the centre, unit length
    double *sin_phi, *cos_phi; // [count] of 7 phi, phi the longitude
    double *sin_z, *cos_z;     // [count] of 9 z
    double *base;              // [count] radius that stays: 1 + 0.03 noise + height of the arm
    double *bend;              // [count] share of an arm's swing, 0 at its foot, 1 at its tip
    uint8_t *arm;              // [count] the nearest arm; NULL: a shape without arms
} shape;

static const double tau = 6.283185307179586;

// The arms: both poles and five on the equator, as far from each other as seven can be.
static const double arm_length = 1.2, arm_width = 0.25; // width in radians
static const double swing_most = 0.6981317007977318;    // 40 degrees

static void arm_direction(int arm, double out[3])
{
    const shl_sincos t = shl_sincos_of(tau * (arm - 2) / 5);
    out[0] = arm < 2 ? 0 : t.cos;
    out[1] = arm < 2 ? 0 : t.sin;
    out[2] = arm == 0 ? 1 : arm == 1 ? -1 : 0;
}

// The axis an arm swings about, perpendicular to it; each has another one.
static void arm_axis(int arm, double out[3])
{
    const shl_sincos t = shl_sincos_of(tau * arm / ARMS);
    double d[3];
    arm_direction(arm, d);
    if (arm < 2) {
        out[0] = t.cos;
        out[1] = t.sin;
        out[2] = 0;
        return;
    }
    out[0] = -d[1] * t.cos; // between the tangent of the equator and the pole
    out[1] = d[0] * t.cos;
    out[2] = t.sin;
}

static double corner(int64_t x, int64_t y, int64_t z, uint64_t seed)
{
    uint64_t state =
        seed ^ (uint64_t)(x + 64) << 40 ^ (uint64_t)(y + 64) << 20 ^ (uint64_t)(z + 64);
    shl_random(&state);
    return shl_random_signed(&state);
}

// Smooth value noise in [-1, 1]: random corners of a grid of cells, blended within each.
static double noise(const double *p, uint64_t seed)
{
    const double cells = 6;
    int64_t cell[3];
    double f[3];
    for (int axis = 0; axis < 3; axis++) {
        const double at = p[axis] * cells;
        cell[axis] = (int64_t)floor(at);
        const double u = at - floor(at);
        f[axis] = u * u * (3 - 2 * u);
    }
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        const int dx = i & 1, dy = i >> 1 & 1, dz = i >> 2;
        const double weight =
            (dx ? f[0] : 1 - f[0]) * (dy ? f[1] : 1 - f[1]) * (dz ? f[2] : 1 - f[2]);
        sum += weight * corner(cell[0] + dx, cell[1] + dy, cell[2] + dz, seed);
    }
    return sum;
}

// sin and cos of 7 phi as the seventh power of a unit complex number; phi is 0 at the poles.
static shl_sincos seven_phi(double x, double y)
{
    const double length = sqrt(x * x + y * y);
    if (length == 0)
        return (shl_sincos){0, 1};
    const double c = x / length, s = y / length;
    shl_sincos power = {s, c};
    for (int i = 1; i < 7; i++)
        power = (shl_sincos){power.sin * c + power.cos * s, power.cos * c - power.sin * s};
    return power;
}

static void put_arms(shape *s, uint32_t i, const double *p)
{
    double best = -2, height = 0;
    for (int arm = 0; arm < ARMS; arm++) {
        double d[3];
        arm_direction(arm, d);
        const double cosine = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
        // 2 - 2 cos is the squared chord, which is the angle for all that an arm covers
        const double share = shl_exp_of(-(2 - 2 * cosine) / (arm_width * arm_width));
        height += arm_length * share;
        if (cosine > best) {
            best = cosine;
            s->arm[i] = (uint8_t)arm;
            s->bend[i] = share;
        }
    }
    s->base[i] += height;
}

static void destroy(void *state)
{
    shape *s = state;
    free(s->memory);
    free(s->arm);
    free(s);
}

static shoal_status create(const shl_surface *sphere, const uint32_t *order, bool arms,
                           uint64_t seed, void **to)
{
    const size_t n = sphere->vertex_count;
    shape *out = *to = calloc(1, sizeof *out);
    if (!out)
        return SHOAL_ERR_MEMORY;
    double **const columns[] = {&out->x,       &out->y,       &out->z,
                                &out->sin_phi, &out->cos_phi, &out->sin_z,
                                &out->cos_z,   &out->base,    &out->bend};
    const size_t column_count = sizeof columns / sizeof *columns;
    out->count = sphere->vertex_count;
    out->memory = calloc(n * column_count, sizeof *out->memory);
    out->arm = arms ? calloc(n, sizeof *out->arm) : NULL;
    if (!out->memory || (arms && !out->arm)) {
        destroy(out);
        *to = NULL;
        return SHOAL_ERR_MEMORY;
    }
    for (size_t i = 0; i < column_count; i++)
        *columns[i] = out->memory + i * n;
    for (uint32_t i = 0; i < n; i++) {
        const double *p = sphere->xyz + 3 * (size_t)(order ? order[i] : i);
        const shl_sincos phi = seven_phi(p[0], p[1]), z = shl_sincos_of(9 * p[2]);
        out->x[i] = p[0];
        out->y[i] = p[1];
        out->z[i] = p[2];
        out->sin_phi[i] = phi.sin;
        out->cos_phi[i] = phi.cos;
        out->sin_z[i] = z.sin;
        out->cos_z[i] = z.cos;
        out->base[i] = 1 + 0.03 * noise(p, seed);
        if (arms)
            put_arms(out, i, p);
    }
    return SHOAL_OK;
}

// An arm at one time: it turns about its foot.
typedef struct arm_now {
    double foot[3], axis[3], swing;
} arm_now;

static void swing_arms(double time, arm_now arms[ARMS])
{
    for (int arm = 0; arm < ARMS; arm++) {
        arm_direction(arm, arms[arm].foot);
        arm_axis(arm, arms[arm].axis);
        arms[arm].swing = swing_most * shl_sincos_of(time + tau * arm * 3 / ARMS).sin;
    }
}

// Turns p about the axis through the arm's foot by the vertex's share of the swing.
static void bend(const arm_now *arm, double share, double p[3])
{
    const shl_sincos t = shl_sincos_small(arm->swing * share); // at most 40 degrees
    const double *a = arm->axis;
    const double q[3] = {p[0] - arm->foot[0], p[1] - arm->foot[1], p[2] - arm->foot[2]};
    const double along = (a[0] * q[0] + a[1] * q[1] + a[2] * q[2]) * (1 - t.cos);
    p[0] = arm->foot[0] + q[0] * t.cos + (a[1] * q[2] - a[2] * q[1]) * t.sin + a[0] * along;
    p[1] = arm->foot[1] + q[1] * t.cos + (a[2] * q[0] - a[0] * q[2]) * t.sin + a[1] * along;
    p[2] = arm->foot[2] + q[2] * t.cos + (a[0] * q[1] - a[1] * q[0]) * t.sin + a[2] * along;
}

static void write(const void *state, uint32_t body, const shl_pose *pose, shoal_scalar scalar,
                  void *xyz)
{
    (void)body;
    const shape *s = state;
    const shl_sincos t = shl_sincos_of(pose->time), u = shl_sincos_of(0.7 * pose->time);
    arm_now arms[ARMS];
    if (s->arm)
        swing_arms(pose->time, arms);
    for (size_t i = 0; i < s->count; i++) {
        // sin(7 phi + t) sin(9 z - 0.7 t)
        const double wave = (s->sin_phi[i] * t.cos + s->cos_phi[i] * t.sin) *
                            (s->sin_z[i] * u.cos - s->cos_z[i] * u.sin);
        const double r = s->base[i] + 0.06 * wave;
        double p[3] = {r * s->x[i], r * s->y[i], r * s->z[i]};
        if (s->arm)
            bend(&arms[s->arm[i]], s->bend[i], p);
        shl_pose_write(pose, p, i, scalar, xyz);
    }
}

static shoal_status mesh(uint32_t k, uint64_t seed, shl_surface *out)
{
    (void)seed;
    return shl_mesh_icosphere(k, out);
}

static shoal_status create_bumpy(uint64_t seed, const shl_surface *sphere,
                                 const uint32_t *order, uint32_t bodies, void **out)
{
    (void)bodies;
    return create(sphere, order, false, seed, out);
}

static shoal_status create_arms(uint64_t seed, const shl_surface *sphere, const uint32_t *order,
                                uint32_t bodies, void **out)
{
    (void)bodies;
    return create(sphere, order, true, seed, out);
}

const shl_deformation shl_bumpy = {mesh, create_bumpy, destroy, write, NULL, NULL};
const shl_deformation shl_arms = {mesh, create_arms, destroy, write, NULL, NULL};
