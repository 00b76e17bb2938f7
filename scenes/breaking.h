// SPDX-License-Identifier: MIT
// Blocks of convex pieces that fall and break. Pieces share the particles of the sides that
// they have in common; a bond is such a side. It breaks when the impulse through it is too
// large: then what no bond holds together gets particles of its own, and bodies get new meshes.
#ifndef SHL_SCENES_BREAKING_H
#define SHL_SCENES_BREAKING_H

#include "scenes/play.h"

extern const shl_play shl_play_breaking;

#endif
