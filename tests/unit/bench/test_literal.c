// SPDX-License-Identifier: MIT
// The literal methods of bench/ find what shoal finds, whatever their tree and strategy, and do
// the work they are meant to do.
#include "bench/harness/player.h"
#include "bench/papers/larsson/larsson.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

enum { METHODS = LITERAL_BERGEN + 1 };

// A few steps of a scene with contacts.
static shoal_status take(shl_scene_id id, uint32_t k, uint32_t bodies, uint32_t steps,
                         uint32_t stride, bench_film *out)
{
    shl_scene_params params = shl_scene_defaults(id);
    params.k = k;
    params.bodies = bodies;
    params.steps = steps;
    return bench_film_create(id, &params, stride, out);
}

static uint64_t pairs_of(const bench_film *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->frame_count; i++)
        sum += f->pairs[i].count;
    return sum;
}

TEST trees_hold_every_triangle_once(uint32_t arity)
{
    shl_surface rest;
    ASSERT_EQ(SHOAL_OK, shl_mesh_icosphere(3, &rest));
    literal_tree t;
    ASSERT(literal_tree_create(&rest, arity, &t));
    uint8_t *seen = calloc(t.triangle_count, 1), *below = calloc(t.vertex_count, 1);
    ASSERT(seen && below);
    uint32_t children = 0, deepest = 0;
    for (uint32_t i = 0; i < t.node_count; i++) {
        const literal_node *n = &t.nodes[i];
        deepest = n->level > deepest ? n->level : deepest;
        ASSERT_EQ(i < t.cut, n->level <= t.depth / 2);
        if (!n->child_count) {
            ASSERT_EQ(0, seen[n->triangle]++);
            ASSERT_EQ(3u, n->vertex_count);
            continue;
        }
        ASSERT(n->child_count >= 2 && n->child_count <= arity);
        ASSERT_EQ(children + 1, n->first_child);
        children += n->child_count;
        // a node lists the vertices that its children list, each once
        memset(below, 0, t.vertex_count);
        uint32_t count = 0;
        for (uint32_t c = n->first_child; c < n->first_child + n->child_count; c++) {
            ASSERT_EQ(n->level + 1, t.nodes[c].level);
            for (uint32_t j = 0; j < t.nodes[c].vertex_count; j++) {
                uint8_t *mark = &below[t.vertices[t.nodes[c].first_vertex + j]];
                count += !*mark;
                *mark = 1;
            }
        }
        ASSERT_EQ(count, n->vertex_count);
        for (uint32_t j = 0; j < n->vertex_count; j++)
            ASSERT(below[t.vertices[n->first_vertex + j]]);
    }
    ASSERT_EQ(t.node_count, children + 1);
    ASSERT_EQ(deepest, t.depth);
    for (uint32_t i = 0; i < t.triangle_count; i++)
        ASSERT_EQ(1, seen[i]);
    free(seen);
    free(below);
    literal_tree_finish(&t);
    shl_surface_finish(&rest);
    PASS();
}

// Triangles that no plane parts: a hundred in the same place.
TEST equal_triangles_are_parted(uint32_t arity)
{
    enum { COUNT = 100 };
    double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t triangles[3 * COUNT];
    for (uint32_t i = 0; i < 3 * COUNT; i++)
        triangles[i] = i % 3;
    const shl_surface rest = {xyz, triangles, 3, COUNT};
    literal_tree t;
    ASSERT(literal_tree_create(&rest, arity, &t));
    ASSERT_EQ(7u, t.depth); // halves
    ASSERT_EQ(2u * COUNT - 1, t.node_count);
    literal_tree_finish(&t);
    PASS();
}

// Plays a film to one method over a tree of `arity`; whether it found what the film says.
static bool agrees(const bench_film *f, literal_method method, uint32_t arity, bool first)
{
    const bench_contender who = {.name = "", .is_literal = true, .method = method};
    literal_tree tree;
    bench_player p;
    if (!literal_tree_create(&f->rest, arity, &tree) ||
        bench_player_create(f, &who, first, &p) != SHOAL_OK)
        return false;
    literal_world_finish(&p.literal);
    bool good = literal_world_create(&tree, f->bodies, method, &p.literal);
    for (uint32_t frame = 0; frame < f->frame_count && good; frame++) {
        bench_sample took;
        bench_player_deform(&p, frame);
        good = bench_player_step(&p, frame, &took) == SHOAL_OK &&
               took.s[BENCH_UPDATE] <= took.s[BENCH_WHOLE];
        const bench_tally found = bench_player_tally(&p);
        const bench_tally expected = first ? f->hits[frame] : f->pairs[frame];
        good = good && found.count == expected.count && found.sum == expected.sum;
    }
    bench_player_finish(&p);
    literal_tree_finish(&tree);
    return good;
}

