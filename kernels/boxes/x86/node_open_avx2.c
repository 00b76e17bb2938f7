// SPDX-License-Identifier: MIT
#include "kernels/boxes/node_open.h"

#include "kernels/boxes/x86/vertex_box_avx2.h"

// Boxes of up to eight children as rows x y z ., to become the block's columns.
typedef struct rows {
    __m128 lo[SHL_LANES], hi[SHL_LANES];
} rows;

static inline void transpose_store(const __m128 in[SHL_LANES], float out[3][SHL_LANES])
{
    for (int half = 0; half < SHL_LANES; half += 4) {
        __m128 r0 = in[half], r1 = in[half + 1], r2 = in[half + 2], r3 = in[half + 3];
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        _mm_store_ps(&out[0][half], r0);
        _mm_store_ps(&out[1][half], r1);
        _mm_store_ps(&out[2][half], r2);
    }
}

static void store_some(const rows *r, uint32_t skip, shl_block *out)
{
    shl_block all;
    transpose_store(r->lo, all.lo);
    transpose_store(r->hi, all.hi);
    for (int k = 0; k < 3; k++) {
        for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
            if (skip >> lane & 1)
                continue;
            out->lo[k][lane] = all.lo[k][lane];
            out->hi[k][lane] = all.hi[k][lane];
        }
    }
}

static inline void store(rows *r, uint32_t count, uint32_t skip, shl_block *out)
{
    for (uint32_t lane = count; lane < SHL_LANES; lane++) {
        r->lo[lane] = _mm_set1_ps(__builtin_inff());
        r->hi[lane] = _mm_set1_ps(-__builtin_inff());
    }
    if (skip) {
        store_some(r, skip, out);
        return;
    }
    transpose_store(r->lo, out->lo);
    transpose_store(r->hi, out->hi);
}

// Does any listed vertex stand last in the array? Lists ascend.
static inline bool inner_list(const shl_tree *t, const uint32_t *list, uint32_t count)
{
    return count == 0 || list[count - 1] + 1 < t->vertex_count;
}

static inline shl_extent_f32 extent_node_f32(const shl_tree *t, const float *xyz, uint32_t row,
                                             bool *finite)
{
    const uint32_t *list = t->list + t->list_begin[row];
    const uint32_t count = t->list_begin[row + 1] - t->list_begin[row];
    shl_extent_f32 r = shl_extent_none_f32();
    if (!t->leaf[row]) {
        r = shl_extent_range_f32(xyz, t->vertex_begin[row], t->vertex_end[row]);
        *finite &= shl_extent_finite_f32(&r);
    }
    if (inner_list(t, list, count))
        shl_extent_list_f32(&r, xyz, list, count, true);
    else
        shl_extent_list_f32(&r, xyz, list, count, false);
    return r;
}

static inline shl_extent_f64 extent_node_f64(const shl_tree *t, const double *xyz, uint32_t row,
                                             bool *finite)
{
    const uint32_t *list = t->list + t->list_begin[row];
    const uint32_t count = t->list_begin[row + 1] - t->list_begin[row];
    shl_extent_f64 r = shl_extent_none_f64();
    if (!t->leaf[row]) {
        r = shl_extent_range_f64(xyz, t->vertex_begin[row], t->vertex_end[row]);
        *finite &= shl_extent_finite_f64(&r);
    }
    if (inner_list(t, list, count))
        shl_extent_list_f64(&r, xyz, list, count, true);
    else
        shl_extent_list_f64(&r, xyz, list, count, false);
    return r;
}

static inline shl_extent_f32 extent_tri_f32(const shl_tri *tri, const float *xyz)
{
    const __m128 a = shl_load_f32(xyz, tri->v[0]), b = shl_load_f32(xyz, tri->v[1]);
    const __m128 c = shl_load_f32(xyz, tri->v[2]);
    return (shl_extent_f32){_mm_min_ps(_mm_min_ps(a, b), c), _mm_max_ps(_mm_max_ps(a, b), c),
                            _mm_setzero_ps()};
}

