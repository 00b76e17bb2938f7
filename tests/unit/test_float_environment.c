// SPDX-License-Identifier: MIT
// A host compiled for speed may flush denormals or round upwards. Jobs must not see that, and
// the host must get its own settings back.
#include "runtime/jobs/graph.h"

#include <fenv.h>
#include <stdatomic.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "greatest.h"

enum { CHUNKS = 64 };

static _Atomic uint32_t calls, odd_calls;

// Volatile keeps the arithmetic where it is: in the job.
static shoal_status look(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)ctx;
    (void)rows;
    (void)chunk;
    (void)worker;
    volatile double least = 0x1p-1022, one = 1.0, third = 3.0;
    const volatile double half = least / 2, up = one / third, down = -one / third;
    const bool odd = fegetround() != FE_TONEAREST || half == 0 || up != -down;
    atomic_fetch_add(&calls, 1);
    if (odd)
        atomic_fetch_add(&odd_calls, 1);
    return SHOAL_OK;
}

static void disturb(int mode)
{
    fesetround(mode);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
#endif
}

static bool disturbed(int mode)
{
    bool same = fegetround() == mode;
#if defined(__x86_64__)
    same = same && (_mm_getcsr() & 0x8040) == 0x8040;
#endif
    return same;
}

TEST jobs_see_defaults(shl_executor executor)
{
    const shoal_allocator memory = shl_allocator_libc();
    static const uint32_t rows = CHUNKS;
    shl_graph g;
    shl_graph_init(&g, &memory);
    shl_job(&g, .name = "look", .run = look, .rows = &rows, .grain = 1);
    ASSERT_EQ(SHOAL_OK, shl_graph_compile(&g));
    fenv_t before;
    fegetenv(&before);
    const int modes[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        atomic_store(&calls, 0);
        atomic_store(&odd_calls, 0);
        disturb(modes[i]);
        const shoal_status st = shl_graph_run(&g, executor, 2);
        const bool kept = disturbed(modes[i]);
        fesetenv(&before);
        ASSERT_EQ(SHOAL_OK, st);
        ASSERT_EQ(CHUNKS, atomic_load(&calls));
        ASSERT_EQ(0u, atomic_load(&odd_calls));
        ASSERT(kept);
    }
    shl_graph_finish(&g);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST1(jobs_see_defaults, SHL_EXEC_SERIAL);
    RUN_TEST1(jobs_see_defaults, SHL_EXEC_OMP);
    RUN_TEST1(jobs_see_defaults, SHL_EXEC_LOOPS);
    GREATEST_MAIN_END();
}
