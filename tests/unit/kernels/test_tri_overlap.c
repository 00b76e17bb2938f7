// SPDX-License-Identifier: MIT
#include "kernels/tri/exact_tri.h"
#include "kernels/tri/tri_overlap.h"

#include "greatest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 i128;

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double uniform(void)
{
    return (double)(next() >> 11) * 0x1p-53;
}

// --- Bodies side by side. ---

static shl_tri_overlap_fn *best_body(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return shl_tri_overlap_avx2;
#endif
    return shl_tri_overlap_ref;
}

// One pair of triangles through one body; the arrays end with the last corner.
static bool overlap_by(shl_tri_overlap_fn *body, const double a[9], const double b[9])
{
    static const shl_tri corners[2] = {{{0, 1, 2}, 0}, {{2, 1, 0}, 0}};
    double *xyz[2] = {malloc(9 * sizeof(double)), malloc(9 * sizeof(double))};
    memcpy(xyz[0], a, 9 * sizeof(double));
    memcpy(xyz[1], b, 9 * sizeof(double));
    const shl_tri_side side[2] = {{xyz[0], corners, SHOAL_F64}, {xyz[1], corners, SHOAL_F64}};
    const shl_tri_pair pair = {0, 1};
    shl_tri_pair out = {7, 7};
    uint64_t exact = 0;
    uint32_t kept = body(&side[0], &side[1], &pair, 1, &out, &exact);
    free(xyz[0]);
    free(xyz[1]);
    return kept == 1 && out.a == 0 && out.b == 1;
}

static void permute(double out[9], const double t[9], int which)
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 9; i++)
        out[i] = t[3 * order[which][i / 3] + i % 3];
}

// The wanted answer from both bodies and the exact routine, for all corner orders, both orders
// of the triangles and all cyclic orders of the axes.
static bool always(bool wanted, const double a[9], const double b[9])
{
    for (int i = 0; i < 36 * 3; i++) {
        double p[2][9], q[2][9];
        permute(p[0], a, i % 6);
        permute(p[1], b, i / 6 % 6);
        for (int k = 0; k < 18; k++)
            q[k / 9][k % 9] = p[k / 9][k % 9 / 3 * 3 + (k % 3 + i / 36) % 3];
        for (int swap = 0; swap < 2; swap++) {
            const double *x = q[swap], *y = q[!swap];
            if (shl_exact_tri_tri(x, y) != wanted || overlap_by(best_body(), x, y) != wanted ||
                overlap_by(shl_tri_overlap_ref, x, y) != wanted)
                return false;
        }
    }
    return true;
}

// --- Cases by hand. ---

typedef struct hand_case {
    const char *name;
    bool meet;
    double a[9], b[9];
} hand_case;

#define FLAT                                                                                   \
    {                                                                                          \
        0, 0, 0, 4, 0, 0, 0, 4, 0                                                              \
    }

