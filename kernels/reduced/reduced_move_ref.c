// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_move.h"

#include <math.h>

static float dot(float ax, float ay, float az, const float b[3])
{
    return (ax * b[0] + ay * b[1]) + az * b[2];
}

void shl_reduced_move_ref(const shl_block *from, const float *delta, float away,
                          const shl_reduced_ready *ready, uint32_t count, shl_block *out)
{
    for (uint32_t lane = 0; lane < count; lane++) {
        float m[3], h[3];
        for (int k = 0; k < 3; k++) {
            const float lo = from->lo[k][lane], hi = from->hi[k][lane];
            m[k] = 0.5f * (lo + hi);
            const float above = hi - m[k], below = m[k] - lo;
            h[k] = above > below ? above : below;
        }
        const float e = (delta[lane] * away) * ready->stretch;
        const float size = ((fabsf(m[0]) + h[0]) + (fabsf(m[1]) + h[1])) + (fabsf(m[2]) + h[2]);
        const float pad = e + 0x1p-20f * (size + e);
        for (int k = 0; k < 3; k++) {
            const float *t = ready->turn + 3 * k;
            const float w = dot(t[0], t[1], t[2], m);
            const float half = dot(fabsf(t[0]), fabsf(t[1]), fabsf(t[2]), h) + pad;
            out->lo[k][lane] = ready->base[k] + (ready->lo[k] + (w - half));
            out->hi[k][lane] = ready->base[k] + (ready->hi[k] + (w + half));
        }
    }
    for (uint32_t lane = count; lane < SHL_LANES; lane++) {
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = INFINITY;
            out->hi[k][lane] = -INFINITY;
        }
    }
}
