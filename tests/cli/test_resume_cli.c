// SPDX-License-Identifier: MIT
// Runs that are stopped, killed at any time and resumed on any number of threads give what an
// uninterrupted run gives. SHOAL_LONG kills more of them.
#include "run_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#ifdef HAS_HDF5
#define FORMATS "hdf5,pc2,ply,vtp"
#else
#define FORMATS "pc2,ply,vtp"
#endif

// Scenes with every kind of state and of output, and how often they make checkpoints.
static const struct {
    const char *name, *args;
} runs[] = {
    {"chairs", "run chairs -s count=5 --steps 260 --checkpoint-every 9 -q --every 20 "
               "--segment 100 --format " FORMATS},
    {"crowd", "run bumpy-27 -s k=2 --steps 500 --checkpoint-every 3 -q"},
    {"tangle", "run tangle -s k=2 --steps 120 --checkpoint-every 5 -q --every 7 --format "
               "pc2,vtp"},
    {"beams", "run beams -s k=1 --steps 150 --checkpoint-every 1 -q"},
    {"first", "run arms-27 -s k=2 --steps 200 --first --self --checkpoint-every 4 -q"},
};
enum { RUNS = sizeof runs / sizeof *runs };

static double reference_s[RUNS]; // what a run takes

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_s(double seconds)
{
    const struct timespec t = {(time_t)seconds,
                               (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

static const char *reference(size_t i)
{
    static char folder[64];
    char args[512];
    snprintf(folder, sizeof folder, "ref-%s", runs[i].name);
    if (access(folder, F_OK) == 0)
        return folder;
    snprintf(args, sizeof args, "%s -o %s -t 2", runs[i].args, folder);
    const double begin = now_s();
    if (shoal(args) != 0)
        return NULL;
    reference_s[i] = now_s() - begin;
    return folder;
}

static enum greatest_test_res check_equal(size_t i, const char *folder)
{
    ASSERT_EQm(runs[i].name, -1, metrics_differ(reference(i), folder));
    json_t *a = run_json(reference(i)), *b = run_json(folder);
    ASSERT_STR_EQ(text_of(a, "hash"), text_of(b, "hash"));
    ASSERT_STR_EQ("finished", text_of(b, "state"));
    ASSERT_EQ(number_of(a, "pairs_total"), number_of(b, "pairs_total"));
    ASSERTm("tables of the motion",
            json_equal(json_object_get(a, "dynamics"), json_object_get(b, "dynamics")));
    json_decref(a);
    json_decref(b);
    // frames byte for byte, and nothing else is left
    char line[512];
    snprintf(line, sizeof line,
             "for f in $(ls -A %s %s); do case $f in *:|run.json|metrics.jsonl|report.html) ;; "
             "*) cmp %s/$f %s/$f || exit 1 ;; esac; done",
             reference(i), folder, reference(i), folder);
    ASSERT_EQm(line, 0, system(line));
    PASS();
}

// Also ends when the run does without one.
static void await_checkpoint(const char *folder)
{
    char path[128];
    snprintf(path, sizeof path, "%s/run.json", folder);
    for (int n = 0; n < 120000 && count_files(folder, "checkpoint-") == 0; n++) {
        static char text[65536];
        if (slurp(path, text, sizeof text) && strstr(text, "\"finished\""))
            return;
        sleep_s(0.005);
    }
}

// Kills the run of row i at random times until it has been killed `kills` times, then lets it
// end. Those of odd seeds are killed as soon as there is a checkpoint, so that they are surely
// not over.
static enum greatest_test_res killed(size_t i, int kills, uint64_t seed, int *resumed)
{
    const bool right_then = seed % 2;
    char folder[64], args[512];
    ASSERT(reference(i));
    snprintf(folder, sizeof folder, "kill-%s-%ju", runs[i].name, (uintmax_t)seed);
    for (int k = 0; k < kills; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        snprintf(args, sizeof args, "%s -o %s --resume -t %d", runs[i].args, folder,
                 1 + (int)(seed >> 40) % 3);
        // every other one with helpers of its own, where frames are written
        if (k % 2 && strstr(args, "--every "))
            unsetenv("OMP_WAIT_POLICY");
        const pid_t child = start_tool(args);
        setenv("OMP_WAIT_POLICY", "passive", 1);
        // the first at any time, the next once there is something to go on from: how fast the
        // machine is just now does not matter
        if (k % 2 || right_then)
            await_checkpoint(folder);
        const double most = right_then ? 0 : k % 2 ? 0.5 : 1;
        sleep_s(most * reference_s[i] * (double)(seed >> 33) / 2147483648.0);
        kill(child, SIGKILL);
        const int code = wait_for(child);
        ASSERT(code == 0 || code == 1000 + SIGKILL);
    }
    snprintf(args, sizeof args, "%s -o %s --resume -t 2", runs[i].args, folder);
    ASSERT_EQm(args, 0, shoal(args));
    json_t *run = run_json(folder);
    *resumed += (int)number_of(run, "resumed");
    json_decref(run);
    CHECK_CALL(check_equal(i, folder));
    PASS();
}

TEST killed_at_any_time(void)
{
    const int all = getenv("SHOAL_LONG") ? 200 : 10, each = 2;
    int resumed = 0;
    for (int i = 0; i < all / each; i++)
        CHECK_CALL(killed((size_t)i % RUNS, each, (uint64_t)i + 1, &resumed));
    ASSERTm("some did go on from a checkpoint", resumed > all / 4);
    PASS();
}

// A run that would take long, so that it is surely alive when a signal comes.
static const char slow[] = "run bumpy-27 -s k=3 --steps 100000 -q";

// Waits until a file has a few bytes.
static bool wait_until(const char *path)
{
    struct stat about;
    for (int i = 0; i < 60000; i++) {
        if (stat(path, &about) == 0 && about.st_size > 4000)
            return true;
        sleep_s(0.01);
    }
    return false;
}

static enum greatest_test_res stops_by(int number)
{
    char args[256], folder[32], path[64];
    snprintf(folder, sizeof folder, "sig-%d", number);
    snprintf(path, sizeof path, "%s/metrics.jsonl", folder);
    snprintf(args, sizeof args, "%s -o %s", slow, folder);
    const pid_t child = start_tool(args);
    ASSERT(wait_until(path));
    kill(child, number);
    ASSERT_EQ(75, wait_for(child));
    char text[512];
    ASSERT(slurp("child_err.txt", text, sizeof text));
    ASSERT(strstr(text, "; --resume goes on\n"));
    ASSERT_EQ(1, count_files(folder, "checkpoint-"));
    json_t *run = run_json(folder);
    ASSERT_STR_EQ("stopped", text_of(run, "state"));
    ASSERT(number_of(run, "steps_done") > 0 && number_of(run, "steps_done") < 100000);
    json_decref(run);
    PASS();
}

TEST signals_stop(void)
{
    CHECK_CALL(stops_by(SIGTERM));
    CHECK_CALL(stops_by(SIGINT));
    CHECK_CALL(stops_by(SIGUSR2));
    PASS();
}

// The step of the newest checkpoint; -1 if there is none.
static long newest_checkpoint(const char *folder)
{
    long newest = -1;
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, "checkpoint-", 11) == 0) {
            const long step = strtol(e->d_name + 11, NULL, 10);
            newest = step > newest ? step : newest;
        }
    }
    if (dir)
        closedir(dir);
    return newest;
}

