// SPDX-License-Identifier: MIT
// Triangle distances against exact truth. Most pairs are certified without it: for the points
// p and q that the kernel names, and n = p - q, no point of a has a smaller n.x than n.p and
// none of b a larger one than n.q, but for rounding. What that does not settle goes to the
// oracle.
#include "kernels/kernels.h"

#include "greatest.h"
#include "tri_cases.h"
#include "tri_far.h"
#include "tri_oracle.h"
#include "tri_shapes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const shl_tri whole = {{0, 1, 2}, 0};

static double distance_by(shl_tri_distance_fn *body, const double a[9], const double b[9])
{
    const shl_tri_side side_a = {a, &whole, SHOAL_F64}, side_b = {b, &whole, SHOAL_F64};
    const shl_tri_pair pair = {0, 0};
    double out = NAN;
    uint64_t exact = 0;
    body(&side_a, &side_b, &pair, 1, &out, &exact);
    return out;
}

// --- The oracle itself, where the answer is plain. ---

TEST the_oracle_knows_plain_distances(void)
{
    static const struct {
        double a[9], b[9], square;
    } plain[] = {
        {{0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, 3, 5, 1, 3, 1, 5, 3}, 9},      // face and face
        {{0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, 2, 1, 1, 7, 1, 2, 9}, 4},      // corner above face
        {{0, 0, 0, 4, 0, 0, 0, 4, 0}, {4, 4, 0, 5, 4, 0, 4, 5, 0}, 8},      // corner and edge
        {{0, 0, 0, 4, 0, 0, 2, -9, -9}, {2, -2, 1, 2, 2, 1, 2, 0, 9}, 1},   // edge and edge
        {{0, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 4, 12, 3, 4, 12, 3, 4, 12}, 169}, // points
        {{0, 0, 0, 4, 0, 0, 2, 0, 0}, {1, 3, 0, 1, 5, 0, 1, 4, 0}, 9},      // segments
        {{0, 0, 0, 4, 0, 0, 0, 4, 0}, {1, 1, -1, 1, 1, 1, 9, 9, 0}, 0},     // crossing
        {{0, 0, 0, 4, 0, 0, 0, 4, 0}, {0, 0, 0, -1, 0, 0, 0, -1, 5}, 0},    // a common corner
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        ASSERT_IN_RANGE(sqrt(plain[i].square), oracle_distance(plain[i].a, plain[i].b), 1e-15);
        ASSERT(oracle_distance_is(plain[i].b, plain[i].a, sqrt(plain[i].square), 1e-15));
        ASSERT_FALSE(
            oracle_distance_is(plain[i].a, plain[i].b, sqrt(plain[i].square) + 2e-9, 1e-9));
        ASSERT_IN_RANGE(sqrt(plain[i].square),
                        distance_by(shl_tri_distance_ref, plain[i].a, plain[i].b), 1e-15);
    }
    PASS();
}

// Zero for the one exactly where the other says overlap.
TEST the_oracle_agrees_with_that_of_overlap(void)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        double a[9], b[9];
        bool floats;
        tri_case(seed, a, b, &floats);
        ASSERT_EQ(oracle_distance_is(a, b, 0, 0), oracle_tri_tri(a, b));
    }
    PASS();
}

// --- Bodies and truth. ---

enum { CERTIFIED, ASKED, KINDS };
static uint64_t settled[KINDS];

// The distance is at least the gap of the projections on n; 2^-60 covers this arithmetic.
static bool certified(const double a[9], const double b[9], const shl_closest *c)
{
    long double n[3], length = 0, least = INFINITY, most = -INFINITY, size = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = (long double)c->on_a[k] - (long double)c->on_b[k];
        length += n[k] * n[k];
    }
    for (int i = 0; i < 9; i += 3) {
        long double p = 0, q = 0;
        for (int k = 0; k < 3; k++) {
            p += n[k] * ((long double)a[i + k] - (long double)a[k]);
            q += n[k] * ((long double)b[i + k] - (long double)a[k]);
            size = fmaxl(size, fmaxl(fabsl((long double)a[i + k] - (long double)a[k]),
                                     fabsl((long double)b[i + k] - (long double)a[k])));
        }
        least = fminl(least, p);
        most = fmaxl(most, q);
    }
    length = sqrtl(length);
    const long double lower = (least - most) / length - 0x1p-58L * size;
    // both an upper and a lower bound of the truth lie within the error
    return lower >= (long double)c->distance - (long double)c->error / 2 &&
           length <= (long double)c->distance + (long double)c->error / 4;
}

