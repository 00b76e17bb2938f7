// SPDX-License-Identifier: MIT
#include "cli/commands/placing.h"

#include <stdlib.h>
#include <string.h>

const shl_option shl_placing_options[] = {
    {"q", 0, "N=Q,Q,...", "coordinates of model file N, one a field; default all 0", true},
    {"move", 0, "N=X,Y,Z", "moves file N; default 0,0,0", true},
    {0},
};

// Numbers with commas between them, and nothing else. 0: it is something else.
static uint32_t read_numbers(const char *text, double *out, uint32_t most)
{
    for (uint32_t count = 0; count < most; text++) {
        char *end;
        out[count++] = strtod(text, &end);
        if (end == text || (*end && *end != ','))
            return 0;
        text = end;
        if (!*text)
            return count;
    }
    return 0;
}

// The number of the file, and what is behind the equals sign; NULL: it is something else.
static const char *read_file(const char *text, size_t *file)
{
    *file = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && c - text < 9; c++)
        *file = *file * 10 + (size_t)(*c - '0');
    return c > text && *c == '=' ? c + 1 : NULL;
}

static bool read_one(const shl_args *args, const shl_given *given, shl_placing *out)
{
    const bool move = strcmp(given->option->name, "move") == 0;
    size_t file;
    const char *numbers = read_file(given->value, &file);
    double value[SHOAL_FIELDS_MAX];
    const uint32_t count = numbers ? read_numbers(numbers, value, SHOAL_FIELDS_MAX) : 0;
    if (count == 0 || (move && count != 3)) {
        shl_usage_error(args->command, "--%s '%s' is not %s", given->option->name, given->value,
                        given->option->value);
        return false;
    }
    if (file >= args->word_count) {
        shl_usage_error(args->command, "--%s '%s': the last file is number %zu",
                        given->option->name, given->value, args->word_count - 1);
        return false;
    }
    shl_placing *p = &out[file];
    if (move ? p->moved : p->q_text != NULL) {
        shl_usage_error(args->command, "--%s '%s': file %zu has its own already",
                        given->option->name, given->value, file);
        return false;
    }
    if (move) {
        p->moved = true;
        memcpy(p->move, value, sizeof p->move);
    } else {
        p->q_text = given->value;
        p->q_count = count;
        memcpy(p->q, value, count * sizeof *value);
    }
    return true;
}

bool shl_placing_read(const shl_args *args, shl_placing *out)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const char *name = args->given[i].option->name;
        if ((strcmp(name, "q") == 0 || strcmp(name, "move") == 0) &&
            !read_one(args, &args->given[i], out))
            return false;
    }
    return true;
}
