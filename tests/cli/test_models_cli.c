// SPDX-License-Identifier: MIT
// Model files and contact spheres on the command line.
#include "tool.h"

#include <math.h>
#include <shoal/model_file.h>

enum { SIDE = 12 };

// A wavy sheet, standing or lying, whose coordinates are multiples of 1/64: adding few of them
// rounds nothing. `bend` displaces it, `move` shifts it along z.
static void write_sheet(const char *name, bool standing, double bend, double move)
{
    FILE *f = fopen(name, "w");
    if (!f)
        abort();
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int x = i % SIDE, y = i / SIDE;
        const double wave = (x * x + 3 * y) % 5 / 64.0, u = bend * (x * y % 7) / 16.0;
        if (standing)
            fprintf(f, "v %.17g %.17g %.17g\n", wave + 5.25, x + 0.5, y - 5 + u + move);
        else
            fprintf(f, "v %.17g %.17g %.17g\n", x + u, y - u, wave + move);
    }
    for (int i = 0; i < SIDE * (SIDE - 1); i++) {
        if (i % SIDE < SIDE - 1)
            fprintf(f, "f %d %d %d\nf %d %d %d\n", i + 1, i + 2, i + SIDE + 1, i + 2,
                    i + SIDE + 2, i + SIDE + 1);
    }
    if (fclose(f) != 0)
        abort();
}

