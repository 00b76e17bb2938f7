// SPDX-License-Identifier: MIT
// The bodies of a scene file: their shapes, places and motions.
#include "cli/run/stream.h"
#include "cli/scene/file.h"
#include "scenes/chair.h"
#include "scenes/flex.h"
#include "scenes/plate.h"
#include "scenes/turn.h"

#include <limits.h>
#include <math.h>
#include <shoal/model_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BODIES_MAX = 1000000, GROUPS_MAX = 1000 };

static const double degree = 0.017453292519943295;

static const char *const kinds[] = {"free", "reduced", "rigid", NULL};
enum { FREE, REDUCED, RIGID };

static const char *const generators[] = {"icosphere", "plate", "chair", NULL};

// A file beside the scene file.
static bool beside(const shl_node *node, const char *name, char out[PATH_MAX])
{
    const char *scene = node->source->path, *slash = strrchr(scene, '/');
    const int folder = slash && name[0] != '/' ? (int)(slash + 1 - scene) : 0;
    const int n = snprintf(out, PATH_MAX, "%.*s%s", folder, scene, name);
    return (n > 0 && n < PATH_MAX) || shl_node_fail(node, "the name is too long");
}

static bool add_input(const shl_node *node, const char *path, uint64_t *inputs)
{
    struct stat about;
    uint64_t sum;
    if (stat(path, &about) != 0 || shl_file_sum(path, (uint64_t)about.st_size, &sum) != 0)
        return shl_node_fail(node, "cannot read %.160s again", path);
    *inputs = (*inputs ^ sum) * 0x9e3779b97f4a7c15u;
    return true;
}

// A mesh or a model file; fields are taken only by reduced bodies.
static bool load(const shl_node *node, bool fields, shl_own_group *g, uint64_t *inputs)
{
    const char *name = NULL;
    char path[PATH_MAX];
    shoal_model_file file;
    shoal_io_error why;
    if (!shl_node_text(node, &name) || !beside(node, name, path))
        return false;
    if (shoal_model_file_read(path, NULL, &file, &why) != SHOAL_OK)
        return shl_node_fail(node, "%.240s", why.text);
    const size_t numbers = 3 * (size_t)file.rest.vertex_count;
    const size_t field_numbers = fields ? numbers * file.field_count : 0;
    g->rest = (shl_surface){
        .xyz = malloc(numbers * sizeof *g->rest.xyz),
        .triangles = malloc(3 * (size_t)file.rest.triangle_count * sizeof *g->rest.triangles),
        .vertex_count = file.rest.vertex_count,
        .triangle_count = file.rest.triangle_count};
    g->fields = field_numbers ? malloc(field_numbers * sizeof *g->fields) : NULL;
    const bool room = g->rest.xyz && g->rest.triangles && (!field_numbers || g->fields);
    if (room) {
        memcpy(g->rest.xyz, file.rest.xyz, numbers * sizeof *g->rest.xyz);
        memcpy(g->rest.triangles, file.rest.triangles,
               3 * (size_t)file.rest.triangle_count * sizeof *g->rest.triangles);
        if (field_numbers)
            memcpy(g->fields, file.fields, field_numbers * sizeof *g->fields);
        g->field_count = fields ? file.field_count : 0;
    }
    shoal_model_file_finish(&file);
    return room ? add_input(node, path, inputs) : shl_node_fail(node, "out of memory");
}

static bool generate_chair(bool fields, shl_own_group *g)
{
    double *shares = NULL;
    shoal_status st = shl_mesh_chair(&g->rest);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&g->rest, &shares);
    if (st == SHOAL_OK) {
        shl_centre(&g->rest, shares);
        if (fields)
            st = shl_chair_fields(&g->rest, shares, &g->fields);
    }
    g->field_count = fields && st == SHOAL_OK ? SHL_CHAIR_FIELDS : 0;
    free(shares);
    return st == SHOAL_OK;
}

