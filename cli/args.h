// SPDX-License-Identifier: MIT
// The command line: options in any order and place, `--name value` or `--name=value`,
// `-n value` or `-nvalue`; "--" ends them. An option is given once, unless it may repeat.
#ifndef SHL_CLI_ARGS_H
#define SHL_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the tool exits with; sysexits.
enum {
    SHL_EXIT_OK = 0,
    SHL_EXIT_GATE = 1,
    SHL_EXIT_USAGE = 64,
    SHL_EXIT_INPUT = 65,
    SHL_EXIT_INTERNAL = 70,
    SHL_EXIT_MEMORY = 71,
    SHL_EXIT_IO = 74,
    SHL_EXIT_STOPPED = 75, // early, with a checkpoint
};

// One option a command takes. Lists end with name NULL.
typedef struct shl_option {
    const char *name;  // without dashes
    char letter;       // 0: no short form
    const char *value; // what its value is called, "N"; NULL: a flag
    const char *help;
    bool many; // may be given again
} shl_option;

// A command: its words for help, its options, and what it does.
typedef struct shl_args shl_args;
typedef struct shl_command {
    const char *name;
    const char *summary;              // one line for `shoal --help`
    const char *usage;                // "query FILE... [options]"
    const char *notes;                // after the options in its help; NULL: none
    const shl_option *const *options; // [.. NULL] lists
    int (*run)(const shl_args *args); // returns the exit code
} shl_command;

typedef struct shl_given {
    const shl_option *option;
    const char *text; // as it stands on the command line
    const char *value;
    bool from_file; // not on the command line: a scene file says so
} shl_given;

// A parsed command line.
struct shl_args {
    const shl_command *command;
    shl_given *given;
    size_t given_count;
    const char **words; // what is no option
    size_t word_count;
};

// Parses what follows the program's name, the command's own name left out. False: it said what
// is wrong. Either way give it to shl_args_finish().
bool shl_args_parse(const shl_command *command, int count, char **texts, shl_args *out);
void shl_args_finish(shl_args *args);

// A copy, to be given to shl_args_finish(), and one more option for it, as a scene file says,
// unless the command takes no such option or it is there. `value` must outlive the copy.
void shl_args_copy(const shl_args *args, shl_args *out);
void shl_args_default(shl_args *args, const char *name, const char *value);

// The value of an option, "" for a flag, NULL if it was not given.
const char *shl_args_get(const shl_args *args, const char *name);
bool shl_args_has(const shl_args *args, const char *name);

// A whole number in [least, most]; `*out` stays as it is when the option was not given. False:
// it said what is wrong.
bool shl_args_number(const shl_args *args, const char *name, uint64_t least, uint64_t most,
                     uint32_t *out);

// The index of the value in `choices` (ends with NULL). As above.
bool shl_args_choice(const shl_args *args, const char *name, const char *const *choices,
                     int *out);

// Prints one line to stderr, whatever names hold that are in it.
__attribute__((format(printf, 1, 2))) void shl_say(const char *format, ...);

// Prints one line to stderr, "shoal query: text (see shoal query --help)"; returns USAGE.
__attribute__((format(printf, 2, 3))) int shl_usage_error(const shl_command *command,
                                                          const char *format, ...);

// True if `text` is an option of the command that takes the next text as its value.
bool shl_args_takes_next(const shl_command *command, const char *text);

void shl_command_help(const shl_command *command);

#endif
