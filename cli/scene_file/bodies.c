// SPDX-License-Identifier: MIT
// The bodies of a scene file, group by group, and how they move.
#include "cli/scene_file/bodies.h"

#include <stdlib.h>

enum { GROUPS_MAX = 1000 };

static bool read_beat(const shl_json_value *node, const char *const *keys, shl_own_beat *out)
{
    const shl_json_value amplitude = shl_json_at(node, "amplitude"),
                         hertz = shl_json_at(node, "hertz");
    *out = (shl_own_beat){0, 1};
    return shl_json_object(node, keys) &&
           shl_json_number(&amplitude, -1e9, 1e9, &out->amplitude) &&
           shl_json_number(&hertz, 0, 1e6, &out->hertz);
}

static bool read_modes(const shl_json_value *node, shl_own_group *g)
{
    static const char *const keys[] = {"amplitude", "hertz", NULL};
    if (!node->json)
        return true;
    if (!json_is_array(node->json) || json_array_size(node->json) > g->field_count)
        return shl_json_fail(node, "expected a list of at most %u modes, which the body has",
                             g->field_count);
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        const shl_json_value item = shl_json_item(node, i);
        if (!read_beat(&item, keys, &g->beats[i]))
            return false;
    }
    return true;
}

bool shl_scene_motion(const shl_json_value *node, shl_own_group *g)
{
    static const char *const keys[] = {"velocity", "spin", "swing", "wave", "modes", NULL};
    static const char *const swing_keys[] = {"by", "hertz", NULL};
    static const char *const wave_keys[] = {"amplitude", "length", "hertz", NULL};
    g->axis[2] = 1;
    g->swing_hertz = g->wave_length = 1;
    if (!node->json)
        return true;
    if (!shl_json_object(node, keys))
        return false;
    const shl_json_value velocity = shl_json_at(node, "velocity"),
                         spin = shl_json_at(node, "spin");
    const shl_json_value swing = shl_json_at(node, "swing"), wave = shl_json_at(node, "wave");
    const shl_json_value modes = shl_json_at(node, "modes"), by = shl_json_at(&swing, "by");
    const shl_json_value hertz = shl_json_at(&swing, "hertz"),
                         length = shl_json_at(&wave, "length");
    if (!shl_json_vector(&velocity, g->velocity) || !shl_scene_turn(&spin, g->axis, &g->spin) ||
        !read_modes(&modes, g))
        return false;
    if (swing.json &&
        (!shl_json_object(&swing, swing_keys) || !shl_json_vector(&by, g->swing) ||
         !shl_json_number(&hertz, 0, 1e6, &g->swing_hertz)))
        return false;
    const shl_json_value *prescribed = swing.json   ? &swing
                                       : wave.json  ? &wave
                                       : modes.json ? &modes
                                                    : NULL;
    if (g->falls && prescribed)
        return shl_json_fail(prescribed, "a body that falls has only 'velocity' and 'spin', "
                                         "those at the beginning");
    if (wave.json && g->kind == SHL_OWN_REDUCED)
        return shl_json_fail(&wave, "expected a body of kind free or skinned");
    return !wave.json || (read_beat(&wave, wave_keys, &g->wave) &&
                          shl_json_number(&length, 1e-9, 1e9, &g->wave_length));
}

bool shl_scene_bodies(const shl_json_value *bodies, uint64_t seed, shl_own_def *out,
                      uint64_t *inputs)
{
    static const char *const keys[] = {
        "mesh",   "model",  "generator", "k",       "vertices", "kind",   "controls",
        "fields", "scale",  "self",      "spheres", "grid",     "random", "list",
        "turn",   "motion", "dynamics",  "group",   "mask",     "static", NULL};
    const size_t count = json_array_size(bodies->json);
    if (!json_is_array(bodies->json) || count == 0 || count > GROUPS_MAX)
        return shl_json_fail(bodies, "expected a list of 1 to %d kinds of bodies", GROUPS_MAX);
    out->groups = calloc(count, sizeof *out->groups);
    if (!out->groups)
        return shl_json_fail(bodies, "out of memory");
    uint64_t state = seed, total = 0;
    for (size_t i = 0; i < count; i++) {
        const shl_json_value body = shl_json_item(bodies, i);
        shl_own_group *g = &out->groups[out->group_count++];
        const shl_json_value motion = shl_json_at(&body, "motion");
        if (!shl_json_object(&body, keys) || !shl_scene_shape(&body, seed, g, inputs) ||
            !shl_scene_falling(&body, out->time_step, g) ||
            !shl_scene_instances(&body, g, &state) || !shl_scene_motion(&motion, g))
            return false;
        total += g->count;
    }
    return total <= SHL_SCENE_BODIES_MAX ||
           shl_json_fail(bodies, "expected at most %d bodies", SHL_SCENE_BODIES_MAX);
}