static bool generate(const shl_node *body, const shl_node *node, bool fields, shl_own_group *g)
{
    const shl_node size = shl_node_at(body, "k");
    int which = 0;
    uint64_t k = 3;
    if (!shl_node_word(node, generators, &which) || !shl_node_count(&size, 0, 8, &k))
        return false;
    const bool made = which == 2   ? generate_chair(fields, g)
                      : which == 1 ? shl_mesh_plate((uint32_t)k, &g->rest) == SHOAL_OK
                                   : shl_mesh_icosphere((uint32_t)k, &g->rest) == SHOAL_OK;
    return made || shl_node_fail(node, "out of memory");
}

static bool read_shape(const shl_node *body, shl_own_group *g, uint64_t *inputs)
{
    const shl_node kind_node = shl_node_at(body, "kind"), mesh = shl_node_at(body, "mesh");
    const shl_node model = shl_node_at(body, "model"), made = shl_node_at(body, "generator");
    const shl_node scale_node = shl_node_at(body, "scale"), self = shl_node_at(body, "self");
    const shl_node proxies = shl_node_at(body, "proxies");
    int kind = model.json ? REDUCED : FREE;
    double scale = 1;
    if (!shl_node_word(&kind_node, kinds, &kind) ||
        !shl_node_number(&scale_node, 1e-9, 1e9, &scale) || !shl_node_flag(&self, &g->self))
        return false;
    if (!mesh.json + !model.json + !made.json != 2)
        return shl_node_fail(body, "expected one of 'mesh', 'model' and 'generator'");
    g->kind = kind == FREE ? SHL_OWN_FREE : SHL_OWN_REDUCED;
    if (made.json ? !generate(body, &made, kind == REDUCED, g)
                  : !load(mesh.json ? &mesh : &model, kind == REDUCED, g, inputs))
        return false;
    const size_t numbers = 3 * (size_t)g->rest.vertex_count;
    for (size_t i = 0; i < numbers; i++)
        g->rest.xyz[i] *= scale;
    for (size_t i = 0; i < numbers * g->field_count; i++)
        g->fields[i] *= (float)scale;
    uint64_t level = 0;
    g->proxy_level = -1;
    if (proxies.json && kind == FREE)
        return shl_node_fail(&proxies, "expected a body of kind reduced or rigid");
    if (!shl_node_count(&proxies, 0, SHOAL_PROXY_LEVEL_MAX, &level))
        return false;
    g->proxy_level = proxies.json ? (int32_t)level : -1;
    return true;
}

static bool add_places(const shl_node *node, shl_own_group *g, uint64_t more)
{
    if (more > BODIES_MAX - g->count)
        return shl_node_fail(node, "expected at most %d bodies", BODIES_MAX);
    shl_own_place *places = realloc(g->places, (g->count + more) * sizeof *places);
    if (!places)
        return shl_node_fail(node, "out of memory");
    g->places = places;
    for (uint64_t i = 0; i < more; i++)
        places[g->count++] = (shl_own_place){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return true;
}

static bool read_grid(const shl_node *node, shl_own_group *g)
{
    static const char *const keys[] = {"count", "spacing", "at", NULL};
    const shl_node count = shl_node_at(node, "count"), at = shl_node_at(node, "at");
    const shl_node spacing = shl_node_at(node, "spacing");
    double step[3] = {1, 1, 1}, corner[3] = {0, 0, 0};
    uint64_t n[3] = {1, 1, 1};
    if (!node->json)
        return true;
    if (!shl_node_object(node, keys) || !shl_node_vector(&spacing, step) ||
        !shl_node_vector(&at, corner))
        return false;
    if (json_array_size(count.json) != 3)
        return shl_node_fail(&count, "count: expected three whole numbers, as [3, 3, 1]");
    for (size_t k = 0; k < 3; k++) {
        const shl_node item = shl_node_item(&count, k);
        if (!shl_node_count(&item, 1, BODIES_MAX, &n[k]))
            return false;
    }
    const uint32_t first = g->count;
    if (n[0] * n[1] > BODIES_MAX)
        return shl_node_fail(&count, "expected at most %d bodies", BODIES_MAX);
    if (!add_places(node, g, n[0] * n[1] * n[2]))
        return false;
    for (uint64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        const uint64_t cell[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int k = 0; k < 3; k++)
            g->places[first + i].at[k] = corner[k] + step[k] * (double)cell[k];
    }
    return true;
}

static bool read_random(const shl_node *node, shl_own_group *g, uint64_t *state)
{
    static const char *const keys[] = {"count", "from", "to", NULL};
    const shl_node count = shl_node_at(node, "count"), from_node = shl_node_at(node, "from");
    const shl_node to_node = shl_node_at(node, "to");
    double from[3] = {0, 0, 0}, to[3] = {1, 1, 1};
    uint64_t n = 1;
    if (!node->json)
        return true;
    const uint32_t first = g->count;
    if (!shl_node_object(node, keys) || !shl_node_count(&count, 1, BODIES_MAX, &n) ||
        !shl_node_vector(&from_node, from) || !shl_node_vector(&to_node, to) ||
        !add_places(node, g, n))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            g->places[first + i].at[k] =
                from[k] + (to[k] - from[k]) * (0.5 + 0.5 * shl_random_signed(state));
    }
    return true;
}

