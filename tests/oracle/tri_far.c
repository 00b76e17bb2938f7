// SPDX-License-Identifier: MIT
// For each choice of corners of both triangles the nearest points of their affine hulls, by
// normal equations in integers; they count if they lie in the hulls' triangles. The nearest
// points of the triangles are those of a least choice of corners, whose equations have one
// solution, so at most five corners need to be chosen and singular equations can be left out.
#include "tri_far.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdint.h>

enum { POINTS = 6, MOST = 3 };

typedef struct far {
    mpz_t dot[POINTS][POINTS]; // of the corners, as integers
    int exponent;              // which are 2^exponent units of the doubles
    mpz_t top, bottom;         // the least square so far is top / bottom
    bool found;
} far;

// A difference of two corners.
typedef struct edge {
    int to, from;
} edge;

static void load(far *f, const double a[9], const double b[9])
{
    int least = INT16_MAX;
    mpz_t x[POINTS][3], t;
    mpz_init(t);
    for (int i = 0; i < 18; i++) {
        int e;
        if (frexp(i < 9 ? a[i] : b[i - 9], &e) != 0 && e - 53 < least)
            least = e - 53;
    }
    f->exponent = least == INT16_MAX ? 0 : least;
    for (int i = 0; i < 18; i++) {
        int e;
        const double m = frexp(i < 9 ? a[i] : b[i - 9], &e);
        mpz_init_set_d(x[i / 3][i % 3], m * 0x1p53);
        if (m != 0)
            mpz_mul_2exp(x[i / 3][i % 3], x[i / 3][i % 3], (unsigned)(e - 53 - f->exponent));
    }
    for (int i = 0; i < POINTS; i++) {
        for (int j = 0; j < POINTS; j++) {
            mpz_init(f->dot[i][j]);
            for (int k = 0; k < 3; k++)
                mpz_addmul(f->dot[i][j], x[i][k], x[j][k]);
        }
    }
    for (int i = 0; i < 18; i++)
        mpz_clear(x[i / 3][i % 3]);
    mpz_clear(t);
    mpz_init(f->top);
    mpz_init(f->bottom);
    f->found = false;
}

static void finish(far *f)
{
    for (int i = 0; i < POINTS * POINTS; i++)
        mpz_clear(f->dot[i / POINTS][i % POINTS]);
    mpz_clear(f->top);
    mpz_clear(f->bottom);
}

static void edge_dot(mpz_t out, const far *f, edge x, edge y)
{
    mpz_sub(out, f->dot[x.to][y.to], f->dot[x.to][y.from]);
    mpz_sub(out, out, f->dot[x.from][y.to]);
    mpz_add(out, out, f->dot[x.from][y.from]);
}

// Determinant of the first n rows and columns, n <= 3.
static void determinant(mpz_t out, mpz_t m[MOST][MOST], int n)
{
    static const int rest[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    mpz_t t;
    mpz_init(t);
    mpz_set_ui(out, 1);
    if (n == 1)
        mpz_set(out, m[0][0]);
    if (n == 2) {
        mpz_mul(out, m[0][0], m[1][1]);
        mpz_submul(out, m[0][1], m[1][0]);
    }
    if (n == 3) {
        mpz_set_ui(out, 0);
        for (int k = 0; k < 3; k++) {
            mpz_mul(t, m[1][rest[k][0]], m[2][rest[k][1]]);
            mpz_submul(t, m[1][rest[k][1]], m[2][rest[k][0]]);
            mpz_mul(t, t, m[0][k]);
            if (k == 1)
                mpz_sub(out, out, t);
            else
                mpz_add(out, out, t);
        }
    }
    mpz_clear(t);
}

typedef struct solved {
    mpz_t gram[MOST][MOST], right[MOST], share[MOST]; // G'G, -G'r, and the solution times det
    mpz_t det, sum, square;
} solved;

static void keep_least(far *f, mpz_t top, mpz_t bottom)
{
    mpz_t x, y;
    mpz_init(x);
    mpz_init(y);
    mpz_mul(x, top, f->bottom);
    mpz_mul(y, f->top, bottom);
    if (!f->found || mpz_cmp(x, y) < 0) {
        mpz_set(f->top, top);
        mpz_set(f->bottom, bottom);
        f->found = true;
    }
    mpz_clear(x);
    mpz_clear(y);
}

// Edges [0, in_a) begin at the corner of a where r ends, the others at that of b, negated.
static void solve(far *f, solved *s, const edge *edges, int count, int in_a, edge r)
{
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            edge_dot(s->gram[i][j], f, edges[i], edges[j]);
        edge_dot(s->right[i], f, edges[i], r);
        mpz_neg(s->right[i], s->right[i]);
    }
    determinant(s->det, s->gram, count);
    if (mpz_sgn(s->det) <= 0)
        return;
    edge_dot(s->square, f, r, r);
    mpz_mul(s->square, s->square, s->det);
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < count; i++)
            mpz_swap(s->gram[i][k], s->right[i]);
        determinant(s->share[k], s->gram, count);
        for (int i = 0; i < count; i++)
            mpz_swap(s->gram[i][k], s->right[i]);
        if (mpz_sgn(s->share[k]) < 0)
            return;
        mpz_submul(s->square, s->share[k], s->right[k]);
    }
    for (int side = 0; side < 2; side++) {
        mpz_set_ui(s->sum, 0);
        for (int k = side ? in_a : 0; k < (side ? count : in_a); k++)
            mpz_add(s->sum, s->sum, s->share[k]);
        if (mpz_cmp(s->sum, s->det) > 0)
            return;
    }
    keep_least(f, s->square, s->det);
}

