// SPDX-License-Identifier: MIT
// What the library takes for granted of its compiler and flags. Rounding outwards to float32
// compares (double)(float)x with x; a compiler that drops the detour would break every box.
#include "kernels/round.h"

#include <stdbool.h>
#include <stdint.h>

#include "greatest.h"

static double next_double(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state * 0x1p-62 / 3;
}

__attribute__((noinline)) static void round_two(double *p)
{
    for (int k = 0; k < 2; k++)
        p[k] = (double)(float)p[k];
}

__attribute__((noinline)) static void round_three(double *p, double scale)
{
    for (int k = 0; k < 3; k++)
        p[k] = (double)(float)(p[k] * scale);
}

TEST rounding_to_float_happens(void)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; i++) {
        double p[3], q[3];
        for (int k = 0; k < 3; k++)
            p[k] = q[k] = next_double(&state);
        round_two(p);
        for (int k = 0; k < 2; k++) {
            const volatile float f = (float)q[k];
            ASSERT_EQ((double)f, p[k]);
        }
        p[0] = q[0];
        p[1] = q[1];
        round_three(p, 0.37);
        for (int k = 0; k < 3; k++) {
            const volatile double d = q[k] * 0.37;
            const volatile float f = (float)d;
            ASSERT_EQ((double)f, p[k]);
        }
    }
    PASS();
}

TEST products_are_not_fused(void)
{
    // (1 + e)(1 - e) - 1 is 0 when the product is rounded first, -e^2 when it is fused
    volatile double e = 0x1p-30;
    const volatile double a = 1 + e, b = 1 - e, c = -1;
    const double plain = a * b + c;
    ASSERT_EQ(0.0, plain);
    PASS();
}

TEST boxes_round_outwards(void)
{
    uint64_t state = 7;
    for (int i = 0; i < 100000; i++) {
        const double d = next_double(&state) * (i % 3 == 0 ? 1e-40 : i % 3 == 1 ? 1 : 1e39);
        const float lo = shl_round_down(d), hi = shl_round_up(d);
        ASSERT((double)lo <= d && d <= (double)hi);
        ASSERT(lo == hi || shl_next_below(hi) == lo);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(rounding_to_float_happens);
    RUN_TEST(products_are_not_fused);
    RUN_TEST(boxes_round_outwards);
    GREATEST_MAIN_END();
}
