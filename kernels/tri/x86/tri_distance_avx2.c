// SPDX-License-Identifier: MIT
// Four pairs at a time, operation by operation as the reference does it.
#include "kernels/tri/tri_distance.h"

#include <float.h>
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 4, BATCH = 64 };

typedef __m256d v4;

typedef struct vec {
    v4 x, y, z;
} vec;

typedef struct corners {
    vec p[3], q[3];
} corners;

INLINE vec add(vec a, vec b)
{
    return (vec){_mm256_add_pd(a.x, b.x), _mm256_add_pd(a.y, b.y), _mm256_add_pd(a.z, b.z)};
}

INLINE vec sub(vec a, vec b)
{
    return (vec){_mm256_sub_pd(a.x, b.x), _mm256_sub_pd(a.y, b.y), _mm256_sub_pd(a.z, b.z)};
}

INLINE vec scaled(v4 s, vec a)
{
    return (vec){_mm256_mul_pd(s, a.x), _mm256_mul_pd(s, a.y), _mm256_mul_pd(s, a.z)};
}

INLINE v4 dot(vec a, vec b)
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(a.x, b.x), _mm256_mul_pd(a.y, b.y)),
                         _mm256_mul_pd(a.z, b.z));
}

INLINE v4 minor(v4 a, v4 b, v4 c, v4 d)
{
    return _mm256_sub_pd(_mm256_mul_pd(a, b), _mm256_mul_pd(c, d));
}

INLINE vec cross(vec a, vec b)
{
    return (vec){minor(a.y, b.z, a.z, b.y), minor(a.z, b.x, a.x, b.z),
                 minor(a.x, b.y, a.y, b.x)};
}

INLINE v4 clamped(v4 x, v4 top)
{
    return _mm256_max_pd(_mm256_min_pd(x, top), _mm256_setzero_pd());
}

INLINE v4 one(void)
{
    return _mm256_set1_pd(1);
}

INLINE v4 inverse(v4 square)
{
    return _mm256_div_pd(one(), _mm256_max_pd(square, _mm256_set1_pd(SHL_DISTANCE_LEAST)));
}

