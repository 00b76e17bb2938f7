// SPDX-License-Identifier: MIT
// VTK's XML files for images: a diagram with four values a cell.
#ifndef SHL_CLI_FRAMES_VTI_H
#define SHL_CLI_FRAMES_VTI_H

#include <shoal/diagram.h>

// Cell data `body`, `distance`, `second_body` and `second_distance`; where there is no body, -1
// and NaN. The file appears whole or not at all. The errno of the failure; 0 when done.
int shl_vti_write(const char *path, const shoal_grid *grid, const shoal_diagram_cell *cells);

#endif
