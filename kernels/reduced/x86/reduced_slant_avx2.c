// SPDX-License-Identifier: MIT
#include "kernels/reduced/reduced_slant.h"

#include <immintrin.h>

typedef struct vec3 {
    __m256 x, y, z;
} vec3;

static inline __m256 add_mul(__m256 sum, __m256 a, __m256 b)
{
    return _mm256_add_ps(sum, _mm256_mul_ps(a, b));
}

static inline __m256 magnitude(__m256 v)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

static inline __m256 dot(vec3 a, vec3 b)
{
    return _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y)),
                         _mm256_mul_ps(a.z, b.z));
}

static inline vec3 scaled(vec3 v, __m256 by)
{
    return (vec3){_mm256_mul_ps(v.x, by), _mm256_mul_ps(v.y, by), _mm256_mul_ps(v.z, by)};
}

static inline void store3(float to[3][SHL_LANES], vec3 v)
{
    _mm256_store_ps(to[0], v.x);
    _mm256_store_ps(to[1], v.y);
    _mm256_store_ps(to[2], v.z);
}

// 1 / v where it is more than `least`, else 0.
static inline __m256 inverse_above(__m256 v, float least, __m256 what)
{
    return _mm256_and_ps(_mm256_cmp_ps(v, _mm256_set1_ps(least), _CMP_GT_OQ),
                         _mm256_div_ps(_mm256_set1_ps(1), what));
}

static inline vec3 normal_of(vec3 u, vec3 v)
{
    const __m256 x = _mm256_max_ps(magnitude(u.x), magnitude(v.x));
    const __m256 y = _mm256_max_ps(magnitude(u.y), magnitude(v.y));
    const __m256 z = _mm256_max_ps(magnitude(u.z), magnitude(v.z));
    const __m256 most = _mm256_max_ps(_mm256_max_ps(x, y), z);
    const __m256 inverse = inverse_above(most, SHL_SLANT_EDGE_LEAST, most);
    const vec3 a = scaled(u, inverse), b = scaled(v, inverse);
    const vec3 n = {_mm256_sub_ps(_mm256_mul_ps(a.y, b.z), _mm256_mul_ps(a.z, b.y)),
                    _mm256_sub_ps(_mm256_mul_ps(a.z, b.x), _mm256_mul_ps(a.x, b.z)),
                    _mm256_sub_ps(_mm256_mul_ps(a.x, b.y), _mm256_mul_ps(a.y, b.x))};
    const __m256 square = dot(n, n);
    return scaled(n, inverse_above(square, SHL_SLANT_LEAST, _mm256_sqrt_ps(square)));
}

static inline __m256 size_of(vec3 v)
{
    return _mm256_add_ps(_mm256_add_ps(magnitude(v.x), magnitude(v.y)), magnitude(v.z));
}

static void store_slants(vec3 c, const vec3 e[3], __m256 rounding, shl_slants *out)
{
    __m256 size = _mm256_setzero_ps();
    for (int i = 0; i < 3; i++) {
        size = _mm256_add_ps(size, magnitude(e[i].x));
        size = _mm256_add_ps(size, magnitude(e[i].y));
        size = _mm256_add_ps(size, magnitude(e[i].z));
        store3(out->e[i], e[i]);
    }
    const __m256 r = _mm256_mul_ps(_mm256_set1_ps(SHL_SLANT_RADIUS),
                                   add_mul(rounding, _mm256_set1_ps(SHL_SLANT_ROUND), size));
    for (int i = 0; i < 3; i++) {
        const vec3 n = normal_of(e[(i + 1) % 3], e[(i + 2) % 3]);
        __m256 s = _mm256_setzero_ps();
        for (int k = 0; k < 3; k++)
            s = _mm256_add_ps(s, magnitude(dot(n, e[k])));
        store3(out->n[i], n);
        _mm256_store_ps(out->s[i], _mm256_add_ps(s, r));
    }
    store3(out->c, c);
    _mm256_store_ps(out->r, r);
}

static inline __m256 row_at(const float *rows, uint32_t row)
{
    return _mm256_load_ps(rows + (size_t)row * SHL_LANES);
}