static bool point_in(const double t[9], const double x[3], double error)
{
    double most = 0;
    for (int k = 0; k < 9; k++)
        most = fmax(most, fabs(t[k]));
    const double point[9] = {x[0], x[1], x[2], x[0], x[1], x[2], x[0], x[1], x[2]};
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) &&
           oracle_distance_is(t, point, 0, error + 4 * DBL_EPSILON * most);
}

// What the kernel says of one pair is true; `deep` also of its points, by the oracle.
static const char *fault_of(const double a[9], const double b[9], bool deep)
{
    shl_closest c;
    shl_tri_closest(a, b, &c);
    double reach = 0;
    for (int i = 0; i < 9; i++)
        reach = fmax(reach, fmax(fabs(a[i] - a[i % 3]), fabs(b[i] - a[i % 3])));
    if (c.error > SHL_DISTANCE_ERROR * reach + DBL_TRUE_MIN)
        return "the error is larger than promised";
    if (distance_by(shl_tri_distance_ref, a, b) != c.distance)
        return "two distances";
    if (c.distance == 0) {
        if (c.error != 0 || !oracle_tri_tri(a, b))
            return "no overlap";
    } else if (!deep && certified(a, b, &c)) {
        settled[CERTIFIED]++;
    } else {
        settled[ASKED]++;
        if (!oracle_distance_is(a, b, c.distance, c.error))
            return "a wrong distance";
    }
    const double near = SHL_DISTANCE_ERROR * reach + DBL_TRUE_MIN;
    if (deep && reach <= DBL_MAX && (!point_in(a, c.on_a, near) || !point_in(b, c.on_b, near)))
        return "a point outside its triangle";
    return NULL;
}

static uint64_t asked_for(uint64_t usual)
{
    return getenv("SHOAL_LONG") ? 100 * usual : usual;
}

TEST adversarial_pairs_are_right(void)
{
    for (uint64_t seed = 0; seed < asked_for(4000); seed++) {
        double a[9], b[9];
        bool floats;
        tri_case(seed, a, b, &floats);
        const char *fault = fault_of(a, b, true);
        if (fault) {
            printf("seed %llu (%s): ", (unsigned long long)seed,
                   tri_case_family_name(tri_case_family(seed)));
            FAILm(fault);
        }
    }
    PASS();
}

// Triangles of ordinary size and place, at all distances.
static void random_pair(tri_source *s, double a[9], double b[9])
{
    const double away = tri_sized(s, -20, 3);
    for (int i = 0; i < 9; i++) {
        a[i] = tri_unit(s);
        b[i] = tri_unit(s) + (i % 3 == 0 ? 2 + away : 0);
    }
}

TEST random_pairs_are_right(void)
{
    tri_source s = {12345};
    settled[CERTIFIED] = settled[ASKED] = 0;
    for (uint64_t i = 0; i < asked_for(100000); i++) {
        double a[9], b[9];
        random_pair(&s, a, b);
        const char *fault = fault_of(a, b, false);
        if (fault)
            FAILm(fault);
    }
    ASSERT(settled[CERTIFIED] > 50 * settled[ASKED]); // or the oracle would take minutes
    PASS();
}

