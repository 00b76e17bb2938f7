// SPDX-License-Identifier: MIT
/// Reduced bodies: instances of one model, each a pose and a few coordinates q. A body's
/// vertices are functions of them, evaluated only where a triangle test needs them.
#ifndef SHOAL_REDUCED_H
#define SHOAL_REDUCED_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Add an instance of a reducible model. Until the first shoal_scene_set_reduced() it joins no
/// query. All queries take it like any other body. `*out` is null on failure.
///
/// Vertex i, with rest position p and displacements U_0 to U_{M-1} of the model's M fields, is
/// in float64, each operation rounded and none fused, along each axis k:
///
///     d_k = (..((p_k + U_0k q_0) + U_1k q_1) + ..) + U_{M-1}k q_{M-1}
///     x_k = ((R_k0 d_0 + R_k1 d_1) + R_k2 d_2) + t_k
///
/// Results are exact for these numbers: the same as for a free body whose float64 positions
/// they are. A fat box has to hold the body's contact spheres, too.
/// Errors: ARGUMENT (model of another context or not reducible), LIMIT, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_add_reduced(shoal_scene *scene,
                                                           shoal_model *model, shoal_body *out);

/// Poses and coordinates of many reduced bodies: entry e of body i is
/// entry[e * stride + i * body_stride]. With body_stride 0, which means 1, that is one array
/// per number. For records of R row by row, t and q, one record after the other: rotation,
/// translation = rotation + 9, q = rotation + 12, stride 1, body_stride 12 + field_count.
typedef struct shoal_reduced_state {
    const shoal_body *bodies; ///< [count]; of a body named twice the last entry holds
    uint32_t count;           ///< 0: nothing happens
    size_t stride; ///< at least count * body_stride; or less, but then body_stride is at least
                   ///< stride times the entries of each table, as in records
    const double *rotation;    ///< [9] R row by row; NULL: none. R^T R is 1 up to 8e-6
    const double *translation; ///< [3] t; NULL: none
    const double *q;           ///< [field_count]; NULL: all 0
    uint32_t field_count;      ///< M, the same as in the model of every body named
    size_t body_stride;        ///< 0: 1
} shoal_reduced_state;

/// Give reduced bodies their poses and coordinates for the coming steps; copied. Either all are
/// set or none.
/// A body with a NaN, an infinity, or numbers so large that a coordinate could exceed 1e300
/// joins no query and is listed by shoal_scene_bad_bodies().
///
/// R is taken as it is if no entry of R^T R differs from that of 1 by more than 1e-6. If one
/// does, but by no more than 8e-6, R is made orthonormal first: twice, in float64, each
/// operation rounded and none fused,
///
///     S_ab = (R_0a R_0b + R_1a R_1b) + R_2a R_2b
///     C_ab = 1.5 - 0.5 S_ab if a is b, else 0 - 0.5 S_ab
///     R_kb becomes (R_k0 C_0b + R_k1 C_1b) + R_k2 C_2b
///
/// which leaves R^T R within 2e-15 of 1, and R at the nearest rotation but for rounding. This
/// is for poses from text files with six digits, where an entry of R is off by up to e = 5e-7.
/// Then an entry of R^T R is off by up to 2 sqrt(3) e < 2e-6. If R was made from a quaternion
/// of six digits that was not normalised again, the square of its length is off by up to 4 e,
/// and an entry of R^T R by up to four times that, 8e-6. A matrix beyond that is no rotation,
/// nor is a reflection. Errors: ARGUMENT (null array, stride, a body that is not reduced or has
/// another number of fields, a finite matrix that is no rotation), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_reduced(shoal_scene *scene,
                                                           const shoal_reduced_state *state);

/// Contact spheres: contacts at a cost independent of the mesh, instead of triangle pairs
/// (James & Pai 2004). A model made with a sphere_level has about 2^sphere_level of them,
/// whatever its number of triangles; in every state they contain the whole body, but for
/// rounding. Each is around a piece of the surface that planes cut out of it, through
/// triangles, so the tree does not matter, and the mesh hardly. With SHOAL_QUERY_SPHERES a step
/// lists all contacts between spheres of two bodies, and between spheres of one body and
/// triangles of another that has no spheres: a free one, or a reduced one whose model has none.
///
/// A sphere has a centre c and a radius r at rest, and u_j and d_j for each field. In a state
/// it is, evaluated like a vertex (shoal_scene_add_reduced()):
///
///     centre   R (c + sum u_j q_j) + t
///     radius   r + sum d_j |q_j|
///
/// all in float64, so contacts are pure functions of the model and the states. Distances are
/// computed in float64 from these numbers, and compared as computed.

#ifdef __cplusplus
}
#endif

#endif
