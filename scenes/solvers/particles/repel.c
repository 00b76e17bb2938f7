// SPDX-License-Identifier: MIT
#include "scenes/solvers/particles/repel.h"

#include "scenes/math/vec.h"

#include <stdlib.h>

void shl_repels_finish(shl_repels *r)
{
    free(r->list);
    *r = (shl_repels){0};
}

static shl_repulsion *more(shl_repels *r)
{
    if (r->count == r->capacity) {
        const uint32_t want = r->capacity ? 2 * r->capacity : 1024;
        shl_repulsion *list = realloc(r->list, want * sizeof *list);
        if (!list)
            return NULL;
        r->list = list;
        r->capacity = want;
    }
    return &r->list[r->count++];
}

static const double *place(const shl_particles *particles, uint32_t i)
{
    return particles->p + 3 * (size_t)i;
}

static void minus(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

// Shares of the corners in a point of the triangle; a triangle without area gives its first
// corner all.
static void shares_of(const shl_particles *particles, const uint32_t t[3], const double at[3],
                      double out[3])
{
    double e[3], f[3], d[3];
    minus(place(particles, t[1]), place(particles, t[0]), e);
    minus(place(particles, t[2]), place(particles, t[0]), f);
    minus(at, place(particles, t[0]), d);
    const double ee = shl_dot(e, e), ef = shl_dot(e, f), ff = shl_dot(f, f);
    const double det = ee * ff - ef * ef;
    out[1] = out[2] = 0;
    if (det > 1e-12 * ee * ff) {
        out[1] = (ff * shl_dot(e, d) - ef * shl_dot(f, d)) / det;
        out[2] = (ee * shl_dot(f, d) - ef * shl_dot(e, d)) / det;
    }
    for (int k = 1; k < 3; k++)
        out[k] = out[k] < 0 ? 0 : out[k] > 1 ? 1 : out[k];
    if (out[1] + out[2] > 1)
        out[2] = 1 - out[1];
    out[0] = 1 - out[1] - out[2];
}

static double inverse_of(const shl_particles *particles, const uint32_t t[3],
                         const double share[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += share[k] * share[k] * particles->inverse[t[k]];
    return sum;
}

static bool unit_normal(const shl_particles *particles, const uint32_t t[3], double out[3])
{
    double e[3], f[3];
    minus(place(particles, t[1]), place(particles, t[0]), e);
    minus(place(particles, t[2]), place(particles, t[0]), f);
    shl_cross(e, f, out);
    const double length = sqrt(shl_dot(out, out));
    if (length == 0)
        return false;
    for (int k = 0; k < 3; k++)
        out[k] /= length;
    return true;
}

// The way from b to a, and how far it is; negative if a is inside b. The triangle of b is the
// nearest to the point of a, so a way against its normal comes from inside; half of the length
// leaves room for edges, where the normals of two triangles count.
static bool way_out(const shoal_nearest *row, const shl_particles *particles,
                    const uint32_t t[3], bool open, double normal[3], double *gap)
{
    double way[3], outward[3];
    minus(row->point_a, row->point_b, way);
    const double length = sqrt(shl_dot(way, way));
    *gap = length;
    const bool apart = length > 0;
    for (int k = 0; k < 3; k++)
        normal[k] = apart ? way[k] / length : 0;
    if (open)
        return apart;
    if (!unit_normal(particles, t, outward))
        return false;
    if (!apart) {
        memcpy(normal, outward, sizeof outward);
    } else if (shl_dot(normal, outward) < -0.5) {
        *gap = -length;
        for (int k = 0; k < 3; k++)
            normal[k] = -normal[k];
    }
    return true;
}

shoal_status shl_repels_read(shl_repels *r, const shl_repel_def *def, const shl_stage *stage,
                             const shl_particles *particles, const shoal_nearest *rows,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const shoal_nearest *row = &rows[i];
        if (!(row->distance <= def->reach))
            continue;
        const bool self = row->body_a == row->body_b, open = stage->actors[row->body_b].open;
        if (open && !self) // the row of the other body tells from which side it comes
            continue;
        shl_repulsion made = {0};
        shl_stage_corners(stage, row->body_a, row->triangle_a, made.a);
        shl_stage_corners(stage, row->body_b, row->triangle_b, made.b);
        shares_of(particles, made.a, row->point_a, made.share_a);
        shares_of(particles, made.b, row->point_b, made.share_b);
        double gap;
        if (inverse_of(particles, made.a, made.share_a) +
                    inverse_of(particles, made.b, made.share_b) ==
                0 ||
            !way_out(row, particles, made.b, open, made.normal, &gap))
            continue;
        const double want = self ? def->self_gap : def->gap;
        made.gap = gap + def->creep < want ? gap + def->creep : want;
        shl_repulsion *to = more(r);
        if (!to)
            return SHOAL_ERR_MEMORY;
        *to = made;
    }
    return SHOAL_OK;
}

// Point of b to point of a, by places `from`.
static void between(const shl_repulsion *c, const double *from, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 3; k++) {
        shl_add(out, c->share_a[k], from + 3 * (size_t)c->a[k]);
        shl_add(out, -c->share_b[k], from + 3 * (size_t)c->b[k]);
    }
}

static void push(const shl_repulsion *c, shl_particles *particles, double by,
                 const double way[3])
{
    for (int k = 0; k < 3; k++) {
        shl_add(particles->p + 3 * (size_t)c->a[k],
                by * c->share_a[k] * particles->inverse[c->a[k]], way);
        shl_add(particles->p + 3 * (size_t)c->b[k],
                -by * c->share_b[k] * particles->inverse[c->b[k]], way);
    }
}

void shl_repels_solve(const shl_repels *r, shl_particles *particles, double friction)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const shl_repulsion *c = &r->list[i];
        double d[3], before[3];
        between(c, particles->p, d);
        const double missing = c->gap - shl_dot(c->normal, d);
        if (!(missing > 0))
            continue;
        const double inverse =
            inverse_of(particles, c->a, c->share_a) + inverse_of(particles, c->b, c->share_b);
        push(c, particles, missing / inverse, c->normal);
        // what slid in this step goes back, as far as friction holds
        between(c, particles->x, before);
        double slid[3];
        minus(d, before, slid);
        shl_add(slid, -shl_dot(slid, c->normal), c->normal);
        const double length = sqrt(shl_dot(slid, slid));
        if (length == 0)
            continue;
        const double held = friction * missing < length ? friction * missing / length : 1;
        push(c, particles, -held / inverse, slid);
    }
}
