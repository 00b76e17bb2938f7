// SPDX-License-Identifier: MIT
// Elasticity of nodes: gradients, energy, forces and rotations.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/solvers/mls/mls.h"

#include <greatest.h>

enum { NODES = 150 };

// A cloud of nodes in a ball, none too near to another.
static void cloud(double *xyz, double *volume, uint32_t count)
{
    uint64_t state = 11;
    for (size_t i = 0; i < count;) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = shl_random_signed(&state);
        bool good = shl_dot(p, p) < 1;
        for (size_t j = 0; j < i && good; j++) {
            double d[3];
            for (size_t k = 0; k < 3; k++)
                d[k] = p[k] - xyz[3 * j + k];
            good = shl_dot(d, d) > 0.15 * 0.15;
        }
        if (!good)
            continue;
        memcpy(xyz + 3 * i, p, sizeof p);
        volume[i++] = 4.18879 / count * (1 + 0.3 * p[0]);
    }
}

static shl_mls_def material(const double *xyz, const double *volume, uint32_t count)
{
    return (shl_mls_def){.nodes = xyz,
                         .volume = volume,
                         .count = count,
                         .density = 100,
                         .young = 1e4,
                         .poisson = 0.3,
                         .hold = 0.1,
                         .damping = 1e-3};
}

static double xyz[3 * NODES], volume[NODES], y[3 * NODES], force[3 * NODES], turn[4 * NODES];

static bool start(shl_mls *m)
{
    cloud(xyz, volume, NODES);
    const shl_mls_def def = material(xyz, volume, NODES);
    memset(force, 0, sizeof force);
    for (size_t i = 0; i < NODES; i++) {
        const double unit[4] = {1, 0, 0, 0};
        memcpy(turn + 4 * i, unit, sizeof unit);
    }
    return shl_mls_create(&def, m) == SHOAL_OK;
}

static void map_all(const double a[9], const double t[3])
{
    for (size_t i = 0; i < NODES; i++) {
        shl_apply(a, xyz + 3 * i, y + 3 * i);
        shl_add(y + 3 * i, 1, t);
    }
}

// The patch test: whatever affine map moves the nodes, every gradient is that map.
TEST affine_maps_have_their_gradient(void)
{
    shl_mls m;
    uint64_t state = 5;
    double gradients[9 * NODES];
    ASSERT(start(&m));
    for (int round = 0; round < 100; round++) {
        double a[9], t[3];
        for (int e = 0; e < 9; e++)
            a[e] = 3 * shl_random_signed(&state);
        for (int k = 0; k < 3; k++)
            t[k] = 100 * shl_random_signed(&state);
        map_all(a, t);
        shl_mls_gradients(&m, y, gradients);
        for (size_t i = 0; i < NODES; i++) {
            for (int e = 0; e < 9; e++)
                ASSERT_IN_RANGE(a[e], gradients[9 * i + (size_t)e], 1e-9);
        }
    }
    shl_mls_finish(&m);
    PASS();
}

TEST rigid_motion_costs_nothing(void)
{
    shl_mls m;
    uint64_t state = 6;
    ASSERT(start(&m));
    for (int round = 0; round < 50; round++) {
        double axis[3], a[9], t[3];
        shl_random_axis(&state, axis);
        shl_turn(axis, 3 * shl_random_signed(&state), a);
        for (int k = 0; k < 3; k++)
            t[k] = 10 * shl_random_signed(&state);
        map_all(a, t);
        memset(force, 0, sizeof force);
        // a stretch of one in a million stores about 2e-8
        ASSERT_IN_RANGE(0, shl_mls_forces(&m, y, NULL, NULL, turn, force), 1e-14);
        for (size_t i = 0; i < 3 * NODES; i++)
            ASSERT_IN_RANGE(0, force[i], 1e-6);
    }
    shl_mls_finish(&m);
    PASS();
}

// A stretch along x without rotation stores what Hooke says.
TEST stretch_stores_hookes_energy(void)
{
    shl_mls m;
    ASSERT(start(&m));
    const double strain = 0.01, a[9] = {1 + strain, 0, 0, 0, 1, 0, 0, 0, 1}, t[3] = {0};
    map_all(a, t);
    double sum = 0;
    for (int i = 0; i < NODES; i++)
        sum += volume[i];
    const double want = sum * strain * strain * (m.mu + 0.5 * m.lambda);
    ASSERT_IN_RANGE(want, shl_mls_forces(&m, y, NULL, NULL, turn, force), 1e-9 * want);
    shl_mls_finish(&m);
    PASS();
}

static void shake_nodes(uint64_t seed, double size)
{
    for (size_t i = 0; i < 3 * NODES; i++)
        y[i] = xyz[i] + size * shl_random_signed(&seed);
}

