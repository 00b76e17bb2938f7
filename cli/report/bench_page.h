// SPDX-License-Identifier: MIT
// The page of experiments: one HTML file that needs no other.
#ifndef SHL_CLI_REPORT_BENCH_PAGE_H
#define SHL_CLI_REPORT_BENCH_PAGE_H

#include <jansson.h>

// What shoal bench --json prints, {"machine", "experiments"}, as a page, whole or not at all.
// `command` are the words to do it again. The errno of the failure; 0 when done.
int shl_bench_page_write(const char *path, const json_t *bench, const json_t *command);

#endif
