// SPDX-License-Identifier: MIT
// The commands of the tool, one file each.
#ifndef SHL_CLI_COMMANDS_COMMANDS_H
#define SHL_CLI_COMMANDS_COMMANDS_H

#include "cli/args.h"

extern const shl_command shl_cmd_run;
extern const shl_command shl_cmd_query;
extern const shl_command shl_cmd_model;
extern const shl_command shl_cmd_bench;
extern const shl_command shl_cmd_render;
extern const shl_command shl_cmd_report;
extern const shl_command shl_cmd_scenes;
extern const shl_command shl_cmd_info;
extern const shl_command shl_cmd_check;

#endif
