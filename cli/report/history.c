// SPDX-License-Identifier: MIT
#include "cli/report/history.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct source {
    const char *key;
    bool measured; // differs from run to run
} source;

static const source sources[SHL_HISTORY_COLUMNS] = {
    [SHL_COLUMN_PAIRS] = {"pairs", false},
    [SHL_COLUMN_SELF] = {"self_pairs", false},
    [SHL_COLUMN_CONTACTS] = {"contacts", false},
    [SHL_COLUMN_WALL] = {"wall_ms", true},
    [SHL_COLUMN_DEFORM] = {"deform_ms", true},
    [SHL_COLUMN_GATHER] = {"gather_ms", true},
    [SHL_COLUMN_REFIT] = {"refit_ms", true},
    [SHL_COLUMN_REBUILD] = {"rebuild_ms", true},
    [SHL_COLUMN_BROAD] = {"broad_ms", true},
    [SHL_COLUMN_TRAVERSE] = {"traverse_ms", true},
    [SHL_COLUMN_LEAF] = {"leaf_ms", true},
    [SHL_COLUMN_CONTACT] = {"contact_ms", true},
    [SHL_COLUMN_DISTANCE] = {"distance_ms", true},
    [SHL_COLUMN_SORT] = {"sort_ms", true},
    [SHL_COLUMN_NODE_PAIRS] = {"node_pairs", true},
    [SHL_COLUMN_OPENED] = {"opened_nodes", true},
    [SHL_COLUMN_CANDIDATES] = {"candidates", true},
    [SHL_COLUMN_QUALITY_MEAN] = {"quality_mean", true},
    [SHL_COLUMN_QUALITY_WORST] = {"quality_worst", true},
};

static int reserve(shl_history *h, uint32_t *room)
{
    if (h->steps < *room)
        return 0;
    const uint32_t more = 2 * *room + 256;
    for (int k = 0; k < SHL_HISTORY_COLUMNS; k++) {
        double *column = realloc(h->column[k], more * sizeof *column);
        if (!column)
            return ENOMEM;
        h->column[k] = column;
    }
    *room = more;
    return 0;
}

static int read_line(shl_history *h, const char *line, uint32_t *room)
{
    json_error_t why;
    json_t *row = json_loads(line, 0, &why);
    const json_t *measured = json_object_get(row, "measured");
    const json_int_t step = json_integer_value(json_object_get(row, "step"));
    int code = measured && step > 0 && step <= UINT32_MAX ? reserve(h, room) : EILSEQ;
    if (code == 0) {
        if (h->steps == 0)
            h->first = (uint32_t)step;
        for (int k = 0; k < SHL_HISTORY_COLUMNS; k++)
            h->column[k][h->steps] = json_number_value(
                json_object_get(sources[k].measured ? measured : row, sources[k].key));
        h->steps++;
    }
    json_decref(row);
    return code;
}

int shl_history_read(const char *path, shl_history *out, uint32_t *line)
{
    *out = (shl_history){0};
    *line = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return errno;
    char *text = NULL;
    size_t size = 0;
    uint32_t room = 0;
    int code = 0;
    while (code == 0 && getline(&text, &size, file) > 0) {
        ++*line;
        code = read_line(out, text, &room);
    }
    if (code == 0 && ferror(file))
        code = EIO;
    free(text);
    fclose(file);
    if (code)
        shl_history_free(out);
    return code;
}

void shl_history_free(shl_history *h)
{
    for (int k = 0; k < SHL_HISTORY_COLUMNS; k++)
        free(h->column[k]);
    *h = (shl_history){0};
}

bool shl_history_has(const shl_history *h, shl_column_id column)
{
    for (uint32_t i = 0; i < h->steps; i++) {
        if (h->column[column][i] != 0)
            return true;
    }
    return false;
}
