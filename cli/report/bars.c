// SPDX-License-Identifier: MIT
#include "cli/report/bars.h"

#include <string.h>
#include <strings.h>

const char *const shl_side_names[SHL_SIDES] = {"paper", "literal", "equal care",
                                               "shoal", "peers",   "other"};

shl_side shl_side_of(const char *name)
{
    static const struct {
        const char *begin;
        shl_side side;
    } rows[] = {{"paper", SHL_SIDE_PAPER}, {"literal", SHL_SIDE_LITERAL},
                {"equal", SHL_SIDE_CARE},  {"embree", SHL_SIDE_PEER},
                {"fcl", SHL_SIDE_PEER},    {"cgal", SHL_SIDE_PEER},
                {"shoal", SHL_SIDE_SHOAL}};
    // a paper's strategy within shoal, as the experiments L call it
    static const char *const strategies[] = {"shoal hybrid", "shoal bottom-up",
                                             "shoal top-down"};
    for (size_t i = 0; name && i < sizeof strategies / sizeof *strategies; i++) {
        if (strcmp(name, strategies[i]) == 0)
            return SHL_SIDE_CARE;
    }
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++) {
        if (strncasecmp(name, rows[i].begin, strlen(rows[i].begin)) == 0)
            return rows[i].side;
    }
    return SHL_SIDE_OTHER;
}

typedef struct rows {
    const bench_bar *bars;
    size_t count;
} rows;

static void draw(FILE *f, const void *what)
{
    const rows *r = what;
    bench_bars_draw(f, r->bars, r->count);
}

void shl_bars_put(shl_output *out, const char *title, const bench_bar *bars, size_t count)
{
    const rows all = {bars, count};
    shl_figure figure = {.title = title, .unit = "logarithmic", .draw = draw, .what = &all};
    if (bench_bars_shown(bars, count) < 2)
        return;
    for (size_t i = 0; i < count; i++) {
        if (bench_bars_shown(&bars[i], 1))
            figure.names[bars[i].colour] = shl_side_names[bars[i].colour];
    }
    shl_figure_put(out, &figure);
}
