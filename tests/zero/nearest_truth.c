// SPDX-License-Identifier: MIT
#include "nearest_truth.h"

#include "kernels/tri/tri_distance.h"
#include "tri_far.h"

#include <math.h>

static double distance_of(const shape *a, uint32_t i, const shape *b, uint32_t k)
{
    double corners[2][9];
    for (int c = 0; c < 9; c++) {
        corners[0][c] = a->xyz[3 * (size_t)a->tri[3 * i + (uint32_t)c / 3] + (size_t)c % 3];
        corners[1][c] = b->xyz[3 * (size_t)b->tri[3 * k + (uint32_t)c / 3] + (size_t)c % 3];
    }
    static const shl_tri whole = {{0, 1, 2}, 0};
    const shl_tri_side x = {corners[0], &whole, SHOAL_F64}, y = {corners[1], &whole, SHOAL_F64};
    const shl_tri_pair pair = {0, 0};
    double out = NAN;
    uint64_t exact = 0;
    shl_tri_distance_ref(&x, &y, &pair, 1, &out, &exact);
    return out;
}

// a's number is not above b's; within a body the lower triangle first.
static double ordered_distance(const shape *a, uint32_t i, const shape *b, uint32_t k)
{
    const bool turn = a->number > b->number || (a == b && i > k);
    return turn ? distance_of(b, k, a, i) : distance_of(a, i, b, k);
}

static bool are_adjacent(const shape *s, uint32_t i, uint32_t k)
{
    for (int c = 0; c < 9; c++) {
        if (s->tri[3 * i + (uint32_t)c / 3] == s->tri[3 * k + (uint32_t)c % 3])
            return true;
    }
    return false;
}

static const shoal_nearest none = {SHOAL_NONE, SHOAL_NONE, SHOAL_NONE, SHOAL_NONE,
                                   INFINITY,   0,          {0},        {0}};

static bool same(const shoal_nearest *x, const shoal_nearest *y)
{
    return x->body_a == y->body_a && x->triangle_a == y->triangle_a && x->body_b == y->body_b &&
           x->triangle_b == y->triangle_b && x->distance == y->distance;
}

// Of two bodies, a's number below b's.
static shoal_nearest nearest_of(const shape *a, const shape *b)
{
    shoal_nearest best = none;
    for (uint32_t i = 0; i < a->triangle_count; i++) {
        for (uint32_t k = 0; k < b->triangle_count; k++) {
            const double d = distance_of(a, i, b, k);
            if (d < best.distance || best.body_a == SHOAL_NONE)
                best = (shoal_nearest){a->number, i, b->number, k, d, 0, {0}, {0}};
        }
    }
    return best;
}

static const char *bodies_fault(const shape *s, uint32_t count, double within,
                                const shoal_scene *scene, const rules *who)
{
    const shoal_nearest_rows found_nearest = shoal_scene_nearest(scene);
    const shoal_nearest_rows found_within = shoal_scene_within(scene);
    size_t rows = 0, pairs = 0;
    for (uint32_t i = 0; i < count; i++) {
        shoal_nearest best = none;
        best.body_a = s[i].number;
        for (uint32_t k = 0; k < count && s[i].there; k++) {
            if (i == k || !s[k].there || !rules_meet(who, s[i].number, s[k].number))
                continue;
            shoal_nearest pair = i < k ? nearest_of(&s[i], &s[k]) : nearest_of(&s[k], &s[i]);
            if (i < k && pair.distance <= within) {
                if (pairs >= found_within.count || !same(&found_within.rows[pairs++], &pair))
                    return "pairs within a distance";
            }
            if (i > k)
                pair = (shoal_nearest){pair.body_b,   pair.triangle_b,
                                       pair.body_a,   pair.triangle_a,
                                       pair.distance, 0,
                                       {0},           {0}};
            if (pair.distance < best.distance || best.body_b == SHOAL_NONE)
                best = pair;
        }
        if (s[i].there &&
            (rows >= found_nearest.count || !same(&found_nearest.rows[rows++], &best)))
            return "the nearest body";
    }
    return rows != found_nearest.count   ? "too many nearest bodies"
           : pairs != found_within.count ? "too many pairs within a distance"
                                         : NULL;
}

