// SPDX-License-Identifier: MIT
#include "kernels/boxes/leaf.h"

#include "kernels/tri/x86/tri_filter_avx2.h"

#include <string.h>

// Without `inner` nothing past a vertex is read.
INLINE __m128 load_vertex(const float *xyz, uint32_t row, bool inner)
{
    const float *at = xyz + 3 * (size_t)row;
    return inner ? _mm_loadu_ps(at) : _mm_maskload_ps(at, _mm_setr_epi32(-1, -1, -1, 0));
}

// Corner i of eight triangles, one a lane.
INLINE vec load_corner(const float *xyz, const shl_tri *const tri[SHL_LANES], int i, bool inner)
{
    __m256 r[4];
    for (int l = 0; l < 4; l++)
        r[l] = _mm256_set_m128(load_vertex(xyz, tri[l + 4]->v[i], inner),
                               load_vertex(xyz, tri[l]->v[i], inner));
    const __m256 xy01 = _mm256_unpacklo_ps(r[0], r[1]), xy23 = _mm256_unpacklo_ps(r[2], r[3]);
    const __m256 z01 = _mm256_unpackhi_ps(r[0], r[1]), z23 = _mm256_unpackhi_ps(r[2], r[3]);
    return (vec){_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0)),
                 _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2)),
                 _mm256_shuffle_ps(z01, z23, _MM_SHUFFLE(1, 0, 1, 0))};
}

INLINE __m256i two_rows(const shl_tri *low, const shl_tri *high)
{
    return _mm256_set_m128i(_mm_loadu_si128((const __m128i *)high),
                            _mm_loadu_si128((const __m128i *)low));
}

INLINE void store_vertices(const shl_tri *const tri[SHL_LANES], uint32_t out[3][SHL_LANES])
{
    const __m256i r04 = two_rows(tri[0], tri[4]), r15 = two_rows(tri[1], tri[5]);
    const __m256i r26 = two_rows(tri[2], tri[6]), r37 = two_rows(tri[3], tri[7]);
    const __m256i v01_0145 = _mm256_unpacklo_epi32(r04, r15);
    const __m256i v01_2367 = _mm256_unpacklo_epi32(r26, r37);
    const __m256i v2_0145 = _mm256_unpackhi_epi32(r04, r15);
    const __m256i v2_2367 = _mm256_unpackhi_epi32(r26, r37);
    _mm256_storeu_si256((__m256i *)out[0], _mm256_unpacklo_epi64(v01_0145, v01_2367));
    _mm256_storeu_si256((__m256i *)out[1], _mm256_unpackhi_epi64(v01_0145, v01_2367));
    _mm256_storeu_si256((__m256i *)out[2], _mm256_unpacklo_epi64(v2_0145, v2_2367));
}

INLINE __m256i steps(__m256 x, __m256 origin, __m256 scale)
{
    const __m256 at = _mm256_mul_ps(_mm256_sub_ps(x, origin), scale);
    const __m256 low = _mm256_max_ps(at, _mm256_setzero_ps()); // NaN becomes 0
    return _mm256_cvttps_epi32(_mm256_min_ps(low, _mm256_set1_ps((float)SHL_GRID_MAX)));
}

// Smallest and largest of three in steps of the grid.
INLINE void store_box(__m256 a, __m256 b, __m256 c, __m256i unused, float origin, float scale,
                      uint16_t out[2][SHL_LANES])
{
    const __m256 from = _mm256_set1_ps(origin), by = _mm256_set1_ps(scale);
    __m256i lo = steps(_mm256_min_ps(_mm256_min_ps(a, b), c), from, by);
    __m256i hi = steps(_mm256_max_ps(_mm256_max_ps(a, b), c), from, by);
    lo = _mm256_blendv_epi8(lo, _mm256_set1_epi32(SHL_GRID_MAX + 1), unused);
    hi = _mm256_andnot_si256(unused, hi);
    const __m256i both = _mm256_packus_epi32(lo, hi);
    _mm256_storeu_si256((__m256i *)out, _mm256_permute4x64_epi64(both, 0xd8));
}

