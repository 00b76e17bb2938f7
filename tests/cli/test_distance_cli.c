// SPDX-License-Identifier: MIT
// Distances on the command line.
#include "tool.h"

#include <math.h>

// Two triangles in the plane x, two apart along y.
static bool write_mesh(const char *name, double x)
{
    FILE *f = fopen(name, "w");
    if (!f)
        return false;
    static const double yz[6][2] = {{0, 0}, {1, 0}, {0, 1}, {3, 0}, {4, 0}, {3, 1}};
    for (int i = 0; i < 6; i++)
        fprintf(f, "v %g %g %g\n", x, yz[i][0], yz[i][1]);
    fputs("f 1 2 3\nf 4 5 6\n", f);
    return fclose(f) == 0;
}

static double coordinate(const json_t *row, const char *key, size_t k)
{
    return json_number_value(json_array_get(json_object_get(row, key), k));
}

TEST nearest_files(void)
{
    json_t *j = shoal_json("query --distance a.obj b.obj c.obj --json");
    ASSERT(j);
    const json_t *rows = json_object_get(j, "distances");
    static const double at[3] = {0, 3, 4.5}, distance[3] = {3, 1.5, 1.5};
    static const int other[3] = {1, 2, 1};
    ASSERT_EQ(3u, json_array_size(rows));
    for (size_t i = 0; i < 3; i++) {
        const json_t *row = json_array_get(rows, i);
        ASSERT_EQ((double)i, real_of(row, "file_a"));
        ASSERT_EQ(other[i], (int)real_of(row, "file_b"));
        ASSERT_EQ(distance[i], real_of(row, "distance"));
        ASSERT(real_of(row, "error") > 0 && real_of(row, "error") < 1e-12);
        ASSERT_EQ(at[i], coordinate(row, "point_a", 0));
        ASSERT_EQ(at[other[i]], coordinate(row, "point_b", 0));
    }
    json_decref(j);
    PASS();
}

TEST all_pairs_of_files(void)
{
    json_t *j = shoal_json("query --distance --within inf a.obj b.obj c.obj --json");
    ASSERT(j);
    ASSERT_EQ(3, json_integer_value(json_object_get(j, "pairs")));
    ASSERT_EQ(4.5, real_of(json_array_get(json_object_get(j, "distances"), 1), "distance"));
    json_decref(j);
    j = shoal_json("query --distance --within 1.5 a.obj b.obj c.obj --json");
    ASSERT(j);
    ASSERT_EQ(1u, json_array_size(json_object_get(j, "distances")));
    json_decref(j);
    j = shoal_json("query --distance --within 1 a.obj b.obj --json");
    ASSERT(j);
    ASSERT_EQ(0u, json_array_size(json_object_get(j, "distances")));
    json_decref(j);
    PASS();
}

TEST within_a_file(void)
{
    json_t *j = shoal_json("query --self-distance a.obj b.obj --json");
    ASSERT(j);
    const json_t *rows = json_object_get(j, "distances");
    ASSERT_EQ(2u, json_array_size(rows));
    ASSERT_EQ(2.0, real_of(json_array_get(rows, 1), "distance"));
    ASSERT_EQ(1.0, real_of(json_array_get(rows, 1), "file_b"));
    ASSERT_EQ(1.0, real_of(json_array_get(rows, 1), "triangle_b"));
    json_decref(j);
    j = shoal_json("query --self-distance a.obj --list --json");
    ASSERT(j);
    ASSERT_EQ(2u, json_array_size(json_object_get(j, "distances")));
    json_decref(j);
    PASS();
}

TEST text_has_a_line_a_row(void)
{
    ASSERT_EQ(0, shoal("query --distance a.obj b.obj"));
    const char *row = "\n1 0 0 0 3 1.71e-13  3 0 0  0 0 0\n";
    const size_t length = strlen(last.out), tail = strlen(row);
    ASSERT(length > tail);
    ASSERT_STR_EQ(row, last.out + length - tail);
    PASS();
}

// The number of bytes in front of the appended data's first array.
static long head_of(const char *text, long size)
{
    for (long i = 0; i + 2 < size; i++) {
        if (memcmp(text + i, ">\n_", 3) == 0)
            return i + 3;
    }
    return -1;
}