static void store_empty(uint32_t from, shl_block *out)
{
    const __m256 most = _mm256_set1_ps(__builtin_inff());
    const __m256 least = _mm256_set1_ps(-__builtin_inff());
    const __m256 empty = _mm256_castsi256_ps(_mm256_cmpgt_epi32(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32((int)from - 1)));
    for (int k = 0; k < 3; k++) { // no store with a mask: some CPUs take a dozen cycles
        _mm256_store_ps(out->lo[k], _mm256_blendv_ps(_mm256_load_ps(out->lo[k]), most, empty));
        _mm256_store_ps(out->hi[k], _mm256_blendv_ps(_mm256_load_ps(out->hi[k]), least, empty));
    }
}

// Along axis k: the box as the affine body has it, the centre, and that part of the edges.
static inline __m256 along(const shl_reduced_ready *ready, int k, vec3 m, const __m256 a[9],
                           const __m256 h[3], __m256 rest, __m256 edge[3], shl_block *out)
{
    const vec3 t = {_mm256_set1_ps(ready->turn[3 * k]), _mm256_set1_ps(ready->turn[3 * k + 1]),
                    _mm256_set1_ps(ready->turn[3 * k + 2])};
    __m256 half[3];
    for (int i = 0; i < 3; i++) {
        const __m256 turned = dot(t, (vec3){a[i], a[3 + i], a[6 + i]});
        edge[i] = _mm256_mul_ps(turned, h[i]);
        half[i] = _mm256_mul_ps(magnitude(turned), h[i]);
    }
    const __m256 wide =
        _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(half[0], half[1]), half[2]), rest);
    const __m256 w = dot(t, m), base = _mm256_set1_ps(ready->base[k]);
    const float low = ready->lo[k], high = ready->hi[k];
    const __m256 lo = _mm256_add_ps(_mm256_set1_ps(low), _mm256_sub_ps(w, wide));
    const __m256 hi = _mm256_add_ps(_mm256_set1_ps(high), _mm256_add_ps(w, wide));
    _mm256_store_ps(out->lo[k], _mm256_add_ps(base, lo));
    _mm256_store_ps(out->hi[k], _mm256_add_ps(base, hi));
    return _mm256_add_ps(base, _mm256_add_ps(_mm256_set1_ps(0.5f * (high + low)), w));
}

static float slack_of(const shl_reduced_ready *ready)
{
    float most = 0;
    for (int k = 0; k < 3; k++) {
        const float half = 0.5f * (ready->hi[k] - ready->lo[k]);
        most = most > half ? most : half;
    }
    return SHL_SLANT_SLACK * most;
}

void shl_reduced_slant_avx2(const float *block, uint32_t field_count,
                            const shl_reduced_ready *ready, uint32_t count, shl_block *out,
                            shl_slants *slants)
{
    const __m256 one = _mm256_set1_ps(1), zero = _mm256_setzero_ps();
    vec3 m = {row_at(block, 0), row_at(block, 1), row_at(block, 2)};
    const __m256 h[3] = {row_at(block, 3), row_at(block, 4), row_at(block, 5)};
    __m256 a[9] = {one, zero, zero, zero, one, zero, zero, zero, one}, rest = zero;
    const float *row = block + 6 * SHL_LANES;
    for (uint32_t j = 0; j < field_count; j++, row += 13 * SHL_LANES) {
        const __m256 s = _mm256_set1_ps(ready->weight[j]);
        m.x = add_mul(m.x, s, row_at(row, 0));
        m.y = add_mul(m.y, s, row_at(row, 1));
        m.z = add_mul(m.z, s, row_at(row, 2));
        rest = add_mul(rest, magnitude(s), row_at(row, 3));
        for (uint32_t i = 0; i < 9; i++)
            a[i] = add_mul(a[i], s, row_at(row, 4 + i));
    }
    rest = _mm256_mul_ps(rest, _mm256_set1_ps(ready->stretch));
    __m256 edge[3][3]; // [axis][edge]
    vec3 c;
    c.x = along(ready, 0, m, a, h, rest, edge[0], out);
    c.y = along(ready, 1, m, a, h, rest, edge[1], out);
    c.z = along(ready, 2, m, a, h, rest, edge[2], out);
    if (count < SHL_LANES)
        store_empty(count, out);
    const vec3 e[3] = {{edge[0][0], edge[1][0], edge[2][0]},
                       {edge[0][1], edge[1][1], edge[2][1]},
                       {edge[0][2], edge[1][2], edge[2][2]}};
    store_slants(c, e, _mm256_add_ps(rest, _mm256_set1_ps(slack_of(ready))), slants);
}

