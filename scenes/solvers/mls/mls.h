// SPDX-License-Identifier: MIT
// Elasticity of a cloud of nodes, without a mesh (Mueller et al. 2004): the gradient of the
// deformation at a node is the least-squares fit to where its neighbours have gone, which gives
// stress and forces.
//
// With y the places now, x_ij from node i to its neighbour j at rest, and a weight w_ij:
//
//     A_i  = sum w_ij x_ij x_ij^T,  g_ij = A_i^-1 x_ij w_ij
//     F_i  = sum (y_j - y_i) g_ij^T
//
// Stress is corotated, P = 2 mu (F - R) + lambda tr(R^T F - 1) R with R the rotation in F, so
// that turned, flattened and inverted neighbourhoods all find back. Patterns that no F sees are
// held by springs on what the fit leaves over, e_ij = y_j - y_i - F_i x_ij; as F minimises
// sum w_ij |e_ij|^2, their forces are simply - k w_ij e_ij. All forces follow from an energy
// that rigid motion does not change: they conserve momentum and spin.
#ifndef SHL_SCENES_SOLVERS_MLS_MLS_H
#define SHL_SCENES_SOLVERS_MLS_MLS_H

#include <shoal/base.h>

enum { SHL_MLS_NEIGHBOURS = 14 }; // neighbours of a node, if there are as many

typedef struct shl_mls_def {
    const double *nodes;  // [count][3]
    const double *volume; // [count]
    uint32_t count;
    double density; // kilograms a cubic metre
    double young;   // pascal
    double poisson; //
    double hold;    // share of the stiffness that holds what no gradient sees
    double damping; // seconds: neighbours' closing speed counts like this much of its way
} shl_mls_def;

// What all bodies of one kind share.
typedef struct shl_mls {
    shl_mls_def def;
    uint32_t count;
    double *rest;        // [count][3]
    double *mass;        // [count]
    double *volume;      // [count]
    uint32_t *begin;     // [count + 1] of its neighbours
    uint32_t *other;     // [begin[count]]
    double *offset;      // [begin[count]][3] x_ij
    double *slope;       // [begin[count]][3] g_ij
    double *weight;      // [begin[count]] w_ij
    double *spring;      // [count] k
    double lambda, mu;   // of Lame
    double longest_step; // seconds, that is stable with room to spare
} shl_mls;

// Errors: MEMORY.
SHOAL_CHECK shoal_status shl_mls_create(const shl_mls_def *def, shl_mls *out);
void shl_mls_finish(shl_mls *mls);

// F of every node, [count][9].
void shl_mls_gradients(const shl_mls *mls, const double *y, double *gradients);

// Adds forces to `force`, [count][3]. `turn`, [count][4], holds the rotations that were found
// last, unit quaternions, and gets the new ones. `couple`, [count][9] or NULL, is what acts on
// the gradients from outside. Returns the energy.
double shl_mls_forces(const shl_mls *mls, const double *y, const double *v,
                      const double *couple, double *turn, double *force);

// The rotation in a 3x3 matrix: `turn` becomes the unit quaternion of the rotation nearest to
// it, found from the one it was (Mueller et al. 2016). Right for inverted matrices, too.
void shl_rotation_of(const double m[9], double turn[4]);

#endif
