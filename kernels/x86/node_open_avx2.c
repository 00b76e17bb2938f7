// SPDX-License-Identifier: MIT
#include "kernels/node_open.h"

#include "kernels/x86/vertex_box_avx2.h"

// Boxes of up to eight children as rows x y z ., to become the block's columns.
typedef struct rows {
    __m128 lo[SHL_LANES], hi[SHL_LANES];
} rows;

static void transpose_store(const __m128 in[SHL_LANES], float out[3][SHL_LANES])
{
    for (int half = 0; half < SHL_LANES; half += 4) {
        __m128 r0 = in[half], r1 = in[half + 1], r2 = in[half + 2], r3 = in[half + 3];
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        _mm_store_ps(&out[0][half], r0);
        _mm_store_ps(&out[1][half], r1);
        _mm_store_ps(&out[2][half], r2);
    }
}

static void store_lanes(const rows *r, uint32_t skip, shl_block *out)
{
    if (!skip) {
        transpose_store(r->lo, out->lo);
        transpose_store(r->hi, out->hi);
        return;
    }
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

static shl_reach_f32 reach_node_f32(const shl_tree *t, const float *xyz, uint32_t row)
{
    const uint32_t begin = t->list_begin[row], count = t->list_begin[row + 1] - begin;
    shl_reach_f32 r = t->leaf[row]
                          ? shl_reach_none_f32()
                          : shl_reach_range_f32(xyz, t->vertex_begin[row], t->vertex_end[row]);
    shl_reach_list_f32(&r, xyz, t->list + begin, count);
    return r;
}

static shl_reach_f64 reach_node_f64(const shl_tree *t, const double *xyz, uint32_t row)
{
    const uint32_t begin = t->list_begin[row], count = t->list_begin[row + 1] - begin;
    shl_reach_f64 r = t->leaf[row]
                          ? shl_reach_none_f64()
                          : shl_reach_range_f64(xyz, t->vertex_begin[row], t->vertex_end[row]);
    shl_reach_list_f64(&r, xyz, t->list + begin, count);
    return r;
}

static shl_reach_f32 reach_tri_f32(const shl_tri *tri, const float *xyz)
{
    const __m128 a = shl_load_f32(xyz, tri->v[0]), b = shl_load_f32(xyz, tri->v[1]);
    const __m128 c = shl_load_f32(xyz, tri->v[2]);
    return (shl_reach_f32){_mm_min_ps(_mm_min_ps(a, b), c), _mm_max_ps(_mm_max_ps(a, b), c),
                           _mm_or_ps(_mm_cmpunord_ps(a, b), _mm_cmpunord_ps(c, c))};
}

static shl_reach_f64 reach_tri_f64(const shl_tri *tri, const double *xyz)
{
    const __m256d a = shl_load_f64(xyz, tri->v[0]), b = shl_load_f64(xyz, tri->v[1]);
    const __m256d c = shl_load_f64(xyz, tri->v[2]);
    return (shl_reach_f64){
        _mm256_min_pd(_mm256_min_pd(a, b), c), _mm256_max_pd(_mm256_max_pd(a, b), c),
        _mm256_or_pd(_mm256_cmp_pd(a, b, _CMP_UNORD_Q), _mm256_cmp_pd(c, c, _CMP_UNORD_Q))};
}

static rows no_rows(void)
{
    rows r;
    for (int lane = 0; lane < SHL_LANES; lane++) {
        r.lo[lane] = _mm_set1_ps(__builtin_inff());
        r.hi[lane] = _mm_set1_ps(-__builtin_inff());
    }
    return r;
}

bool shl_node_open_f32_avx2(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                            shl_block *out)
{
    const uint32_t first = tree->first[node], count = tree->count[node];
    const bool leaf = tree->leaf[node];
    rows r = no_rows();
    bool finite = true;
    for (uint32_t lane = 0; lane < count; lane++) {
        if (skip >> lane & 1)
            continue;
        const shl_reach_f32 box = leaf ? reach_tri_f32(&tree->tri[first + lane], xyz)
                                       : reach_node_f32(tree, xyz, first + lane);
        r.lo[lane] = _mm_add_ps(box.lo, _mm_setzero_ps()); // -0 becomes +0
        r.hi[lane] = _mm_add_ps(box.hi, _mm_setzero_ps());
        finite &= shl_reach_finite_f32(&box);
    }
    store_lanes(&r, skip, out);
    return finite;
}

bool shl_node_open_f64_avx2(const shl_tree *tree, const void *xyz, uint32_t node, uint32_t skip,
                            shl_block *out)
{
    const uint32_t first = tree->first[node], count = tree->count[node];
    const bool leaf = tree->leaf[node];
    rows r = no_rows();
    bool finite = true;
    for (uint32_t lane = 0; lane < count; lane++) {
        if (skip >> lane & 1)
            continue;
        const shl_reach_f64 box = leaf ? reach_tri_f64(&tree->tri[first + lane], xyz)
                                       : reach_node_f64(tree, xyz, first + lane);
        r.lo[lane] = shl_round_down_avx2(box.lo);
        r.hi[lane] = shl_round_up_avx2(box.hi);
        finite &= shl_reach_finite_f64(&box);
    }
    store_lanes(&r, skip, out);
    return finite;
}
