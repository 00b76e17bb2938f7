// SPDX-License-Identifier: MIT
#include "kernels/tri/leaf_gradients.h"

#include <math.h>

static float edge(const void *xyz, shoal_scalar scalar, const uint32_t *v, int corner, int k)
{
    const size_t from = 3 * (size_t)v[0] + (size_t)k, to = 3 * (size_t)v[corner] + (size_t)k;
    return scalar == SHOAL_F32
               ? ((const float *)xyz)[to] - ((const float *)xyz)[from]
               : (float)(((const double *)xyz)[to] - ((const double *)xyz)[from]);
}

// One derivative of one triangle. False if it is too large.
static bool extend(shl_gradients *out, int row, float p, float q)
{
    const float sum = p + q, slack = SHL_GRADIENT_SLACK * (fabsf(p) + fabsf(q));
    const float lo = sum - slack + 0.0f, hi = sum + slack + 0.0f; // -0 becomes +0
    out->lo[row] = lo < out->lo[row] ? lo : out->lo[row];
    out->hi[row] = hi > out->hi[row] ? hi : out->hi[row];
    return fabsf(p) + fabsf(q) < SHL_GRADIENT_MAX;
}

void shl_leaf_gradients_ref(const shl_tree *tree, const void *xyz, shoal_scalar scalar,
                            uint32_t leaf, const float *inverse, shl_gradients *out)
{
    bool good = true;
    for (int row = 0; row < 8; row++) {
        out->lo[row] = row < 6 ? INFINITY : 0;
        out->hi[row] = row < 6 ? -INFINITY : 0;
    }
    for (uint32_t lane = 0; lane < tree->count[leaf]; lane++) {
        const uint32_t *v = tree->tri[tree->first[leaf] + lane].v;
        for (int k = 0; k < 3; k++) {
            const float one = edge(xyz, scalar, v, 1, k), two = edge(xyz, scalar, v, 2, k);
            const float *r = inverse + lane;
            good &= extend(out, k, one * r[0], two * r[2 * SHL_LANES]);
            good &= extend(out, 3 + k, one * r[SHL_LANES], two * r[3 * SHL_LANES]);
        }
    }
    for (int row = 0; row < 8 && !good; row++) {
        out->lo[row] = -INFINITY;
        out->hi[row] = INFINITY;
    }
}

void shl_join_gradients_ref(const shl_gradients *rows, const uint32_t *list, uint32_t count,
                            shl_gradients *out)
{
    *out = rows[list[0]];
    for (uint32_t i = 1; i < count; i++) {
        const shl_gradients *more = &rows[list[i]];
        for (int k = 0; k < 8; k++) {
            out->lo[k] = more->lo[k] < out->lo[k] ? more->lo[k] : out->lo[k];
            out->hi[k] = more->hi[k] > out->hi[k] ? more->hi[k] : out->hi[k];
        }
    }
}
