// SPDX-License-Identifier: MIT
// The shape of a body in a scene file: from a file or a generator, at its size, and as what
// kind of body.
#include "cli/run/stream.h"
#include "cli/scene_file/bodies.h"
#include "scenes/shapes/chair.h"
#include "scenes/shapes/plate.h"
#include "scenes/shapes/sculptures.h"
#include "volume/controls.h"

#include <limits.h>
#include <shoal/model_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"free", "reduced", "rigid", "skinned", NULL};
enum { FREE, REDUCED, RIGID, SKINNED, UNSAID };

static const char *const generators[] = {"icosphere", "plate", "chair", "figure",
                                         "fish",      "brain", NULL};
enum { ICOSPHERE, PLATE, CHAIR, FIGURE, FISH, BRAIN };

// A file beside the scene file.
static bool beside(const shl_json_value *node, const char *name, char out[PATH_MAX])
{
    const char *scene = node->source->path, *slash = strrchr(scene, '/');
    const int folder = slash && name[0] != '/' ? (int)(slash + 1 - scene) : 0;
    const int n = snprintf(out, PATH_MAX, "%.*s%s", folder, scene, name);
    return (n > 0 && n < PATH_MAX) || shl_json_fail(node, "the name is too long");
}

static bool add_input(const shl_json_value *node, const char *path, uint64_t *inputs)
{
    shl_stream_mark mark;
    if (shl_file_mark(path, &mark) != 0)
        return shl_json_fail(node, "cannot read %.160s again", path);
    *inputs = (*inputs ^ mark.sum) * 0x9e3779b97f4a7c15u;
    return true;
}

// Memory of its own with the same bytes; NULL: there is none.
static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes ? bytes : 1);
    if (to && bytes)
        memcpy(to, from, bytes);
    return to;
}

static bool copy_controls(const shoal_model_file *file, shl_own_controls *out)
{
    *out = (shl_own_controls){
        .count = file->control_count,
        .xyz = copy(file->controls, 3 * (size_t)file->control_count * sizeof *file->controls),
        .weight_begin = copy(file->weight_begin, ((size_t)file->rest.vertex_count + 1) *
                                                     sizeof *file->weight_begin),
        .weight_control =
            copy(file->weight_control, file->weight_count * sizeof *file->weight_control),
        .weight = copy(file->weight, file->weight_count * sizeof *file->weight),
        .weight_count = file->weight_count};
    return out->xyz && out->weight_begin && out->weight_control && out->weight;
}

static bool copy_file(const shoal_model_file *file, int kind, shl_own_group *g)
{
    const size_t numbers = 3 * (size_t)file->rest.vertex_count;
    const size_t corners = 3 * (size_t)file->rest.triangle_count;
    g->rest = (shl_surface){copy(file->rest.xyz, numbers * sizeof *file->rest.xyz),
                            copy(file->rest.triangles, corners * sizeof *file->rest.triangles),
                            file->rest.vertex_count, file->rest.triangle_count};
    bool room = g->rest.xyz && g->rest.triangles;
    if (kind == REDUCED && file->field_count) {
        g->fields = copy(file->fields, numbers * file->field_count * sizeof *g->fields);
        g->field_count = g->fields ? file->field_count : 0;
        room = room && g->fields;
        for (uint32_t j = 0; file->frequencies && j < g->field_count && j < SHL_FLEX_MODES_MAX;
             j++)
            g->hertz[j] = file->frequencies[j];
    }
    if (kind == SKINNED && file->control_count)
        room = copy_controls(file, &g->controls) && room;
    return room;
}

// A mesh or a model file. A body whose kind is not said becomes what its file is made for.
static bool load(const shl_json_value *node, int *kind, shl_own_group *g, uint64_t *inputs)
{
    const char *name = NULL;
    char path[PATH_MAX];
    shoal_model_file file;
    shoal_io_error why;
    if (!shl_json_text(node, &name) || !beside(node, name, path))
        return false;
    if (shoal_model_file_read(path, NULL, &file, &why) != SHOAL_OK)
        return shl_json_fail(node, "%.240s", why.text);
    if (*kind == UNSAID)
        *kind = strcmp(node->key, "mesh") == 0            ? FREE
                : file.control_count && !file.field_count ? SKINNED
                                                          : REDUCED;
    const bool room = copy_file(&file, *kind, g);
    shoal_model_file_finish(&file);
    if (!room) {
        shl_json_fail(node, "out of memory");
        return false;
    }
    return add_input(node, path, inputs);
}

static shoal_status generate_chair(bool fields, shl_own_group *g)
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
    if (fields && st == SHOAL_OK) {
        g->field_count = SHL_CHAIR_FIELDS;
        memcpy(g->hertz, shl_chair_hertz, sizeof shl_chair_hertz);
    }
    free(shares);
    return st;
}

