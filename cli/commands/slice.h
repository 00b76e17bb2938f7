// SPDX-License-Identifier: MIT
// A slice of a diagram as a picture.
#ifndef SHL_CLI_COMMANDS_SLICE_H
#define SHL_CLI_COMMANDS_SLICE_H

#include <shoal/diagram.h>
#include <stdbool.h>

typedef struct shl_slice {
    const shoal_grid *grid;
    const shoal_diagram_cell *cells;
    int axis;    // across the slice: 0, 1 or 2
    uint32_t at; // its cells along that axis
} shl_slice;

typedef struct shl_slice_size {
    uint32_t width, height; // pixels
    uint32_t scale;         // pixels along a cell
} shl_slice_size;

shl_slice_size shl_slice_size_of(const shl_slice *slice);

// Left the nearest body of each cell, right the next one: a colour a body, paler with the
// distance, lines of equal distance, dark cells where a surface is, and on the right also the
// borders of the left. The other two axes point right and up. rgb[height][width][3]
void shl_slice_draw(const shl_slice *slice, uint8_t *rgb);

#endif
