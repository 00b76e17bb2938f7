// SPDX-License-Identifier: MIT
// All vertices of a body from its pose and coordinates: what everyone does who has no bounds
// that hold for any coordinates.
#ifndef PEERS_DEFORM_H
#define PEERS_DEFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DEFORM_VERTICES = 8 }; // columns are padded to a multiple

// Columns, so that vectors are full: [3][padded] of the rest shape, [field_count][3][padded].
typedef struct deform_model {
    uint32_t vertices, padded, field_count;
    const double *rest;
    const float *fields;
    const float *rest_f32; // rounded
} deform_model;

// Packed positions by the formula of shoal/reduced.h, with its very roundings. `state` is
// rotation[9], translation[3], q[field_count].
void deform_f64(const deform_model *model, const double *state, double *xyz);

// The same in float32 throughout.
void deform_f32(const deform_model *model, const double *state, float *xyz);

#ifdef __cplusplus
}
#endif

#endif
