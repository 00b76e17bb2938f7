// SPDX-License-Identifier: MIT
// The built tool, run as a user runs it: outputs, exit codes and exact messages.
#include "tool.h"

#define PLY_HEAD                                                                               \
    "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\n"               \
    "property float y\nproperty float z\nelement face 1\n"                                     \
    "property list uchar int vertex_indices\nend_header\n"

static void write_files(void)
{
    write_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text("b.off", "OFF\n3 1 0\n0.2 0.2 -1\n0.2 0.2 1\n3 3 0\n3 0 1 2\n");
    write_text("far.obj", "v 9 9 9\nv 9 8 9\nv 8 9 9\nf 1 2 3\n");
    // two triangles that cross and share no vertex, and one that folds back on the first
    write_text("self.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .2 .2 -1\nv .2 .2 1\nv 3 3 0\n"
                           "v .3 .3 0\nf 1 2 3\nf 4 5 6\nf 1 2 7\n");
    write_text("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n");
    write_text("nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n");
    write_text("none.obj", "v 0 0 0\n");
    write_text("empty.ply", "");
    write_text("cut.ply", PLY_HEAD "abc");
    char stl[87] = {0};
    stl[80] = 2;
    write_bytes("cut.stl", stl, sizeof stl);
    write_text("space name.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text("odd\xff.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text("-dash.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    if (system("mkdir folder.obj") != 0)
        abort();
}

TEST help_and_version(void)
{
    static const char *const lines[] = {"--help",       "-h",         "run --help",
                                        "--help query", "info -h",    "scenes --help",
                                        "query -h a",   "run -t 2 -h"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shoal(lines[i]);
        ASSERT_EQm(lines[i], 0, last.code);
        ASSERTm(lines[i], strncmp(last.out, "usage: shoal ", 13) == 0);
        ASSERT_STR_EQ("", last.err);
    }
    shoal("run --help");
    ASSERT(strstr(last.out, "--strategy hybrid|bottom-up"));
    ASSERT(strstr(last.out, "--resume"));
    shoal("--version");
    ASSERT_EQ(0, last.code);
    ASSERT(strncmp(last.out, "shoal ", 6) == 0 && strchr(last.out, '.'));
    shoal("");
    ASSERT_EQ(64, last.code);
    ASSERT_STR_EQ("", last.out);
    ASSERT(strstr(last.err, "usage: shoal COMMAND"));
    PASS();
}

TEST info_tells(void)
{
    shoal("info");
    ASSERT_EQ(0, last.code);
    ASSERT(strstr(last.out, "topology"));
    json_t *j = shoal_json("info --json");
    ASSERT(j);
    ASSERT(number_of(j, "threads") >= 1);
    ASSERT(number_of(json_object_get(j, "machine"), "allowed_cpus") >= 1);
    ASSERT(json_object_size(json_object_get(j, "kernels")) > 0);
    ASSERT_STR_EQ("omp", text_of(j, "executor"));
    json_decref(j);
    ASSERT_EQ(0, setenv("OMP_NUM_THREADS", "3", 1));
    j = shoal_json("info --json");
    ASSERT_EQ(0, unsetenv("OMP_NUM_THREADS"));
    ASSERT_EQ(3, number_of(j, "threads"));
    ASSERT_STR_EQ("3", text_of(json_object_get(j, "environment"), "OMP_NUM_THREADS"));
    json_decref(j);
    PASS();
}

static int rank_of(const char *body)
{
    return strcmp(body, "avx512") == 0 ? 2 : strcmp(body, "avx2") == 0 ? 1 : 0;
}

// The instruction set that is told is the highest that some kernel uses, within the limit.
TEST info_tells_the_limit(void)
{
    static const char *const limits[] = {"ref", "avx2", "avx512"};
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(0, setenv("SHOAL_CPU", limits[i], 1));
        json_t *j = shoal_json("info --json");
        ASSERT_EQ(0, unsetenv("SHOAL_CPU"));
        ASSERT(j);
        int highest = 0;
        const char *name;
        json_t *body;
        json_object_foreach(json_object_get(j, "kernels"), name, body)
        {
            const int rank = rank_of(json_string_value(body));
            ASSERTm(name, rank <= i);
            highest = rank > highest ? rank : highest;
        }
        ASSERT_STR_EQ(limits[highest], text_of(j, "cpu"));
        json_decref(j);
    }
    PASS();
}

TEST scenes_are_listed(void)
{
    shoal("scenes");
    ASSERT_EQ(0, last.code);
    json_t *j = shoal_json("scenes --json"), *scene, *parameter;
    ASSERT(j);
    size_t i, k, known = 0;
    json_array_foreach(json_object_get(j, "scenes"), i, scene)
    {
        ASSERT(strstr(last.out, text_of(scene, "name")));
        ASSERT(*text_of(scene, "summary"));
        static const char *const names[] = {"bumpy-2", "bumpy-27", "arms-27", "plates",
                                            "tangle",  "beams",    "calm-27", "chairs"};
        for (int n = 0; n < 8; n++)
            known += strcmp(names[n], text_of(scene, "name")) == 0;
        bool steps = false; // every scene takes them
        json_array_foreach(json_object_get(scene, "parameters"), k, parameter)
        {
            ASSERT(*text_of(parameter, "key") && json_object_get(parameter, "default"));
            steps = steps || strcmp(text_of(parameter, "key"), "steps") == 0;
        }
        ASSERTm(text_of(scene, "name"), steps);
    }
    ASSERT_EQ(8u, known);
    json_decref(j);
    PASS();
}

TEST run_reports(void)
{
    static const char *const keys[] = {"scene",     "parameters", "steps",       "bodies",
                                       "threads",   "executor",   "triangles",   "strategy",
                                       "cpu",       "hash",       "pairs_total", "pairs_last",
                                       "pairs_max", "gpu_jobs",   "bad_bodies",  "time",
                                       "counts",    "version",    "queries"};
    json_t *j = shoal_json("run arms-27 -s k=2 --steps 6 -t2 --json");
    ASSERT(j);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ASSERTm(keys[i], json_object_get(j, keys[i]));
    ASSERT_STR_EQ("arms-27", text_of(j, "scene"));
    ASSERT_EQ(6, number_of(j, "steps"));
    ASSERT_EQ(27, number_of(j, "bodies"));
    ASSERT_EQ(27 * 320, number_of(j, "triangles"));
    ASSERT_EQ(2, number_of(j, "threads"));
    ASSERT_EQ(0, number_of(j, "gpu_jobs"));
    ASSERT_EQ(0, number_of(j, "bad_bodies"));
    ASSERT(number_of(j, "pairs_last") > 0);
    ASSERT(number_of(j, "pairs_total") > number_of(j, "pairs_max"));
    ASSERT(is_hash(text_of(j, "hash")));
    ASSERT_EQ(2, number_of(json_object_get(j, "parameters"), "k"));
    const json_t *counted = json_object_get(json_object_get(j, "counts"), "pairs");
    ASSERT_EQ(number_of(j, "pairs_total"), number_of(counted, "total"));
    char hash[17];
    snprintf(hash, sizeof hash, "%s", text_of(j, "hash"));
    json_decref(j);
    shoal("--quiet --steps=6 -sk=2 run arms-27"); // text, and arguments in another order
    ASSERT_EQ(0, last.code);
    ASSERT(strstr(last.out, hash));
    ASSERT(strstr(last.out, "traverse"));
    ASSERT_STR_EQ("", last.err);
    j = shoal_json("run --json --steps 1"); // the default scene
    ASSERT_STR_EQ("chairs", text_of(j, "scene"));
    json_decref(j);
    PASS();
}

TEST hashes_agree(void)
{
    static const char *const ways[] = {"",
                                       "-t 1",
                                       "-t4",
                                       "--executor serial",
                                       "--executor guard",
                                       "--executor=loops -t 3 --broad tree",
                                       "--strategy bottom-up",
                                       "--strategy optimal --broad incremental",
                                       "--broad sweep --list-margin 0.02",
                                       "--broad brute --list-margin 1e-3",
                                       "--cpu ref",
                                       "-s order=user",
                                       "-s hold=copy",
                                       "-s order=user -s hold=copy --cpu=ref -t 2"};
    static const char *const scenes[] = {"bumpy-2 -s k=3 --steps 90",
                                         "bumpy-27 -s k=2 -s steps=40",
                                         "arms-27 -s k=3 -s precision=f64 --steps 8 --self",
                                         "arms-27 -s k=2 --first --steps=20"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char expected[17] = "";
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            char line[256];
            snprintf(line, sizeof line, "run %s %s --json", scenes[i], ways[k]);
            json_t *j = shoal_json(line);
            ASSERTm(line, j && is_hash(text_of(j, "hash")));
            ASSERTm(line, number_of(j, "pairs_total") > 0);
            if (k == 0)
                snprintf(expected, sizeof expected, "%s", text_of(j, "hash"));
            ASSERT_STR_EQm(line, expected, text_of(j, "hash"));
            json_decref(j);
        }
    }
    PASS();
}