TEST diagrams_as_files(void)
{
    json_t *j =
        shoal_json("query --voronoi a.obj b.obj c.obj --grid 20 --slices 2 -o v --json");
    ASSERT(j);
    const json_t *cells = json_object_get(j, "cells");
    size_t n[3];
    for (size_t k = 0; k < 3; k++)
        n[k] = (size_t)json_integer_value(json_array_get(cells, k));
    ASSERT_EQ(20u, n[0]);
    ASSERT_EQ(6, json_integer_value(json_object_get(j, "slices")));
    char hash[17];
    snprintf(hash, sizeof hash, "%s", json_string_value(json_object_get(j, "hash")));
    const double cell = real_of(j, "cell"), x = coordinate(j, "origin", 0);
    json_decref(j);
    static char text[1 << 20];
    FILE *f = fopen("v/diagram.vti", "rb");
    ASSERT(f);
    const long size = (long)fread(text, 1, sizeof text - 1, f), from = head_of(text, size);
    fclose(f);
    const size_t count = n[0] * n[1] * n[2], column = 8 + 4 * count;
    ASSERT(from > 0 && strstr(text, "<ImageData WholeExtent=\"0 20 0 "));
    ASSERT_EQ_FMT(from + 4 * (long)column + (long)strlen("\n</AppendedData>\n</VTKFile>\n"),
                  size, "%ld");
    // the files are parallel planes, so in the row of cells nearest to the middle of the first
    // triangle x alone decides
    for (size_t i = 0; i < n[0]; i++) {
        const double at = x + ((double)i + 0.5) * cell;
        const int32_t nearest = at < 1.5 ? 0 : at < 3.75 ? 1 : 2;
        size_t hits = 0;
        for (size_t row = 0; row < n[1] * n[2]; row++) {
            int32_t body;
            memcpy(&body, text + from + 8 + 4 * (row * n[0] + i), sizeof body);
            hits += body == nearest;
        }
        ASSERT_EQ(n[1] * n[2], hits);
    }
    static const char *const names[] = {"v/x-0005.png", "v/x-0015.png"};
    for (int i = 0; i < 2; i++) {
        f = fopen(names[i], "rb");
        ASSERTm(names[i], f);
        ASSERT_EQ(8u, fread(text, 1, 8, f));
        ASSERT_EQ(0, memcmp(text, "\x89PNG\r\n\x1a\n", 8));
        fclose(f);
    }
    j = shoal_json("query --voronoi a.obj b.obj c.obj --grid 20 --slices 0 -t 3 -o w --json");
    ASSERT(j);
    ASSERT_STR_EQ(hash, json_string_value(json_object_get(j, "hash")));
    json_decref(j);
    ASSERT_EQ(0, shoal("query --voronoi a.obj --grid 5 -o one")); // no second order
    PASS();
}

TEST diagrams_that_cannot_be(void)
{
    ASSERT_EQ(71, shoal("query --voronoi a.obj b.obj --grid 4096 -o v")); // half a terabyte
    ASSERT(strstr(last.err, "GB; a lower --grid needs less\n"));
    ASSERT_EQ(74, shoal("query --voronoi a.obj b.obj --grid 5 -o a.obj")); // a file
    ASSERT_EQ(74, shoal("query --voronoi a.obj b.obj --grid 5 -o no/such/place"));
    ASSERT_EQ(65, shoal("query --voronoi a.obj --move 0=1e999,0,0 -o v"));
    PASS();
}

TEST wrong_lines_are_refused(void)
{
    static const char *const lines[] = {
        "query --distance a.obj",
        "query --within 1 a.obj b.obj",
        "query --self-distance --within 1 a.obj b.obj",
        "query --distance --within -1 a.obj b.obj",
        "query --distance --within nan a.obj b.obj",
        "query --distance --pairs a.obj b.obj",
        "query --voronoi",
        "query --voronoi --distance a.obj b.obj",
        "query --voronoi --slices 65 a.obj",
        "query --voronoi --grid 4097 a.obj",
        "query --pairs a.obj b.obj -o folder",
        "query --pairs a.obj b.obj --slices 2",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ASSERT_EQm(lines[i], 64, shoal(lines[i]));
        const char *end = strchr(last.err, '\n');
        ASSERTm(lines[i], end && end[1] == '\0');
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    if (!write_mesh("a.obj", 0) || !write_mesh("b.obj", 3) || !write_mesh("c.obj", 4.5))
        return 1;
    RUN_TEST(nearest_files);
    RUN_TEST(all_pairs_of_files);
    RUN_TEST(within_a_file);
    RUN_TEST(diagrams_as_files);
    RUN_TEST(diagrams_that_cannot_be);
    RUN_TEST(text_has_a_line_a_row);
    RUN_TEST(wrong_lines_are_refused);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
