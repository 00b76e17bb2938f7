// SPDX-License-Identifier: MIT
// Every body of every kernel against its reference, on every case and size.
#include "tests/cases/case.h"

#include "greatest.h"

enum { SEEDS = 20 };

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

// Without this the suite would compare the reference with itself and pass.
TEST vector_bodies_are_chosen(void)
{
    shl_kernels_init(&best, SHOAL_CPU_BEST);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        SKIPm("no AVX2 here");
    for (uint32_t i = 0; shl_kernels_info(&best, i).name; i++) {
        ASSERT_STR_EQ("ref", shl_kernels_info(&reference, i).body);
        ASSERT_STR_EQ("avx2", shl_kernels_info(&best, i).body);
    }
#endif
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
    RUN_TEST(vector_bodies_are_chosen);
    RUN_SUITE(cases);
    GREATEST_MAIN_END();
}
