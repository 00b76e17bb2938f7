// SPDX-License-Identifier: MIT
// Which GPU module is loaded: never one that a stranger could have left in the current
// directory, in a search path or beside the tool.
#include "tool.h"

#include "../unit/common/sanitized.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <shoal/context.h>
#include <sys/stat.h>

static const char *hostile;

static void copy(const char *from, const char *to, mode_t mode)
{
    char line[9000];
    snprintf(line, sizeof line, "cp '%s' '%s'", from, to);
    if (system(line) != 0 || chmod(to, mode) != 0)
        abort();
}

// Everything that a relative look-up could find: the tool, the library and the module.
static void make_trap(const char *folder)
{
    static const char *const places[] = {"", "gpu", "lib", "runtime", "lib64"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        mkdir(path, 0755);
        snprintf(path, sizeof path, "%s/%s/shoal-gpu.so", folder, places[i]);
        copy(hostile, path, 0755);
        snprintf(path, sizeof path, "%s/%s/shoal", folder, places[i]);
        write_text(path, "");
        snprintf(path, sizeof path, "%s/%s/libshoal.so", folder, places[i]);
        write_text(path, "");
    }
}

// Runs a command line in a folder. True: the hostile module was loaded.
static bool loads_hostile(const char *folder, const char *command)
{
    char line[8192];
    snprintf(line, sizeof line, "cd %s && { %s; } >../out.txt 2>../err.txt </dev/null", folder,
             command);
    const int status = system(line);
    last.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!slurp("out.txt", last.out, sizeof last.out) ||
        !slurp("err.txt", last.err, sizeof last.err))
        abort();
    return strstr(last.err, "hostile: loaded") != NULL;
}

// Without it the other tests would pass even if nothing were ever seen.
TEST what_is_named_is_loaded(void)
{
    char line[8192];
    snprintf(line, sizeof line, "SHOAL_GPU_MODULE='%s' '%s' info", hostile, tool_path);
    ASSERT(loads_hostile("trap", line));
    ASSERT_EQ(0, last.code);
    ASSERT(strstr(last.out, "is not a module of this version"));
    PASS();
}

TEST current_directory_has_no_say(void)
{
    static const char *const environments[] = {
        "", "LD_LIBRARY_PATH=.",
        "LD_LIBRARY_PATH=", "LD_LIBRARY_PATH=lib:gpu:", "LD_LIBRARY_PATH=$PWD"};
    static const char *const commands[] = {"info", "run bumpy-2 -s k=1 --steps 2 -q -o ../run"};
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
            char line[8192];
            snprintf(
                line, sizeof line,
                "rm -rf ../run; PATH=\"${SHOAL_TOOL%%/*}:$PATH\"; export PATH; %s shoal %s",
                environments[i], commands[k]);
            ASSERT_FALSEm(line, loads_hostile("trap", line));
            ASSERT_EQm(last.err, 0, last.code);
        }
    }
    PASS();
}

// argv[0] is what the caller says.
TEST own_name_has_no_say(void)
{
    static char *const names[] = {"shoal", "./shoal", "gpu/shoal", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *const words[] = {names[i], "info", NULL};
        const pid_t child = fork();
        if (child == 0) {
            if (chdir("trap") != 0 || !freopen("../out.txt", "w", stdout) ||
                !freopen("../err.txt", "w", stderr))
                _exit(99);
            execv(tool_path, words);
            _exit(99);
        }
        int status = -1;
        ASSERT(child > 0 && waitpid(child, &status, 0) == child);
        ASSERT_EQ(0, status);
        ASSERT(slurp("err.txt", last.err, sizeof last.err));
        ASSERT_FALSE(strstr(last.err, "hostile: loaded"));
    }
    PASS();
}

TEST names_are_not_searched(void)
{
    static const char *const names[] = {"shoal-gpu.so", "./shoal-gpu.so", "gpu/shoal-gpu.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[8192];
        snprintf(line, sizeof line, "LD_LIBRARY_PATH=$PWD SHOAL_GPU_MODULE=%s '%s' info",
                 names[i], tool_path);
        ASSERT_FALSE(loads_hostile("trap", line));
        ASSERT(strstr(last.out, "is not an absolute path"));
    }
    PASS();
}

