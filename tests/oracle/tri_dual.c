// SPDX-License-Identifier: MIT
// Triangles have no common point exactly when some direction d has d . p > 0 for all nine
// differences p = a_i - b_j: for compact convex sets separation can be strict.
//
// Only few d need trying. If one exists, the polyhedron {d : d . p >= 1 for all p} is not empty
// and has a minimal face, {d : d . p = 1 for p in S}, S independent. It meets the coordinate
// subspace where 3 - |S| suitable coordinates of d are zero, in one point. So up to length some
//
//   |S| = 3   d = (p - q) x (p - r), as d is orthogonal to p - q and p - r
//   |S| = 2   d = (p - q) x e, e an axis
//   |S| = 1   d = e
//
// or its opposite separates, whatever the ranks. A d that is tried and does separate is proof
// in itself, so neither answer can be wrong.
#include "tri_dual.h"

#include <gmp.h>

enum { POINTS = 9, SCALE_BITS = 1074 };

typedef struct vec {
    mpz_t x[3];
} vec;

typedef struct work {
    vec p[POINTS]; // a_i - b_j
    vec u, v, d;
    mpz_t sum;
} work;

static void init_vec(vec *v)
{
    mpz_inits(v->x[0], v->x[1], v->x[2], NULL);
}

static void clear_vec(vec *v)
{
    mpz_clears(v->x[0], v->x[1], v->x[2], NULL);
}

// Every finite double times 2^1074 is an integer.
static void set_scaled(mpz_t out, double x)
{
    mpf_t f;
    mpf_init2(f, 2200);
    mpf_set_d(f, x);
    mpf_mul_2exp(f, f, SCALE_BITS);
    mpz_set_f(out, f);
    mpf_clear(f);
}

static void set_differences(work *w, const double a[9], const double b[9])
{
    for (int i = 0; i < POINTS; i++) {
        for (int axis = 0; axis < 3; axis++) {
            set_scaled(w->sum, a[3 * (i / 3) + axis]);
            set_scaled(w->p[i].x[axis], b[3 * (i % 3) + axis]);
            mpz_sub(w->p[i].x[axis], w->sum, w->p[i].x[axis]);
        }
    }
}

// Powers of two that all numbers of an axis share change nothing and cost much.
static void drop_common_powers(work *w)
{
    for (int axis = 0; axis < 3; axis++) {
        mpz_set_ui(w->sum, 0);
        for (int i = 0; i < POINTS; i++)
            mpz_ior(w->sum, w->sum, w->p[i].x[axis]);
        if (mpz_sgn(w->sum) == 0)
            continue;
        const mp_bitcnt_t power = mpz_scan1(w->sum, 0);
        for (int i = 0; i < POINTS; i++)
            mpz_tdiv_q_2exp(w->p[i].x[axis], w->p[i].x[axis], power);
    }
}

static void set_axis(vec *v, int axis)
{
    for (int i = 0; i < 3; i++)
        mpz_set_ui(v->x[i], i == axis);
}

static void set_minus(vec *out, const vec *p, const vec *q)
{
    for (int i = 0; i < 3; i++)
        mpz_sub(out->x[i], p->x[i], q->x[i]);
}

static void set_cross(vec *out, const vec *u, const vec *v)
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        mpz_mul(out->x[i], u->x[j], v->x[k]);
        mpz_submul(out->x[i], u->x[k], v->x[j]);
    }
}

// d has one strict sign on all differences.
static bool separates(work *w, const vec *d)
{
    int sign = 0;
    for (int i = 0; i < POINTS; i++) {
        mpz_mul(w->sum, d->x[0], w->p[i].x[0]);
        mpz_addmul(w->sum, d->x[1], w->p[i].x[1]);
        mpz_addmul(w->sum, d->x[2], w->p[i].x[2]);
        const int now = mpz_sgn(w->sum);
        if (now == 0 || (sign != 0 && now != sign))
            return false;
        sign = now;
    }
    return true;
}

static bool separated_by_one_or_two(work *w)
{
    for (int axis = 0; axis < 3; axis++) {
        set_axis(&w->v, axis);
        if (separates(w, &w->v))
            return true;
        for (int i = 0; i < POINTS; i++) {
            for (int j = i + 1; j < POINTS; j++) {
                set_minus(&w->u, &w->p[i], &w->p[j]);
                set_cross(&w->d, &w->u, &w->v);
                if (separates(w, &w->d))
                    return true;
            }
        }
    }
    return false;
}

static bool separated_by_three(work *w)
{
    for (int i = 0; i < POINTS; i++) {
        for (int j = i + 1; j < POINTS; j++) {
            set_minus(&w->u, &w->p[i], &w->p[j]);
            for (int k = j + 1; k < POINTS; k++) {
                set_minus(&w->v, &w->p[i], &w->p[k]);
                set_cross(&w->d, &w->u, &w->v);
                if (separates(w, &w->d))
                    return true;
            }
        }
    }
    return false;
}

bool dual_tri_tri(const double a[9], const double b[9])
{
    work w;
    mpz_init(w.sum);
    init_vec(&w.u);
    init_vec(&w.v);
    init_vec(&w.d);
    for (int i = 0; i < POINTS; i++)
        init_vec(&w.p[i]);
    set_differences(&w, a, b);
    drop_common_powers(&w);
    const bool meet = !separated_by_one_or_two(&w) && !separated_by_three(&w);
    for (int i = 0; i < POINTS; i++)
        clear_vec(&w.p[i]);
    clear_vec(&w.u);
    clear_vec(&w.v);
    clear_vec(&w.d);
    mpz_clear(w.sum);
    return meet;
}
