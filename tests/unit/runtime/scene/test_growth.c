// SPDX-License-Identifier: MIT
// Programs that were compiled against an older or a newer library: what they hand over and get
// back has another size.
#include "greatest.h"
#include "layouts/versioned.h"

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
    } s;
    for (size_t size = 0; size <= sizeof s; size++) {
        memset(&s, FILL, sizeof s);
        shoal_scene_read_stats(scene, &s.known, size);
        const size_t both = size < sizeof now ? size : sizeof now;
        ASSERT_EQ(0, memcmp(&now, &s, both));
        ASSERT(all_are(s.bytes + both, size - both, 0)); // what this library does not know
        ASSERT(all_are(s.bytes + size, sizeof s - size, FILL)); // not the caller's struct
    }
    shoal_model_info info = shoal_model_get_info(model);
    ASSERT_EQ(4u, info.triangle_count);
    info.triangle_count = FILL;
    shoal_model_read_info(model, &info, sizeof info.vertex_count);
    ASSERT_EQ(4u, info.vertex_count);
    ASSERT_EQ((unsigned)FILL, info.triangle_count);
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(ctx);
    PASS();
}

// A def as a program of another version has it: u.bytes, of the size that it was made with.
typedef union other_def {
    uint32_t size;
    shoal_context_def context;
    shoal_model_def model;
    shoal_scene_def scene;
    shoal_skinned_def skinned;
    unsigned char bytes[SHL_DEF_BYTES_MAX + 8];
} other_def;
static other_def u;

TEST defaults_of_another_size(void)
{
    const shoal_context_def context = shoal_context_def_default();
    const shoal_model_def model = shoal_model_def_default();
    const shoal_scene_def scene = shoal_scene_def_default();
    const struct {
        const void *def;
        size_t known;
    } rows[] = {{&context, sizeof context}, {&model, sizeof model}, {&scene, sizeof scene}};
    for (int i = 0; i < 3; i++) {
        for (size_t size = sizeof u.size; size <= rows[i].known + MORE; size++) {
            memset(&u, FILL, sizeof u);
            if (i == 0)
                shoal_context_def_init(&u.context, size);
            else if (i == 1)
                shoal_model_def_init(&u.model, size);
            else
                shoal_scene_def_init(&u.scene, size);
            ASSERT_EQ(size, u.size);
            const size_t both = size < rows[i].known ? size : rows[i].known;
            ASSERT_EQ(0, memcmp((const char *)rows[i].def + sizeof u.size,
                                u.bytes + sizeof u.size, both - sizeof u.size));
            ASSERT(all_are(u.bytes + both, size - both, 0));
            ASSERT(all_are(u.bytes + size, sizeof u - size, FILL));
        }
    }
    PASS();
}

enum def_of { CONTEXT, MODEL, SCENE, SKINNED, DEFS };
static const size_t known_sizes[DEFS] = {sizeof u.context, sizeof u.model, sizeof u.scene,
                                         sizeof u.skinned};

static void fill_model(shoal_model_def *def)
{
    static const uint32_t faces[3] = {0, 1, 2};
    static const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    def->triangles = faces;
    def->triangle_count = 1;
    def->rest = shoal_positions_f32(xyz, 3);
}

static void fill_skinned(shoal_skinned_def *def)
{
    static const double controls[3];
    static const uint32_t begin[4] = {0, 1, 2, 3}, control[3];
    static const float weight[3] = {1, 1, 1};
    *def = (shoal_skinned_def){.control_count = 1,
                               .controls = controls,
                               .weight_begin = begin,
                               .weight_control = control,
                               .weight = weight,
                               .weight_count = 3};
}

// A good def in `u` that says it has `size` bytes, zeros behind what this library knows.
static void fill_def(enum def_of which, size_t size)
{
    memset(&u, 0, sizeof u);
    if (which == CONTEXT)
        shoal_context_def_init(&u.context, sizeof u.context);
    else if (which == MODEL)
        shoal_model_def_init(&u.model, sizeof u.model);
    else if (which == SCENE)
        shoal_scene_def_init(&u.scene, sizeof u.scene);
    if (which == MODEL)
        fill_model(&u.model);
    if (which == SKINNED)
        fill_skinned(&u.skinned);
    u.size = (uint32_t)size;
}

// Makes what `u` defines, and destroys it.
static shoal_status make(enum def_of which, shoal_context *ctx)
{
    shoal_context *context = NULL;
    shoal_model *model = NULL;
    shoal_scene *scene = NULL;
    shoal_model_def skinned = shoal_model_def_default();
    fill_model(&skinned);
    skinned.skinned = &u.skinned;
    const shoal_status st = which == CONTEXT ? shoal_context_create(&u.context, &context)
                            : which == MODEL ? shoal_model_create(ctx, &u.model, &model)
                            : which == SCENE ? shoal_scene_create(ctx, &u.scene, &scene)
                                             : shoal_model_create(ctx, &skinned, &model);
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    shoal_context_destroy(context);
    return st;
}

TEST definitions_of_another_size(enum def_of which)
{
    const shoal_context_def cd = shoal_context_def_default();
    shoal_context *ctx = NULL;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    const size_t known = known_sizes[which];
    for (size_t size = 0; size <= SHL_DEF_BYTES_MAX + 1;
         size += size == 2 * known ? SHL_DEF_BYTES_MAX - 1 - size : 1) {
        fill_def(which, size);
        const bool good = size >= known && size <= SHL_DEF_BYTES_MAX;
        ASSERT_EQ_FMT(good ? (int)SHOAL_OK : (int)SHOAL_ERR_ARGUMENT, (int)make(which, ctx),
                      "%d");
        ASSERT(good || strstr(shoal_last_error(), "start from shoal_"));
    }
    for (size_t at = known; at < known + MORE; at++) { // a field of a later version is set
        fill_def(which, known + MORE);
        u.bytes[at] = 1;
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, make(which, ctx));
        ASSERT(strstr(shoal_last_error(), "does not have"));
    }
    shoal_context_destroy(ctx);
    PASS();
}

// A program that was compiled before the last field came leaves it at its default.
TEST definitions_of_old_programs(void)
{
    struct {
        uint32_t size, old;
        double added;
    } def = {.added = 1.5}, of_program = {.size = 8, .old = 7, .added = -3};
    ASSERT_EQ(NULL, shl_def_read(&def, sizeof def, 8, &of_program, "start"));
    ASSERT_EQ(7u, def.old);
    ASSERT_EQ(1.5, def.added);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(statistics_of_another_size);
    RUN_TEST(defaults_of_another_size);
    for (enum def_of which = CONTEXT; which < DEFS; which++)
        RUN_TESTp(definitions_of_another_size, which);
    RUN_TEST(definitions_of_old_programs);
    GREATEST_MAIN_END();
}