TEST pairs_are_those_of_shoal(shl_scene_id id, uint32_t k, uint32_t bodies, uint32_t steps,
                              uint32_t stride)
{
    bench_film f;
    ASSERT_EQ(SHOAL_OK, take(id, k, bodies, steps, stride, &f));
    ASSERT(pairs_of(&f) > 1000);
    for (int method = 0; method < METHODS; method++) {
        for (uint32_t arity = 2; arity <= 8; arity *= 2) {
            ASSERT(agrees(&f, (literal_method)method, arity, false));
            ASSERT(agrees(&f, (literal_method)method, arity, true));
        }
    }
    bench_film_finish(&f);
    PASS();
}

// Bodies apart: which boxes are new after a step.
TEST strategies_make_the_boxes_they_should(void)
{
    bench_film f;
    ASSERT_EQ(SHOAL_OK, take(SHL_SCENE_BUMPY_2, 3, 2, 1, 1, &f));
    const literal_tree *t = &f.eight;
    const uint32_t expected[] = {t->node_count, 1, t->cut};
    for (int method = LITERAL_BOTTOM_UP; method <= LITERAL_HYBRID; method++) {
        literal_world w;
        ASSERT(literal_world_create(t, 2, (literal_method)method, &w));
        ASSERT(literal_world_step(&w, f.xyz, NULL, NULL, false));
        uint32_t made = 0;
        for (uint32_t i = 0; i < 2 * t->node_count; i++)
            made += w.boxes[i].step == 1;
        ASSERT_EQ(2 * expected[method], made);
        ASSERT_EQ(0u, w.pair_count);
        literal_world_finish(&w);
    }
    bench_film_finish(&f);
    PASS();
}

TEST contests_compare_what_was_found(void)
{
    bench_film f;
    ASSERT_EQ(SHOAL_OK, take(SHL_SCENE_BUMPY_2, 1, 2, 160, 40, &f));
    ASSERT_EQ(4u, f.frame_count);
    ASSERT_EQ(121u, f.steps[3]);
    ASSERT(f.pairs[3].count > 0);
    for (int i = 0; i < 3; i++) {
        bench_contest c = {.film = &f,
                           .first = i == 1,
                           .contenders = bench_l_contenders,
                           .count = L_WHO_COUNT,
                           .repeat = 2,
                           .patience_s = 60};
        f.pairs[3].sum += i == 2; // a pair that nobody finds
        ASSERT_EQ(SHOAL_OK, bench_contest_run(&c));
        ASSERT_EQ(i != 2, bench_contest_same(&c));
        for (int who = 0; who < L_WHO_COUNT; who++) {
            ASSERT(bench_l_us(&c, (bench_l_who)who, bench_l_whole) > 0);
            ASSERT(bench_l_over_best(&c, (bench_l_who)who, 0, L_WHO_COUNT, bench_l_whole) >= 1);
        }
        const double mean = (bench_l_us(&c, L_HYBRID, bench_l_before) * 2 +
                             bench_l_us(&c, L_HYBRID, (bench_phase){L_CONTACT, 200}) * 2) /
                            4;
        ASSERT_IN_RANGE(bench_l_us(&c, L_HYBRID, bench_l_whole), mean, 1e-9 * mean);
        bench_contest_finish(&c);
    }
    bench_film_finish(&f);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    for (uint32_t arity = 2; arity <= 8; arity *= 2) {
        RUN_TESTp(trees_hold_every_triangle_once, arity);
        RUN_TESTp(equal_triangles_are_parted, arity);
    }
    RUN_TESTp(pairs_are_those_of_shoal, SHL_SCENE_BUMPY_2, 3, 2, 200, 20);
    RUN_TESTp(pairs_are_those_of_shoal, SHL_SCENE_BUMPY_27, 2, 27, 60, 10);
    RUN_TESTp(pairs_are_those_of_shoal, SHL_SCENE_ARMS_27, 2, 27, 60, 10);
    RUN_TESTp(pairs_are_those_of_shoal, SHL_SCENE_PLATES, 3, 27, 4, 1);
    RUN_TEST(strategies_make_the_boxes_they_should);
    RUN_TEST(contests_compare_what_was_found);
    GREATEST_MAIN_END();
}
