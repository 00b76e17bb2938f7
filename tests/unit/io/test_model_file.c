// SPDX-License-Identifier: MIT
// Model files: round trips, the very bytes, what a model is made from, what cannot be written,
// and that a file is on the disk before it has its name.
#include "io_folder.h"
#include "model_sample.h"

#include "io/bits.h"

#include <shoal/shoal.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// --- The disk: the writer's calls come here first, and fail when a test wants it. ---

static char calls[16];
static char fail_call; // 's' or 'r'

static int take_call(char name)
{
    const size_t used = strlen(calls);
    if (used + 1 < sizeof calls)
        calls[used] = name;
    errno = EIO;
    return name == fail_call ? -1 : 0;
}

int fsync(int file)
{
    return take_call('s') ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    return take_call('r') ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static void watch(char failing)
{
    memset(calls, 0, sizeof calls);
    fail_call = failing;
}

TEST round_trip(void)
{
    for (int i = 0; i < 16; i++) {
        shoal_model_file model = model_sample(i & 1), again;
        if (i & 2)
            model.frequencies = model.masses = NULL;
        if (i & 4)
            model.name[0] = '\0';
        if (i & 8)
            model.field_count = 0;
        shoal_io_error error;
        const char *path = in_folder(i & 2 ? "a.model" : "a.other");
        ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &model, &error));
        ASSERT_EQ(SHOAL_OK, shoal_model_file_read(path, NULL, &again, &error));
        ASSERT_STR_EQ("", error.text);
        if (i & 8)
            model.frequencies = model.masses = NULL;
        ASSERT(same_model(&model, &again));
        ASSERT_EQ(i & 1 ? SHOAL_F64 : SHOAL_F32, again.rest.scalar);
        ASSERT_EQ(1u, again.version);
        ASSERT_EQ(0u, again.skipped);
        shoal_model_file_finish(&again);
        ASSERT(is_zero_model(&again));
        unlink(path);
    }
    ASSERT_EQ_FMT(0, file_count(), "%d");
    PASS();
}

// The format, written down a second time.
TEST written_bytes(void)
{
    const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 0.1, 0};
    const uint32_t corners[3] = {2, 1, 0};
    shoal_model_file model = {.name = "tri",
                              .rest = {.xyz = (double *)xyz,
                                       .triangles = (uint32_t *)corners,
                                       .vertex_count = 3,
                                       .triangle_count = 1}};
    const char *path = in_folder("t.model");
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &model, NULL));
    char want[512] = "\x89SHOAL\r\n\1\0\0\0\4\0\0", got[512];
    static const char tags[4][9] = {"SIZE\1\0\0", "NAME\0\0\0", "TRIS\1\0\0", "REST\1\0\0"};
    const size_t sizes[4] = {16, 3, 12, 72}, padded[4] = {16, 8, 16, 72};
    const size_t table = 24 + 4 * 24, total = table + 8 + 16 + 8 + 16 + 72;
    shl_set_bits(want + 16, total, 8);
    size_t at = table + 8;
    memcpy(want + at, "\3\0\0\0\1\0\0\0\0\0\0\0\1\0\0", 16);
    memcpy(want + at + 16, "tri", 3);
    memcpy(want + at + 24, "\2\0\0\0\1\0\0", 8);
    memcpy(want + at + 40, xyz, sizeof xyz); // this machine is little endian
    for (int i = 0; i < 4; i++) {
        memcpy(want + 24 + 24 * i, tags[i], 8);
        shl_set_bits(want + 32 + 24 * i, sizes[i], 8);
        shl_set_bits(want + 40 + 24 * i, XXH3_64bits(want + at, padded[i]), 8);
        at += padded[i];
    }
    shl_set_bits(want + table, XXH3_64bits(want, table), 8);
    size_t size;
    ASSERT(slurp_bytes(path, got, sizeof got, &size));
    ASSERT_EQ_FMT(total, size, "%zu");
    ASSERT_MEM_EQ(want, got, total);
    // the checksum itself is what everybody's XXH3 gives
    ASSERT_EQ(UINT64_C(0x2d06800538d394c2), XXH3_64bits("", 0));
    unlink(path);
    PASS();
}

