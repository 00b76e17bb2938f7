// SPDX-License-Identifier: MIT
// The stiffness of one elastic cube with eight corners. Nine inner bending shapes, condensed
// out, let a single layer of cubes bend as a beam does (Wilson's incompatible modes).
#ifndef SHL_MODES_BRICK_H
#define SHL_MODES_BRICK_H

enum {
    SHL_BRICK = 24
}; // corner c, axis k: row 3 c + k; bit k of c tells the side along axis k

// The mass between two corners, of a cube whose mass is 1: the same along each axis.
double shl_brick_mass(int corner, int other);

// For a cube of side 1 and Young's modulus 1; sides s and modulus E make it s E times that.
void shl_brick_stiffness(double poisson, double out[SHL_BRICK][SHL_BRICK]);

#endif
