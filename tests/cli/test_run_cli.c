// SPDX-License-Identifier: MIT
// Folders of runs: where they are, what is in them, who is refused.
#include "run_folder.h"

#include <sys/stat.h>

TEST folders_are_numbered(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 5 -q"));
    ASSERT(strstr(last.out, "  folder       runs/bumpy-2-1\n"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 5 -q"));
    ASSERT_EQ(0, shoal("run bumpy-27 -s k=1 --steps 5 -q"));
    ASSERT_EQ(0, mkdir("runs/bumpy-2-7", 0777));
    ASSERT_EQ(0, mkdir("runs/bumpy-2-9x", 0777));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 5 -q"));
    ASSERT(strstr(last.out, "  folder       runs/bumpy-2-8\n"));
    ASSERT_EQ(0, access("runs/bumpy-2-2/run.json", F_OK));
    ASSERT_EQ(0, access("runs/bumpy-27-1/metrics.jsonl", F_OK));
    PASS();
}

TEST metrics_have_a_line_a_step(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=3 --steps 80 -q -o m"));
    FILE *f = fopen("m/metrics.jsonl", "r");
    ASSERT(f);
    char line[4096];
    int n = 0;
    json_int_t pairs = 0;
    for (; fgets(line, sizeof line, f); n++) {
        json_error_t error;
        json_t *row = json_loads(line, 0, &error);
        ASSERT(row);
        ASSERT_EQ(n + 1, number_of(row, "step"));
        ASSERT(is_hash(text_of(row, "hash")));
        pairs += number_of(row, "pairs");
        ASSERT(real_of(json_object_get(row, "measured"), "wall_ms") > 0);
        ASSERT(number_of(json_object_get(row, "measured"), "workers") >= 1);
        json_decref(row);
    }
    fclose(f);
    ASSERT_EQ(80, n);
    json_t *run = run_json("m");
    ASSERT_EQ(pairs, number_of(run, "pairs_total"));
    ASSERT(pairs > 0);
    json_decref(run);
    PASS();
}

// A run that writes frames has helpers of its own, unless the environment says how threads
// wait.
TEST helpers_change_nothing(void)
{
    ASSERT_EQ(0, shoal("run bumpy-27 -s k=4 --steps 40 -q -t 3 --every 7 --format pc2,vtp "
                       "--frames 0 -o by-omp"));
    unsetenv("OMP_WAIT_POLICY");
    const int code = shoal("run bumpy-27 -s k=4 --steps 40 -q -t 3 --every 7 --format pc2,vtp "
                           "--frames 0 -o by-crew --trace trace.json");
    setenv("OMP_WAIT_POLICY", "passive", 1);
    ASSERT_EQm(last.err, 0, code);
    ASSERT_EQ(-1, metrics_differ("by-omp", "by-crew"));
    ASSERT_EQ(0, system("cmp by-omp/points.pc2 by-crew/points.pc2 && "
                        "cmp by-omp/frame-000035.vtp by-crew/frame-000035.vtp"));
    json_t *run = run_json("by-crew");
    ASSERT_EQ(3, number_of(run, "threads"));
    json_decref(run);
    ASSERT_EQm("some came", 0, system("grep -q '\"workers\":[23]' by-crew/metrics.jsonl"));
    PASS();
}

TEST run_json_tells_what_ran(void)
{
    json_t *said = shoal_json("run beams -s k=1 -s bodies=8 --steps 9 -q -o r -t 1 --json");
    ASSERT(said);
    json_t *run = run_json("r");
    ASSERT(run);
    ASSERT_STR_EQ("finished", text_of(run, "state"));
    ASSERT_STR_EQ(text_of(said, "hash"), text_of(run, "hash"));
    ASSERT_STR_EQ("r", text_of(said, "folder"));
    ASSERT_EQ(9, number_of(run, "steps_done"));
    ASSERT_EQ(1, number_of(run, "threads"));
    ASSERT_EQ(1u, json_array_size(json_object_get(run, "bindings")));
    ASSERT(is_hash(text_of(run, "input_hash")));
    ASSERT(*text_of(json_object_get(run, "build"), "compiler"));
    ASSERT(strstr(text_of(json_object_get(run, "build"), "flags"), "optimization="));
    ASSERT(*text_of(json_object_get(run, "build"), "commit"));
    ASSERT(number_of(json_object_get(run, "machine"), "cpus") >= 1);
    ASSERT(*text_of(json_object_get(run, "gpu"), "reason"));
    ASSERT_STR_EQ("beams", text_of(json_object_get(run, "input"), "scene"));
    ASSERT_STR_EQ("passive", text_of(json_object_get(run, "environment"), "OMP_WAIT_POLICY"));
    // the same input has the same hash, whatever else differs
    ASSERT_EQ(0,
              shoal("run -t 2 beams --steps 9 -q -s bodies=8 -o r2 -s k=1 --executor loops"));
    ASSERT_EQ(0, shoal("run beams --steps 9 -q -s bodies=8 -o r3 -s k=1 -s seed=2"));
    json_t *same = run_json("r2"), *other = run_json("r3");
    ASSERT_STR_EQ(text_of(run, "input_hash"), text_of(same, "input_hash"));
    ASSERT(strcmp(text_of(run, "input_hash"), text_of(other, "input_hash")) != 0);
    ASSERT_EQ(-1, metrics_differ("r", "r2"));
    ASSERT(metrics_differ("r", "r3") > 0);
    json_decref(said);
    json_decref(run);
    json_decref(same);
    json_decref(other);
    PASS();
}

TEST other_files_do_not_matter(void)
{
    ASSERT_EQ(0, mkdir("mine", 0777));
    write_text("mine/notes.txt", "keep me");
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q -o mine/"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q -o deep/er/still"));
    ASSERT_EQ(0, access("deep/er/still/run.json", F_OK));
    char text[64];
    ASSERT(slurp("mine/notes.txt", text, sizeof text));
    ASSERT_STR_EQ("keep me", text);
    PASS();
}