static bool generate(const shl_json_value *body, const shl_json_value *node, bool fields,
                     shl_own_group *g)
{
    const shl_json_value size = shl_json_at(body, "k"),
                         vertices = shl_json_at(body, "vertices");
    int which = 0;
    uint64_t k = 3, count = 3000;
    if (!shl_json_word(node, generators, &which) || !shl_json_count(&size, 0, 8, &k) ||
        !shl_json_count(&vertices, 500, 1000000, &count))
        return false;
    if (size.json && which > PLATE)
        return shl_json_fail(&size, "expected the generator icosphere or plate");
    if (vertices.json && which < FIGURE)
        return shl_json_fail(&vertices, "expected the generator figure, fish or brain");
    const uint32_t n = (uint32_t)count;
    const shoal_status st = which == ICOSPHERE ? shl_mesh_icosphere((uint32_t)k, &g->rest)
                            : which == PLATE   ? shl_mesh_plate((uint32_t)k, &g->rest)
                            : which == CHAIR   ? generate_chair(fields, g)
                            : which == FIGURE  ? shl_mesh_figure(n, &g->rest)
                            : which == FISH    ? shl_mesh_soft_fish(n, &g->rest)
                                               : shl_mesh_brain(n, &g->rest);
    return st == SHOAL_OK || shl_json_fail(node, "out of memory");
}

// Control points through the inside of the mesh, unless its file has some.
static bool spread_controls(const shl_json_value *body, uint64_t seed, shl_own_group *g)
{
    const shl_json_value node = shl_json_at(body, "controls");
    uint64_t wanted = 200;
    if (!shl_json_count(&node, 30, 5000, &wanted))
        return false;
    if (g->controls.count)
        return !node.json || shl_json_fail(&node, "the model file has its own control points");
    const shoal_mesh mesh = {.xyz = g->rest.xyz,
                             .triangles = g->rest.triangles,
                             .vertex_count = g->rest.vertex_count,
                             .triangle_count = g->rest.triangle_count};
    shl_controls made;
    shl_volume_error why = {""};
    const shoal_status st = shl_controls_create(&mesh, (uint32_t)wanted, seed, &made, &why);
    if (st != SHOAL_OK)
        return shl_json_fail(node.json ? &node : body,
                             "no control points could be made: %.160s",
                             why.text[0] ? why.text : shoal_status_text(st));
    g->controls = (shl_own_controls){made.count,        made.xyz,
                                     made.weight_begin, made.weight_control,
                                     made.weight,       made.weight_begin[made.vertex_count]};
    made.xyz = NULL;
    made.weight_begin = made.weight_control = NULL;
    made.weight = NULL;
    shl_controls_finish(&made);
    return true;
}

static bool read_spheres(const shl_json_value *body, int kind, shl_own_group *g)
{
    const shl_json_value node = shl_json_at(body, "spheres");
    uint64_t level = 0;
    g->sphere_level = -1;
    if (node.json && kind != REDUCED && kind != RIGID)
        return shl_json_fail(&node, "expected a body of kind reduced or rigid");
    if (!shl_json_count(&node, 0, SHOAL_SPHERE_LEVEL_MAX, &level))
        return false;
    g->sphere_level = node.json ? (int32_t)level : -1;
    return true;
}

static bool read_fields(const shl_json_value *body, int kind, shl_own_group *g)
{
    const shl_json_value node = shl_json_at(body, "fields");
    uint64_t count = g->field_count;
    if (node.json && kind != REDUCED)
        return shl_json_fail(&node, "expected a body of kind reduced");
    if (!shl_json_count(&node, 0, g->field_count, &count))
        return false;
    g->field_count = (uint32_t)count;
    return true;
}

static void enlarge(shl_own_group *g, double scale)
{
    const size_t numbers = 3 * (size_t)g->rest.vertex_count;
    for (size_t i = 0; i < numbers; i++)
        g->rest.xyz[i] *= scale;
    for (size_t i = 0; i < numbers * g->field_count; i++)
        g->fields[i] *= (float)scale;
    for (size_t i = 0; i < 3 * (size_t)g->controls.count; i++)
        g->controls.xyz[i] *= scale;
}

bool shl_scene_shape(const shl_json_value *body, uint64_t seed, shl_own_group *g,
                     uint64_t *inputs)
{
    const shl_json_value kind_node = shl_json_at(body, "kind"),
                         mesh = shl_json_at(body, "mesh");
    const shl_json_value model = shl_json_at(body, "model"),
                         made = shl_json_at(body, "generator");
    const shl_json_value scale_node = shl_json_at(body, "scale"),
                         self = shl_json_at(body, "self");
    const shl_json_value controls = shl_json_at(body, "controls"),
                         size = shl_json_at(body, "k");
    const shl_json_value vertices = shl_json_at(body, "vertices");
    int kind = UNSAID;
    double scale = 1;
    if (!shl_json_word(&kind_node, kinds, &kind) ||
        !shl_json_number(&scale_node, 1e-9, 1e9, &scale) || !shl_json_flag(&self, &g->self))
        return false;
    if (!mesh.json + !model.json + !made.json != 2)
        return shl_json_fail(body, "expected one of 'mesh', 'model' and 'generator'");
    if (!made.json && (size.json || vertices.json))
        return shl_json_fail(size.json ? &size : &vertices, "expected a generator");
    if (made.json ? !generate(body, &made, kind == REDUCED, g)
                  : !load(mesh.json ? &mesh : &model, &kind, g, inputs))
        return false;
    kind = kind == UNSAID ? FREE : kind;
    if (controls.json && kind != SKINNED)
        return shl_json_fail(&controls, "expected a body of kind skinned");
    if (g->self && kind != FREE)
        return shl_json_fail(&self, "expected a body of kind free");
    g->kind = kind == FREE ? SHL_OWN_FREE : kind == SKINNED ? SHL_OWN_SKINNED : SHL_OWN_REDUCED;
    if (kind == SKINNED && !spread_controls(body, seed, g))
        return false;
    enlarge(g, scale);
    return read_fields(body, kind, g) && read_spheres(body, kind, g);
}
