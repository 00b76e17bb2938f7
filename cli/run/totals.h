// SPDX-License-Identifier: MIT
// The sums of a run, in a checkpoint and out of it.
#ifndef SHL_CLI_RUN_TOTALS_H
#define SHL_CLI_RUN_TOTALS_H

#include "cli/report/run_report.h"

// {name: number}, with all that shl_run_print() tells; NULL: no memory.
json_t *shl_totals_save(const shl_run_result *run);

// False: a number is missing; nothing was changed.
bool shl_totals_restore(const json_t *object, shl_run_result *run);

#endif
