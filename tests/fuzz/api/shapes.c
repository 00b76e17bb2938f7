// SPDX-License-Identifier: MIT
// Models of all kinds, right and wrong.
#include "play.h"

#include "tests/zero/worlds.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

const char *const kind_names[3] = {"free", "reduced", "skinned"};

bool shape_suits(const shape *s, kind k)
{
    return k == FREE || (k == REDUCED ? s->reducible : s->carried);
}

shape *shape_held(play *p, draw *d)
{
    const uint32_t from = below(d, SHAPES);
    for (uint32_t i = 0; i < SHAPES; i++) {
        shape *s = &p->shapes[(from + i) % SHAPES];
        if (s->used && s->held)
            return s;
    }
    return NULL;
}

void shape_release(shape *s)
{
    if (s->held || s->bodies)
        return;
    shoal_model_destroy(s->plain);
    memset(s, 0, sizeof *s);
}

// --- Meshes. ---

static void copy_mesh(shape *s, world_mesh mesh)
{
    s->triangle_count = mesh.triangle_count;
    s->vertex_count = mesh.vertex_count;
    memcpy(s->tri, mesh.tri, 3 * sizeof *s->tri * mesh.triangle_count);
    memcpy(s->rest, mesh.rest, 3 * sizeof *s->rest * mesh.vertex_count);
    mesh_free(&mesh);
}

// A cloth: flat, or nearly so.
static void make_cloth(draw *d, shape *s)
{
    const uint32_t wide = 1 + below(d, 6), high = 1 + below(d, 5);
    const double bend = chance(d, 2) ? 0 : 0.1;
    s->triangle_count = 2 * wide * high;
    s->vertex_count = (wide + 1) * (high + 1);
    for (uint32_t y = 0; y <= high; y++) {
        for (uint32_t x = 0; x <= wide; x++) {
            double *at = s->rest + 3 * (y * (wide + (size_t)1) + x);
            at[0] = 2.0 * x / wide - 1;
            at[1] = 2.0 * y / high - 1;
            at[2] = bend * unit(d);
        }
    }
    for (uint32_t i = 0; i < wide * high; i++) {
        const uint32_t v = i / wide * (wide + 1) + i % wide, up = wide + 1;
        const uint32_t corners[6] = {v, v + 1, v + up, v + 1, v + up + 1, v + up};
        memcpy(s->tri + 6 * (size_t)i, corners, sizeof corners);
    }
}

// Few vertices in any triangles: names that repeat, vertices that nobody names.
static void make_tangle(draw *d, shape *s)
{
    s->triangle_count = 1 + below(d, chance(d, 3) ? TRIANGLES : 12);
    s->vertex_count = 1 + below(d, 3 * s->triangle_count);
    for (uint32_t i = 0; i < 3 * s->triangle_count; i++)
        s->tri[i] = below(d, s->vertex_count);
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++)
        s->rest[i] = unit(d);
}

// Another shape with some triangles gone and others between other vertices: it broke.
static bool make_broken(draw *d, const play *p, shape *s)
{
    const shape *from = &p->shapes[below(d, SHAPES)];
    if (!from->used || from == s)
        return false;
    s->triangle_count = from->triangle_count - below(d, (from->triangle_count + 1) / 2);
    s->vertex_count = from->vertex_count;
    memcpy(s->tri, from->tri, sizeof s->tri);
    memcpy(s->rest, from->rest, sizeof s->rest);
    for (uint32_t i = below(d, 9); i > 0; i--)
        s->tri[below(d, 3 * s->triangle_count)] = below(d, s->vertex_count);
    return true;
}

static void make_mesh(draw *d, shape *s)
{
    const uint64_t seed = 1 + below(d, 1u << 30);
    switch (below(d, 5)) {
    case 0:
        copy_mesh(s, mesh_ball(0, seed));
        break;
    case 1:
        copy_mesh(s, mesh_soup(1 + below(d, chance(d, 3) ? TRIANGLES : 16), 0.5, seed));
        break;
    case 2:
        copy_mesh(s,
                  mesh_lattice(4 + below(d, chance(d, 3) ? TRIANGLES - 4 : 12), 20, 3, seed));
        break;
    case 3:
        make_cloth(d, s);
        break;
    default:
        make_tangle(d, s);
    }
    static const double sizes[] = {1e29, 1e-30, 1e-310, 0, 1e-3};
    const double size = chance(d, 10) ? sizes[below(d, 5)] : 1;
    for (uint32_t i = 0; i < 3 * s->vertex_count; i++)
        s->rest[i] *= size;
}

