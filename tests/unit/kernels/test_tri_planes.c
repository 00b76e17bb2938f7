// SPDX-License-Identifier: MIT
// Four corners in a coordinate plane: the filter decides them without integers, and rightly.
#include "kernels/kernels.h"
#include "kernels/tri/exact_tri.h"

#include "greatest.h"

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

// Two triangles that meet a plane x = 0, y = 0 or z = 0 from both sides, each with an edge in
// it: determinants of four corners in the plane are 0.
TEST axis_planes(shoal_cpu cpu)
{
    static const shl_tri corners = {{0, 1, 2}, 0};
    shl_kernels kernels;
    shl_kernels_init(&kernels, cpu);
    uint64_t exact = 0;
    uint32_t met = 0;
    for (int i = 0; i < 3000; i++) {
        double t[2][9];
        for (int k = 0; k < 18; k++)
            t[k / 9][k % 9] = uniform();
        for (int c = 0; c < 3; c++) {
            t[0][3 * c + i % 3] = c == 0 ? 1 : 0;
            t[1][3 * c + i % 3] = c == 0 ? -1 : 0;
        }
        const shl_tri_side a = {t[0], &corners, SHOAL_F64}, b = {t[1], &corners, SHOAL_F64};
        const shl_tri_pair pair = {0, 0};
        shl_tri_pair out;
        const bool meet = kernels.tri_overlap(&a, &b, &pair, 1, &out, &exact);
        ASSERT_EQ(shl_exact_tri_tri(t[0], t[1]), meet);
        met += meet;
    }
    ASSERT(met > 300 && met < 1500);
    ASSERT_EQ(0, exact);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(axis_planes, SHOAL_CPU_REF);
    RUN_TESTp(axis_planes, SHOAL_CPU_BEST);
    GREATEST_MAIN_END();
}