// Edges that are nearly parallel, and slivers, where parameters are worst: an angle or a height
// of 2^-k, a distance of 2^-m, and the nearest points in the middle.
static void sliver_pair(tri_source *s, double a[9], double b[9])
{
    const double angle = tri_sized(s, -60, 0), apart = fabs(tri_sized(s, -60, 0));
    const double shift = tri_unit(s), third = tri_sized(s, -50, 1);
    const bool edges = tri_chance(s, 50);
    const double first[9] = {-1, 0, 0, 1, 0, 0, shift, edges ? third : angle, edges ? -1 : 0};
    const double edge[9] = {-1 + shift / 4, -angle, apart, 1,        angle,
                            apart,          0,      third, 1 + apart};
    const double corner[9] = {shift / 2, angle * 0.25, apart,       0.5,      tri_unit(s),
                              apart + 1, -0.5,         tri_unit(s), apart + 1};
    // any rotation, so that nothing is exact by chance
    double turn[3][3], length = 0, axis[4];
    for (int k = 0; k < 4; k++) {
        axis[k] = tri_unit(s);
        length += axis[k] * axis[k];
    }
    const double w = axis[0], x = axis[1], y = axis[2], z = axis[3];
    const double rows[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                            2 * (x * z + w * y),           2 * (x * y + w * z),
                            w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                            2 * (x * z - w * y),           2 * (y * z + w * x),
                            w * w - x * x - y * y + z * z};
    for (int k = 0; k < 9; k++)
        turn[k / 3][k % 3] = rows[k] / length;
    for (int i = 0; i < 9; i++) {
        const double *p = first + i / 3 * 3, *q = (edges ? edge : corner) + i / 3 * 3;
        a[i] = turn[i % 3][0] * p[0] + turn[i % 3][1] * p[1] + turn[i % 3][2] * p[2];
        b[i] = turn[i % 3][0] * q[0] + turn[i % 3][1] * q[1] + turn[i % 3][2] * q[2];
    }
}

TEST slivers_and_near_parallel_edges_are_right(void)
{
    tri_source s = {777};
    for (uint64_t i = 0; i < asked_for(6000); i++) {
        double a[9], b[9];
        sliver_pair(&s, a, b);
        const char *fault = i % 2 ? fault_of(a, b, true) : fault_of(b, a, true);
        if (fault)
            FAILm(fault);
    }
    PASS();
}

// --- Known troublemakers. ---

static void permute(double out[9], const double t[9], int which)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 9; i++)
        out[i] = t[3 * order[which][i / 3] + i % 3];
}

// A corner two units in the last place above a face, where a known routine fails.
TEST a_corner_just_above_a_face(void)
{
    const double z = 571.00166381103077, low = 6327.6345143037670;
    const double s[9] = {8000.0000000000036, 6817.7672478170962, z,
                         7500.0000000000009, 6817.7672478170962, z,
                         7500.0000000000009, 6327.6345143037688, z};
    const double t[9] = {8000.0000000000009,
                         low,
                         88.336618780016408,
                         7500.0,
                         low,
                         88.336618780016408,
                         7500.0,
                         low,
                         1015.9309593449836};
    const double gap = 6327.6345143037688 - low;
    ASSERT(gap > 1.8e-12 && gap < 1.9e-12);
    for (int i = 0; i < 72; i++) {
        double a[9], b[9];
        permute(a, s, i % 6);
        permute(b, t, i / 6 % 6);
        shl_closest c;
        shl_tri_closest(i < 36 ? a : b, i < 36 ? b : a, &c);
        ASSERT(c.distance > 0);
        ASSERT_IN_RANGE(gap, c.distance, 2e-13);
        ASSERT_EQ(NULL, fault_of(i < 36 ? a : b, i < 36 ? b : a, true));
    }
    PASS();
}

TEST a_coplanar_pair_overlaps_in_any_order(void)
{
    const double s[9] = {76.648,  54.6752, 15.0012, 76.648, 54.6752,
                         14.5542, 76.582,  54.6752, 14.7879};
    const double t[9] = {76.6252, 54.6752, 14.892,  76.582, 54.6752,
                         14.7879, 76.5617, 54.6752, 14.7929};
    for (int i = 0; i < 72; i++) {
        double a[9], b[9];
        permute(a, s, i % 6);
        permute(b, t, i / 6 % 6);
        shl_closest c;
        shl_tri_closest(i < 36 ? a : b, i < 36 ? b : a, &c);
        ASSERT_EQ(0, c.distance);
        ASSERT_EQ(NULL, fault_of(i < 36 ? a : b, i < 36 ? b : a, true));
        for (int k = 0; k < 3; k++)
            ASSERT_IN_RANGE(c.on_a[k], c.on_b[k], 1e-12);
    }
    PASS();
}

