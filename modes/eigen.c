// SPDX-License-Identifier: MIT
// Lanczos by ARPACK on the inverse of K + s M, factored once by CHOLMOD. The shift -s lies
// below all modes, so the matrix is positive definite in spite of the rigid ones, which are at
// 0.
#include "modes/solid.h"

#include <shoal/model.h>

#include <arpack/arpack.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RIGID = 6 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct problem {
    shl_solid *solid;
    size_t rows;
    double shift;
    cholmod_factor *factor;
    cholmod_dense *right;
    cholmod_dense *left, *work_y, *work_e; // what solving keeps for the next time
} problem;

static bool factorize(problem *p)
{
    cholmod_common *c = &p->solid->common;
    double one[2] = {1, 0}, shift[2] = {p->shift, 0};
    cholmod_sparse *shifted =
        cholmod_add(p->solid->stiffness, p->solid->mass, one, shift, 1, 1, c);
    if (!shifted)
        return false;
    p->factor = cholmod_analyze(shifted, c);
    const bool done = p->factor && cholmod_factorize(shifted, p->factor, c) &&
                      c->status == CHOLMOD_OK && p->factor->minor == p->rows;
    cholmod_free_sparse(&shifted, c);
    p->right = cholmod_zeros(p->rows, 1, CHOLMOD_REAL, c);
    return done && p->right;
}

// y = A x for the upper half of A.
static void multiply(const cholmod_sparse *a, const double *x, double *y)
{
    const int *begin = a->p, *row = a->i;
    const double *value = a->x;
    memset(y, 0, a->nrow * sizeof *y);
    for (size_t column = 0; column < a->ncol; column++) {
        for (int e = begin[column]; e < begin[column + 1]; e++) {
            y[row[e]] += value[e] * x[column];
            if (row[e] != (int)column)
                y[column] += value[e] * x[row[e]];
        }
    }
}

static bool solve(problem *p, const double *x, double *y)
{
    memcpy(p->right->x, x, p->rows * sizeof *x);
    if (!cholmod_solve2(CHOLMOD_A, p->factor, p->right, NULL, &p->left, NULL, &p->work_y,
                        &p->work_e, &p->solid->common))
        return false;
    memcpy(y, p->left->x, p->rows * sizeof *y);
    return true;
}

// What ARPACK asks for: 2 is M x, else the inverse times M x, which it may have at hand.
static bool answer(problem *p, int step, const int places[14], double *moving, double *scratch)
{
    double *x = moving + places[0] - 1, *y = moving + places[1] - 1;
    if (step == 2) {
        multiply(p->solid->mass, x, y);
        return true;
    }
    if (step == 1)
        return solve(p, moving + places[2] - 1, y);
    multiply(p->solid->mass, x, scratch);
    return solve(p, scratch, y);
}

// The `wanted` lowest modes: squares of w, and vectors with a mass of 1, one after another.
static shoal_status lanczos(problem *p, int wanted, double *values, double *vectors,
                            uint32_t *solves)
{
    const int n = (int)p->rows, basis = 2 * wanted + 20 < n ? 2 * wanted + 20 : n;
    const int work_size = basis * (basis + 8);
    int step = 0, params[11] = {1, 0, 1000, 1, 0, 0, 3}, places[14] = {0};
    int info = 1,
        *chosen = calloc((size_t)basis, sizeof *chosen); // 1: we give the first vector
    double *first = malloc(p->rows * sizeof *first);
    double *scratch = malloc(p->rows * sizeof *scratch);
    double *space = malloc(p->rows * (size_t)basis * sizeof *space);
    double *moving = malloc(3 * p->rows * sizeof *moving);
    double *work = malloc((size_t)work_size * sizeof *work);
    shoal_status st =
        chosen && first && scratch && space && moving && work ? SHOAL_OK : SHOAL_ERR_MEMORY;
    uint64_t state = 1;
    for (size_t i = 0; i < p->rows && st == SHOAL_OK; i++) { // the same in every run
        state = state * 6364136223846793005u + 1442695040888963407u;
        first[i] = (double)(state >> 11) * 0x1p-52 - 1;
    }
    while (st == SHOAL_OK) {
        dsaupd_c(&step, "G", n, "LM", wanted, 0, first, basis, space, n, params, places, moving,
                 work, work_size, &info);
        if (step != 1 && step != -1 && step != 2)
            break;
        *solves += step != 2;
        if (!answer(p, step, places, moving, scratch))
            st = SHOAL_ERR_MEMORY;
    }
    if (st == SHOAL_OK && (info != 0 || params[4] < wanted))
        st = SHOAL_ERR_LIMIT;
    if (st == SHOAL_OK)
        dseupd_c(1, "A", chosen, values, vectors, n, -p->shift, "G", n, "LM", wanted, 0, first,
                 basis, space, n, params, places, moving, work, work_size, &info);
    if (st == SHOAL_OK && info != 0)
        st = SHOAL_ERR_LIMIT;
    free(chosen);
    free(first);
    free(scratch);
    free(space);
    free(moving);
    free(work);
    return st;
}

