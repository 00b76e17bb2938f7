// SPDX-License-Identifier: MIT
// For the tests of the built tool: runs it as a user does, in a folder of its own. Its path is
// in the environment variable SHOAL_TOOL.
#ifndef TESTS_CLI_TOOL_H
#define TESTS_CLI_TOOL_H

#include "show.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct outcome {
    int code;
    char out[1 << 18], err[1 << 14];
} outcome;

static char tool_path[4096], tool_folder[] = "/tmp/shoal-cli-XXXXXX";
static outcome last;

// Call it first; it goes to an empty folder. False: it said why.
static inline bool tool_open(void)
{
    const char *path = getenv("SHOAL_TOOL");
    char *real = path ? realpath(path, NULL) : NULL;
    if (!real || !mkdtemp(tool_folder) || chdir(tool_folder) != 0) {
        fputs("SHOAL_TOOL must name the tool\n", stderr);
        return false;
    }
    snprintf(tool_path, sizeof tool_path, "%s", real);
    setenv("SHOAL_TOOL", real, 1);
    char cache[64]; // models are kept here, not in the user's folder
    snprintf(cache, sizeof cache, "%s/cache", tool_folder);
    setenv("XDG_CACHE_HOME", cache, 1);
    setenv("SHOAL_GPU", "off", 1); // no pictures but where a test is about them
    free(real);
    return true;
}

// Leaves the folder and removes it.
static inline bool tool_close(void)
{
    char clean[64];
    snprintf(clean, sizeof clean, "rm -r %s", tool_folder);
    return chdir("/") == 0 && system(clean) == 0;
}

// A file as text. False: it is not there, or longer than that.
static inline bool slurp(const char *name, char *text, size_t size)
{
    FILE *f = fopen(name, "rb");
    const size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    return f && n < size - 1;
}

static inline void write_bytes(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

static inline void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

// Runs `shoal ARGS` in the shell, so that a test may redirect; fills `last`, returns the code.
static inline int shoal(const char *args)
{
    char line[8192];
    snprintf(line, sizeof line, "'%s' %s\n", tool_path, args);
    write_text("run.sh", line);
    const int status = system("sh ./run.sh >out.txt 2>err.txt </dev/null");
    show_ran(line, status);
    last.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!slurp("out.txt", last.out, sizeof last.out) ||
        !slurp("err.txt", last.err, sizeof last.err))
        abort();
    return last.code;
}

// The one JSON object that `shoal ARGS` printed; NULL if it failed or printed anything else.
static inline json_t *shoal_json(const char *args)
{
    json_error_t error;
    return shoal(args) == 0 ? json_loads(last.out, 0, &error) : NULL;
}

static inline const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static inline json_int_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static inline double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static inline bool is_hash(const char *text)
{
    return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

// A command that must be refused, and its only line of text.
typedef struct refusal {
    const char *args;
    int code;
    const char *line; // without the newline
} refusal;

static inline enum greatest_test_res check_refusals(const refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char line[512];
        snprintf(line, sizeof line, "%s\n", rows[i].line);
        shoal(rows[i].args);
        ASSERT_STR_EQm(rows[i].args, line, last.err);
        ASSERT_EQm(rows[i].args, rows[i].code, last.code);
        ASSERT_STR_EQm(rows[i].args, "", last.out);
    }
    PASS();
}

#define CHECK_REFUSALS(rows) CHECK_CALL(check_refusals(rows, sizeof rows / sizeof *rows))

#endif
