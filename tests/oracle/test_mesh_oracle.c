// SPDX-License-Identifier: MIT
// The mesh oracle against a double loop without sorting or boxes, and against lists by hand.
#include "greatest.h"
#include "mesh_oracle.h"
#include "tri_oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4, VERTICES = 40, TRIANGLES = 30, PAIRS_MAX = 8000 };

static double xyz[BODIES][3 * VERTICES];
static uint32_t tri[BODIES][3 * TRIANGLES];
static oracle_mesh bodies[BODIES];
static oracle_pair expected[PAIRS_MAX];

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// Small triangles on a lattice, some naming a vertex twice.
static void make_bodies(uint64_t seed)
{
    for (int body = 0; body < BODIES; body++) {
        for (int i = 0; i < 3 * VERTICES; i++)
            xyz[body][i] = (double)(next_random(&seed) % 7) - 3;
        for (int i = 0; i < 3 * TRIANGLES; i++)
            tri[body][i] = next_random(&seed) % VERTICES;
        bodies[body] = (oracle_mesh){xyz[body], VERTICES, tri[body], TRIANGLES};
    }
}

static void corners(const oracle_mesh *m, uint32_t t, double out[9])
{
    for (int c = 0; c < 3; c++)
        memcpy(out + 3 * c, m->xyz + 3 * (size_t)m->tri[3 * t + (uint32_t)c], 3 * sizeof *out);
}

static bool meet(const oracle_mesh *a, uint32_t s, const oracle_mesh *b, uint32_t t)
{
    double p[9], q[9];
    corners(a, s, p);
    corners(b, t, q);
    return oracle_tri_tri(p, q);
}

// The loops run in the order of the fields, so the list is sorted as it is made.
static size_t expect_between(void)
{
    size_t count = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        for (uint32_t s = 0; s < bodies[a].triangle_count; s++) {
            for (uint32_t b = a + 1; b < BODIES; b++) {
                for (uint32_t t = 0; t < bodies[b].triangle_count; t++) {
                    if (meet(&bodies[a], s, &bodies[b], t))
                        expected[count++] = (oracle_pair){a, s, b, t};
                }
            }
        }
    }
    return count;
}

static bool names(const uint32_t *t, uint32_t vertex)
{
    return t[0] == vertex || t[1] == vertex || t[2] == vertex;
}

static bool expect_adjacent(const oracle_mesh *m, uint32_t s, uint32_t t)
{
    const uint32_t *in_s = m->tri + 3 * s, *in_t = m->tri + 3 * t;
    int shared_s[3], shared_t[3], count = 0;
    for (uint32_t vertex = 0; vertex < m->vertex_count; vertex++) {
        if (!names(in_s, vertex) || !names(in_t, vertex))
            continue;
        shared_s[count] = in_s[0] == vertex ? 0 : in_s[1] == vertex ? 1 : 2;
        shared_t[count] = in_t[0] == vertex ? 0 : in_t[1] == vertex ? 1 : 2;
        count++;
    }
    double p[9], q[9];
    corners(m, s, p);
    corners(m, t, q);
    return oracle_tri_tri_adjacent(p, q, count, shared_s, shared_t);
}

static size_t expect_within(const oracle_mesh *m, bool with_adjacent, size_t *adjacent_count)
{
    size_t count = 0;
    *adjacent_count = 0;
    for (uint32_t s = 0; s < m->triangle_count; s++) {
        for (uint32_t t = s + 1; t < m->triangle_count; t++) {
            const uint32_t *in_s = m->tri + 3 * s, *in_t = m->tri + 3 * t;
            const bool apart =
                !names(in_t, in_s[0]) && !names(in_t, in_s[1]) && !names(in_t, in_s[2]);
            if (apart ? meet(m, s, m, t) : with_adjacent && expect_adjacent(m, s, t)) {
                expected[count++] = (oracle_pair){0, s, 0, t};
                *adjacent_count += !apart;
            }
        }
    }
    return count;
}

TEST between_bodies_as_by_double_loop(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        make_bodies(seed);
        oracle_pair *found;
        const size_t count = oracle_pairs(bodies, BODIES, &found);
        ASSERT_EQ_FMT(expect_between(), count, "%zu");
        ASSERT(count > 100 && memcmp(found, expected, count * sizeof *found) == 0);
        free(found);
    }
    PASS();
}

TEST within_a_body_as_by_double_loop(void)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        make_bodies(seed);
        for (int with = 0; with < 2; with++) {
            oracle_pair *found;
            size_t adjacent;
            const size_t count = oracle_self_pairs(&bodies[0], with, &found);
            ASSERT_EQ_FMT(expect_within(&bodies[0], with, &adjacent), count, "%zu");
            ASSERT(count > 10 && memcmp(found, expected, count * sizeof *found) == 0);
            ASSERT(with ? adjacent > 3 : adjacent == 0);
            free(found);
        }
    }
    PASS();
}

