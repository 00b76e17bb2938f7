// SPDX-License-Identifier: MIT
// Views of the results.
#include "runtime/queries/overlap/overlap.h"

static shoal_pairs list_of(const shoal_scene *scene, int list)
{
    const shl_overlap *o = shl_scene_query(scene, &shl_overlap_query);
    return o ? (shoal_pairs){o->result[list].data, o->result_count[list]} : (shoal_pairs){0};
}

shoal_pairs shoal_scene_pairs(const shoal_scene *scene)
{
    return list_of(scene, SHL_PAIRS);
}

shoal_pairs shoal_scene_self_pairs(const shoal_scene *scene)
{
    return list_of(scene, SHL_SELF);
}

shoal_pairs shoal_scene_first_pairs(const shoal_scene *scene)
{
    const shl_overlap *o = shl_scene_query(scene, &shl_overlap_query);
    return o ? (shoal_pairs){o->hits.data, o->hit_count} : (shoal_pairs){0};
}
