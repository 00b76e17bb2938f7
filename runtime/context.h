// SPDX-License-Identifier: MIT
// The context and the model behind the public handles.
#ifndef SHL_RUNTIME_CONTEXT_H
#define SHL_RUNTIME_CONTEXT_H

#include "kernels/kernels.h"
#include "runtime/gpu/gpu.h"
#include "runtime/place/place.h"

#include <shoal/scene.h>
#include <stdatomic.h>

// What making a box costs, in nanoseconds; only ratios matter.
typedef struct shl_costs {
    float range;  // a vertex in a range
    float listed; // a listed vertex
    float child;  // a child's box, whatever it is made of
    float merge;  // a child's box by merging its block
    float open;   // opening a block during the search, beside its boxes
} shl_costs;

struct shoal_context {
    shoal_allocator user;      // where memory really comes from
    shoal_allocator allocator; // the same, counted; everything goes through this one
    _Atomic uint64_t allocations;
    _Atomic uint64_t bytes;
    shoal_log_fn *log;
    void *log_user;
    shl_kernels kernels;
    shl_place place;
    shl_gpu_link gpu;
    shl_gpu_link painter;         // draws pictures where `gpu` has no device, in software too
    bool fixed_costs;             // measure none
    bool fixed_team;              // all scenes: the environment wants it
    _Atomic uint32_t costs_state; // 0: not yet, 1: somebody measures, 2: they are there
    shl_costs costs[2];           // by shoal_scalar
};

struct shoal_model {
    shoal_context *ctx;
    _Atomic uint32_t holds; // the user's and one for each body
    _Atomic uint64_t user_data;
    shl_tree tree;
    shoal_builder builder;
    uint32_t arity;
    double quality;     // at rest, see shl_tree_cost()
    double sample;      // shl_tree_sample() of the rest positions
    uint64_t build_ns;  // what making the tree took
    bool reducible;     // made for reduced bodies
    bool has_self_cull; // made for self queries
    bool is_skinned;    // made for bodies of kind skinned
    shl_certificate certificate;
    shl_reduced reduced;
    shl_skinned skinned;
};

// Logs one line and returns `status`, so that a check is one statement. Of a failure it is the
// thread's last error from then on. Without a context there is nobody to log to.
__attribute__((format(printf, 3, 4))) shoal_status
shl_fail(const shoal_context *ctx, shoal_status status, const char *format, ...);

// Logs one line with SHOAL_OK: what goes on, but not as it might.
__attribute__((format(printf, 2, 3))) void shl_warn(const shoal_context *ctx,
                                                    const char *format, ...);

void shl_model_hold(shoal_model *model);

// The rule of the header that a positions view breaks, or NULL.
const char *shl_positions_fault(const shoal_positions *positions);

#endif
