// SPDX-License-Identifier: MIT
// A family makes a pair; afterwards corners, axes and the two triangles change places and
// zeros change sign, none of which may change an answer. Families of shapes are in
// tri_shapes.c; here the same shapes meet the edges of the number formats.
#include "tri_cases.h"

#include "tri_shapes.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void scale(double a[9], double b[9], int exponent)
{
    for (int i = 0; i < 9; i++) {
        a[i] = ldexp(a[i], exponent);
        b[i] = ldexp(b[i], exponent);
    }
}

// Scale so that the largest number is in [2^top, 2^(top + 1)).
static void scale_to(double a[9], double b[9], int top)
{
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fmax(fabs(a[i]), fabs(b[i])));
    if (largest > 0)
        scale(a, b, top - ilogb(largest));
}

// 1e6 to 1e15 away: a whole number keeps a lattice pair exact, any other rounds the pair.
static void far_away(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    const bool whole = tri_chance(s, 50);
    for (int axis = 0; axis < 3; axis++) {
        const double far = tri_sized(s, 20, 49);
        for (int i = axis; i < 9; i += 3) {
            a[i] += whole ? floor(far) : far;
            b[i] += whole ? floor(far) : far;
        }
    }
}

static void huge(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    scale_to(a, b, tri_between(s, 997, 1023));
}

static void tiny(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    scale_to(a, b, tri_between(s, -1021, -960));
}

static void denormal(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    scale_to(a, b, tri_between(s, -1073, -1023));
}

// Each axis has a size of its own, which keeps the answer.
static void mixed_axes(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    for (int axis = 0; axis < 3; axis++) {
        const int exponent = tri_between(s, -1000, 1000);
        for (int i = axis; i < 9; i += 3) {
            a[i] = ldexp(a[i], exponent);
            b[i] = ldexp(b[i], exponent);
        }
    }
}

// b shrinks towards the place of its first corner, or a point beside it.
static void mixed_sizes(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    const double first[3] = {b[0], b[1], b[2]};
    const double kept = tri_chance(s, 70);
    const int exponent = tri_between(s, -1000, -30);
    for (int i = 0; i < 9; i++) {
        a[i] -= first[i % 3];
        b[i] = ldexp(b[i] - kept * first[i % 3], exponent);
    }
}

static void mixed_numbers(tri_source *s, double a[9], double b[9])
{
    for (int i = 0; i < 18; i++) {
        double *x = i < 9 ? &a[i] : &b[i - 9];
        *x = tri_sized(s, -1100, 1023);
    }
}

static void pick(tri_source *s, const double *pool, int count, double a[9], double b[9])
{
    for (int i = 0; i < 18; i++) {
        double *x = i < 9 ? &a[i] : &b[i - 9];
        *x = pool[tri_between(s, 0, count - 1)];
        *x = tri_chance(s, 50) ? -*x : *x;
    }
}

static void double_limits(tri_source *s, double a[9], double b[9])
{
    const double pool[] = {
        0, DBL_MAX, nextafter(DBL_MAX, 0), ldexp(1, 1023), DBL_MIN, DBL_TRUE_MIN, 1};
    pick(s, pool, tri_chance(s, 50) ? 4 : 7, a, b);
}

static void float_limits(tri_source *s, double a[9], double b[9])
{
    const double pool[] = {0, FLT_MAX, ldexp(FLT_MAX, -1), ldexp(1, 127), FLT_MIN, FLT_TRUE_MIN,
                           1};
    pick(s, pool, tri_chance(s, 50) ? 4 : 7, a, b);
}

static void to_floats(double a[9], double b[9])
{
    for (int i = 0; i < 9; i++) {
        a[i] = (float)a[i];
        b[i] = (float)b[i];
    }
}

static void float_ordinary(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    to_floats(a, b);
}

static void float_denormal(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    scale_to(a, b, tri_between(s, -148, -126));
    to_floats(a, b);
}

static void float_large(tri_source *s, double a[9], double b[9])
{
    tri_coincidence(s, a, b);
    scale_to(a, b, tri_between(s, 100, 126));
    to_floats(a, b);
}

