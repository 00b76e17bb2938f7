// SPDX-License-Identifier: MIT
// Bounds of distances by a grid, within a step (Sud et al. 2006): which bodies and triangles
// can matter to each other at all. runtime/queries/distance/bounds/voronoi.h has the proof of
// the bounds.
//
// They only leave work out: a triangle is dropped if its lower bound is beyond a distance that
// is known, and a body's or triangle's upper bound is the distance of some real pair. So the
// exact search that follows gives the same bytes as without.
#ifndef SHL_RUNTIME_QUERIES_DISTANCE_BOUNDS_BOUNDS_H
#define SHL_RUNTIME_QUERIES_DISTANCE_BOUNDS_BOUNDS_H

#include "runtime/scene/scene.h"

// Decides who answers this step, SHL_WITH_TREES to SHL_WITH_GPU: what was asked for, or what
// was fastest in this scene.
uint32_t shl_grid_choose(shoal_scene *scene);

// After the step, if it was good: how long its distances took.
void shl_grid_learn(shoal_scene *scene);

// Places the grid and makes room. The list of bodies and rows of triangles must be there.
// Errors: LIMIT, MEMORY (only with a given resolution).
SHOAL_CHECK shoal_status shl_grid_plan(shoal_scene *scene);

// No grid in this step.
void shl_grid_none(shoal_scene *scene);

// An upper bound of the distance of two bodies whose boxes are these; tight ones, up to
// rounding, are touched on all faces.
double shl_box_bound(const shl_box *a, const shl_box *b, bool tight);

// Lower bounds of a body's triangles by row and of its nodes, as squares; NULL: none are known.
const float *shl_grid_lower_tris(const shoal_scene *scene, const shl_free_body *body);
const float *shl_grid_lower_nodes(const shoal_scene *scene, const shl_free_body *body);

// An upper bound of a triangle's distance to other bodies, by row; infinite: none is known.
double shl_grid_upper(const shoal_scene *scene, const shl_free_body *body, uint32_t row);

#endif
