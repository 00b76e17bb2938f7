// SPDX-License-Identifier: MIT
// Motion with inertia, modes, contact and friction, against closed forms.
#include "scenes/solvers/modal/dynamics.h"

#include "scenes/math/vec.h"
#include "scenes/shapes/chair.h"
#include "scenes/solvers/modal/contact.h"

#include <greatest.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two square pyramids base to base, on its tip: as wide as `wide` and as high as `high`.
static shoal_status octahedron(double wide, double high, shl_flex *out)
{
    static const uint32_t triangles[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                           2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    const double xyz[18] = {wide, 0,     0, -wide, 0, 0,    0, wide, 0,
                            0,    -wide, 0, 0,     0, high, 0, 0,    -high};
    shl_surface s = {malloc(sizeof xyz), malloc(sizeof triangles), 6, 8};
    double *shares = NULL;
    shoal_status st = s.xyz && s.triangles ? SHOAL_OK : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK) {
        memcpy(s.xyz, xyz, sizeof xyz);
        memcpy(s.triangles, triangles, sizeof triangles);
        st = shl_vertex_shares(&s, &shares);
    }
    if (st == SHOAL_OK)
        st = shl_flex_create(&s, shares, 3.0, NULL, NULL, 0, out);
    free(shares);
    return st;
}

// The chair of the scene, rigid or with its modes.
static shoal_status chair(bool flexible, shl_flex *out)
{
    shl_surface s;
    double *shares = NULL;
    float *fields = NULL;
    shoal_status st = shl_mesh_chair(&s);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&s, &shares);
    if (st == SHOAL_OK) {
        shl_centre(&s, shares);
        st = shl_chair_fields(&s, shares, &fields);
    }
    if (st == SHOAL_OK)
        st = shl_flex_create(&s, shares, 2.2, fields, shl_chair_hertz,
                             flexible ? SHL_CHAIR_FIELDS : 0, out);
    free(shares);
    free(fields);
    return st;
}

// A damped oscillator under a constant force, by the textbook and the C library.
TEST oscillators_are_exact(void)
{
    static const double ratios[] = {0, 0.03, 0.7}, steps[] = {0.0025, 0.02, 0.05};
    for (int i = 0; i < 9; i++) {
        const double w = 55, ratio = ratios[i / 3], h = steps[i % 3], force = 40;
        const double damped = w * sqrt(1 - ratio * ratio), rest = force / (w * w);
        const double q0 = 0.02 - rest, v0 = -0.7;
        const shl_oscillator o = shl_oscillator_of(w, ratio, h);
        double q = 0.02, rate = v0;
        for (int n = 1; n <= 400; n++) {
            shl_oscillator_step(&o, force, &q, &rate);
            const double t = n * h, a = ratio * w;
            const double b = (v0 + a * q0) / damped;
            const double is = rest + exp(-a * t) * (q0 * cos(damped * t) + b * sin(damped * t));
            ASSERT_IN_RANGE(is, q, 1e-10);
            const double speed = exp(-a * t) * ((b * damped - a * q0) * cos(damped * t) -
                                                (a * b + damped * q0) * sin(damped * t));
            ASSERT_IN_RANGE(speed, rate, 1e-8);
        }
    }
    PASS();
}

TEST free_flight_is_a_parabola(void)
{
    shl_flex flex;
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    ASSERT_EQ(SHOAL_OK, octahedron(0.2, 0.3, &flex));
    ASSERT_EQ(SHOAL_OK, shl_dynamics_create(&def, &flex, 2, &d));
    const double from[3] = {1, -2, 30}, speed[3] = {3, 0.5, 4};
    memcpy(d.rigid[1].centre, from, sizeof from);
    memcpy(d.rigid[1].velocity, speed, sizeof speed);
    d.rigid[0].centre[2] = 100;
    for (int n = 1; n <= 800; n++) {
        ASSERT_EQ(SHOAL_OK, shl_dynamics_step(&d, NULL, 0));
        const double t = n * def.step;
        for (int k = 0; k < 3; k++) {
            const double fall = k == 2 ? def.gravity : 0;
            ASSERT_IN_RANGE(from[k] + speed[k] * t - 0.5 * fall * t * t, d.rigid[1].centre[k],
                            1e-9);
            ASSERT_IN_RANGE(speed[k] - fall * t, d.rigid[1].velocity[k], 1e-11);
        }
    }
    shl_dynamics_finish(&d);
    shl_flex_finish(&flex);
    PASS();
}

