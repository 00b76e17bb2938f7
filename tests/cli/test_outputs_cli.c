// SPDX-License-Identifier: MIT
// Outputs tell the truth: two equal runs leave equal bytes; what a run finds when it goes on is
// verified and cut back; what a format cannot hold is said; a checkpoint whose state is wrong
// is passed over; a file that may not grow costs nothing but time.
#include "run_folder.h"

#include "cli/run/checkpoint.h"
#include "tests/unit/common/sanitized.h"

#include <sys/stat.h>

#ifdef HAS_HDF5
#define FORMATS "hdf5,pc2,ply,vtp"
#else
#define FORMATS "pc2,ply,vtp"
#endif

static const char chairs[] = "run chairs -s count=3 --steps 90 --checkpoint-every 9 -q "
                             "--every 5 --segment 20 --frames 0 --format " FORMATS;

// Runs the tool in a folder; `more` are further arguments.
static int run_in(const char *args, const char *folder, const char *more)
{
    char line[1024];
    snprintf(line, sizeof line, "%s -o %s %s", args, folder, more);
    return shoal(line);
}

// A run that cannot write its frame of `step`, since a folder has that name: it ends there, and
// its checkpoints before it stay.
static bool ends_at(const char *args, const char *folder, int step)
{
    char frame[64], line[256];
    snprintf(frame, sizeof frame, "%s/frame-%06d.vtp", folder, step);
    snprintf(line, sizeof line, "rm -rf %s && mkdir -p %s", folder, frame);
    if (system(line) != 0)
        return false;
    const int code = run_in(args, folder, "");
    snprintf(line, sizeof line, "shoal run: %s: Is a directory\n", frame);
    return code == 74 && strcmp(line, last.err) == 0 && rmdir(frame) == 0 &&
           count_files(folder, "checkpoint-") == 2;
}

// Whether two folders hold the same files, but for times and what was measured.
static bool same_files(const char *a, const char *b)
{
    char line[512];
    snprintf(line, sizeof line,
             "for f in $(ls -A %s %s); do case $f in *:|run.json|metrics.jsonl|report.html) ;; "
             "*) cmp %s/$f %s/$f || exit 1 ;; esac; done >&2",
             a, b, a, b);
    return system(line) == 0 && metrics_differ(a, b) == -1;
}

TEST equal_runs_leave_equal_bytes(void)
{
    sleep(2); // a time in seconds would be another one
    ASSERT_EQ(0, run_in(chairs, "two", ""));
    ASSERT(same_files("one", "two"));
    ASSERT(ends_at(chairs, "three", 45));
    ASSERT_EQ(0, run_in(chairs, "three", "--resume"));
    ASSERT_STR_EQ("", last.err);
    ASSERT(same_files("one", "three"));
    PASS();
}

// Blocks break, and a point cache cannot hold that: every process says so, and none goes on
// with another number of points than the header has.
TEST a_cache_has_one_number_of_points(void)
{
    static const char args[] = "run breaking --steps 60 --every 5 --frames 0 -q --format pc2 "
                               "--checkpoint-every 5";
    static const char line[] = "shoal run: brittle/points.pc2: step 40 has 2580 points, the "
                               "frames before it 2566: a point cache needs a constant number "
                               "of points\n";
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(74, run_in(args, "brittle", i ? "--resume" : ""));
        ASSERT_STR_EQ(line, last.err);
        ASSERT_EQ(0, system(i ? "cmp brittle/points.pc2 first.pc2"
                              : "cp brittle/points.pc2 first.pc2"));
    }
    struct stat about;
    ASSERT_EQ(0, stat("first.pc2", &about));
    ASSERT_EQ(32 + 7 * 12 * 2566, about.st_size);
    PASS();
}

// Files that are there when a run goes on, what is done to them, and what it says of them.
static const struct {
    const char *harm, *line;
} harms[] = {
    {"printf x >>w/frame-000020.vtp", "w/frame-000020.vtp: it is not what"},
    {"rm w/frame-000020.vtp", "w/frame-000020.vtp: No such file"},
    {"printf x >>w/frame-000020.ply", "w/frame-000020.ply: it is not what"},
    {"rm w/frame-000005.ply", "w/frame-000005.ply: No such file"},
    {"printf '#' >>w/points.obj", "w/points.obj: it is not what"},
    {"rm w/points.obj", "w/points.obj: No such file"},
    {"truncate -s 40 w/points.pc2", "w/points.pc2: it is not what"},
#ifdef HAS_HDF5
    {"printf x >>w/results-000000.h5", "w/results-000000.h5: it is not what"},
    {"rm w/results-000000.h5", "w/results-000000.h5: No such file"},
    {"cp w/results-000040.h5 w/results-000000.h5", "w/results-000000.h5: it is not what"},
#endif
};

TEST changed_outputs_are_noticed(void)
{
    ASSERT(ends_at(chairs, "stopped", 50));
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        ASSERT_EQ(0, system("rm -rf w && cp -r stopped w"));
        ASSERT_EQm(harms[i].harm, 0, system(harms[i].harm));
        ASSERT_EQm(harms[i].harm, 65, run_in(chairs, "w", "--resume"));
        ASSERTm(harms[i].line, strstr(last.err, harms[i].line));
        ASSERTm(last.err, strstr(last.err, "no checkpoint in w can be used"));
    }
    PASS();
}

