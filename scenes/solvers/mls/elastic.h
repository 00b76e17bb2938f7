// SPDX-License-Identifier: MIT
// Soft bodies of one kind that swing, stretch and push each other: control points with
// elasticity (mls.h) and a surface skinned to them.
//
// Contacts come from triangle pairs. Where two surfaces cut each other runs a curve; each pair
// knows a piece of it, and pushes along the difference of the two normals there, as hard as the
// piece is long. Of two balls this gives a force along their centres that grows with the
// overlap. It acts on the control points by the derivatives of the vertices, so momentum and
// spin stay.
#ifndef SHL_SCENES_SOLVERS_MLS_ELASTIC_H
#define SHL_SCENES_SOLVERS_MLS_ELASTIC_H

#include "scenes/shapes/mesh.h"
#include "scenes/solvers/mls/mls.h"
#include "volume/controls.h"

#include <shoal/skinned.h>

typedef struct shl_elastic_def {
    uint32_t controls, bodies;
    uint64_t seed;       // of the control points
    shl_mls_def mls;     // but for its nodes
    double step;         // seconds
    double stiffness;    // of contacts: newtons a metre of curve
    double contact_damp; // newtons a metre of curve and metre a second
    double drag;         // share of the speed that is lost in a second
} shl_elastic_def;

// All columns of control points go body by body.
typedef struct shl_elastic {
    shl_elastic_def def;
    shl_surface surface; // at rest
    shl_controls controls;
    shl_mls mls;
    shoal_scene *scene;
    shoal_model *model;
    shoal_body *ids;       // [bodies]
    uint32_t all;          // control points of a body, with its core
    double *y, *v;         // [bodies][all][3] places and velocities
    double *turn;          // [bodies][all][4]
    double *push;          // [bodies][all][3] acceleration for the next step, set by the user
    bool *tied;            // [bodies][all] goes to its target, whatever pulls at it
    double *target;        // [bodies][all][3] where tied control points are after the next step
    double *load, *couple; // [bodies][all][3] and [9] from contacts
    double *gradient;      // [bodies][all][9]
    double *force;         // [all][3] scratch
    double *state;         // [12][bodies * controls.count] u and J, handed over
    double elastic;        // energy of all bodies after the last step
} shl_elastic;

// Takes `surface` in any case. Bodies are added to `scene`, all at the origin, at rest. `*out`
// is zero on failure. Errors: those of the library and of shl_controls_create().
SHOAL_CHECK shoal_status shl_elastic_create(const shl_elastic_def *def, shl_surface *surface,
                                            shoal_context *ctx, shoal_scene *scene,
                                            shl_elastic *out);
void shl_elastic_finish(shl_elastic *soft);

// Puts a body somewhere, at rest in the frame of `velocity`.
void shl_elastic_place(shl_elastic *soft, uint32_t body, const double rotation[9],
                       const double at[3], const double velocity[3]);

// Moves on by one step of time, with the pairs that the scene found where the bodies are now.
void shl_elastic_step(shl_elastic *soft, const shoal_pair *pairs, size_t count);

// Works out the gradients and tells the scene where the bodies are.
SHOAL_CHECK shoal_status shl_elastic_hand_over(shl_elastic *soft);

// Only the latter, for gradients that the user has set.
SHOAL_CHECK shoal_status shl_elastic_set_states(shl_elastic *soft);

// Loads and couples of the control points from triangle pairs; in elastic_contact.c.
void shl_elastic_contacts(shl_elastic *soft, const shoal_pair *pairs, size_t count);

// A vertex of the surface in the world, for the gradients of the last hand-over.
void shl_elastic_vertex(const shl_elastic *soft, uint32_t body, uint32_t vertex, double out[3]);

// Sums over all bodies.
typedef struct shl_elastic_report {
    double kinetic, elastic;       // joule
    double momentum[3], spin[3];   // the latter about the origin
    double mean_speed, most_speed; // of control points
    double longest_strain;         // largest stretch of a control point's gradient, less 1
} shl_elastic_report;

shl_elastic_report shl_elastic_measure(const shl_elastic *soft);

#endif