static void choose(far *f, solved *s, int of_a, int of_b)
{
    edge edges[4], r = {-1, -1};
    int count = 0, in_a = 0;
    for (int i = 0; i < 3; i++) {
        if (!(of_a >> i & 1))
            continue;
        if (r.to < 0)
            r.to = i;
        else
            edges[count++] = (edge){i, r.to};
    }
    in_a = count;
    for (int i = 0; i < 3; i++) {
        if (!(of_b >> i & 1))
            continue;
        if (r.from < 0)
            r.from = 3 + i;
        else
            edges[count++] = (edge){r.from, 3 + i};
    }
    if (count <= MOST)
        solve(f, s, edges, count, in_a, r);
}

static void least_square(far *f)
{
    solved s;
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < MOST; j++)
            mpz_init(s.gram[i][j]);
        mpz_init(s.right[i]);
        mpz_init(s.share[i]);
    }
    mpz_inits(s.det, s.sum, s.square, NULL);
    for (int of_a = 1; of_a < 8; of_a++) {
        for (int of_b = 1; of_b < 8; of_b++)
            choose(f, &s, of_a, of_b);
    }
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < MOST; j++)
            mpz_clear(s.gram[i][j]);
        mpz_clear(s.right[i]);
        mpz_clear(s.share[i]);
    }
    mpz_clears(s.det, s.sum, s.square, NULL);
}

// The least square in squares of the doubles' unit.
static void true_square(const double a[9], const double b[9], mpq_t out)
{
    far f;
    load(&f, a, b);
    least_square(&f);
    mpq_set_num(out, f.top);
    mpq_set_den(out, f.bottom);
    mpq_canonicalize(out);
    if (f.exponent >= 0)
        mpq_mul_2exp(out, out, 2 * (unsigned)f.exponent);
    else
        mpq_div_2exp(out, out, 2 * (unsigned)-f.exponent);
    finish(&f);
}

bool oracle_distance_is(const double a[9], const double b[9], double distance, double error)
{
    mpq_t square, x, e, limit;
    mpq_inits(square, x, e, limit, NULL);
    true_square(a, b, square);
    mpq_set_d(x, isinf(distance) ? DBL_MAX : distance);
    mpq_set_d(e, isinf(error) ? DBL_MAX : error);
    bool good = distance >= 0 && error >= 0;
    mpq_add(limit, x, e);
    mpq_mul(limit, limit, limit);
    good &= isinf(distance) || mpq_cmp(square, limit) <= 0;
    mpq_sub(limit, x, e);
    const bool above = mpq_sgn(limit) > 0;
    mpq_mul(limit, limit, limit);
    good &= !above || mpq_cmp(square, limit) >= 0;
    mpq_clears(square, x, e, limit, NULL);
    return good;
}

double oracle_distance(const double a[9], const double b[9])
{
    mpq_t square;
    mpq_init(square);
    true_square(a, b, square);
    mpf_t root;
    mpf_init2(root, 256);
    mpf_set_q(root, square);
    mpf_sqrt(root, root);
    const double distance = mpf_get_d(root);
    const bool beyond = mpf_cmp_d(root, DBL_MAX) > 0;
    mpf_clear(root);
    mpq_clear(square);
    return beyond ? INFINITY : distance;
}