TEST usr1_goes_on(void)
{
    char args[256];
    snprintf(args, sizeof args, "%s -o usr1", slow);
    const pid_t child = start_tool(args);
    ASSERT(wait_until("usr1/metrics.jsonl"));
    for (int i = 0; i < 3; i++) {
        const long before = newest_checkpoint("usr1");
        kill(child, SIGUSR1);
        for (int k = 0; k < 60000 && newest_checkpoint("usr1") == before; k++)
            sleep_s(0.01);
        ASSERTm("another one", newest_checkpoint("usr1") > before);
    }
    // the oldest goes once the newest is surely on the disk
    for (int k = 0; k < 60000 && count_files("usr1", "checkpoint-") != 2; k++)
        sleep_s(0.01);
    ASSERT_EQm("two are kept", 2, count_files("usr1", "checkpoint-"));
    ASSERT_EQm("it still runs", 0, waitpid(child, NULL, WNOHANG));
    kill(child, SIGKILL);
    ASSERT_EQ(1000 + SIGKILL, wait_for(child));
    PASS();
}

// The first wants a step's end, which is far: one step here takes seconds.
TEST second_signal_stops_now(void)
{
    const pid_t child = start_tool("run plates -s k=7 -s bodies=60 --steps 1000 -q -o twice");
    for (int i = 0; i < 60000 && access("twice/run.json", F_OK) != 0; i++)
        sleep_s(0.01);
    sleep_s(0.05);
    kill(child, SIGTERM);
    sleep_s(0.05);
    kill(child, SIGTERM);
    const int code = wait_for(child);
    ASSERTm("killed, or so fast that the first was enough",
            code == 1000 + SIGTERM || code == 75);
    PASS();
}

