// SPDX-License-Identifier: MIT
// Rows of distances and contacts against plain arithmetic. Ties are left to the scene made
// anew: here a row is right if nothing is nearer than it says by more than rounding.
#include "play.h"

#include "tests/oracle/tri_distance.h"
#include "tests/oracle/tri_far.h"
#include "tests/oracle/tri_oracle.h"

#include <math.h>
#include <string.h>

enum { EXACT_ROWS = 12 }; // of a list: integers of any length are slow

// Triangles of all bodies that take part, body by body.
typedef struct crowd {
    const actor *actor[BODIES];
    uint32_t first[BODIES + 1], count;
    double corner[BODIES * TRIANGLES][9];
    uint32_t body[BODIES * TRIANGLES];
    double scale; // of the largest coordinate; 0: too large or small to compute with
    double far[BODIES * TRIANGLES][BODIES * TRIANGLES];
} crowd;

static crowd all;

static void gather(const stage *s, const shoal_scene *scene)
{
    all.count = 0;
    double most = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const actor *a = &s->actors[i];
        all.actor[i] = takes_part(a, scene) ? a : NULL;
        all.first[i] = all.count;
        for (uint32_t t = 0; all.actor[i] && t < a->shape->triangle_count; t++, all.count++) {
            corners_of(a, t, all.corner[all.count]);
            all.body[all.count] = i;
            for (int k = 0; k < 9; k++)
                most = fmax(most, fabs(all.corner[all.count][k]));
        }
    }
    all.first[BODIES] = all.count;
    all.scale = most < 1e100 && most > 1e-100 ? most : 0;
    for (uint32_t i = 0; i < all.count && all.scale > 0; i++) {
        for (uint32_t k = i + 1; k < all.count; k++)
            all.far[i][k] = all.far[k][i] = oracle_tri_distance(all.corner[i], all.corner[k]);
    }
}

static bool share_vertex(uint32_t i, uint32_t k)
{
    const actor *a = all.actor[all.body[i]];
    const uint32_t *x = a->shape->tri + 3 * (i - all.first[all.body[i]]);
    const uint32_t *y = a->shape->tri + 3 * (k - all.first[all.body[k]]);
    for (int c = 0; c < 9; c++) {
        if (x[c / 3] == y[c % 3])
            return true;
    }
    return false;
}

// Whether triangle k is one of those that i is compared with.
static bool may_be_near(uint32_t i, uint32_t k, bool own)
{
    const uint32_t a = all.body[i], b = all.body[k];
    return own ? a == b && !share_vertex(i, k)
               : a != b && actors_meet(all.actor[a], all.actor[b]);
}

static bool is_row(const char *what, const shoal_nearest *r)
{
    const bool there = r->body_a < BODIES && r->body_b < BODIES && all.actor[r->body_a] &&
                       all.actor[r->body_b] &&
                       r->triangle_a < all.actor[r->body_a]->shape->triangle_count &&
                       r->triangle_b < all.actor[r->body_b]->shape->triangle_count;
    return there || fault("%s: (%u %u, %u %u) are not there", what, r->body_a, r->triangle_a,
                          r->body_b, r->triangle_b);
}

static bool same_place(const double *corners, const double x[3], double error)
{
    const double point[9] = {x[0], x[1], x[2], x[0], x[1], x[2], x[0], x[1], x[2]};
    return oracle_tri_distance(corners, point) <= error + 1e-9 * all.scale;
}

// Whether the two triangles of a row are as far apart as it says.
static bool row_is_true(const char *what, const shoal_nearest *r, bool exact)
{
    if (!is_row(what, r))
        return false;
    const uint32_t i = all.first[r->body_a] + r->triangle_a;
    const uint32_t k = all.first[r->body_b] + r->triangle_b;
    const double *x = all.corner[i], *y = all.corner[k];
    if (!(r->distance >= 0 && r->error >= 0))
        return fault("%s: distance %g, error %g", what, r->distance, r->error);
    if (exact && (r->distance == 0) != oracle_tri_tri(x, y))
        return fault("%s: (%u %u, %u %u) have distance %g", what, r->body_a, r->triangle_a,
                     r->body_b, r->triangle_b, r->distance);
    if (exact && !oracle_distance_is(x, y, r->distance, r->error))
        return fault("%s: distance %.17g is beyond its error", what, r->distance);
    if (all.scale == 0)
        return true;
    if (fabs(all.far[i][k] - r->distance) > r->error + 1e-9 * all.scale)
        return fault("%s: (%u %u, %u %u) have distance %.17g, not %.17g", what, r->body_a,
                     r->triangle_a, r->body_b, r->triangle_b, all.far[i][k], r->distance);
    return (same_place(x, r->point_a, r->error) && same_place(y, r->point_b, r->error)) ||
           fault("%s: a point is not on its triangle", what);
}

