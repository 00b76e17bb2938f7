// SPDX-License-Identifier: MIT
// Where two triangles cut each other.
#ifndef SHL_SCENES_SHAPES_TRI_CUT_H
#define SHL_SCENES_SHAPES_TRI_CUT_H

#include <shoal/base.h>

typedef struct shl_tri_cut {
    double middle[3], length; // of the segment that they share
    double normal[2][3];      // of unit length
    double share[2][3];       // of the corners, which make up the middle
} shl_tri_cut;

// Triangles are three corners each. To rounding. False: they share no segment, or one of them
// has no area.
bool shl_cut_triangles(const double a[9], const double b[9], shl_tri_cut *out);

#endif
