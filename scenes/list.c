// SPDX-License-Identifier: MIT
// The list of scenes.
#include "scenes/plays/plays.h"

#include <string.h>

static const shl_play *const plays[SHL_SCENE_COUNT] = {
    [SHL_SCENE_BUMPY_2] = &shl_play_bumpy_2,
    [SHL_SCENE_BUMPY_27] = &shl_play_bumpy_27,
    [SHL_SCENE_ARMS_27] = &shl_play_arms_27,
    [SHL_SCENE_PLATES] = &shl_play_plates,
    [SHL_SCENE_TANGLE] = &shl_play_tangle,
    [SHL_SCENE_BEAMS] = &shl_play_beams,
    [SHL_SCENE_CALM_27] = &shl_play_calm_27,
    [SHL_SCENE_CHAIRS] = &shl_play_chairs,
    [SHL_SCENE_LETTERS_BOWL] = &shl_play_letters_bowl,
    [SHL_SCENE_LETTERS_RAMP] = &shl_play_letters_ramp,
    [SHL_SCENE_SKIRT] = &shl_play_skirt,
    [SHL_SCENE_BREAKING] = &shl_play_breaking,
    [SHL_SCENE_FISH_BRIDGE] = &shl_play_fish_bridge,
    [SHL_SCENE_CURTAIN] = &shl_play_curtain,
    [SHL_SCENE_RING] = &shl_play_ring,
    [SHL_SCENE_FISH_24] = &shl_play_fish_24,
    [SHL_SCENE_BRAIN] = &shl_play_brain,
};

const shl_play *shl_scene_play(shl_scene_id scene)
{
    return plays[scene];
}

const char *shl_scene_name(shl_scene_id scene)
{
    return plays[scene]->name;
}

const char *shl_scene_summary(shl_scene_id scene)
{
    return plays[scene]->summary;
}

bool shl_scene_find(const char *name, shl_scene_id *out)
{
    for (int i = 0; i < SHL_SCENE_COUNT; i++) {
        if (strcmp(plays[i]->name, name) == 0) {
            *out = (shl_scene_id)i;
            return true;
        }
    }
    return false;
}

bool shl_scene_is_reduced(shl_scene_id scene)
{
    return plays[scene]->reduced;
}

uint32_t shl_scene_queries(shl_scene_id scene)
{
    return plays[scene]->queries ? plays[scene]->queries : SHOAL_QUERY_PAIRS;
}

bool shl_scene_floor(shl_scene_id scene)
{
    return plays[scene]->floor;
}

shl_scene_params shl_scene_defaults(shl_scene_id scene)
{
    return plays[scene]->defaults;
}