// The least distance of triangles i from `begin` to `end` and all of other bodies or of its
// own.
static double least_of(uint32_t begin, uint32_t end, bool own)
{
    double least = INFINITY;
    for (uint32_t i = begin; i < end; i++) {
        for (uint32_t k = 0; k < all.count; k++) {
            if (may_be_near(i, k, own))
                least = fmin(least, all.far[i][k]);
        }
    }
    return least;
}

// A row of triangles `begin` to `end`, which names the nearest of what it should.
static bool nearest_is_true(const char *what, const shoal_nearest *r, uint32_t begin,
                            uint32_t end, bool own, bool exact)
{
    bool any = false;
    for (uint32_t i = begin; i < end && !any; i++) {
        for (uint32_t k = 0; k < all.count && !any; k++)
            any = may_be_near(i, k, own);
    }
    if (!any)
        return (r->body_b == SHOAL_NONE && r->triangle_b == SHOAL_NONE && isinf(r->distance)) ||
               fault("%s: body %u has nothing near it", what, r->body_a);
    if ((r->body_a == r->body_b) != own || !row_is_true(what, r, exact) ||
        !(own || actors_meet(all.actor[r->body_a], all.actor[r->body_b])))
        return fault("%s: body %u in %u", what, r->body_a, r->body_b);
    const double least = all.scale > 0 ? least_of(begin, end, own) : INFINITY;
    return !(least < r->distance - r->error - 1e-9 * all.scale) ||
           fault("%s: (%u %u, %u %u) at %.17g, but something is at %.17g", what, r->body_a,
                 r->triangle_a, r->body_b, r->triangle_b, r->distance, least);
}

static bool bodies_are_true(const shoal_scene *scene)
{
    const shoal_nearest_rows found_nearest = shoal_scene_nearest(scene);
    size_t row = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        if (!all.actor[i])
            continue;
        if (row >= found_nearest.count || found_nearest.rows[row].body_a != i)
            return fault("nearest: body %u has no row", i);
        if (!nearest_is_true("nearest", &found_nearest.rows[row], all.first[i],
                             all.first[i + 1], false, true))
            return false;
        row++;
    }
    return row == found_nearest.count || fault("nearest: %zu rows", found_nearest.count);
}

static double gap_of(uint32_t a, uint32_t b)
{
    double least = INFINITY;
    for (uint32_t i = all.first[a]; i < all.first[a + 1]; i++) {
        for (uint32_t k = all.first[b]; k < all.first[b + 1]; k++)
            least = fmin(least, all.far[i][k]);
    }
    return least;
}

static bool within_is_true(double within, const shoal_scene *scene)
{
    const shoal_nearest_rows found_within = shoal_scene_within(scene);
    size_t row = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        for (uint32_t b = a + 1; b < BODIES && all.actor[a]; b++) {
            if (!all.actor[b] || !actors_meet(all.actor[a], all.actor[b]))
                continue;
            const bool listed = row < found_within.count &&
                                found_within.rows[row].body_a == a &&
                                found_within.rows[row].body_b == b;
            const double slack = 1e-9 * all.scale, gap = all.scale > 0 ? gap_of(a, b) : 0;
            if (!listed && all.scale > 0 && gap < within - slack - 1e-9 * within)
                return fault("within: bodies %u and %u are %g apart", a, b, gap);
            if (!listed)
                continue;
            const shoal_nearest *it = &found_within.rows[row++];
            if (!(it->distance <= within) || !row_is_true("within", it, true))
                return fault("within: bodies %u and %u are listed with %g", a, b, it->distance);
            if (all.scale > 0 && gap < it->distance - it->error - slack)
                return fault("within: bodies %u and %u are %g apart, not %g", a, b, gap,
                             it->distance);
        }
    }
    return row == found_within.count || fault("within: %zu rows", found_within.count);
}

static bool triangles_are_true(const char *what, const shoal_nearest *rows, size_t count_of,
                               bool own)
{
    if (count_of != all.count)
        return fault("%s: %zu rows, want %u", what, count_of, all.count);
    for (uint32_t i = 0; i < all.count; i++) {
        if (rows[i].body_a != all.body[i] || rows[i].triangle_a != i - all.first[all.body[i]])
            return fault("%s: row %u is of (%u %u)", what, i, rows[i].body_a,
                         rows[i].triangle_a);
        if (!nearest_is_true(what, &rows[i], i, i + 1, own,
                             i % (all.count / EXACT_ROWS + 1) == 0))
            return false;
    }
    return true;
}