static void write_sheets(void)
{
    write_sheet("flat.obj", false, 0, 0);
    write_sheet("flat1.obj", false, 1, 0);
    write_sheet("flat2.obj", false, 2, 0);
    write_sheet("flat_up.obj", false, 0, 1.5);
    write_sheet("flat_bent_up.obj", false, -0.5, 1.5);
    write_sheet("wall.obj", true, 0, 0);
    write_text("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text("turned.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
    if (shoal("model flat.obj --field flat1.obj --field flat2.obj -o flat.model") != 0 ||
        shoal("model wall.obj -o wall.model --name 'a wall'") != 0)
        abort();
}

// "pairs" and the hash of a query, as one text.
static const char *answer(const char *args)
{
    static char text[8][64];
    static int next;
    char line[512];
    snprintf(line, sizeof line, "query --json %s", args);
    json_t *j = shoal_json(line);
    char *out = text[next++ % 8];
    snprintf(out, sizeof text[0], "%lld %s", (long long)number_of(j, "pairs"),
             text_of(j, "hash"));
    json_decref(j);
    return out;
}

// The flat sheet as a model skinned to two control points, half each.
static bool write_skinned(void)
{
    enum { VERTICES = SIDE * SIDE };
    static uint32_t begin[VERTICES + 1], node[2 * VERTICES];
    static float weight[2 * VERTICES];
    static double nodes[6] = {0, 0, 0, 8, 4, 1};
    for (uint32_t i = 0; i < 2 * VERTICES; i++) {
        begin[i / 2 + 1] = 2 * (i / 2) + 2;
        node[i] = i % 2;
        weight[i] = 0.5f;
    }
    shoal_model_file file;
    if (shoal_model_file_read("flat.obj", NULL, &file, NULL) != SHOAL_OK)
        return false;
    shoal_model_file out = {.rest = file.rest,
                            .control_count = 2,
                            .controls = nodes,
                            .weight_begin = begin,
                            .weight_control = node,
                            .weight = weight,
                            .weight_count = 2 * VERTICES};
    const shoal_status st = shoal_model_file_write("carried.model", &out, NULL);
    shoal_model_file_finish(&file);
    return st == SHOAL_OK;
}

// A skinned model answers as the mesh does, at rest and moved.
TEST skinned_models_answer_as_meshes(void)
{
    ASSERT(write_skinned());
    ASSERT_EQ(0, shoal("info carried.model"));
    ASSERT(strstr(last.out, "controls   2, 2.0 weights per vertex\n"));
    json_t *j = shoal_json("info carried.model --json");
    const json_t *file = json_array_get(json_object_get(j, "files"), 0);
    ASSERT_EQ(2, number_of(file, "controls"));
    ASSERT_EQ(2 * SIDE * SIDE, number_of(file, "weights"));
    json_decref(j);
    ASSERT_STR_EQ(answer("flat.obj wall.obj"), answer("carried.model wall.obj"));
    ASSERT_STR_EQ(answer("flat_up.obj wall.obj"),
                  answer("carried.model wall.obj --move 0=0,0,1.5"));
    ASSERT_STR_EQ(answer("wall.model flat.obj"), answer("wall.model carried.model"));
    ASSERT(strncmp(answer("carried.model wall.obj"), "0 ", 2) != 0);
    PASS();
}

TEST a_model_is_made(void)
{
    json_t *j = shoal_json("info flat.model --json");
    const json_t *file = json_array_get(json_object_get(j, "files"), 0);
    ASSERT(file);
    ASSERT_STR_EQ("flat", text_of(file, "name"));
    ASSERT_EQ(1, number_of(file, "version"));
    ASSERT_EQ(SIDE * SIDE, number_of(file, "vertices"));
    ASSERT_EQ(2 * (SIDE - 1) * (SIDE - 1), number_of(file, "triangles"));
    const json_t *fields = json_object_get(file, "fields");
    ASSERT_EQ(2u, json_array_size(fields));
    // x and y are displaced by up to 6/16
    ASSERT(fabs(real_of(json_array_get(fields, 0), "moves_by") - sqrt(2) * 6 / 16) < 1e-12);
    ASSERT(fabs(real_of(json_array_get(fields, 1), "moves_by") - sqrt(2) * 12 / 16) < 1e-12);
    json_decref(j);
    ASSERT_EQ(0, shoal("info wall.model flat.obj"));
    ASSERT(strstr(last.out, "name       a wall\n") &&
           strstr(last.out, "fields     0, rigid\n"));
    ASSERT(strstr(last.out, "file       flat.obj, a mesh\n"));
    PASS();
}

// A model at rest answers as its mesh does, and one that is bent or moved as the mesh that was
// made so: all numbers here are exact.
TEST models_answer_as_meshes(void)
{
    static const struct {
        const char *meshes, *models;
    } rows[] = {
        {"flat.obj wall.obj", "flat.model wall.model"},
        {"flat.obj wall.obj", "flat.model wall.obj"},
        {"wall.obj flat.obj --first", "wall.obj flat.model --first"},
        {"flat.obj --self-adjacent", "flat.model --self-adjacent"},
        {"flat1.obj wall.obj", "flat.model wall.obj --q 0=1,0"},
        {"wall.obj flat2.obj", "--q 1=0,1 wall.model flat.model"},
        {"flat2.obj wall.obj", "flat.model wall.model --q=0=4,-1 --cpu ref"},
        {"flat_up.obj wall.obj", "flat.obj wall.obj --move 0=0,0,1.5"},
        {"flat_bent_up.obj wall.obj", "--move 0=0,0,1.5 flat.model --q 0=-0.5,0 wall.obj"},
        {"flat_bent_up.obj wall.obj", "flat.model wall.obj --move 0=0,0,1.5 --q 0=1.5,-1 -t1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *want = answer(rows[i].meshes);
        ASSERTm(rows[i].meshes, strlen(want) > 17 && strncmp(want, "-1", 2) != 0);
        ASSERTm(rows[i].meshes, strncmp(want, "0 ", 2) != 0 || strstr(rows[i].meshes, "self"));
        ASSERT_STR_EQm(rows[i].models, want, answer(rows[i].models));
    }
    ASSERT(strcmp(answer("flat.obj wall.obj"), answer("flat.model wall.obj --q 0=1,0")) != 0);
    PASS();
}

// What is not finite meets nothing, and the others find what they found.
TEST bad_bodies(void)
{
    static const char *const rows[] = {"flat.model wall.obj flat_up.obj --q 0=nan,0",
                                       "flat.model wall.obj flat_up.obj --q 0=0,-inf",
                                       "flat.model wall.obj flat_up.obj --move 0=0,0,1e999",
                                       "flat.model wall.obj flat_up.obj --q 0=1e301,1e301"};
    json_t *want = shoal_json("query --json --list wall.obj flat_up.obj");
    ASSERT(want && number_of(want, "pairs") > 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[256];
        snprintf(line, sizeof line, "query --json --list %s", rows[i]);
        ASSERT_EQm(line, 65, shoal(line));
        ASSERT_STR_EQ(
            "shoal query: file 0, flat.model: --q or --move makes it infinite; it meets "
            "nothing\n",
            last.err);
        json_error_t error;
        json_t *j = json_loads(last.out, 0, &error);
        ASSERT(j);
        ASSERT_EQ(number_of(want, "pairs"), number_of(j, "pairs"));
        const json_t *bad = json_object_get(j, "bad_bodies");
        ASSERT_EQ(1u, json_array_size(bad));
        ASSERT_EQ(0, json_integer_value(json_array_get(bad, 0)));
        size_t k;
        const json_t *pair;
        json_array_foreach(json_object_get(j, "list"), k, pair)
        {
            const json_t *other = json_array_get(json_object_get(want, "list"), k);
            ASSERT_EQ(1, json_integer_value(json_array_get(pair, 0)));
            for (size_t c = 2; c < 4; c++)
                ASSERT_EQ(json_integer_value(json_array_get(other, c)),
                          json_integer_value(json_array_get(pair, c)));
        }
        json_decref(j);
    }
    json_decref(want);
    PASS();
}

TEST spheres_are_queried(void)
{
    json_t *j = shoal_json("query flat.model wall.model --spheres 5 --json --list");
    ASSERT(j);
    ASSERT(number_of(j, "contacts") > 10);
    ASSERT_EQ(5, number_of(j, "level"));
    const json_t *list = json_object_get(j, "list"), *row;
    ASSERT_EQ((size_t)number_of(j, "contacts"), json_array_size(list));
    double deepest = 0;
    size_t i;
    json_array_foreach(list, i, row)
    {
        ASSERT_EQ(11u, json_array_size(row));
        const double depth = json_number_value(json_array_get(row, 4));
        deepest = fmax(deepest, depth);
        double length = 0;
        for (size_t k = 5; k < 8; k++)
            length += pow(json_number_value(json_array_get(row, k)), 2);
        ASSERT(depth >= 0 && fabs(length - 1) < 1e-12);
    }
    ASSERT_EQ(deepest, real_of(j, "deepest"));
    const json_t *files = json_object_get(j, "files");
    ASSERT(number_of(json_array_get(files, 0), "spheres") > 16);
    char hash[17];
    snprintf(hash, sizeof hash, "%s", text_of(j, "hash"));
    json_decref(j);
    j = shoal_json("query flat.model wall.model --spheres=5 --json -t 1 --cpu ref");
    ASSERT_STR_EQ(hash, text_of(j, "hash"));
    json_decref(j);
    // a mesh has triangles only
    j = shoal_json("query wall.obj flat.model --spheres 0 --json");
    ASSERT_EQ(0, number_of(json_array_get(json_object_get(j, "files"), 0), "spheres"));
    ASSERT_EQ(1, number_of(json_array_get(json_object_get(j, "files"), 1), "spheres"));
    ASSERT(number_of(j, "contacts") > 1);
    json_decref(j);
    ASSERT_EQ(0, shoal("query flat.model wall.obj --spheres 3 --list | grep -v '^#' | wc -w"));
    ASSERT(atoi(last.out) > 0 && atoi(last.out) % 11 == 0);
    PASS();
}

TEST spheres_are_run(void)
{
    static const char *const ways[] = {"--spheres 6", "-s spheres=6 -t 1",
                                       "--spheres=6 --cpu ref",
                                       "--spheres 6 --executor serial --broad tree"};
    char expected[17] = "";
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[256];
        snprintf(line, sizeof line, "run beams -s k=1 -q --steps 4 --json %s", ways[i]);
        json_t *j = shoal_json(line);
        ASSERTm(line, j);
        const json_t *p = json_object_get(j, "spheres");
        ASSERT_EQ(6, number_of(p, "level"));
        ASSERT_EQ(6, number_of(json_object_get(j, "parameters"), "spheres"));
        ASSERT(number_of(p, "per_body") > 32 && real_of(p, "deepest") > 0);
        ASSERT(number_of(json_object_get(p, "contacts"), "last") > 0);
        ASSERT_EQ(0, number_of(j, "pairs_total"));
        ASSERT_STR_EQ("spheres",
                      json_string_value(json_array_get(json_object_get(j, "queries"), 0)));
        ASSERT(real_of(json_object_get(json_object_get(j, "time"), "phases"), "contact_s") > 0);
        if (!*expected)
            snprintf(expected, sizeof expected, "%s", text_of(j, "hash"));
        ASSERT_STR_EQm(line, expected, text_of(j, "hash"));
        json_decref(j);
    }
    ASSERT_EQ(0, shoal("run beams -s k=1 -q --steps 4 --spheres 6"));
    ASSERT(strstr(last.out, expected) && strstr(last.out, "level 6; deepest contact "));
    ASSERT(strstr(last.out, "\n  contacts ") && !strstr(last.out, "\n  pairs "));
    ASSERT_EQ(0, shoal("run beams -s k=1 -q --steps 2 --spheres 2 --first"));
    ASSERT(strstr(last.out, "\n  hits ") && strstr(last.out, "level 2;"));
    json_t *j = shoal_json("run beams -s k=1 -s spheres=none -q --steps 1 --json");
    ASSERT(json_is_null(json_object_get(j, "spheres")));
    ASSERT_STR_EQ("none", text_of(json_object_get(j, "parameters"), "spheres"));
    ASSERT(number_of(j, "pairs_total") > 0);
    json_decref(j);
    PASS();
}

#define QUERY_HELP " (see shoal query --help)"
#define MODEL_HELP " (see shoal model --help)"
#define RUN_HELP " (see shoal run --help)"

TEST wrong_usage(void)
{
    static const refusal rows[] = {
        {"model", 64, "shoal model: which REST?" MODEL_HELP},
        {"model flat.obj", 64, "shoal model: -o FILE is missing" MODEL_HELP},
        {"model a.obj b.obj -o c.model", 64,
         "shoal model: one REST, not also 'b.obj'" MODEL_HELP},
        {"query flat.model wall.obj --q 0=1", 64,
         "shoal query: --q '0=1': flat.model has 2 fields" QUERY_HELP},
        {"query flat.obj wall.obj --q 0=1", 64,
         "shoal query: --q '0=1': flat.obj has 0 fields" QUERY_HELP},
        {"query flat.model wall.obj --q 2=1,1", 64,
         "shoal query: --q '2=1,1': the last file is number 1" QUERY_HELP},
        {"query flat.model wall.obj --q 0=1,1 --q 0=2,2", 64,
         "shoal query: --q '0=2,2': file 0 has its own already" QUERY_HELP},
        {"query flat.model --q 1,1", 64, "shoal query: --q '1,1' is not N=Q,Q,..." QUERY_HELP},
        {"query flat.model --q 0=1,", 64,
         "shoal query: --q '0=1,' is not N=Q,Q,..." QUERY_HELP},
        {"query flat.model --q 0=1,x", 64,
         "shoal query: --q '0=1,x' is not N=Q,Q,..." QUERY_HELP},
        {"query flat.model --move 0=1,2", 64,
         "shoal query: --move '0=1,2' is not N=X,Y,Z" QUERY_HELP},
        {"query flat.model --move 0=1,2,3,4", 64,
         "shoal query: --move '0=1,2,3,4' is not N=X,Y,Z" QUERY_HELP},
        {"query flat.obj wall.obj --spheres 3", 64,
         "shoal query: --spheres needs a model file" QUERY_HELP},
        {"query flat.model wall.obj --spheres 13", 64,
         "shoal query: --spheres '13' is not a whole number from 0 to 12" QUERY_HELP},
        {"query flat.model --spheres 3", 64,
         "shoal query: --spheres needs two files or more, there is only "
         "'flat.model'" QUERY_HELP},
        {"query flat.model wall.obj --spheres 3 --pairs", 64,
         "shoal query: --pairs and --spheres exclude each other" QUERY_HELP},
        {"run bumpy-27 --spheres 3", 64,
         "shoal run: --spheres: bumpy-27 has no reduced bodies" RUN_HELP},
        {"run beams --spheres 13", 64,
         "shoal run: --spheres '13' is not a whole number from 0 to 12" RUN_HELP},
        {"run beams -s spheres=x", 64,
         "shoal run: -s 'spheres=x': spheres is none, or 0 to 12: ~2^spheres contact spheres a "
         "body" RUN_HELP},
        {"run beams -s spheres=3 --spheres 3", 64,
         "shoal run: -s 'spheres=3': it is given twice" RUN_HELP},
    };
    CHECK_REFUSALS(rows);
    PASS();
}

TEST bad_input(void)
{
    char bytes[8192];
    FILE *f = fopen("wall.model", "rb");
    const size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    ASSERT(f && fclose(f) == 0 && size > 1000 && size < sizeof bytes);
    write_bytes("cut.model", bytes, size - 5);
    write_bytes("head.model", bytes, 20);
    write_text("empty.model", "");
    bytes[size - 100] ^= 4;
    write_bytes("bit.model", bytes, size);
    char want[128];
    snprintf(want, sizeof want,
             "cut.model: byte 16: the file has %zu bytes, it should have %zu", size - 5, size);
    const refusal rows[] = {
        {"query cut.model", 65, want},
        {"info cut.model --json", 65, want},
        {"query flat.obj head.model --json", 65,
         "head.model: byte 20: the file ends within its head"},
        {"query bit.model", 65,
         "bit.model: byte 3056: section REST is damaged, its checksum is another"},
        {"info empty.model", 65, "empty.model: the file is empty"},
        {"info flat.model missing.model --json", 65,
         "missing.model: No such file or directory"},
        {"model flat.obj -o x.model --field wall.obj --field triangle.obj", 65,
         "triangle.obj: not the same vertices and triangles as flat.obj"},
        {"model triangle.obj -o x.model --field turned.obj", 65,
         "turned.obj: not the same vertices and triangles as triangle.obj"},
        {"model flat.model -o x.model", 65, "flat.model: a model with fields already"},
        {"model bit.model -o x.model", 65,
         "bit.model: byte 3056: section REST is damaged, its checksum is another"},
        {"model flat.obj -o no/x.model", 74, "no/x.model: No such file or directory"},
        {"model flat.obj -o x.model --name 'a\tb'", 65,
         "x.model: the name holds a control character"},
    };
    CHECK_REFUSALS(rows);
    ASSERT(access("x.model", F_OK) != 0);
    char line[4096] = "model flat.obj -o x.model";
    for (int i = 0; i < 65; i++)
        strcat(line, " --field flat1.obj");
    ASSERT_EQ(65, shoal(line));
    ASSERT_STR_EQ("x.model: 65 fields, at most 64\n", last.err);
    ASSERT(access("x.model", F_OK) != 0);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    write_sheets();
    RUN_TEST(a_model_is_made);
    RUN_TEST(models_answer_as_meshes);
    RUN_TEST(skinned_models_answer_as_meshes);
    RUN_TEST(bad_bodies);
    RUN_TEST(spheres_are_queried);
    RUN_TEST(spheres_are_run);
    RUN_TEST(wrong_usage);
    RUN_TEST(bad_input);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
