// SPDX-License-Identifier: MIT
// Disks that are full or broken: every output of a run fails at every call that writes it. The
// run says which file and why, exits with 74, and the checkpoint before it is intact: without
// the fault it goes on to the same end. SHOAL_SHIM names the library that makes calls fail.
#include "run_folder.h"

#include <errno.h>
#include <sys/stat.h>

#ifdef HAS_HDF5
#define FORMATS "hdf5,vtp,pc2,ply"
#else
#define FORMATS "vtp,pc2,ply"
#endif

static const char base_args[] = "run bumpy-27 -s k=1 --steps 60 --checkpoint-every 10 -q "
                                "--every 4 --segment 20 --format " FORMATS;

static const char *const calls[] = {"write", "fsync", "rename", "open"};
static const int errors[] = {ENOSPC, EIO};

// Runs the tool with a fault.
static int with_fault(const char *fault, const char *args)
{
    char line[16384];
    snprintf(line, sizeof line,
             "LD_PRELOAD='%s' SHOAL_FAULT='%s' '%s' %s >out.txt 2>err.txt </dev/null",
             getenv("SHOAL_SHIM"), fault, tool_path, args);
    write_text("run.sh", line);
    const int status = system("sh ./run.sh");
    show_ran(line, status);
    if (!slurp("out.txt", last.out, sizeof last.out) ||
        !slurp("err.txt", last.err, sizeof last.err))
        abort();
    return last.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int fault_test(const char *call, int error, int nth, const char *part, const char *args)
{
    char fault[128];
    snprintf(fault, sizeof fault, "%s:%d:%d:%s", call, error, nth, part);
    return with_fault(fault, args);
}

// A run in "base" that was stopped after step 1, and in "whole" one that was not.
static bool make_base(void)
{
    char args[256];
    snprintf(args, sizeof args, "%s -o whole", base_args);
    if (shoal(args) != 0 || mkdir("base", 0777) != 0)
        return false;
    write_text("base/stop", "");
    snprintf(args, sizeof args, "%s -o base", base_args);
    return shoal(args) == 75 && access("base/checkpoint-000001.shc", F_OK) == 0;
}

static enum greatest_test_res strikes(const char *call, int error, int nth, const char *part,
                                      int *struck)
{
    char args[256];
    ASSERT_EQ(0, system("rm -rf hit && cp -r base hit"));
    snprintf(args, sizeof args, "%s -o hit --resume", base_args);
    const int code = fault_test(call, error, nth, part, args);
    if (code == 0) { // there are not so many calls
        ASSERT_EQ(-1, metrics_differ("whole", "hit"));
        PASS();
    }
    ++*struck;
    ASSERT_EQm(last.err, 74, code);
    ASSERT_STR_EQ("", last.out);
    ASSERTm(last.err, strncmp(last.err, "shoal run: hit/", 15) == 0);
    ASSERTm(last.err, strstr(last.err, strerror(error)));
    ASSERT_EQm("one line", strlen(last.err) - 1, strcspn(last.err, "\n"));
    ASSERTm("half-written files are not left", count_files("hit", ".shoal-") == 0);
    if (strstr(last.err, "hit/report.html")) { // all else was done
        ASSERT_EQ(-1, metrics_differ("whole", "hit"));
        ASSERT_EQ(0, shoal("report hit"));
        PASS();
    }
    ASSERTm("a checkpoint is", count_files("hit", "checkpoint-") > 0);
    ASSERT_EQm("without the fault it goes on", 0, shoal(args));
    ASSERT_STR_EQ("", last.err);
    ASSERT_EQ(-1, metrics_differ("whole", "hit"));
    PASS();
}

TEST every_call_may_fail(void)
{
    static const char *const parts[] = {"hit/metrics.jsonl", "hit/.shoal",  "hit/results-",
                                        "hit/points.pc2",    "hit/frames-", "hit/"};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        int struck = 0;
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            for (int nth = 1; nth <= 12; nth += nth < 4 ? 1 : 4)
                CHECK_CALL(strikes(calls[c], errors[(size_t)nth % 2], nth, parts[p], &struck));
        }
        ASSERTm(calls[c], struck >= 3);
    }
    PASS();
}

// Files that appear whole under their names, each one when it would.
TEST every_file_may_fail(void)
{
    static const char *const parts[] = {
        "hit/run.json",     "hit/checkpoint-", "hit/frame-",      ".ply",
        "hit/frames.pvd",   "hit/points.obj",  "hit/report.html",
#ifdef HAS_HDF5
        "hit/results.xdmf", "hit/results-at-",
#endif
    };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        int struck = 0;
        CHECK_CALL(strikes("rename", errors[p % 2], 1, parts[p], &struck));
        ASSERT_EQm(parts[p], 1, struck);
        ASSERTm(last.err, strstr(parts[p], "report") || !*last.err);
    }
    static const char *const pictures[] = {"hit/pictures/step-", "hit/pictures/sheet.png"};
    for (int p = 0; p < 2 && access("whole/pictures/sheet.png", F_OK) == 0; p++) {
        int struck = 0; // where there is OpenGL
        CHECK_CALL(strikes("rename", errors[p], 1, pictures[p], &struck));
        ASSERT_EQm(pictures[p], 1, struck);
    }
    // and what they hold, from the first byte to the last
    bool some = true;
    for (int nth = 5; some; nth += 9) {
        int struck = 0;
        CHECK_CALL(strikes("write", ENOSPC, nth, "hit/.shoal", &struck));
        some = struck > 0;
    }
    PASS();
}