// How far the axis of a free symmetric top is from where it should be after two seconds: it
// goes round the angular momentum L at the rate L / I.
static double top_error(const shl_flex *flex, double step)
{
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    def.step = step;
    def.gravity = 0;
    if (shl_dynamics_create(&def, flex, 1, &d) != SHOAL_OK)
        return INFINITY;
    const double spin[3] = {3, 0, 5};
    d.rigid[0].centre[2] = 10;
    memcpy(d.rigid[0].spin, spin, sizeof spin);
    double momentum[3], axis[3], is[3], rotation[9];
    shl_apply(flex->inertia, spin, momentum);
    const int steps = (int)(2 / step + 0.5);
    for (int n = 0; n < steps; n++) {
        if (shl_dynamics_step(&d, NULL, 0) != SHOAL_OK)
            return INFINITY;
    }
    shl_quaternion_matrix(d.rigid[0].turn, rotation);
    const double up[3] = {0, 0, 1};
    shl_apply(rotation, up, is);
    // Rodrigues, with the C library
    const double size = sqrt(shl_dot(momentum, momentum)), angle = size / flex->inertia[0] * 2;
    const double along = momentum[2] / size;
    double across[3];
    shl_cross(momentum, up, across);
    double error = 0;
    for (int k = 0; k < 3; k++) {
        const double n = momentum[k] / size;
        axis[k] =
            up[k] * cos(angle) + across[k] / size * sin(angle) + n * along * (1 - cos(angle));
        error = fmax(error, fabs(axis[k] - is[k]));
    }
    double left[3], inertia[9];
    shl_turn_tensor(rotation, flex->inertia, inertia);
    shl_apply(inertia, d.rigid[0].spin, left);
    for (int k = 0; k < 3; k++)
        error += fabs(left[k] - momentum[k]) > 1e-9 * size ? 1 : 0; // it is kept
    shl_dynamics_finish(&d);
    return error;
}

TEST free_tops_precess(void)
{
    shl_flex flex;
    ASSERT_EQ(SHOAL_OK, octahedron(0.2, 0.5, &flex));
    ASSERT(fabs(flex.inertia[0] - flex.inertia[4]) < 1e-12);
    const double coarse = top_error(&flex, 1.0 / 400), fine = top_error(&flex, 1.0 / 800);
    ASSERT(coarse < 1e-3);
    ASSERT(fine < 0.3 * coarse); // of second order
    shl_flex_finish(&flex);
    PASS();
}

// Standing on its tip, it sinks until the spring carries it.
TEST springs_carry_weights(void)
{
    shl_flex flex;
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    def.floor = (shl_contact_law){2e4, 300, 0.4};
    ASSERT_EQ(SHOAL_OK, octahedron(0.2, 0.3, &flex));
    ASSERT_EQ(SHOAL_OK, shl_dynamics_create(&def, &flex, 1, &d));
    d.rigid[0].centre[2] = 0.35;
    for (int n = 0; n < 800; n++)
        ASSERT_EQ(SHOAL_OK, shl_dynamics_step(&d, NULL, 0));
    const double depth = flex.mass * def.gravity / def.floor.stiffness;
    ASSERT_IN_RANGE(0.3 - depth, d.rigid[0].centre[2], 1e-8);
    ASSERT_IN_RANGE(depth, shl_dynamics_measure(&d).floor_depth, 1e-8);
    ASSERT_IN_RANGE(0, shl_dynamics_measure(&d).mean_speed, 1e-7);
    shl_dynamics_finish(&d);
    shl_flex_finish(&flex);
    PASS();
}

