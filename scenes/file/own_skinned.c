// SPDX-License-Identifier: MIT
// Skinned bodies of the user's own: each control point moves as the body's wave and pose do
// there.
#include "scenes/file/own_state.h"
#include "scenes/math/portable_math.h"

static const double two_pi = 6.283185307179586;

void shl_own_skinned_write(const shl_own_group *g, shl_own_body *b, double wave_phase)
{
    const size_t n = g->controls.count;
    for (size_t j = 0; j < n; j++) {
        const double *x = g->controls.xyz + 3 * j, pace = two_pi / g->wave_length;
        const shl_sincos wave = shl_sincos_of(pace * x[0] - wave_phase);
        // own z goes up by the wave, and leans as the wave does at the control point
        const double lean = g->wave.amplitude * pace * wave.cos;
        const double shift = g->wave.amplitude * wave.sin - lean * x[0];
        for (size_t k = 0; k < 3; k++) {
            const double *r = b->rotation + 3 * k;
            b->numbers[(3 * k) * n + j] = r[0] + r[2] * lean;
            b->numbers[(3 * k + 1) * n + j] = r[1];
            b->numbers[(3 * k + 2) * n + j] = r[2];
            b->numbers[(9 + k) * n + j] = r[2] * shift + b->at[k];
        }
    }
}

// The library's own evaluator, operation by operation; see shoal/skinned.h.
void shl_own_skinned_vertex(const shl_own_group *g, const shl_own_body *b, uint32_t vertex,
                            double out[3])
{
    const size_t n = g->controls.count;
    const double *p = g->rest.xyz + 3 * (size_t)vertex;
    for (size_t k = 0; k < 3; k++) {
        double sum[4] = {0};
        for (uint32_t i = g->controls.weight_begin[vertex];
             i < g->controls.weight_begin[vertex + 1]; i++) {
            const double w = (double)g->controls.weight[i];
            const size_t j = g->controls.weight_control[i];
            for (size_t l = 0; l < 3; l++)
                sum[l] = sum[l] + w * (b->numbers[(3 * k + l) * n + j] - (k == l));
            sum[3] = sum[3] + w * b->numbers[(9 + k) * n + j];
        }
        out[k] = p[k] + ((sum[0] * p[0] + sum[1] * p[1]) + (sum[2] * p[2] + sum[3]));
    }
}
