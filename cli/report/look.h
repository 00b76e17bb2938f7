// SPDX-License-Identifier: MIT
// What all pages have in common: how they look, on phones and in the dark too, without
// anything from elsewhere.
#ifndef SHL_CLI_REPORT_LOOK_H
#define SHL_CLI_REPORT_LOOK_H

#include "cli/report/chart.h"

#include <jansson.h>

// Up to the heading.
void shl_look_head(shl_output *out, const char *title);

// A row of a table of two columns; nothing if the value is "".
void shl_look_row(shl_output *out, const char *name, const char *value);

// The words of a command line, but for where its output went.
void shl_look_command(shl_output *out, const json_t *command);

#endif
