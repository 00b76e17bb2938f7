// SPDX-License-Identifier: MIT
// Contacts of a sphere and a triangle, against the distance by regions.
#include "greatest.h"
#include "run.h"
#include "runtime/queries/spheres/sphere_tests.h"

#include <math.h>

// By region, as Ericson 2005 has it, in long double.
static long double distance_to(const double t[9])
{
    long double a[3], b[3], c[3], ab[3], ac[3];
    for (int k = 0; k < 3; k++) {
        a[k] = t[k], b[k] = t[3 + k], c[k] = t[6 + k];
        ab[k] = b[k] - a[k], ac[k] = c[k] - a[k];
    }
#define DOT(x, y) (x[0] * y[0] + x[1] * y[1] + x[2] * y[2])
    const long double d1 = -DOT(ab, a), d2 = -DOT(ac, a), d3 = -DOT(ab, b), d4 = -DOT(ac, b),
                      d5 = -DOT(ab, c), d6 = -DOT(ac, c);
    const long double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    long double v = 0, w = 0;
    if (d1 <= 0 && d2 <= 0)
        v = w = 0;
    else if (d3 >= 0 && d4 <= d3)
        v = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        v = d1 / (d1 - d3);
    else if (d6 >= 0 && d5 <= d6)
        w = 1;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1 - w;
    } else {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    long double square = 0;
    for (int k = 0; k < 3; k++) {
        const long double p = a[k] + v * ab[k] + w * ac[k];
        square += p * p;
    }
    return sqrtl(square);
}

TEST distances_are_right(void)
{
    uint64_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        double t[9];
        const double size = i % 4 == 3 ? 1e3 : 1;
        for (int k = 0; k < 9; k++)
            t[k] = size * world_unit(&seed) + (i % 2 ? 0.5 : 0);
        shoal_sphere_contact c = {0};
        ASSERT(shl_sphere_triangle(&(shl_sphere){.r = 1e4}, t, &c));
        const double want = (double)distance_to(t);
        ASSERT_IN_RANGE(want, 1e4 - c.depth, 1e-9);
        double length = 0, reach = 0;
        for (int k = 0; k < 3; k++) {
            length += c.normal[k] * c.normal[k];
            reach += c.normal[k] * c.position[k];
        }
        ASSERT_IN_RANGE(1, length, 1e-12);
        ASSERT_IN_RANGE(want, reach, 1e-9);
        ASSERT(shl_sphere_triangle(&(shl_sphere){.r = want * (1 + 1e-9) + 1e-12}, t, &c));
        ASSERT_FALSE(shl_sphere_triangle(&(shl_sphere){.r = want * (1 - 1e-9) - 1e-12}, t, &c));
    }
    // segments, points, and a centre on the triangle
    shoal_sphere_contact c;
    const double point[9] = {3, 4, 0, 3, 4, 0, 3, 4, 0}, line[9] = {1, 1, 0, -1, 1, 0, 0, 1, 0};
    const double through[9] = {1, 0, 0, -1, 1, 0, -1, -1, 0};
    ASSERT(shl_sphere_triangle(&(shl_sphere){.r = 6}, point, &c) && c.depth == 1);
    ASSERT(shl_sphere_triangle(&(shl_sphere){.r = 3}, line, &c) && c.depth == 2);
    ASSERT(shl_sphere_triangle(&(shl_sphere){.r = 1}, through, &c) && c.depth == 1);
    ASSERT(fabs(c.normal[2]) == 1);
    PASS();
}

// A contact is the same at any size, where squares and fourth powers are no doubles, too.
TEST size_does_not_matter(void)
{
    static const int sizes[] = {-990, -290, -270, -201, -199, 199, 201, 258, 300, 520, 990};
    uint64_t seed = 8;
    uint32_t met = 0;
    for (int i = 0; i < 20000; i++) {
        double t[9], far[9];
        shl_sphere a = {.r = 0.4}, b = {.r = 0.3}, of[2];
        for (int k = 0; k < 9; k++)
            t[k] = world_unit(&seed) - 0.5;
        for (int k = 0; k < 3; k++) {
            a.c[k] = world_unit(&seed) - 0.5;
            b.c[k] = world_unit(&seed) - 0.5;
        }
        const int size = sizes[i % 11];
        for (int k = 0; k < 9; k++)
            far[k] = ldexp(t[k], size);
        of[0] = a;
        of[1] = b;
        for (int n = 0; n < 2; n++) {
            of[n].r = ldexp(of[n].r, size);
            for (int k = 0; k < 3; k++)
                of[n].c[k] = ldexp(of[n].c[k], size);
        }
        shoal_sphere_contact small[2] = {{0}}, large[2] = {{0}};
        const bool one[2] = {shl_sphere_triangle(&a, t, &small[0]),
                             shl_sphere_sphere(&a, &b, &small[1])};
        ASSERT_EQ(one[0], shl_sphere_triangle(&of[0], far, &large[0]));
        ASSERT_EQ(one[1], shl_sphere_sphere(&of[0], &of[1], &large[1]));
        for (int n = 0; n < 2; n++) {
            met += one[n];
            ASSERT_EQ(ldexp(small[n].depth, size), large[n].depth);
            for (int k = 0; k < 3; k++) {
                ASSERT_EQ(small[n].normal[k], large[n].normal[k]);
                ASSERT_EQ(ldexp(small[n].position[k], size), large[n].position[k]);
            }
        }
    }
    ASSERT(met > 4000 && met < 36000);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(distances_are_right);
    RUN_TEST(size_does_not_matter);
    GREATEST_MAIN_END();
}
