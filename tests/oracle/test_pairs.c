// SPDX-License-Identifier: MIT
// Millions of triangle pairs through the overlap kernels and the exact routine, against the
// oracle. SHOAL_PAIRS sets how many; SHOAL_LONG=1 means 10^8.
#include "tri_cases.h"
#include "tri_oracle.h"

#include "kernels/kernels.h"
#include "kernels/tri/exact_tri.h"

#include "greatest.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1000, THREADS = 2, BODIES = 4, FORMS = 4 };

// A batch of pairs, in both precisions; row i of each side is the triangle of pair i.
typedef struct batch {
    double wide[2][9 * BATCH];
    float narrow[2][9 * BATCH];
    shl_tri tri[BATCH];
    bool meet[BATCH], floats[BATCH];
} batch;

typedef struct share {
    pthread_t thread;
    uint64_t begin, end; // seeds
    uint64_t met, wrong, wrong_seed;
} share;

// The kernels that read corners from columns, as if they read them by rows.
static shl_tri_columns_fn *columns_fn[2];

static uint32_t by_columns(shl_tri_columns_fn *fn, const shl_tri_side *a, const shl_tri_side *b,
                           const shl_tri_pair *pairs, uint32_t count, shl_tri_pair *out,
                           uint64_t *exact)
{
    static _Thread_local shl_tri_columns columns;
    if (a->scalar != SHOAL_F32 || b->scalar != SHOAL_F32)
        return shl_tri_overlap_ref(a, b, pairs, count, out, exact);
    shl_tri_pair some[SHL_COLUMN_ROWS];
    uint32_t kept = 0;
    for (uint32_t begin = 0; begin < count; begin += SHL_COLUMN_BATCH) {
        const uint32_t n = count - begin < SHL_COLUMN_BATCH ? count - begin : SHL_COLUMN_BATCH;
        for (uint32_t i = 0; i < n; i++) {
            columns.row[i] = pairs[begin + i];
            for (size_t c = 0; c < 9; c++) {
                columns.corner[0][c / 3][c % 3][i] =
                    ((const float *)a->xyz)[3 * a->tri[columns.row[i].a].v[c / 3] + c % 3];
                columns.corner[1][c / 3][c % 3][i] =
                    ((const float *)b->xyz)[3 * b->tri[columns.row[i].b].v[c / 3] + c % 3];
            }
        }
        const uint32_t met = fn(&columns, n, a, b, some, exact);
        memcpy(out + kept, some, met * sizeof *out);
        kept += met;
    }
    return kept;
}

static uint32_t by_columns_0(const shl_tri_side *a, const shl_tri_side *b,
                             const shl_tri_pair *pairs, uint32_t count, shl_tri_pair *out,
                             uint64_t *exact)
{
    return by_columns(columns_fn[0], a, b, pairs, count, out, exact);
}

static uint32_t by_columns_1(const shl_tri_side *a, const shl_tri_side *b,
                             const shl_tri_pair *pairs, uint32_t count, shl_tri_pair *out,
                             uint64_t *exact)
{
    return by_columns(columns_fn[1], a, b, pairs, count, out, exact);
}

static shl_tri_overlap_fn *bodies[BODIES] = {shl_tri_overlap_ref, NULL, by_columns_0,
                                             by_columns_1};

static void fill(batch *b, uint64_t seed, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double *p = b->wide[0] + 9 * (size_t)i, *q = b->wide[1] + 9 * (size_t)i;
        tri_case(seed + i, p, q, &b->floats[i]);
        b->meet[i] = oracle_tri_tri(p, q);
        b->tri[i] = (shl_tri){{3 * i, 3 * i + 1, 3 * i + 2}, i};
        for (size_t k = 0; k < 9 && b->floats[i]; k++) {
            b->narrow[0][9 * (size_t)i + k] = (float)p[k];
            b->narrow[1][9 * (size_t)i + k] = (float)q[k];
        }
    }
}

static void note(share *s, uint64_t seed)
{
    if (s->wrong++ == 0)
        s->wrong_seed = seed;
}

