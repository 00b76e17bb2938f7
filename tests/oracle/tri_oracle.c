// SPDX-License-Identifier: MIT
// Two triangles meet when numbers x1..x4 exist with
//
//   a0 + x1 (a1 - a0) + x2 (a2 - a0) = b0 + x3 (b1 - b0) + x4 (b2 - b0)      three equations
//   x1, x2, x3, x4, 1 - x1 - x2, 1 - x3 - x4 >= 0                           six inequalities
//
// which is the definition of a common point, whatever the rank of the triangles. Whether such
// numbers exist is decided in integers, with no case for degenerate input:
//
//   1. A double is an integer times a power of two. An equation of one axis may be multiplied
//      by a power of two, so the six coordinates of that axis become integers.
//   2. Each equation is solved for an unknown it holds, which is put into all other rows. A
//      row is only ever multiplied by a positive number, so the solutions stay the same. An
//      equation left without unknowns is either 0 = 0 or proves that there is no solution.
//   3. The unknowns left are removed from the inequalities by Fourier-Motzkin: rows c x >= -f
//      with c > 0 bound x from below, c < 0 from above, and an x between them exists exactly
//      when every lower bound is at most every upper bound. All bounds are closed, so is this.
//   4. Inequalities without unknowns are true or false.
#include "tri_oracle.h"

#include <gmp.h>
#include <math.h>
#include <stdint.h>

enum {
    AXES = 3,
    UNKNOWNS = 4,
    TERMS = 1 + UNKNOWNS,
    INEQUALITIES = 6,
    // Removing an unknown turns n rows into at most n^2 / 4. Three unknowns are left when the
    // equations have rank one: 6, 9, 20, 100. With four left, both triangles are points and the
    // inequalities still are the six above: 6, 5, 4, 3, 2.
    ROWS_MAX = 100,
    TYPICAL_BITS = 448, // room enough that ordinary input never grows a number
};

// c[0] + c[1] x1 + .. + c[4] x4
typedef struct row {
    mpz_t c[TERMS];
} row;

typedef struct row_list {
    int count;
    row rows[ROWS_MAX]; // [count] initialised
} row_list;

static row *push_row(row_list *list)
{
    row *r = &list->rows[list->count++];
    for (int i = 0; i < TERMS; i++)
        mpz_init2(r->c[i], TYPICAL_BITS);
    return r;
}

static void clear_rows(row_list *list)
{
    for (int k = 0; k < list->count; k++) {
        for (int i = 0; i < TERMS; i++)
            mpz_clear(list->rows[k].c[i]);
    }
    list->count = 0;
}

// x = mantissa 2^exponent, the mantissa odd or zero.
static int64_t split_double(double x, int *exponent)
{
    int64_t mantissa = (int64_t)ldexp(frexp(x, exponent), 53);
    *exponent -= 53;
    if (mantissa == 0)
        return 0;
    const int zeros = __builtin_ctzll((unsigned long long)mantissa);
    *exponent += zeros;
    return mantissa / ((int64_t)1 << zeros);
}

// The six numbers times one power of two that makes all of them integers.
static void integers_of(const double x[6], mpz_t out[6])
{
    int64_t mantissa[6];
    int exponent[6], lowest = INT32_MAX;
    for (int i = 0; i < 6; i++) {
        mantissa[i] = split_double(x[i], &exponent[i]);
        if (mantissa[i] != 0 && exponent[i] < lowest)
            lowest = exponent[i];
    }
    for (int i = 0; i < 6; i++) {
        mpz_set_si(out[i], mantissa[i]);
        if (mantissa[i] != 0)
            mpz_mul_2exp(out[i], out[i], (mp_bitcnt_t)(exponent[i] - lowest));
    }
}

static void write_equations(const double *const a[3], const double *const b[3], row_list *eq)
{
    mpz_t n[6];
    for (int i = 0; i < 6; i++)
        mpz_init(n[i]);
    for (int axis = 0; axis < AXES; axis++) {
        const double x[6] = {a[0][axis], a[1][axis], a[2][axis],
                             b[0][axis], b[1][axis], b[2][axis]};
        integers_of(x, n);
        row *r = push_row(eq);
        mpz_sub(r->c[0], n[0], n[3]);
        mpz_sub(r->c[1], n[1], n[0]);
        mpz_sub(r->c[2], n[2], n[0]);
        mpz_sub(r->c[3], n[3], n[4]);
        mpz_sub(r->c[4], n[3], n[5]);
    }
    for (int i = 0; i < 6; i++)
        mpz_clear(n[i]);
}