// --- What moves them. ---

static void make_fields(draw *d, shape *s)
{
    s->reducible = true;
    s->field_count = chance(d, 3) ? 0 : 1 + below(d, FIELDS);
    s->sphere_level = chance(d, 2) ? -1 : (int32_t)below(d, 6);
    const double size = chance(d, 12) ? (chance(d, 2) ? 1e28 : 1e-40) : 1;
    for (uint32_t j = 0; j < s->field_count; j++) {
        double slope[3], shift[3];
        for (int k = 0; k < 3; k++) {
            slope[k] = unit(d);
            shift[k] = chance(d, 3) ? unit(d) : 0;
        }
        for (uint32_t v = 0; v < s->vertex_count; v++) {
            const double x = s->rest[3 * v + j % 3];
            for (size_t k = 0; k < 3; k++)
                s->fields[3 * ((size_t)j * s->vertex_count + v) + k] =
                    (float)(size *
                            (shift[k] + slope[k] * fmax(-9, fmin(x, 9)) + 0.1 * unit(d)));
        }
    }
}

// The first vertices have a node each of their own, so that all nodes are used.
static void make_nodes(draw *d, shape *s)
{
    s->carried = true;
    s->node_count = 1 + below(d, s->vertex_count < NODES ? s->vertex_count : NODES);
    for (uint32_t i = 0; i < 3 * s->node_count; i++)
        s->nodes[i] = unit(d);
    uint32_t at = 0;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        const uint32_t many = v < s->node_count ? 1 : 1 + below(d, WEIGHTS);
        double share[WEIGHTS], sum = 0;
        for (uint32_t i = 0; i < many; i++) {
            share[i] = i && chance(d, 6) ? 0 : 1 + unit(d);
            share[i] += i == 0 ? 0.01 : 0;
            sum += share[i];
        }
        for (uint32_t i = 0; i < many; i++, at++) {
            s->weight_control[at] = v < s->node_count ? v : below(d, s->node_count);
            s->weight[at] = (float)(share[i] / sum);
        }
        s->weight_begin[v + 1] = at;
    }
}

shoal_skinned_def skinned_def_of(const shape *s)
{
    shoal_skinned_def def = shoal_skinned_def_default();
    def.control_count = s->node_count;
    def.controls = s->nodes;
    def.weight_begin = s->weight_begin;
    def.weight_control = s->weight_control;
    def.weight = s->weight;
    def.weight_count = s->weight_begin[s->vertex_count];
    return def;
}

// What decides results; how the tree is made is added by others.
static shoal_model_def def_of(const shape *s, const shoal_skinned_def *skinned)
{
    shoal_model_def def;
    USE(shoal_model_def_init)(&def, sizeof def);
    def.triangles = s->tri;
    def.triangle_count = s->triangle_count;
    def.rest = shoal_positions_f64(s->rest, s->vertex_count);
    def.reducible = s->reducible;
    def.fields = s->field_count ? s->fields : NULL;
    def.field_count = s->field_count;
    def.field_numbers = 3 * (size_t)s->field_count * s->vertex_count;
    def.sphere_level = s->sphere_level;
    def.skinned = s->carried ? skinned : NULL;
    return def;
}

static void draw_tree(draw *d, shoal_model_def *def, shoal_skinned_def *skinned,
                      shoal_positions poses[2])
{
    static const char *const builders[] = {"surface area", "shape centre", "shape mean",
                                           "connectivity", "poses"};
    static const char *const bounds[] = {"auto", "spheres", "boxes", "affine"};
    static const char *const blends[] = {"auto", "union", "corner", "knapsack", "dual"};
    static const char *const regions[] = {"auto", "boxes", "clipped", "directions"};
    def->builder = (shoal_builder)below(d, 5);
    def->arity = 2u << below(d, 3);
    def->self = chance(d, 2);
    def->bounds = (shoal_bounds)below(d, 4);
    skinned->blend = (shoal_blend)below(d, 5);
    skinned->influence = (shoal_influence)below(d, 4);
    if (def->builder == SHOAL_BUILDER_POSES) {
        poses[0] = poses[1] = def->rest;
        poses[1].x = def->rest.z; // turned
        poses[1].z = def->rest.x;
        def->poses = poses;
        def->pose_count = 2;
    }
    count("builder", builders[def->builder], 1);
    if (def->reducible)
        count("bounds", bounds[def->bounds], 1);
    if (def->skinned)
        count("blend", blends[skinned->blend], 1);
    if (def->skinned)
        count("region", regions[skinned->influence], 1);
}

