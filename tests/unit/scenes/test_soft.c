// SPDX-License-Identifier: MIT
// Particles, what holds them together and apart, and the shapes made of them.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/shapes/glyph.h"
#include "scenes/shapes/pieces.h"
#include "scenes/shapes/regions.h"
#include "scenes/shapes/vessel.h"
#include "scenes/solvers/particles/clusters.h"
#include "scenes/solvers/particles/links.h"
#include "scenes/solvers/particles/repel.h"

#include "closed.h"
#include "greatest.h"

#include <stdlib.h>

// A letter whose parts overlap.
typedef struct letter {
    shl_surface surface;
    shl_particles particles;
    shl_clusters clusters;
} letter;

static bool letter_make(letter *l, uint32_t regions)
{
    *l = (letter){0};
    shl_regions r;
    uint32_t first;
    bool good = shl_mesh_glyph(0, 2, 1, &l->surface) == SHOAL_OK &&
                shl_particles_add(&l->particles, l->surface.vertex_count, l->surface.xyz, NULL,
                                  0.1, &first) == SHOAL_OK &&
                shl_regions_find(&l->surface, regions, 1.6, &r) == SHOAL_OK;
    for (uint32_t i = 0; i < l->particles.count && good; i++) { // no two weigh the same
        l->particles.mass[i] *= 1 + 0.01 * i;
        l->particles.inverse[i] = 1 / l->particles.mass[i];
    }
    for (uint32_t i = 0; i < regions && good; i++)
        good = shl_clusters_add(&l->clusters, &l->particles, r.vertex + r.begin[i],
                                r.begin[i + 1] - r.begin[i]) == SHOAL_OK;
    if (good)
        good = shl_clusters_share(&l->clusters, &l->particles, l->particles.p) == SHOAL_OK;
    shl_regions_finish(&r);
    return good;
}

static void letter_finish(letter *l)
{
    shl_surface_finish(&l->surface);
    shl_particles_finish(&l->particles);
    shl_clusters_finish(&l->clusters);
}

// A letter that was only turned and moved wants to stay as it is.
TEST rigid_motion_is_kept(void)
{
    uint64_t seed = 3;
    for (int round = 0; round < 50; round++) {
        letter l;
        double axis[3], turn[9], by[3];
        ASSERT(letter_make(&l, 4));
        shl_random_axis(&seed, axis);
        shl_turn(axis, 3.1 * shl_random_signed(&seed), turn);
        for (int k = 0; k < 3; k++)
            by[k] = 10 * shl_random_signed(&seed);
        for (uint32_t i = 0; i < l.particles.count; i++) {
            shl_apply(turn, l.surface.xyz + 3 * i, l.particles.p + 3 * i);
            shl_add(l.particles.p + 3 * i, 1, by);
            memcpy(l.particles.x + 3 * i, l.particles.p + 3 * i, sizeof by);
        }
        shl_clusters_match(&l.clusters, &l.particles, 1);
        for (uint32_t i = 0; i < 3 * l.particles.count; i++)
            ASSERT_IN_RANGE(l.particles.x[i], l.particles.p[i], 1e-9);
        letter_finish(&l);
    }
    PASS();
}

// Sums of mass * move and of mass * place x move.
static void momentum(const shl_particles *t, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (size_t i = 0; i < t->count; i++) {
        double move[3], spin[3];
        for (size_t k = 0; k < 3; k++)
            move[k] = t->p[3 * i + k] - t->x[3 * i + k];
        shl_cross(t->x + 3 * i, move, spin);
        shl_add(out, t->mass[i], move);
        shl_add(out + 3, t->mass[i], spin);
    }
}

