// SPDX-License-Identifier: MIT
// Trees over many meshes, and the boxes that steps put into them.
#include "inside.h"
#include "layouts/tree.h"
#include "run.h"
#include "runtime/trees/build.h"
#include "tree_valid.h"

#include "greatest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static shoal_allocator libc_memory;

static bool same_tree(const shl_tree *x, const shl_tree *y)
{
    const size_t n = x->node_count;
    return n == y->node_count && x->depth == y->depth && x->list_count == y->list_count &&
           memcmp(x->level, y->level, sizeof x->level) == 0 &&
           memcmp(x->first, y->first, n * sizeof *x->first) == 0 &&
           memcmp(x->count, y->count, n) == 0 && memcmp(x->leaf, y->leaf, n) == 0 &&
           memcmp(x->list, y->list, x->list_count * sizeof *x->list) == 0 &&
           memcmp(x->tri, y->tri, x->triangle_count * sizeof *x->tri) == 0 &&
           memcmp(x->order, y->order, x->vertex_count * sizeof *x->order) == 0;
}

// Row i of the tree must be the user's triangle tri[i].id, and each of them once.
static bool holds_all(const shl_tree *t, const world_mesh *m)
{
    bool *seen = calloc(m->triangle_count, 1);
    if (!seen)
        abort();
    bool good = t->triangle_count == m->triangle_count && t->vertex_count == m->vertex_count;
    for (uint32_t i = 0; good && i < t->triangle_count; i++) {
        const uint32_t id = t->tri[i].id;
        good = id < m->triangle_count && !seen[id];
        for (uint32_t k = 0; good && k < 3; k++)
            good = t->order[t->tri[i].v[k]] == m->tri[3 * (size_t)id + k];
        if (good)
            seen[id] = true;
    }
    free(seen);
    return good;
}

static shl_build_input input_of(const world_mesh *m)
{
    return (shl_build_input){.triangles = m->tri,
                             .xyz = m->rest,
                             .triangle_count = m->triangle_count,
                             .vertex_count = m->vertex_count};
}

static const char *tree_fault(const world_mesh *m)
{
    const shl_build_input input = input_of(m);
    shl_tree t, again;
    if (shl_tree_build(&input, &libc_memory, &t) != SHOAL_OK)
        return "not built";
    const char *fault = NULL;
    if (!tree_valid(&t, &libc_memory))
        fault = "not valid";
    else if (!holds_all(&t, m))
        fault = "not every triangle once";
    else if (t.leaf_count > 1 + m->triangle_count / 4)
        fault = "leaves half empty";
    else if (shl_tree_build(&input, &libc_memory, &again) != SHOAL_OK)
        fault = "not built again";
    else {
        fault = same_tree(&t, &again) ? NULL : "not the same again";
        shl_tree_finish(&again, &libc_memory);
    }
    shl_tree_finish(&t, &libc_memory);
    return fault;
}

#define ASSERT_TREE(mesh)                                                                      \
    do {                                                                                       \
        const char *tree_said = tree_fault(&(mesh));                                           \
        mesh_free(&(mesh));                                                                    \
        if (tree_said)                                                                         \
            FAILm(tree_said);                                                                  \
    } while (0)

TEST all_sizes(void)
{
    static const uint32_t larger[] = {500, 511, 512, 513, 577, 1000, 1280, 2000, 4096, 4097};
    for (uint32_t n = 1; n <= 140; n++) {
        world_mesh m = mesh_soup(n, 0.1, n);
        ASSERT_TREE(m);
    }
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
        world_mesh m = mesh_soup(larger[i], 0.1, i);
        ASSERT_TREE(m);
    }
    PASS();
}

TEST meshes_with_common_vertices(void)
{
    for (int level = 0; level < 4; level++) {
        world_mesh m = mesh_ball(level, 3);
        ASSERT_TREE(m);
    }
    for (uint32_t seed = 0; seed < 100; seed++) {
        world_mesh m = mesh_lattice(1 + seed * 5, 1 + seed * 3 % 50, 4, seed);
        ASSERT_TREE(m);
    }
    PASS();
}

