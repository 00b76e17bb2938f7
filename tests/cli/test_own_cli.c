// SPDX-License-Identifier: MIT
// Bodies of scene files: what falls, what is skinned, and what a file says of outputs.
#include "run_folder.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>

// The last row of a run's table of dynamics.
static double told(const json_t *run, const char *key)
{
    const json_t *rows = json_object_get(run, "dynamics");
    return json_number_value(
        json_object_get(json_array_get(rows, json_array_size(rows) - 1), key));
}

// Without a floor: energy of motion is that of a free fall, m (g t)^2 / 2, and energy stays.
TEST what_falls_falls_as_galilei_says(void)
{
    write_text("free.json", "{\"shoal\": 1, \"steps\": 101, \"time_step\": 0.01, \"bodies\": ["
                            "{\"generator\": \"icosphere\", \"k\": 1, \"kind\": \"rigid\","
                            " \"dynamics\": {\"mass\": 3}, \"list\": [[0, 0, 1]]}],"
                            "\"dynamics\": {\"gravity\": 5, \"floor\": false}}");
    json_t *run = shoal_json("run free.json -q --json -o free");
    ASSERT(run);
    ASSERT_IN_RANGE(1.0, told(run, "time_s"), 1e-9);
    ASSERT_IN_RANGE(0.5 * 3 * 25, told(run, "kinetic_j"), 1e-9);
    ASSERT_IN_RANGE(3 * 5 * 1.0, told(run, "energy_j"), 1e-9);
    json_decref(run);
    PASS();
}

// A ball ends on the floor, or on a plate that does not give way: the energy in gravity tells
// how high it lies.
TEST what_falls_comes_to_rest(void)
{
    static const char ball[] =
        "{\"generator\": \"icosphere\", \"k\": 3, \"kind\": \"rigid\", \"scale\": 0.1,"
        " \"spheres\": 6, \"dynamics\": {\"mass\": 1}, \"list\": [[0, 0, %g]]}";
    char body[256], text[1024];
    snprintf(body, sizeof body, ball, 0.3);
    snprintf(text, sizeof text,
             "{\"shoal\": 1, \"steps\": 800, \"time_step\": 0.005, \"bodies\": [%s]}", body);
    write_text("floor.json", text);
    json_t *run = shoal_json("run floor.json -q --json -o floor");
    ASSERT(run);
    ASSERT_IN_RANGE(0, told(run, "kinetic_j"), 1e-3);
    ASSERT_IN_RANGE(9.81 * 0.1, told(run, "energy_j"), 0.02);
    json_decref(run);
    snprintf(body, sizeof body, ball, 1.6);
    snprintf(text, sizeof text,
             "{\"shoal\": 1, \"steps\": 800, \"time_step\": 0.005, \"bodies\": [%s,"
             "{\"generator\": \"icosphere\", \"k\": 4, \"list\": [[0, 0, 0.2]]}]}",
             body);
    write_text("hill.json", text);
    run = shoal_json("run hill.json -q --json -o hill --steps 60");
    ASSERT(run);
    // by then it has met the top of the hill, 1.2 high, and not fallen through
    ASSERT(told(run, "energy_j") - told(run, "kinetic_j") > 9.81 * 1.25);
    ASSERT(number_of(json_object_get(json_object_get(run, "spheres"), "contacts"), "max") > 0);
    json_decref(run);
    PASS();
}

static const char pile[] =
    "{\"shoal\": 1, \"steps\": 400, \"time_step\": 0.0025, \"seed\": 7, \"bodies\": ["
    "{\"generator\": \"chair\", \"kind\": \"reduced\", \"spheres\": 7, \"turn\": \"random\","
    " \"dynamics\": {\"mass\": 2}, \"grid\": {\"count\": [2, 1, 1], \"spacing\": [0.4, 1, 1],"
    " \"at\": [0, 0, 0.6]}, \"motion\": {\"velocity\": [0, 0, -2],"
    " \"spin\": {\"axis\": [1, 0, 0], \"degrees\": 90}}},"
    "{\"generator\": \"icosphere\", \"k\": 2, \"kind\": \"rigid\", \"scale\": 0.1,"
    " \"dynamics\": {}, \"random\": {\"count\": 4, \"from\": [0, 0, 1], \"to\": [0.5, 0, 2]}},"
    "{\"generator\": \"plate\", \"k\": 2, \"motion\": {\"swing\": {\"by\": [0.2, 0, 0],"
    " \"hertz\": 3}}},"
    "{\"generator\": \"fish\", \"vertices\": 800, \"kind\": \"skinned\", \"controls\": 60,"
    " \"list\": [{\"at\": [0, 1, 0.5], \"turn\": {\"degrees\": 30}}],"
    " \"motion\": {\"velocity\": [0, -2, 0], \"wave\": {\"amplitude\": 0.1, \"length\": 1,"
    " \"hertz\": 4}}}], \"dynamics\": {\"contact\": {\"friction\": 0.2}}}";