INLINE void open_leaf(const shl_tree *tree, const float *xyz, uint32_t leaf,
                      const shl_lattice *grid, bool inner, shl_leaf_tris *out)
{
    const uint32_t last = tree->count[leaf] - 1u;
    out->first = tree->first[leaf];
    const shl_tri *tri[SHL_LANES];
    for (uint32_t lane = 0; lane < SHL_LANES; lane++)
        tri[lane] = &tree->tri[out->first + (lane < last ? lane : last)];
    const vec p = load_corner(xyz, tri, 0, inner), q = load_corner(xyz, tri, 1, inner);
    const vec r = load_corner(xyz, tri, 2, inner);
    const vec corner[3] = {p, q, r};
    for (int i = 0; i < 3; i++) {
        _mm256_store_ps(out->corner[i][0], corner[i].x);
        _mm256_store_ps(out->corner[i][1], corner[i].y);
        _mm256_store_ps(out->corner[i][2], corner[i].z);
    }
    const __m256i unused = _mm256_cmpgt_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                              _mm256_set1_epi32((int)last));
    store_box(p.x, q.x, r.x, unused, grid->origin[0], grid->scale[0], out->box[0]);
    store_box(p.y, q.y, r.y, unused, grid->origin[1], grid->scale[1], out->box[1]);
    store_box(p.z, q.z, r.z, unused, grid->origin[2], grid->scale[2], out->box[2]);
    store_vertices(tri, out->vertex);
}

void shl_leaf_open_avx2(const shl_tree *tree, const float *xyz, uint32_t leaf,
                        const shl_lattice *grid, shl_leaf_tris *out)
{
    if (tree->first[leaf] + tree->count[leaf] <= tree->last_named)
        open_leaf(tree, xyz, leaf, grid, true, out);
    else
        open_leaf(tree, xyz, leaf, grid, false, out);
}

// Eight steps in both halves.
INLINE __m256i twice(const uint16_t lanes[SHL_LANES])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)lanes));
}

// Lane i of eight steps in all lanes of the lower half, lane j in those of the upper.
INLINE __m256i spread(__m256i lanes, int i, int j)
{
    return _mm256_shuffle_epi8(
        lanes, _mm256_set_m128i(_mm_set1_epi16((short)((2 * j + 1) << 8 | 2 * j)),
                                _mm_set1_epi16((short)((2 * i + 1) << 8 | 2 * i))));
}

// Words that are all ones where lane i or j of a overlaps a lane of b.
INLINE __m256i meet_two(const shl_leaf_tris *a, const shl_leaf_tris *b, int i, int j)
{
    __m256i beyond = _mm256_setzero_si256();
    for (int k = 0; k < 3; k++) {
        const __m256i lo_a = spread(twice(a->box[k][0]), i, j);
        const __m256i hi_a = spread(twice(a->box[k][1]), i, j);
        beyond = _mm256_or_si256(beyond, _mm256_subs_epu16(lo_a, twice(b->box[k][1])));
        beyond = _mm256_or_si256(beyond, _mm256_subs_epu16(twice(b->box[k][0]), hi_a));
    }
    return _mm256_cmpeq_epi16(beyond, _mm256_setzero_si256());
}

// Bit 8 i + j, for four lanes i of a from `first` on.
INLINE uint64_t meet_four(const shl_leaf_tris *a, const shl_leaf_tris *b, int first)
{
    const __m256i even = meet_two(a, b, first, first + 2);
    const __m256i odd = meet_two(a, b, first + 1, first + 3);
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(even, odd));
}

// Lanes of b that share a vertex with lane i of a.
INLINE uint32_t kin_lane(const shl_leaf_tris *b, const shl_leaf_tris *a, uint32_t i)
{
    __m256i any = _mm256_setzero_si256();
    for (int x = 0; x < 3; x++) {
        const __m256i own = _mm256_set1_epi32((int)a->vertex[x][i]);
        for (int y = 0; y < 3; y++)
            any = _mm256_or_si256(
                any,
                _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)b->vertex[y]), own));
    }
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(any));
}

