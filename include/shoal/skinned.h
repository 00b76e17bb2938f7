// SPDX-License-Identifier: MIT
/// Skinned bodies: each vertex blends the affine maps of a few control points with fixed
/// weights (point-based animation, Mueller et al. 2004, Steinemann et al. 2007; linear blend
/// skinning; cages; embedded finite elements).
#ifndef SHOAL_SKINNED_H
#define SHOAL_SKINNED_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SHOAL_CONTROLS_MAX = 1 << 20 };

/// Control points and weights of a model: shoal_model_def.skinned.
///
/// Weights of vertex i are entries weight_begin[i] to weight_begin[i + 1] of `weight_control`
/// and `weight`. They are not negative, at least one is above 0, and in sum they are 1 up to
/// 1e-5; two entries with the same control point add up. Every control point has a vertex with
/// a weight above 0.
typedef struct shoal_skinned_def {
    uint32_t size;                  ///< set by shoal_skinned_def_default(); do not touch
    uint32_t control_count;         ///< n, at least 1, at most SHOAL_CONTROLS_MAX
    const double *controls;         ///< [3 * control_count] rest positions x_j; copied
    const uint32_t *weight_begin;   ///< [vertex_count + 1] ascending from 0; copied
    const uint32_t *weight_control; ///< [weight_count] below control_count; copied
    const float *weight;            ///< [weight_count]; copied
    size_t weight_count;            ///< weight_begin[vertex_count], or the call fails
    uint32_t blend, influence;      ///< for experiments: see study.h. 0: the best
} shoal_skinned_def;

/// No control points yet.
static inline shoal_skinned_def shoal_skinned_def_default(void)
{
    shoal_skinned_def def = {sizeof(shoal_skinned_def), 0, 0, 0, 0, 0, 0, 0, 0};
    return def;
}

/// Number of control points of a model; 0: none.
SHOAL_API uint32_t shoal_model_control_count(const shoal_model *model);

/// The effective support of each control point: the distance to the farthest vertex with a
/// weight above 0. View of shoal_model_control_count() numbers, valid as long as the model;
/// NULL without control points.
SHOAL_API const double *shoal_model_supports(const shoal_model *model);

/// Add an instance of a model with control points. Until the first shoal_scene_set_skinned() it
/// takes part in no query. All queries treat it like any other body, but it has no contact
/// spheres. `*out` is null on failure.
///
/// The map of a control point moves a point p by G p + s. It is given as a displacement u and
/// its gradient J, J_kl the derivative of u_k along axis l, both at the control point's rest
/// position x:
///
///     G_kl = J_kl            s_k = u_k - ((J_k0 x_0 + J_k1 x_1) + J_k2 x_2)
///
/// or as an affine map A p + t of points:
///
///     G_kl = A_kl - (k == l)   s_k = t_k
///
/// Vertex i, with rest position p and weights w_0 to w_{m-1} of control points j_0 to j_{m-1}
/// in the order given, is in float64, each operation rounded and none fused, along each axis k:
///
///     g_kl = (..((0 + w_0 G_j0kl) + w_1 G_j1kl) + ..) + w_{m-1} G_j{m-1}kl, and so s_k
///     x_k  = p_k + ((g_k0 p_0 + g_k1 p_1) + (g_k2 p_2 + s_k))
///
/// Results are exact for these numbers: the same as for a free body whose float64 positions
/// they are. No map needs to be invertible.
/// Errors: ARGUMENT (model of another context or without control points), LIMIT, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_add_skinned(shoal_scene *scene,
                                                           shoal_model *model, shoal_body *out);

/// Maps of the control points of many bodies: entry e of row r is
/// entry[e * stride + r * row_stride]. A body has one row per control point, in the order of
/// the model; the rows of bodies follow each other. With row_stride 0, which means 1, that is
/// one array per number. For records of A row by row and t, one record after the other: A, t =
/// A + 9, stride 1, row_stride 12.
typedef struct shoal_skinned_state {
    const shoal_body *bodies; ///< [count]; of a body named twice the last rows hold
    uint32_t count;           ///< 0: nothing happens
    size_t row_count;         ///< control points of all bodies named, or the call fails
    size_t stride;     ///< at least row_count * row_stride; or less, but then row_stride is at
                       ///< least stride times the entries of each table, as in records
    const double *u;   ///< [3] displacements; NULL: all 0
    const double *J;   ///< [9] gradients, row by row; NULL: all 0
    const double *A;   ///< [9] affine maps, row by row; then u and J are NULL
    const double *t;   ///< [3] with A only; NULL: all 0
    size_t row_stride; ///< 0: 1
} shoal_skinned_state;

/// Set the maps of bodies for the coming steps; copied. Either all are set or none. A body with
/// a NaN, an infinity, or numbers so large that a coordinate could exceed 1e300 joins no query
/// and is listed by shoal_scene_bad_bodies().
/// Errors: ARGUMENT (null array, stride, another number of rows, a body that is not of this
/// kind, u or J beside A or t), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_skinned(shoal_scene *scene,
                                                           const shoal_skinned_state *state);

#ifdef __cplusplus
}
#endif

#endif
