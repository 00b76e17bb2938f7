// SPDX-License-Identifier: MIT
/// A model: triangles and the tree over them, shared by all bodies that deform from it.
#ifndef SHOAL_MODEL_H
#define SHOAL_MODEL_H

#include <shoal/context.h>
#include <shoal/positions.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_model shoal_model;

/// How the tree over a model's triangles is made. It changes the time of steps, never results.
typedef enum shoal_builder {
    /// Surface area heuristic. Large parts of a model with fields are split where the fields
    /// become most nearly linear
    SHOAL_BUILDER_SURFACE_AREA = 0,
    /// Splits boxes at their centre (Larsson & Akenine-Moller 2001, s1)
    SHOAL_BUILDER_INITIAL_SHAPE_CENTRE,
    /// Splits boxes at the mean of the triangles' midpoints (s2)
    SHOAL_BUILDER_INITIAL_SHAPE_MEAN,
    /// Splits the surface into connected patches; uses adjacency only, not positions
    SHOAL_BUILDER_CONNECTIVITY,
    /// As SURFACE_AREA, with surfaces summed over `poses`: for bodies that move far from rest
    SHOAL_BUILDER_POSES,
} shoal_builder;

/// How the nodes of a reduced model are bounded; changes times, never results.
typedef enum shoal_bounds {
    SHOAL_BOUNDS_AUTO = 0, ///< affine, or boxes without fields
    SHOAL_BOUNDS_SPHERES,  ///< centre and radius, as in James & Pai 2004
    SHOAL_BOUNDS_BOXES,    ///< the same along the axes of the rest shape
    SHOAL_BOUNDS_AFFINE,   ///< boxes that follow the linear part of each field
} shoal_bounds;

enum { SHOAL_FIELDS_MAX = 64, SHOAL_SPHERE_LEVEL_MAX = 12 };

/// How a model is made. Start from shoal_model_def_default(), then set fields.
typedef struct shoal_model_def {
    uint32_t size;             ///< set by shoal_model_def_default(); do not touch
    const uint32_t *triangles; ///< [3 * triangle_count] vertex numbers; copied
    uint32_t
        triangle_count;   ///< at least 1, at most 2^29; degenerate and duplicate ones are kept
    shoal_positions rest; ///< the shape the tree is built for, in user order; not kept
    shoal_builder builder;
    uint32_t arity; ///< most children of a node: 2, 4 or 8. Blocks have room for 8 in any case,
                    ///< and leaves hold up to 8 triangles, so fewer is slower
    const shoal_positions *poses; ///< [pose_count] for SHOAL_BUILDER_POSES, each of rest.count
    uint32_t pose_count;          ///< vertices in user order; not kept. Else NULL and 0
    bool reducible;               ///< keep what shoal_scene_add_reduced() needs; see reduced.h
    bool self; ///< prepare for SHOAL_QUERY_SELF of free bodies: where the surface stays smooth
               ///< it is then not searched. Takes about as much memory again as the tree and
               ///< several times as long to build; pays most if `rest` is flat, like a cloth
    const float *fields; ///< [field_count][vertex_count][3] displacements in user order; copied
    uint32_t field_count; ///< at most SHOAL_FIELDS_MAX; 0: bodies are rigid
    size_t field_numbers; ///< how many numbers `fields` holds: 3 * field_count * vertex_count,
                          ///< or the call fails; 0: not told, and trusted
    shoal_bounds bounds;  ///< of a reducible model
    int32_t sphere_level; ///< level of the contact spheres of a reducible model, at most
                          ///< SHOAL_SPHERE_LEVEL_MAX; about 2^level spheres. -1: none
    /// Control points and weights, for shoal_scene_add_skinned(); copied. NULL: none. See
    /// skinned.h
    const struct shoal_skinned_def *skinned;
} shoal_model_def;

/// Write the default def, as programs know it whose header gives it `size` bytes.
SHOAL_API void shoal_model_def_init(shoal_model_def *def, size_t size);

/// No triangles yet, for free bodies only; an 8-wide tree by surface area.
static inline shoal_model_def shoal_model_def_default(void)
{
    shoal_model_def def;
    shoal_model_def_init(&def, sizeof def);
    return def;
}

/// Build a model. `*out` is NULL on failure.
/// Thread: any.  Errors: ARGUMENT (index out of range, no triangles, a rest position, pose or
/// field that is not finite, unknown builder or arity, poses for another builder or none for
/// POSES, fields or spheres of a model that is not reducible, fields of another length; control
/// points that are not finite or that no vertex uses, weights that are negative, not finite or
/// do not sum to one, a vertex without a control point, arrays of another length), LIMIT (also:
/// more than SHOAL_FIELDS_MAX fields or SHOAL_CONTROLS_MAX control points, or beyond 1e30 in a
/// model that is reducible or has control points), MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_model_create(shoal_context *ctx,
                                                      const shoal_model_def *def,
                                                      shoal_model **out);

/// Drop the caller's hold on a model. Bodies made from it keep it alive. NULL is fine.
SHOAL_API void shoal_model_destroy(shoal_model *model);

/// The tree's vertex order: row i of tree-ordered positions is vertex order[i] of the user.
/// A simulator that writes its positions in this order saves a pass over them per step. View of
/// `vertex_count` numbers, valid as long as the model.
SHOAL_API const uint32_t *shoal_model_vertex_order(const shoal_model *model);

/// Sizes of a model, for reports.
typedef struct shoal_model_info {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t node_count; ///< leaves included
    uint32_t leaf_count;
    uint32_t depth;        ///< levels below the root
    uint32_t sphere_count; ///< contact spheres
    size_t bytes;
    shoal_builder builder;
    uint32_t arity;
    /// Expected number of nodes that a small object at a random position visits: surface of the
    /// nodes' boxes at rest over that of the root. Less is better; for trees over the same
    /// triangles
    double quality;
} shoal_model_info;

/// Write the first `size` bytes of what was counted when the model was made.
SHOAL_API void shoal_model_read_info(const shoal_model *model, shoal_model_info *out,
                                     size_t size);

/// The same, as this header knows it.
static inline shoal_model_info shoal_model_get_info(const shoal_model *model)
{
    shoal_model_info out;
    shoal_model_read_info(model, &out, sizeof out);
    return out;
}

#ifdef __cplusplus
}
#endif

#endif
