// SPDX-License-Identifier: MIT
// What is done to a brain, as maps of space with their gradients.
#ifndef SHL_SCENES_PLAYS_BRAIN_H
#define SHL_SCENES_PLAYS_BRAIN_H

typedef enum shl_brain_motion {
    SHL_BRAIN_PULL,
    SHL_BRAIN_BEND,
    SHL_BRAIN_TWIST,
} shl_brain_motion;

// Where a point of the brain at rest goes, and how the map changes there, row by row. `amount`
// goes from 0, at rest, to 1: pulled by 1.2 of its mean radius.
void shl_brain_deform(shl_brain_motion motion, double amount, const double p[3], double out[3],
                      double gradient[9]);

#endif
