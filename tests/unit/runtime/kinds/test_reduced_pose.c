// SPDX-License-Identifier: MIT
// Rotations as text files have them: with six digits they are made orthonormal, as
// shoal/reduced.h says; those that are nearer to a rotation keep their bits; others are
// refused.
#include "inside.h"

#include "greatest.h"

#include <math.h>
#include <shoal/reduced.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 3000 };

static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const double rest[12] = {0, 0, 0, 1, 0.2, 0, 0.1, 1, 0, 0, 0.3, 1};
static shoal_context *ctx;
static shoal_model *model;
static shoal_scene *scene;
static shoal_body reduced, beside;

static void open_all(void)
{
    const shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = SHOAL_EXECUTOR_SERIAL;
    shoal_model_def md = shoal_model_def_default();
    md.triangles = faces;
    md.triangle_count = 4;
    md.rest = shoal_positions_f64(rest, 4);
    md.reducible = true;
    if (shoal_context_create(&cd, &ctx) || shoal_model_create(ctx, &md, &model) ||
        shoal_scene_create(ctx, &sd, &scene) ||
        shoal_scene_add_reduced(scene, model, &reduced) ||
        shoal_scene_add_free(scene, model, &beside))
        abort();
}

static void close_all(void)
{
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
}

static shoal_status set(const double rotation[9])
{
    const shoal_reduced_state state = {
        .bodies = &reduced, .count = 1, .stride = 1, .rotation = rotation};
    return shoal_scene_set_reduced(scene, &state);
}

// The nine numbers that steps read.
static const double *taken(void)
{
    return inside_reduced(scene, reduced.index1 - 1)->state.data;
}

static double uniform(void)
{
    static uint64_t state = 12;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return 2 * ((double)(state >> 11) * 0x1p-53) - 1;
}

static void random_quaternion(double q[4])
{
    double square;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = uniform();
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.1);
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(square);
}

// Exact only if q is of length 1.
static void matrix_of(const double q[4], double r[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

static void print_and_read(double *numbers, int count, int digits)
{
    for (int i = 0; i < count; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", digits, numbers[i]);
        numbers[i] = strtod(text, NULL);
    }
}

// S = R^T R, and how far it is from 1.
static double square_of(const double r[9], double s[3][3])
{
    double most = 0;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            s[a][b] = (r[a] * r[b] + r[3 + a] * r[3 + b]) + r[6 + a] * r[6 + b];
            most = fmax(most, fabs(s[a][b] - (a == b)));
        }
    }
    return most;
}

static double error_of(const double r[9])
{
    double s[3][3];
    return square_of(r, s);
}

// What the header says becomes of a matrix.
static void orthonormal(const double given[9], double r[9])
{
    memcpy(r, given, 9 * sizeof *r);
    for (int pass = 0; pass < 2 && error_of(given) > 1e-6; pass++) {
        double s[3][3], c[3][3], next[9];
        square_of(r, s);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++)
                c[a][b] = (a == b ? 1.5 : 0) - 0.5 * s[a][b];
        }
        for (int k = 0; k < 3; k++) {
            for (int b = 0; b < 3; b++)
                next[3 * k + b] =
                    (r[3 * k] * c[0][b] + r[3 * k + 1] * c[1][b]) + r[3 * k + 2] * c[2][b];
        }
        memcpy(r, next, sizeof next);
    }
}

// A free tetrahedron that shares one point with the reduced one, if that is where it should be.
static enum greatest_test_res check_touch(const double r[9])
{
    double xyz[12];
    const double *tip = rest + 3;
    for (int i = 0; i < 12; i++) {
        const double *row = r + 3 * (i % 3);
        const double at = ((row[0] * tip[0] + row[1] * tip[1]) + row[2] * tip[2]) + 0;
        const double out = r[3 * (i % 3)]; // away from the body, whose other corners are behind
        const double across = i < 3 ? 0 : r[3 * (i % 3) + 1 + (i > 5)] * (i > 8 ? -1 : 1);
        xyz[i] = at + (i < 3 ? 0 : out + 0.1 * across);
    }
    const shoal_positions p = shoal_positions_f64(xyz, 4);
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, beside, &p));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
    ASSERT(shoal_scene_pairs(scene).count > 0);
    PASS();
}

