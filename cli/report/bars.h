// SPDX-License-Identifier: MIT
// Bars beside each other, as SVG that stands in a page: contenders of an experiment. The axis
// is logarithmic, since papers and libraries are often a hundred times apart.
#ifndef SHL_CLI_REPORT_BARS_H
#define SHL_CLI_REPORT_BARS_H

#include "cli/report/chart.h"

// Who is measured.
typedef enum shl_side {
    SHL_SIDE_PAPER,   // what a paper tells of its own machine
    SHL_SIDE_LITERAL, // its method as its authors would have written it
    SHL_SIDE_CARE,    // its method within shoal
    SHL_SIDE_SHOAL,
    SHL_SIDE_PEER, // another library
    SHL_SIDE_OTHER,
    SHL_SIDES
} shl_side;

extern const char *const shl_side_names[SHL_SIDES];

// By a contender's name or a column's key; NULL: other.
shl_side shl_side_of(const char *name);

// A figure of bars, whose colours are sides. Those that are not above 0 are left out; nothing
// is drawn without two.
void shl_bars_put(shl_output *out, const char *title, const bench_bar *bars, size_t count);

#endif