shoal_model *shape_plain(play *p, shape *s)
{
    const shoal_skinned_def skinned = skinned_def_of(s);
    const shoal_model_def def = def_of(s, &skinned);
    if (!s->plain && shoal_model_create(p->reference, &def, &s->plain))
        fault("the reference's model cannot be made");
    return s->plain;
}

static bool info_is_right(const shape *s)
{
    shoal_model_info info;
    USE(shoal_model_read_info)(s->model, &info, sizeof info);
    if (info.vertex_count != s->vertex_count || info.triangle_count != s->triangle_count ||
        (info.sphere_count > 0) != (s->sphere_level >= 0) || info.bytes == 0)
        return fault("shoal_model_read_info: sizes");
    if (USE(shoal_model_control_count)(s->model) != s->node_count)
        return fault("shoal_model_control_count");
    const double *supports = USE(shoal_model_supports)(s->model);
    if (!supports != !s->node_count)
        return fault("shoal_model_supports: NULL");
    bool seen[VERTICES] = {false};
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        if (s->order[i] >= s->vertex_count || seen[s->order[i]])
            return fault("shoal_model_vertex_order is no permutation");
        seen[s->order[i]] = true;
    }
    return true;
}

// What the header says of each node's support, by its formula.
static bool supports_are_right(const shape *s)
{
    const double *supports = shoal_model_supports(s->model);
    for (uint32_t j = 0; j < s->node_count; j++) {
        double most = 0;
        for (uint32_t v = 0; v < s->vertex_count; v++) {
            for (uint32_t e = s->weight_begin[v]; e < s->weight_begin[v + 1]; e++) {
                double square = 0;
                for (size_t k = 0; k < 3; k++)
                    square += pow(s->rest[3 * v + k] - s->nodes[3 * j + k], 2);
                if (s->weight_control[e] == j && s->weight[e] > 0)
                    most = fmax(most, sqrt(square));
            }
        }
        if (!(fabs(supports[j] - most) <= 1e-9 * most))
            return fault("the support of node %u is %g, not %g", j, supports[j], most);
    }
    return true;
}

bool shape_make(play *p, draw *d, shape *s)
{
    memset(s, 0, sizeof *s);
    s->sphere_level = -1;
    if (!chance(d, 3) || !make_broken(d, p, s))
        make_mesh(d, s);
    const uint32_t kinds = below(d, 4);
    if (kinds & 1)
        make_fields(d, s);
    if (kinds & 2)
        make_nodes(d, s);
    shoal_skinned_def skinned = skinned_def_of(s);
    shoal_model_def def = def_of(s, &skinned);
    shoal_positions poses[2];
    draw_tree(d, &def, &skinned, poses);
    arm(d);
    bool good = true;
    const long before = memory_blocks();
    s->model = (shoal_model *)s; // must be overwritten
    const shoal_status st = TRY(shoal_model_create, p->ctx, &def, &s->model);
    if (!went_well("shoal_model_create", st, &good)) {
        if (good && s->model)
            good = fault("a model that was not made is not NULL");
        if (good && memory_blocks() != before)
            good = fault("a model that was not made left %ld blocks", memory_blocks() - before);
        memset(s, 0, sizeof *s);
        return good;
    }
    s->used = s->held = true;
    memcpy(s->order, USE(shoal_model_vertex_order)(s->model),
           s->vertex_count * sizeof *s->order);
    say("  shape %d: %u triangles, %u vertices%s%s, %u fields, %u nodes, spheres %d",
        (int)(s - p->shapes), s->triangle_count, s->vertex_count,
        s->reducible ? ", reducible" : "", s->carried ? ", carried" : "", s->field_count,
        s->node_count, s->sphere_level);
    return info_is_right(s) && supports_are_right(s);
}

bool do_shape(play *p, draw *d)
{
    for (uint32_t i = 0; i < SHAPES; i++) {
        if (!p->shapes[i].used)
            return shape_make(p, d, &p->shapes[i]);
    }
    return true;
}

// Bodies keep the model.
bool do_drop_shape(play *p, draw *d)
{
    shape *s = shape_held(p, d);
    if (!s)
        return true;
    USE(shoal_model_destroy)(s->model);
    s->held = false;
    shape_release(s);
    return true;
}

