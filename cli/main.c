// SPDX-License-Identifier: MIT
// shoal: the command-line tool. Numbers go to stdout, progress and faults to stderr.
#include "cli/commands/commands.h"
#include "cli/run/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <shoal/base.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const shl_command *const commands[] = {
    &shl_cmd_run,    &shl_cmd_query,  &shl_cmd_model, &shl_cmd_bench, &shl_cmd_render,
    &shl_cmd_report, &shl_cmd_scenes, &shl_cmd_check, &shl_cmd_info,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fputs("usage: shoal COMMAND [arguments]\n\n"
          "Finds every contact among many deforming triangle bodies.\n\n"
          "commands:\n",
          to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "shoal COMMAND --help explains a command, shoal --version prints the version.\n"
          "\n"
          "Try: shoal run                       flexible chairs fall on a floor\n"
          "     shoal query a.obj b.ply         where two meshes intersect\n"
          "     shoal query a.stl --list        where a mesh intersects itself\n"
          "     shoal model a.obj --field b.obj -o a.model\n"
          "                                     a mesh that bends, for shoal query --q 0=0.3\n"
          "\n"
          "Exit codes: 0 done, 1 a gate did not hold, 64 wrong usage, 65 bad input, 70 "
          "internal fault,\n"
          "71 out of memory, 74 output could not be written, 75 stopped early with a "
          "checkpoint.\n",
          to);
}

static bool takes_next(const char *text)
{
    for (int i = 0; i < COMMANDS; i++) {
        if (shl_args_takes_next(commands[i], text))
            return true;
    }
    return false;
}

// Where the command's name stands: the first word that is no option or value of one, since
// options may come before it. 0: nowhere.
static int command_place(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            return 0;
        if (argv[i][0] != '-' || !argv[i][1])
            return i;
        if (takes_next(argv[i]))
            i++;
    }
    return 0;
}

static bool asks(int argc, char **argv, const char *name, const char *short_name)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], name) == 0 || strcmp(argv[i], short_name) == 0)
            return true;
        if (takes_next(argv[i]))
            i++;
    }
    return false;
}

static int run_command(const shl_command *command, int place, int argc, char **argv)
{
    for (int i = place; i + 1 < argc; i++) // the command's own name is no argument
        argv[i] = argv[i + 1];
    shl_args args;
    const int code = shl_args_parse(command, argc - 2, argv + 1, &args) ? command->run(&args)
                                                                        : SHL_EXIT_USAGE;
    shl_args_finish(&args);
    return code;
}

static int start(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return SHL_EXIT_USAGE;
    }
    const int place = command_place(argc, argv);
    const shl_command *command = NULL;
    for (int i = 0; place && i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, argv[place]) == 0)
            command = commands[i];
    }
    if (place && !command)
        return shl_usage_error(NULL, "unknown command '%s'", argv[place]);
    if (asks(argc, argv, "--help", "-h")) {
        if (command)
            shl_command_help(command);
        else
            print_help(stdout);
        return SHL_EXIT_OK;
    }
    if (command)
        return run_command(command, place, argc, argv);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("shoal %s\n", shoal_version());
        return SHL_EXIT_OK;
    }
    return shl_usage_error(NULL, "'%s' needs a command", argv[1]);
}

// With a standard stream closed, the next file opened would take its place.
static void keep_streams(void)
{
    while (true) {
        const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fd > 2)
            close(fd);
        if (fd < 0 || fd > 2)
            return;
    }
}

int main(int argc, char **argv)
{
    keep_streams();
    signal(SIGXFSZ,
           SIG_IGN); // a file that may not grow is a write that fails, as on a full disk
    const int code = start(argc, argv);
    // output that nobody received is a failure
    errno = shl_json_errno;
    const bool earlier = ferror(stdout);
    if (fflush(stdout) != 0 || earlier) {
        fprintf(stderr, "shoal: cannot write to standard output%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
        return code == SHL_EXIT_OK ? SHL_EXIT_IO : code;
    }
    return code;
}
