// SPDX-License-Identifier: MIT
// shoal report: the folder of a run as a page to look at.
#include "cli/commands/commands.h"
#include "cli/report/page.h"
#include "io/plain.h"

static const shl_option options[] = {{0}};
static const shl_option *const option_lists[] = {options, NULL};

static int report(const shl_args *args)
{
    if (args->word_count == 0)
        return shl_usage_error(args->command, "it needs the folder of a run");
    for (size_t i = 0; i < args->word_count; i++) {
        const int code = shl_report_write("shoal report", args->words[i]);
        if (code != SHL_EXIT_OK)
            return code;
        shl_line(stdout, "%s/" SHL_REPORT, args->words[i]);
    }
    return SHL_EXIT_OK;
}

const shl_command shl_cmd_report = {
    .name = "report",
    .summary = "Make a page with pictures and plots of a run's folder",
    .usage = "report DIR...",
    .notes =
        "Writes DIR/" SHL_REPORT " from the folder's run.json, metrics.jsonl and pictures:\n"
        "one file that needs no other. shoal run does the same at its end.\n",
    .options = option_lists,
    .run = report,
};
