// SPDX-License-Identifier: MIT
// Views of the results.
#include "runtime/queries/distance/distance.h"

static const shl_distance *distance_of(const shoal_scene *scene)
{
    return shl_scene_query(scene, &shl_distance_query);
}

shoal_nearest_rows shoal_scene_nearest(const shoal_scene *scene)
{
    const shl_distance *d = distance_of(scene);
    return d ? (shoal_nearest_rows){d->nearest.data, d->nearest_count}
             : (shoal_nearest_rows){0};
}

shoal_nearest_rows shoal_scene_within(const shoal_scene *scene)
{
    const shl_distance *d = distance_of(scene);
    return d ? (shoal_nearest_rows){d->within.data, d->within_count} : (shoal_nearest_rows){0};
}

static shoal_nearest_rows triangles_of(const shoal_scene *scene, int list)
{
    const shl_distance *d = distance_of(scene);
    return d ? (shoal_nearest_rows){d->tris[list].data, d->tri_count[list]}
             : (shoal_nearest_rows){0};
}

shoal_nearest_rows shoal_scene_nearest_triangles(const shoal_scene *scene)
{
    return triangles_of(scene, 0);
}

shoal_nearest_rows shoal_scene_nearest_self(const shoal_scene *scene)
{
    return triangles_of(scene, 1);
}
