// SPDX-License-Identifier: MIT
// A sheet folded like an accordion, whose waves make its layers cross.
#ifndef PEERS_CLOTH_H
#define PEERS_CLOTH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CLOTH_LONG = 304, // cells along the folds' run
    CLOTH_WIDE = 152, // cells across
    CLOTH_VERTICES = (CLOTH_LONG + 1) * (CLOTH_WIDE + 1),
    CLOTH_TRIANGLES = 2 * CLOTH_LONG * CLOTH_WIDE,
};

// Fills [3 * CLOTH_TRIANGLES] vertex numbers.
void cloth_triangles(uint32_t *triangles);

// Fills [3 * CLOTH_VERTICES] packed positions: the sheet as it was cut, before it was folded.
void cloth_flat(float *xyz);

// Fills [3 * CLOTH_VERTICES] packed positions at `time`, 0 to 1: the folds close and the waves
// run. The same bits on every machine.
void cloth_positions(double time, float *xyz);

#ifdef __cplusplus
}
#endif

#endif