// A tool in a folder of its own takes the module beside it, unless others can write that.
TEST others_can_write(void)
{
    mkdir("own", 0755);
    mkdir("own/gpu", 0755);
    copy(tool_path, "own/shoal", 0755);
    copy(hostile, "own/gpu/shoal-gpu.so", 0644);
    ASSERT(loads_hostile("own", "./shoal info"));
    ASSERT_EQ(0, chmod("own/gpu/shoal-gpu.so", 0666));
    ASSERT_FALSE(loads_hostile("own", "./shoal info"));
    ASSERT(strstr(last.out, "other users can write it"));
    ASSERT_EQ(0, chmod("own/gpu/shoal-gpu.so", 0644));
    ASSERT_EQ(0, chmod("own/gpu", 01777));
    ASSERT_FALSE(loads_hostile("own", "./shoal info"));
    ASSERT(strstr(last.out, "other users can write it"));
    ASSERT_EQ(0, chmod("own/gpu", 0755));
    if (geteuid() != 0)
        SKIPm("only root gives files away");
    if (chown("own/gpu/shoal-gpu.so", 12345, 12345) != 0)
        SKIPm("no other user here");
    ASSERT_FALSE(loads_hostile("own", "./shoal info"));
    ASSERT_EQ(0, chown("own/gpu/shoal-gpu.so", 0, 0));
    ASSERT_EQ(0, chown("own/gpu", 12345, 12345));
    ASSERT_FALSE(loads_hostile("own", "./shoal info"));
    // what belongs to the owner of the tool is as good as the tool
    ASSERT_EQ(0, chown("own/gpu/shoal-gpu.so", 12345, 12345));
    ASSERT_EQ(0, chown("own/shoal", 12345, 12345));
    ASSERT(loads_hostile("own", "./shoal info"));
    PASS();
}

// A program that runs as another user than who started it ignores its environment.
TEST set_user_id(void)
{
    if (geteuid() != 0)
        SKIPm("only root makes such a program");
    mkdir("other", 0755);
    copy(tool_path, "other/shoal", 0755);
    copy(hostile, "other/module.so", 0755);
    ASSERT_EQ(0, chmod(".", 0755));
    ASSERT_EQ(0, chown("other/shoal", 12345, 12345));
    const char *line =
        "SHOAL_GPU_MODULE=$PWD/module.so ASAN_OPTIONS=detect_leaks=0 ./shoal info";
    ASSERT(loads_hostile("other", line));
    ASSERT_EQ(0, chmod("other/shoal", 04755));
    ASSERT_FALSE(loads_hostile("other", line));
    // such a program ignores the sanitizer's variables too, and leaks are looked for in vain
    ASSERT(last.code == 0 || SANITIZED);
    PASS();
}

// A library that was found by a relative path, and a current directory that is another by now.
TEST library_with_a_relative_name(void)
{
    const char *library = getenv("SHOAL_LIBRARY");
    char real[4096];
    ASSERT(library && realpath(library, real));
    mkdir("start", 0755);
    mkdir("start/lib", 0755);
    ASSERT_EQ(0, symlink(real, "start/lib/libshoal.so"));
    const int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT(before >= 0 && chdir("start") == 0);
    void *so = dlopen("lib/libshoal.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_EQ(0, fchdir(before));
    if (!so)
        SKIPm("a plain program cannot load an instrumented library");
    void (*init)(shoal_context_def *, size_t);
    shoal_status (*create)(const shoal_context_def *, shoal_context **);
    void (*destroy)(shoal_context *);
    void (*read_gpu)(shoal_context *, shoal_gpu_info *, size_t);
    *(void **)&init = dlsym(so, "shoal_context_def_init");
    *(void **)&create = dlsym(so, "shoal_context_create");
    *(void **)&destroy = dlsym(so, "shoal_context_destroy");
    *(void **)&read_gpu = dlsym(so, "shoal_context_read_gpu");
    shoal_context_def wanted;
    init(&wanted, sizeof wanted);
    shoal_context *ctx = NULL;
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    ASSERT(kept >= 0 && chdir("trap") == 0 && freopen("../err.txt", "w", stderr));
    const shoal_status st = create(&wanted, &ctx);
    shoal_gpu_info info = {0};
    if (st == SHOAL_OK)
        read_gpu(ctx, &info, sizeof info);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    ASSERT_EQ(0, fchdir(before));
    close(before);
    ASSERT_EQ(SHOAL_OK, st);
    ASSERT_FALSE(strstr(info.reason, "is not a module"));
    destroy(ctx);
    ASSERT(slurp("err.txt", last.err, sizeof last.err));
    ASSERT_FALSE(strstr(last.err, "hostile: loaded"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    hostile = getenv("SHOAL_HOSTILE");
    if (!hostile || !tool_open())
        return 1;
    setenv("SHOAL_GPU", "", 1); // whatever is found, but no software renderer
    unsetenv("SHOAL_GPU_MODULE");
    make_trap("trap");
    RUN_TEST(what_is_named_is_loaded);
    RUN_TEST(current_directory_has_no_say);
    RUN_TEST(own_name_has_no_say);
    RUN_TEST(names_are_not_searched);
    RUN_TEST(others_can_write);
    RUN_TEST(set_user_id);
    RUN_TEST(library_with_a_relative_name);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