static const hand_case hand_cases[] = {
    {"pierces", true, FLAT, {1, 1, -1, 1, 1, 1, 5, 5, 5}},
    {"passes beside", false, FLAT, {3, 3, -1, 3, 3, 1, 5, 5, 5}},
    {"above", false, FLAT, {0, 0, 1, 4, 0, 1, 0, 4, 1}},
    {"linked edges", true, FLAT, {2, -1, -1, 2, 1, 0.5, 2, -1, 2}},
    {"corner on corner", true, FLAT, {0, 0, 0, -1, -1, 1, -1, -2, 1}},
    {"corner on edge", true, FLAT, {2, 0, 0, 2, -1, 1, 3, -1, 1}},
    {"corner on face", true, FLAT, {1, 1, 0, 1, 0, 1, 2, 3, 1}},
    {"corner beside face", false, FLAT, {3, 3, 0, 3, 0, 1, 4, 3, 1}},
    {"corner just below face", true, FLAT, {1, 1, -0x1p-1074, 1, 0, 1, 2, 3, 1}},
    {"corner just above face", false, FLAT, {1, 1, 0x1p-1074, 1, 0, 1, 2, 3, 1}},
    {"edges touch in a point", true, FLAT, {2, 0, -1, 2, 0, 1, 2, -5, 0}},
    {"edge lies in face", true, FLAT, {1, 1, 0, 2, 1, 0, 1, 1, 3}},
    {"edge on edge", true, FLAT, {1, 0, 0, 9, 0, 0, 1, 0, 3}},
    {"edges in line, apart", false, FLAT, {5, 0, 0, 9, 0, 0, 7, 0, 3}},
    {"common edge", true, FLAT, {0, 0, 0, 4, 0, 0, 2, -3, 1}},
    {"same", true, FLAT, FLAT},
    {"coplanar overlap", true, FLAT, {1, 1, 0, 5, 1, 0, 1, 5, 0}},
    {"coplanar star", true, {0, 0, 0, 6, 0, 0, 3, 5, 0}, {0, 3, 0, 6, 3, 0, 3, -2, 0}},
    {"coplanar inside", true, FLAT, {1, 1, 0, 2, 1, 0, 1, 2, 0}},
    {"coplanar apart", false, FLAT, {3, 3, 0, 5, 3, 0, 3, 5, 0}},
    {"coplanar apart by little", false, FLAT, {2, 2 + 0x1p-51, 0, 5, 3, 0, 3, 5, 0}},
    {"coplanar corner on edge", true, FLAT, {2, 2, 0, 5, 3, 0, 3, 5, 0}},
    {"coplanar common corner", true, FLAT, {0, 0, 0, -4, 0, 0, 0, -4, 0}},
    {"coplanar common edge", true, FLAT, {0, 4, 0, 4, 0, 0, 4, 4, 0}},
    {"segment pierces", true, FLAT, {1, 1, -1, 1, 1, 1, 1, 1, 0.5}},
    {"segment too short", false, FLAT, {1, 1, 2, 1, 1, 1, 1, 1, 0.5}},
    {"segment in plane", true, FLAT, {-1, 1, 0, 5, 1, 0, 3, 1, 0}},
    {"segment in plane, apart", false, FLAT, {-1, 1, 0, -1, 2, 0, -1, 3, 0}},
    {"point in face", true, FLAT, {1, 1, 0, 1, 1, 0, 1, 1, 0}},
    {"point on edge", true, FLAT, {2, 2, 0, 2, 2, 0, 2, 2, 0}},
    {"point beside", false, FLAT, {3, 3, 0, 3, 3, 0, 3, 3, 0}},
    {"point above", false, FLAT, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"segments cross", true, {0, 0, 0, 2, 2, 2, 1, 1, 1}, {0, 2, 1, 2, 0, 1, 0, 2, 1}},
    {"segments skew", false, {0, 0, 0, 2, 2, 2, 1, 1, 1}, {0, 2, 2, 2, 0, 1, 0, 2, 2}},
    {"segments parallel", false, {0, 0, 0, 2, 2, 2, 1, 1, 1}, {0, 0, 1, 2, 2, 3, 1, 1, 2}},
    {"segments in line", true, {0, 0, 0, 2, 2, 2, 1, 1, 1}, {2, 2, 2, 3, 3, 3, 2, 2, 2}},
    {"segments in line, apart",
     false,
     {0, 0, 0, 2, 2, 2, 1, 1, 1},
     {3, 3, 3, 4, 4, 4, 3, 3, 3}},
    {"point on segment", true, {0, 0, 0, 2, 4, 6, 0, 0, 0}, {1, 2, 3, 1, 2, 3, 1, 2, 3}},
    {"same point", true, {1, 2, 3, 1, 2, 3, 1, 2, 3}, {1, 2, 3, 1, 2, 3, 1, 2, 3}},
    {"zeros of both signs", true, FLAT, {-0.0, -0.0, -0.0, -1, -1, 1, -1, -2, 1}},
    {"coplanar, shared corner, many roundings",
     true,
     {76.648, 54.6752, 15.0012, 76.648, 54.6752, 14.5542, 76.582, 54.6752, 14.7879},
     {76.6252, 54.6752, 14.892, 76.582, 54.6752, 14.7879, 76.5617, 54.6752, 14.7929}},
    {"two ulp apart",
     false,
     {8000.0000000000036, 6817.7672478170962, 571.00166381103077, 7500.0000000000009,
      6817.7672478170962, 571.00166381103077, 7500.0000000000009, 6327.6345143037688,
      571.00166381103077},
     {8000.0000000000009, 6327.6345143037670, 88.336618780016408, 7500.0, 6327.6345143037670,
      88.336618780016408, 7500.0, 6327.6345143037670, 1015.9309593449836}},
};