INLINE v4 size_of(v4 x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

// The nearest points so far, as the reference has them. Who reads the square alone pays for
// nothing else.
typedef struct best {
    v4 square;
    vec on_a, w;
} best;

INLINE vec chosen(v4 second, vec a, vec b)
{
    return (vec){_mm256_blendv_pd(a.x, b.x, second), _mm256_blendv_pd(a.y, b.y, second),
                 _mm256_blendv_pd(a.z, b.z, second)};
}

INLINE void offer(best *b, vec on_a, vec w)
{
    const v4 square = dot(w, w), less = _mm256_cmp_pd(square, b->square, _CMP_LT_OQ);
    b->on_a = chosen(less, b->on_a, on_a);
    b->w = chosen(less, b->w, w);
    b->square = _mm256_min_pd(square, b->square);
}

// Corner i of a, edge i of a and all of b.
INLINE void by_edges(const corners *c, int i, best *b)
{
    const vec u = sub(c->p[(i + 1) % 3], c->p[i]);
    const v4 uu = inverse(dot(u, u));
    const v4 minus_uu = _mm256_xor_pd(uu, _mm256_set1_pd(-0.0));
    for (int j = 0; j < 3; j++) {
        const vec v = sub(c->q[(j + 1) % 3], c->q[j]), r = sub(c->p[i], c->q[j]);
        const v4 vv = inverse(dot(v, v));
        const v4 on_v = clamped(_mm256_mul_pd(dot(r, v), vv), one());
        offer(b, c->p[i], sub(r, scaled(on_v, v)));

        const vec back = scaled(clamped(_mm256_mul_pd(dot(r, u), minus_uu), one()), u);
        offer(b, add(c->p[i], back), add(r, back));

        const vec n = cross(u, v);
        const v4 s = clamped(_mm256_mul_pd(dot(cross(v, r), n), inverse(dot(n, n))), one());
        const vec step = scaled(s, u), x = add(r, step);
        const v4 t = clamped(_mm256_mul_pd(dot(x, v), vv), one());
        offer(b, add(c->p[i], step), sub(x, scaled(t, v)));
    }
}

// Corners x of one triangle and the face t; `turn`: x is b.
INLINE void by_face(const vec t[3], const vec x[3], bool turn, best *b)
{
    const vec u = sub(t[1], t[0]), w = sub(t[2], t[0]), n = cross(u, w);
    const v4 uu = inverse(dot(u, u)), nn = inverse(dot(n, n));
    for (int i = 0; i < 3; i++) {
        const vec r = sub(x[i], t[0]);
        const v4 s = clamped(_mm256_mul_pd(dot(cross(u, r), n), nn), one());
        const vec at = sub(r, scaled(s, w));
        const v4 along = clamped(_mm256_mul_pd(dot(at, u), uu), _mm256_sub_pd(one(), s));
        const vec from = sub(at, scaled(along, u));
        offer(b, turn ? sub(x[i], from) : x[i], turn ? scaled(_mm256_set1_pd(-1), from) : from);
    }
}

// Nearest points of four pairs that do not overlap, their extent, and which of them the
// formulas cannot take.
INLINE int nearest_of(double columns[2][9][LANES], best *b, v4 *extent)
{
    corners c;
    *extent = _mm256_setzero_pd();
    const vec first = {_mm256_loadu_pd(columns[0][0]), _mm256_loadu_pd(columns[0][1]),
                       _mm256_loadu_pd(columns[0][2])};
    for (int i = 0; i < 6; i++) {
        double(*from)[LANES] = &columns[i / 3][i % 3 * 3];
        const vec at = sub(
            (vec){_mm256_loadu_pd(from[0]), _mm256_loadu_pd(from[1]), _mm256_loadu_pd(from[2])},
            first);
        *extent = _mm256_max_pd(size_of(at.x), *extent);
        *extent = _mm256_max_pd(size_of(at.y), *extent);
        *extent = _mm256_max_pd(size_of(at.z), *extent);
        *(i < 3 ? &c.p[i] : &c.q[i - 3]) = at;
    }
    b->square = _mm256_set1_pd(__builtin_inf());
    b->on_a = b->w = c.p[0];
    for (int i = 0; i < 3; i++)
        by_edges(&c, i, b);
    by_face(c.q, c.p, false, b);
    by_face(c.p, c.q, true, b);
    const v4 least = _mm256_set1_pd(SHL_DISTANCE_EXTENT_MIN),
             most = _mm256_set1_pd(SHL_DISTANCE_EXTENT_MAX);
    const v4 fit = _mm256_and_pd(_mm256_cmp_pd(*extent, least, _CMP_GE_OQ),
                                 _mm256_cmp_pd(*extent, most, _CMP_LE_OQ));
    return _mm256_movemask_pd(fit) ^ 15;
}

// 0 is for triangles that share a point.
INLINE v4 apart(v4 square)
{
    return _mm256_max_pd(_mm256_sqrt_pd(square), _mm256_set1_pd(DBL_TRUE_MIN));
}

// Distances of four pairs that do not overlap, and which of them the formulas cannot take.
INLINE int distance_of(double columns[2][9][LANES], double out[LANES])
{
    best b;
    v4 extent;
    const int odd = nearest_of(columns, &b, &extent);
    _mm256_storeu_pd(out, apart(b.square));
    return odd;
}

// Four pairs; the first one stands in for those beyond `rows`.
static void closest_of(const double (*a)[9], const double (*b)[9], uint32_t rows,
                       shl_closest *out)
{
    double columns[2][9][LANES], distance[LANES], error[LANES], points[6][LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
        for (int k = 0; k < 9; k++) {
            columns[0][k][lane] = a[lane < rows ? lane : 0][k];
            columns[1][k][lane] = b[lane < rows ? lane : 0][k];
        }
    }
    best n;
    v4 extent;
    const int odd = nearest_of(columns, &n, &extent);
    const vec first = {_mm256_loadu_pd(columns[0][0]), _mm256_loadu_pd(columns[0][1]),
                       _mm256_loadu_pd(columns[0][2])};
    const vec on_a = add(first, n.on_a), on_b = add(first, sub(n.on_a, n.w));
    const v4 parts[6] = {on_a.x, on_a.y, on_a.z, on_b.x, on_b.y, on_b.z};
    for (int k = 0; k < 6; k++)
        _mm256_storeu_pd(points[k], parts[k]);
    _mm256_storeu_pd(distance, apart(n.square));
    _mm256_storeu_pd(error,
                     _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(SHL_DISTANCE_ERROR), extent),
                                   _mm256_set1_pd(DBL_TRUE_MIN)));
    for (uint32_t lane = 0; lane < rows; lane++) {
        if (odd >> lane & 1 ||
            (shl_tri_boxes_meet(a[lane], b[lane]) && shl_tris_overlap(a[lane], b[lane]))) {
            shl_tri_closest(a[lane], b[lane], &out[lane]);
            continue;
        }
        out[lane].distance = distance[lane];
        out[lane].error = error[lane];
        for (int k = 0; k < 3; k++) {
            out[lane].on_a[k] = points[k][lane];
            out[lane].on_b[k] = points[3 + k][lane];
        }
    }
}

