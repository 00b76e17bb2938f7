// SPDX-License-Identifier: MIT
// Where the bodies of a scene file begin, and which others they meet.
#include "cli/scene_file/bodies.h"
#include "scenes/math/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295;

static bool add_instances(const shl_json_value *node, shl_own_group *g, uint64_t more)
{
    if (more > SHL_SCENE_BODIES_MAX - g->count)
        return shl_json_fail(node, "expected at most %d bodies", SHL_SCENE_BODIES_MAX);
    shl_own_instance *instances = realloc(g->instances, (g->count + more) * sizeof *instances);
    if (!instances)
        return shl_json_fail(node, "out of memory");
    g->instances = instances;
    for (uint64_t i = 0; i < more; i++)
        instances[g->count++] =
            (shl_own_instance){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .filter = g->filter};
    return true;
}

static bool read_grid(const shl_json_value *node, shl_own_group *g)
{
    static const char *const keys[] = {"count", "spacing", "at", NULL};
    const shl_json_value count = shl_json_at(node, "count"), at = shl_json_at(node, "at");
    const shl_json_value spacing = shl_json_at(node, "spacing");
    double step[3] = {1, 1, 1}, corner[3] = {0, 0, 0};
    uint64_t n[3] = {1, 1, 1};
    if (!node->json)
        return true;
    if (!shl_json_object(node, keys) || !shl_json_vector(&spacing, step) ||
        !shl_json_vector(&at, corner))
        return false;
    if (json_array_size(count.json) != 3)
        return shl_json_fail(&count, "count: expected three whole numbers, as [3, 3, 1]");
    for (size_t k = 0; k < 3; k++) {
        const shl_json_value item = shl_json_item(&count, k);
        if (!shl_json_count(&item, 1, SHL_SCENE_BODIES_MAX, &n[k]))
            return false;
    }
    const uint32_t first = g->count;
    if (n[0] * n[1] > SHL_SCENE_BODIES_MAX)
        return shl_json_fail(&count, "expected at most %d bodies", SHL_SCENE_BODIES_MAX);
    if (!add_instances(node, g, n[0] * n[1] * n[2]))
        return false;
    for (uint64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const uint64_t cell[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int k = 0; k < 3; k++)
            g->instances[first + i].at[k] = corner[k] + step[k] * (double)cell[k];
    }
    return true;
}

static bool read_random(const shl_json_value *node, shl_own_group *g, uint64_t *state)
{
    static const char *const keys[] = {"count", "from", "to", NULL};
    const shl_json_value count = shl_json_at(node, "count"),
                         from_node = shl_json_at(node, "from");
    const shl_json_value to_node = shl_json_at(node, "to");
    double from[3] = {0, 0, 0}, to[3] = {1, 1, 1};
    uint64_t n = 1;
    if (!node->json)
        return true;
    const uint32_t first = g->count;
    if (!shl_json_object(node, keys) || !shl_json_count(&count, 1, SHL_SCENE_BODIES_MAX, &n) ||
        !shl_json_vector(&from_node, from) || !shl_json_vector(&to_node, to) ||
        !add_instances(node, g, n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            g->instances[first + i].at[k] =
                from[k] + (to[k] - from[k]) * (0.5 + 0.5 * shl_random_signed(state));
    }
    return true;
}

static bool read_axis(const shl_json_value *node, double axis[3])
{
    if (!shl_json_vector(node, axis))
        return false;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 0))
        return shl_json_fail(node, "expected a direction that is not zero");
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
    return true;
}

// An axis and an angle, in radians.
bool shl_scene_turn(const shl_json_value *node, double axis[3], double *angle)
{
    static const char *const keys[] = {"axis", "degrees", NULL};
    const shl_json_value axis_node = shl_json_at(node, "axis");
    const shl_json_value degrees = shl_json_at(node, "degrees");
    double value = 0;
    if (!node->json)
        return true;
    if (!shl_json_object(node, keys) || !read_axis(&axis_node, axis) ||
        !shl_json_number(&degrees, -1e9, 1e9, &value))
        return false;
    *angle = degree * value;
    return true;
}