TEST by_hand(void)
{
    static const double scale[] = {1, -1, 0x1p-340, 0x1p1000, 0x1p-1000};
    for (size_t i = 0; i < sizeof hand_cases / sizeof *hand_cases; i++) {
        const hand_case *c = &hand_cases[i];
        ASSERTm(c->name, always(c->meet, c->a, c->b));
        // a scale changes nothing as long as it loses no bit
        for (int s = 1; s < 5 && !strstr(c->name, "just") && !strstr(c->name, "ulp"); s++) {
            double a[9], b[9];
            for (int k = 0; k < 9; k++) {
                a[k] = c->a[k] * scale[s];
                b[k] = c->b[k] * scale[s];
            }
            ASSERTm(c->name, always(c->meet, a, b));
        }
    }
    PASS();
}

TEST huge_and_tiny(void)
{
    const double huge = DBL_MAX, tiny = 0x1p-1074;
    const double a[9] = {-huge, -huge, 0, huge, -huge, 0, 0, huge, 0};
    const double below[9] = {0, 0, -tiny, tiny, 0, tiny, 0, tiny, tiny};
    const double above[9] = {0, 0, tiny, tiny, 0, tiny, 0, tiny, tiny};
    const double dot[9] = {tiny, tiny, 0, tiny, tiny, 0, tiny, tiny, 0};
    ASSERT(always(true, a, below));
    ASSERT(always(false, a, above));
    ASSERT(always(true, a, dot));
    ASSERT(always(false, below, dot));
    PASS();
}

// --- Truth of another kind, for small lattice points. ---

// Does the system [columns] x = (1, 1, 0, 0, 0) with independent columns have a solution x >=
// 0? Fraction-free elimination; `rows` is destroyed.
static bool solves(i128 rows[5][7], int columns)
{
    i128 previous = 1;
    for (int c = 0; c < columns; c++) {
        int pivot = c;
        while (pivot < 5 && !rows[pivot][c])
            pivot++;
        if (pivot == 5)
            return false;
        for (int k = 0; k <= columns && pivot != c; k++) {
            i128 kept = rows[c][k];
            rows[c][k] = rows[pivot][k];
            rows[pivot][k] = -kept;
        }
        for (int r = 0; r < 5; r++) {
            i128 factor = rows[r][c];
            for (int k = 0; k <= columns && r != c; k++)
                rows[r][k] = (rows[r][k] * rows[c][c] - rows[c][k] * factor) / previous;
        }
        previous = rows[c][c];
    }
    bool good = true;
    for (int r = 0; r < 5; r++)
        good &= r < columns ? rows[r][columns] * previous >= 0 : rows[r][columns] == 0;
    return good;
}

// Do the hulls of two point sets share a point? Convex weights on both sides with equal sums
// are a linear program; if it is feasible, so is one of its basic solutions: try them all.
static bool hulls_meet(const double *const *a, int a_count, const double *const *b, int b_count)
{
    for (int subset = 1; subset < 1 << (a_count + b_count); subset++) {
        if (__builtin_popcount((unsigned)subset) > 5)
            continue;
        i128 rows[5][7] = {{0}};
        int columns = 0;
        for (int i = 0; i < a_count + b_count; i++) {
            if (!(subset >> i & 1))
                continue;
            const bool second = i >= a_count;
            rows[second][columns] = 1;
            for (int k = 0; k < 3; k++)
                rows[2 + k][columns] = (i128)(second ? -b[i - a_count][k] : a[i][k]);
            columns++;
        }
        rows[0][columns] = rows[1][columns] = 1;
        if (solves(rows, columns))
            return true;
    }
    return false;
}

