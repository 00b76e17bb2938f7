// SPDX-License-Identifier: MIT
// Real meshes, where SHOAL_DATA names a folder of them: self-intersections, two copies shifted
// and turned, and a dancing body frame by frame, all against the oracle. Without it everything
// skips.
#include "tests/oracle/mesh_oracle.h"

#include <shoal/io.h>
#include <shoal/shoal.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "greatest.h"

enum { TRIANGLES_MAX = 150000, FILES_MAX = 512, ADJACENT_MAX = 40000 };

static shoal_context *context;
static char *files[FILES_MAX];
static int file_count;
static const char *name_now;

static bool is_mesh(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".obj") || !strcmp(dot, ".off") || !strcmp(dot, ".ply") ||
                   !strcmp(dot, ".stl"));
}

static void collect(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[4096];
        struct stat st;
        if (e->d_name[0] == '.' || file_count == FILES_MAX)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            collect(path);
        else if (is_mesh(e->d_name))
            files[file_count++] = strdup(path);
    }
    if (d)
        closedir(d);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// A scene of bodies of one model, positions as given.
static shoal_status step(const shoal_mesh *m, const double *const *xyz, int bodies,
                         uint32_t queries, shoal_strategy strategy, shoal_scene **out)
{
    const shoal_model_def model_def = shoal_mesh_model_def(m);
    shoal_scene_def scene_def = shoal_scene_def_default();
    scene_def.strategy = strategy;
    scene_def.threads = 2;
    shoal_model *model = NULL;
    shoal_status st = shoal_model_create(context, &model_def, &model);
    if (st == SHOAL_OK)
        st = shoal_scene_create(context, &scene_def, out);
    for (int i = 0; i < bodies && st == SHOAL_OK; i++) {
        shoal_body body;
        const shoal_positions p = shoal_positions_f64(xyz[i], m->vertex_count);
        st = shoal_scene_add_free(*out, model, &body);
        if (st == SHOAL_OK)
            st = shoal_scene_set_positions(*out, body, &p);
    }
    if (st == SHOAL_OK)
        st = shoal_scene_step(*out, queries);
    shoal_model_destroy(model);
    return st;
}

static bool same_list(const shoal_pair *found, size_t n, const oracle_pair *truth, size_t m)
{
    _Static_assert(sizeof(shoal_pair) == sizeof(oracle_pair), "both are four numbers");
    const bool same = n == m && (n == 0 || memcmp(found, truth, n * sizeof *found) == 0);
    if (!same)
        fprintf(stderr, "%s: %zu pairs, the oracle has %zu\n", name_now, n, m);
    return same;
}

static bool self_agrees(const shoal_mesh *m, bool adjacent, shoal_strategy strategy)
{
    const oracle_mesh judge = {m->xyz, m->vertex_count, m->triangles, m->triangle_count};
    const double *xyz[1] = {m->xyz};
    oracle_pair *truth = NULL;
    const size_t count = oracle_self_pairs(&judge, adjacent, &truth);
    shoal_scene *scene = NULL;
    const uint32_t queries = adjacent ? SHOAL_QUERY_SELF_ADJACENT : SHOAL_QUERY_SELF;
    bool same = step(m, xyz, 1, queries, strategy, &scene) == SHOAL_OK;
    if (same) {
        const shoal_pairs r = shoal_scene_self_pairs(scene);
        same = same_list(r.rows, r.count, truth, count);
    }
    shoal_scene_destroy(scene);
    free(truth);
    return same;
}

// The second copy, turned by (3, 4, 12)/13-like exact-ish angles and moved by a tenth of its
// size: a general position with thousands of crossings.
static double *turned(const shoal_mesh *m)
{
    double lo[3], hi[3];
    memcpy(lo, m->xyz, sizeof lo);
    memcpy(hi, m->xyz, sizeof hi);
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++) {
        lo[i % 3] = m->xyz[i] < lo[i % 3] ? m->xyz[i] : lo[i % 3];
        hi[i % 3] = m->xyz[i] > hi[i % 3] ? m->xyz[i] : hi[i % 3];
    }
    const double size = hi[0] - lo[0] + (hi[1] - lo[1]) + (hi[2] - lo[2]);
    double *out = malloc(3 * sizeof *out * m->vertex_count);
    for (uint32_t v = 0; out && v < m->vertex_count; v++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = m->xyz[3 * (size_t)v + k] - 0.5 * (lo[k] + hi[k]);
        const double x = 0.8 * p[0] - 0.6 * p[1], y = 0.6 * p[0] + 0.8 * p[1];
        out[3 * (size_t)v] = x + 0.5 * (lo[0] + hi[0]) + 0.03 * size;
        out[3 * (size_t)v + 1] = y + 0.5 * (lo[1] + hi[1]) + 0.02 * size;
        out[3 * (size_t)v + 2] = p[2] + 0.5 * (lo[2] + hi[2]) + 0.01 * size;
    }
    return out;
}