TEST shapes_keep_momentum_and_spin(void)
{
    uint64_t seed = 5;
    for (uint32_t round = 0; round < 40; round++) {
        letter l;
        double sum[6], moved = 0;
        ASSERT(letter_make(&l, 1 + round % 5));
        for (uint32_t i = 0; i < 3 * l.particles.count; i++)
            l.particles.x[i] = l.particles.p[i] += 0.1 * shl_random_signed(&seed);
        shl_clusters_match(&l.clusters, &l.particles, 0.7);
        momentum(&l.particles, sum);
        for (uint32_t i = 0; i < 3 * l.particles.count; i++)
            moved += fabs(l.particles.p[i] - l.particles.x[i]);
        ASSERT(moved > 1);
        for (int k = 0; k < 6; k++)
            ASSERT_IN_RANGE(0.0, sum[k], 1e-8);
        letter_finish(&l);
    }
    PASS();
}

// A stretched letter comes back to its shape.
TEST shapes_come_back(void)
{
    letter l;
    ASSERT(letter_make(&l, 4));
    for (uint32_t i = 0; i < l.particles.count; i++)
        l.particles.p[3 * i] *= 1.3;
    for (int round = 0; round < 200; round++)
        shl_clusters_match(&l.clusters, &l.particles, 0.5);
    for (size_t t = 0; t < l.surface.triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t a = l.surface.triangles[3 * t + (size_t)k];
            const uint32_t b = l.surface.triangles[3 * t + (size_t)(k + 1) % 3];
            double now[3], rest[3];
            for (int i = 0; i < 3; i++) {
                now[i] =
                    l.particles.p[3 * a + (uint32_t)i] - l.particles.p[3 * b + (uint32_t)i];
                rest[i] =
                    l.surface.xyz[3 * a + (uint32_t)i] - l.surface.xyz[3 * b + (uint32_t)i];
            }
            ASSERT_IN_RANGE(sqrt(shl_dot(rest, rest)), sqrt(shl_dot(now, now)), 1e-3);
        }
    }
    letter_finish(&l);
    PASS();
}

// A rotation times a symmetric matrix with positive eigenvalues gives the rotation back.
TEST nearest_rotations(void)
{
    uint64_t seed = 9;
    for (int round = 0; round < 300; round++) {
        double axis[3], turn[9], other[9], stretch[9], diagonal[9] = {0}, m[9], r[9];
        shl_random_axis(&seed, axis);
        shl_turn(axis, 3 * shl_random_signed(&seed), turn);
        shl_random_axis(&seed, axis);
        shl_turn(axis, 3 * shl_random_signed(&seed), other);
        for (int k = 0; k < 3; k++)
            diagonal[4 * k] = 1 + 0.8 * shl_random_signed(&seed);
        shl_turn_tensor(other, diagonal, stretch);
        for (int i = 0; i < 9; i++)
            m[i] = turn[i / 3 * 3] * stretch[i % 3] + turn[i / 3 * 3 + 1] * stretch[3 + i % 3] +
                   turn[i / 3 * 3 + 2] * stretch[6 + i % 3];
        double q[4] = {1, 0, 0, 0};
        for (int again = 0; again < 10; again++) // steps go on from the last one
            shl_nearest_turn(m, q);
        shl_quaternion_matrix(q, r);
        for (int i = 0; i < 9; i++)
            ASSERT_IN_RANGE(turn[i], r[i], 1e-6);
    }
    PASS();
}

TEST links_are_as_long_as_they_should(void)
{
    const double places[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0};
    shl_particles t = {0};
    shl_links l = {0};
    uint32_t first;
    ASSERT_EQ(SHOAL_OK, shl_particles_add(&t, 4, places, NULL, 2, &first));
    for (uint32_t i = 0; i < 3; i++)
        ASSERT_EQ(SHOAL_OK, shl_links_add(&l, &t, i, i + 1, 0));
    for (int i = 0; i < 12; i++)
        t.x[i] = t.p[i] *= 1.5;
    for (int round = 0; round < 300; round++)
        shl_links_solve(&l, &t, 0.01);
    for (uint32_t i = 0; i < 3; i++) {
        double d[3];
        for (uint32_t k = 0; k < 3; k++)
            d[k] = t.p[3 * i + k] - t.p[3 * i + 3 + k];
        ASSERT_IN_RANGE(1.0, sqrt(shl_dot(d, d)), 1e-9);
    }
    double sum[6];
    momentum(&t, sum);
    for (int k = 0; k < 3; k++)
        ASSERT_IN_RANGE(0.0, sum[k], 1e-12);
    shl_links_finish(&l);
    shl_particles_finish(&t);
    PASS();
}

