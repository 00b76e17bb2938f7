// SPDX-License-Identifier: MIT
// Checkpoints with right checksums that say what no run would: they are refused with one line,
// or the run goes on.
#include "run_folder.h"

#include "cli/run/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>
#include <xxhash.h>

static shl_checkpoint at; // the one that is forged

// Stops a run after its first step, and reads its checkpoint.
static bool stop(const char *args, const char *folder)
{
    char text[256];
    shl_checkpoint_error why;
    snprintf(text, sizeof text, "%s/stop", folder);
    if (mkdir(folder, 0777) != 0)
        return false;
    write_text(text, "");
    snprintf(text, sizeof text, "run %s -q -o %s", args, folder);
    if (shoal(text) != 75)
        return false;
    snprintf(text, sizeof text, "%s/checkpoint-000001.shc", folder);
    return shl_checkpoint_read(text, 1 << 24, &at, &why);
}

// Writes it back, and goes on with the run.
static int go_on(const char *args, const char *folder)
{
    char text[256];
    snprintf(text, sizeof text, "%s/checkpoint-000001.shc", folder);
    if (shl_checkpoint_write(text, &at) != 0)
        return -1;
    snprintf(text, sizeof text, "run %s -q -o %s --resume", args, folder);
    return shoal(text);
}

static const char small[] = "bumpy-2 -s k=1 --steps 3 --plot plot.svg";

TEST forged_sums_are_refused(void)
{
    static const struct {
        const char *key, *value;
    } rows[] = {{"steps", "1000000"},     {"steps", "0"},
                {"shoal_s", "1.7e308"},   {"shoal_s", "-1"},
                {"dynamics", "[[1, 2]]"}, {"dynamics", "[[-1,0,0,0,0,0,0,0]]"},
                {"pairs", "[\"1\"]"}};
    ASSERT(stop(small, "sums"));
    json_t *totals = json_object_get(at.head, "totals");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_error_t error;
        json_t *before = json_incref(json_object_get(totals, rows[i].key));
        ASSERT(before);
        json_object_set_new(totals, rows[i].key,
                            json_loads(rows[i].value, JSON_DECODE_ANY, &error));
        ASSERT_EQm(rows[i].value, 65, go_on(small, "sums"));
        ASSERT_STR_EQ("shoal run: sums/checkpoint-000001.shc cannot be used: its sums are "
                      "incomplete\nshoal run: no checkpoint in sums can be used; remove the "
                      "folder to begin anew\n",
                      last.err);
        json_object_set_new(totals, rows[i].key, before);
    }
    ASSERT_EQm(last.err, 0, go_on(small, "sums"));
    shl_checkpoint_finish(&at);
    PASS();
}