// Large frames go to the disk another way.
TEST large_frames_may_fail(void)
{
#ifdef HAS_HDF5
    static const char args[] =
        "run bumpy-27 -s k=4 -s bodies=9 --steps 4 -q --every 2 --segment 2 -o big "
        "--frames 0 --checkpoint-every 3";
    char again[256];
    snprintf(again, sizeof again, "%s --resume", args);
    ASSERT_EQ(0, system("rm -rf big"));
    ASSERT_EQm(last.err, 0, fault_test("write", 0, 1, "big/results-", args));
    ASSERT_EQ(0, system("rm -rf large && mv big large"));
    for (int nth = 1; nth < 6; nth++) { // none is passed over, also if all others succeed
        ASSERT_EQ(0, system("rm -rf big"));
        ASSERT_EQm(last.err, 74, fault_test("write", -EIO, nth, "big/results-", args));
        ASSERTm(last.err, strstr(last.err, strerror(EIO)));
    }
    for (int nth = 1; nth < 100; nth *= 3) {
        ASSERT_EQ(0, system("rm -rf big"));
        const int code = fault_test("write", ENOSPC, nth, "big/results-", args);
        if (code == 0)
            break;
        ASSERT_EQm(last.err, 74, code);
        ASSERTm(last.err, strncmp(last.err, "shoal run: big/results-", 23) == 0);
        ASSERTm(last.err, strstr(last.err, strerror(ENOSPC)));
        ASSERT_EQm(again, 0, shoal(again));
        ASSERT_EQ(-1, metrics_differ("large", "big"));
        ASSERT_EQ(0, system("! command -v h5diff >/dev/null || for f in large/*.h5; do "
                            "h5diff $f big/${f#large/} >/dev/null || exit 1; done"));
    }
    PASS();
#else
    SKIP();
#endif
}

TEST short_writes_are_no_fault(void)
{
    char args[256];
    ASSERT_EQ(0, system("rm -rf hit && cp -r base hit"));
    snprintf(args, sizeof args, "%s -o hit --resume", base_args);
    ASSERT_EQm(last.err, 0, fault_test("write", 0, 1, "hit/", args));
    ASSERT_EQ(-1, metrics_differ("whole", "hit"));
    PASS();
}

// What the user names keeps its old content if the new one cannot be written, also through a
// link; a folder that is not the name's own is named.
TEST links_keep_what_they_lead_to(void)
{
    static const char plot[] = "run bumpy-2 -s k=1 --steps 20 -q --frames 0 --plot link.svg -o",
                      trace[] = "run bumpy-2 -s k=1 --steps 20 -q --frames 0 --trace link.svg "
                                "-o",
                      model[] = "model whole/points.obj -o";
    static char args[256];
    ASSERT_EQ(0, mkdir("far", 0777));
    write_text("far/old.svg", "old");
    ASSERT(symlink("far/old.svg", "link.svg") == 0 && symlink("far/old.svg", "m.model") == 0);
    const char *const all[] = {plot, trace, model};
    for (int i = 0; i < 3; i++) {
        const char *to = i == 2 ? "m.model" : "linked";
        snprintf(args, sizeof args, "%s %s", all[i], to);
        ASSERT_EQ(0, system("rm -rf linked"));
        ASSERT_EQm(args, 74, fault_test("rename", ENOSPC, 1, "far/", args));
        ASSERTm(last.err, strstr(last.err, i == 2 ? "m.model: " : "link.svg: "));
        ASSERTm(last.err, strstr(last.err, strerror(ENOSPC)));
        ASSERT_EQ(0,
                  system("test \"$(cat far/old.svg)\" = old && test $(ls -A far | wc -l) = 1"));
        ASSERT_EQ(0, system("rm -rf linked"));
        ASSERT_EQm(args, 74, fault_test("open", EACCES, 1, "far/", args));
        ASSERTm(last.err, strstr(last.err, "it links to far/old.svg, and that folder cannot be "
                                           "written: Permission denied\n"));
        ASSERT_EQ(0, system("rm -rf linked"));
        ASSERT_EQm(args, 0, shoal(args));
        ASSERT_EQ(0, system("test \"$(cat far/old.svg)\" != old && test -L link.svg && "
                            "printf old >far/old.svg"));
    }
    PASS();
}

// A new run says at once that it cannot write.
TEST new_runs_fail_early(void)
{
    char args[256];
    snprintf(args, sizeof args, "%s -o fresh", base_args);
    ASSERT_EQ(74, fault_test("open", EACCES, 1, "fresh/metrics", args));
    ASSERT_STR_EQ("shoal run: fresh/metrics.jsonl: Permission denied\n", last.err);
    ASSERT_EQ(74, fault_test("write", ENOSPC, 1, "fresh/.shoal", args));
    ASSERT_STR_EQ("shoal run: fresh/run.json: No space left on device\n", last.err);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open() || !getenv("SHOAL_SHIM"))
        return 1;
    if (!make_base()) {
        show_failure();
        return 1;
    }
    RUN_TEST(every_call_may_fail);
    RUN_TEST(every_file_may_fail);
    RUN_TEST(large_frames_may_fail);
    RUN_TEST(short_writes_are_no_fault);
    RUN_TEST(links_keep_what_they_lead_to);
    RUN_TEST(new_runs_fail_early);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
