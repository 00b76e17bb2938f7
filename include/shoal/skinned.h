// SPDX-License-Identifier: MIT
/// Point-based bodies: a few simulation nodes carry a surface of many vertices. Each node moves
/// what is around it by an affine map of its own, and each vertex blends the maps of some nodes
/// by weights that never change (Mueller et al. 2004, Steinemann et al. 2007). Linear blend
/// skinning, cages and embedded finite elements are of this kind, too.
#ifndef SHOAL_SKINNED_H
#define SHOAL_SKINNED_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SHOAL_CONTROLS_MAX = 1 << 20 };

/// How the maps of the nodes that act on a piece of the surface become one box; changes times,
/// never results.
typedef enum shoal_blend {
    SHOAL_BLEND_AUTO = 0, ///< the best: DUAL
    SHOAL_BLEND_UNION,    ///< the box of what each node alone would make of the piece
    SHOAL_BLEND_CORNER,   ///< the extreme corner of Steinemann et al. 2007, eq. 11
    SHOAL_BLEND_KNAPSACK, ///< the best that least and largest weights allow
    SHOAL_BLEND_DUAL,     ///< nearly the same, in a fixed number of passes
} shoal_blend;

/// What is known of where the vertices are that a node acts on.
typedef enum shoal_influence {
    SHOAL_INFLUENCE_AUTO = 0,   ///< the best: DIRECTIONS
    SHOAL_INFLUENCE_BOXES,      ///< they are in the piece's box at rest
    SHOAL_INFLUENCE_CLIPPED,    ///< and in the box of all that the node acts on
    SHOAL_INFLUENCE_DIRECTIONS, ///< and within the piece's extents in 26 directions
} shoal_influence;

/// What carries a surface. Give it to shoal_model_create() as shoal_model_def.skinned.
///
/// Weights of vertex i are entries weight_begin[i] to weight_begin[i + 1] of `weight_control`
/// and `weight`. They are not negative, at least one is above 0, and in sum they are 1 up to
/// 1e-5; of two entries with the same node both count. Every node has a vertex with a weight
/// above 0: a node that no vertex uses has no place here.
typedef struct shoal_skinned_def {
    uint32_t control_count;         ///< n, at least 1, at most SHOAL_CONTROLS_MAX
    const double *controls;         ///< [3 * control_count] rest positions x_j; copied
    const uint32_t *weight_begin;   ///< [vertex_count + 1] ascending from 0; copied
    const uint32_t *weight_control; ///< [weight_count] below control_count; copied
    const float *weight;            ///< [weight_count]; copied
    size_t weight_count;            ///< weight_begin[vertex_count], or the call fails
    shoal_blend blend;
    shoal_influence influence;
} shoal_skinned_def;

/// Nothing yet, bounds auto.
static inline shoal_skinned_def shoal_skinned_def_default(void)
{
    shoal_skinned_def def = {0, 0, 0, 0, 0, 0, SHOAL_BLEND_AUTO, SHOAL_INFLUENCE_AUTO};
    return def;
}

/// How many nodes a model has; 0: it was made without.
SHOAL_API uint32_t shoal_model_control_count(const shoal_model *model);

/// The effective support of each node: how far the farthest vertex is from it on which it acts.
/// View of shoal_model_control_count() numbers, valid as long as the model; NULL without nodes.
SHOAL_API const double *shoal_model_supports(const shoal_model *model);

/// Add an instance of a model with nodes. Until the first shoal_scene_set_skinned() it joins no
/// query. All queries take it like any other body, but it has no contact spheres. `*out` is
/// null on failure.
///
/// A node's map moves a point p by G p + s. It is given as a displacement u and its gradient J,
/// J_kl the derivative of u_k along axis l, both at the node's rest position x:
///
///     G_kl = J_kl            s_k = u_k - ((J_k0 x_0 + J_k1 x_1) + J_k2 x_2)
///
/// or as an affine map A p + t of points:
///
///     G_kl = A_kl - (k == l)   s_k = t_k
///
/// Vertex i, with rest position p and weights w_0 to w_{m-1} of nodes j_0 to j_{m-1} in the
/// order given, is in float64, each operation rounded and none fused, along each axis k:
///
///     g_kl = (..((0 + w_0 G_j0kl) + w_1 G_j1kl) + ..) + w_{m-1} G_j{m-1}kl, and so s_k
///     x_k  = p_k + ((g_k0 p_0 + g_k1 p_1) + (g_k2 p_2 + s_k))
///
/// Results are exact for these numbers: the same as for a free body whose float64 positions
/// they are. No map needs to be invertible.
/// Errors: ARGUMENT (model of another context or without nodes), LIMIT, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_add_skinned(shoal_scene *scene,
                                                           shoal_model *model, shoal_body *out);

/// Maps of the nodes of many bodies: entry e of row r is entry[e * stride + r * row_stride].
/// The nodes of a body are as many rows, in the order of the model, and bodies follow each
/// other. With row_stride 0, which means 1, that is one array for each number. For records of A
/// row by row and t, one record after the other: A, t = A + 9, stride 1, row_stride 12.
typedef struct shoal_skinned_state {
    const shoal_body *bodies; ///< [count]; of a body named twice the last rows hold
    uint32_t count;           ///< 0: nothing happens
    size_t row_count;         ///< nodes of all bodies named in sum, or the call fails
    size_t stride;     ///< at least row_count * row_stride; or less, but then row_stride is at
                       ///< least stride times the entries of each table, as in records
    const double *u;   ///< [3] displacements; NULL: all 0
    const double *J;   ///< [9] gradients, row by row; NULL: all 0
    const double *A;   ///< [9] affine maps, row by row; then u and J are NULL
    const double *t;   ///< [3] with A only; NULL: all 0
    size_t row_stride; ///< 0: 1
} shoal_skinned_state;

/// Give bodies the maps of their nodes for the coming steps; copied. Either all are set or
/// none. A body with a NaN, an infinity, or numbers so large that a coordinate could exceed
/// 1e300 joins no query and is listed by shoal_scene_bad_bodies().
/// Errors: ARGUMENT (null array, stride, another number of rows, a body that is not of this
/// kind, u or J beside A or t), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_skinned(shoal_scene *scene,
                                                           const shoal_skinned_state *state);

#ifdef __cplusplus
}
#endif

#endif
