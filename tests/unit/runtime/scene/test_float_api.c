// SPDX-License-Identifier: MIT
// A host may round any way, flush denormals, or trap on exceptions: every public function gives
// what it gives in the default environment, and leaves the host's as it was. The table has a
// row for each function that the headers declare.
#include "float_calls.h"

#include "greatest.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_MAX = 200 };

static const float_row *const tables[] = {float_base_rows,   float_scene_rows, float_step_rows,
                                          float_filter_rows, float_file_rows,  float_end_rows};
static float_host host;
static host_state before;

// --- The calls of a host. ---

void float_enter(float_host *h)
{
    host_env_enter(h->env);
    before = host_state_now();
}

void float_leave(float_host *h, const char *call)
{
    const host_state now = host_state_now();
    fesetenv(FE_DFL_ENV);
    h->called = h->called || strstr(call, h->row);
    if (!host_state_same(&before, &now)) {
        char text[300];
        snprintf(text, sizeof text, "%s has changed the environment from %x %x %x to %x %x %x",
                 call, before.part[0], before.part[1], before.part[2], now.part[0], now.part[1],
                 now.part[2]);
        float_fault(h, text);
    }
}

void float_add(float_host *h, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        h->digest = (h->digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

void float_fault(float_host *h, const char *text)
{
    fprintf(stderr, "%s: %s: %s\n", h->row, host_env_name(h->env), text);
    h->faults++;
}

static void tell_trap(int number)
{
    static const char text[] = ": trapped\n";
    (void)number;
    if (write(2, host.row, strlen(host.row)) < 0 || write(2, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

// --- The table. ---

// One pass through all rows; a digest for each.
static void run_rows(int env, uint64_t digests[ROWS_MAX])
{
    uint32_t count = 0;
    host.env = env;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const float_row *row = tables[t]; row->name; row++) {
            host.row = row->name;
            host.called = false;
            host.digest = UINT64_C(0xcbf29ce484222325);
            row->run(&host);
            if (!host.called)
                float_fault(&host, "the row does not call it");
            digests[count++] = host.digest;
        }
    }
}

TEST answers_are_those_of_the_default_environment(void)
{
    uint64_t wanted[ROWS_MAX] = {0}, got[ROWS_MAX] = {0};
    host.faults = 0;
    run_rows(0, wanted);
    for (int env = 0; env < HOST_ENVS; env++) {
        if (!host_env_enter(env))
            continue;
        fesetenv(FE_DFL_ENV);
        run_rows(env, got);
        uint32_t i = 0;
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            for (const float_row *row = tables[t]; row->name; row++, i++) {
                host.row = row->name;
                if (got[i] != wanted[i])
                    float_fault(&host, "another answer");
            }
        }
    }
    ASSERT_EQ_FMT(0, host.faults, "%d");
    PASS();
}

static bool in_table(const char *name, size_t length)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const float_row *row = tables[t]; row->name; row++) {
            if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
                return true;
        }
    }
    return false;
}

// Functions that a header declares and that have no row. A name stands before the first
// parenthesis after SHOAL_API.
static int rows_missing(const char *text, int *declared)
{
    int missing = 0;
    for (const char *at = text; (at = strstr(at, "\nSHOAL_API")); at++) {
        const char *end = strchr(at, '('), *begin = end;
        while (end && begin > at &&
               (begin[-1] == '_' || (begin[-1] >= 'a' && begin[-1] <= 'z')))
            begin--;
        ++*declared;
        if (end && in_table(begin, (size_t)(end - begin)))
            continue;
        missing++;
        fprintf(stderr, "no row for %.*s\n", end ? (int)(end - begin) : 0, end ? begin : "");
    }
    return missing;
}

TEST every_function_has_a_row(void)
{
    static char text[1 << 16];
    const char *include = getenv("SHOAL_INCLUDE");
    ASSERT(include);
    DIR *dir = opendir(include);
    ASSERT(dir);
    int missing = 0, declared = 0, rows = 0;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", include, entry->d_name);
        FILE *f = strstr(entry->d_name, ".h") ? fopen(path, "r") : NULL;
        if (!f)
            continue;
        const size_t size = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        ASSERT(size < sizeof text - 1);
        text[size] = 0;
        missing += rows_missing(text, &declared);
    }
    closedir(dir);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (const float_row *row = tables[t]; row->name; row++)
            rows++;
    }
    ASSERT_EQ(0, missing);
    ASSERT_EQ(declared, rows);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    const char *parent = getenv("TMPDIR");
    snprintf(host.folder, sizeof host.folder, "%s/shoal-float-XXXXXX",
             parent ? parent : "/tmp");
    if (!mkdtemp(host.folder))
        return 1;
    signal(SIGFPE, tell_trap);
    RUN_TEST(every_function_has_a_row);
    RUN_TEST(answers_are_those_of_the_default_environment);
    rmdir(host.folder);
    GREATEST_MAIN_END();
}