TEST file_and_time_stop(void)
{
    char args[512];
    ASSERT(reference(1));
    ASSERT_EQ(0, mkdir("by-file", 0777));
    write_text("by-file/stop", "");
    snprintf(args, sizeof args, "%s -o by-file", runs[1].args);
    ASSERT_EQ(75, shoal(args));
    ASSERT_STR_EQ("shoal run: by-file: stopped after step 1 of 500, by the file stop; --resume "
                  "goes on\n",
                  last.err);
    ASSERTm("it is gone", access("by-file/stop", F_OK) != 0);
    snprintf(args, sizeof args, "%s -o by-file --resume", runs[1].args);
    ASSERT_EQ(0, shoal(args));
    CHECK_CALL(check_equal(1, "by-file"));
    snprintf(args, sizeof args, "%s -o by-time --max-time 1s", slow);
    const double begin = now_s();
    ASSERT_EQ(75, shoal(args));
    ASSERT(strstr(last.err, "by --max-time"));
    ASSERTm("not much later", now_s() - begin < 60);
    PASS();
}

// As if killed after run.json said so and before the checkpoints were removed.
TEST a_finished_run_keeps_no_checkpoint(void)
{
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 5 -q --frames 0 -o over"));
    ASSERT_EQ(0, system("cp over/metrics.jsonl over/checkpoint-000003.shc"));
    ASSERT_EQ(0, shoal("run bumpy-2 -s k=1 --steps 5 -q --frames 0 -o over --resume"));
    ASSERT(access("over/checkpoint-000003.shc", F_OK) != 0);
    ASSERT_EQ(0, access("over/metrics.jsonl", F_OK));
    PASS();
}

TEST plots_hold_all_steps(void)
{
    ASSERT_EQ(0, mkdir("plot", 0777));
    write_text("plot/stop", "");
    const char *args = "run bumpy-2 -s k=3 --steps 90 -q --plot p.svg -o plot";
    char again[256], text[1 << 16];
    ASSERT_EQ(75, shoal(args));
    snprintf(again, sizeof again, "%s --resume", args);
    ASSERT_EQ(0, shoal(again));
    ASSERT(slurp("p.svg", text, sizeof text));
    ASSERT(strstr(text, "</svg>"));
    PASS();
}

// Runs with a folder in the way of a frame: that it cannot be written ends the run.
static bool run_blocked(const char *args, const char *folder, const char *name)
{
    char frame[64], line[512];
    snprintf(frame, sizeof frame, "%s/%s", folder, name);
    snprintf(line, sizeof line, "rm -rf %s && mkdir -p %s", folder, frame);
    if (system(line) != 0)
        return false;
    snprintf(line, sizeof line, "%s -o %s", args, folder);
    return shoal(line) == 74 && rmdir(frame) == 0;
}

