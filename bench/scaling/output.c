// SPDX-License-Identifier: MIT
// What frames for viewers cost a run: the tool runs chairs, with a frame every five steps and
// without, in turns, each in a process of its own, from its start to its end. Files go to a
// folder beside the caller, since what stands for the disk there is what users write to.
#include "bench/harness/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char every[] = "5";

typedef struct outcome {
    double seconds, bytes;
    char hash[32];
} outcome;

static double byte_sum; // nftw() has no way to hand anything over

static int add_bytes(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)path;
    (void)where;
    byte_sum += kind == FTW_F ? (double)about->st_size : 0;
    return 0;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

// Runs the tool; what it prints is left in `log`. True: it ended well.
static bool run_tool(const char *folder, const char *log, bool frames)
{
    const char *const words[] = {"shoal", "run",  "chairs",  "-q",  "--frames", "0",
                                 "-o",    folder, "--every", every, NULL};
    const char *const plain[] = {"shoal", "run", "chairs", "-q", "--frames",
                                 "0",     "-o",  folder,   NULL};
    char *args[sizeof words / sizeof *words];
    // what posix_spawn() takes may not be changed by it either
    memcpy(args, frames ? words : plain, frames ? sizeof words : sizeof plain);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    pid_t child;
    const int code = posix_spawn(&child, "/proc/self/exe", &files, NULL, args, environ);
    posix_spawn_file_actions_destroy(&files);
    int status = 1;
    while (code == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return code == 0 && status == 0;
}

static bool measure(const char *folder, bool frames, outcome *out)
{
    char run[PATH_MAX], log[PATH_MAX], path[PATH_MAX];
    snprintf(run, sizeof run, "%s/run", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(path, sizeof path, "%s/run/run.json", folder);
    sync(); // what earlier runs left to be written is not this one's
    const double begin = bench_now_s();
    const bool good = run_tool(run, log, frames);
    out->seconds = bench_now_s() - begin;
    json_error_t why;
    json_t *about = good ? json_load_file(path, 0, &why) : NULL;
    const char *hash = json_string_value(json_object_get(about, "hash"));
    snprintf(out->hash, sizeof out->hash, "%s", hash ? hash : "");
    json_decref(about);
    byte_sum = 0;
    nftw(run, add_bytes, 8, FTW_PHYS);
    out->bytes = byte_sum;
    nftw(run, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return good && hash;
}

shoal_status bench_output(const bench_options *options, bench_report *report)
{
    char folder[] = "shoal-output-XXXXXX";
    if (!mkdtemp(folder)) {
        fprintf(stderr, "shoal bench: output: %s: %s\n", folder, strerror(errno));
        return SHOAL_ERR_FILE;
    }
    double best[2] = {INFINITY, INFINITY}; // whoever else works on the machine only adds
    outcome last[2];
    bool good = measure(folder, false, &last[0]), same = true; // models are made once
    for (uint32_t i = 0; i < options->repeat && good; i++) {
        for (int k = 0; k < 2 && good; k++) {
            const int which = (int)(i + (uint32_t)k) % 2;
            good = measure(folder, which == 1, &last[which]);
            best[which] = fmin(best[which], last[which].seconds);
        }
        same = same && good && strcmp(last[0].hash, last[1].hash) == 0;
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    if (!good) {
        fprintf(stderr, "shoal bench: output: shoal run chairs did not end well\n");
        return SHOAL_ERR_FILE;
    }
    static const char *const names[] = {"without frames", "a frame every 5 steps"};
    for (int i = 0; i < 2; i++)
        bench_row(report, json_pack("{s:s, s:f, s:f}", "run", names[i], "seconds", best[i],
                                    "MB", last[i].bytes / 1e6));
    bench_gate(report, "run with frames / without", best[1] / best[0], 1.10, 1.05, BENCH_LOWER);
    bench_gate(report, "same hash with frames and without", same, 1, 1, BENCH_HIGHER);
    return SHOAL_OK;
}
