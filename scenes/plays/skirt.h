// SPDX-License-Identifier: MIT
// A cone of cloth around a capsule that sways and turns.
#ifndef SHL_SCENES_PLAYS_SKIRT_H
#define SHL_SCENES_PLAYS_SKIRT_H

#include "scenes/play.h"

extern const shl_play shl_play_skirt;

#endif