static bool read_list(const shl_node *node, shl_own_group *g)
{
    if (!node->json)
        return true;
    if (!json_is_array(node->json) || json_array_size(node->json) == 0)
        return shl_node_fail(node, "expected a list of places, as [[0, 0, 0], [1, 0, 0]]");
    const uint32_t first = g->count;
    if (!add_places(node, g, json_array_size(node->json)))
        return false;
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        const shl_node item = shl_node_item(node, i);
        if (!shl_node_vector(&item, g->places[first + i].at))
            return false;
    }
    return true;
}

static bool read_axis(const shl_node *node, double axis[3])
{
    if (!shl_node_vector(node, axis))
        return false;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 0))
        return shl_node_fail(node, "expected a direction that is not zero");
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
    return true;
}

// An axis and an angle, in radians.
static bool read_turn(const shl_node *node, double axis[3], double *angle)
{
    static const char *const keys[] = {"axis", "degrees", NULL};
    const shl_node axis_node = shl_node_at(node, "axis");
    const shl_node degrees = shl_node_at(node, "degrees");
    double value = 0;
    if (!node->json)
        return true;
    if (!shl_node_object(node, keys) || !read_axis(&axis_node, axis) ||
        !shl_node_number(&degrees, -1e9, 1e9, &value))
        return false;
    *angle = degree * value;
    return true;
}

static bool read_places(const shl_node *body, shl_own_group *g, uint64_t *state)
{
    const shl_node grid = shl_node_at(body, "grid"), box = shl_node_at(body, "random");
    const shl_node list = shl_node_at(body, "list"), turn = shl_node_at(body, "turn");
    if (!read_grid(&grid, g) || !read_random(&box, g, state) || !read_list(&list, g))
        return false;
    if (g->count == 0 && !add_places(body, g, 1))
        return false;
    double axis[3] = {0, 0, 1}, angle = 0;
    const bool any =
        json_is_string(turn.json) && strcmp(json_string_value(turn.json), "random") == 0;
    if (json_is_string(turn.json) && !any)
        return shl_node_fail(&turn, "expected \"random\" or an axis with degrees");
    if (!any && !read_turn(&turn, axis, &angle))
        return false;
    for (uint32_t i = 0; i < g->count; i++) {
        if (any) {
            shl_random_axis(state, axis);
            angle = 3.141592653589793 * shl_random_signed(state);
        }
        shl_turn(axis, angle, g->places[i].rotation);
        g->places[i].phase = i == 0 ? 0 : 3.141592653589793 * shl_random_signed(state);
    }
    return true;
}