// Whatever a part lists is at the end of a part before it, behind what that part's children
// own.
TEST parts_share_what_stands_together(void)
{
    world_mesh m = mesh_ball(5, 3);
    const shl_build_input input = input_of(&m);
    shl_tree t;
    ASSERT_EQ(NULL, tree_fault(&m));
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &t));
    ASSERT_EQ(1, t.subtree_level);
    uint32_t listed = 0;
    for (uint32_t part = t.level[1]; part < t.level[2]; part++) {
        for (uint32_t i = t.list_begin[part]; i < t.list_begin[part + 1]; i++, listed++) {
            const uint32_t v = t.list[i];
            uint32_t owner = t.level[1];
            while (v >= t.vertex_end[owner])
                owner++;
            ASSERT(owner < part && v >= t.vertex_end[t.first[owner] + t.count[owner] - 1]);
        }
    }
    ASSERT(listed > 100);
    shl_tree_finish(&t, &libc_memory);
    mesh_free(&m);
    PASS();
}

TEST degenerate_meshes(void)
{
    static const uint32_t counts[] = {8, 9, 64, 65, 300};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        world_mesh same = mesh_soup(counts[i], 1, 1), line = mesh_soup(counts[i], 1, 1);
        for (size_t k = 9; k < 9 * (size_t)counts[i]; k++)
            same.rest[k] = same.rest[k % 9];
        for (size_t k = 0; k < 9 * (size_t)counts[i]; k++)
            line.rest[k] = k % 3 ? 0 : (double)(k / 9 % 7); // centres on one line, many equal
        ASSERT_TREE(same);
        ASSERT_TREE(line);
        world_mesh point = mesh_soup(counts[i], 0, 1); // every triangle one vertex, thrice
        for (size_t k = 0; k < 3 * (size_t)counts[i]; k++)
            point.tri[k] = (uint32_t)(k / 9 * 3);
        ASSERT_TREE(point);
    }
    PASS();
}

// Areas and differences overflow or vanish.
TEST extreme_coordinates(void)
{
    static const double scales[] = {0, 0x1p-1074, 1e-200, 1e160, DBL_MAX / 2, DBL_MAX};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        for (uint32_t n = 1; n < 700; n = n * 3 + 2) {
            world_mesh m = mesh_soup(n, 0.5, n), flat = mesh_soup(n, 0.5, n);
            for (size_t k = 0; k < 9 * (size_t)n; k++) {
                m.rest[k] = fmax(-1, fmin(1, m.rest[k])) * scales[i];
                flat.rest[k] = k % 3 == 1 ? m.rest[k] : 0;
            }
            ASSERT_TREE(m);
            ASSERT_TREE(flat);
        }
    }
    PASS();
}

// A damaged tree must not pass as valid, else the tests above say nothing.
TEST damage_is_seen(void)
{
    world_mesh m = mesh_ball(2, 1);
    const shl_build_input input = input_of(&m);
    shl_tree t;
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &t));
    ASSERT(tree_valid(&t, &libc_memory));
    const uint32_t last = t.node_count - 1;
    uint32_t *const places[] = {
        &t.first[1],      &t.vertex_end[0],   &t.order[3],    &t.list[t.list_begin[last]],
        &t.list_begin[2], &t.vertex_begin[1], &t.first[last], &t.first[last - 1]};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const uint32_t old = *places[i];
        *places[i] = old ? old - 1 : 1;
        ASSERT_FALSE(tree_valid(&t, &libc_memory));
        *places[i] = old;
    }
    t.count[t.node_count - 1]--;
    ASSERT_FALSE(tree_valid(&t, &libc_memory));
    t.count[t.node_count - 1]++;
    ASSERT(tree_valid(&t, &libc_memory));
    shl_tree_finish(&t, &libc_memory);
    mesh_free(&m);
    PASS();
}

// --- Boxes after a step. ---

static double coordinate(const shl_free_body *b, uint32_t row, int axis)
{
    const size_t at = 3 * (size_t)row + (size_t)axis;
    return b->scalar == SHOAL_F32 ? (double)((const float *)b->xyz)[at]
                                  : ((const double *)b->xyz)[at];
}

static void lane_triangles(const shl_tree *t, uint32_t node, uint32_t lane, uint32_t *begin,
                           uint32_t *end)
{
    uint32_t low = t->first[node] + lane, high = low;
    *begin = low;
    *end = low + 1;
    if (t->leaf[node])
        return;
    while (!t->leaf[low])
        low = t->first[low];
    while (!t->leaf[high])
        high = t->first[high] + t->count[high] - 1;
    *begin = t->first[low];
    *end = t->first[high] + t->count[high];
}

