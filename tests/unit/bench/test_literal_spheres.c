// SPDX-License-Identifier: MIT
// The baselines of B1, B5 and B6: sphere trees that hold what they should, whichever way they
// are made, and searches that miss nothing.
#include "bench/papers/james_pai/layered.h"
#include "bench/papers/james_pai/literal/spheres.h"
#include "bench/papers/james_pai/plate.h"
#include "runtime/trees/build.h"
#include "runtime/trees/reduced.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bench_plate plate;
static double *xyz; // bent

static double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static void bend(double time, double q[BENCH_PLATE_FIELDS_MAX])
{
    bench_plate_sway(&plate, time, 0.2, q);
    bench_plate_deform(&plate, q, xyz);
}

TEST halved_tree_holds_every_triangle_once(void)
{
    const literal_tree *t = &plate.tree;
    uint8_t *seen = calloc(t->triangle_count, 1);
    uint32_t *count = calloc(t->node_count, sizeof *count);
    uint32_t *listed = calloc(t->vertex_count, sizeof *listed); // by which children last
    ASSERT(seen && count && listed);
    ASSERT_EQ(2 * t->triangle_count - 1, t->node_count);
    for (uint32_t n = t->node_count; n-- > 0;) {
        const literal_node *node = &t->nodes[n];
        count[n] = node->child_count == 0;
        if (node->child_count) {
            ASSERT_EQ(2u, node->child_count);
            uint32_t below = 0;
            for (uint32_t i = 0; i < 2; i++) {
                const literal_node *child = &t->nodes[node->first_child + i];
                ASSERT_EQ(node->level + 1, child->level);
                count[n] += count[node->first_child + i];
                for (uint32_t k = 0; k < child->vertex_count; k++) {
                    uint32_t *mark = &listed[t->vertices[child->first_vertex + k]];
                    below += *mark != n + 1;
                    *mark = n + 1;
                }
            }
            ASSERT_EQ(below, node->vertex_count);
        } else {
            ASSERT_EQ(3u, node->vertex_count);
            ASSERT_EQ(0, seen[node->triangle]++);
        }
    }
    ASSERT_EQ(t->triangle_count, count[0]);
    ASSERT_EQ(t->vertex_count, t->nodes[0].vertex_count);
    free(seen);
    free(count);
    free(listed);
    PASS();
}

TEST wrapped_spheres_hold_their_vertices(literal_centres centres)
{
    const literal_tree *t = &plate.tree;
    literal_spheres s;
    ASSERT(literal_spheres_create(t, &plate.model, centres, &s));
    for (int state = 0; state < 3; state++) {
        double q[BENCH_PLATE_FIELDS_MAX];
        bend(0.3 * state, q);
        for (uint32_t n = 0; n < t->node_count; n++) {
            const literal_sphere own = literal_wrapped(&s, n, q);
            for (uint32_t i = 0; i < t->nodes[n].vertex_count; i++) {
                const uint32_t v = t->vertices[t->nodes[n].first_vertex + i];
                ASSERT(distance(own.c, xyz + 3 * (size_t)v) <= own.r + 1e-6);
            }
        }
    }
    literal_spheres_finish(&s);
    PASS();
}

TEST layered_spheres_hold_their_children(void)
{
    const literal_tree *t = &plate.tree;
    literal_sphere *s = malloc(t->node_count * sizeof *s);
    double q[BENCH_PLATE_FIELDS_MAX];
    ASSERT(s);
    bend(0.4, q);
    literal_layered(t, xyz, s);
    for (uint32_t n = 0; n < t->node_count; n++) {
        const literal_node *node = &t->nodes[n];
        double most = 0;
        for (uint32_t i = 0; i < node->child_count; i++) {
            const literal_sphere *c = &s[node->first_child + i];
            most = fmax(most, distance(s[n].c, c->c) + c->r);
        }
        for (uint32_t i = 0; i < 3 && !node->child_count; i++)
            most = fmax(most,
                        distance(s[n].c, xyz + 3 * (size_t)t->triangles[node->triangle].v[i]));
        ASSERT_IN_RANGE(most, s[n].r, 1e-9);
    }
    free(s);
    PASS();
}

