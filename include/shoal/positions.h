// SPDX-License-Identifier: MIT
/// Vertex positions as input: one view type for all layouts.
#ifndef SHOAL_POSITIONS_H
#define SHOAL_POSITIONS_H

#include <shoal/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// float32 stays float32 and float64 stays float64: positions are never narrowed.
typedef enum shoal_scalar { SHOAL_F32 = 0, SHOAL_F64 = 1 } shoal_scalar;

/// Which vertex the i-th position belongs to.
typedef enum shoal_order {
    SHOAL_ORDER_USER = 0, ///< vertex i of the triangles given to shoal_model_create()
    SHOAL_ORDER_TREE = 1, ///< vertex shoal_model_vertex_order()[i]
} shoal_order;

/// Whether positions are copied.
typedef enum shoal_hold {
    SHOAL_COPY = 0,   ///< shoal copies during the call; the array may change afterwards
    SHOAL_BORROW = 1, ///< shoal reads the array in each step until other positions are set
} shoal_hold;

/// Positions of all vertices of a body, in metres or whatever unit the scene uses.
/// Vertex i is (x[i * stride], y[i * stride], z[i * stride]), counted in scalars, so
/// interleaved and structure-of-arrays data differ in these numbers only.
///
/// Packed xyz in tree order (stride 3) is read in place; everything else costs one pass, and so
/// does a body whose tree was built anew (SHOAL_STRATEGY_AUTO).
typedef struct shoal_positions {
    const void *x, *y, *z; ///< float or double arrays, as `scalar` says
    size_t stride;         ///< scalars from one vertex to the next, at least 1
    uint32_t count;        ///< vertices; must equal the model's
    shoal_scalar scalar;
    shoal_order order;
    shoal_hold hold;
} shoal_positions;

/// Packed xyz float32 in the user's vertex order, copied. Change the fields you need.
static inline shoal_positions shoal_positions_f32(const float *xyz, uint32_t count)
{
    shoal_positions p = {xyz,   xyz + 1,   xyz + 2,          3,
                         count, SHOAL_F32, SHOAL_ORDER_USER, SHOAL_COPY};
    return p;
}

/// Packed xyz float64 in the user's vertex order, copied. Change the fields you need.
static inline shoal_positions shoal_positions_f64(const double *xyz, uint32_t count)
{
    shoal_positions p = {xyz,   xyz + 1,   xyz + 2,          3,
                         count, SHOAL_F64, SHOAL_ORDER_USER, SHOAL_COPY};
    return p;
}

/// Where positions are written to: those of vertices [first, first + count). Vertex first + i
/// goes to (x[i * stride], y[i * stride], z[i * stride]).
typedef struct shoal_vertices {
    void *x, *y, *z; ///< float or double arrays, as `scalar` says
    size_t stride;   ///< scalars from one vertex to the next, at least 1
    uint32_t first, count;
    shoal_scalar scalar;
    shoal_order order; ///< which vertices those are
} shoal_vertices;

/// Packed xyz float32 of vertices in the user's order. Change the fields you need.
static inline shoal_vertices shoal_vertices_f32(float *xyz, uint32_t first, uint32_t count)
{
    shoal_vertices v = {xyz, xyz + 1, xyz + 2, 3, first, count, SHOAL_F32, SHOAL_ORDER_USER};
    return v;
}

/// Packed xyz float64 of vertices in the user's order. Change the fields you need.
static inline shoal_vertices shoal_vertices_f64(double *xyz, uint32_t first, uint32_t count)
{
    shoal_vertices v = {xyz, xyz + 1, xyz + 2, 3, first, count, SHOAL_F64, SHOAL_ORDER_USER};
    return v;
}

#ifdef __cplusplus
}
#endif

#endif