bool distances_are_true(const stage *s, uint32_t queries, const shoal_scene *scene)
{
    const shoal_nearest_rows tris = shoal_scene_nearest_triangles(scene);
    const shoal_nearest_rows own = shoal_scene_nearest_self(scene);
    const uint32_t asked = queries & (SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                                      SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF);
    if ((!(asked & SHOAL_QUERY_NEAREST) && shoal_scene_nearest(scene).count) ||
        (!(asked & SHOAL_QUERY_WITHIN) && shoal_scene_within(scene).count) ||
        (!(asked & SHOAL_QUERY_NEAREST_TRIANGLES) && tris.count) ||
        (!(asked & SHOAL_QUERY_NEAREST_SELF) && own.count))
        return fault("distances that nobody asked for");
    if (!asked)
        return true;
    gather(s, scene);
    return (!(asked & SHOAL_QUERY_NEAREST) || bodies_are_true(scene)) &&
           (!(asked & SHOAL_QUERY_WITHIN) || within_is_true(s->def.within, scene)) &&
           (!(asked & SHOAL_QUERY_NEAREST_TRIANGLES) ||
            triangles_are_true("nearest triangle", tris.rows, tris.count, false)) &&
           (!(asked & SHOAL_QUERY_NEAREST_SELF) ||
            triangles_are_true("nearest in the body", own.rows, own.count, true));
}

// --- Contact spheres. ---

static bool has_spheres(const actor *a)
{
    return a->kind == REDUCED && a->shape->sphere_level >= 0;
}

// Of ordinary size, so that what the header calls rounding does not matter.
static bool is_ordinary(const actor *a)
{
    double lo = INFINITY, hi = -INFINITY, most = 0;
    for (uint32_t i = 0; i < 3 * a->shape->vertex_count; i++) {
        most = fmax(most, fabs(a->xyz[i]));
        lo = fmin(lo, a->shape->rest[i]);
        hi = fmax(hi, a->shape->rest[i]);
    }
    return most < 100 && hi - lo > 0.1;
}

static bool contact_is_true(const stage *s, const shoal_scene *scene,
                            const shoal_sphere_contact *c)
{
    if (c->body_a >= BODIES || c->body_b >= BODIES || c->body_a == c->body_b)
        return fault("contact: bodies %u and %u", c->body_a, c->body_b);
    const actor *a = &s->actors[c->body_a], *b = &s->actors[c->body_b];
    if (!takes_part(a, scene) || !takes_part(b, scene) || !has_spheres(a))
        return fault("contact: bodies %u and %u take no part", c->body_a, c->body_b);
    if (!actors_meet(a, b))
        return fault("contact: bodies %u and %u are kept apart", c->body_a, c->body_b);
    if (!has_spheres(b) && c->element_b >= b->shape->triangle_count)
        return fault("contact: triangle %u", c->element_b);
    if (!is_ordinary(a) || !is_ordinary(b))
        return true;
    const double length = sqrt(c->normal[0] * c->normal[0] + c->normal[1] * c->normal[1] +
                               c->normal[2] * c->normal[2]);
    if (!(c->depth >= 0) || !(fabs(length - 1) < 1e-9))
        return fault("contact: depth %g, a normal of length %g", c->depth, length);
    if (has_spheres(b))
        return true;
    double corners[9];
    corners_of(b, c->element_b, corners);
    const double *x = c->position;
    const double point[9] = {x[0], x[1], x[2], x[0], x[1], x[2], x[0], x[1], x[2]};
    return oracle_tri_distance(corners, point) < 1e-6 ||
           fault("contact: a position is not on its triangle");
}

bool contacts_are_true(const stage *s, const shoal_scene *scene, const shoal_pair *pairs,
                       size_t pair_count)
{
    const shoal_sphere_contacts found_contacts = shoal_scene_sphere_contacts(scene);
    bool met[BODIES][BODIES] = {{false}};
    for (size_t i = 0; i < found_contacts.count; i++) {
        const shoal_sphere_contact *c = &found_contacts.rows[i];
        if (!contact_is_true(s, scene, c))
            return false;
        met[c->body_a][c->body_b] = met[c->body_b][c->body_a] = true;
    }
    // spheres contain the bodies, so where triangles meet spheres do
    for (size_t i = 0; i < pair_count; i++) {
        const actor *a = &s->actors[pairs[i].body_a], *b = &s->actors[pairs[i].body_b];
        if ((has_spheres(a) || has_spheres(b)) && is_ordinary(a) && is_ordinary(b) &&
            !met[pairs[i].body_a][pairs[i].body_b])
            return fault("contacts: none between bodies %u and %u, which meet", pairs[i].body_a,
                         pairs[i].body_b);
    }
    return true;
}