// Two that meet head on: momentum is kept, energy is not made, and they part or rest.
TEST bodies_push_each_other(void)
{
    shl_flex flex;
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    def.gravity = 0;
    ASSERT_EQ(SHOAL_OK, octahedron(0.2, 0.3, &flex));
    ASSERT_EQ(SHOAL_OK, shl_dynamics_create(&def, &flex, 2, &d));
    for (int i = 0; i < 2; i++) {
        d.rigid[i].centre[0] = i ? 0.21 : -0.21;
        d.rigid[i].centre[2] = 5;
        d.rigid[i].velocity[0] = i ? -1.0 : 2.0;
    }
    double most = 0;
    const double energy = shl_dynamics_measure(&d).kinetic;
    for (int n = 0; n < 400; n++) {
        const double gap = d.rigid[1].centre[0] - d.rigid[0].centre[0] - 0.4;
        const shoal_sphere_contact c = {
            .body_a = 0,
            .body_b = 1,
            .depth = -gap,
            .normal = {1, 0, 0},
            .position = {0.5 * (d.rigid[0].centre[0] + d.rigid[1].centre[0]), 0, 5}};
        ASSERT_EQ(SHOAL_OK, shl_dynamics_step(&d, &c, gap <= 0));
        ASSERT_IN_RANGE(1.0, d.rigid[0].velocity[0] + d.rigid[1].velocity[0], 1e-12);
        ASSERT(shl_dynamics_measure(&d).kinetic <= energy * (1 + 1e-12));
        most = fmax(most, -gap);
    }
    ASSERT(d.rigid[1].velocity[0] >= d.rigid[0].velocity[0]);
    ASSERT(most > 0.001 && most < 0.05);
    shl_dynamics_finish(&d);
    shl_flex_finish(&flex);
    PASS();
}

static double lowest(const shl_dynamics *d, uint32_t body)
{
    double low = INFINITY;
    for (uint32_t v = 0; v < shl_flex_of(d, 0)->rest.vertex_count; v++) {
        double p[3];
        shl_dynamics_vertex(d, body, v, p);
        low = fmin(low, p[2]);
    }
    return low;
}

// A rigid chair slides until friction has stopped it, v^2 / (2 mu g) further on; no contact
// ever resists by more than its share.
TEST friction_has_a_cone(void)
{
    shl_flex flex;
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    def.floor.friction = 0.2;
    ASSERT_EQ(SHOAL_OK, chair(false, &flex));
    ASSERT_EQ(SHOAL_OK, shl_dynamics_create(&def, &flex, 1, &d));
    d.rigid[0].centre[2] = -lowest(&d, 0);
    d.rigid[0].velocity[0] = 1.5;
    double sliding = 0;
    for (int n = 0; n < 600; n++) {
        ASSERT_EQ(SHOAL_OK, shl_dynamics_step(&d, NULL, 0));
        for (size_t i = 0; i < d.contact_count; i++) {
            const shl_modal_contact *t = &d.contacts[i];
            const double size = sqrt(shl_dot(t->slide, t->slide));
            ASSERT(t->along >= 0);
            ASSERT(size <= def.floor.friction * t->along * (1 + 1e-12));
            ASSERT(fabs(shl_dot(t->slide, t->normal)) <= 1e-12 * (1 + t->along));
            sliding += t->slide[0];
        }
    }
    // all momentum went through the contacts
    ASSERT_IN_RANGE(1.5 * flex.mass, sliding, 0.05 * flex.mass);
    ASSERT_IN_RANGE(1.5 * 1.5 / (2 * 0.2 * def.gravity), d.rigid[0].centre[0], 0.02);
    ASSERT_IN_RANGE(0, d.rigid[0].centre[1], 0.02);
    ASSERT(shl_dynamics_measure(&d).mean_speed < 1e-4);
    shl_dynamics_finish(&d);
    shl_flex_finish(&flex);
    PASS();
}

