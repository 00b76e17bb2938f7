// SPDX-License-Identifier: MIT
// shoal-modes on the command line: a mesh in, a model file out, or one line that says why not.
// The program's path is in the environment variable SHOAL_MODES.
#include "show.h"

#include <shoal/model_file.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char tool[4096], folder[] = "/tmp/shoal-modes-XXXXXX";
static char said[4096], out[8192];

static void read_text(const char *name, char *text, size_t size)
{
    FILE *f = fopen(name, "rb");
    const size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
}

// Runs `shoal-modes ARGS`; its exit code. What it printed is in `out`, errors in `said`.
static int modes(const char *args)
{
    char line[8192];
    snprintf(line, sizeof line, ">out.txt 2>err.txt </dev/null '%s' %s", tool, args);
    const int status = system(line);
    show_ran(line, status);
    read_text("out.txt", out, sizeof out);
    read_text("err.txt", said, sizeof said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A bar of 1 by 0.06 by 0.04, its last `missing` triangles left out.
static bool write_bar(const char *name, int missing)
{
    static const int faces[12][3] = {{1, 3, 2}, {2, 3, 4}, {5, 6, 7}, {6, 8, 7},
                                     {1, 2, 5}, {2, 6, 5}, {3, 7, 4}, {4, 7, 8},
                                     {1, 5, 3}, {3, 5, 7}, {2, 4, 6}, {4, 8, 6}};
    FILE *f = fopen(name, "wb");
    if (!f)
        return false;
    for (int v = 0; v < 8; v++)
        fprintf(f, "v %d %g %g\n", v & 1, (v >> 1 & 1) * 0.06, (v >> 2 & 1) * 0.04);
    for (int t = 0; t < 12 - missing; t++)
        fprintf(f, "f %d %d %d\n", faces[t][0], faces[t][1], faces[t][2]);
    return fclose(f) == 0;
}

TEST a_bar_becomes_a_model(void)
{
    shoal_model_file file;
    ASSERT(write_bar("bar.obj", 0));
    ASSERT_EQ(0, modes("bar.obj -m 3 -o bar.model --voxel 0.02 --young 2e11 --poisson 0.3"
                       " --density 7800"));
    ASSERT_STR_EQ("", said);
    ASSERT(strstr(out, "300 cubes of 0.02, 1836 unknowns, 18.72 kg"));
    ASSERT(strstr(out, "residual") && strstr(out, "orthogonality") && strstr(out, "time"));
    ASSERT_EQ(SHOAL_OK, shoal_model_file_read("bar.model", NULL, &file, NULL));
    ASSERT_EQ(3u, file.field_count);
    ASSERT_EQ(8u, file.rest.vertex_count);
    ASSERT_STR_EQ("bar.obj", file.name);
    // a free beam of steel, 0.04 high: 208.2 hertz
    ASSERT_IN_RANGE(208.2, file.frequencies[0], 0.03 * 208.2);
    ASSERT_IN_RANGE(18.72 / 4, file.masses[0], 0.05 * 18.72 / 4);
    for (int j = 0; j < 3; j++) {
        float most = 0;
        for (int i = 0; i < 24; i++)
            most = fmaxf(most, fabsf(file.fields[24 * j + i]));
        ASSERT(most > 0.5f && most <= 1.0f);
    }
    shoal_model_file_finish(&file);
    PASS();
}

TEST runs_repeat(void)
{
    ASSERT(write_bar("bar.obj", 0));
    ASSERT_EQ(0, modes("bar.obj --voxel 0.02 -m 4 -o one.model"));
    ASSERT_EQ(0, modes("bar.obj --voxel 0.02 -m 4 -o two.model"));
    ASSERT_EQ(0, system("cmp -s one.model two.model"));
    PASS();
}

TEST files_that_may_not_grow(void)
{
    ASSERT(write_bar("bar.obj", 0));
    ASSERT_EQ(0, system("printf old >one.model"));
    limit_files(500);
    const int code = modes("bar.obj -m 3 -o one.model --voxel 0.02");
    limit_files(0);
    ASSERT_EQ(74, code);
    ASSERT_STR_EQ("shoal-modes: one.model: File too large\n", said);
    ASSERT_EQ(0, system("test \"$(cat one.model)\" = old && ! ls -A | grep tmp"));
    PASS();
}

TEST wrong_ways(void)
{
    static const struct {
        const char *args;
        int code;
        const char *says;
    } rows[] = {
        {"", 64, "shoal-modes: no mesh is given (see shoal-modes --help)\n"},
        {"bar.obj", 64, "shoal-modes: no -o FILE to write to (see shoal-modes --help)\n"},
        {"bar.obj -o", 64, "shoal-modes: -o needs a value (see shoal-modes --help)\n"},
        {"bar.obj --what", 64,
         "shoal-modes: unknown option '--what' (see shoal-modes --help)\n"},
        {"bar.obj -m 65 -o x", 64,
         "shoal-modes: '65' is out of range (see shoal-modes --help)\n"},
        {"bar.obj -m 2.5 -o x", 64,
         "shoal-modes: '2.5' is out of range (see shoal-modes --help)\n"},
        {"a b -o x", 64, "shoal-modes: one mesh at a time (see shoal-modes --help)\n"},
        {"none.obj -o x", 65, "shoal-modes: none.obj: No such file or directory\n"},
        {"open.obj -o x", 65,
         "shoal-modes: open.obj: the surface is not closed: 4 of its edges have a triangle on "
         "one"
         " side only\n"},
        {"bar.obj -o x --voxel 0.0001", 65,
         "shoal-modes: bar.obj: cubes of 0.0001 are too small: the mesh would need 2.4e+09 of"
         " them\n"},
        {"bar.obj -o x --voxel 0.9", 65,
         "shoal-modes: bar.obj: it has next to no volume: 0 cubes of 0.9 have something of it"
         " inside\n"},
        {"bar.obj -o none/x.model --voxel 0.02 -m 1", 74,
         "shoal-modes: none/x.model: No such file or directory\n"},
        {"--help >/dev/full", 74, "shoal-modes: cannot write to standard output\n"},
    };
    ASSERT(write_bar("bar.obj", 0) && write_bar("open.obj", 2));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ASSERT_EQm(rows[i].args, rows[i].code, modes(rows[i].args));
        ASSERT_STR_EQm(rows[i].args, rows[i].says, said);
        ASSERT_STR_EQ("", out);
        ASSERT(access("x", F_OK) != 0);
    }
    ASSERT_EQ(0, modes("--help"));
    ASSERT(strstr(out, "usage: shoal-modes MESH -o MODEL"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    const char *path = getenv("SHOAL_MODES");
    if (!path || !realpath(path, tool) || !mkdtemp(folder) || chdir(folder) != 0) {
        fprintf(stderr, "SHOAL_MODES must name the program\n");
        return 1;
    }
    RUN_TEST(a_bar_becomes_a_model);
    RUN_TEST(runs_repeat);
    RUN_TEST(files_that_may_not_grow);
    RUN_TEST(wrong_ways);
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line) != 0)
        return 1;
    GREATEST_MAIN_END();
}
