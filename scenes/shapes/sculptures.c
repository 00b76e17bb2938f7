// SPDX-License-Identifier: MIT
#include "scenes/shapes/sculptures.h"

#include "scenes/math/vec.h"
#include "scenes/shapes/contour.h"

#include <math.h>

// An ellipsoid about `at` with half axes `to`, or a cone with round ends from `at` to `to`.
typedef struct part {
    double at[3], to[3];
    double thick[2]; // radii of a cone; 0: an ellipsoid
} part;

typedef struct shape {
    const part *parts;
    uint32_t count;
    double flat;  // y is this many times larger in the parts than in the world
    double blend; // how far parts melt into each other
} shape;

// Zero on its surface, about the distance near it.
static double ellipsoid(const part *e, const double p[3])
{
    double once = 0, twice = 0;
    for (int k = 0; k < 3; k++) {
        const double a = (p[k] - e->at[k]) / e->to[k], b = a / e->to[k];
        once += a * a;
        twice += b * b;
    }
    const double far = sqrt(once);
    return twice > 0 ? far * (far - 1) / sqrt(twice)
                     : -fmin(e->to[0], fmin(e->to[1], e->to[2]));
}

static double cone(const part *c, const double p[3])
{
    double along[3], from[3];
    for (int k = 0; k < 3; k++) {
        along[k] = c->to[k] - c->at[k];
        from[k] = p[k] - c->at[k];
    }
    const double t = fmin(1, fmax(0, shl_dot(from, along) / shl_dot(along, along)));
    shl_add(from, -t, along);
    return sqrt(shl_dot(from, from)) - (c->thick[0] + t * (c->thick[1] - c->thick[0]));
}

// The union: a minimum whose edges are rounded off.
static double united(const void *of, const double at[3])
{
    const shape *s = of;
    const double p[3] = {at[0], at[1] * s->flat, at[2]};
    double sum = INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        const part *one = &s->parts[i];
        const double d = one->thick[0] > 0 ? cone(one, p) : ellipsoid(one, p);
        const double near = fmax(0, s->blend - fabs(sum - d)) / s->blend;
        sum = fmin(sum, d) - 0.25 * s->blend * near * near;
    }
    return sum;
}

static const part figure_parts[] = {
    {{0, 0, 0.36}, {0.24, 0.20, 0.28}, {0, 0}},             // belly
    {{0, -0.01, 0.72}, {0.15, 0.14, 0.15}, {0, 0}},         // head
    {{0, -0.12, 0.62}, {0.11, 0.08, 0.14}, {0, 0}},         // beard
    {{0, 0, 0.80}, {0, 0.02, 1.14}, {0.15, 0.075}},         // hat
    {{0, 0.02, 1.17}, {0.09, 0.09, 0.09}, {0, 0}},          // its bobble
    {{0.18, 0, 0.52}, {0.40, -0.08, 0.34}, {0.085, 0.065}}, // arms
    {{-0.18, 0, 0.52}, {-0.40, -0.08, 0.34}, {0.085, 0.065}},
    {{0.42, -0.10, 0.31}, {0.08, 0.08, 0.08}, {0, 0}}, // mittens
    {{-0.42, -0.10, 0.31}, {0.08, 0.08, 0.08}, {0, 0}},
    {{0.11, 0, 0.16}, {0.13, 0, -0.12}, {0.10, 0.085}}, // legs
    {{-0.11, 0, 0.16}, {-0.13, 0, -0.12}, {0.10, 0.085}},
    {{0.14, -0.06, -0.15}, {0.095, 0.15, 0.08}, {0, 0}}, // boots
    {{-0.14, -0.06, -0.15}, {0.095, 0.15, 0.08}, {0, 0}},
    {{0.02, 0.24, 0.48}, {0.18, 0.15, 0.22}, {0, 0}}, // sack
};

