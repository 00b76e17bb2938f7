// SPDX-License-Identifier: MIT
#include "modes/brick.h"

#include <math.h>
#include <string.h>

enum { INNER = 9, ALL = SHL_BRICK + INNER };

// Strains xx, yy, zz, xy, yz, zx of all shapes at a point in [-1, 1]^3; the cube has side 1, so
// derivatives are doubled.
static void strains(const double at[3], double out[6][ALL])
{
    double slope[8 + 3][3];
    for (int c = 0; c < 8; c++) {
        double side[3];
        for (int k = 0; k < 3; k++)
            side[k] = c >> k & 1 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            slope[c][k] = 2 * 0.125 * side[k] * (1 + side[i] * at[i]) * (1 + side[j] * at[j]);
        }
    }
    for (int inner = 0; inner < 3; inner++) { // 1 - x^2 along each axis
        for (int k = 0; k < 3; k++)
            slope[8 + inner][k] = k == inner ? 2 * -2 * at[k] : 0;
    }
    memset(out, 0, 6 * sizeof *out);
    for (int shape = 0; shape < 11; shape++) {
        for (int k = 0; k < 3; k++) { // moves along k
            const int column = 3 * shape + k, next = (k + 1) % 3, last = (k + 2) % 3;
            out[k][column] = slope[shape][k];
            out[3 + k][column] = slope[shape][next];    // k and next
            out[3 + last][column] = slope[shape][last]; // last and k
        }
    }
}

// Eliminates the inner shapes from the last to the first.
static void condense(double k[ALL][ALL])
{
    for (int pivot = ALL - 1; pivot >= SHL_BRICK; pivot--) {
        for (int i = 0; i < pivot; i++) {
            const double share = k[i][pivot] / k[pivot][pivot];
            for (int j = 0; j < pivot; j++)
                k[i][j] -= share * k[pivot][j];
        }
    }
}

double shl_brick_mass(int corner, int other)
{
    double product = 1;
    for (int axis = 0; axis < 3; axis++)
        product *= (corner ^ other) >> axis & 1 ? 1.0 / 6 : 1.0 / 3;
    return product;
}

void shl_brick_stiffness(double poisson, double out[SHL_BRICK][SHL_BRICK])
{
    const double lame = poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double shear = 0.5 / (1 + poisson), gauss = 1 / sqrt(3);
    double k[ALL][ALL] = {{0}};
    for (int point = 0; point < 8; point++) {
        double at[3], b[6][ALL];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = point >> axis & 1 ? gauss : -gauss;
        strains(at, b);
        for (int i = 0; i < ALL; i++) {
            const double volume = b[0][i] + b[1][i] + b[2][i];
            for (int j = 0; j < ALL; j++) {
                double sum = lame * volume * (b[0][j] + b[1][j] + b[2][j]);
                for (int e = 0; e < 3; e++)
                    sum += 2 * shear * b[e][i] * b[e][j] + shear * b[3 + e][i] * b[3 + e][j];
                k[i][j] += 0.125 * sum; // the weight of the point
            }
        }
    }
    condense(k);
    for (int i = 0; i < SHL_BRICK; i++) {
        for (int j = 0; j < SHL_BRICK; j++)
            out[i][j] = 0.5 * (k[i][j] + k[j][i]);
    }
}
