// SPDX-License-Identifier: MIT
// Scene files: built-in scenes as files, bodies of one's own, settings, and what is refused
// where.
#include "run_folder.h"

#include <sys/stat.h>

static const char own[] =
    "{\"shoal\": 1, \"steps\": 40, \"time_step\": 0.02, \"seed\": 3,\n"
    " \"queries\": [\"pairs\", \"self\"],\n"
    " \"bodies\": [\n"
    "  {\"generator\": \"icosphere\", \"k\": 2, \"turn\": \"random\",\n"
    "   \"grid\": {\"count\": [3, 2, 1], \"spacing\": [1.7, 1.7, 2]},\n"
    "   \"motion\": {\"spin\": {\"axis\": [0, 1, 1], \"degrees\": 90},\n"
    "              \"wave\": {\"amplitude\": 0.2, \"length\": 1, \"hertz\": 1}}},\n"
    "  {\"model\": \"sub/bend.model\", \"random\": {\"count\": 4, \"from\": [-1, -1, -1],\n"
    "   \"to\": [3, 3, 1]}, \"motion\": {\"velocity\": [0, 0, -0.3],\n"
    "   \"swing\": {\"by\": [0.5, 0, 0], \"hertz\": 2},\n"
    "   \"modes\": [{\"amplitude\": 0.3, \"hertz\": 2}]}},\n"
    "  {\"mesh\": \"sub/tet.obj\", \"kind\": \"rigid\", \"scale\": 4, \"list\": [[0, 0, -1]]}\n"
    " ]}\n";

