// SPDX-License-Identifier: MIT
// The report page of a run: one HTML file that needs no other.
#ifndef SHL_CLI_REPORT_PAGE_H
#define SHL_CLI_REPORT_PAGE_H

// Reads run.json, metrics.jsonl and pictures of the folder, writes its report.html, whole or
// not at all. Returns an exit code; not OK: it said why, as `command` ("shoal report").
int shl_report_write(const char *command, const char *folder);

#define SHL_REPORT "report.html"

#endif
