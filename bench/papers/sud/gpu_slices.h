// SPDX-License-Identifier: MIT
// Sud et al. 2006 literally: slices of the grid are drawn into a depth buffer, read back, and
// looked up for each triangle. Beside the fused bounds, on the same device.
#ifndef BENCH_PAPERS_SUD_GPU_SLICES_H
#define BENCH_PAPERS_SUD_GPU_SLICES_H

#include "bench/papers/sud/grid_stage.h"
#include "runtime/gpu/gpu.h"

// `fused_s` and `upper` are what the fused bounds of the same scene took and gave.
SHOAL_CHECK shoal_status bench_gpu_slices(bench_report *report, const shl_gpu_link *link,
                                          const shl_voronoi_def *def, double fused_s,
                                          const float *upper);

#endif
