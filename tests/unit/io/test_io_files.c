// SPDX-License-Identifier: MIT
// Real files: round trips, what cannot be opened or written, and what a failure leaves behind.
#include "io_folder.h"
#include "test_io.h"

#include <float.h>
#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <shoal/model_file.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// Large enough to fill the writer's buffer several times.
enum { SIDE = 60, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };
static double xyz[3 * VERTICES];
static uint32_t triangles[3 * TRIANGLES];

// A wavy sheet whose coordinates need all 53 bits, or float32 ones. No two vertices are equal
// and triangles name them in rising order of first use, so that STL keeps the numbering.
static shoal_mesh make_sheet(shoal_scalar scalar)
{
    uint32_t t = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        double at[3] = {v % SIDE / 3.0, v / SIDE / 7.0, sin(v) * 1e-3};
        for (int axis = 0; axis < 3; axis++)
            xyz[3 * v + (uint32_t)axis] =
                scalar == SHOAL_F32 ? (double)(float)at[axis] : at[axis];
    }
    for (uint32_t v = 0; v < VERTICES - SIDE; v++) {
        if (v % SIDE == SIDE - 1)
            continue;
        const uint32_t quad[] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
        memcpy(&triangles[6 * t++], quad, sizeof quad);
    }
    return (shoal_mesh){.xyz = xyz,
                        .triangles = triangles,
                        .vertex_count = VERTICES,
                        .triangle_count = TRIANGLES};
}

static bool same(const shoal_mesh *a, const shoal_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->xyz, b->xyz, 24 * (size_t)a->vertex_count) == 0 &&
           memcmp(a->triangles, b->triangles, 12 * (size_t)a->triangle_count) == 0;
}

// Bit for bit through each indexed format, extremes included.
TEST round_trip(void)
{
    static const char *const names[] = {"a.obj", "a.off", "a.ply", "A.OBJ", "A.Off", "A.PLY"};
    for (int i = 0; i < 12; i++) {
        shoal_scalar scalar = i < 6 ? SHOAL_F32 : SHOAL_F64;
        shoal_mesh mesh = make_sheet(scalar), again;
        if (scalar == SHOAL_F64) {
            const double extreme[] = {DBL_MAX, -DBL_MIN, 0x1p-1074, -0.0, 0.1, 1.0 / 3};
            memcpy(xyz, extreme, sizeof extreme);
        }
        shoal_io_error error;
        const char *path = in_folder(names[i % 6]);
        ASSERT_EQ(SHOAL_OK, shoal_mesh_write(path, &mesh, &error));
        ASSERT_EQ(SHOAL_OK, shoal_mesh_read(path, NULL, &again, &error));
        ASSERT_STR_EQ("", error.text);
        ASSERT(same(&mesh, &again));
        ASSERT_EQ(scalar, again.scalar);
        shoal_mesh_finish(&again);
        unlink(path);
    }
    ASSERT_EQ_FMT(0, file_count(), "%d");
    PASS();
}

// Numbers keep their point where the user's locale has a comma.
TEST decimal_comma(void)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"};
    const char *found = NULL;
    for (int i = 0; i < 4 && !found; i++)
        found = setlocale(LC_ALL, locales[i]);
    if (!found)
        SKIPm("no locale with a decimal comma");
    shoal_mesh mesh = make_sheet(SHOAL_F64), again;
    const char *path = in_folder("a.obj");
    shoal_status wrote = shoal_mesh_write(path, &mesh, NULL);
    shoal_status read = shoal_mesh_read(path, NULL, &again, NULL);
    char comma = localeconv()->decimal_point[0]; // still the user's
    setlocale(LC_ALL, "C");
    unlink(path);
    ASSERT_EQ(SHOAL_OK, wrote);
    ASSERT_EQ(SHOAL_OK, read);
    ASSERT_EQ(',', comma);
    ASSERT(same(&mesh, &again));
    shoal_mesh_finish(&again);
    PASS();
}

// STL numbers vertices anew, so triangles are compared corner by corner.
TEST round_trip_stl(void)
{
    for (int i = 0; i < 2; i++) {
        shoal_mesh mesh = make_sheet(i ? SHOAL_F64 : SHOAL_F32), again;
        const char *path = in_folder("a.stl");
        ASSERT_EQ(SHOAL_OK, shoal_mesh_write(path, &mesh, NULL));
        ASSERT_EQ(SHOAL_OK, shoal_mesh_read(path, NULL, &again, NULL));
        ASSERT_EQ_FMT(mesh.triangle_count, again.triangle_count, "%u");
        ASSERT_EQ_FMT(mesh.vertex_count, again.vertex_count, "%u");
        ASSERT_EQ(SHOAL_F32, again.scalar);
        for (uint32_t c = 0; c < 3 * mesh.triangle_count; c++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                double want = (double)(float)xyz[3 * triangles[c] + axis];
                ASSERT_EQ(want, again.xyz[3 * again.triangles[c] + axis]);
            }
        }
        shoal_mesh_finish(&again);
        unlink(path);
    }
    PASS();
}