static inline shl_extent_f64 extent_tri_f64(const shl_tri *tri, const double *xyz)
{
    const __m256d a = shl_load_f64(xyz, tri->v[0]), b = shl_load_f64(xyz, tri->v[1]);
    const __m256d c = shl_load_f64(xyz, tri->v[2]);
    return (shl_extent_f64){_mm256_min_pd(_mm256_min_pd(a, b), c),
                            _mm256_max_pd(_mm256_max_pd(a, b), c), _mm256_setzero_pd()};
}

// May every vertex of an inner node be read with a load that touches the scalar behind it?
static inline bool loads_stay_inside(const shl_tree *t, uint32_t node)
{
    const uint32_t end = t->list_begin[node + 1], last = t->vertex_count - 1;
    return t->vertex_end[node] <= last &&
           (end == t->list_begin[node] || t->list[end - 1] < last);
}

// Columns of eight boxes. A row holds the box of a lane and that of the lane four further on.
static inline void columns_store(const __m256 r[4], const __m256 unused, __m256 empty,
                                 float out[3][SHL_LANES])
{
    const __m256 xy01 = _mm256_unpacklo_ps(r[0], r[1]), xy23 = _mm256_unpacklo_ps(r[2], r[3]);
    const __m256 z01 = _mm256_unpackhi_ps(r[0], r[1]), z23 = _mm256_unpackhi_ps(r[2], r[3]);
    const __m256 columns[3] = {_mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0)),
                               _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2)),
                               _mm256_shuffle_ps(z01, z23, _MM_SHUFFLE(1, 0, 1, 0))};
    for (int k = 0; k < 3; k++) // -0 becomes +0
        _mm256_store_ps(out[k], _mm256_blendv_ps(_mm256_add_ps(columns[k], _mm256_setzero_ps()),
                                                 empty, unused));
}

static inline __m256 lanes_from(uint32_t count)
{
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                                  _mm256_set1_epi32((int)count - 1)));
}

// Of patches of eight triangles, two in a hundred have more vertices.
enum { OFTEN_ENOUGH = 10 };
_Static_assert((int)OFTEN_ENOUGH <= (int)SHL_LEAF_LIST_MIN, "every list has so many rows");

// The box of a leaf, in two parts.
static inline void extent_leaf(const float *xyz, const uint32_t *list, const uint32_t *end,
                               __m256 *lo, __m256 *hi)
{
    __m256 v[OFTEN_ENOUGH / 2];
    for (int k = 0; k < OFTEN_ENOUGH / 2; k++)
        v[k] = shl_load_two(xyz, list[2 * k], list[2 * k + 1]);
    *lo = *hi = v[0];
    for (int k = 1; k < OFTEN_ENOUGH / 2; k++) {
        *lo = _mm256_min_ps(*lo, v[k]);
        *hi = _mm256_max_ps(*hi, v[k]);
    }
    if (__builtin_expect(list[OFTEN_ENOUGH - 1] == end[-1], 1)) // only repeats from here on
        return;
    for (list += OFTEN_ENOUGH; list < end; list += 2) {
        v[0] = shl_load_two(xyz, list[0], list[1]);
        *lo = _mm256_min_ps(*lo, v[0]);
        *hi = _mm256_max_ps(*hi, v[0]);
    }
}

// Lanes beyond the last repeat it until the end, so that nothing depends on how many there are.
static inline __attribute__((always_inline)) void
open_some_leaves_f32(const shl_tree *t, const float *xyz, uint32_t node, uint32_t last,
                     shl_block *out)
{
    const uint32_t *begin = t->list_begin + t->first[node];
    __m256 lo[4], hi[4];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t a = i < last ? i : last, b = i + 4 < last ? i + 4 : last;
        __m256 lo_a, hi_a, lo_b, hi_b;
        extent_leaf(xyz, t->list + begin[a], t->list + begin[a + 1], &lo_a, &hi_a);
        extent_leaf(xyz, t->list + begin[b], t->list + begin[b + 1], &lo_b, &hi_b);
        lo[i] = _mm256_min_ps(_mm256_permute2f128_ps(lo_a, lo_b, 0x20),
                              _mm256_permute2f128_ps(lo_a, lo_b, 0x31));
        hi[i] = _mm256_max_ps(_mm256_permute2f128_ps(hi_a, hi_b, 0x20),
                              _mm256_permute2f128_ps(hi_a, hi_b, 0x31));
    }
    const __m256 unused = lanes_from(last + 1);
    columns_store(lo, unused, _mm256_set1_ps(__builtin_inff()), out->lo);
    columns_store(hi, unused, _mm256_set1_ps(-__builtin_inff()), out->hi);
}

