// SPDX-License-Identifier: MIT
#include "kernels/tri/exact_int.h"

#include "greatest.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

__extension__ typedef __int128 i128;

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

// Uniform in [-2^bits, 2^bits].
static int64_t lattice(int bits)
{
    return (int64_t)(next() % ((UINT64_C(2) << bits) + 1)) - (INT64_C(1) << bits);
}

static int sign_of(i128 x)
{
    return (x > 0) - (x < 0);
}

static i128 det2(const int64_t *a, const int64_t *b, const int64_t *c, int u, int v)
{
    return (i128)(a[u] - c[u]) * (b[v] - c[v]) - (i128)(a[v] - c[v]) * (b[u] - c[u]);
}

static i128 det3(int64_t p[4][3])
{
    i128 sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (p[0][k] - p[3][k]) * det2(p[1], p[2], p[3], (k + 1) % 3, (k + 2) % 3);
    return sum;
}

// Lattice points times 2^exponent[axis].
static void load_lattice(shl_exact_points *s, int64_t p[4][3], const int exponent[3])
{
    double xyz[12];
    for (int i = 0; i < 12; i++)
        xyz[i] = ldexp((double)p[i / 3][i % 3], exponent[i % 3]);
    shl_exact_load(s, xyz, 4);
}

static bool same_as_int128(int64_t p[4][3], const int exponent[3])
{
    shl_exact_points s;
    load_lattice(&s, p, exponent);
    bool same = shl_exact_orient3d(&s, 0, 1, 2, 3) == sign_of(det3(p)) &&
                shl_exact_orient3d(&s, 1, 0, 2, 3) == -sign_of(det3(p));
    for (int axis = 0; axis < 3; axis++)
        same &= shl_exact_orient2d(&s, axis, 0, 1, 2) ==
                sign_of(det2(p[0], p[1], p[2], (axis + 1) % 3, (axis + 2) % 3));
    return same;
}

TEST lattice_points(void)
{
    static const int bits[] = {1, 2, 4, 10, 24, 39};
    for (int round = 0; round < 60000; round++) {
        int64_t p[4][3];
        for (int i = 0; i < 12; i++)
            p[i / 3][i % 3] = lattice(bits[round % 6]);
        // every scale a double has, denormals and the largest included
        const int exponent[3] = {(int)(next() % 2050) - 1074, (int)(next() % 2050) - 1074, 0};
        int clipped[3];
        for (int k = 0; k < 3; k++)
            clipped[k] = exponent[k] > 983 ? 983 : exponent[k];
        ASSERT(same_as_int128(p, clipped));
    }
    PASS();
}

TEST nearly_flat_points(void)
{
    const int exponent[3] = {-1074, 0, 900};
    int zero = 0;
    for (int round = 0; round < 30000; round++) {
        int64_t p[4][3];
        for (int i = 0; i < 9; i++)
            p[i / 3][i % 3] = lattice(30);
        for (int k = 0; k < 3; k++) // the parallelogram's fourth corner, at times one off
            p[3][k] = p[0][k] + p[1][k] - p[2][k] + (int64_t)(next() % 8 == 0);
        zero += det3(p) == 0;
        ASSERT(same_as_int128(p, exponent));
    }
    ASSERT(zero > 1000 && zero < 29000);
    PASS();
}

// Coordinates too far apart for one or two limbs: x and y are lattice values with a tiny or
// huge term added, whose effect on the sign is known.
static int sign3(const double xyz[12])
{
    shl_exact_points s;
    shl_exact_load(&s, xyz, 4);
    return shl_exact_orient3d(&s, 0, 1, 2, 3);
}

// Sizes too far apart for one or two limbs.
TEST mixed_sizes(void)
{
    static const double size[] = {DBL_MAX, 0x1p1023, 1e300,   1e20,     1,
                                  1e-20,   1e-300,   DBL_MIN, 0x1p-1074};
    enum { SIZES = sizeof size / sizeof *size };
    for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
        double x = size[i % SIZES], y = size[i / SIZES % SIZES], z = size[i / SIZES / SIZES];
        // a box corner: the determinant is x y z, far outside the range of doubles
        ASSERT_EQ(1, sign3((double[12]){x, 0, 0, 0, y, 0, 0, 0, z, 0, 0, 0}));
        ASSERT_EQ(-1, sign3((double[12]){0, y, 0, x, 0, 0, 0, 0, z, 0, 0, 0}));
        // differences of 2 DBL_MAX
        ASSERT_EQ(1, sign3((double[12]){-x, y, z, x, -y, z, x, y, -z, -x, -y, -z}));
        ASSERT_EQ(0, sign3((double[12]){x, y, z, -x, -y, -z, 0, 0, 0, z, x, y}));
    }
    PASS();
}

// Four points of a plane of slope one, the last lifted by the smallest number there is.
TEST smallest_step(void)
{
    static const double big[] = {1, 3, 1e10, 1e200, DBL_MAX};
    for (int i = 0; i < 5; i++) {
        double b = big[i];
        double flat[12] = {b, 0, b, 0, b, b, -b, -b, b, 0, 0, b};
        ASSERT_EQ(0, sign3(flat));
        flat[2] = 0, flat[5] = 0, flat[8] = 0;
        flat[11] = 0x1p-1074; // the fourth point is above: det = 3 b^2 (0 - step)
        ASSERT_EQ(-1, sign3(flat));
        flat[11] = -0x1p-1074;
        ASSERT_EQ(1, sign3(flat));
        flat[11] = -0.0;
        ASSERT_EQ(0, sign3(flat));
        // x = y line against a point one step beside it
        const double near = nextafter(b, 0), line[9] = {b, b, 0, -b, -b, 0, near, b, 0};
        shl_exact_points s;
        shl_exact_load(&s, line, 3);
        ASSERT_EQ(-1, shl_exact_orient2d(&s, 2, 0, 1, 2));
        ASSERT_EQ(0, shl_exact_orient2d(&s, 0, 0, 1, 2));
    }
    PASS();
}

TEST limbs_fit_the_span(void)
{
    shl_exact_points s;
    const double one[3] = {0, 1, -3}, two[6] = {0x1p60, 0, 0, 0x1.8p0, 0, 0};
    const double most[6] = {DBL_MAX, 0, 0, 0x1p-1074, 0, 0};
    shl_exact_load(&s, one, 1);
    ASSERT_EQ(1, s.limbs);
    shl_exact_load(&s, two, 2);
    ASSERT_EQ(2, s.limbs);
    shl_exact_load(&s, most, 2);
    ASSERT_EQ(SHL_EXACT_LIMBS, s.limbs);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(lattice_points);
    RUN_TEST(nearly_flat_points);
    RUN_TEST(mixed_sizes);
    RUN_TEST(smallest_step);
    RUN_TEST(limbs_fit_the_span);
    GREATEST_MAIN_END();
}
