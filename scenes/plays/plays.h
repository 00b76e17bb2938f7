// SPDX-License-Identifier: MIT
// All scenes.
#ifndef SHL_SCENES_PLAYS_PLAYS_H
#define SHL_SCENES_PLAYS_PLAYS_H

#include "scenes/play.h"

extern const shl_play shl_play_bumpy_2, shl_play_bumpy_27, shl_play_arms_27, shl_play_plates,
    shl_play_tangle, shl_play_beams, shl_play_calm_27, shl_play_chairs, shl_play_letters_bowl,
    shl_play_letters_ramp, shl_play_skirt, shl_play_breaking, shl_play_fish_bridge,
    shl_play_curtain, shl_play_ring, shl_play_fish_24, shl_play_brain;

#endif
