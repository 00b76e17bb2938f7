// SPDX-License-Identifier: MIT
// `shoal query --voronoi`: a folder with the diagrams of the files, to look at.
#ifndef SHL_CLI_COMMANDS_QUERY_VORONOI_H
#define SHL_CLI_COMMANDS_QUERY_VORONOI_H

#include "cli/run/engine.h"

extern const shl_option shl_voronoi_options[];

// Fills the grid for the last step's bodies, writes diagram.vti and slices, and tells of them.
// Returns an exit code; not OK: it said why.
int shl_voronoi_write(const shl_args *args, const shl_engine *engine);

#endif
