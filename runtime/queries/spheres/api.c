// SPDX-License-Identifier: MIT
// The view of the results.
#include "runtime/queries/spheres/spheres.h"

shoal_sphere_contacts shoal_scene_sphere_contacts(const shoal_scene *scene)
{
    const shl_spheres *s = shl_scene_query(scene, &shl_spheres_query);
    return s ? (shoal_sphere_contacts){s->contacts.data, s->contact_count}
             : (shoal_sphere_contacts){0};
}
