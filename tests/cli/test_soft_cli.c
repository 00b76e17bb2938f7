// SPDX-License-Identifier: MIT
// Runs of scenes that ask for distances: letters, a skirt, blocks that break.
#include "tool.h"

static bool asks(const json_t *run, const char *query)
{
    const json_t *name;
    size_t i;
    json_array_foreach(json_object_get(run, "queries"), i, name)
    {
        if (strcmp(json_string_value(name), query) == 0)
            return true;
    }
    return false;
}

TEST distances_are_told(void)
{
    json_error_t error;
    ASSERT_EQ(0, shoal("run letters-bowl -s bodies=3 --steps 70 -t 2 -q --json"));
    json_t *j = json_load_file("out.txt", 0, &error);
    ASSERT(asks(j, "pairs") && asks(j, "nearest") && asks(j, "nearest-triangles"));
    const json_t *nearest = json_object_get(j, "nearest");
    ASSERT(real_of(nearest, "least") >= 0);
    ASSERT(real_of(nearest, "least") < real_of(nearest, "mean"));
    ASSERT(real_of(json_object_get(nearest, "triangle_distances"), "total") > 0);
    ASSERT(real_of(json_object_get(json_object_get(j, "time"), "phases"), "distance_s") > 0);
    const json_t *rows = json_object_get(j, "dynamics");
    ASSERT_EQ(11u, json_array_size(rows));
    ASSERT(real_of(json_array_get(rows, 0), "contacts") == 0);
    double contacts = 0;
    for (size_t i = 0; i < 11; i++)
        contacts += real_of(json_array_get(rows, i), "contacts");
    ASSERT(contacts > 0);
    ASSERT_EQ(4.0, real_of(json_array_get(rows, 10), "bodies"));
    ASSERT(real_of(json_array_get(rows, 10), "closest_m") > 0);
    json_decref(j);
    // letters feel each other whatever else is asked for
    ASSERT_EQ(0, shoal("run letters-ramp -s bodies=2 --steps 2 --first -q --json"));
    j = json_load_file("out.txt", 0, &error);
    ASSERT(asks(j, "first") && !asks(j, "pairs") && asks(j, "nearest-triangles"));
    json_decref(j);
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 2 -q --json"));
    j = json_load_file("out.txt", 0, &error);
    ASSERT(json_is_null(json_object_get(j, "nearest")));
    json_decref(j);
    ASSERT_EQ(0, shoal("run skirt --steps 2 -q"));
    ASSERT(strstr(last.out, "skirt: 2 bodies, 12816 triangles"));
    ASSERT(strstr(last.out, "what is nearest") && strstr(last.out, "closest mm"));
    PASS();
}

// All bodies of a step, of whatever shape, as one mesh that can be read back.
TEST steps_are_written(void)
{
    ASSERT_EQ(0, shoal("run breaking -s bodies=2 --steps 60 --every 60 --format ply -q -o b"));
    ASSERT_EQ(0, shoal("query b/frame-000060.ply"));
    ASSERT_EQ(0,
              shoal("run letters-ramp -s bodies=1 --steps 1 --every 1 --format ply -q -o l"));
    ASSERT_EQ(0, shoal("query l/frame-000001.ply --self"));
    ASSERT_EQ(64, shoal("run skirt -s bodies=3"));
    ASSERT(strstr(last.err, "skirt has no such parameter"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(distances_are_told);
    RUN_TEST(steps_are_written);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