static void lattice_triangle(double t[9], uint64_t size)
{
    for (int i = 0; i < 9; i++)
        t[i] = (double)(next() % size);
}

TEST lattice_truth(void)
{
    int meets = 0;
    for (int round = 0; round < 30000; round++) {
        double a[9], b[9];
        lattice_triangle(a, 2 + (uint64_t)round % 5);
        lattice_triangle(b, 2 + (uint64_t)round % 5);
        const double *const pa[3] = {a, a + 3, a + 6}, *const pb[3] = {b, b + 3, b + 6};
        bool meet = hulls_meet(pa, 3, pb, 3);
        meets += meet;
        ASSERT_EQ(meet, shl_exact_tri_tri(a, b));
        ASSERT_EQ(meet, overlap_by(best_body(), a, b));
    }
    ASSERT(meets > 3000 && meets < 27000);
    PASS();
}

// The definition in exact_tri.h, word by word.
static bool adjacent_truth(const double a[9], const double b[9], uint32_t shared_count,
                           const uint8_t sa[3], const uint8_t sb[3])
{
    if (shared_count == 3)
        return true;
    const double *const pa[3] = {a, a + 3, a + 6}, *const pb[3] = {b, b + 3, b + 6};
    if (shared_count == 1) {
        const double *const ea[2] = {pa[(sa[0] + 1) % 3], pa[(sa[0] + 2) % 3]};
        const double *const eb[2] = {pb[(sb[0] + 1) % 3], pb[(sb[0] + 2) % 3]};
        return hulls_meet(ea, 2, pb, 3) || hulls_meet(eb, 2, pa, 3);
    }
    const double *v = pa[sa[0]], *w = pa[sa[1]];
    const double *p = pa[3 - sa[0] - sa[1]], *q = pb[3 - sb[0] - sb[1]];
    const double *const vp[2] = {v, p}, *const wq[2] = {w, q};
    const double *const wp[2] = {w, p}, *const vq[2] = {v, q};
    return hulls_meet(&p, 1, pb, 3) || hulls_meet(&q, 1, pa, 3) || hulls_meet(vp, 2, wq, 2) ||
           hulls_meet(wp, 2, vq, 2);
}

TEST adjacent_lattice_truth(void)
{
    int meets[4] = {0};
    for (int round = 0; round < 24000; round++) {
        double a[9], b[9];
        lattice_triangle(a, 2 + (uint64_t)round % 5);
        lattice_triangle(b, 2 + (uint64_t)round % 5);
        const uint32_t shared = 1 + (uint32_t)next() % 3, fa = (uint32_t)next() % 3;
        const uint32_t fb = (uint32_t)next() % 3, step = 1 + (uint32_t)next() % 2;
        uint8_t sa[3], sb[3];
        for (uint32_t i = 0; i < 3; i++) {
            sa[i] = (uint8_t)((fa + i) % 3);
            sb[i] = (uint8_t)((fb + step * i) % 3);
            for (uint32_t k = 0; k < 3 && i < shared; k++)
                b[3 * sb[i] + k] = a[3 * sa[i] + k];
        }
        bool meet = adjacent_truth(a, b, shared, sa, sb);
        meets[shared] += meet;
        ASSERT_EQ(meet, shl_exact_tri_adjacent(a, b, shared, sa, sb));
    }
    ASSERT(meets[1] > 500 && meets[2] > 500);
    PASS();
}