// A weight on a link of compliance c hangs c * mass * gravity lower, for any step and rounds.
TEST links_have_their_stiffness(void)
{
    const double places[6] = {0, 0, 0, 0, 0, -1}, masses[2] = {0, 3};
    const double gravity[3] = {0, 0, -10}, compliance = 0.004;
    for (int way = 0; way < 4; way++) {
        const double step = way % 2 ? 0.01 : 0.002;
        shl_particles t = {0};
        shl_links l = {0};
        uint32_t first;
        ASSERT_EQ(SHOAL_OK, shl_particles_add(&t, 2, places, masses, 0, &first));
        ASSERT_EQ(SHOAL_OK, shl_links_add(&l, &t, 0, 1, compliance));
        for (int i = 0; i < 4000; i++) {
            shl_particles_predict(&t, gravity, step, 100);
            shl_links_begin(&l);
            for (int round = 0; round < (way < 2 ? 1 : 6); round++)
                shl_links_solve(&l, &t, step);
            shl_particles_settle(&t, step, 0.98);
        }
        ASSERT_IN_RANGE(-1 - compliance * 30, t.p[5], 1e-6);
        ASSERT_EQ(0.0, t.p[2]); // what has no mass stays
        shl_links_finish(&l);
        shl_particles_finish(&t);
    }
    PASS();
}

// Two triangles too near each other part to the gap along the normal; friction holds what
// slides, but no more than its share; nothing is pushed from outside.
TEST repulsion_and_friction(void)
{
    const double places[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.01, 1, 0, 0.01, 0, 1, 0.01};
    for (int way = 0; way < 2; way++) {
        const double slide = way ? 0.5 : 0.001; // far beyond what friction holds, and below
        shl_particles t = {0};
        uint32_t first;
        ASSERT_EQ(SHOAL_OK, shl_particles_add(&t, 6, places, NULL, 1, &first));
        for (uint32_t i = 3; i < 6; i++)
            t.p[3 * i] += slide;
        shl_repulsion c = {.a = {3, 4, 5},
                           .b = {0, 1, 2},
                           .share_a = {0.3, 0.3, 0.4},
                           .share_b = {0.3, 0.3, 0.4},
                           .normal = {0, 0, 1},
                           .gap = 0.05};
        const shl_repels r = {1, 1, &c};
        shl_repels_solve(&r, &t, 0.5);
        double d[3] = {0}, sum[3] = {0};
        for (int k = 0; k < 3; k++) {
            shl_add(d, c.share_a[k], t.p + 3 * c.a[k]);
            shl_add(d, -c.share_b[k], t.p + 3 * c.b[k]);
        }
        ASSERT_IN_RANGE(0.05, d[2], 1e-12);
        ASSERT_IN_RANGE(way ? slide - 0.5 * 0.04 : 0, d[0], 1e-12);
        for (uint32_t i = 0; i < 6; i++)
            shl_add(sum, 1, t.p + 3 * i);
        ASSERT_IN_RANGE(2 + 3 * slide, sum[0], 1e-12);
        ASSERT_IN_RANGE(0.03, sum[2], 1e-12);
        shl_particles_finish(&t);
    }
    PASS();
}

TEST glyphs_are_closed(void)
{
    for (uint32_t glyph = 0; glyph < SHL_GLYPHS; glyph++) {
        for (uint32_t fine = 0; fine < 2; fine++) {
            shl_surface s;
            ASSERT_EQ(SHOAL_OK, shl_mesh_glyph(glyph, 2 + fine, 1 + fine, &s));
            ASSERT(closed(s.triangles, s.triangle_count, true));
            const double most = fine ? 485 : 195, least = fine ? 415 : 165;
            ASSERT(s.triangle_count >= least && s.triangle_count <= most);
            // a stroke of 0.2 by 0.22, about 1.4 to 2.5 long
            const double volume = shl_surface_volume6(&s) / 6;
            ASSERT(volume > 0.06 && volume < 0.12);
            shl_surface_finish(&s);
        }
    }
    shl_surface s;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_glyph(SHL_GLYPHS, 2, 1, &s));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_mesh_glyph(0, 0, 1, &s));
    PASS();
}