static bool read_beat(const shl_node *node, const char *const *keys, shl_own_beat *out)
{
    const shl_node amplitude = shl_node_at(node, "amplitude"),
                   hertz = shl_node_at(node, "hertz");
    *out = (shl_own_beat){0, 1};
    return shl_node_object(node, keys) &&
           shl_node_number(&amplitude, -1e9, 1e9, &out->amplitude) &&
           shl_node_number(&hertz, 0, 1e6, &out->hertz);
}

static bool read_modes(const shl_node *node, shl_own_group *g)
{
    static const char *const keys[] = {"amplitude", "hertz", NULL};
    if (!node->json)
        return true;
    if (!json_is_array(node->json) || json_array_size(node->json) > g->field_count)
        return shl_node_fail(node, "expected a list of at most %u modes, which the body has",
                             g->field_count);
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        const shl_node item = shl_node_item(node, i);
        if (!read_beat(&item, keys, &g->beats[i]))
            return false;
    }
    return true;
}

static bool read_motion(const shl_node *node, shl_own_group *g)
{
    static const char *const keys[] = {"velocity", "spin", "swing", "wave", "modes", NULL};
    static const char *const swing_keys[] = {"by", "hertz", NULL};
    static const char *const wave_keys[] = {"amplitude", "length", "hertz", NULL};
    g->axis[2] = 1;
    g->swing_hertz = g->wave_length = 1;
    if (!node->json)
        return true;
    if (!shl_node_object(node, keys))
        return false;
    const shl_node velocity = shl_node_at(node, "velocity"), spin = shl_node_at(node, "spin");
    const shl_node swing = shl_node_at(node, "swing"), wave = shl_node_at(node, "wave");
    const shl_node modes = shl_node_at(node, "modes"), by = shl_node_at(&swing, "by");
    const shl_node hertz = shl_node_at(&swing, "hertz"), length = shl_node_at(&wave, "length");
    if (!shl_node_vector(&velocity, g->velocity) || !read_turn(&spin, g->axis, &g->spin) ||
        !read_modes(&modes, g))
        return false;
    if (swing.json &&
        (!shl_node_object(&swing, swing_keys) || !shl_node_vector(&by, g->swing) ||
         !shl_node_number(&hertz, 0, 1e6, &g->swing_hertz)))
        return false;
    if (wave.json && g->kind != SHL_OWN_FREE)
        return shl_node_fail(&wave, "expected a body of kind free");
    return !wave.json || (read_beat(&wave, wave_keys, &g->wave) &&
                          shl_node_number(&length, 1e-9, 1e9, &g->wave_length));
}

bool shl_scene_bodies(const shl_node *bodies, uint64_t seed, shl_own_def *out, uint64_t *inputs)
{
    static const char *const keys[] = {"mesh",  "model", "generator", "k",    "kind",
                                       "scale", "self",  "proxies",   "grid", "random",
                                       "list",  "turn",  "motion",    NULL};
    const size_t count = json_array_size(bodies->json);
    if (!json_is_array(bodies->json) || count == 0 || count > GROUPS_MAX)
        return shl_node_fail(bodies, "expected a list of 1 to %d kinds of bodies", GROUPS_MAX);
    out->groups = calloc(count, sizeof *out->groups);
    if (!out->groups)
        return shl_node_fail(bodies, "out of memory");
    uint64_t state = seed, total = 0;
    for (size_t i = 0; i < count; i++) {
        const shl_node body = shl_node_item(bodies, i);
        shl_own_group *g = &out->groups[out->group_count++];
        const shl_node motion = shl_node_at(&body, "motion");
        if (!shl_node_object(&body, keys) || !read_shape(&body, g, inputs) ||
            !read_places(&body, g, &state) || !read_motion(&motion, g))
            return false;
        total += g->count;
    }
    return total <= BODIES_MAX ||
           shl_node_fail(bodies, "expected at most %d bodies", BODIES_MAX);
}
