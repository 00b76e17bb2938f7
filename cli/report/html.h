// SPDX-License-Identifier: MIT
// What all pages have in common: how they look, on phones and in the dark too, without
// anything from elsewhere.
#ifndef SHL_CLI_REPORT_HTML_H
#define SHL_CLI_REPORT_HTML_H

#include "cli/report/chart.h"

#include <jansson.h>

// Up to the heading.
void shl_html_head(shl_output *out, const char *title);

// A row of a table of two columns; nothing if the value is "".
__attribute__((format(printf, 3, 4))) void shl_html_row(shl_output *out, const char *name,
                                                        const char *format, ...);

// A cell with a number, not too long.
void shl_html_cell(shl_output *out, double value);

// A whole number with its thousands parted; rounded if it is larger than any that is counted.
void shl_html_count(double count, char *to, size_t room);

// The words of a command line, but for where its output went.
void shl_html_command(shl_output *out, const json_t *command);

#endif
