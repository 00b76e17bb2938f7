// SPDX-License-Identifier: MIT
// Bounds of distances by a grid, within a step (Sud et al. 2006): which bodies and triangles
// can matter to each other at all. voronoi.h has the proof of the bounds.
//
// They only leave work out: a triangle is dropped if its lower bound is beyond a distance that
// is known, and a body's or triangle's upper bound is the distance of some real pair. So the
// exact search that follows gives the same bytes as without. owners.c says which bounds hold
// while a filter keeps bodies apart.
#ifndef SHL_RUNTIME_QUERIES_DISTANCE_BOUNDS_GRID_H
#define SHL_RUNTIME_QUERIES_DISTANCE_BOUNDS_GRID_H

#include "runtime/gpu/gpu.h"
#include "runtime/queries/distance/bounds/voronoi.h"

#include <stdatomic.h>

enum { SHL_GRID_NODES = 64 }; // whose triangles go into the grid together

// Who may answer queries of distances.
enum { SHL_WITH_TREES = 0, SHL_WITH_GRID, SHL_WITH_GPU, SHL_CONTENDERS };

// Who owns the triangles of a body, and whether it meets all bodies of other owners: only then
// their distance bounds its own from above.
typedef struct shl_grid_owner {
    uint32_t owner;
    bool meets_others;
} shl_grid_owner;

// Triangles and nodes are numbered as in shl_distance.
typedef struct shl_grid {
    bool used;           // in this step
    bool on_gpu;         // by the GPU, which has been given the job under `ticket`
    _Atomic bool failed; // no bounds in this step
    uint32_t with;       // contender of this step
    uint64_t ticket;
    double origin[3], cell; // where it begins; the side of a cell
    uint32_t cells[3];
    uint64_t cell_count;
    float band, eps;            // cells
    uint32_t coarser;           // how often an overflow has doubled the cell
    bool told_coarse, told_gpu; // once is enough
    uint32_t cull_rows, tri_rows, chunk_rows, brick_rows, body_rows; // of jobs
    shl_array owners;                                                // shl_grid_owner by slot
    shl_array wanted;     // uint8_t by node: a leaf within the limit of another body
    shl_array tris;       // shl_cell_tri by triangle
    shl_array errors;     // double by chunk of nodes: worst error of a distance in cells
    shl_array upper;      // float by triangle, cells
    shl_array lower;      // float by triangle: square of a lower bound, world units
    shl_array node_lower; // float by node: the least of its triangles
    shl_voronoi voronoi;
    uint64_t gpu_jobs; // of this step
    shl_gpu_span span; // of its job
    // the measurement behind SHOAL_DISTANCE_AUTO
    uint32_t queries, generation, bodies; // what costs were measured for
    uint32_t age, retry_at, retry_gap;
    bool gpu_asked;              // whether there is one is known
    double cost[SHL_CONTENDERS]; // seconds; 0: not measured
} shl_grid;

struct shl_distance;

// Decides who answers this step, SHL_WITH_TREES to SHL_WITH_GPU: what was asked for, or what
// was fastest in this scene.
uint32_t shl_grid_choose(struct shl_distance *distance);

// After a good step: how long its distances took, from the first of their jobs to the last.
void shl_grid_profile(shl_grid *grid, double seconds);

// Chooses the grid and reserves memory. The list of bodies and rows of triangles must be there.
// Errors: LIMIT, MEMORY (only with a given resolution).
SHOAL_CHECK shoal_status shl_grid_plan(struct shl_distance *distance);

// Sets `owners`, for which there is memory.
void shl_grid_set_owners(struct shl_distance *distance);

// No grid in this step.
void shl_grid_none(shl_grid *grid);

// After the jobs: takes back what the GPU was given, if nobody has.
void shl_grid_end(struct shl_distance *distance);

// An upper bound of the distance of two bodies whose boxes are these; tight ones, up to
// rounding, are touched on all faces.
double shl_box_bound(const shl_box *a, const shl_box *b, bool tight);

// Lower bounds of a body's triangles by row and of its nodes, as squares; NULL: none are known.
const float *shl_grid_lower_tris(const struct shl_distance *distance, uint32_t body);
const float *shl_grid_lower_nodes(const struct shl_distance *distance, uint32_t body);

// Whether the grid gives upper bounds for a body in this step, once it is done.
bool shl_grid_bounds_above(const struct shl_distance *distance, uint32_t body);

// An upper bound of a triangle's distance to other bodies, by row; infinite: none is known.
double shl_grid_upper(const struct shl_distance *distance, uint32_t body, uint32_t row);

#endif