// Lane which[k] of a row in lane k.
static inline __m256 pick(const float row[SHL_LANES], __m256i which)
{
    return _mm256_permutevar8x32_ps(_mm256_load_ps(row), which);
}

static inline vec3 pick3(const float rows[3][SHL_LANES], __m256i which)
{
    return (vec3){pick(rows[0], which), pick(rows[1], which), pick(rows[2], which)};
}

// Where a normal of a's lanes parts them from b's.
static inline __m256 parted(const shl_slants *a, __m256i i, const shl_slants *b, __m256i j,
                            vec3 d, __m256 round)
{
    const vec3 e[3] = {pick3(b->e[0], j), pick3(b->e[1], j), pick3(b->e[2], j)};
    const __m256 r = pick(b->r, j);
    __m256 any = _mm256_setzero_ps();
    for (int m = 0; m < 3; m++) {
        const vec3 n = pick3(a->n[m], i);
        __m256 sum = magnitude(dot(n, e[0]));
        sum = _mm256_add_ps(sum, magnitude(dot(n, e[1])));
        sum = _mm256_add_ps(sum, magnitude(dot(n, e[2])));
        sum = _mm256_add_ps(sum, _mm256_add_ps(pick(a->s[m], i), r));
        sum = _mm256_add_ps(_mm256_mul_ps(_mm256_set1_ps(SHL_SLANT_GROW), sum), round);
        any = _mm256_or_ps(any, _mm256_cmp_ps(magnitude(dot(n, d)), sum, _CMP_GT_OQ));
    }
    return any;
}

// Nodes a and b of pairs p to p + 3; one pair is 32 bytes.
static inline __m256i four_names(const shl_node_pair *p)
{
    const __m128i low = _mm_unpacklo_epi32(_mm_loadu_si64(p), _mm_loadu_si64(p + 1));
    const __m128i high = _mm_unpacklo_epi32(_mm_loadu_si64(p + 2), _mm_loadu_si64(p + 3));
    return _mm256_set_m128i(_mm_unpackhi_epi64(low, high), _mm_unpacklo_epi64(low, high));
}

uint32_t shl_slant_filter_avx2(const shl_slants *a, const shl_slants *b, uint32_t first_a,
                               uint32_t first_b, shl_node_pair *pairs, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t p = 0; p < count; p += 8) {
        const __m256i low = four_names(pairs + p), high = four_names(pairs + p + 4);
        const __m256i i = _mm256_sub_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                                           _mm256_set1_epi32((int)first_a));
        const __m256i j = _mm256_sub_epi32(_mm256_permute2x128_si256(low, high, 0x31),
                                           _mm256_set1_epi32((int)first_b));
        const vec3 from = pick3(a->c, i), to = pick3(b->c, j);
        const vec3 d = {_mm256_sub_ps(to.x, from.x), _mm256_sub_ps(to.y, from.y),
                        _mm256_sub_ps(to.z, from.z)};
        const __m256 round = _mm256_mul_ps(_mm256_set1_ps(SHL_SLANT_ROUND), size_of(d));
        const __m256 apart =
            _mm256_or_ps(parted(a, i, b, j, d, round), parted(b, j, a, i, d, round));
        uint32_t together = ~(uint32_t)_mm256_movemask_ps(apart) & 0xffu;
        if (count - p < 8)
            together &= (1u << (count - p)) - 1;
        for (; together; together &= together - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(together);
            const __m256i pair = _mm256_loadu_si256((const __m256i *)(pairs + p + lane));
            _mm256_storeu_si256((__m256i *)(pairs + kept++), pair);
        }
    }
    return kept;
}
