// SPDX-License-Identifier: MIT
// What falls in a scene file, and by which law.
#include "cli/scene_file/bodies.h"

#include <math.h>
#include <stdlib.h>

static const int32_t spheres = 8; // level, if nobody says

static bool read_hertz(const shl_json_value *node, shl_own_group *g)
{
    if (!node->json)
        return true;
    if (!json_is_array(node->json) || json_array_size(node->json) != g->field_count)
        return shl_json_fail(node, "expected a list of %u numbers, one for each field",
                             g->field_count);
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        const shl_json_value item = shl_json_item(node, i);
        if (!shl_json_number(&item, 1e-6, 1e6, &g->hertz[i]))
            return false;
    }
    return true;
}

// Modes have to be slow enough for the time step.
static bool check_hertz(const shl_json_value *node, const shl_json_value *hertz,
                        double time_step, const shl_own_group *g)
{
    uint32_t fastest = 0;
    for (uint32_t j = 0; j < g->field_count; j++) {
        if (!(g->hertz[j] > 0))
            return shl_json_fail(node,
                                 "expected the key 'hertz', a number for each of %u "
                                 "fields: the model file tells no frequencies",
                                 g->field_count);
        fastest = g->hertz[j] > g->hertz[fastest] ? j : fastest;
    }
    const double most = 3 / (6.283185307179586 * g->hertz[fastest]);
    if (g->field_count && !(time_step < most))
        return shl_json_fail(hertz->json ? hertz : node,
                             "field %u rings at %g hertz: expected a time_step below %.3g",
                             fastest, g->hertz[fastest], most);
    return true;
}

// The centre of mass becomes the origin. False: the mesh has no area.
static bool centre(shl_own_group *g, bool *memory)
{
    double *shares = NULL;
    *memory = shl_vertex_shares(&g->rest, &shares) == SHOAL_OK;
    const bool good = *memory && isfinite(shares[0]);
    if (good)
        shl_centre(&g->rest, shares);
    free(shares);
    return good;
}

bool shl_scene_falling(const shl_json_value *body, double time_step, shl_own_group *g)
{
    static const char *const keys[] = {"mass", "hertz", NULL};
    const shl_json_value node = shl_json_at(body, "dynamics");
    const shl_json_value mass = shl_json_at(&node, "mass"), hertz = shl_json_at(&node, "hertz");
    bool memory = true;
    if (!node.json)
        return true;
    g->mass = 1;
    if (!shl_json_object(&node, keys))
        return false;
    if (g->kind != SHL_OWN_REDUCED)
        return shl_json_fail(&node, "expected a body of kind reduced or rigid");
    if (g->field_count > SHL_FLEX_MODES_MAX)
        return shl_json_fail(&node,
                             "a body that falls has at most %d fields, and this one %u; "
                             "'fields' takes the first ones",
                             SHL_FLEX_MODES_MAX, g->field_count);
    if (!shl_json_number(&mass, 1e-9, 1e12, &g->mass) || !read_hertz(&hertz, g) ||
        !check_hertz(&node, &hertz, time_step, g))
        return false;
    if (!centre(g, &memory))
        return shl_json_fail(&node, memory ? "the mesh has no area" : "out of memory");
    g->falls = true;
    g->sphere_level = g->sphere_level < 0 ? spheres : g->sphere_level;
    return true;
}

static bool read_contact(const shl_json_value *node, shl_contact_law *out)
{
    static const char *const keys[] = {"stiffness", "damping", "friction", NULL};
    const shl_json_value stiffness = shl_json_at(node, "stiffness");
    const shl_json_value damping = shl_json_at(node, "damping");
    const shl_json_value friction = shl_json_at(node, "friction");
    return !node->json || (shl_json_object(node, keys) &&
                           shl_json_number(&stiffness, 0, 1e15, &out->stiffness) &&
                           shl_json_number(&damping, 0, 1e15, &out->damping) &&
                           shl_json_number(&friction, 0, 1e3, &out->friction));
}

static bool read_floor(const shl_json_value *node, double *level)
{
    if (json_is_false(node->json)) {
        *level = -INFINITY;
        return true;
    }
    if (node->json && !json_is_number(node->json))
        return shl_json_fail(node, "expected the height of the floor, or false");
    return shl_json_number(node, -1e15, 1e15, level);
}

bool shl_scene_law(const shl_json_value *node, shl_own_def *out)
{
    static const char *const keys[] = {"gravity", "floor",   "damping",       "strain_limit",
                                       "passes",  "contact", "floor_contact", NULL};
    shl_dynamics_def *law = &out->law;
    *law = shl_dynamics_default();
    law->step = out->time_step;
    if (!node->json)
        return true;
    const shl_json_value gravity = shl_json_at(node, "gravity"),
                         floor = shl_json_at(node, "floor");
    const shl_json_value damping = shl_json_at(node, "damping"),
                         rounds = shl_json_at(node, "passes");
    const shl_json_value strain = shl_json_at(node, "strain_limit");
    const shl_json_value contact = shl_json_at(node, "contact");
    const shl_json_value ground = shl_json_at(node, "floor_contact");
    uint64_t passes = law->passes;
    if (!shl_json_object(node, keys) || !shl_json_number(&gravity, -1e6, 1e6, &law->gravity) ||
        !read_floor(&floor, &law->level) ||
        !shl_json_number(&damping, 0, 0.99, &law->damping_ratio) ||
        !shl_json_number(&strain, 1e-6, 1e6, &law->strain_limit) ||
        !shl_json_count(&rounds, 1, 1000, &passes) || !read_contact(&contact, &law->body) ||
        !read_contact(&ground, &law->floor))
        return false;
    law->passes = (uint32_t)passes;
    return shl_own_falls(out) ||
           shl_json_fail(node, "no body has the key 'dynamics', so nothing would fall");
}