// A run in a folder that ended with its frame of step 20, and with its two checkpoints at steps
// 9 and 18.
static bool make_stopped(const char *folder)
{
    return run_blocked(runs[0].args, folder, "frame-000020.ply") &&
           count_files(folder, "checkpoint-") == 2;
}

TEST damaged_checkpoints_are_passed_over(void)
{
    char args[512], text[1 << 16];
    ASSERT(reference(0));
    ASSERT(make_stopped("hurt"));
    FILE *f = fopen("hurt/checkpoint-000018.shc", "r+b");
    ASSERT(f && fseek(f, -9, SEEK_END) == 0);
    const int byte = fgetc(f);
    ASSERT(fseek(f, -9, SEEK_END) == 0 && fputc(byte ^ 1, f) != EOF && fclose(f) == 0);
    snprintf(args, sizeof args, "%s -o hurt --resume", runs[0].args);
    ASSERT_EQ(0, shoal(args));
    ASSERT_STR_EQ("shoal run: hurt/checkpoint-000018.shc cannot be used: section STAT is "
                  "damaged\n",
                  last.err);
    CHECK_CALL(check_equal(0, "hurt"));
    // what an output holds beyond the checkpoint is cut off
    ASSERT(make_stopped("long"));
    ASSERT_EQ(0, system("head -c 2000000 /dev/zero >>long/metrics.jsonl"));
    snprintf(args, sizeof args, "%s -o long --resume", runs[0].args);
    ASSERT_EQ(0, shoal(args));
    CHECK_CALL(check_equal(0, "long"));
    // without one that can be used, nothing is begun anew
    ASSERT(make_stopped("hurt2"));
    ASSERT_EQ(0, system("truncate -s 100 hurt2/checkpoint-000018.shc && "
                        "truncate -s 0 hurt2/checkpoint-000009.shc && "
                        "cp hurt2/metrics.jsonl m.before"));
    snprintf(args, sizeof args, "%s -o hurt2 --resume", runs[0].args);
    ASSERT_EQ(65, shoal(args));
    ASSERT(strstr(last.err, "no checkpoint in hurt2 can be used"));
    ASSERT_EQ(0, system("cmp -s m.before hurt2/metrics.jsonl"));
    // an output that was changed is noticed
    ASSERT(make_stopped("hurt3"));
    ASSERT(slurp("hurt3/metrics.jsonl", text, sizeof text));
    text[3] ^= 1;
    write_text("hurt3/metrics.jsonl", text);
    snprintf(args, sizeof args, "%s -o hurt3 --resume", runs[0].args);
    ASSERT_EQ(65, shoal(args));
    ASSERT(strstr(last.err, "hurt3/metrics.jsonl is not what the checkpoint of step 18 "
                            "remembers"));
    PASS();
}

// Hashes of another version would look like other results.
TEST other_hash_versions_are_refused(void)
{
    char args[512], text[1 << 16];
    ASSERT(make_stopped("older"));
    ASSERT(slurp("older/run.json", text, sizeof text));
    char *version = strstr(text, "\"hash_version\": 2");
    ASSERT(version);
    version[strlen("\"hash_version\": ")] = '1';
    write_text("older/run.json", text);
    snprintf(args, sizeof args, "%s -o older --resume", runs[0].args);
    ASSERT_EQ(64, shoal(args));
    ASSERT(strstr(last.err, "the hashes of the run in 'older' have version 1, those of this "
                            "shoal have version 2"));
    version[strlen("\"hash_version\": ")] = '2';
    write_text("older/run.json", text);
    FILE *f = fopen("older/checkpoint-000018.shc", "r+b");
    ASSERT(f && fseek(f, 8, SEEK_SET) == 0 && fputc(1, f) != EOF && fclose(f) == 0);
    ASSERT_EQ(0, shoal(args)); // from the one before
    ASSERT_STR_EQ("shoal run: older/checkpoint-000018.shc cannot be used: it has version 1, "
                  "not 2\n",
                  last.err);
    PASS();
}