// Around all vertices, and no wider than the next float; unused lanes empty.
static bool lane_right(const shl_free_body *b, uint32_t node, uint32_t lane)
{
    const shl_block *block = &b->blocks[node];
    for (int k = 0; k < 3; k++) {
        const double lo = block->lo[k][lane], hi = block->hi[k][lane];
        if (lane >= b->tree->count[node]) {
            if (lo != INFINITY || hi != -INFINITY)
                return false;
            continue;
        }
        uint32_t begin, end;
        double least = INFINITY, most = -INFINITY;
        lane_triangles(b->tree, node, lane, &begin, &end);
        for (uint32_t i = begin; i < end; i++) {
            for (int c = 0; c < 3; c++) {
                const double x = coordinate(b, b->tree->tri[i].v[c], k);
                least = fmin(least, x);
                most = fmax(most, x);
            }
        }
        if (!(lo <= least && most <= hi) || nextafterf((float)lo, INFINITY) <= least ||
            nextafterf((float)hi, -INFINITY) >= most)
            return false;
    }
    return true;
}

static bool boxes_right(shoal_scene *s, uint64_t *seen)
{
    for (uint32_t i = 0; i < s->bodies.table.count; i++) {
        const shl_free_body *b = inside_free(s, i);
        for (uint32_t n = 0; n < b->tree->node_count; n++) {
            if (atomic_load(&b->stamps[n]) != b->epoch)
                continue;
            ++*seen;
            for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
                if (!lane_right(b, n, lane))
                    return false;
            }
        }
    }
    return true;
}

TEST boxes_hold_their_vertices(uint32_t kind, shoal_cpu cpu, shoal_strategy strategy)
{
    world *w = world_make(kind);
    shoal_context_def cd = shoal_context_def_default();
    shoal_scene_def sd = shoal_scene_def_default();
    cd.cpu = cpu;
    sd.strategy = strategy;
    sd.threads = 2;
    shoal_context *ctx;
    shoal_scene *scene;
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&cd, &ctx));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &scene));
    shoal_body body[WORLD_BODIES];
    for (uint32_t b = 0; b < w->body_count; b++) {
        shoal_model *model = model_of(ctx, &w->mesh[b]);
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &body[b]));
        shoal_model_destroy(model);
    }
    uint64_t seen = 0;
    for (uint32_t s = 0; s < w->step_count; s++) {
        float *narrow[WORLD_BODIES] = {0};
        for (uint32_t b = 0; b < w->body_count; b++) {
            const uint32_t n = w->mesh[b].vertex_count;
            shoal_positions p = shoal_positions_f64(w->xyz[s][b], n);
            if (w->floats && (b + s) % 2) {
                narrow[b] = malloc(3 * (size_t)n * sizeof(float));
                for (size_t i = 0; i < 3 * (size_t)n; i++)
                    narrow[b][i] = (float)w->xyz[s][b][i];
                p = shoal_positions_f32(narrow[b], n);
            }
            ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, body[b], &p));
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF));
        ASSERT(boxes_right(scene, &seen));
        for (uint32_t b = 0; b < w->body_count; b++)
            free(narrow[b]);
    }
    ASSERT(seen >= w->body_count);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    world_free(w);
    PASS();
}

SUITE(trees)
{
    RUN_TEST(all_sizes);
    RUN_TEST(meshes_with_common_vertices);
    RUN_TEST(parts_share_what_stands_together);
    RUN_TEST(degenerate_meshes);
    RUN_TEST(extreme_coordinates);
    RUN_TEST(damage_is_seen);
}

SUITE(boxes)
{
    for (uint32_t i = 0; i < 4 * world_kinds(); i++)
        RUN_TESTp(boxes_hold_their_vertices, i / 4, i & 1 ? SHOAL_CPU_REF : SHOAL_CPU_AVX2,
                  i & 2 ? SHOAL_STRATEGY_HYBRID : SHOAL_STRATEGY_BOTTOM_UP);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    libc_memory = shl_allocator_libc();
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(trees);
    RUN_SUITE(boxes);
    GREATEST_MAIN_END();
}