TEST wrong_folders_are_refused(void)
{
    write_text("file", "x");
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q -o taken"));
    const refusal rows[] = {
        {"run bumpy-2 -s k=1 --steps 3 -o taken", 64,
         "shoal run: -o 'taken' holds a run already; --resume goes on (see shoal run --help)"},
        {"run bumpy-2 -s k=1 --steps 4 -o taken --resume", 64,
         "shoal run: --resume: 'taken' holds a run of another scene, parameters or outputs; "
         "run.json tells its command line (see shoal run --help)"},
        {"run bumpy-2 -s k=1 --steps 3 -o taken --resume", 0,
         "shoal run: the run in taken is finished"},
        {"run bumpy-2 -o file", 74, "shoal run: file: Not a directory"},
        {"run bumpy-2 -o file/x", 74, "shoal run: file/x: Not a directory"},
        {"run bumpy-2 -o /proc/nothing", 74,
         "shoal run: /proc/nothing: No such file or directory"},
        {"run bumpy-2 -o ''", 64, "shoal run: -o '' names no folder (see shoal run --help)"},
        {"run bumpy-2 --max-time 3:70", 64,
         "shoal run: --max-time '3:70' is not a time as 3:50:00, 90m or 20s (see shoal run "
         "--help)"},
        {"run bumpy-2 --max-time 0", 64,
         "shoal run: --max-time '0' is not a time as 3:50:00, 90m or 20s (see shoal run "
         "--help)"},
        {"run bumpy-2 --checkpoint-every 5x", 64,
         "shoal run: --checkpoint-every '5x' is neither a number of steps nor a time as 30m or "
         "1:30:00 (see shoal run --help)"},
    };
    CHECK_REFUSALS(rows);
    json_t *again = shoal_json("run bumpy-2 -s k=1 --steps 3 -o taken --resume --json");
    ASSERTm("a finished run prints what it printed", again);
    ASSERT_STR_EQ("finished", text_of(again, "state"));
    json_decref(again);
    PASS();
}