// Larger than the writer's buffer and than the longest section tables; all 64 fields.
TEST large_models(void)
{
    enum { VERTICES = 3000 };
    shoal_model_file model = {.field_count = SHOAL_FIELDS_MAX}, again;
    model.rest.vertex_count = VERTICES;
    model.rest.triangle_count = VERTICES - 2;
    model.rest.xyz = malloc(3 * sizeof(double) * VERTICES);
    model.rest.triangles = malloc(3 * sizeof(uint32_t) * VERTICES);
    model.fields = malloc(3 * sizeof(float) * VERTICES * SHOAL_FIELDS_MAX);
    ASSERT(model.rest.xyz && model.rest.triangles && model.fields);
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        model.rest.xyz[i] = sin(i);
        model.rest.triangles[i] = i / 3 + i % 3;
    }
    for (uint32_t i = 0; i < 3 * VERTICES * SHOAL_FIELDS_MAX; i++)
        model.fields[i] = (float)cos(i);
    memset(model.name, 'x', SHOAL_MODEL_NAME_MAX);
    const char *path = in_folder("large.model");
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &model, NULL));
    counter live = {0};
    const shoal_allocator allocator = counter_allocator(&live);
    ASSERT_EQ(SHOAL_OK, shoal_model_file_read(path, &allocator, &again, NULL));
    ASSERT(same_model(&model, &again));
    shoal_model_file_finish(&again);
    ASSERT_EQ(0u, live.live_blocks);
    ASSERT_FALSE(live.broken_promise);
    unlink(path);
    free(model.rest.xyz);
    free(model.rest.triangles);
    free(model.fields);
    PASS();
}

// The first allocation is the file's own bytes.
TEST every_allocation_fails(void)
{
    const char *path = in_folder("a.model");
    const shoal_model_file model = model_sample(true);
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &model, NULL));
    shoal_status status = SHOAL_ERR_MEMORY;
    unsigned nth = 0;
    while (status == SHOAL_ERR_MEMORY) {
        counter live = {.fail_at = ++nth};
        const shoal_allocator allocator = counter_allocator(&live);
        shoal_model_file again;
        shoal_io_error error;
        status = shoal_model_file_read(path, &allocator, &again, &error);
        ASSERT(status == SHOAL_OK || (is_zero_model(&again) && is_one_line(&error)));
        shoal_model_file_finish(&again);
        ASSERT_EQ(0u, live.live_blocks);
        ASSERT_FALSE(live.broken_promise);
    }
    ASSERT_EQ(SHOAL_OK, status);
    ASSERT_EQ_FMT(7u, nth, "%u");
    unlink(path);
    PASS();
}

TEST meshes_are_models(void)
{
    const char *path = in_folder("a.off");
    const shoal_model_file model = model_sample(true);
    ASSERT_EQ(SHOAL_OK, shoal_mesh_write(path, &model.rest, NULL));
    shoal_model_file again;
    ASSERT_EQ(SHOAL_OK, shoal_model_file_read(path, NULL, &again, NULL));
    ASSERT_EQ(0u, again.version);
    ASSERT_EQ(0u, again.field_count);
    ASSERT_EQ(SAMPLE_TRIANGLES, again.rest.triangle_count);
    shoal_model_file_finish(&again);
    // but a name that promises a model is held to it
    ASSERT_EQ(0, symlink("a.off", in_folder("b.model")));
    shoal_io_error error;
    ASSERT_EQ(SHOAL_ERR_FORMAT,
              shoal_model_file_read(in_folder("b.model"), NULL, &again, &error));
    ASSERT(strstr(error.text, "b.model: byte 0: this is no model file"));
    unlink(in_folder("b.model"));
    unlink(in_folder("a.off"));
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_model_file_read(in_folder("none"), NULL, &again, &error));
    ASSERT(strstr(error.text, "none: No such file or directory"));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_model_file_read(NULL, NULL, &again, &error));
    ASSERT_STR_EQ("model: path is NULL", error.text);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_model_file_read("a.model", NULL, NULL, &error));
    ASSERT_STR_EQ("a.model: out is NULL", error.text);
    PASS();
}

// From a file to a body.
TEST models_are_made(void)
{
    const shoal_model_file model = model_sample(true);
    shoal_model_def def = shoal_model_def_default();
    def.arity = 4;
    shoal_model_file_fill_def(&model, &def);
    ASSERT_EQ(4u, def.arity);
    const shoal_context_def cd = shoal_context_def_default();
    const shoal_scene_def sd = shoal_scene_def_default();
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_model *made;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &scene));
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &def, &made));
    const shoal_model_info info = shoal_model_get_info(made);
    ASSERT_EQ(SAMPLE_TRIANGLES, info.triangle_count);
    ASSERT_EQ(SAMPLE_VERTICES, info.vertex_count);
    shoal_body body;
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_reduced(scene, made, &body));
    const double q[SAMPLE_FIELDS] = {0.5, -2};
    const shoal_reduced_state state = {
        .bodies = &body, .count = 1, .stride = 1, .q = q, .field_count = SAMPLE_FIELDS};
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &state));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_SELF));
    shoal_model_destroy(made);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    PASS();
}