void shl_tri_closest_rows_avx2(const double (*a)[9], const double (*b)[9], uint32_t count,
                               shl_closest *out)
{
    for (uint32_t i = 0; i < count; i += LANES)
        closest_of(a + i, b + i, count - i < LANES ? count - i : LANES, out + i);
}

// At most BATCH pairs.
static void distances(const shl_tri_side *a, const shl_tri_side *b, const shl_tri_pair *pairs,
                      uint32_t count, double *distance, uint64_t *exact_count)
{
    shl_tri_pair near[BATCH];
    uint32_t at[BATCH], near_count = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        const uint32_t rows = count - i < LANES ? count - i : LANES;
        double columns[2][9][LANES], out[LANES], p[LANES][9], q[LANES][9];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const shl_tri_pair pair = pairs[i + (lane < rows ? lane : 0)];
            shl_tri_corners(a, pair.a, p[lane]);
            shl_tri_corners(b, pair.b, q[lane]);
            for (int k = 0; k < 9; k++) {
                columns[0][k][lane] = p[lane][k];
                columns[1][k][lane] = q[lane][k];
            }
        }
        const int odd = distance_of(columns, out);
        for (uint32_t lane = 0; lane < rows; lane++) {
            distance[i + lane] =
                odd >> lane & 1 ? shl_tri_distance_apart(p[lane], q[lane]) : out[lane];
            at[near_count] = i + lane;
            near[near_count] = pairs[i + lane];
            near_count += shl_tri_boxes_meet(p[lane], q[lane]);
        }
    }
    shl_tri_pair touching[BATCH];
    const uint32_t n = shl_tri_overlap_avx2(a, b, near, near_count, touching, exact_count);
    for (uint32_t i = 0, k = 0; i < near_count && k < n; i++) {
        if (near[i].a != touching[k].a || near[i].b != touching[k].b)
            continue;
        distance[at[i]] = 0;
        k++;
    }
}

void shl_tri_distance_avx2(const shl_tri_side *a, const shl_tri_side *b,
                           const shl_tri_pair *pairs, uint32_t count, double *distance,
                           uint64_t *exact_count)
{
    for (uint32_t i = 0; i < count; i += BATCH)
        distances(a, b, pairs + i, count - i < BATCH ? count - i : BATCH, distance + i,
                  exact_count);
}
