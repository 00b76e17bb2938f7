// SPDX-License-Identifier: MIT
#include "bench/peers/narrow.h"

#include "kernels/kernels.h"

_Static_assert(sizeof(narrow_tri) == sizeof(shl_tri), "rows are handed over as they are");
_Static_assert(sizeof(narrow_pair) == sizeof(shl_tri_pair), "rows are handed over as they are");

static shl_kernels kernels;

// Before main(), so that threads find the table filled.
__attribute__((constructor)) static void choose(void)
{
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
}

static shl_tri_side side_of(const narrow_side *s)
{
    return (shl_tri_side){s->xyz, (const shl_tri *)s->tri, s->f64 ? SHOAL_F64 : SHOAL_F32};
}

uint32_t narrow_keep(const narrow_side *a, const narrow_side *b, narrow_pair *pairs,
                     uint32_t count)
{
    const shl_tri_side left = side_of(a), right = side_of(b);
    uint64_t exact = 0;
    return kernels.tri_overlap(&left, &right, (shl_tri_pair *)pairs, count,
                               (shl_tri_pair *)pairs, &exact);
}

void narrow_distances(const narrow_side *a, const narrow_side *b, const narrow_pair *pairs,
                      uint32_t count, double *distance)
{
    const shl_tri_side left = side_of(a), right = side_of(b);
    uint64_t exact = 0;
    kernels.tri_distance(&left, &right, (const shl_tri_pair *)pairs, count, distance, &exact);
}