// The bytes themselves, once for each format.
TEST written_bytes(void)
{
    static const char *const names[] = {"t.obj", "t.off", "t.ply", "t.stl"};
    static const char *const starts[] = {
        "v 0 0 0\nv 1 0.1 0\nv 0 1e+300 -0\nf 1 2 3\n",
        "OFF\n3 1 0\n0 0 0\n1 0.1 0\n0 1e+300 -0\n3 0 1 2\n",
        "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty double x\n"
        "property double y\nproperty double z\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n",
        "binary STL written by shoal"};
    double points[] = {0, 0, 0, 1, 0.1, 0, 0, 1e300, -0.0};
    uint32_t corners[] = {0, 1, 2};
    for (int i = 0; i < 4; i++) {
        if (i == 3)
            points[7] = 1;
        shoal_mesh mesh = {
            .xyz = points, .triangles = corners, .vertex_count = 3, .triangle_count = 1};
        const char *path = in_folder(names[i]);
        ASSERT_EQ(SHOAL_OK, shoal_mesh_write(path, &mesh, NULL));
        char bytes[1024] = {0};
        FILE *file = fopen(path, "rb");
        size_t got = fread(bytes, 1, sizeof bytes - 1, file);
        fclose(file);
        ASSERT_STRN_EQ(starts[i], bytes, strlen(starts[i]));
        const size_t sizes[] = {strlen(starts[0]), strlen(starts[1]),
                                strlen(starts[2]) + 72 + 13, 134};
        ASSERT_EQ_FMT(sizes[i], got, "%zu");
        unlink(path);
    }
    PASS();
}

static enum greatest_test_res check_read(const char *path, const char *reason)
{
    shoal_mesh mesh = {.vertex_count = 7};
    shoal_io_error error;
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_mesh_read(path, NULL, &mesh, &error));
    ASSERT(is_zero(&mesh));
    ASSERT(is_one_line(&error));
    ASSERT_STRN_EQ(path, error.text, strlen(path));
    ASSERT_STR_EQ(reason, error.text + strlen(path));
    PASS();
}

TEST cannot_read(void)
{
    CHECK_CALL(check_read(in_folder("none.obj"), ": No such file or directory"));
    CHECK_CALL(check_read(folder, ": is a directory"));
    const char *pipe_name = in_folder("pipe.obj");
    ASSERT_EQ(0, mkfifo(pipe_name, 0600));
    CHECK_CALL(check_read(pipe_name, ": is not a plain file"));
    unlink(pipe_name);
    const char *path = in_folder("locked.obj");
    FILE *file = fopen(path, "w");
    fclose(file);
    chmod(path, 0);
    if (geteuid() != 0) // root may read everything
        CHECK_CALL(check_read(path, ": Permission denied"));
    chmod(path, 0600);
    shoal_mesh mesh;
    shoal_io_error error;
    ASSERT_EQ(SHOAL_ERR_FORMAT, shoal_mesh_read(path, NULL, &mesh, &error));
    ASSERT(strstr(error.text, "locked.obj: the file is empty"));
    unlink(path);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_mesh_read(NULL, NULL, &mesh, &error));
    ASSERT_STR_EQ("mesh: path is NULL", error.text);
    const shoal_allocator whole = counter_allocator(&(counter){0});
    const shoal_allocator halves[2] = {{.alloc = whole.alloc}, {.release = whole.release}};
    for (int i = 0; i < 2; i++) {
        shoal_model_file model;
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_mesh_read("a.obj", &halves[i], &mesh, &error));
        ASSERT_STR_EQ("a.obj: half an allocator", error.text);
        ASSERT_EQ(SHOAL_ERR_ARGUMENT,
                  shoal_model_file_read("a.model", &halves[i], &model, &error));
        ASSERT_STR_EQ("a.model: half an allocator", error.text);
    }
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_mesh_read("a.obj", NULL, NULL, &error));
    ASSERT_STR_EQ("a.obj: out is NULL", error.text);
    PASS();
}

static enum greatest_test_res check_write(const char *path, const shoal_mesh *mesh,
                                          shoal_status status, const char *reason)
{
    shoal_io_error error;
    int before = file_count();
    ASSERT_EQ(status, shoal_mesh_write(path, mesh, &error));
    ASSERT_STRN_EQ(path, error.text, strlen(path));
    ASSERT_STR_EQ(reason, error.text + strlen(path));
    ASSERT_EQ_FMT(before, file_count(), "%d");
    PASS();
}

