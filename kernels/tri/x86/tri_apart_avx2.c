// SPDX-License-Identifier: MIT
#include "kernels/tri/tri_apart.h"

#include <immintrin.h>

typedef struct vec {
    __m256 x, y, z;
} vec;

static inline __m256 dot(vec a, vec b)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y)),
                         _mm256_mul_ps(a.z, b.z));
}

static inline vec minus(vec a, vec b)
{
    return (vec){_mm256_sub_ps(a.x, b.x), _mm256_sub_ps(a.y, b.y), _mm256_sub_ps(a.z, b.z)};
}

static inline vec choose(vec no, vec yes, __m256 mask)
{
    return (vec){_mm256_blendv_ps(no.x, yes.x, mask), _mm256_blendv_ps(no.y, yes.y, mask),
                 _mm256_blendv_ps(no.z, yes.z, mask)};
}

static inline __m256 less(__m256 a, __m256 b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

// The corner with the least product, which goes to *least. Of equal ones the first.
static inline vec lowest(vec v, const vec c[3], __m256 *least)
{
    vec at = c[0];
    *least = dot(v, c[0]);
    for (int i = 1; i < 3; i++) {
        const __m256 d = dot(v, c[i]), below = less(d, *least);
        at = choose(at, c[i], below);
        *least = _mm256_blendv_ps(*least, d, below);
    }
    return at;
}

static inline vec highest(vec v, const vec c[3], __m256 *most)
{
    vec at = c[0];
    *most = dot(v, c[0]);
    for (int i = 1; i < 3; i++) {
        const __m256 d = dot(v, c[i]), above = less(*most, d);
        at = choose(at, c[i], above);
        *most = _mm256_blendv_ps(*most, d, above);
    }
    return at;
}

static inline __m256 third(__m256 b0, __m256 b1, __m256 b2, float centre)
{
    const __m256 sum = _mm256_add_ps(_mm256_add_ps(b0, b1), b2);
    return _mm256_mul_ps(_mm256_sub_ps(sum, _mm256_set1_ps(centre)), _mm256_set1_ps(1.0f / 3));
}

uint32_t shl_tri_apart_avx2(const float a[9], const shl_tri_lanes *b, float limit,
                            uint32_t lanes)
{
    const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1);
    const __m256 far = _mm256_set1_ps((limit + 0x1p-18f) * (limit + 0x1p-18f) * (1 + 0x1p-18f));
    const __m256 close = _mm256_set1_ps(limit * limit), tiny = _mm256_set1_ps(0x1p-40f);
    const __m256 shortest = _mm256_set1_ps(0x1p-60f), sign = _mm256_set1_ps(-0.0f);
    vec p[3], q[3];
    for (int i = 0; i < 3; i++) {
        p[i] = (vec){_mm256_set1_ps(a[3 * i]), _mm256_set1_ps(a[3 * i + 1]),
                     _mm256_set1_ps(a[3 * i + 2])};
        q[i] = (vec){_mm256_loadu_ps(b->x[i][0]), _mm256_loadu_ps(b->x[i][1]),
                     _mm256_loadu_ps(b->x[i][2])};
    }
    vec v = {third(q[0].x, q[1].x, q[2].x, a[0] + a[3] + a[6]),
             third(q[0].y, q[1].y, q[2].y, a[1] + a[4] + a[7]),
             third(q[0].z, q[1].z, q[2].z, a[2] + a[5] + a[8])};
    uint32_t apart = 0, near = 0;
    for (int turn = 0; turn < SHL_APART_TURNS; turn++) {
        __m256 least, most;
        const vec from = highest(v, p, &most), to = lowest(v, q, &least);
        const __m256 gap = _mm256_sub_ps(least, most), square = dot(v, v);
        const __m256 parted = _mm256_and_ps(
            less(zero, gap), less(_mm256_mul_ps(far, square), _mm256_mul_ps(gap, gap)));
        apart |= (uint32_t)_mm256_movemask_ps(_mm256_and_ps(parted, less(tiny, square)));
        near |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(square, close, _CMP_LE_OQ));
        if (!(lanes & ~apart & ~near))
            break;
        const vec d = minus(minus(to, from), v);
        const __m256 down = _mm256_xor_ps(dot(v, d), sign), length = dot(d, d);
        __m256 t =
            _mm256_div_ps(down, _mm256_blendv_ps(shortest, length, less(shortest, length)));
        t = _mm256_and_ps(t, less(zero, t));
        t = _mm256_blendv_ps(one, t, less(t, one));
        v = (vec){_mm256_add_ps(v.x, _mm256_mul_ps(t, d.x)),
                  _mm256_add_ps(v.y, _mm256_mul_ps(t, d.y)),
                  _mm256_add_ps(v.z, _mm256_mul_ps(t, d.z))};
    }
    return lanes & ~apart;
}