// A process that was killed may have written more than its checkpoint knows of.
TEST later_frames_are_removed(void)
{
    ASSERT(ends_at(chairs, "w", 50));
    ASSERT_EQ(0, system("for s in 50 55 60; do for f in ply vtp; do echo x >w/frame-0000$s.$f; "
                        "done; done; "
                        "echo x >>w/points.pc2; echo x >>w/frames-vtp.jsonl; "
                        "echo x >>w/frames-ply.jsonl"));
#ifdef HAS_HDF5
    ASSERT_EQ(0, system("echo x >w/results-000060.h5; echo x >w/results-000080.h5"));
#endif
    write_text("w/stop", "");
    ASSERT_EQ(75, run_in(chairs, "w", "--resume"));
    ASSERT_EQ(2 * 9, count_files("w", "frame-"));
    ASSERT_EQ(0, count_files("w", "results-000060.h5") + count_files("w", "results-000080.h5"));
    ASSERT_EQ(0, run_in(chairs, "w", "--resume"));
    ASSERT_EQ(-1, metrics_differ("one", "w"));
    ASSERT_EQ(0, system("cmp one/points.pc2 w/points.pc2 && cmp one/frames.pvd w/frames.pvd"));
    PASS();
}

// What is done to the state of a checkpoint, which then is whole by its checksums.
static bool forge(const char *path, bool shorter)
{
    shl_checkpoint c;
    shl_checkpoint_error why;
    if (!shl_checkpoint_read(path, 1 << 28, &c, &why) || c.state_size < 64)
        return false;
    if (shorter)
        c.state_size -= 8;
    // the highest bit below the exponents of many numbers: they become others
    for (size_t i = c.state_size / 32 * 8; !shorter && i + 8 < c.state_size * 3 / 4; i += 8)
        ((unsigned char *)c.state)[i + 6] ^= 8;
    const int code = shl_checkpoint_write(path, &c);
    shl_checkpoint_finish(&c);
    return code == 0;
}

static enum greatest_test_res passes_over(const char *args, const char *whole, int end,
                                          const char *late, bool shorter)
{
    char path[64], line[128];
    ASSERT(ends_at(args, "w", end));
    snprintf(path, sizeof path, "w/checkpoint-%s.shc", late);
    ASSERT(forge(path, shorter));
    ASSERT_EQ(0, run_in(args, "w", "--resume"));
    snprintf(line, sizeof line, "shoal run: %s cannot be used: %s", path,
             shorter ? "its state is not one of this scene" : "step ");
    ASSERTm(line, strncmp(line, last.err, strlen(line)) == 0);
    ASSERT_EQm("one line", strlen(last.err) - 1, strcspn(last.err, "\n"));
    ASSERT(same_files(whole, "w"));
    PASS();
}

TEST wrong_states_are_passed_over(void)
{
    // in this one, what a checkpoint does to the scene cannot be taken back
    static const char breaking[] = "run breaking --steps 54 --checkpoint-every 5 -q --every 6 "
                                   "--frames 0 --format vtp";
    static const char tangle[] = "run tangle -s k=2 --steps 54 --checkpoint-every 5 -q "
                                 "--every 6 --frames 0 --format " FORMATS;
    ASSERT_EQ(0, run_in(breaking, "shards", ""));
    ASSERT_EQ(0, run_in(tangle, "tangled", ""));
    for (int shorter = 0; shorter < 2; shorter++) {
        CHECK_CALL(passes_over(tangle, "tangled", 54, "000050", shorter));
        CHECK_CALL(passes_over(breaking, "shards", 54, "000050", shorter));
    }
    ASSERT(ends_at(tangle, "w", 54));
    ASSERT(forge("w/checkpoint-000050.shc", true) && forge("w/checkpoint-000045.shc", false));
    ASSERT_EQ(65, run_in(tangle, "w", "--resume"));
    ASSERT(strstr(last.err, "no checkpoint in w can be used; remove the folder"));
    PASS();
}

// Runs the tool with files of at most so many bytes.
static int limited(rlim_t most, const char *args, const char *folder, const char *more)
{
    limit_files(most);
    const int code = run_in(args, folder, more);
    limit_files(0);
    return code;
}

TEST files_that_may_not_grow(void)
{
    if (WATCHED_FOR_RACES)
        SKIPm("the limit holds for the sanitizer's own files, too");
    int failed = 0;
    for (rlim_t most = 3000; most < 10000000; most *= 3) {
        ASSERT_EQ(0, system("rm -rf w"));
        const int code = limited(most, chairs, "w", "");
        if (code != 0) {
            failed++;
            ASSERT_EQm(last.err, 74, code);
            ASSERTm(last.err, strncmp(last.err, "shoal run: w/", 13) == 0);
            ASSERTm(last.err, strstr(last.err, "File too large\n"));
            ASSERT_EQm("one line", strlen(last.err) - 1, strcspn(last.err, "\n"));
            ASSERT_EQ(0, run_in(chairs, "w", "--resume"));
        }
        ASSERT_EQ(-1, metrics_differ("one", "w"));
        ASSERT_EQ(0, system("cmp one/points.pc2 w/points.pc2"));
    }
    ASSERT(failed >= 3);
    // what the user named keeps its old content, also through a link
    write_text("old.json", "old");
    ASSERT_EQ(0, symlink("old.json", "link.json"));
    ASSERT_EQ(74, limited(40000, "run bumpy-2 -s k=1 --steps 30 -q --frames 0", "p",
                          "--trace link.json"));
    ASSERT_STR_EQ("shoal run: link.json: File too large\n", last.err);
    ASSERT_EQ(0, system("test \"$(cat old.json)\" = old && ! ls -A | grep tmp"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    if (run_in(chairs, "one", "") != 0) { // what others are compared with
        show_failure();
        return 1;
    }
    RUN_TEST(equal_runs_leave_equal_bytes);
    RUN_TEST(a_cache_has_one_number_of_points);
    RUN_TEST(changed_outputs_are_noticed);
    RUN_TEST(later_frames_are_removed);
    RUN_TEST(wrong_states_are_passed_over);
    RUN_TEST(files_that_may_not_grow);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