// |K x - l M x| / |l M x|; `scratch` has room for two vectors.
static double residual(const problem *p, double l, const double *x, double *scratch)
{
    double off = 0, size = 0, *inertia = scratch + p->rows;
    multiply(p->solid->stiffness, x, scratch);
    multiply(p->solid->mass, x, inertia);
    for (size_t i = 0; i < p->rows; i++) {
        off += (scratch[i] - l * inertia[i]) * (scratch[i] - l * inertia[i]);
        size += l * inertia[i] * l * inertia[i];
    }
    return sqrt(off / size);
}

// The largest component is positive: a mode has no sign of its own.
static void fix_sign(double *x, size_t rows)
{
    size_t most = 0;
    for (size_t i = 1; i < rows; i++) {
        if (fabs(x[i]) > fabs(x[most]) * (1 + 1e-9))
            most = i;
    }
    for (size_t i = 0; i < rows && x[most] < 0; i++)
        x[i] = i == most ? x[i] : -x[i];
    x[most] = fabs(x[most]);
}

// The largest |x M y| of two vectors.
static double largest_product(const problem *p, const double *vectors, uint32_t count,
                              double *scratch)
{
    double most = 0;
    for (uint32_t a = 0; a < count; a++) {
        multiply(p->solid->mass, vectors + a * p->rows, scratch);
        for (uint32_t b = 0; b < a; b++) {
            double sum = 0;
            for (size_t i = 0; i < p->rows; i++)
                sum += scratch[i] * vectors[b * p->rows + i];
            most = fmax(most, fabs(sum));
        }
    }
    return most;
}

// From what Lanczos found to modes, lowest first.
static shoal_status take(problem *p, const double *values, const double *vectors,
                         uint32_t wanted, shl_modes *out, shl_volume_error *error)
{
    double *scratch = malloc(2 * p->rows * sizeof *scratch);
    uint32_t order[RIGID + SHOAL_FIELDS_MAX];
    if (!scratch)
        return SHOAL_ERR_MEMORY;
    for (uint32_t i = 0; i < wanted; i++) {
        uint32_t at = i;
        for (; at > 0 && values[order[at - 1]] > values[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        const double l = values[order[i]], hertz = sqrt(fabs(l)) / 6.283185307179586;
        if (i < RIGID) {
            out->rigid = fmax(out->rigid, hertz);
            continue;
        }
        double *x = out->shape + (i - RIGID) * p->rows;
        memcpy(x, vectors + order[i] * p->rows, p->rows * sizeof *x);
        fix_sign(x, p->rows);
        out->hertz[i - RIGID] = hertz;
        out->residual[i - RIGID] = residual(p, l, x, scratch);
    }
    out->cross = largest_product(p, vectors, wanted, scratch);
    free(scratch);
    if (out->hertz[0] > 100 * out->rigid)
        return SHOAL_OK;
    snprintf(error->text, sizeof error->text,
             "parts of it hang together by edges only, and swing freely; try another --voxel");
    return SHOAL_ERR_FORMAT;
}

// A frequency well below that of any mode that bends, yet not lost beside the stiffness.
static double shift_for(const shl_voxels *v, const shl_material *m)
{
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, v->size * v->count[k]);
    const double w = 0.05 * sqrt(m->young / m->density) / longest;
    return w * w;
}

shoal_status shl_modes_find(shl_solid *s, const shl_material *material, uint32_t count,
                            shl_modes *out, shl_volume_error *error)
{
    problem p = {
        .solid = s, .rows = 3 * (size_t)s->node_count, .shift = shift_for(s->voxels, material)};
    const uint32_t wanted = count + RIGID;
    *out = (shl_modes){.count = count};
    error->text[0] = 0;
    if (count > SHOAL_FIELDS_MAX || wanted + 2 > p.rows) {
        snprintf(error->text, sizeof error->text, "%u cubes have no %u modes", s->voxels->used,
                 count);
        return SHOAL_ERR_LIMIT;
    }
    out->shape = malloc(p.rows * count * sizeof *out->shape);
    out->hertz = calloc(count, sizeof *out->hertz);
    out->residual = calloc(count, sizeof *out->residual);
    double *values = calloc(wanted, sizeof *values);
    double *vectors = malloc(p.rows * wanted * sizeof *vectors);
    shoal_status st = out->shape && out->hertz && out->residual && values && vectors
                          ? SHOAL_OK
                          : SHOAL_ERR_MEMORY;
    const double begin = now_s();
    if (st == SHOAL_OK)
        st = factorize(&p) ? SHOAL_OK : SHOAL_ERR_MEMORY;
    out->factor_s = now_s() - begin;
    if (st == SHOAL_OK)
        st = lanczos(&p, (int)wanted, values, vectors, &out->solves);
    if (st == SHOAL_ERR_LIMIT)
        snprintf(error->text, sizeof error->text, "the search for %u modes does not converge",
                 count);
    if (st == SHOAL_OK)
        st = take(&p, values, vectors, wanted, out, error);
    out->solve_s = now_s() - begin - out->factor_s;
    free(values);
    free(vectors);
    cholmod_free_factor(&p.factor, &s->common);
    cholmod_free_dense(&p.right, &s->common);
    cholmod_free_dense(&p.left, &s->common);
    cholmod_free_dense(&p.work_y, &s->common);
    cholmod_free_dense(&p.work_e, &s->common);
    if (st != SHOAL_OK)
        shl_modes_finish(out);
    return st;
}

void shl_modes_finish(shl_modes *m)
{
    free(m->shape);
    free(m->hertz);
    free(m->residual);
    memset(m, 0, sizeof *m);
}