TEST all_kinds_together(void)
{
    write_text("pile.json", pile);
    json_t *a = shoal_json("run pile.json -q --json -o pile-a -t 2");
    json_t *b =
        shoal_json("run pile.json -q --json -o pile-b -t 1 --executor serial --cpu ref");
    ASSERT(a && b);
    ASSERT_EQ(8, number_of(a, "bodies"));
    ASSERT_STR_EQ(text_of(a, "hash"), text_of(b, "hash"));
    ASSERT(number_of(json_object_get(json_object_get(a, "spheres"), "contacts"), "total") > 0);
    json_decref(a);
    json_decref(b);
    // stopped after its first step, then whenever a signal comes, and resumed
    ASSERT_EQ(0, mkdir("pile-c", 0777));
    write_text("pile-c/stop", "");
    int code = shoal("run pile.json -q -o pile-c");
    ASSERT_EQ(75, code);
    for (useconds_t wait = 50000; code == 75; wait *= 2) {
        const pid_t child = start_tool("run pile.json -q -o pile-c --resume");
        ASSERT(child > 0);
        usleep(wait);
        kill(child, SIGUSR2);
        code = wait_for(child);
        if (code == 1000 + SIGUSR2) // it came before anyone listened
            code = 75;
    }
    ASSERT_EQ(0, code);
    ASSERT_EQ(-1, metrics_differ("pile-a", "pile-c"));
    PASS();
}

static size_t read_floats(const char *path, float *out, size_t most)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 32, SEEK_SET) != 0)
        return 0;
    const size_t n = fread(out, sizeof *out, most, f);
    fclose(f);
    return n;
}

// A rigid motion is the same for a skinned body as for a free one, in what is found
// and in what viewers get.
TEST controls_move_a_body(void)
{
    static const char *const kinds[] = {"free", "skinned", "rigid"};
    static float xyz[3][65536];
    size_t count[3];
    char hash[3][32] = {{0}};
    json_int_t pairs[3];
    for (int i = 0; i < 3; i++) {
        char text[1024], args[128], path[64];
        snprintf(text, sizeof text,
                 "{\"shoal\": 1, \"steps\": 6, \"time_step\": 0.1, \"queries\": [\"pairs\"],"
                 "\"bodies\": [{\"generator\": \"brain\", \"vertices\": 1000, \"kind\": \"%s\","
                 " \"list\": [[0, 0, 0], [2.5, 0.1, 0.2]], \"turn\": \"random\", \"motion\":"
                 " {\"velocity\": [0.3, 0, 0], \"spin\": {\"axis\": [1, 2, 3],"
                 " \"degrees\": 200}}},"
                 "{\"generator\": \"icosphere\", \"k\": 2, \"list\": [[1.3, 0.4, 0]]}],"
                 "\"outputs\": {\"every\": 3, \"format\": \"pc2\"}}",
                 kinds[i]);
        write_text("carried.json", text);
        snprintf(args, sizeof args, "run carried.json -q --json -o carried-%s", kinds[i]);
        json_t *run = shoal_json(args);
        ASSERTm(kinds[i], run);
        pairs[i] = number_of(run, "pairs_total");
        snprintf(hash[i], sizeof hash[i], "%s", text_of(run, "hash"));
        snprintf(path, sizeof path, "carried-%s/points.pc2", kinds[i]);
        count[i] = read_floats(path, xyz[i], 65536);
        json_decref(run);
    }
    ASSERT(pairs[0] > 100);
    ASSERT_EQ(pairs[0], pairs[1]);
    ASSERT_EQ(pairs[0], pairs[2]);
    ASSERT_EQ(0u, count[0] % 6); // two frames
    ASSERT(count[0] > 6000);
    for (int i = 1; i < 3; i++) {
        ASSERT_EQ(count[0], count[i]);
        for (size_t k = 0; k < count[0]; k++)
            ASSERT_IN_RANGE(xyz[0][k], xyz[i][k], 2e-6f);
    }
    PASS();
}

