// SPDX-License-Identifier: MIT
// Blocks of convex pieces that fall on a floor and on each other, and break.
#ifndef SHL_SCENES_PLAYS_BREAKING_H
#define SHL_SCENES_PLAYS_BREAKING_H

#include "scenes/play.h"

extern const shl_play shl_play_breaking;

#endif