TEST adjacent_by_hand(void)
{
    const double flat[9] = FLAT;
    const uint8_t first[3] = {0, 1, 2};
    const double fold[9] = {0, 0, 0, 4, 0, 0, 1, 1, 0};
    const double pierce[9] = {0, 0, 0, 1, 1, -1, 1, 1, 1},
                 hinge[9] = {0, 0, 0, 4, 0, 0, 1, 1, 1};
    const double wide[9] = {0, 0, 0, 4, 0, 0, 0, -4, 0}, cross[9] = {0, 0, 0, 4, 0, 0, 4, 4, 0};
    ASSERT(shl_exact_tri_adjacent(flat, pierce, 1, first, first));
    ASSERT(shl_exact_tri_adjacent(flat, fold, 2, first, first));
    ASSERT_FALSE(shl_exact_tri_adjacent(flat, hinge, 2, first, first));
    ASSERT_FALSE(shl_exact_tri_adjacent(flat, wide, 2, first, first));
    ASSERT(shl_exact_tri_adjacent(flat, cross, 2, first, first));
    ASSERT(shl_exact_tri_adjacent(flat, flat, 3, first, first));
    PASS();
}

// --- Many pairs: both bodies, all scalar types. ---

typedef enum kind { UNIFORM, LATTICE, NEAR, EXTREME, KINDS } kind;

static void make_pair(kind what, double a[9], double b[9])
{
    for (int i = 0; i < 18; i++) {
        double *x = i < 9 ? &a[i] : &b[i - 9];
        *x = uniform() + 0.3;
        if (what == LATTICE)
            *x = (double)(next() % 4);
        if (what == EXTREME) // within float32, so that all scalar types see these sizes
            *x = ldexp(*x - 0.8, (int)(next() % 270) - 145);
    }
    if (what != NEAR)
        return;
    // Corners of b are put on a's plane, an edge or a corner, up to rounding or a step of it.
    for (int i = 0; i < 3; i++) {
        double u = uniform(), v = next() % 3 ? uniform() * (1 - u) : 0;
        if (next() % 4 == 0)
            u = v = 0;
        for (int k = 0; k < 3 && next() % 3; k++) {
            double x = a[k] + u * (a[3 + k] - a[k]) + v * (a[6 + k] - a[k]);
            b[3 * i + k] = x * (1 + ((double)(next() % 3) - 1) * 0x1p-52);
        }
    }
}

// Vertices of both sides; every array ends with its last scalar, so that a read beyond it is
// caught by an address checker.
typedef struct bulk {
    uint32_t count;
    void *xyz[2][2]; // [side][scalar]
    shl_tri *tri[2];
    shl_tri_pair *pairs, *out[2];
} bulk;

static bulk bulk_make(kind what, uint32_t count)
{
    bulk m = {.count = count};
    for (int s = 0; s < 2; s++) {
        m.xyz[s][SHOAL_F32] = malloc(9 * count * sizeof(float));
        m.xyz[s][SHOAL_F64] = malloc(9 * count * sizeof(double));
        m.tri[s] = malloc(count * sizeof *m.tri[s]);
        m.out[s] = malloc(count * sizeof *m.out[s]);
    }
    m.pairs = malloc(count * sizeof *m.pairs);
    for (uint32_t i = 0; i < count; i++) {
        double t[2][9];
        make_pair(what == KINDS ? (kind)(i % EXTREME) : what, t[0], t[1]);
        for (int s = 0; s < 2; s++) {
            for (uint32_t k = 0; k < 9; k++) {
                ((double *)m.xyz[s][SHOAL_F64])[9 * i + k] = t[s][k];
                ((float *)m.xyz[s][SHOAL_F32])[9 * i + k] = (float)t[s][k];
            }
            m.tri[s][i] = (shl_tri){{3 * i + 2, 3 * i, 3 * i + 1}, i};
        }
        m.pairs[i] = (shl_tri_pair){i, i};
    }
    return m;
}

static void bulk_free(bulk *m)
{
    for (int s = 0; s < 2; s++) {
        free(m->xyz[s][0]);
        free(m->xyz[s][1]);
        free(m->tri[s]);
        free(m->out[s]);
    }
    free(m->pairs);
}