// Triangles with a corner in the ball are among those that a search ends at.
TEST searches_miss_nothing(void)
{
    const literal_tree *t = &plate.tree;
    literal_spheres s;
    literal_sphere *layered = malloc(t->node_count * sizeof *layered);
    double q[BENCH_PLATE_FIELDS_MAX];
    ASSERT(layered && literal_spheres_create(t, &plate.model, LITERAL_MEANS, &s));
    bend(0.7, q);
    literal_layered(t, xyz, layered);
    uint64_t all = 0;
    for (uint32_t v = 0; v < t->vertex_count; v += 97) {
        literal_sphere ball = {.r = 0.03};
        memcpy(ball.c, xyz + 3 * (size_t)v, sizeof ball.c);
        uint64_t hit = 0, leaves[2] = {0};
        for (uint32_t i = 0; i < t->triangle_count; i++) {
            bool in = false;
            for (int k = 0; k < 3; k++)
                in |= distance(ball.c, xyz + 3 * (size_t)t->triangles[i].v[k]) <= ball.r;
            hit += in;
        }
        const uint64_t tests = literal_search(t, NULL, &s, q, ball, &leaves[0]);
        ASSERT(literal_search(t, layered, NULL, NULL, ball, &leaves[1]) > 2 * leaves[1] - 1);
        ASSERT(tests >= 2 * leaves[0] - 1 && tests < t->node_count / 4);
        ASSERT(leaves[0] >= hit && leaves[1] >= hit);
        all += hit;
    }
    ASSERT(all > 1000);
    free(layered);
    literal_spheres_finish(&s);
    PASS();
}

// The vector body and the plain one, and both with every vertex below a node.
TEST wide_layered_spheres_hold_their_vertices(void)
{
    const shoal_allocator memory = shl_allocator_libc();
    const shl_build_input input = {.triangles = plate.mesh.triangles,
                                   .xyz = plate.mesh.xyz,
                                   .triangle_count = plate.mesh.triangle_count,
                                   .vertex_count = plate.mesh.vertex_count};
    const shl_reduced_input rows = {plate.mesh.xyz, plate.fields, plate.model.field_count,
                                    SHL_BOUNDS_SPHERES, -1};
    shl_tree t;
    shl_reduced model;
    bench_layered l[2];
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &memory, &t));
    ASSERT_EQ(SHOAL_OK, shl_reduced_build(&t, &rows, &memory, &model));
    bench_layered_fn *const bodies[2] = {bench_layered_update_plain, bench_layered_best()};
    double q[BENCH_PLATE_FIELDS_MAX];
    float share[BENCH_PLATE_FIELDS_MAX];
    bend(0.1, q);
    for (int i = 0; i < BENCH_PLATE_FIELDS_MAX; i++)
        share[i] = (float)q[i];
    for (int i = 0; i < 2; i++) {
        ASSERT(bench_layered_create(&t, &model, &l[i]));
        bodies[i](&l[i], share);
    }
    uint32_t *below = malloc((4 * (size_t)t.vertex_count + 64) * sizeof *below);
    for (uint32_t n = 0; n < t.node_count; n++) {
        const float *a = bench_layered_place(&l[0], n), *b = bench_layered_place(&l[1], n);
        for (int k = 0; k < 4; k++)
            ASSERT_IN_RANGE((double)a[k * SHL_LANES], (double)b[k * SHL_LANES], 2e-6);
        shl_below under = {&model, below, 0};
        shl_below_add(&under, &t, n);
        const double centre[3] = {(double)a[0], (double)a[SHL_LANES], (double)a[2 * SHL_LANES]};
        for (uint32_t i = 0; i < under.count; i++)
            ASSERT(distance(centre, xyz + 3 * (size_t)t.order[below[i]]) <=
                   (double)a[3 * SHL_LANES] + 2e-6);
    }
    // a ball around everything meets every block; one far away the first only
    uint64_t leaves = 0;
    ASSERT_EQ(t.node_count - t.leaf_count,
              bench_layered_search(&l[1], (const float[4]){0, 0, 0, 10}, &leaves));
    ASSERT_EQ(t.leaf_count, leaves);
    ASSERT_EQ(1u, bench_layered_search(&l[1], (const float[4]){90, 0, 0, 1}, &leaves));
    free(below);
    bench_layered_finish(&l[0]);
    bench_layered_finish(&l[1]);
    shl_reduced_finish(&model, &memory);
    shl_tree_finish(&t, &memory);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (bench_plate_create(0, &plate))
        return 1;
    xyz = malloc(3 * (size_t)plate.mesh.vertex_count * sizeof *xyz);
    RUN_TEST(halved_tree_holds_every_triangle_once);
    RUN_TESTp(wrapped_spheres_hold_their_vertices, LITERAL_MEANS);
    RUN_TESTp(wrapped_spheres_hold_their_vertices, LITERAL_BALLS);
    RUN_TEST(layered_spheres_hold_their_children);
    RUN_TEST(searches_miss_nothing);
    RUN_TEST(wide_layered_spheres_hold_their_vertices);
    free(xyz);
    bench_plate_finish(&plate);
    GREATEST_MAIN_END();
}