// The nearest point of b is its corner at the end of the doubles, and rounding must not carry
// it beyond.
TEST points_at_the_end_of_the_doubles_are_finite(void)
{
    const double end = DBL_MAX, before = 1.7976931348623155e308, half = 8.9884656743115795e307;
    const double s[9] = {-0.0, -DBL_TRUE_MIN, 0, -0.0, before, -DBL_MIN, before, -0.0, -0.0};
    const double t[9] = {0, -before, -before, -end, -before, 0, end, -half, 0};
    for (int i = 0; i < 36; i++) {
        double a[9], b[9];
        permute(a, s, i % 6);
        permute(b, t, i / 6);
        ASSERT_EQ(NULL, fault_of(a, b, true));
        ASSERT_EQ(NULL, fault_of(b, a, true));
    }
    PASS();
}

// --- Bodies side by side. ---

#if defined(__x86_64__)
// All families in all three mixtures of float32 and float64.
TEST bodies_store_the_same_bytes(void)
{
    enum { ROWS = 512 };
    static double xyz[2][9 * ROWS], out[2][ROWS];
    static float narrow[2][9 * ROWS];
    static shl_tri tri[ROWS];
    static shl_tri_pair pairs[ROWS];
    if (!__builtin_cpu_supports("avx2"))
        SKIP();
    tri_source s = {99};
    for (uint64_t seed = 0; seed < asked_for(100000); seed += ROWS) {
        uint32_t rows = 0;
        for (uint32_t i = 0; i < ROWS; i++) {
            bool floats = false;
            double *a = xyz[0] + 9 * rows, *b = xyz[1] + 9 * rows;
            if (i % 4 == 0)
                tri_case(seed + i, a, b, &floats);
            else if (i % 4 == 1)
                sliver_pair(&s, a, b);
            else
                random_pair(&s, a, b);
            for (int k = 0; k < 9; k++) {
                narrow[0][9 * rows + k] = (float)fmin(fmax(a[k], -FLT_MAX), FLT_MAX);
                narrow[1][9 * rows + k] = (float)fmin(fmax(b[k], -FLT_MAX), FLT_MAX);
            }
            tri[rows] = (shl_tri){{3 * rows, 3 * rows + 1, 3 * rows + 2}, rows};
            pairs[rows] = (shl_tri_pair){rows, rows};
            rows++;
        }
        for (int mix = 0; mix < 3; mix++) {
            const shl_tri_side a = {mix == 1 ? (void *)narrow[0] : xyz[0], tri,
                                    mix == 1 ? SHOAL_F32 : SHOAL_F64};
            const shl_tri_side b = {mix ? (void *)narrow[1] : xyz[1], tri,
                                    mix ? SHOAL_F32 : SHOAL_F64};
            uint64_t exact[2] = {0};
            shl_tri_distance_ref(&a, &b, pairs, rows, out[0], &exact[0]);
            shl_tri_distance_avx2(&a, &b, pairs, rows, out[1], &exact[1]);
            ASSERT_MEM_EQ(out[0], out[1], rows * sizeof(double));
            ASSERT_EQ(exact[0], exact[1]);
        }
    }
    PASS();
}
#endif

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(the_oracle_knows_plain_distances);
    RUN_TEST(the_oracle_agrees_with_that_of_overlap);
    RUN_TEST(adversarial_pairs_are_right);
    RUN_TEST(random_pairs_are_right);
    RUN_TEST(slivers_and_near_parallel_edges_are_right);
    RUN_TEST(a_corner_just_above_a_face);
    RUN_TEST(a_coplanar_pair_overlaps_in_any_order);
    RUN_TEST(points_at_the_end_of_the_doubles_are_finite);
#if defined(__x86_64__)
    RUN_TEST(bodies_store_the_same_bytes);
#endif
    GREATEST_MAIN_END();
}