// Small numbers and many zeros, whose signs are then shuffled.
static void signed_zeros(tri_source *s, double a[9], double b[9])
{
    const double pool[] = {0, 0, 0, 1, 1, 2};
    pick(s, pool, 6, a, b);
}

// Pairs that other programs got wrong, sometimes moved by a unit in the last place.
static void known_trouble(tri_source *s, double a[9], double b[9])
{
    static const double pairs[2][18] = {
        {76.648, 54.6752, 15.0012, 76.648, 54.6752, 14.5542, 76.582, 54.6752, 14.7879, //
         76.6252, 54.6752, 14.892, 76.582, 54.6752, 14.7879, 76.5617, 54.6752, 14.7929},
        {8000.0000000000036, 6817.7672478170962, 571.00166381103077, //
         7500.0000000000009, 6817.7672478170962, 571.00166381103077, //
         7500.0000000000009, 6327.6345143037688, 571.00166381103077, //
         8000.0000000000009, 6327.6345143037670, 88.336618780016408, //
         7500.0, 6327.6345143037670, 88.336618780016408,             //
         7500.0, 6327.6345143037670, 1015.9309593449836},
    };
    const double *pair = pairs[tri_between(s, 0, 1)];
    memcpy(a, pair, 9 * sizeof *a);
    memcpy(b, pair + 9, 9 * sizeof *b);
    tri_nudge(s, a, tri_between(s, 0, 2));
}

static const tri_family size_families[] = {
    {"far away", far_away},
    {"huge", huge},
    {"tiny", tiny},
    {"denormal", denormal},
    {"mixed axes", mixed_axes},
    {"mixed sizes", mixed_sizes},
    {"mixed numbers", mixed_numbers},
    {"double limits", double_limits},
    {"float limits", float_limits},
    {"float ordinary", float_ordinary},
    {"float denormal", float_denormal},
    {"float large", float_large},
    {"signed zeros", signed_zeros},
    {"known trouble", known_trouble},
};

enum { SIZE_FAMILIES = sizeof size_families / sizeof size_families[0] };

static const tri_family *family_of(uint32_t family)
{
    return family < TRI_SHAPE_FAMILIES ? &tri_shape_families[family]
                                       : &size_families[family - TRI_SHAPE_FAMILIES];
}

static void shuffle3(tri_source *s, int order[3])
{
    for (int i = 0; i < 3; i++)
        order[i] = i;
    for (int i = 2; i > 0; i--) {
        const int k = tri_between(s, 0, i), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
}

static void reorder(double t[9], const int corner[3], const int axis[3])
{
    double old[9];
    memcpy(old, t, sizeof old);
    for (int i = 0; i < 9; i++)
        t[i] = old[3 * corner[i / 3] + axis[i % 3]];
}

static void shuffle(tri_source *s, double a[9], double b[9])
{
    int corner[3], axis[3];
    shuffle3(s, axis);
    shuffle3(s, corner);
    reorder(a, corner, axis);
    shuffle3(s, corner);
    reorder(b, corner, axis);
    if (tri_chance(s, 50)) {
        double t[9];
        memcpy(t, a, sizeof t);
        memcpy(a, b, sizeof t);
        memcpy(b, t, sizeof t);
    }
    for (int i = 0; i < 18; i++) {
        double *x = i < 9 ? &a[i] : &b[i - 9];
        if (*x == 0 && tri_chance(s, 50))
            *x = -*x;
    }
}

static bool is_float(double x)
{
    return fabs(x) <= FLT_MAX && (double)(float)x == x;
}

void tri_case(uint64_t seed, double a[9], double b[9], bool *float32_ok)
{
    tri_source s = {seed};
    s.state = tri_bits(&s); // a counter of seeds would otherwise overlap with its neighbours
    family_of(tri_case_family(seed))->make(&s, a, b);
    shuffle(&s, a, b);
    *float32_ok = true;
    for (int i = 0; i < 9; i++)
        *float32_ok &= is_float(a[i]) && is_float(b[i]);
}

uint32_t tri_case_families(void)
{
    return TRI_SHAPE_FAMILIES + SIZE_FAMILIES;
}

uint32_t tri_case_family(uint64_t seed)
{
    return (uint32_t)(seed % tri_case_families());
}

const char *tri_case_family_name(uint32_t family)
{
    return family_of(family)->name;
}
