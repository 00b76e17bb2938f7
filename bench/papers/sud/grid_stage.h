// SPDX-License-Identifier: MIT
// The grid's stage alone: 40,000 triangles of eight bodies in 100^3 cells, band 4.
#ifndef BENCH_PAPERS_SUD_GRID_STAGE_H
#define BENCH_PAPERS_SUD_GRID_STAGE_H

#include "bench/harness/bench.h"
#include "runtime/queries/distance/bounds/voronoi.h"

// Triangles, free() them; def.tris points to them. NULL: no memory.
shl_cell_tri *bench_grid_scene(shl_voronoi_def *def);

// Process CPU seconds of a run over bricks of several owners, or over the whole banded grid;
// the least of `repeats`. Bounds go to upper[def->count].
SHOAL_CHECK shoal_status bench_grid_time(const shl_voronoi_def *def, bool whole, int repeats,
                                         float *upper, double *out);

// The gate: the fused stage beside a scan of the whole banded grid.
SHOAL_CHECK shoal_status bench_grid_stage(bench_report *report);

#endif