static void write_inequalities(row_list *ineq)
{
    static const int8_t terms[INEQUALITIES][TERMS] = {
        {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {1, -1, -1, 0, 0},
        {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}, {1, 0, 0, -1, -1},
    };
    for (int k = 0; k < INEQUALITIES; k++) {
        row *r = push_row(ineq);
        for (int i = 0; i < TERMS; i++)
            mpz_set_si(r->c[i], terms[k][i]);
    }
}

// Remove unknown v from `r` by the equation `eq`, whose factor of v is positive.
// Dividing by the factor of the equation used before is exact (Bareiss: all terms are minors
// of the first system), and positive, so it changes nothing but the size of the numbers.
static void substitute(row *r, const row *eq, int v, const mpz_t before)
{
    mpz_t factor;
    mpz_init_set(factor, r->c[v]);
    for (int i = 0; i < TERMS; i++) {
        if (mpz_sgn(r->c[i]) == 0 && mpz_sgn(eq->c[i]) == 0)
            continue;
        mpz_mul(r->c[i], r->c[i], eq->c[v]);
        mpz_submul(r->c[i], factor, eq->c[i]);
        if (mpz_cmp_ui(before, 1) != 0)
            mpz_divexact(r->c[i], r->c[i], before);
    }
    mpz_clear(factor);
}

static int first_unknown(const row *r)
{
    for (int v = 1; v <= UNKNOWNS; v++) {
        if (mpz_sgn(r->c[v]) != 0)
            return v;
    }
    return 0;
}

// Use up all equations; false when they contradict each other.
static bool solve_equations(row_list *eq, row_list *ineq)
{
    bool solvable = true;
    mpz_t before;
    mpz_init_set_ui(before, 1);
    for (int e = 0; e < eq->count && solvable; e++) {
        row *pivot = &eq->rows[e];
        const int v = first_unknown(pivot);
        if (v == 0) {
            solvable = mpz_sgn(pivot->c[0]) == 0;
            continue;
        }
        if (mpz_sgn(pivot->c[v]) < 0) {
            for (int i = 0; i < TERMS; i++)
                mpz_neg(pivot->c[i], pivot->c[i]);
        }
        for (int k = e + 1; k < eq->count; k++)
            substitute(&eq->rows[k], pivot, v, before);
        for (int k = 0; k < ineq->count; k++)
            substitute(&ineq->rows[k], pivot, v, before);
        mpz_set(before, pivot->c[v]);
    }
    mpz_clear(before);
    return solvable;
}

// One step of Fourier-Motzkin: `to` holds what `from` says about the unknowns other than v.
static void remove_unknown(row_list *from, int v, row_list *to)
{
    to->count = 0;
    for (int k = 0; k < from->count; k++) {
        row *lower = &from->rows[k];
        const int sign = mpz_sgn(lower->c[v]);
        if (sign == 0) {
            row *r = push_row(to);
            for (int i = 0; i < TERMS; i++)
                mpz_swap(r->c[i], lower->c[i]);
        }
        if (sign <= 0)
            continue;
        for (int m = 0; m < from->count; m++) {
            const row *upper = &from->rows[m];
            if (mpz_sgn(upper->c[v]) >= 0)
                continue;
            row *r = push_row(to);
            for (int i = 0; i < TERMS; i++) {
                if (i == v)
                    continue; // cancels
                mpz_mul(r->c[i], upper->c[i], lower->c[v]);
                mpz_submul(r->c[i], lower->c[i], upper->c[v]);
            }
        }
    }
}

static bool any_row_holds(const row_list *list, int v)
{
    for (int k = 0; k < list->count; k++) {
        if (mpz_sgn(list->rows[k].c[v]) != 0)
            return true;
    }
    return false;
}

static bool has_solution(row_list *ineq)
{
    row_list other;
    row_list *now = ineq, *next = &other;
    for (int v = 1; v <= UNKNOWNS; v++) {
        if (!any_row_holds(now, v))
            continue;
        remove_unknown(now, v, next);
        clear_rows(now);
        row_list *t = now;
        now = next;
        next = t;
    }
    bool holds = true;
    for (int k = 0; k < now->count; k++)
        holds &= mpz_sgn(now->rows[k].c[0]) >= 0;
    clear_rows(now);
    return holds;
}

// A segment or a point is given by repeating a corner.
static bool hulls_meet(const double *const a[3], const double *const b[3])
{
    row_list eq, ineq;
    eq.count = 0;
    ineq.count = 0;
    write_equations(a, b, &eq);
    write_inequalities(&ineq);
    const bool meet = solve_equations(&eq, &ineq) && has_solution(&ineq);
    clear_rows(&eq);
    clear_rows(&ineq);
    return meet;
}

bool oracle_tri_tri(const double a[9], const double b[9])
{
    const double *const corners_a[3] = {a, a + 3, a + 6};
    const double *const corners_b[3] = {b, b + 3, b + 6};
    return hulls_meet(corners_a, corners_b);
}

static bool segment_meets_tri(const double *p, const double *q, const double t[9])
{
    const double *const segment[3] = {p, q, q};
    const double *const corners[3] = {t, t + 3, t + 6};
    return hulls_meet(segment, corners);
}

static bool segments_meet(const double *p, const double *q, const double *r, const double *s)
{
    const double *const first[3] = {p, q, q};
    const double *const second[3] = {r, s, s};
    return hulls_meet(first, second);
}

static bool meet_beyond_vertex(const double a[9], const double b[9], int va, int vb)
{
    const double *const a1 = a + 3 * ((va + 1) % 3), *const a2 = a + 3 * ((va + 2) % 3);
    const double *const b1 = b + 3 * ((vb + 1) % 3), *const b2 = b + 3 * ((vb + 2) % 3);
    return segment_meets_tri(a1, a2, b) || segment_meets_tri(b1, b2, a);
}

static bool meet_beyond_edge(const double a[9], const double b[9], const int shared_a[3],
                             const int shared_b[3])
{
    const double *const va = a + 3 * shared_a[0], *const wa = a + 3 * shared_a[1];
    const double *const vb = b + 3 * shared_b[0], *const wb = b + 3 * shared_b[1];
    const double *const p = a + 3 * (3 - shared_a[0] - shared_a[1]);
    const double *const q = b + 3 * (3 - shared_b[0] - shared_b[1]);
    return segment_meets_tri(p, p, b) || segment_meets_tri(q, q, a) ||
           segments_meet(va, p, wb, q) || segments_meet(wa, p, vb, q);
}

bool oracle_tri_tri_adjacent(const double a[9], const double b[9], int shared_count,
                             const int shared_a[3], const int shared_b[3])
{
    if (shared_count == 1)
        return meet_beyond_vertex(a, b, shared_a[0], shared_b[0]);
    if (shared_count == 2)
        return meet_beyond_edge(a, b, shared_a, shared_b);
    return true;
}