// Both bodies on all pairs: same pairs, same exact count. Then the best body in place.
static bool bodies_agree(bulk *m, int scalar_a, int scalar_b, uint64_t *exact)
{
    const shl_tri_side a = {m->xyz[0][scalar_a], m->tri[0], (shoal_scalar)scalar_a};
    const shl_tri_side b = {m->xyz[1][scalar_b], m->tri[1], (shoal_scalar)scalar_b};
    uint64_t count[3] = {5, 5, 5};
    const uint32_t n = shl_tri_overlap_ref(&a, &b, m->pairs, m->count, m->out[0], &count[0]);
    if (best_body()(&a, &b, m->pairs, m->count, m->out[1], &count[1]) != n)
        return false;
    bool same = memcmp(m->out[0], m->out[1], n * sizeof *m->out[0]) == 0;
    memcpy(m->out[1], m->pairs, m->count * sizeof *m->pairs);
    same &= best_body()(&a, &b, m->out[1], m->count, m->out[1], &count[2]) == n;
    same &= memcmp(m->out[0], m->out[1], n * sizeof *m->out[0]) == 0;
    *exact = count[0] - 5;
    return same && count[0] == count[1] && count[0] == count[2];
}

// The filter's answers against the exact routine's.
static bool filter_is_right(const bulk *m)
{
    const shl_tri_side a = {m->xyz[0][SHOAL_F64], m->tri[0], SHOAL_F64};
    const shl_tri_side b = {m->xyz[1][SHOAL_F64], m->tri[1], SHOAL_F64};
    uint64_t exact = 0;
    const uint32_t n = best_body()(&a, &b, m->pairs, m->count, m->out[1], &exact);
    uint32_t at = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const bool kept = at < n && m->out[1][at].a == i;
        const double *ta = (const double *)a.xyz + 9 * i, *tb = (const double *)b.xyz + 9 * i;
        if (kept != shl_exact_tri_tri(ta, tb))
            return false;
        at += kept;
    }
    return at == n;
}

TEST many_pairs(void)
{
    static const uint32_t counts[KINDS] = {70000, 70000, 70000, 3000};
    for (int what = 0; what < KINDS; what++) {
        bulk m = bulk_make((kind)what, counts[what]);
        for (int s = 0; s < 4; s++) {
            uint64_t exact;
            ASSERT(bodies_agree(&m, s & 1, s >> 1, &exact));
            if (what == UNIFORM) // real scenes must not depend on the slow path
                ASSERT(exact < 3);
            if (what == LATTICE)
                ASSERT(exact > counts[what] / 10);
        }
        ASSERT(filter_is_right(&m));
        bulk_free(&m);
    }
    PASS();
}

TEST all_counts(void)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 255, 256, 257, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bulk m = bulk_make(KINDS, counts[i]);
        for (int s = 0; s < 4; s++) {
            uint64_t exact;
            ASSERT(bodies_agree(&m, s & 1, s >> 1, &exact));
        }
        ASSERT(filter_is_right(&m));
        bulk_free(&m);
    }
    PASS();
}

// Sizes at which products begin to leave the range of float32 and of float64.
TEST guard_ranges(void)
{
    static const int exponents[] = {-38, -42, -46, -50, -340, -346, -352, -358, 45, 338, 342};
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        bulk m = bulk_make(e % 2 ? NEAR : KINDS, 4000);
        for (uint32_t i = 0; i < 2 * 9 * m.count; i++) {
            double *x = (double *)m.xyz[i & 1][SHOAL_F64] + i / 2;
            *x = ldexp(*x, exponents[e]);
        }
        ASSERT(filter_is_right(&m));
        bulk_free(&m);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(by_hand);
    RUN_TEST(huge_and_tiny);
    RUN_TEST(lattice_truth);
    RUN_TEST(adjacent_lattice_truth);
    RUN_TEST(adjacent_by_hand);
    RUN_TEST(many_pairs);
    RUN_TEST(all_counts);
    RUN_TEST(guard_ranges);
    GREATEST_MAIN_END();
}