// A model file with control points is a skinned body without being told.
TEST model_files_with_nodes(void)
{
    if (access("sub", F_OK) != 0)
        ASSERT_EQ(0, mkdir("sub", 0777));
    ASSERT_EQ(0, shoal("run carried.json --steps 1 -q -o whole --every 1 --format pc2 "
                       "-s bodies.0.kind='\"free\"' -s bodies.0.list=[[0,0,0]]"));
    char tool[5000], line[10240];
    snprintf(tool, sizeof tool, "%.4000s", tool_path);
    char *slash = strrchr(tool, '/');
    ASSERT(slash);
    snprintf(slash, 64, "/shoal-controls");
    if (access(tool, X_OK) != 0)
        snprintf(slash, 64, "/volume/shoal-controls");
    if (access(tool, X_OK) != 0)
        SKIPm("shoal-controls is not built");
    // the first body of that frame alone: a closed mesh
    write_text("sub/ball.json", "{\"shoal\": 1, \"steps\": 1, \"bodies\": [{\"generator\": "
                                "\"icosphere\", \"k\": 3}], \"outputs\": {\"every\": 1, "
                                "\"format\": \"pc2\"}}");
    ASSERT_EQ(0, shoal("run sub/ball.json -q -o ball"));
    snprintf(line, sizeof line, "'%s' ball/points.obj -n 60 -o sub/ball.model >/dev/null",
             tool);
    ASSERT_EQ(0, system(line));
    write_text("model.json", "{\"shoal\": 1, \"steps\": 2, \"bodies\": [{\"model\": "
                             "\"sub/ball.model\", \"list\": [[0, 0, 0], [1.5, 0, 0]]}]}");
    json_t *plan = shoal_json("check model.json --json");
    ASSERT(plan);
    const json_t *group = json_array_get(json_object_get(plan, "groups"), 0);
    ASSERT_STR_EQ("skinned", text_of(group, "kind"));
    ASSERT_IN_RANGE(60.0, (double)number_of(group, "controls"), 2.0);
    json_decref(plan);
    json_t *run = shoal_json("run model.json -q --json -o model");
    ASSERT(run);
    ASSERT(number_of(run, "pairs_total") > 0);
    json_decref(run);
    PASS();
}

enum { MEETING = 4 };

// Those of `which`, a bit each, of four bodies that all overlap, with keys of their own; the
// last one's are those of an entry of a list. Returns the pairs of all steps; -1: it failed.
static json_int_t pairs_among(unsigned which, const char *const keys[MEETING], char hash[32])
{
    static const char *const bodies[MEETING] = {
        "{\"generator\": \"icosphere\", \"k\": 2%s}",
        "{\"generator\": \"icosphere\", \"k\": 2, \"kind\": \"rigid\", \"list\": [[1, 0, "
        "0]]%s}",
        "{\"generator\": \"brain\", \"vertices\": 500, \"kind\": \"skinned\", \"controls\": 30,"
        " \"list\": [[0.4, 0.9, 0]]%s}",
        "{\"generator\": \"plate\", \"k\": 1, \"kind\": \"reduced\", \"scale\": 3,"
        " \"list\": [{\"at\": [0.6, 0.5, 0.2]%s}]}"};
    char text[2048] = "{\"shoal\": 1, \"steps\": 3, \"queries\": [\"pairs\"], \"bodies\": [";
    const char *comma = "";
    for (int i = 0; i < MEETING; i++) {
        char one[512];
        if (!(which >> i & 1))
            continue;
        snprintf(one, sizeof one, bodies[i], keys[i]);
        strcat(strcat(text, comma), one);
        comma = ",\n";
    }
    write_text("meet.json", strcat(text, "]}"));
    json_t *run = system("rm -rf meet") == 0 ? shoal_json("run meet.json -q --json --frames 0 "
                                                          "-o meet")
                                             : NULL;
    const json_int_t pairs = run ? number_of(run, "pairs_total") : -1;
    if (hash)
        snprintf(hash, 32, "%s", text_of(run, "hash"));
    json_decref(run);
    return pairs;
}

