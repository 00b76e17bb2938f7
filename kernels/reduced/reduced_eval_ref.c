// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_eval.h"

void shl_reduced_eval_ref(const shl_reduced *model, const shl_reduced_ready *ready,
                          const uint32_t *rows, uint32_t count, double *xyz)
{
    const uint32_t fields = model->field_count;
    for (uint32_t i = 0; i < count; i++, xyz += 3) {
        const double *p = model->rest + 3 * (size_t)rows[i];
        const float *u = model->fields + 3 * (size_t)rows[i] * fields;
        double d[3] = {p[0], p[1], p[2]};
        for (uint32_t j = 0; j < fields; j++) {
            for (int k = 0; k < 3; k++)
                d[k] += (double)u[3 * j + (uint32_t)k] * ready->q[j];
        }
        for (int k = 0; k < 3; k++) {
            const double *r = ready->rotation + 3 * k;
            xyz[k] = ((r[0] * d[0] + r[1] * d[1]) + r[2] * d[2]) + ready->translation[k];
        }
    }
}