// Precisions of the sides: bit 0 for a, bit 1 for b; narrow ones only where nothing is lost.
static void check_form(share *s, const batch *b, uint64_t seed, uint32_t count, int form)
{
    shl_tri_pair pairs[BATCH], out[BATCH];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (form == 0 || b->floats[i])
            pairs[n++] = (shl_tri_pair){i, i};
    }
    shl_tri_side side[2];
    for (int k = 0; k < 2; k++) {
        const bool narrow = form >> k & 1;
        side[k] = (shl_tri_side){narrow ? (const void *)b->narrow[k] : b->wide[k], b->tri,
                                 narrow ? SHOAL_F32 : SHOAL_F64};
    }
    for (int body = 0; body < BODIES; body++) {
        uint64_t exact = 0;
        const uint32_t kept = bodies[body](&side[0], &side[1], pairs, n, out, &exact);
        uint32_t at = 0;
        for (uint32_t i = 0; i < n; i++) {
            const bool said = at < kept && out[at].a == pairs[i].a && out[at].b == pairs[i].b;
            at += said;
            if (said != b->meet[pairs[i].a])
                note(s, seed + pairs[i].a);
        }
        if (at != kept)
            note(s, seed);
    }
}

static void *work(void *user)
{
    share *s = user;
    batch *b = malloc(sizeof *b);
    if (!b)
        abort();
    for (uint64_t seed = s->begin; seed < s->end; seed += BATCH) {
        const uint32_t count = s->end - seed < BATCH ? (uint32_t)(s->end - seed) : BATCH;
        fill(b, seed, count);
        for (int form = 0; form < FORMS; form++)
            check_form(s, b, seed, count, form);
        for (uint32_t i = 0; i < count; i++) {
            s->met += b->meet[i];
            if (shl_exact_tri_tri(b->wide[0] + 9 * (size_t)i, b->wide[1] + 9 * (size_t)i) !=
                b->meet[i])
                note(s, seed + i);
        }
    }
    free(b);
    return NULL;
}

static uint64_t wanted(void)
{
    const char *pairs = getenv("SHOAL_PAIRS"), *text = getenv("SHOAL_LONG");
    if (pairs && *pairs)
        return strtoull(pairs, NULL, 10);
    return text && *text && strcmp(text, "0") != 0 ? 100000000 : 1000000;
}

TEST overlap_agrees_with_the_oracle(void)
{
    const uint64_t n = wanted();
    share shares[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        shares[i].begin = n / THREADS * (uint64_t)i;
        shares[i].end = i + 1 == THREADS ? n : n / THREADS * (uint64_t)(i + 1);
        ASSERT_EQ(0, pthread_create(&shares[i].thread, NULL, work, &shares[i]));
    }
    uint64_t met = 0, wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(shares[i].thread, NULL);
        met += shares[i].met;
        wrong += shares[i].wrong;
        if (shares[i].wrong)
            printf("\nfirst wrong seed %llu, family %s\n",
                   (unsigned long long)shares[i].wrong_seed,
                   tri_case_family_name(tri_case_family(shares[i].wrong_seed)));
    }
    printf("\n%llu pairs, %llu meet\n", (unsigned long long)n, (unsigned long long)met);
    ASSERT_EQ(0, wrong);
    ASSERTm("too few of either answer", met > n / 5 && met < n - n / 5);
    PASS();
}

// b gets 1 to 3 corners of a; what the seed made of it otherwise stays.
TEST adjacent_agrees_with_the_oracle(void)
{
    const uint64_t n = wanted() / 10;
    uint64_t met = 0;
    for (uint64_t seed = 0; seed < n; seed++) {
        double a[9], b[9];
        bool floats;
        tri_case(seed, a, b, &floats);
        const int count = 1 + (int)(seed / 7 % 3);
        int shared_a[3], shared_b[3];
        uint8_t rows_a[3], rows_b[3];
        for (int i = 0; i < count; i++) {
            shared_a[i] = (i + (int)(seed / 3)) % 3;
            shared_b[i] = ((seed & 1 ? 2 - i : i) + (int)(seed / 5)) % 3;
            rows_a[i] = (uint8_t)shared_a[i];
            rows_b[i] = (uint8_t)shared_b[i];
            memcpy(b + 3 * shared_b[i], a + 3 * shared_a[i], 3 * sizeof *b);
        }
        const bool want = oracle_tri_tri_adjacent(a, b, count, shared_a, shared_b);
        if (shl_exact_tri_adjacent(a, b, (uint32_t)count, rows_a, rows_b) != want) {
            printf("\nseed %llu\n", (unsigned long long)seed);
            FAILm("the library and the oracle disagree");
        }
        met += want;
    }
    ASSERT(met > n / 10 && met < n - n / 10);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_AVX2);
    bodies[1] = kernels.tri_overlap;
    columns_fn[0] = kernels.tri_columns;
    shl_kernels_init(&kernels, SHOAL_CPU_AVX512);
    columns_fn[1] = kernels.tri_columns;
    GREATEST_MAIN_BEGIN();
    RUN_TEST(overlap_agrees_with_the_oracle);
    RUN_TEST(adjacent_agrees_with_the_oracle);
    GREATEST_MAIN_END();
}
