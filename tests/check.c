// SPDX-License-Identifier: MIT
// Every body of every kernel against its reference, on every case and size.
#include "tests/cases/case.h"

#include "greatest.h"

#include <string.h>

#if defined(__x86_64__)
enum { SEEDS = 20 };
#else
enum { SEEDS = 2 };        // there is nothing but the reference, which an emulator runs slowly
#endif

static shl_kernels reference, best;

TEST bodies_agree(const shl_case *c)
{
    for (int i = 0; c->sizes[i]; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            c->setup(c->sizes[i], seed);
            c->run(&reference, c->sizes[i], SHL_REF);
            c->run(&best, c->sizes[i], SHL_NEW);
            if (!c->same(c->sizes[i])) {
                fprintf(stderr, "%s: %u rows, seed %d\n", c->name, c->sizes[i], (int)seed);
                FAILm("a body differs from its reference");
            }
        }
    }
    PASS();
}

static const char *const wide[] = {"block_pairs", "block_mask",   "leaf_open",   "leaf_pairs",
                                   "tri_columns", "skinned_open", "skinned_box", NULL};

static const char *body_at(const char *kernel, shoal_cpu limit)
{
    for (int i = 0; wide[i] && limit >= SHOAL_CPU_AVX512; i++) {
        if (strcmp(wide[i], kernel) == 0)
            return "avx512";
    }
    return limit >= SHOAL_CPU_AVX2 ? "avx2" : "ref";
}

// Without this the suite would compare the reference with itself and pass.
TEST vector_bodies_are_chosen(shoal_cpu limit)
{
    shl_kernels_init(&best, limit);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        SKIPm("no AVX2 here");
    if (limit >= SHOAL_CPU_AVX512 && !__builtin_cpu_supports("avx512vbmi2"))
        SKIPm("no AVX-512 here");
#else
    limit = SHOAL_CPU_REF; // there are no others
#endif
    for (uint32_t i = 0; shl_kernels_info(&best, i).name; i++) {
        const char *name = shl_kernels_info(&best, i).name;
        ASSERT_STR_EQ("ref", shl_kernels_info(&reference, i).body);
        ASSERT_STR_EQ(body_at(name, limit), shl_kernels_info(&best, i).body);
    }
    PASS();
}

SUITE(cases)
{
    for (int i = 0; shl_cases[i]; i++)
        RUN_TEST1(bodies_agree, shl_cases[i]);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shl_kernels_init(&reference, SHOAL_CPU_REF);
    RUN_TEST1(vector_bodies_are_chosen, SHOAL_CPU_AVX2);
    RUN_SUITE(cases);
    RUN_TEST1(vector_bodies_are_chosen, SHOAL_CPU_AVX512);
    RUN_TEST1(vector_bodies_are_chosen, SHOAL_CPU_BEST);
    RUN_SUITE(cases);
    GREATEST_MAIN_END();
}
