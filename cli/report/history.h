// SPDX-License-Identifier: MIT
// A run's metrics.jsonl as columns over its steps.
#ifndef SHL_CLI_REPORT_HISTORY_H
#define SHL_CLI_REPORT_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum shl_column_id {
    SHL_COLUMN_PAIRS,
    SHL_COLUMN_SELF,
    SHL_COLUMN_CONTACTS,
    SHL_COLUMN_WALL,
    SHL_COLUMN_DEFORM,
    SHL_COLUMN_GATHER,
    SHL_COLUMN_REFIT,
    SHL_COLUMN_REBUILD,
    SHL_COLUMN_BROAD,
    SHL_COLUMN_TRAVERSE,
    SHL_COLUMN_LEAF,
    SHL_COLUMN_CONTACT,
    SHL_COLUMN_DISTANCE,
    SHL_COLUMN_SORT,
    SHL_COLUMN_NODE_PAIRS,
    SHL_COLUMN_OPENED,
    SHL_COLUMN_CANDIDATES,
    SHL_COLUMN_QUALITY_MEAN,
    SHL_COLUMN_QUALITY_WORST,
    SHL_HISTORY_COLUMNS
} shl_column_id;

typedef struct shl_history {
    uint32_t first, steps; // the number of the first step, and how many there are
    double *column[SHL_HISTORY_COLUMNS];
} shl_history;

// 0 when done. EILSEQ: a line is no object of a step, `*line` says which. Else the errno.
int shl_history_read(const char *path, shl_history *out, uint32_t *line);
void shl_history_free(shl_history *history);

// Whether a column has anything but zeros.
bool shl_history_has(const shl_history *history, shl_column_id column);

#endif