// A slip of the hand leaves no folder that --resume would take for the run.
TEST slips_leave_nothing(void)
{
    ASSERT_EQ(75, shoal("run arms-27 -s k=1 --steps 100000 -q --max-time 1s"));
    ASSERT_EQ(0, access("runs/arms-27-1/run.json", F_OK));
    static const char *const slips[] = {"-t abc",
                                        "--executor x",
                                        "--every x",
                                        "--size 1x1",
                                        "--list-margin -1",
                                        "--format ply",
                                        "--plot no/p.svg",
                                        "--trace no/t.json",
                                        "--plot runs",
                                        "--up 0,0,0",
                                        "--eye 1,2,3 --target 1,2,3"};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        char args[160];
        snprintf(args, sizeof args, "run arms-27 -s k=1 --steps 100000 -q %s", slips[i]);
        const int code = shoal(args);
        ASSERT_EQm(slips[i], i < 6 || i > 8 ? 64 : 74, code);
        ASSERTm(slips[i], access("runs/arms-27-2", F_OK) != 0);
    }
    ASSERT_EQ(64, shoal("run arms-27 --list-margin -1 -o other"));
    ASSERT(access("other", F_OK) != 0);
    ASSERT_EQ(0, mkdir("runs/arms-27-7", 0777)); // of somebody else
    ASSERT_EQ(75, shoal("run arms-27 -s k=1 --steps 100000 -q --max-time 1s --resume"));
    ASSERT(strstr(last.err, "shoal run: runs/arms-27-1: stopped"));
    PASS();
}

// What is no file is written to, not replaced by one.
// Whoever redirected the output gets all of it: the file is not replaced by another one.
TEST redirected_output_is_written_in_place(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q --frames 0 -o direct "
                       "--plot /dev/fd/3 3>direct.svg"));
    ASSERT_EQ(0, system("grep -q '</svg>' direct.svg"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q --frames 0 -o direct2 "
                       "--plot /dev/stdout | grep -c '</svg>'"));
    ASSERT_STR_EQ("1\n", last.out);
    ASSERT_EQ(0, system("printf x >same.svg"));
    struct stat before, after;
    ASSERT_EQ(0, stat("same.svg", &before));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q --frames 0 -o direct3 "
                       "--plot /dev/fd/4 4>>same.svg"));
    ASSERT(stat("same.svg", &after) == 0 && before.st_ino == after.st_ino);
    PASS();
}

TEST devices_stay_devices(void)
{
    ASSERT_EQ(0, symlink("/dev/full", "full.svg"));
    ASSERT_EQ(0, symlink("real.json", "link.json"));
    write_text("real.json", "old");
    write_text("link.json.part", "not yours");
    ASSERT_EQ(74, shoal("run bumpy-2 -s k=1 --steps 3 -q --plot full.svg"));
    ASSERT(strstr(last.err, "shoal run: full.svg: No space left on device"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 3 -q --trace link.json"));
    struct stat about;
    ASSERT(lstat("full.svg", &about) == 0 && S_ISLNK(about.st_mode));
    ASSERT(lstat("link.json", &about) == 0 && S_ISLNK(about.st_mode));
    json_error_t error;
    json_t *trace = json_load_file("real.json", 0, &error);
    ASSERT(json_array_size(trace) > 10);
    json_decref(trace);
    char text[64];
    ASSERT(slurp("link.json.part", text, sizeof text));
    ASSERT_STR_EQ("not yours", text);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(folders_are_numbered);
    RUN_TEST(metrics_have_a_line_a_step);
    RUN_TEST(helpers_change_nothing);
    RUN_TEST(run_json_tells_what_ran);
    RUN_TEST(other_files_do_not_matter);
    RUN_TEST(wrong_folders_are_refused);
    RUN_TEST(slips_leave_nothing);
    RUN_TEST(redirected_output_is_written_in_place);
    RUN_TEST(devices_stay_devices);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
