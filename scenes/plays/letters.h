// SPDX-License-Identifier: MIT
// Letters that fall into a bowl, or through a funnel and down a ramp.
#ifndef SHL_SCENES_PLAYS_LETTERS_H
#define SHL_SCENES_PLAYS_LETTERS_H

#include "scenes/play.h"

extern const shl_play shl_play_letters_bowl, shl_play_letters_ramp;

#endif
