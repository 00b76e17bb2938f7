// SPDX-License-Identifier: MIT
#include "cli/args.h"

#include "io/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shl_say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    shl_line_list(stderr, format, list);
    va_end(list);
}

int shl_usage_error(const shl_command *command, const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    const bool room = vasprintf(&text, format, list) >= 0;
    va_end(list);
    const char *why = room ? text : format;
    if (command)
        shl_say("shoal %s: %s (see shoal %s --help)", command->name, why, command->name);
    else
        shl_say("shoal: %s (see shoal --help)", why);
    if (room)
        free(text);
    return SHL_EXIT_USAGE;
}

static const shl_option *find_name(const shl_command *command, const char *name, size_t length)
{
    for (const shl_option *const *list = command->options; *list; list++) {
        for (const shl_option *o = *list; o->name; o++) {
            if (strlen(o->name) == length && memcmp(o->name, name, length) == 0)
                return o;
        }
    }
    return NULL;
}

static const shl_option *find_letter(const shl_command *command, char letter)
{
    for (const shl_option *const *list = command->options; *list; list++) {
        for (const shl_option *o = *list; o->name; o++) {
            if (o->letter && o->letter == letter)
                return o;
        }
    }
    return NULL;
}

// Finds the option a text names. `*value` is what stands in the same text, or NULL.
static const shl_option *find(const shl_command *command, const char *text, const char **value)
{
    *value = NULL;
    if (text[1] == '-') {
        const size_t length = strcspn(text + 2, "=");
        if (text[2 + length] == '=')
            *value = text + 2 + length + 1;
        return find_name(command, text + 2, length);
    }
    if (text[2])
        *value = text + 2;
    return find_letter(command, text[1]);
}

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1];
}

bool shl_args_takes_next(const shl_command *command, const char *text)
{
    const char *value;
    const shl_option *option = is_option(text) ? find(command, text, &value) : NULL;
    return option && option->value && !value;
}

// An option as the user wrote it.
typedef struct spelling {
    char text[32];
} spelling;

static spelling spell(const shl_given *given)
{
    spelling s;
    if (given->text[1] == '-')
        snprintf(s.text, sizeof s.text, "--%s", given->option->name);
    else
        snprintf(s.text, sizeof s.text, "-%c", given->option->letter);
    return s;
}

static const shl_given *find_given(const shl_args *args, const char *name)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, name) == 0)
            return &args->given[i];
    }
    return NULL;
}

static void *must(void *memory)
{
    if (!memory) {
        fputs("shoal: out of memory\n", stderr);
        exit(SHL_EXIT_MEMORY);
    }
    return memory;
}

static bool add(shl_args *args, const shl_option *option, const char *text, const char *value)
{
    const shl_given given = {option, text, value ? value : "", false};
    if (option->value && !value) {
        shl_usage_error(args->command, "%s needs a value, %s", text, option->value);
        return false;
    }
    if (!option->value && value) {
        shl_usage_error(args->command, "'%s': %s takes no value", text, spell(&given).text);
        return false;
    }
    if (!option->many && shl_args_has(args, option->name)) {
        shl_usage_error(args->command, "%s is given twice", spell(&given).text);
        return false;
    }
    args->given[args->given_count++] = given;
    return true;
}

bool shl_args_parse(const shl_command *command, int count, char **texts, shl_args *out)
{
    *out = (shl_args){.command = command};
    out->given = must(calloc((size_t)count + 1, sizeof *out->given));
    out->words = must(calloc((size_t)count + 1, sizeof *out->words));
    bool options = true;
    for (int i = 0; i < count; i++) {
        const char *text = texts[i], *value;
        if (options && strcmp(text, "--") == 0) {
            options = false;
            continue;
        }
        if (!options || !is_option(text)) {
            out->words[out->word_count++] = text;
            continue;
        }
        const shl_option *option = find(command, text, &value);
        if (!option) {
            shl_usage_error(command, "unknown option '%s'", text);
            return false;
        }
        if (option->value && !value && i + 1 < count)
            value = texts[++i];
        if (!add(out, option, text, value))
            return false;
    }
    return true;
}

void shl_args_copy(const shl_args *args, shl_args *out)
{
    *out = *args;
    out->given = must(calloc(args->given_count + 1, sizeof *out->given));
    out->words = must(calloc(args->word_count + 1, sizeof *out->words));
    for (size_t i = 0; i < args->given_count; i++)
        out->given[i] = args->given[i];
    for (size_t i = 0; i < args->word_count; i++)
        out->words[i] = args->words[i];
}

void shl_args_default(shl_args *args, const char *name, const char *value)
{
    const shl_option *option = find_name(args->command, name, strlen(name));
    if (!option || shl_args_has(args, name))
        return;
    args->given = must(realloc(args->given, (args->given_count + 1) * sizeof *args->given));
    args->given[args->given_count++] = (shl_given){option, "--", value, true};
}

void shl_args_finish(shl_args *args)
{
    free(args->given);
    free(args->words);
    memset(args, 0, sizeof *args);
}

const char *shl_args_get(const shl_args *args, const char *name)
{
    const shl_given *given = find_given(args, name);
    return given ? given->value : NULL;
}

bool shl_args_has(const shl_args *args, const char *name)
{
    return shl_args_get(args, name) != NULL;
}

bool shl_args_number(const shl_args *args, const char *name, uint64_t least, uint64_t most,
                     uint32_t *out)
{
    const shl_given *given = find_given(args, name);
    if (!given)
        return true;
    const char *text = given->value;
    uint64_t value = 0;
    bool good = *text != '\0';
    for (const char *c = text; *c && good; c++) {
        good = *c >= '0' && *c <= '9' && value <= most;
        value = value * 10 + (uint64_t)(*c - '0');
    }
    if (!good || value < least || value > most) {
        shl_usage_error(args->command, "%s '%s' is not a whole number from %ju to %ju",
                        spell(given).text, text, (uintmax_t)least, (uintmax_t)most);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool shl_args_choice(const shl_args *args, const char *name, const char *const *choices,
                     int *out)
{
    const shl_given *given = find_given(args, name);
    if (!given)
        return true;
    const char *text = given->value;
    char all[128] = "";
    for (int i = 0; choices[i]; i++) {
        if (strcmp(choices[i], text) == 0) {
            *out = i;
            return true;
        }
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s",
                 !i               ? ""
                 : choices[i + 1] ? ", "
                                  : " or ",
                 choices[i]);
    }
    shl_usage_error(args->command, "%s '%s' is not %s", spell(given).text, text, all);
    return false;
}

void shl_command_help(const shl_command *command)
{
    printf("usage: shoal %s\n\n%s.\n", command->usage, command->summary);
    printf("\noptions:\n");
    for (const shl_option *const *list = command->options; *list; list++) {
        for (const shl_option *o = *list; o->name; o++) {
            char left[64];
            char letter[8] = "    ";
            if (o->letter)
                snprintf(letter, sizeof letter, "-%c, ", o->letter);
            snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
                     o->value ? o->value : "");
            printf("  %-34s %s\n", left, o->help);
        }
    }
    printf("  %-34s %s\n", "-h, --help", "this text");
    if (command->notes)
        printf("\n%s", command->notes);
}