// Three crossing bodies: the order is body_a, tri_a, body_b, tri_b.
TEST list_by_hand(void)
{
    static const double flat[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 9, 9, 9, 9, 8, 9, 8, 9, 9};
    static const double upright[] = {1, 1, -1, 1, 1, 1, 1, -5, 0};
    static const uint32_t two[] = {0, 1, 2, 1, 0, 2}, one[] = {0, 1, 2};
    const oracle_mesh m[3] = {{flat, 6, two, 2}, {upright, 3, one, 1}, {flat, 6, two, 2}};
    const oracle_pair list[] = {{0, 0, 1, 0}, {0, 0, 2, 0}, {0, 0, 2, 1}, {0, 1, 1, 0},
                                {0, 1, 2, 0}, {0, 1, 2, 1}, {1, 0, 2, 0}, {1, 0, 2, 1}};
    oracle_pair *found;
    ASSERT_EQ(8, oracle_pairs(m, 3, &found));
    ASSERT_MEM_EQ(list, found, sizeof list);
    free(found);

    ASSERT_EQ(0, oracle_self_pairs(&m[0], false, &found));
    ASSERT_EQ(NULL, found);
    const oracle_pair doubled = {0, 0, 0, 1};
    ASSERT_EQ(1, oracle_self_pairs(&m[0], true, &found));
    ASSERT_MEM_EQ(&doubled, found, sizeof doubled);
    free(found);
    PASS();
}

TEST nothing_gives_no_list(void)
{
    const oracle_mesh empty[2] = {{0}, {0}};
    oracle_pair *found;
    ASSERT_EQ(0, oracle_pairs(empty, 0, &found));
    ASSERT_EQ(NULL, found);
    ASSERT_EQ(0, oracle_pairs(empty, 2, &found));
    ASSERT_EQ(NULL, found);
    ASSERT_EQ(0, oracle_self_pairs(empty, true, &found));
    ASSERT_EQ(NULL, found);
    PASS();
}

// One bad number in a vertex that no triangle names is enough; other bodies stay as they were.
TEST bodies_with_bad_numbers_join_nothing(double bad)
{
    make_bodies(1);
    for (int i = 0; i < 3 * TRIANGLES; i++)
        tri[1][i] %= VERTICES - 1;
    xyz[1][3 * VERTICES - 2] = bad;
    oracle_pair *found;
    const size_t count = oracle_pairs(bodies, BODIES, &found);
    bodies[1].triangle_count = 0;
    ASSERT_EQ_FMT(expect_between(), count, "%zu");
    ASSERT(count > 50 && memcmp(found, expected, count * sizeof *found) == 0);
    free(found);

    bodies[1].triangle_count = TRIANGLES;
    ASSERT_EQ(0, oracle_self_pairs(&bodies[1], true, &found));
    xyz[1][3 * VERTICES - 2] = DBL_MAX;
    ASSERT(oracle_self_pairs(&bodies[1], true, &found) > 0);
    free(found);
    PASS();
}

typedef struct shared_case {
    uint32_t a[3], b[3];
    int count;
    int shared_a[3], shared_b[3];
} shared_case;

TEST shared_vertices_are_distinct_indices(void)
{
    static const shared_case list[] = {
        {{1, 2, 3}, {4, 5, 6}, 0, {0}, {0}},
        {{1, 2, 3}, {4, 3, 6}, 1, {2}, {1}},
        {{1, 2, 3}, {3, 2, 6}, 2, {1, 2}, {1, 0}},
        {{1, 2, 3}, {3, 1, 2}, 3, {0, 1, 2}, {1, 2, 0}},
        {{5, 5, 7}, {8, 5, 9}, 1, {0}, {1}},
        {{5, 7, 7}, {7, 7, 5}, 2, {0, 1}, {2, 0}},
        {{4, 4, 4}, {1, 4, 4}, 1, {0}, {1}},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        int shared_a[3], shared_b[3];
        const int count = oracle_shared_corners(list[i].a, list[i].b, shared_a, shared_b);
        ASSERT_EQ_FMT(list[i].count, count, "%d");
        for (int k = 0; k < count; k++) {
            ASSERT_EQ_FMT(list[i].shared_a[k], shared_a[k], "%d");
            ASSERT_EQ_FMT(list[i].shared_b[k], shared_b[k], "%d");
        }
    }
    PASS();
}

SUITE(meshes)
{
    RUN_TEST(between_bodies_as_by_double_loop);
    RUN_TEST(within_a_body_as_by_double_loop);
    RUN_TEST(list_by_hand);
    RUN_TEST(nothing_gives_no_list);
    RUN_TESTp(bodies_with_bad_numbers_join_nothing, (double)NAN);
    RUN_TESTp(bodies_with_bad_numbers_join_nothing, (double)-INFINITY);
    RUN_TEST(shared_vertices_are_distinct_indices);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(meshes);
    GREATEST_MAIN_END();
}