shoal_status shl_mesh_figure(uint32_t vertices, shl_surface *out)
{
    static const shape figure = {figure_parts, sizeof figure_parts / sizeof *figure_parts, 1,
                                 0.04};
    const shl_contour_def def = {
        united, &figure, {-0.55, -0.32, -0.3}, {0.55, 0.45, 1.3}, vertices};
    return shl_contour_create(&def, out);
}

static const part fish_parts[] = {
    {{0.05, 0, 0}, {0.5, 0.2, 0.2}, {0, 0}},            // trunk
    {{-0.3, 0, 0}, {-0.56, 0, 0}, {0.12, 0.06}},        // root of the tail
    {{-0.54, 0, 0.02}, {-0.70, 0, 0.20}, {0.07, 0.05}}, // its lobes
    {{-0.54, 0, -0.02}, {-0.70, 0, -0.20}, {0.07, 0.05}},
    {{0.08, 0, 0.16}, {-0.12, 0, 0.29}, {0.08, 0.05}}, // fins on back and belly
    {{-0.12, 0, -0.13}, {-0.24, 0, -0.25}, {0.07, 0.045}},
    {{0.2, 0.15, -0.06}, {0.06, 0.36, -0.12}, {0.06, 0.045}}, // and on the sides
    {{0.2, -0.15, -0.06}, {0.06, -0.36, -0.12}, {0.06, 0.045}},
};

shoal_status shl_mesh_soft_fish(uint32_t vertices, shl_surface *out)
{
    static const shape fish = {fish_parts, sizeof fish_parts / sizeof *fish_parts, 1.5, 0.05};
    const shl_contour_def def = {
        united, &fish, {-0.8, -0.3, -0.32}, {0.6, 0.3, 0.38}, vertices};
    return shl_contour_create(&def, out);
}

// In [-1, 1], the same for the same whole numbers.
static double lattice_noise(int64_t x, int64_t y, int64_t z)
{
    uint64_t state = (uint64_t)x * 0x8da6b343u ^ (uint64_t)y * 0xd8163841u << 8 ^
                     (uint64_t)z * 0xcb1ab31fu << 16;
    return shl_random_signed(&state);
}

// Smooth noise with waves about two units long.
static double noise(const double p[3])
{
    int64_t whole[3];
    double part_of[3];
    for (int k = 0; k < 3; k++) {
        const double down = floor(p[k]), t = p[k] - down;
        whole[k] = (int64_t)down;
        part_of[k] = t * t * t * (10 + t * (6 * t - 15));
    }
    double sum = 0;
    for (int c = 0; c < 8; c++) {
        double share = 1;
        for (int k = 0; k < 3; k++)
            share *= c >> k & 1 ? part_of[k] : 1 - part_of[k];
        sum += share *
               lattice_noise(whole[0] + (c & 1), whole[1] + (c >> 1 & 1), whole[2] + (c >> 2));
    }
    return sum;
}

// Folds run where the noise changes its sign.
static double brain_field(const void *of, const double at[3])
{
    static const double axes[3] = {1.3, 1, 0.9};
    static const double size[3] = {0.10, 0.05, 0.016}, waves[3] = {3.1, 6.3, 12.7};
    (void)of;
    double p[3], far = 0, high = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = at[k] / axes[k];
        far += p[k] * p[k];
    }
    far = sqrt(far);
    if (far < 0.3)
        return far - 1;
    for (int i = 0; i < 3; i++) {
        const double q[3] = {waves[i] * p[0] / far + 17, waves[i] * p[1] / far + 5,
                             waves[i] * p[2] / far + 29};
        const double n = noise(q);
        high += size[i] * (2 * sqrt(n * n + 0.01) - 0.5);
    }
    const double across = p[1] / far;
    if (p[2] > 0)
        high -= 0.12 * shl_exp_of(-across * across / 0.006) * (p[2] / far);
    return far - 1 - high;
}

shoal_status shl_mesh_brain(uint32_t vertices, shl_surface *out)
{
    const shl_contour_def def = {
        brain_field, NULL, {-1.75, -1.4, -1.25}, {1.75, 1.4, 1.25}, vertices};
    return shl_contour_create(&def, out);
}