static const char *triangles_fault(const shape *s, uint32_t count, const shoal_scene *scene,
                                   const rules *who)
{
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(scene);
    const shoal_nearest_rows own = shoal_scene_nearest_self(scene);
    size_t row = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t t = 0; t < s[i].triangle_count && s[i].there; t++, row++) {
            shoal_nearest best[2] = {none, none};
            for (int q = 0; q < 2; q++) {
                best[q].body_a = s[i].number;
                best[q].triangle_a = t;
            }
            for (uint32_t k = 0; k < count; k++) {
                for (uint32_t u = 0; u < s[k].triangle_count && s[k].there; u++) {
                    const int q = i == k;
                    if (q ? are_adjacent(&s[i], t, u)
                          : !rules_meet(who, s[i].number, s[k].number))
                        continue;
                    const double d = ordered_distance(&s[i], t, &s[k], u);
                    if (d < best[q].distance || best[q].body_b == SHOAL_NONE)
                        best[q] =
                            (shoal_nearest){s[i].number, t, s[k].number, u, d, 0, {0}, {0}};
                }
            }
            if (row >= tris.count || !same(&tris.rows[row], &best[0]))
                return "the nearest triangle of another body";
            if (row >= own.count || !same(&own.rows[row], &best[1]))
                return "the nearest triangle of the same body";
        }
    }
    return row != tris.count || row != own.count ? "too many triangles" : NULL;
}

static bool point_near(const shape *s, uint32_t tri, const double x[3], double error)
{
    double t[9], most = 0;
    for (int c = 0; c < 9; c++) {
        t[c] = s->xyz[3 * (size_t)s->tri[3 * tri + (uint32_t)c / 3] + (size_t)c % 3];
        most = fmax(most, fabs(t[c]));
    }
    const double point[9] = {x[0], x[1], x[2], x[0], x[1], x[2], x[0], x[1], x[2]};
    return oracle_distance_is(t, point, 0, error + 0x1p-44 * most);
}

// Points and distances by the exact oracle, which knows nothing of the kernels.
static const char *rows_fault(const shape *s, shoal_nearest_rows list)
{
    for (const shoal_nearest *r = list.rows; r < list.rows + list.count; r++) {
        if (r->body_b == SHOAL_NONE)
            continue;
        const shape *a = &s[r->body_a], *b = &s[r->body_b];
        double t[2][9];
        for (int c = 0; c < 9; c++) {
            t[0][c] = a->xyz[3 * (size_t)a->tri[3 * r->triangle_a + (uint32_t)c / 3] + c % 3];
            t[1][c] = b->xyz[3 * (size_t)b->tri[3 * r->triangle_b + (uint32_t)c / 3] + c % 3];
        }
        if (!oracle_distance_is(t[0], t[1], r->distance, r->error))
            return "a distance is beyond its error";
        if (!point_near(a, r->triangle_a, r->point_a, r->error) ||
            !point_near(b, r->triangle_b, r->point_b, r->error))
            return "a point is not on its triangle";
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (r->point_a[k] - r->point_b[k]) * (r->point_a[k] - r->point_b[k]);
        if (fabs(sqrt(square) - r->distance) > 1e-9)
            return "skinned that are not that far apart";
    }
    return NULL;
}

const char *nearest_fault(const shape *s, uint32_t count, double within,
                          const shoal_scene *scene, const rules *who, bool deep)
{
    const char *fault = bodies_fault(s, count, within, scene, who);
    fault = fault ? fault : triangles_fault(s, count, scene, who);
    if (deep && !fault) {
        fault = rows_fault(s, shoal_scene_nearest(scene));
        fault = fault ? fault : rows_fault(s, shoal_scene_within(scene));
        fault = fault ? fault : rows_fault(s, shoal_scene_nearest_triangles(scene));
        fault = fault ? fault : rows_fault(s, shoal_scene_nearest_self(scene));
    }
    return fault;
}