TEST cannot_write(void)
{
    shoal_mesh mesh = make_sheet(SHOAL_F64);
    const shoal_status argument = SHOAL_ERR_ARGUMENT;
    CHECK_CALL(check_write(in_folder("a.xyz"), &mesh, argument,
                           ": the suffix is none of .obj, .off, .ply, .stl"));
    CHECK_CALL(check_write(in_folder("no/a.obj"), &mesh, SHOAL_ERR_FILE,
                           ": No such file or directory"));
    const char *path = in_folder("folder.ply");
    ASSERT_EQ(0, mkdir(path, 0700));
    CHECK_CALL(check_write(path, &mesh, SHOAL_ERR_FILE, ": Is a directory"));
    rmdir(path);
    mesh.triangle_count = 0;
    CHECK_CALL(check_write(in_folder("a.obj"), &mesh, argument, ": the mesh has no triangles"));
    mesh = make_sheet(SHOAL_F64);
    mesh.triangles = NULL;
    CHECK_CALL(check_write(in_folder("a.obj"), &mesh, argument, ": the mesh has no triangles"));
    mesh = make_sheet(SHOAL_F64);
    mesh.xyz = NULL;
    CHECK_CALL(check_write(in_folder("a.obj"), &mesh, argument, ": the mesh has no vertices"));
    mesh = make_sheet(SHOAL_F64);
    triangles[5] = VERTICES;
    CHECK_CALL(check_write(in_folder("a.obj"), &mesh, argument,
                           ": triangle 1 names vertex 3600, the mesh has 3600"));
    mesh = make_sheet(SHOAL_F64);
    xyz[4] = NAN;
    CHECK_CALL(check_write(in_folder("a.obj"), &mesh, argument,
                           ": coordinate nan of vertex 1 does not fit the format"));
    xyz[4] = 1e39;
    CHECK_CALL(check_write(in_folder("a.stl"), &mesh, argument,
                           ": coordinate 1e+39 of vertex 1 does not fit the format"));
    shoal_io_error error;
    ASSERT_EQ(argument, shoal_mesh_write(NULL, &mesh, &error));
    ASSERT_STR_EQ("mesh: path is NULL", error.text);
    ASSERT_EQ(argument, shoal_mesh_write("a.obj", NULL, &error));
    ASSERT_STR_EQ("a.obj: mesh is NULL", error.text);
    PASS();
}

// A link stays one and what it names is written: a file in the place of /dev/null would be
// worse than no file.
TEST links_are_written_through(void)
{
    const shoal_mesh mesh = make_sheet(SHOAL_F64);
    char link[512], target[512];
    snprintf(link, sizeof link, "%s", in_folder("link.obj"));
    snprintf(target, sizeof target, "%s", in_folder("target.obj"));
    ASSERT_EQ(0, symlink(target, link));
    shoal_io_error error;
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_mesh_write(link, &mesh, &error)); // nothing to write to
    ASSERT_EQ(SHOAL_OK, shoal_mesh_write(target, &mesh, &error));
    ASSERT_EQ(0, truncate(target, 0));
    ASSERT_EQ(SHOAL_OK, shoal_mesh_write(link, &mesh, &error));
    struct stat about;
    ASSERT(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    shoal_mesh again;
    ASSERT_EQ(SHOAL_OK, shoal_mesh_read(target, NULL, &again, &error));
    ASSERT_EQ(mesh.triangle_count, again.triangle_count);
    shoal_mesh_finish(&again);
    ASSERT_EQ(0, unlink(link));
    ASSERT_EQ(0, symlink("/dev/full", link));
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_mesh_write(link, &mesh, &error));
    ASSERT(strstr(error.text, "link.obj: No space left on device"));
    ASSERT(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    ASSERT(stat(link, &about) == 0 && S_ISCHR(about.st_mode));
    unlink(link);
    unlink(target);
    PASS();
}

