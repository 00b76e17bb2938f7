// SPDX-License-Identifier: MIT
// A run with dynamics: its table, and its frames as PLY files.
#include "tool.h"

TEST the_table_tells(void)
{
    json_error_t error;
    ASSERT_EQ(0, shoal("run chairs -s count=2 --steps 130 -t 1 -q --json"));
    json_t *j = json_load_file("out.txt", 0, &error);
    const json_t *rows = json_object_get(j, "dynamics"), *row;
    ASSERT_EQ(11u, json_array_size(rows));
    size_t i;
    double energy = 0;
    json_array_foreach(rows, i, row)
    {
        ASSERT_EQ(i ? 13 * i : 1, (size_t)real_of(row, "step"));
        ASSERT_IN_RANGE((real_of(row, "step") - 1) / 400, real_of(row, "time_s"), 1e-12);
        ASSERT(real_of(row, "kinetic_j") > 0);
        ASSERT(i == 0 || real_of(row, "energy_j") <= energy * (1 + 1e-9));
        energy = real_of(row, "energy_j");
    }
    ASSERT(real_of(json_array_get(rows, 10), "kinetic_j") >
           real_of(json_array_get(rows, 0), "kinetic_j"));
    const json_t *queries = json_object_get(j, "queries");
    ASSERT_EQ(1u, json_array_size(queries));
    ASSERT_STR_EQ("spheres", json_string_value(json_array_get(queries, 0)));
    json_decref(j);
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 2 -q --json"));
    j = json_load_file("out.txt", 0, &error);
    ASSERT_EQ(0u, json_array_size(json_object_get(j, "dynamics")));
    json_decref(j);
    PASS();
}

static bool has(const char *name, const char *text)
{
    char head[1024];
    FILE *f = fopen(name, "rb");
    const size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    head[n] = '\0';
    if (f)
        fclose(f);
    return strstr(head, text) != NULL;
}

// Whether a PLY file's points are the last frame of a point cache, bit by bit.
static bool holds_points(const char *ply, const char *cache, size_t points)
{
    static char a[1 << 20], b[sizeof a];
    const size_t bytes = 12 * points;
    FILE *f = fopen(ply, "rb"), *g = fopen(cache, "rb");
    const size_t n = f ? fread(a, 1, sizeof a - 1, f) : 0;
    const bool read = g && bytes < sizeof b && fseek(g, -(long)bytes, SEEK_END) == 0 &&
                      fread(b, 1, bytes, g) == bytes;
    const char *body = n ? strstr(a, "end_header\n") : NULL;
    if (f)
        fclose(f);
    if (g)
        fclose(g);
    return read && body && memcmp(body + strlen("end_header\n"), b, bytes) == 0;
}

// Frames of any scene; what is written is read back as a mesh.
TEST frames_are_written(void)
{
    ASSERT_EQ(0, shoal("run chairs -s count=3 --steps 25 --every 10 --format ply,pc2 -q -t 1 "
                       "-o c"));
    ASSERT(has("c/frame-000010.ply", "element vertex 26748\n"));
    ASSERT(has("c/frame-000020.ply", "element face 53508\n"));
    ASSERT(has("c/frame-000020.ply", "element contact 0\n"));
    ASSERT(holds_points("c/frame-000020.ply", "c/points.pc2", 26748));
    ASSERT(!holds_points("c/frame-000010.ply", "c/points.pc2", 26748));
    ASSERT(access("c/frame-000005.ply", F_OK) != 0 && access("c/frame-000025.ply", F_OK) != 0);
    ASSERT_EQ(0, shoal("query c/frame-000010.ply c/frame-000020.ply"));
    ASSERT_EQ(0,
              shoal("run beams -s k=0 -s bodies=2 --steps 1 --every=1 --format=ply -q -o b"));
    ASSERT_EQ(0, shoal("query b/frame-000001.ply"));
    PASS();
}

// The first run makes its model and keeps it in the cache folder; the next finds it there.
TEST models_are_kept(void)
{
    ASSERT_EQ(0, shoal("run fish-bridge -s count=2 -s bays=1 --steps 2 -t 1"));
    ASSERT(strstr(last.err, "making the model"));
    ASSERT_EQ(0, system("ls cache/shoal/*.model >list.txt"));
    ASSERT_EQ(0, shoal("run fish-bridge -s count=2 -s bays=1 --steps 2 -t 1"));
    ASSERT(!strstr(last.err, "making the model"));
    PASS();
}

TEST wrong_ways(void)
{
    ASSERT_EQ(64, shoal("run chairs --format ply"));
    ASSERT(strstr(last.err, "--format and --segment need --every"));
    ASSERT_EQ(64, shoal("run chairs --every 1 --format ply,off"));
    ASSERT(strstr(last.err, "--format 'ply,off' is not a list of hdf5, vtp, pc2 and ply"));
    ASSERT_EQ(64, shoal("run chairs -s bodies=3"));
    ASSERT(strstr(last.err, "chairs has no such parameter, only steps seed count spheres"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(the_table_tells);
    RUN_TEST(frames_are_written);
    RUN_TEST(models_are_kept);
    RUN_TEST(wrong_ways);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