// Adds up to eight pairs; byte k of `slots` is 8 * lane of a + lane of b.
INLINE void add_pairs(const shl_leaf_tris *a, const shl_leaf_tris *b, uint64_t slots,
                      shl_tri_columns *out, uint32_t at)
{
    const __m256i slot = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)slots));
    const __m256i of_a = _mm256_srli_epi32(slot, 3); // permutes look at the last three bits
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            _mm256_storeu_ps(&out->corner[0][i][k][at],
                             _mm256_permutevar8x32_ps(_mm256_load_ps(a->corner[i][k]), of_a));
            _mm256_storeu_ps(&out->corner[1][i][k][at],
                             _mm256_permutevar8x32_ps(_mm256_load_ps(b->corner[i][k]), slot));
        }
    }
    const __m256i row_a = _mm256_add_epi32(of_a, _mm256_set1_epi32((int)a->first));
    const __m256i row_b =
        _mm256_add_epi32(_mm256_and_si256(slot, _mm256_set1_epi32(SHL_LANES - 1)),
                         _mm256_set1_epi32((int)b->first));
    const __m256i low = _mm256_unpacklo_epi32(row_a, row_b);
    const __m256i high = _mm256_unpackhi_epi32(row_a, row_b);
    _mm256_storeu_si256((__m256i *)&out->row[at], _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)&out->row[at + 4],
                        _mm256_permute2x128_si256(low, high, 0x31));
}

uint32_t shl_leaf_pairs_avx2(const shl_leaf_tris *a, const shl_leaf_tris *b, uint32_t kind,
                             shl_tri_columns *out, uint32_t count)
{
    uint8_t slots[SHL_LANES * SHL_LANES + SHL_LANES];
    uint64_t all = meet_four(a, b, 0) | meet_four(a, b, 4) << 32;
    if (kind & SHL_LEAF_SELF)
        all &= 0x0080c0e0f0f8fcfeu; // lanes above
    uint32_t n = 0;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < SHL_LANES; i++) {
        uint32_t hits = all >> SHL_LANES * i & 255;
        if (kind & SHL_LEAF_NONADJACENT && hits)
            hits &= ~kin_lane(b, a, i);
        const uint64_t lanes = shl_lane_list[hits] + 0x0808080808080808u * i;
        memcpy(slots + n, &lanes, sizeof lanes);
        n += (uint32_t)__builtin_popcount(hits);
    }
    for (uint32_t k = 0; k < n; k += SHL_LANES) {
        uint64_t eight;
        memcpy(&eight, slots + k, sizeof eight);
        add_pairs(a, b, eight, out, count + k);
    }
    return count + n;
}

INLINE vec load_column(const shl_tri_columns *columns, int side, int i, uint32_t at)
{
    return (vec){_mm256_load_ps(&columns->corner[side][i][0][at]),
                 _mm256_load_ps(&columns->corner[side][i][1][at]),
                 _mm256_load_ps(&columns->corner[side][i][2][at])};
}

uint32_t shl_tri_columns_avx2(const shl_tri_columns *columns, uint32_t count,
                              const shl_tri_side *a, const shl_tri_side *b, shl_tri_pair *out,
                              uint64_t *exact_count)
{
    shl_tri_pair *end = out;
    for (uint32_t i = 0; i < count; i += LANES) {
        const vec pa = load_column(columns, 0, 0, i);
        const corners c = {
            sub(load_column(columns, 0, 1, i), pa), sub(load_column(columns, 0, 2, i), pa),
            sub(load_column(columns, 1, 0, i), pa), sub(load_column(columns, 1, 1, i), pa),
            sub(load_column(columns, 1, 2, i), pa)};
        uint32_t unsure, left = count - i < LANES ? count - i : LANES;
        uint32_t meet = decide(c, &columns->rounding, &unsure);
        const uint32_t real = (1u << left) - 1;
        meet &= real;
        if (__builtin_expect((unsure & real) != 0, 0)) {
            end += append_decided(a, b, columns->row + i, left, meet, unsure, end, exact_count);
            continue;
        }
        const __m256i *row = (const __m256i *)(columns->row + i);
        end = append_four(_mm256_loadu_si256(row + 1), meet >> 4,
                          append_four(_mm256_loadu_si256(row), meet & 15, end));
    }
    return (uint32_t)(end - out);
}
