// SPDX-License-Identifier: MIT
#include "kernels/boxes/vertex_box.h"

#include "kernels/round.h"

#include <math.h>

// Minima and maxima in the input's own precision; rounding comes last, so it happens once.
typedef struct extent {
    double lo[3], hi[3];
    bool finite;
} extent;

static void add(extent *r, double x, double y, double z)
{
    const double p[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        r->lo[k] = p[k] < r->lo[k] ? p[k] : r->lo[k];
        r->hi[k] = p[k] > r->hi[k] ? p[k] : r->hi[k];
        r->finite = r->finite && isfinite(p[k]);
    }
}

static extent nothing(void)
{
    return (extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, true};
}

static bool finish(const extent *r, shl_box *out)
{
    for (int k = 0; k < 3; k++) {
        out->lo[k] = shl_round_down(r->lo[k]);
        out->hi[k] = shl_round_up(r->hi[k]);
    }
    return r->finite;
}

bool shl_vertex_box_f32_ref(const void *xyz, uint32_t begin, uint32_t end, const uint32_t *list,
                            uint32_t count, shl_box *out)
{
    const float *p = xyz;
    extent r = nothing();
    for (size_t i = begin; i < end; i++)
        add(&r, p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    for (uint32_t i = 0; i < count; i++) {
        const float *v = p + 3 * (size_t)list[i];
        add(&r, v[0], v[1], v[2]);
    }
    return finish(&r, out);
}

bool shl_vertex_box_f64_ref(const void *xyz, uint32_t begin, uint32_t end, const uint32_t *list,
                            uint32_t count, shl_box *out)
{
    const double *p = xyz;
    extent r = nothing();
    for (size_t i = begin; i < end; i++)
        add(&r, p[3 * i], p[3 * i + 1], p[3 * i + 2]);
    for (uint32_t i = 0; i < count; i++) {
        const double *v = p + 3 * (size_t)list[i];
        add(&r, v[0], v[1], v[2]);
    }
    return finish(&r, out);
}