// The case that counts when all boxes are refreshed: leaves, eight of them in most nodes.
static bool open_leaves_f32(const shl_tree *t, const float *xyz, uint32_t node, shl_block *out)
{
    const uint32_t last = t->count[node] - 1u;
    if (__builtin_expect(last == SHL_LANES - 1, 1))
        open_some_leaves_f32(t, xyz, node, SHL_LANES - 1, out);
    else
        open_some_leaves_f32(t, xyz, node, last, out);
    return true;
}

// The case that counts during the search: the triangles of a leaf, with lanes as above.
static void open_triangles_f32(const shl_tree *t, const float *xyz, uint32_t node,
                               shl_block *out)
{
    const uint32_t last = t->count[node] - 1u;
    const shl_tri *tri = t->tri + t->first[node];
    __m256 lo[4], hi[4];
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *v = tri[i < last ? i : last].v, *w = tri[i + 4 < last ? i + 4 : last].v;
        const __m256 a = shl_load_two(xyz, v[0], w[0]), b = shl_load_two(xyz, v[1], w[1]);
        const __m256 c = shl_load_two(xyz, v[2], w[2]);
        lo[i] = _mm256_min_ps(_mm256_min_ps(a, b), c);
        hi[i] = _mm256_max_ps(_mm256_max_ps(a, b), c);
    }
    const __m256 unused = lanes_from(last + 1);
    columns_store(lo, unused, _mm256_set1_ps(__builtin_inff()), out->lo);
    columns_store(hi, unused, _mm256_set1_ps(-__builtin_inff()), out->hi);
}

bool shl_node_open_f32_avx2(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                            shl_block *out)
{
    const uint32_t first = tree->first[node], count = tree->count[node];
    const bool leaf = tree->leaf[node];
    if (leaf && !skip && first + count <= tree->last_named) {
        open_triangles_f32(tree, xyz, node, out);
        return true;
    }
    if (!leaf && !skip && !tree->inner[node] && loads_stay_inside(tree, node))
        return open_leaves_f32(tree, xyz, node, out);
    rows r;
    bool finite = true;
    for (uint32_t lane = 0; lane < count; lane++) {
        if (skip >> lane & 1)
            continue;
        const shl_extent_f32 box = leaf ? extent_tri_f32(&tree->tri[first + lane], xyz)
                                        : extent_node_f32(tree, xyz, first + lane, &finite);
        r.lo[lane] = _mm_add_ps(box.lo, _mm_setzero_ps()); // -0 becomes +0
        r.hi[lane] = _mm_add_ps(box.hi, _mm_setzero_ps());
    }
    store(&r, count, skip, out);
    return finite;
}

bool shl_node_open_f64_avx2(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                            shl_block *out)
{
    const uint32_t first = tree->first[node], count = tree->count[node];
    const bool leaf = tree->leaf[node];
    rows r;
    bool finite = true;
    for (uint32_t lane = 0; lane < count; lane++) {
        if (skip >> lane & 1)
            continue;
        const shl_extent_f64 box = leaf ? extent_tri_f64(&tree->tri[first + lane], xyz)
                                        : extent_node_f64(tree, xyz, first + lane, &finite);
        r.lo[lane] = shl_round_down_avx2(box.lo);
        r.hi[lane] = shl_round_up_avx2(box.hi);
    }
    store(&r, count, skip, out);
    return finite;
}