// Pairs of bodies that a filter keeps apart are missing, and no others: as many as the two
// bodies alone have.
TEST filters_keep_bodies_apart(void)
{
    static const char *const none[MEETING] = {"", "", "", ""};
    static const struct {
        const char *keys[MEETING];
        unsigned apart; // bit 4 i + j: bodies i and j, i < j
    } rows[] = {
#define APART(i, j) (1u << (4 * (i) + (j)))
        {{", \"group\": 2", ", \"mask\": 4294967293", "", ""}, APART(0, 1)},
        {{", \"static\": true", ", \"static\": true", "", ""}, APART(0, 1)},
        {{", \"static\": true", ", \"static\": false", "", ", \"static\": true"}, APART(0, 3)},
        {{"", "", ", \"mask\": 0", ""}, APART(0, 2) | APART(1, 2) | APART(2, 3)},
        {{"", "", ", \"group\": 0", ""}, APART(0, 2) | APART(1, 2) | APART(2, 3)},
        {{"", "", ", \"group\": 9", ", \"group\": 2147483648, \"mask\": 8"},
         APART(0, 3) | APART(1, 3)},
    };
    json_int_t alone[MEETING][MEETING], sum = 0;
    for (unsigned i = 0; i < MEETING; i++) {
        for (unsigned j = i + 1; j < MEETING; j++) {
            alone[i][j] = pairs_among(1u << i | 1u << j, none, NULL);
            ASSERT(alone[i][j] > 0);
            sum += alone[i][j];
        }
    }
    ASSERT_EQ(sum, pairs_among(15, none, NULL));
    char hash[6][32];
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        json_int_t left = sum;
        for (unsigned i = 0; i < MEETING; i++) {
            for (unsigned j = i + 1; j < MEETING; j++)
                left -= rows[r].apart & APART(i, j) ? alone[i][j] : 0;
        }
        ASSERT_EQ(left, pairs_among(15, rows[r].keys, hash[r]));
    }
    ASSERT_STR_EQ(hash[0], hash[1]);
    ASSERT_STR_EQ(hash[3], hash[4]);
    ASSERT(strcmp(hash[0], hash[2]) != 0);
    PASS();
}

// What falls passes an obstacle that it does not meet and rests on one that is static. A run
// that is stopped goes on with the same filters.
TEST filters_of_what_falls(void)
{
    static const char text[] =
        "{\"shoal\": 1, \"steps\": 60, \"time_step\": 0.005, \"bodies\": ["
        "{\"generator\": \"icosphere\", \"kind\": \"rigid\", \"scale\": 0.1, \"spheres\": 6,"
        " \"dynamics\": {\"mass\": 1}, \"list\": [[0, 0, 1.4], {\"at\": [0.5, 0, 1.4],"
        " \"group\": 2}]},"
        "{\"generator\": \"icosphere\", \"k\": 4, \"static\": true, \"mask\": %s,"
        " \"list\": [[0, 0, 0.2], [0.5, 0, 0.2]]}]}";
    static const char *const masks[] = {"3", "1", "4"};
    json_int_t contacts[3];
    for (int i = 0; i < 3; i++) {
        char all[1024];
        snprintf(all, sizeof all, text, masks[i]);
        write_text("hills.json", all);
        ASSERT_EQ(0, system("rm -rf hills again && mkdir again && touch again/stop"));
        json_t *run = shoal_json("run hills.json -q --json --frames 0 -o hills");
        ASSERT(run);
        contacts[i] =
            number_of(json_object_get(json_object_get(run, "spheres"), "contacts"), "total");
        json_decref(run);
        ASSERT_EQ(75, shoal("run hills.json -q --frames 0 -o again"));
        ASSERT_EQ(0, shoal("run hills.json -q --frames 0 -o again --resume -t 1"));
        ASSERT_EQ(-1, metrics_differ("hills", "again"));
    }
    ASSERT(contacts[0] > contacts[1] && contacts[1] > contacts[2]);
    ASSERT_EQ(0, contacts[2]);
    ASSERT_EQ(64, shoal("run hills.json -q --frames 0 -o again --resume -s bodies.1.mask=5"));
    ASSERT_EQ(0, shoal("check hills.json"));
    ASSERT(strstr(last.out, "2 of icosphere: free, 5120 triangles, group 1, mask 4, static\n"));
    PASS();
}