// Changes one byte of a file, or cuts it.
static bool harm(const char *path, bool cut)
{
    struct stat about;
    if (stat(path, &about) != 0 || about.st_size < 64)
        return false;
    if (cut)
        return truncate(path, 60) == 0; // more is there in any case
    FILE *f = fopen(path, "r+b");
    const bool good = f && fseek(f, 40, SEEK_SET) == 0;
    const int byte = good ? fgetc(f) : EOF;
    return good && byte != EOF && fseek(f, 40, SEEK_SET) == 0 && fputc(byte ^ 1, f) != EOF &&
           fclose(f) == 0;
}

// What the checkpoint remembers of frames is verified, and none is taken for good that is not.
TEST changed_frames_are_noticed(void)
{
    static const char *const files[] = {
        "points.pc2",       "frames-ply.jsonl", "frames-vtp.jsonl",
        "frame-000020.ply", "frame-000020.vtp",
#ifdef HAS_HDF5
        "results-at-*",
#endif
    };
    char args[512], line[1024], path[256];
    for (size_t i = 0; i < 2 * (sizeof files / sizeof *files); i++) {
        // one that ended after two frames: its only checkpoint speaks of them
        snprintf(args, sizeof args,
                 "run chairs -s count=5 --steps 60 -q --every 20 --frames 0 "
                 "--format " FORMATS " --checkpoint-every 45");
        ASSERT(run_blocked(args, "whole", "frame-000060.vtp"));
        ASSERT_EQ(1, count_files("whole", "checkpoint-000045.shc"));
        snprintf(line, sizeof line, "ls whole/%s >name.txt", files[i / 2]);
        ASSERT_EQm(line, 0, system(line));
        ASSERT(slurp("name.txt", path, sizeof path));
        path[strcspn(path, "\n")] = '\0';
        ASSERTm(path, harm(path, i % 2));
        snprintf(line, sizeof line, "%s -o whole --resume", args);
        ASSERT_EQm(path, 65, shoal(line));
        ASSERTm(last.err, strstr(last.err, "no checkpoint in whole can be used"));
    }
    PASS();
}

TEST one_process_a_folder(void)
{
    char args[256];
    snprintf(args, sizeof args, "%s -o both", slow);
    const pid_t child = start_tool(args);
    ASSERT(wait_until("both/metrics.jsonl"));
    snprintf(args, sizeof args, "%s -o both --resume", slow);
    ASSERT_EQ(74, shoal(args));
    ASSERT_STR_EQ("shoal run: both/metrics.jsonl: another process runs in this folder\n",
                  last.err);
    // nor once there is a checkpoint
    kill(child, SIGUSR1);
    for (int i = 0; i < 60000 && count_files("both", "checkpoint-") == 0; i++)
        sleep_s(0.01);
    ASSERT_EQ(74, shoal(args));
    ASSERT_STR_EQ("shoal run: both/metrics.jsonl: another process runs in this folder\n",
                  last.err);
    kill(child, SIGKILL);
    ASSERT_EQ(1000 + SIGKILL, wait_for(child));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(killed_at_any_time);
    RUN_TEST(signals_stop);
    RUN_TEST(usr1_goes_on);
    RUN_TEST(second_signal_stops_now);
    RUN_TEST(file_and_time_stop);
    RUN_TEST(a_finished_run_keeps_no_checkpoint);
    RUN_TEST(plots_hold_all_steps);
    RUN_TEST(damaged_checkpoints_are_passed_over);
    RUN_TEST(other_hash_versions_are_refused);
    RUN_TEST(changed_frames_are_noticed);
    RUN_TEST(one_process_a_folder);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