typedef enum pose_kind { OF_MATRIX, OF_QUATERNION, OF_SEVEN_DIGITS } pose_kind;

TEST printed_poses_are_taken(pose_kind kind)
{
    int straightened = 0;
    double worst = 0;
    for (int i = 0; i < POSES; i++) {
        double q[4], given[9], wanted[9];
        random_quaternion(q);
        if (kind == OF_QUATERNION)
            print_and_read(q, 4, 6);
        matrix_of(q, given);
        if (kind != OF_QUATERNION)
            print_and_read(given, 9, kind == OF_MATRIX ? 6 : 7);
        const double error = error_of(given);
        worst = fmax(worst, error);
        straightened += error > 1e-6;
        orthonormal(given, wanted);
        ASSERT_EQ(SHOAL_OK, set(given));
        ASSERT_MEM_EQ(wanted, taken(), sizeof wanted);
        ASSERT(error <= 1e-6 || error_of(taken()) <= 2e-15);
        for (int e = 0; e < 9; e++)
            ASSERT(fabs(taken()[e] - given[e]) <= 8e-6);
        CHECK_CALL(check_touch(wanted));
    }
    fprintf(stderr, "%d of %d made orthonormal, off by up to %.3g\n", straightened, POSES,
            worst);
    ASSERT(worst <= 8e-6);
    ASSERT(kind == OF_SEVEN_DIGITS ? straightened == 0 : straightened > POSES / 20);
    PASS();
}

// A turned matrix, stretched along its last axis so that its error is `error`.
static void stretched(double error, double r[9])
{
    const double length = sqrt(1 + error), m[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, length};
    memcpy(r, m, sizeof m);
}

TEST limits_are_where_the_header_says(void)
{
    double r[9], before[9];
    stretched(0.99e-6, r);
    ASSERT_EQ(SHOAL_OK, set(r));
    ASSERT_MEM_EQ(r, taken(), sizeof r);
    stretched(1.01e-6, r);
    ASSERT_EQ(SHOAL_OK, set(r));
    ASSERT(fabs(taken()[8] - 1) <= 1e-15);
    stretched(-7.99e-6, r);
    ASSERT_EQ(SHOAL_OK, set(r));
    ASSERT(fabs(taken()[8] - 1) <= 1e-15);
    memcpy(before, taken(), sizeof before);
    for (int i = 0; i < 8; i++) {
        static const double errors[] = {8.01e-6, -8.01e-6, 1e-4, 1, 3, 1e300};
        stretched(errors[i % 6], r);
        if (i == 6) {
            stretched(2e-6, r); // a reflection with six digits
            r[8] = -r[8];
        } else if (i == 7) {
            stretched(0, r); // sheared
            r[2] = 1.2e-5;
        }
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, set(r));
        ASSERT_MEM_EQ(before, taken(), sizeof before);
    }
    PASS();
}

TEST matrices_that_are_not_finite_are_bad_bodies(void)
{
    for (int e = 0; e < 9; e++) {
        double r[9];
        stretched(2e-6, r);
        r[e] = e % 2 ? NAN : -INFINITY;
        ASSERT_EQ(SHOAL_OK, set(r));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
        ASSERT_EQ(1u, shoal_scene_bad_bodies(scene).count);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    open_all();
    RUN_TEST1(printed_poses_are_taken, OF_MATRIX);
    RUN_TEST1(printed_poses_are_taken, OF_QUATERNION);
    RUN_TEST1(printed_poses_are_taken, OF_SEVEN_DIGITS);
    RUN_TEST(limits_are_where_the_header_says);
    RUN_TEST(matrices_that_are_not_finite_are_bad_bodies);
    close_all();
    GREATEST_MAIN_END();
}