TEST strain_is_limited(void)
{
    shl_flex flex;
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    ASSERT_EQ(SHOAL_OK, chair(true, &flex));
    ASSERT_EQ(SHOAL_OK, shl_dynamics_create(&def, &flex, 1, &d));
    d.rigid[0].centre[2] = 50;
    for (uint32_t j = 0; j < flex.mode_count; j++)
        d.rate[j] = j % 2 ? -3 : 3;
    double most = 0, energy = shl_dynamics_measure(&d).kinetic;
    for (int n = 0; n < 200; n++) {
        ASSERT_EQ(SHOAL_OK, shl_dynamics_step(&d, NULL, 0));
        const shl_dynamics_report r = shl_dynamics_measure(&d);
        const double fallen = 0.5 * flex.mass * pow(d.rigid[0].velocity[2], 2);
        ASSERT(r.kinetic - fallen + r.elastic <= energy * (1 + 1e-9));
        energy = r.kinetic - fallen + r.elastic;
        most = fmax(most, shl_flex_strain(&flex, d.q));
    }
    // reached, and passed by less than the first step went
    ASSERT(most > 0.95 * def.strain_limit && most < 1.2 * def.strain_limit);
    shl_dynamics_finish(&d);
    shl_flex_finish(&flex);
    PASS();
}

TEST steps_too_long_are_refused(void)
{
    shl_flex flex;
    shl_dynamics d;
    shl_dynamics_def def = shl_dynamics_default();
    def.step = 0.01;
    ASSERT_EQ(SHOAL_OK, chair(true, &flex));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_dynamics_create(&def, &flex, 1, &d));
    shl_flex_finish(&flex);
    PASS();
}

// The patches' bounds hold, and the table of vertices knows where the vertices are.
TEST patches_and_tables_hold(void)
{
    shl_flex flex;
    ASSERT_EQ(SHOAL_OK, chair(true, &flex));
    uint64_t state = 7;
    for (int trial = 0; trial < 20; trial++) {
        double q[SHL_FLEX_MODES_MAX], up[3];
        for (uint32_t j = 0; j < flex.mode_count; j++)
            q[j] = 0.05 * shl_random_signed(&state);
        for (int k = 0; k < 3; k++)
            up[k] = shl_random_signed(&state);
        const double size = sqrt(shl_dot(up, up));
        for (int k = 0; k < 3; k++)
            up[k] /= size;
        size_t seen = 0;
        for (uint32_t patch = 0; patch < flex.patches.count; patch++) {
            const shl_patch *row = &flex.patches.rows[patch];
            const double bound = shl_patch_lowest(&flex.patches, patch, up, q);
            for (uint32_t i = row->begin; i < row->end; i++, seen++) {
                double p[3];
                shl_flex_vertex(&flex, flex.patches.order[i], q, p);
                ASSERT(shl_dot(up, p) >= bound);
            }
        }
        ASSERT_EQ(flex.rest.vertex_count, seen);
    }
    for (uint32_t v = 0; v < flex.rest.vertex_count; v++) {
        const double *p = flex.rest.xyz + 3 * (size_t)v;
        double off[3];
        memcpy(off, flex.rest.xyz + 3 * (size_t)shl_nearest_vertex(&flex.near, p), sizeof off);
        shl_add(off, -1, p);
        ASSERT(shl_dot(off, off) < 0.03 * 0.03);
    }
    shl_flex_finish(&flex);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(oscillators_are_exact);
    RUN_TEST(free_flight_is_a_parabola);
    RUN_TEST(free_tops_precess);
    RUN_TEST(springs_carry_weights);
    RUN_TEST(bodies_push_each_other);
    RUN_TEST(friction_has_a_cone);
    RUN_TEST(strain_is_limited);
    RUN_TEST(steps_too_long_are_refused);
    RUN_TEST(patches_and_tables_hold);
    GREATEST_MAIN_END();
}