static enum greatest_test_res refuse(const shoal_model_file *model, shoal_status status,
                                     const char *reason)
{
    shoal_io_error error;
    const char *path = in_folder("a.model");
    ASSERT_EQ_FMT(status, shoal_model_file_write(path, model, &error), "%d");
    ASSERT_STR_EQ(reason, error.text + strlen(path) + 2);
    ASSERT_EQ_FMT(0, file_count(), "%d");
    PASS();
}

TEST cannot_write(void)
{
    const shoal_status bad = SHOAL_ERR_ARGUMENT;
    shoal_model_file m = {0};
    CHECK_CALL(refuse(&m, bad, "the model has no triangles"));
    m = model_sample(false);
    m.rest.triangle_count = 0;
    CHECK_CALL(refuse(&m, bad, "the mesh has no triangles"));
    m = model_sample(false);
    m.rest.xyz[4] = NAN;
    CHECK_CALL(refuse(&m, bad, "coordinate nan of vertex 1 does not fit the format"));
    m = model_sample(false);
    m.rest.vertex_count = 4;
    CHECK_CALL(refuse(&m, bad, "triangle 2 names vertex 4, the mesh has 4"));
    m = model_sample(false);
    m.field_count = 65;
    CHECK_CALL(refuse(&m, SHOAL_ERR_LIMIT, "65 fields, at most 64"));
    m = model_sample(false);
    m.fields = NULL;
    CHECK_CALL(refuse(&m, bad, "2 fields, but the array is NULL"));
    m = model_sample(false);
    m.fields[16] = INFINITY;
    CHECK_CALL(refuse(&m, bad, "field 1 is not finite at vertex 0"));
    m = model_sample(false);
    double wrong[SAMPLE_FIELDS] = {1, -1};
    m.frequencies = wrong;
    CHECK_CALL(refuse(&m, bad, "the frequency of field 1 is -1"));
    m = model_sample(false);
    wrong[1] = 0;
    m.masses = wrong;
    CHECK_CALL(refuse(&m, bad, "the mass of field 1 is 0"));
    m = model_sample(false);
    m.name[1] = '\t';
    CHECK_CALL(refuse(&m, bad, "the name holds a control character"));
    memset(m.name, 'x', sizeof m.name);
    CHECK_CALL(refuse(&m, bad, "the name has no end"));
    shoal_io_error error;
    ASSERT_EQ(bad, shoal_model_file_write(NULL, &m, &error));
    ASSERT_STR_EQ("model: path is NULL", error.text);
    ASSERT_EQ(bad, shoal_model_file_write("a.model", NULL, &error));
    ASSERT_STR_EQ("a.model: file is NULL", error.text);
    m = model_sample(false);
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_model_file_write(in_folder("no/a.model"), &m, &error));
    ASSERT(strstr(error.text, "no/a.model: No such file or directory"));
    PASS();
}

// Content first, then the name, then the folder; whatever fails, the older file stays.
TEST on_the_disk_before_named(void)
{
    const char *path = in_folder("a.model");
    shoal_model_file model = model_sample(false), again;
    watch(0);
    ASSERT_EQ(SHOAL_OK, shoal_model_file_write(path, &model, NULL));
    ASSERT_STR_EQ("srs", calls);
    static const char failing[] = "sr";
    for (int i = 0; i < 2; i++) {
        strcpy(model.name, "other");
        shoal_io_error error;
        watch(failing[i]);
        ASSERT_EQ(SHOAL_ERR_FILE, shoal_model_file_write(path, &model, &error));
        watch(0);
        ASSERT(strstr(error.text, "a.model: Input/output error"));
        ASSERT_EQ_FMT(1, file_count(), "%d");
        ASSERT_EQ(SHOAL_OK, shoal_model_file_read(path, NULL, &again, NULL));
        ASSERT_STR_EQ("plate", again.name);
        shoal_model_file_finish(&again);
    }
    unlink(path);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!folder_open())
        return 1;
    RUN_TEST(round_trip);
    RUN_TEST(written_bytes);
    RUN_TEST(large_models);
    RUN_TEST(every_allocation_fails);
    RUN_TEST(meshes_are_models);
    RUN_TEST(models_are_made);
    RUN_TEST(cannot_write);
    RUN_TEST(on_the_disk_before_named);
    rmdir(folder);
    GREATEST_MAIN_END();
}
