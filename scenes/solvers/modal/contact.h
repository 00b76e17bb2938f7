// SPDX-License-Identifier: MIT
// One contact of a step, between two bodies or a body and the floor, and the passes that find
// the impulses of all.
//
// With d the depth, k and c stiffness and damping, h the step and v the closing speed at its
// end, the normal impulse is h (k (d + h v) + c v), but never negative. So a contact wants
//
//     impulse = bias + give v,  give = h^2 k + h c,  bias = h k d
//
// and for one that is still open, d < 0, only what is closed of it counts: bias = give d / h.
// Friction wants no sliding, and gets at most its share of the normal impulse.
#ifndef SHL_SCENES_SOLVERS_MODAL_CONTACT_H
#define SHL_SCENES_SOLVERS_MODAL_CONTACT_H

#include "scenes/solvers/modal/dynamics.h"

#define SHL_FLOOR UINT32_MAX

typedef struct shl_modal_contact {
    uint32_t body[2]; // the second may be SHL_FLOOR
    uint32_t vertex[2];
    double arm[2][3]; // from the centres of the bodies
    double normal[3]; // from the first to the second
    double depth;
    const shl_contact_law *law;
    // made by shl_modal_contact_prepare
    double response[3]; // of the relative velocity to an impulse along the normal
    double give, bias;
    double normal_share, slide_share; // of a wish, that one pass grants
    // the impulse that the first gives to the second
    double along;    // the normal
    double slide[3]; // across it
} shl_modal_contact;

// Works out what the passes need.
void shl_modal_contact_prepare(const shl_dynamics *d, shl_modal_contact *contact);

// Brings the impulse of one contact nearer to what its law wants.
void shl_modal_contact_solve(shl_dynamics *d, shl_modal_contact *contact);

#endif