// Steps without contact all look alike; their number still shows in the hash.
TEST hash_counts_steps(void)
{
    char seen[4][17];
    for (int i = 0; i < 4; i++) {
        char line[64];
        snprintf(line, sizeof line, "run bumpy-2 -s k=1 --json --steps %d", i + 1);
        json_t *j = shoal_json(line);
        ASSERT(j);
        ASSERT_EQ(0, number_of(j, "pairs_total"));
        snprintf(seen[i], sizeof seen[i], "%s", text_of(j, "hash"));
        json_decref(j);
        for (int k = 0; k < i; k++)
            ASSERT(strcmp(seen[i], seen[k]) != 0);
    }
    PASS();
}

TEST query_finds(void)
{
    static const struct {
        const char *args;
        int pairs;
        const char *query;
    } rows[] = {
        {"query a.obj b.off --json", 1, "pairs"},
        {"--json query b.off a.obj far.obj", 1, "pairs"},
        {"query a.obj far.obj --json", 0, "pairs"},
        {"query a.obj --first --json b.off", 1, "first"},
        {"query far.obj b.off --first --json", 0, "first"},
        {"query self.obj --json", 2, "self"},
        {"query --json self.obj --self-adjacent", 3, "self-adjacent"},
        {"query --json self.obj --self a.obj", 2, "self"},
        {"query a.obj a.obj --json --cpu ref --executor serial", 1, "pairs"},
        {"query --json -- -dash.obj b.off", 1, "pairs"},
        {"query --json 'space name.obj' odd*.obj", 1, "pairs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *j = shoal_json(rows[i].args);
        ASSERTm(rows[i].args, j);
        ASSERT_EQm(rows[i].args, rows[i].pairs, number_of(j, "pairs"));
        ASSERT_STR_EQ(rows[i].query, text_of(j, "query"));
        ASSERT(is_hash(text_of(j, "hash")));
        ASSERT_FALSE(json_object_get(j, "list"));
        json_decref(j);
    }
    PASS();
}

TEST query_lists(void)
{
    json_t *j = shoal_json("query self.obj --self-adjacent --list --json");
    ASSERT(j);
    ASSERT_EQ(3u, json_array_size(json_object_get(j, "list")));
    const json_t *file = json_array_get(json_object_get(j, "files"), 0);
    ASSERT_EQ(7, number_of(file, "vertices"));
    ASSERT_EQ(3, number_of(file, "triangles"));
    json_decref(j);
    j = shoal_json("query far.obj a.obj b.off --first --list --json");
    char *hits = json_dumps(json_object_get(j, "hits"), JSON_COMPACT);
    ASSERT_STR_EQ("[[1,2,0,0]]", hits);
    free(hits);
    json_decref(j);
    j = shoal_json("query far.obj a.obj --list --json");
    ASSERT(j && json_is_array(json_object_get(j, "list")));
    ASSERT_EQ(0u, json_array_size(json_object_get(j, "list")));
    json_decref(j);
    shoal("query self.obj --list | grep -v '^#'");
    ASSERT_STR_EQ("0 0 0 1\n0 0 1 2\n", last.out);
    shoal("query a.obj b.off");
    ASSERT_EQ(0, last.code);
    ASSERT(strstr(last.out, "pairs     1 "));
    PASS();
}

#define RUN_HELP " (see shoal run --help)"
#define QUERY_HELP " (see shoal query --help)"

TEST wrong_usage(void)
{
    static const refusal rows[] = {
        {"frob", 64, "shoal: unknown command 'frob' (see shoal --help)"},
        {"--json", 64, "shoal: '--json' needs a command (see shoal --help)"},
        {"--depth query a.obj", 64, "shoal query: unknown option '--depth'" QUERY_HELP},
        {"query a.obj --ccd", 64, "shoal query: unknown option '--ccd'" QUERY_HELP},
        {"run nope", 64, "shoal run: unknown scene 'nope'; shoal scenes lists them" RUN_HELP},
        {"run bumpy-2 arms-27", 64,
         "shoal run: one scene at a time, not also 'arms-27'" RUN_HELP},
        {"run -t 2x", 64, "shoal run: -t '2x' is not a whole number from 1 to 4096" RUN_HELP},
        {"run --threads 0", 64,
         "shoal run: --threads '0' is not a whole number from 1 to 4096" RUN_HELP},
        {"run -t4097", 64,
         "shoal run: -t '4097' is not a whole number from 1 to 4096" RUN_HELP},
        {"run -t -1", 64, "shoal run: -t '-1' is not a whole number from 1 to 4096" RUN_HELP},
        {"run -t ''", 64, "shoal run: -t '' is not a whole number from 1 to 4096" RUN_HELP},
        {"run -t 99999999999999999999", 64,
         "shoal run: -t '99999999999999999999' is not a whole number from 1 to 4096" RUN_HELP},
        {"run -t", 64, "shoal run: -t needs a value, N" RUN_HELP},
        {"run -t 1 --threads 2", 64, "shoal run: --threads is given twice" RUN_HELP},
        {"run --json=1", 64, "shoal run: '--json=1': --json takes no value" RUN_HELP},
        {"run --executor fast", 64,
         "shoal run: --executor 'fast' is not omp, serial, loops or guard" RUN_HELP},
        {"run --strategy sideways", 64,
         "shoal run: --strategy 'sideways' is not hybrid, bottom-up, top-down, "
         "optimal or auto" RUN_HELP},
        {"run --cpu sse", 64, "shoal run: --cpu 'sse' is not ref, avx2 or avx512" RUN_HELP},
        {"run --steps 0", 64,
         "shoal run: --steps '0' is not a whole number from 1 to 1000000000" RUN_HELP},
        {"run -s k", 64, "shoal run: -s 'k' is not KEY=VALUE" RUN_HELP},
        {"run bumpy-27 -s k=10", 64,
         "shoal run: -s 'k=10': k is 0 to 9: ~20 * 4^k triangles, beams 72 * 4^k" RUN_HELP},
        {"run bumpy-27 -s k=1 -s k=2", 64, "shoal run: -s 'k=2': it is given twice" RUN_HELP},
        {"run --steps 3 -s steps=3", 64, "shoal run: -s 'steps=3': it is given twice" RUN_HELP},
        {"run bumpy-27 -s precision=f16", 64,
         "shoal run: -s 'precision=f16': precision is f32 or f64: type of the "
         "positions" RUN_HELP},
        {"run bumpy-2 -s bodies=3", 64,
         "shoal run: -s 'bodies=3': bumpy-2 has no such parameter, only k steps seed precision"
         " order hold builder arity" RUN_HELP},
        {"query", 64, "shoal query: which FILE?" QUERY_HELP},
        {"query a.obj --pairs", 64,
         "shoal query: --pairs needs two files or more, there is only 'a.obj'" QUERY_HELP},
        {"query --first a.obj", 64,
         "shoal query: --first needs two files or more, there is only 'a.obj'" QUERY_HELP},
        {"query a.obj b.off --first --pairs", 64,
         "shoal query: --pairs and --first exclude each other" QUERY_HELP},
        {"info now --graph", 64, "shoal info: 'now' has no graph (see shoal info --help)"},
        {"scenes now", 64, "shoal scenes: 'now' is not needed (see shoal scenes --help)"},
    };
    CHECK_REFUSALS(rows);
    ASSERT_EQ(0, setenv("SHOAL_CPU", "best", 1));
    shoal("info");
    ASSERT_EQ(0, unsetenv("SHOAL_CPU"));
    ASSERT_EQ(64, last.code);
    ASSERT(strstr(last.err, "SHOAL_CPU=best is not ref, avx2 or avx512"));
    PASS();
}

TEST bad_input(void)
{
    static const refusal rows[] = {
        {"info now", 65, "now: No such file or directory"},
        {"query missing.obj a.obj", 65, "missing.obj: No such file or directory"},
        {"query a.obj folder.obj", 65, "folder.obj: is a directory"},
        {"query index.obj --json", 65, "index.obj:4: face names vertex 99, the file has 3"},
        {"query a.obj nan.obj", 65, "nan.obj:2: 'nan' is not finite"},
        {"query none.obj", 65, "none.obj: the file has no triangles"},
        {"query empty.ply", 65, "empty.ply: the file is empty"},
        {"query cut.ply a.obj --json", 65,
         "cut.ply: byte 169: 3 vertices do not fit in the 3 bytes that follow"},
        {"query cut.stl", 65, "cut.stl: byte 80: 2 triangles need 184 bytes, the file has 87"},
        {"query 'no\nfile.obj'", 65, "no?file.obj: No such file or directory"},
    };
    CHECK_REFUSALS(rows);
    PASS();
}

TEST output_that_fails(void)
{
    static const refusal rows[] = {
        {"info >/dev/full", 74,
         "shoal: cannot write to standard output: No space left on device"},
        {"scenes --json >/dev/full", 74,
         "shoal: cannot write to standard output: No space left on device"},
        {"query a.obj b.off --list --json >/dev/full", 74,
         "shoal: cannot write to standard output: No space left on device"},
        {"run bumpy-27 -s k=1 --steps 2 >/dev/full", 74,
         "shoal: cannot write to standard output: No space left on device"},
        {"run --help >/dev/full", 74,
         "shoal: cannot write to standard output: No space left on device"},
        {"query a.obj b.off >&-", 74,
         "shoal: cannot write to standard output: Bad file descriptor"},
    };
    CHECK_REFUSALS(rows);
    PASS();
}

#define LITTLE "ulimit -v 600000; \"$SHOAL_TOOL\" "

TEST memory_that_ends(void)
{
    ASSERT_EQ(0, setenv("OMP_NUM_THREADS", "1", 1));
    shoal("--version >/dev/null; " LITTLE "--version");
    const bool possible = last.code == 0; // sanitizers reserve more than this to begin with
    if (possible)
        shoal("--version >/dev/null; " LITTLE "run bumpy-27 -s bodies=1000 -s k=7");
    ASSERT_EQ(0, unsetenv("OMP_NUM_THREADS"));
    if (!possible)
        SKIPm("the tool does not start in 600 MB of address space");
    ASSERT_EQ(71, last.code);
    ASSERT_STR_EQ("shoal: out of memory\n", last.err);
    ASSERT_STR_EQ("", last.out);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    write_files();
    RUN_TEST(help_and_version);
    RUN_TEST(info_tells);
    RUN_TEST(info_tells_the_limit);
    RUN_TEST(scenes_are_listed);
    RUN_TEST(run_reports);
    RUN_TEST(hashes_agree);
    RUN_TEST(hash_counts_steps);
    RUN_TEST(query_finds);
    RUN_TEST(query_lists);
    RUN_TEST(wrong_usage);
    RUN_TEST(bad_input);
    RUN_TEST(output_that_fails);
    RUN_TEST(memory_that_ends);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
