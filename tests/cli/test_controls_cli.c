// SPDX-License-Identifier: MIT
// shoal-controls on the command line: a closed mesh in, a skinned model file out, or
// one line that says why not. Its path is in the environment variable SHOAL_CONTROLS.
#include "tool.h"

#include <shoal/model_file.h>

#include <math.h>

enum { SIDE = 8, FACES = 6 * SIDE * SIDE };

static char nodes_path[4096], said[4096], printed[4096];

// Runs `shoal-controls ARGS`; its exit code.
static int controls(const char *args)
{
    char line[8192];
    snprintf(line, sizeof line, ">out.txt 2>err.txt </dev/null '%s' %s", nodes_path, args);
    const int status = system(line);
    show_ran(line, status);
    (void)slurp("out.txt", printed, sizeof printed);
    (void)slurp("err.txt", said, sizeof said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A unit cube of squares, four vertices each, welded by `f` through one number a place; the
// last `missing` squares are left out.
static bool write_cube(const char *name, int missing)
{
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    FILE *f = fopen(name, "wb");
    if (!f)
        return false;
    static int number[SIDE + 1][SIDE + 1][SIDE + 1];
    memset(number, 0, sizeof number);
    int count = 0;
    for (int square = 0; square < FACES - missing; square++) {
        const int axis = square / (2 * SIDE * SIDE), far = square / (SIDE * SIDE) % 2;
        int corner[4];
        for (int i = 0; i < 4; i++) {
            int at[3];
            at[axis] = far * SIDE;
            at[(axis + 1) % 3] = square % SIDE + around[i][0];
            at[(axis + 2) % 3] = square / SIDE % SIDE + around[i][1];
            int *v = &number[at[0]][at[1]][at[2]];
            if (!*v) {
                fprintf(f, "v %g %g %g\n", at[0] / (double)SIDE, at[1] / (double)SIDE,
                        at[2] / (double)SIDE);
                *v = ++count;
            }
            corner[far ? i : 3 - i] = *v;
        }
        fprintf(f, "f %d %d %d\nf %d %d %d\n", corner[0], corner[1], corner[2], corner[0],
                corner[2], corner[3]);
    }
    return fclose(f) == 0;
}

TEST a_cube_gets_nodes(void)
{
    shoal_model_file file;
    ASSERT(write_cube("cube.obj", 0));
    ASSERT_EQ(0, controls("cube.obj -n 40 -o cube.model --density 500"));
    ASSERT_STR_EQ("", said);
    ASSERT(strstr(printed, "; 386 vertices, each sees "));
    ASSERT_EQ(SHOAL_OK, shoal_model_file_read("cube.model", NULL, &file, NULL));
    ASSERT_EQ(386u, file.rest.vertex_count);
    ASSERT_IN_RANGE(40, (double)file.control_count, 2);
    for (uint32_t v = 0; v < file.rest.vertex_count; v++) {
        double sum = 0;
        for (uint32_t e = file.weight_begin[v]; e < file.weight_begin[v + 1]; e++)
            sum += (double)file.weight[e];
        ASSERT_IN_RANGE(1, sum, 1e-5);
    }
    double mass = 0; // control points are inside, up to the cubes that the volume is made of
    for (uint32_t i = 0; i < file.control_count; i++) {
        mass += file.control_masses[i];
        for (int k = 0; k < 3; k++)
            ASSERT_IN_RANGE(0.5, file.controls[3 * i + k], 0.55);
    }
    ASSERT_IN_RANGE(500, mass, 15); // the volume is sampled
    shoal_model_file_finish(&file);
    PASS();
}

// What the tool says of a model is what it says of the mesh that it was made from.
TEST the_model_is_used(void)
{
    static char mesh_hash[17];
    ASSERT(write_cube("cube.obj", 0));
    ASSERT_EQ(0, controls("cube.obj -n 25 -o cube.model"));
    ASSERT_EQ(0, shoal("info cube.model"));
    ASSERT(strstr(last.out, "controls") && strstr(last.out, "weights per vertex"));
    for (int i = 0; i < 2; i++) {
        json_t *json = shoal_json(i ? "query cube.model cube.obj --move 1=0.3,0.2,0.1 --json"
                                    : "query cube.obj cube.obj --move 1=0.3,0.2,0.1 --json");
        const char *hash = text_of(json, "hash");
        ASSERT(number_of(json, "pairs") > 100 && is_hash(hash));
        if (i)
            ASSERT_STR_EQ(mesh_hash, hash);
        snprintf(mesh_hash, sizeof mesh_hash, "%s", hash);
        json_decref(json);
    }
    PASS();
}

TEST runs_repeat(void)
{
    ASSERT(write_cube("cube.obj", 0));
    ASSERT_EQ(0, controls("cube.obj -n 40 -o one.model"));
    ASSERT_EQ(0, controls("-o two.model -n 40 cube.obj"));
    ASSERT_EQ(0, system("cmp -s one.model two.model"));
    ASSERT_EQ(0, controls("cube.obj -n 40 --seed 2 -o two.model"));
    ASSERT(system("cmp -s one.model two.model") != 0);
    ASSERT_EQ(0, controls("cube.obj -n 1 -o one.model"));
    ASSERT(strstr(printed, "1 control points"));
    PASS();
}

TEST files_that_may_not_grow(void)
{
    ASSERT(write_cube("cube.obj", 0));
    ASSERT_EQ(0, system("printf old >one.model"));
    limit_files(500);
    const int code = controls("cube.obj -n 40 -o one.model");
    limit_files(0);
    ASSERT_EQ(74, code);
    ASSERT_STR_EQ("shoal-controls: one.model: File too large\n", said);
    ASSERT_EQ(0, system("test \"$(cat one.model)\" = old && ! ls -A | grep tmp"));
    PASS();
}

TEST wrong_ways(void)
{
    static const struct {
        const char *args;
        int code;
        const char *word;
    } rows[] = {
        {"", 64, "no mesh"},
        {"cube.obj", 64, "-o"},
        {"cube.obj cube.obj -o x.model", 64, "one mesh"},
        {"cube.obj -n 0 -o x.model", 64, "'0'"},
        {"cube.obj -n 2.5 -o x.model", 64, "'2.5'"},
        {"cube.obj -n 20001 -o x.model", 64, "'20001'"},
        {"cube.obj -n -o x.model", 64, ""},
        {"cube.obj --density 0 -o x.model", 64, "'0'"},
        {"cube.obj --what -o x.model", 64, "--what"},
        {"none.obj -o x.model", 65, "none.obj"},
        {"open.obj -o x.model", 65, "not closed"},
        {"text.obj -o x.model", 65, "text.obj"},
        {"cube.obj -n 19000 -o x.model", 65, "too many"},
        {"cube.obj -n 40 -o none/x.model", 74, "none/x.model"},
        {"--help >/dev/full", 74, "cannot write to standard output"},
    };
    ASSERT(write_cube("cube.obj", 0) && write_cube("open.obj", 3));
    write_bytes("text.obj", "v 1 2 x\n", 8);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int code = controls(rows[i].args);
        if (code != rows[i].code || !strstr(said, rows[i].word))
            printf("\nshoal-controls %s: %d, %s\n", rows[i].args, code, said);
        ASSERT_EQ(rows[i].code, code);
        ASSERT(strstr(said, rows[i].word));
        ASSERT_STR_EQ("", printed);
        const char *end = strchr(said, '\n');
        ASSERTm("one line", end && end[1] == '\0');
        ASSERT(access("x.model", F_OK) != 0);
    }
    ASSERT_EQ(0, controls("--help"));
    ASSERT(strstr(printed, "usage: shoal-controls"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    const char *path = getenv("SHOAL_CONTROLS");
    char *real = path ? realpath(path, NULL) : NULL;
    if (!real || !tool_open()) {
        fputs("SHOAL_CONTROLS must name the program\n", stderr);
        return 1;
    }
    snprintf(nodes_path, sizeof nodes_path, "%s", real);
    free(real);
    GREATEST_MAIN_BEGIN();
    RUN_TEST(a_cube_gets_nodes);
    RUN_TEST(the_model_is_used);
    RUN_TEST(runs_repeat);
    RUN_TEST(files_that_may_not_grow);
    RUN_TEST(wrong_ways);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