TEST vessels_are_closed(void)
{
    static const double ball[][2] = {{0, -1}, {0.6, -0.8}, {1, 0}, {0.6, 0.8}, {0, 1}};
    static const double ring[][2] = {{2, 0}, {3, 0}, {3, 1}, {2, 1}};
    static const double line[][2] = {{-1, 0}, {0, 0}, {1, 0}};
    const shl_turned turned[2] = {{ball, 5, false, 40}, {ring, 4, true, 60}};
    // cones of 0.2, 0.8 and 0.8, 0.2 high, and 5 pi; corners cut off the circle a little
    const double volumes[2] = {6.2832 * (0.36 * 0.2 + 0.8 * (0.36 + 0.6 + 1)) * 2, 94.248};
    for (int i = 0; i < 2; i++) {
        shl_surface s;
        ASSERT_EQ(SHOAL_OK, shl_mesh_turned(&turned[i], &s));
        ASSERT(closed(s.triangles, s.triangle_count, true));
        ASSERT_IN_RANGE(volumes[i], shl_surface_volume6(&s), 0.005 * volumes[i]);
        shl_surface_finish(&s);
    }
    const shl_drawn drawn = {line, 3, line, 3, 0.5};
    shl_surface s;
    ASSERT_EQ(SHOAL_OK, shl_mesh_drawn(&drawn, &s));
    ASSERT(closed(s.triangles, s.triangle_count, true));
    ASSERT_IN_RANGE(12.0, shl_surface_volume6(&s), 1e-9); // 2 * 2 * 0.5
    shl_surface_finish(&s);
    PASS();
}

// Each piece is closed, and together they are the box.
TEST pieces_tile_the_box(void)
{
    const double half[3] = {0.5, 0.7, 0.3};
    for (uint64_t seed = 0; seed < 60; seed++) {
        shl_pieces p;
        const uint32_t count = 1 + (uint32_t)seed % 20;
        ASSERT_EQ(SHOAL_OK, shl_pieces_cut(half, count, seed, seed % 2, &p));
        uint32_t *triangles = malloc(3 * (size_t)p.facet_count * sizeof *triangles);
        ASSERT(triangles);
        double sum = 0;
        for (uint32_t piece = 0; piece < count; piece++) {
            uint32_t n = 0;
            for (uint32_t i = 0; i < p.facet_count; i++) {
                const shl_facet *f = &p.facet[i];
                if (f->piece[0] != piece && f->piece[1] != piece)
                    continue;
                for (uint32_t k = 0; k < 3; k++)
                    triangles[3 * n + k] = f->corner[f->piece[0] == piece ? k : 2 - k];
                n++;
            }
            const shl_surface s = {p.xyz, triangles, p.vertex_count, n};
            ASSERT(closed(triangles, n, true));
            ASSERT(shl_surface_volume6(&s) > 0);
            sum += shl_surface_volume6(&s) / 6;
        }
        ASSERT_IN_RANGE(8 * half[0] * half[1] * half[2], sum, 1e-12);
        free(triangles);
        shl_pieces_finish(&p);
    }
    shl_pieces p;
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_pieces_cut(half, 0, 1, false, &p));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shl_pieces_cut(half, 65, 1, false, &p));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(rigid_motion_is_kept);
    RUN_TEST(shapes_keep_momentum_and_spin);
    RUN_TEST(shapes_come_back);
    RUN_TEST(nearest_rotations);
    RUN_TEST(links_are_as_long_as_they_should);
    RUN_TEST(links_have_their_stiffness);
    RUN_TEST(repulsion_and_friction);
    RUN_TEST(glyphs_are_closed);
    RUN_TEST(vessels_are_closed);
    RUN_TEST(pieces_tile_the_box);
    GREATEST_MAIN_END();
}