// --- Wrong ones. ---

typedef struct wrong_def {
    shoal_model_def def;
    shoal_skinned_def skinned;
    uint32_t tri[3 * TRIANGLES];
    double rest[3 * VERTICES], nodes[3 * NODES];
    float fields[FIELDS * 3 * VERTICES], weight[WEIGHTS * VERTICES];
} wrong_def;

// Breaks one rule; the status that names it, or SHOAL_OK where it does not apply.
static shoal_status break_rule(draw *d, const shape *s, wrong_def *w)
{
    const double not_finite = chance(d, 2) ? NAN : INFINITY;
    const uint32_t vertex = below(d, 3 * s->vertex_count);
    switch (below(d, 16)) {
    case 0:
        w->tri[below(d, 3 * s->triangle_count)] = s->vertex_count + below(d, 3);
        return SHOAL_ERR_ARGUMENT;
    case 1:
        w->rest[vertex] = not_finite;
        return SHOAL_ERR_ARGUMENT;
    case 2:
        w->rest[vertex] = -1e31;
        return s->reducible || s->carried ? SHOAL_ERR_LIMIT : SHOAL_OK;
    case 3:
        w->def.arity = 3 + 2 * below(d, 2);
        return SHOAL_ERR_ARGUMENT;
    case 4:
        w->def.builder = chance(d, 2) ? SHOAL_BUILDER_POSES : (shoal_builder)9;
        return SHOAL_ERR_ARGUMENT;
    case 5:
        w->def.size = 0;
        return SHOAL_ERR_ARGUMENT;
    case 6:
        w->def.triangle_count = 0;
        return SHOAL_ERR_ARGUMENT;
    case 7:
        w->def.rest.y = NULL;
        return SHOAL_ERR_ARGUMENT;
    case 8:
        w->def.rest.stride = 0;
        return SHOAL_ERR_ARGUMENT;
    case 9:
        w->fields[0] = (float)not_finite;
        return s->field_count ? SHOAL_ERR_ARGUMENT : SHOAL_OK;
    case 10:
        w->def.field_numbers++;
        return SHOAL_ERR_ARGUMENT;
    case 11:
        w->def.field_count = SHOAL_FIELDS_MAX + 1;
        return SHOAL_ERR_LIMIT;
    case 12:
        w->def.sphere_level = s->reducible ? SHOAL_SPHERE_LEVEL_MAX + 1 : 2;
        return SHOAL_ERR_ARGUMENT;
    case 13:
        w->weight[0] = chance(d, 2) ? -0.5f : 2;
        return s->carried ? SHOAL_ERR_ARGUMENT : SHOAL_OK;
    case 14:
        w->nodes[0] = chance(d, 2) ? not_finite : 1e31;
        return !s->carried           ? SHOAL_OK
               : w->nodes[0] == 1e31 ? SHOAL_ERR_LIMIT
                                     : SHOAL_ERR_ARGUMENT;
    default:
        w->skinned.weight_count++;
        return s->carried ? SHOAL_ERR_ARGUMENT : SHOAL_OK;
    }
}

bool do_wrong_shape(play *p, draw *d)
{
    const shape *s = shape_held(p, d);
    if (!s)
        return true;
    static wrong_def w;
    w.skinned = skinned_def_of(s);
    w.def = def_of(s, &w.skinned);
    memcpy(w.tri, s->tri, sizeof w.tri);
    memcpy(w.rest, s->rest, sizeof w.rest);
    memcpy(w.nodes, s->nodes, sizeof w.nodes);
    memcpy(w.fields, s->fields, sizeof w.fields);
    memcpy(w.weight, s->weight, sizeof w.weight);
    w.def.triangles = w.tri;
    w.def.rest = shoal_positions_f64(w.rest, s->vertex_count);
    w.def.fields = s->field_count ? w.fields : NULL;
    w.skinned.controls = w.nodes;
    w.skinned.weight = w.weight;
    const shoal_status want = break_rule(d, s, &w);
    if (want == SHOAL_OK)
        return true;
    shoal_model *model = (shoal_model *)&w;
    const long before = memory_blocks();
    const shoal_status st = TRY(shoal_model_create, p->ctx, &w.def, &model);
    return (st == want && !model && memory_blocks() == before) ||
           fault("a wrong model: %s, not %s; %ld blocks left", shoal_status_text(st),
                 shoal_status_text(want), memory_blocks() - before);
}
