// SPDX-License-Identifier: MIT
// A row over a built-in scene.
#include "golden.h"
#include "scenes/scene.h"

#include <stdio.h>
#include <string.h>

// Applies "key=value key=value".
static bool set_all(shl_scene_id id, const char *settings, shl_scene_params *params)
{
    char text[128];
    snprintf(text, sizeof text, "%s", settings ? settings : "");
    for (char *rest, *one = strtok_r(text, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(one, '=');
        shl_setting_error why;
        if (!value)
            return false;
        *value++ = '\0';
        if (!shl_scene_set(id, params, one, value, &why)) {
            fprintf(stderr, "%s=%s: %s\n", one, value, why.text);
            return false;
        }
    }
    return true;
}

bool golden_play_scene(const golden_row *row, shoal_context *ctx, shoal_scene *scene,
                       golden_sum *out)
{
    shl_scene_id id;
    if (!shl_scene_find(row->scene, &id))
        return false;
    shl_scene_params params = shl_scene_defaults(id);
    shl_motion *motion = NULL;
    if (!set_all(id, row->settings, &params))
        return false;
    uint32_t queries = shl_scene_queries(id) | row->queries;
    if (params.spheres)
        queries = (queries & ~(uint32_t)SHOAL_QUERY_PAIRS) | SHOAL_QUERY_SPHERES;
    shoal_status st = shl_motion_create(id, &params, ctx, scene, &motion);
    const uint32_t steps = row->steps ? row->steps : 20;
    for (uint32_t i = 1; i <= steps && st == SHOAL_OK; i++) {
        st = shl_motion_step(motion, i);
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, queries);
        if (st == SHOAL_OK)
            golden_add(row, scene, out);
    }
    shl_motion_destroy(motion);
    return st == SHOAL_OK;
}