// Forces are what the energy says: minus its derivative by each coordinate.
TEST forces_follow_from_the_energy(void)
{
    shl_mls m;
    ASSERT(start(&m));
    for (int size = 1; size <= 3; size++) {
        shake_nodes((uint64_t)size, 0.04 * size);
        memset(force, 0, sizeof force);
        (void)shl_mls_forces(&m, y, NULL, NULL, turn, force);
        double largest = 0, unused[3 * NODES];
        for (size_t i = 0; i < 3 * NODES; i++)
            largest = fmax(largest, fabs(force[i]));
        for (size_t i = 0; i < 3 * NODES; i += 7) {
            const double at = y[i], h = 1e-5;
            y[i] = at + h;
            const double more = shl_mls_forces(&m, y, NULL, NULL, turn, unused);
            y[i] = at - h;
            const double less = shl_mls_forces(&m, y, NULL, NULL, turn, unused);
            y[i] = at;
            ASSERT_IN_RANGE(force[i], (less - more) / (2 * h), 1e-5 * largest);
        }
    }
    shl_mls_finish(&m);
    PASS();
}

// Nor do loads on gradients change momentum; those and damping keep the spin only if their
// matrices, turned into the world, are symmetric, so for it they are left out or along bonds.
TEST forces_conserve_momentum_and_spin(void)
{
    shl_mls m;
    static double speed[3 * NODES], couple[9 * NODES];
    uint64_t state = 9;
    ASSERT(start(&m));
    for (size_t i = 0; i < 3 * NODES; i++)
        speed[i] = shl_random_signed(&state);
    for (size_t i = 0; i < 9 * NODES; i++)
        couple[i] = shl_random_signed(&state);
    for (int round = 0; round < 4; round++) {
        double sum[3] = {0}, spin[3] = {0}, largest = 0;
        shake_nodes((uint64_t)round + 20, 0.15);
        memset(force, 0, sizeof force);
        (void)shl_mls_forces(&m, y, speed, round == 3 ? couple : NULL, turn, force);
        for (size_t i = 0; i < NODES; i++) {
            double one[3];
            shl_cross(y + 3 * i, force + 3 * i, one);
            shl_add(spin, 1, one);
            shl_add(sum, 1, force + 3 * i);
            largest = fmax(largest, shl_dot(force + 3 * i, force + 3 * i));
        }
        ASSERT(largest > 1);
        for (int k = 0; k < 3; k++) {
            ASSERT_IN_RANGE(0, sum[k], 1e-9 * sqrt(largest));
            if (round < 3)
                ASSERT_IN_RANGE(0, spin[k], 1e-9 * sqrt(largest));
        }
    }
    shl_mls_finish(&m);
    PASS();
}

// The nearest rotation of a matrix R S with S symmetric and positive is R; of an inverted one,
// too, some rotation that no small turn betters.
TEST rotations_are_found(void)
{
    uint64_t state = 3;
    for (int round = 0; round < 300; round++) {
        double axis[3], r[9], s[9], d[9] = {0}, m[9], got[9], q[4] = {1, 0, 0, 0};
        shl_random_axis(&state, axis);
        shl_turn(axis, 3 * shl_random_signed(&state), s);
        for (int k = 0; k < 3; k++)
            d[4 * k] = 1.2 + shl_random_signed(&state);
        double tensor[9];
        shl_turn_tensor(s, d, tensor);
        shl_random_axis(&state, axis);
        shl_turn(axis, 3 * shl_random_signed(&state), r);
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                m[3 * i + k] = r[3 * i] * tensor[k] + r[3 * i + 1] * tensor[3 + k] +
                               r[3 * i + 2] * tensor[6 + k];
        }
        for (int again = 0; again < 4; again++) // as from step to step
            shl_rotation_of(m, q);
        shl_quaternion_matrix(q, got);
        for (int e = 0; e < 9; e++)
            ASSERT_IN_RANGE(r[e], got[e], 1e-7);
    }
    const double half[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1}; // nothing pulls towards it from 1
    double flat[9] = {0}, q[4] = {1, 0, 0, 0}, got[9];
    shl_rotation_of(half, q);
    shl_rotation_of(half, q);
    shl_quaternion_matrix(q, got);
    for (int e = 0; e < 9; e++)
        ASSERT_IN_RANGE(half[e], got[e], 1e-9);
    shl_rotation_of(flat, q);
    ASSERT_IN_RANGE(1, q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1e-12);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(affine_maps_have_their_gradient);
    RUN_TEST(rigid_motion_costs_nothing);
    RUN_TEST(stretch_stores_hookes_energy);
    RUN_TEST(forces_follow_from_the_energy);
    RUN_TEST(forces_conserve_momentum_and_spin);
    RUN_TEST(rotations_are_found);
    GREATEST_MAIN_END();
}