// A link in another folder, through another link: what they lead to is replaced, once it is
// complete, and keeps its mode.
TEST targets_are_replaced(void)
{
    const shoal_mesh mesh = make_sheet(SHOAL_F64);
    char link[512], second[512], target[512], sub[512];
    snprintf(link, sizeof link, "%s", in_folder("link.obj"));
    snprintf(sub, sizeof sub, "%s", in_folder("sub"));
    snprintf(second, sizeof second, "%s", in_folder("sub/second.obj"));
    snprintf(target, sizeof target, "%s", in_folder("target.obj"));
    ASSERT(mkdir(sub, 0700) == 0 && symlink("sub/second.obj", link) == 0 &&
           symlink("../target.obj", second) == 0);
    ASSERT_EQ(SHOAL_OK, shoal_mesh_write(target, &mesh, NULL));
    ASSERT_EQ(0, chmod(target, 0640));
    struct stat before, after, about;
    ASSERT_EQ(0, stat(target, &before));
    ASSERT_EQ(SHOAL_OK, shoal_mesh_write(link, &mesh, NULL));
    ASSERT_EQ(0, stat(target, &after));
    ASSERTm("a new file took its place", before.st_ino != after.st_ino);
    ASSERT_EQ(0640, (int)(after.st_mode & 0777));
    ASSERT(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    ASSERT(lstat(second, &about) == 0 && S_ISLNK(about.st_mode));
    ASSERT(unlink(link) == 0 && unlink(second) == 0 && unlink(target) == 0 && rmdir(sub) == 0);
    ASSERT_EQ(0, symlink(link, link)); // to itself
    shoal_io_error error;
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_mesh_write(link, &mesh, &error));
    ASSERT(strstr(error.text, "Too many levels of symbolic links"));
    ASSERT_EQ(0, unlink(link));
    PASS();
}

// A write that fails midway leaves the older file, also through a link, and nothing else.
static enum greatest_test_res failed_write(bool by_link)
{
    static const char *const names[] = {"a.obj", "a.off", "a.ply", "a.stl"};
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 4; i++) {
        char path[512], target[512];
        snprintf(path, sizeof path, "%s", in_folder(names[i]));
        snprintf(target, sizeof target, "%s", in_folder("target"));
        if (by_link) {
            FILE *empty = fopen(target, "w");
            ASSERT(empty && fclose(empty) == 0 && symlink("target", path) == 0);
        }
        shoal_mesh mesh = make_sheet(SHOAL_F64), again;
        mesh.triangle_count = 1;
        ASSERT_EQ(SHOAL_OK, shoal_mesh_write(path, &mesh, NULL));
        mesh.triangle_count = TRIANGLES;
        struct rlimit before, small;
        getrlimit(RLIMIT_FSIZE, &before);
        small = before;
        small.rlim_cur = 1000;
        setrlimit(RLIMIT_FSIZE, &small);
        shoal_io_error error;
        shoal_status status = shoal_mesh_write(path, &mesh, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        ASSERT_EQ(SHOAL_ERR_FILE, status);
        ASSERT_STR_EQ(": File too large", error.text + strlen(path));
        ASSERT_EQ_FMT(by_link ? 2 : 1, file_count(), "%d");
        ASSERT_EQ(SHOAL_OK, shoal_mesh_read(path, NULL, &again, NULL));
        ASSERT_EQ_FMT(1u, again.triangle_count, "%u");
        shoal_mesh_finish(&again);
        unlink(path);
        unlink(target);
    }
    PASS();
}

TEST failed_write_keeps_old(void)
{
    CHECK_CALL(failed_write(false));
    CHECK_CALL(failed_write(true));
    PASS();
}

static unsigned data_read, data_refused;

static int visit(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    static const char *const suffixes[] = {".obj", ".off", ".ply", ".stl"};
    (void)info;
    (void)ftw;
    size_t length = strlen(path);
    for (int i = 0; type == FTW_F && length > 4 && i < 4; i++) {
        if (strcasecmp(path + length - 4, suffixes[i]) != 0)
            continue;
        shoal_mesh mesh;
        shoal_io_error error;
        if (shoal_mesh_read(path, NULL, &mesh, &error) == SHOAL_OK && is_sane(&mesh)) {
            data_read++;
        } else {
            printf("%s\n", error.text);
            data_refused++;
        }
        shoal_mesh_finish(&mesh);
    }
    return 0;
}

// Everything in the folder that SHOAL_DATA names.
TEST data_folder(void)
{
    const char *data = getenv("SHOAL_DATA");
    if (!data)
        SKIPm("SHOAL_DATA is not set");
    ASSERT_EQ(0, nftw(data, visit, 16, FTW_PHYS));
    printf("%u mesh files read, %u refused\n", data_read, data_refused);
    ASSERT(data_read > 0);
    ASSERT_EQ_FMT(0u, data_refused, "%u");
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!folder_open())
        return 1;
    RUN_TEST(round_trip);
    RUN_TEST(decimal_comma);
    RUN_TEST(round_trip_stl);
    RUN_TEST(written_bytes);
    RUN_TEST(cannot_read);
    RUN_TEST(cannot_write);
    RUN_TEST(links_are_written_through);
    RUN_TEST(targets_are_replaced);
    RUN_TEST(failed_write_keeps_old);
    RUN_TEST(data_folder);
    rmdir(folder);
    GREATEST_MAIN_END();
}