// group, mask and static, of all bodies of a group or of one in a list.
static bool read_filter(const shl_json_value *node, bool moves, shl_own_filter *out)
{
    const shl_json_value group = shl_json_at(node, "group"), mask = shl_json_at(node, "mask");
    const shl_json_value rests = shl_json_at(node, "static");
    uint64_t bits[2] = {out->group, out->mask};
    if (!shl_json_count(&group, 0, UINT32_MAX, &bits[0]) ||
        !shl_json_count(&mask, 0, UINT32_MAX, &bits[1]) ||
        !shl_json_flag(&rests, &out->is_static))
        return false;
    out->group = (uint32_t)bits[0];
    out->mask = (uint32_t)bits[1];
    return !moves || !out->is_static ||
           shl_json_fail(&rests, "expected a body without 'motion' and 'dynamics'");
}

// Places, or places with turns and filters of their own.
static bool read_list(const shl_json_value *node, const shl_json_value *all, bool moves,
                      shl_own_group *g)
{
    if (!node->json)
        return true;
    if (!json_is_array(node->json) || json_array_size(node->json) == 0)
        return shl_json_fail(node, "expected a list of places, as [[0, 0, 0], [1, 0, 0]]");
    const uint32_t first = g->count;
    if (!add_instances(node, g, json_array_size(node->json)))
        return false;
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        static const char *const keys[] = {"at", "turn", "group", "mask", "static", NULL};
        const shl_json_value item = shl_json_item(node, i);
        const bool object = json_is_object(item.json);
        const shl_json_value at = shl_json_at(&item, "at"), turn = shl_json_at(&item, "turn");
        double axis[3] = {0, 0, 1}, angle = 0;
        if (object && (!shl_json_object(&item, keys) || !shl_scene_turn(&turn, axis, &angle) ||
                       !read_filter(&item, moves, &g->instances[first + i].filter)))
            return false;
        if (object && turn.json && all->json)
            return shl_json_fail(&turn, "expected none here, since the bodies have a turn");
        if (!shl_json_vector(object ? &at : &item, g->instances[first + i].at))
            return false;
        shl_turn(axis, angle, g->instances[first + i].rotation);
    }
    return true;
}

bool shl_scene_instances(const shl_json_value *body, shl_own_group *g, uint64_t *state)
{
    const shl_json_value grid = shl_json_at(body, "grid"), box = shl_json_at(body, "random");
    const shl_json_value list = shl_json_at(body, "list"), turn = shl_json_at(body, "turn");
    const bool moves = g->falls || shl_json_at(body, "motion").json;
    g->filter = (shl_own_filter){.group = 1, .mask = UINT32_MAX};
    if (!read_filter(body, moves, &g->filter) || !read_grid(&grid, g) ||
        !read_random(&box, g, state) || !read_list(&list, &turn, moves, g))
        return false;
    if (g->count == 0 && !add_instances(body, g, 1))
        return false;
    double axis[3] = {0, 0, 1}, angle = 0;
    const bool any =
        json_is_string(turn.json) && strcmp(json_string_value(turn.json), "random") == 0;
    if (json_is_string(turn.json) && !any)
        return shl_json_fail(&turn, "expected \"random\" or an axis with degrees");
    if (!any && !shl_scene_turn(&turn, axis, &angle))
        return false;
    for (uint32_t i = 0; i < g->count; i++) {
        if (any) {
            shl_random_axis(state, axis);
            angle = 3.141592653589793 * shl_random_signed(state);
        }
        if (turn.json)
            shl_turn(axis, angle, g->instances[i].rotation);
        g->instances[i].phase = i == 0 ? 0 : 3.141592653589793 * shl_random_signed(state);
    }
    return true;
}
