// SPDX-License-Identifier: MIT
// Programs that were compiled against an older or a newer library: what they hand over and get
// back has another size.
#include "greatest.h"

#include <shoal/shoal.h>
#include <string.h>

enum { MORE = 40, FILL = 0xa5 };

static bool all_are(const unsigned char *bytes, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != value)
            return false;
    }
    return true;
}

// A tetrahedron within another one.
static shoal_scene *scene_of(shoal_context *ctx, shoal_model **model)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const float xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const shoal_positions at = shoal_positions_f32(xyz, 4);
    const shoal_scene_def sd = shoal_scene_def_default();
    shoal_model_def md = shoal_model_def_default();
    md.triangles = faces;
    md.triangle_count = 4;
    md.rest = at;
    shoal_scene *scene = NULL;
    bool good = !shoal_model_create(ctx, &md, model) && !shoal_scene_create(ctx, &sd, &scene);
    for (int i = 0; i < 2 && good; i++) {
        shoal_body body;
        good = !shoal_scene_add_free(scene, *model, &body) &&
               !shoal_scene_set_positions(scene, body, &at);
    }
    return good && !shoal_scene_step(scene, SHOAL_QUERY_PAIRS) ? scene : NULL;
}

TEST statistics_of_another_size(void)
{
    const shoal_context_def cd = shoal_context_def_default();
    shoal_context *ctx = NULL;
    shoal_model *model = NULL;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    shoal_scene *scene = scene_of(ctx, &model);
    ASSERT(scene);
    const shoal_stats now = shoal_scene_stats(scene);
    ASSERT_EQ(2u, now.bodies);
    ASSERT_EQ(16u, now.pairs);
    union {
        shoal_stats known;
        unsigned char bytes[sizeof(shoal_stats) + MORE];
    } u;
    for (size_t size = 0; size <= sizeof u; size++) {
        memset(&u, FILL, sizeof u);
        shoal_scene_get_stats(scene, &u.known, size);
        const size_t both = size < sizeof now ? size : sizeof now;
        ASSERT_EQ(0, memcmp(&now, &u, both));
        ASSERT(all_are(u.bytes + both, size - both, 0)); // what this library does not know
        ASSERT(all_are(u.bytes + size, sizeof u - size, FILL)); // not the caller's struct
    }
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(statistics_of_another_size);
    GREATEST_MAIN_END();
}
