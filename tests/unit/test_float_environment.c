// SPDX-License-Identifier: MIT
// A host compiled for speed may flush denormals or round upwards. The answer must not change,
// and the host must get its own settings back.
#include <shoal/shoal.h>

#include <fenv.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "greatest.h"

// Two triangles that meet in a single denormal point; flushed to zero they would miss each
// other or everything would coincide.
static const double tiny = 4.9406564584124654e-324;

static size_t pairs_found(shoal_executor executor, shoal_context *ctx)
{
    const uint32_t faces[3] = {0, 1, 2};
    double xyz[3][9] = {{0, 0, 0, 8 * tiny, 0, 0, 0, 8 * tiny, 0},
                        {2 * tiny, 2 * tiny, -tiny, 2 * tiny, 2 * tiny, tiny, 1, 1, 3},
                        {9 * tiny, 9 * tiny, -tiny, 9 * tiny, 9 * tiny, tiny, 1, 1, 3}};
    shoal_scene_def scene_def = shoal_scene_def_default();
    scene_def.executor = executor;
    scene_def.threads = 2;
    shoal_model_def model_def = shoal_model_def_default();
    model_def.triangles = faces;
    model_def.triangle_count = 1;
    model_def.rest = shoal_positions_f64(xyz[0], 3);
    shoal_model *model = NULL;
    shoal_scene *scene = NULL;
    size_t found = SIZE_MAX;
    if (shoal_model_create(ctx, &model_def, &model) == SHOAL_OK &&
        shoal_scene_create(ctx, &scene_def, &scene) == SHOAL_OK) {
        shoal_status st = SHOAL_OK;
        for (int i = 0; i < 3 && st == SHOAL_OK; i++) {
            shoal_body body;
            const shoal_positions p = shoal_positions_f64(xyz[i], 3);
            st = shoal_scene_add_free(scene, model, &body);
            if (st == SHOAL_OK)
                st = shoal_scene_set_positions(scene, body, &p);
        }
        if (st == SHOAL_OK && shoal_scene_step(scene, SHOAL_QUERY_PAIRS) == SHOAL_OK)
            found = shoal_scene_results(scene).pair_count;
    }
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    return found;
}

TEST same_answer(shoal_executor executor)
{
    const shoal_context_def def = shoal_context_def_default();
    shoal_context *ctx = NULL;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&def, &ctx));
    const size_t plain = pairs_found(executor, ctx);
    ASSERT_EQ(2u, plain); // the second meets both others; the third lies beside the first
    fenv_t before;
    fegetenv(&before);
    const int modes[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++) {
        fesetround(modes[i]);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
        const unsigned control = _mm_getcsr() & 0xffc0;
#endif
        const size_t found = pairs_found(executor, ctx);
        const int mode = fegetround();
#if defined(__x86_64__)
        const unsigned after = _mm_getcsr() & 0xffc0;
#endif
        fesetenv(&before);
        ASSERT_EQ(plain, found);
        ASSERT_EQ(modes[i], mode);
#if defined(__x86_64__)
        ASSERT_EQ(control, after);
#endif
    }
    shoal_context_destroy(ctx);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST1(same_answer, SHOAL_EXECUTOR_SERIAL);
    RUN_TEST1(same_answer, SHOAL_EXECUTOR_OMP);
    RUN_TEST1(same_answer, SHOAL_EXECUTOR_LOOPS);
    GREATEST_MAIN_END();
}