static bool make_files(void)
{
    if (mkdir("sub", 0777) != 0)
        return false;
    write_text("sub/tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                              "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write_text("sub/bent.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.5 0.5 1\n"
                               "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    write_text("own.json", own);
    return shoal("model sub/tet.obj --field sub/bent.obj -o sub/bend.model") == 0;
}

TEST built_in_scenes_as_files(void)
{
    json_t *all = shoal_json("scenes --json");
    const json_t *list = json_object_get(all, "scenes");
    ASSERT(json_array_size(list) >= 8);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = text_of(json_array_get(list, i), "name");
        char args[256], hash[32];
        snprintf(args, sizeof args, "scenes --show %s", name);
        ASSERT_EQ(0, shoal(args));
        write_text("shown.json", last.out);
        // large ones are made small by the same settings
        static const char *const small[] = {"-s k=2", "-s count=4", ""};
        bool ran = false;
        for (int s = 0; s < 3 && !ran; s++) {
            snprintf(args, sizeof args, "run %s --steps 5 %s -q --json", name, small[s]);
            json_t *first = shoal_json(args);
            if (!first)
                continue;
            snprintf(hash, sizeof hash, "%s", text_of(first, "hash"));
            snprintf(args, sizeof args, "run shown.json --steps 5 %s -q --json", small[s]);
            json_t *second = shoal_json(args);
            ASSERTm(name, second);
            ASSERT_STR_EQm(name, hash, text_of(second, "hash"));
            ASSERT(json_equal(json_object_get(first, "queries"),
                              json_object_get(second, "queries")));
            json_decref(first);
            json_decref(second);
            ran = true;
        }
        ASSERTm(name, ran);
    }
    json_decref(all);
    PASS();
}

TEST own_bodies(void)
{
    json_t *a = shoal_json("run own.json -q --json -o own-a -t 2");
    ASSERT(a);
    ASSERT_EQ(11, number_of(a, "bodies"));
    ASSERT_EQ(6 * 320 + 5 * 4, number_of(a, "triangles"));
    ASSERT(number_of(a, "pairs_total") > 0);
    ASSERT_STR_EQ("own", text_of(a, "scene"));
    json_t *b = shoal_json("run own.json -q --json -o own-b -t 1 --executor serial --cpu ref");
    ASSERT_STR_EQ(text_of(a, "hash"), text_of(b, "hash"));
    ASSERT_EQ(-1, metrics_differ("own-a", "own-b"));
    // stopped and resumed
    ASSERT_EQ(0, mkdir("own-c", 0777));
    write_text("own-c/stop", "");
    ASSERT_EQ(75, shoal("run own.json -q -o own-c"));
    ASSERT_EQ(0, shoal("run own.json -q -o own-c --resume"));
    ASSERT_EQ(-1, metrics_differ("own-a", "own-c"));
    // another mesh under the same name is another input
    ASSERT_EQ(0, mkdir("own-d", 0777));
    write_text("own-d/stop", "");
    ASSERT_EQ(75, shoal("run own.json -q -o own-d"));
    write_text("sub/tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\n"
                              "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    ASSERT_EQ(64, shoal("run own.json -q -o own-d --resume"));
    json_decref(a);
    json_decref(b);
    PASS();
}

// Two rigid bodies whose pairs can be told beforehand: a tetrahedron and its copy, moved by
// two, and back within its reach by the motion.
TEST motions_do_what_they_say(void)
{
    write_text("two.json", "{\"shoal\": 1, \"steps\": 5, \"time_step\": 1, \"bodies\": ["
                           "{\"generator\": \"icosphere\", \"k\": 0, \"kind\": \"rigid\"},"
                           "{\"generator\": \"icosphere\", \"k\": 0, \"list\": [[4, 0, 0]],"
                           " \"motion\": {\"velocity\": [-1, 0, 0]}}]}");
    ASSERT_EQ(0, shoal("run two.json -q -o two"));
    FILE *f = fopen("two/metrics.jsonl", "r");
    ASSERT(f);
    char line[4096];
    json_int_t pairs[5];
    for (int i = 0; i < 5; i++) {
        json_error_t error;
        ASSERT(fgets(line, sizeof line, f));
        json_t *row = json_loads(line, 0, &error);
        pairs[i] = number_of(row, "pairs");
        json_decref(row);
    }
    fclose(f);
    ASSERTm("4 and 3 apart", pairs[0] == 0 && pairs[1] == 0);
    ASSERTm("1 apart", pairs[3] > 0);
    ASSERTm("in the same place, all that share a point", pairs[4] == 20 * 10);
    PASS();
}

TEST settings_change_files(void)
{
    json_t *a = shoal_json("check own.json -s steps=7 -s bodies.0.grid.count=[2,2,2] --json");
    ASSERT(a);
    ASSERT_EQ(7, number_of(a, "steps"));
    ASSERT_EQ(13, number_of(a, "bodies"));
    ASSERT(number_of(a, "memory_bytes") > 10000);
    json_decref(a);
    ASSERT_EQ(0, shoal("check own.json"));
    ASSERT(strstr(last.out, "own: 11 bodies, "));
    PASS();
}

static const struct {
    const char *text, *line;
} wrong[] = {
    {"{\"shoal\": 1, \"boddies\": []}", "1:14: boddies: unknown key; did you mean 'bodies'?"},
    {"{\"shoal\": 1,\n \"xyzzy\": 3, \"bodies\": []}",
     "2:2: xyzzy: unknown key; expected shoal, name, steps, time_step, seed, queries, "
     "within, bodies, dynamics or outputs"},
    {"{\"shoal\": 1,\n \"bodies\": [{\"mesh\": \"none.obj\"}]}",
     "2:22: bodies[0].mesh: none.obj: No such file or directory"},
    {"{\"shoal\": 1, \"bodies\": [{\"generator\": \"icosphere\",\n   \"grid\": {\"count\": [1, "
     "2, "
     "\"x\"]}}]}",
     "2:29: bodies[0].grid.count[2]: expected a whole number from 1 to 1000000"},
    {"{\"shoal\": 1, \"scene\": \"chars\"}",
     "1:23: scene: there is no scene 'chars'; did you mean 'chairs'?"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"parameters\": {\"coun\": 3}}",
     "1:48: parameters.coun: unknown key; did you mean 'count'?"},
    {"{\"shoal\": 1, }", "1:14: string or '}' expected near '}'"},
    {"{\"shoal\": 1, \"shoal\": 1}", "1:20: duplicate object key near '\"shoal\"'"},
    {"[1]", "1:1: expected an object"},
    {"{\"bodies\": []}", "1:1: expected the key 'shoal' with the value 1"},
    {"{\"shoal\": 2, \"bodies\": []}", "1:11: shoal: expected a whole number from 1 to 1"},
    {"{\"shoal\": 1, \"bodies\": []}",
     "1:24: bodies: expected a list of 1 to 1000 kinds of bodies"},
    {"{\"shoal\": 1, \"steps\": 1.5, \"bodies\": [{}]}",
     "1:23: steps: expected a whole number from 1 to 1000000000"},
    {"{\"shoal\": 1, \"bodies\": [{}]}",
     "1:25: bodies[0]: expected one of 'mesh', 'model' and 'generator'"},
    {"{\"shoal\": 1, \"queries\": [\"pears\"], \"bodies\": [{}]}",
     "1:26: queries[0]: 'pears' is not pairs, first, self, self-adjacent, spheres, "
     "nearest, nearest-triangles, nearest-self or within; did you mean 'pairs'?"},
    {"{\"shoal\": 1, \"bodies\": [{\"generator\": \"plate\", \"spheres\": 3}]}",
     "1:59: bodies[0].spheres: expected a body of kind reduced or rigid"},
    {"{\"shoal\": 1, \"\xc3\xa4\": 1, \"bodies\": [{\"generator\": \"plate\", \"k\": "
     "\"\\\"]}\", "
     "\"turn\": \"left\"}]}",
     "1:14: \xc3\xa4: unknown key; expected shoal, name, steps, time_step, seed, queries, "
     "within, bodies, dynamics or outputs"},
    {"{\"shoal\": 1, \"name\": \"\xc3\xa4\", \"bodies\": [{\"generator\": \"plate\", \"k\": "
     "2,\n"
     "\"turn\": \"left\"}]}",
     "2:9: bodies[0].turn: expected \"random\" or an axis with degrees"},
    {"{\"shoal\": 1, \"name\": \"a/b\", \"bodies\": [{}]}",
     "1:22: name: expected a name of at most 60 letters, without '/'"},
    {"{\"shoal\": 1, \"bodies\": [{\"generator\": \"plate\", \"k\": 1, \"motion\": {\"modes\": "
     "[{}]}}]}",
     "1:76: bodies[0].motion.modes: expected a list of at most 0 modes, which the body has"},
};

TEST errors_name_the_place(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[512];
        write_text("w.json", wrong[i].text);
        snprintf(line, sizeof line, "shoal check: w.json:%s\n", wrong[i].line);
        shoal("check w.json");
        ASSERT_STR_EQm(wrong[i].text, line, last.err);
        ASSERT_EQ(65, last.code);
        ASSERT_STR_EQ("", last.out);
    }
    const refusal rows[] = {
        {"check own.json -s bodies.0.k=77", 65,
         "shoal check: -s 'bodies.0.k=77': bodies[0].k: expected a whole number from 0 to 8"},
        {"check own.json -s bodies.9.k=1", 65,
         "shoal check: -s 'bodies.9.k=1': there is no such place in the scene file"},
        {"check none.json", 65, "shoal check: none.json: No such file or directory"},
        {"check", 64, "shoal check: it takes one scene file (see shoal check --help)"},
        {"run own.json --spheres 3", 64,
         "shoal run: --spheres: a scene file tells it body by body (see shoal run --help)"},
        {"scenes --show nothing", 64,
         "shoal scenes: there is no scene 'nothing' (see shoal scenes --help)"},
    };
    CHECK_REFUSALS(rows);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open() || !make_files())
        return 1;
    RUN_TEST(built_in_scenes_as_files);
    RUN_TEST(own_bodies);
    RUN_TEST(motions_do_what_they_say);
    RUN_TEST(settings_change_files);
    RUN_TEST(errors_name_the_place);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