// What a file says of outputs is what the options would say, and these win.
TEST outputs_are_options(void)
{
    write_text("out.json", "{\"shoal\": 1, \"scene\": \"bumpy-2\", \"parameters\": {\"k\": 1,"
                           "\"steps\": 20}, \"outputs\": {\"every\": 5, \"format\": [\"pc2\","
                           "\"vtp\"], \"frames\": 2, \"size\": [320, 200], \"camera\":"
                           "{\"eye\": [9, 0, 0], \"angle\": 30}}}");
    ASSERT_EQ(0, shoal("check out.json"));
    ASSERT(strstr(last.out, "as if given: --every=5 --format=pc2,vtp --frames=2 --size=320x200 "
                            "--eye=9,0,0 --angle=30\n"));
    ASSERT_EQ(0, shoal("run out.json -q -o out-a"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 20 --every 5 --format pc2,vtp -q -o out-b"));
    ASSERT_EQ(0, system("cmp out-a/points.pc2 out-b/points.pc2"));
    ASSERT(access("out-a/frame-000020.vtp", F_OK) == 0);
    ASSERT_EQ(0, shoal("run out.json -q -o out-c --every 20"));
    ASSERT(access("out-c/frame-000005.vtp", F_OK) != 0);
    ASSERT(access("out-c/frame-000020.vtp", F_OK) == 0);
    ASSERT_EQ(0, shoal("run out.json -q -o out-d -s outputs.every=10"));
    ASSERT(access("out-d/frame-000005.vtp", F_OK) != 0);
    ASSERT(access("out-d/frame-000010.vtp", F_OK) == 0);
    PASS();
}

TEST a_plan_says_what_would_run(void)
{
    ASSERT_EQ(0, shoal("check pile.json"));
    ASSERT(strstr(last.out, "pile: 8 bodies, "));
    ASSERT(strstr(last.out, "       2 of chair: reduced, 17"));
    ASSERT(
        strstr(last.out, " triangles, 10 fields, contact spheres of level 7, falls, 2 kg\n"));
    ASSERT(strstr(last.out, "       4 of icosphere: rigid, 320 triangles, contact spheres of "
                            "level 8, falls, 1 kg\n"));
    ASSERT(strstr(last.out, "       1 of fish: skinned, "));
    ASSERT(strstr(last.out, " MB of the whole process\n"));
    PASS();
}

static const struct {
    const char *text, *line;
} wrong[] = {
#define BODY(text) "{\"shoal\": 1, \"bodies\": [{\"generator\": \"icosphere\", " text "}]}"
    {BODY("\"dynamics\": {}"),
     "1:64: bodies[0].dynamics: expected a body of kind reduced or rigid"},
    {BODY("\"kind\": \"rigid\", \"dynamics\": {\"mas\": 1}"),
     "1:82: bodies[0].dynamics.mas: unknown key; did you mean 'mass'?"},
    {BODY("\"kind\": \"rigid\", \"dynamics\": {\"hertz\": [1]}"),
     "1:91: bodies[0].dynamics.hertz: expected a list of 0 numbers, one for each field"},
    {BODY("\"kind\": \"rigid\", \"dynamics\": {}, \"motion\": {\"swing\": {}}"),
     "1:105: bodies[0].motion.swing: a body that falls has only 'velocity' and 'spin', those "
     "at the beginning"},
    {"{\"shoal\": 1, \"time_step\": 0.1, \"bodies\": [{\"generator\": \"chair\", \"kind\": "
     "\"reduced\", \"dynamics\": {}}]}",
     "1:97: bodies[0].dynamics: field 9 rings at 72 hertz: expected a time_step below 0.00663"},
    {"{\"shoal\": 1, \"queries\": [\"pairs\"],\n\"bodies\": [{\"generator\": \"icosphere\", "
     "\"kind\": \"rigid\", \"dynamics\": {}}]}",
     "1:25: queries: expected 'spheres' among them: bodies that fall meet others by their "
     "contact spheres"},
    {"{\"shoal\": 1, \"dynamics\": {\"gravity\": 1}, \"bodies\": [{\"generator\": "
     "\"icosphere\"}]}",
     "1:26: dynamics: no body has the key 'dynamics', so nothing would fall"},
    {"{\"shoal\": 1, \"dynamics\": {\"floor\": \"low\"}, \"bodies\": [{\"generator\": "
     "\"icosphere\", \"kind\": \"rigid\", \"dynamics\": {}}]}",
     "1:36: dynamics.floor: expected the height of the floor, or false"},
    {BODY("\"group\": -1"),
     "1:61: bodies[0].group: expected a whole number from 0 to 4294967295"},
    {BODY("\"mask\": 4294967296"),
     "1:60: bodies[0].mask: expected a whole number from 0 to 4294967295"},
    {BODY("\"list\": [[0, 0, 0], {\"mask\": true}]"),
     "1:81: bodies[0].list[1].mask: expected a whole number from 0 to 4294967295"},
    {BODY("\"static\": 1"), "1:62: bodies[0].static: expected true or false"},
    {BODY("\"static\": true, \"motion\": {}"),
     "1:62: bodies[0].static: expected a body without 'motion' and 'dynamics'"},
    {BODY("\"kind\": \"rigid\", \"dynamics\": {}, \"list\": [{\"static\": true}]"),
     "1:105: bodies[0].list[0].static: expected a body without 'motion' and 'dynamics'"},
    {BODY("\"masks\": 1"), "1:52: bodies[0].masks: unknown key; did you mean 'mask'?"},
    {BODY("\"controls\": 100"), "1:64: bodies[0].controls: expected a body of kind skinned"},
    {BODY("\"kind\": \"skinned\", \"controls\": 5"),
     "1:83: bodies[0].controls: expected a whole number from 30 to 5000"},
    {BODY("\"kind\": \"skined\""), "1:60: bodies[0].kind: 'skined' is not free, reduced, rigid "
                                   "or skinned; did you mean 'skinned'?"},
    {BODY("\"vertices\": 900"),
     "1:64: bodies[0].vertices: expected the generator figure, fish or brain"},
    {"{\"shoal\": 1, \"bodies\": [{\"generator\": \"plate\", \"kind\": \"skinned\"}]}",
     "1:25: bodies[0]: no control points could be made: "},
    {BODY("\"turn\": \"random\", \"list\": [{\"at\": [0, 0, 0], \"turn\": {}}]"),
     "1:105: bodies[0].list[0].turn: expected none here, since the bodies have a turn"},
    {BODY("\"kind\": \"reduced\", \"fields\": 2"),
     "1:81: bodies[0].fields: expected a whole number from 0 to 0"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"outputs\": {\"evry\": 2}}",
     "1:45: outputs.evry: unknown key; did you mean 'every'?"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"outputs\": {\"format\": \"hdf5\"}}",
     "1:55: outputs.format: expected the key 'every' beside it, the steps between frames"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"outputs\": {\"every\": 2, \"format\": "
     "[\"vtp\", \"vtk\"]}}",
     "1:75: outputs.format[1]: 'vtk' is not hdf5, vtp, pc2 or ply; did you mean 'vtp'?"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"outputs\": {\"camera\": {\"eye\": [1, 2]}}}",
     "1:63: outputs.camera.eye: expected three numbers, as [0, 0, 1]"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"outputs\": {\"every\": 2, \"segment\": 3}}",
     "1:68: outputs.segment: expected a multiple of 'every', which is 2"},
    {"{\"shoal\": 1, \"name\": \"a\\nb\", \"scene\": \"chairs\"}",
     "1:22: name: the name holds a control character"},
    {"{\"shoal\": 1, \"scene\": \"chairs\", \"within\": -1}",
     "1:43: within: expected a number from 0 to 1e+15"},
};

TEST errors_name_the_place(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[512];
        write_text("w.json", wrong[i].text);
        snprintf(line, sizeof line, "shoal check: w.json:%s", wrong[i].line);
        shoal("check w.json");
        last.err[strlen(line)] = '\0'; // of some the rest is another part's
        ASSERT_STR_EQm(wrong[i].text, line, last.err);
        ASSERT_EQ(65, last.code);
        ASSERT_STR_EQ("", last.out);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(what_falls_falls_as_galilei_says);
    RUN_TEST(what_falls_comes_to_rest);
    RUN_TEST(all_kinds_together);
    RUN_TEST(controls_move_a_body);
    RUN_TEST(model_files_with_nodes);
    RUN_TEST(filters_keep_bodies_apart);
    RUN_TEST(filters_of_what_falls);
    RUN_TEST(outputs_are_options);
    RUN_TEST(a_plan_says_what_would_run);
    RUN_TEST(errors_name_the_place);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