static bool copies_agree(const shoal_mesh *m)
{
    double *second = turned(m);
    const oracle_mesh judge[2] = {
        {m->xyz, m->vertex_count, m->triangles, m->triangle_count},
        {second, m->vertex_count, m->triangles, m->triangle_count},
    };
    const double *xyz[2] = {m->xyz, second};
    oracle_pair *truth = NULL;
    const size_t count = oracle_pairs(judge, 2, &truth);
    shoal_scene *scene = NULL;
    bool same = step(m, xyz, 2, SHOAL_QUERY_PAIRS, SHOAL_STRATEGY_HYBRID, &scene) == SHOAL_OK;
    if (same) {
        const shoal_pairs r = shoal_scene_pairs(scene);
        same = same_list(r.rows, r.count, truth, count);
    }
    shoal_scene_destroy(scene);
    free(truth);
    free(second);
    return same;
}

TEST mesh_agrees(const char *path)
{
    shoal_mesh m;
    shoal_io_error error;
    name_now = path;
    const shoal_status st = shoal_mesh_read(path, NULL, &m, &error);
    if (st != SHOAL_OK)
        fprintf(stderr, "%s\n", error.text);
    ASSERT_EQ(SHOAL_OK, st);
    const bool large = m.triangle_count > TRIANGLES_MAX;
    const bool good =
        large ||
        (self_agrees(&m, false, SHOAL_STRATEGY_HYBRID) &&
         self_agrees(&m, false, SHOAL_STRATEGY_BOTTOM_UP) &&
         (m.triangle_count > ADJACENT_MAX || self_agrees(&m, true, SHOAL_STRATEGY_HYBRID)) &&
         copies_agree(&m));
    shoal_mesh_finish(&m);
    ASSERT(good);
    if (large)
        SKIPm("too many triangles for the oracle");
    PASS();
}

static void *read_all(const char *folder, const char *name, size_t *bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    void *data = malloc(*bytes);
    if (data && fread(data, 1, *bytes, f) != *bytes) {
        free(data);
        data = NULL;
    }
    fclose(f);
    return data;
}

// One body, thirteen frames; the truth comes from another exact program.
TEST dancer_agrees(const char *data)
{
    char folder[2048];
    snprintf(folder, sizeof folder, "%s/anim/rumba", data);
    size_t face_bytes = 0, frame_bytes = 0, truth_bytes = 0;
    uint32_t *faces = read_all(folder, "faces.i32", &face_bytes);
    double *frames = read_all(folder, "frames.f64", &frame_bytes);
    char *truth = read_all(folder, "self_truth.csv", &truth_bytes);
    if (!faces || !frames || !truth)
        SKIPm("no animation there");
    enum { FRAMES = 13 };
    const uint32_t vertices = (uint32_t)(frame_bytes / sizeof(double) / 3 / FRAMES);
    shoal_mesh m = {.xyz = frames,
                    .triangles = faces,
                    .vertex_count = vertices,
                    .triangle_count = (uint32_t)(face_bytes / 12)};
    const char *line = truth;
    for (int frame = 0; frame < FRAMES; frame++) {
        const double *xyz[1] = {frames + (size_t)frame * 3 * vertices};
        shoal_scene *scene = NULL;
        ASSERT_EQ(SHOAL_OK, step(&m, xyz, 1, SHOAL_QUERY_SELF, SHOAL_STRATEGY_HYBRID, &scene));
        line = strchr(line, '\n') + 1;
        const unsigned long expected = strtoul(strchr(line, ',') + 1, NULL, 10);
        ASSERT_EQ(expected, shoal_scene_self_pairs(scene).count);
        shoal_scene_destroy(scene);
    }
    free(faces);
    free(frames);
    free(truth);
    PASS();
}

SUITE(meshes)
{
    for (int i = 0; i < file_count; i++)
        RUN_TEST1(mesh_agrees, files[i]);
}

TEST no_data(void)
{
    SKIPm("SHOAL_DATA names no folder of meshes");
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    const char *data = getenv("SHOAL_DATA");
    const shoal_context_def def = shoal_context_def_default();
    if (shoal_context_create(&def, &context) != SHOAL_OK)
        return 71;
    GREATEST_MAIN_BEGIN();
    if (data) {
        collect(data);
        qsort(files, (size_t)file_count, sizeof *files, by_name);
        RUN_SUITE(meshes);
        RUN_TEST1(dancer_agrees, data);
    } else {
        RUN_TEST(no_data);
    }
    for (int i = 0; i < file_count; i++)
        free(files[i]);
    shoal_context_destroy(context);
    GREATEST_MAIN_END();
}