TEST forged_states_are_refused(void)
{
    static const struct {
        const char *args, *folder;
    } rows[] = {{"bumpy-2 -s k=1 --steps 3", "free"},
                {"chairs -s count=1 -s spheres=3 --steps 3", "chairs"},
                {"letters-bowl -s bodies=1 --steps 3", "letters"},
                {"breaking -s bodies=1 --steps 3", "breaking"},
                {"fish-24 -s bodies=1 -s vertices=500 -s controls=30 --steps 3", "fish"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[512];
        ASSERTm(rows[i].args, stop(rows[i].args, rows[i].folder));
        at.state_size -= 4;
        ASSERT_EQm(rows[i].args, 65, go_on(rows[i].args, rows[i].folder));
        snprintf(line, sizeof line,
                 "shoal run: %s/checkpoint-000001.shc cannot be used: its state is not one of "
                 "this scene\nshoal run: no checkpoint in %s can be used; remove the folder to "
                 "begin anew\n",
                 rows[i].folder, rows[i].folder);
        ASSERT_STR_EQ(line, last.err);
        at.state_size += 4;
        ASSERT_EQm(last.err, 0, go_on(rows[i].args, rows[i].folder));
        shl_checkpoint_finish(&at);
    }
    PASS();
}

// A block breaks at bonds that hold, and no more often than it has some.
TEST blocks_break_once(void)
{
    static const char args[] = "breaking -s bodies=1 --steps 3";
    const uint64_t event[4] = {1, 0, 1, 0}; // the first bond of the first block, twice
    ASSERT(stop(args, "twice"));
    char *more = realloc(at.state, at.state_size + sizeof event);
    ASSERT(more);
    memcpy(more + at.state_size, event, sizeof event);
    at.state = more;
    at.state_size += sizeof event;
    const uint32_t own = sizeof event;
    memcpy(more + 12, &own, sizeof own); // of the head: steps, particles, clusters, own
    ASSERT_EQ(65, go_on(args, "twice"));
    ASSERT(strstr(last.err, "its state is not one of this scene"));
    shl_checkpoint_finish(&at);
    PASS();
}

// Speeds and places beyond all reason: refused, or the step before is another one, or the run
// goes on and tells that an energy is no number.
TEST any_numbers_go_on(void)
{
    static const char args[] = "chairs -s count=1 -s spheres=3 --steps 3";
    static const double odd[] = {1e200, INFINITY, NAN};
    bool told = false;
    ASSERT(stop(args, "odd"));
    ASSERT_EQ(0, system("cp -r odd odd.kept"));
    for (size_t i = 0; i < 13 * 3; i++) { // centre, turn, velocity, spin
        double before;
        memcpy(&before, (char *)at.state + i / 3 * 8, 8);
        memcpy((char *)at.state + i / 3 * 8, &odd[i % 3], 8);
        const int code = go_on(args, "odd");
        ASSERTm(last.err, code == 0 || code == 1 || code == 65);
        json_t *run = run_json("odd");
        ASSERT(run);
        const json_t *rows = json_object_get(run, "dynamics");
        told |= json_is_null(json_object_get(json_array_get(rows, 2), "kinetic_j"));
        json_decref(run);
        memcpy((char *)at.state + i / 3 * 8, &before, 8);
        ASSERT_EQ(0, system("rm -r odd && cp -r odd.kept odd"));
    }
    ASSERT(told); // else the numbers were too tame
    shl_checkpoint_finish(&at);
    PASS();
}

// Counts that no integer holds are not plotted as one.
TEST forged_metrics_are_plotted(void)
{
    ASSERT(stop(small, "metrics"));
    static const char line[] = "{\"step\": 1, \"pairs\": -1e308, \"measured\": {}}\n";
    write_text("metrics/metrics.jsonl", line);
    json_t *mark = json_object_get(json_object_get(at.head, "outputs"), "metrics.jsonl");
    ASSERT(mark);
    json_object_set_new(mark, "bytes", json_integer(sizeof line - 1));
    json_object_set_new(mark, "xxh3",
                        json_sprintf("%016" PRIx64, XXH3_64bits(line, sizeof line - 1)));
    ASSERT_EQm(last.err, 0, go_on(small, "metrics"));
    char plot[1 << 14];
    ASSERT(slurp("plot.svg", plot, sizeof plot));
    ASSERT_EQ(NULL, strstr(plot, "e+1"));
    shl_checkpoint_finish(&at);
    PASS();
}

#ifdef HAS_HDF5
// What a checkpoint says of an HDF5 file has to be what is in it.
TEST forged_sizes_are_refused(void)
{
    static const char args[] = "bumpy-2 -s k=1 --steps 4 --every 1 --segment 2";
    static const char *const keys[] = {"first",   "frames",  "points",   "cells", "parts",
                                       "cell_at", "part_at", "contacts", "pairs"};
    ASSERT(stop(args, "sizes"));
    json_t *row = json_object_get(json_object_get(at.head, "outputs"), "results.h5");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *before = json_incref(json_object_get(row, keys[i]));
        ASSERTm(keys[i], json_is_integer(before));
        json_object_set_new(row, keys[i], json_integer((json_int_t)1 << 33));
        ASSERT_EQm(keys[i], 65, go_on(args, "sizes"));
        json_object_set_new(row, keys[i], before);
    }
    ASSERT_EQm(last.err, 0, go_on(args, "sizes"));
    shl_checkpoint_finish(&at);
    PASS();
}
#endif

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(forged_sums_are_refused);
    RUN_TEST(forged_states_are_refused);
    RUN_TEST(blocks_break_once);
    RUN_TEST(any_numbers_go_on);
    RUN_TEST(forged_metrics_are_plotted);
#ifdef HAS_HDF5
    RUN_TEST(forged_sizes_are_refused);
#endif
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
