// SPDX-License-Identifier: MIT
#include "kernels/skinned/skinned_eval.h"

void shl_skinned_eval_ref(const shl_skinned *model, const double *maps, const uint32_t *rows,
                          uint32_t count, double *xyz)
{
    for (uint32_t i = 0; i < count; i++, xyz += 3) {
        const double *p = model->rest + 3 * (size_t)rows[i];
        double sum[12] = {0};
        const uint32_t end = model->weight_begin[rows[i] + 1];
        for (uint32_t e = model->weight_begin[rows[i]]; e < end; e++) {
            const double *map = maps + 12 * (size_t)model->weight_point[e];
            for (int k = 0; k < 12; k++)
                sum[k] += (double)model->weight[e] * map[k];
        }
        for (int k = 0; k < 3; k++) {
            const double *g = sum + 4 * k;
            xyz[k] = p[k] + ((g[0] * p[0] + g[1] * p[1]) + (g[2] * p[2] + g[3]));
        }
    }
}
