// SPDX-License-Identifier: MIT
// Every builder and arity over meshes that are easy, odd or wrong.
#include "runtime/context.h"
#include "runtime/trees/build.h"
#include "runtime/trees/cost.h"
#include "runtime/trees/neighbours.h"
#include "tree_valid.h"
#include "worlds.h"

#include "greatest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 3 };
static const uint32_t arities[] = {2, 4, 8};
static shoal_allocator libc_memory;
static shl_kernels kernels;

static shl_build_input input_of(const world_mesh *m, shoal_builder builder, uint32_t arity)
{
    return (shl_build_input){.triangles = m->tri,
                             .xyz = m->rest,
                             .triangle_count = m->triangle_count,
                             .vertex_count = m->vertex_count,
                             .builder = builder,
                             .arity = arity};
}

// Rest, and the rest bent, stretched and turned inside out.
static double *poses_of(const world_mesh *m)
{
    const size_t n = 3 * (size_t)m->vertex_count;
    double *poses = malloc(POSES * n * sizeof *poses);
    for (size_t i = 0; i < n; i++) {
        const double bent = 0.5 * m->rest[i] + 0.25 * m->rest[i / 3 * 3 + (i + 1) % 3];
        poses[i] = m->rest[i];
        poses[n + i] = bent;
        poses[2 * n + i] = i % 3 ? -bent : 0.5 * bent;
    }
    return poses;
}

static bool rows_narrow(const shl_tree *t, uint32_t arity)
{
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (!t->leaf[n] && (t->count[n] < 2 || t->count[n] > arity))
            return false;
    }
    return t->depth <= SHL_LEVELS_MAX;
}

static bool holds_all(const shl_tree *t, const world_mesh *m)
{
    bool *seen = calloc(m->triangle_count, 1);
    bool good = t->triangle_count == m->triangle_count;
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

// The definition of the cost, in as plain words as can be: each node's box from its triangles.
static double plain_cost(const shl_tree *t, const double *rest)
{
    double sum = 0, root = 0;
    for (uint32_t n = 0; n < t->node_count; n++) {
        uint32_t low = n, high = n;
        while (!t->leaf[low])
            low = t->first[low];
        while (!t->leaf[high])
            high = t->first[high] + t->count[high] - 1;
        double lo[3], hi[3];
        for (int k = 0; k < 3; k++) {
            lo[k] = INFINITY;
            hi[k] = -INFINITY;
            for (uint32_t i = t->first[low]; i < t->first[high] + t->count[high]; i++) {
                for (int c = 0; c < 3; c++) {
                    const double x = rest[3 * (size_t)t->order[t->tri[i].v[c]] + k];
                    lo[k] = fmin(lo[k], x);
                    hi[k] = fmax(hi[k], x);
                }
            }
        }
        const double x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
        sum += x * y + y * z + z * x;
        root = n == 0 ? sum : root;
    }
    return sum / root;
}

static double cost_of(const shl_tree *t, const double *rest)
{
    double *xyz = malloc(3 * (size_t)t->vertex_count * sizeof *xyz);
    for (size_t i = 0; i < 3 * (size_t)t->vertex_count; i++)
        xyz[i] = rest[3 * (size_t)t->order[i / 3] + i % 3];
    const double cost = shl_tree_cost(&kernels, t, xyz, SHOAL_F64);
    free(xyz);
    return cost;
}

static const char *tree_fault(const world_mesh *m, shoal_builder builder, uint32_t arity)
{
    shl_build_input input = input_of(m, builder, arity);
    double *poses = NULL;
    if (builder == SHOAL_BUILDER_POSES) {
        input.poses = poses = poses_of(m);
        input.pose_count = POSES;
    }
    shl_tree t;
    const shoal_status st = shl_tree_build(&input, &libc_memory, &t);
    free(poses);
    if (st != SHOAL_OK)
        return "not built";
    const char *fault = NULL;
    const double cost = cost_of(&t, m->rest);
    if (!tree_valid(&t, &libc_memory))
        fault = "not valid";
    else if (!rows_narrow(&t, arity))
        fault = "too wide, too thin or too deep";
    else if (!holds_all(&t, m))
        fault = "not every triangle once";
    else if (!(cost >= 1 && cost <= t.node_count))
        fault = "a cost below 1 or above all nodes";
    shl_tree_finish(&t, &libc_memory);
    return fault;
}

// Takes the mesh.
static bool all_right(world_mesh m, const char *what)
{
    bool good = true;
    for (int builder = 0; builder <= SHOAL_BUILDER_POSES; builder++) {
        for (int a = 0; a < 3; a++) {
            const char *fault = tree_fault(&m, (shoal_builder)builder, arities[a]);
            if (fault)
                printf("\n%s, %u triangles, builder %d, arity %u: %s\n", what, m.triangle_count,
                       builder, arities[a], fault);
            good = good && !fault;
        }
    }
    mesh_free(&m);
    return good;
}

TEST usual_meshes(void)
{
    for (uint32_t n = 1; n <= 80; n++)
        ASSERT(all_right(mesh_soup(n, 0.1, n), "soup"));
    ASSERT(all_right(mesh_soup(1500, 0.1, 9), "soup"));
    for (int level = 0; level < 4; level++)
        ASSERT(all_right(mesh_ball(level, 3), "ball"));
    for (uint32_t seed = 0; seed < 40; seed++)
        ASSERT(all_right(mesh_lattice(1 + seed * 7, 1 + seed * 3 % 50, 4, seed), "lattice"));
    PASS();
}

static world_mesh mesh_copies(uint32_t triangles)
{
    world_mesh m = mesh_soup(triangles, 1, 1);
    for (size_t i = 3; i < 3 * (size_t)triangles; i++)
        m.tri[i] = m.tri[i % 3];
    return m;
}

// About one centre, each smaller than the one before.
static world_mesh mesh_concentric(uint32_t triangles)
{
    static const double corners[9] = {2, 0, 0, -1, 1, 0, -1, -1, 0};
    world_mesh m = mesh_soup(triangles, 1, 1);
    for (size_t i = 0; i < 9 * (size_t)triangles; i++)
        m.rest[i] = corners[i % 9] * (double)(triangles - i / 9);
    return m;
}

// Halving distances: splits at the centre take one triangle off at a time.
static world_mesh mesh_halving(uint32_t triangles)
{
    world_mesh m = mesh_soup(triangles, 1, 1);
    for (size_t i = 0; i < 9 * (size_t)triangles; i++)
        m.rest[i] = ldexp(i % 3 ? 0 : 1, -(int)(i / 9)) * (1 + 0.01 * (double)(i / 3 % 3));
    return m;
}

// Two rows of vertices and the triangles between them.
static world_mesh mesh_strip(uint32_t triangles)
{
    world_mesh m = mesh_soup(triangles, 1, 1);
    for (size_t i = 0; i < triangles; i++) {
        for (size_t k = 0; k < 3; k++) {
            m.tri[3 * i + k] = (uint32_t)(i + k);
            m.rest[3 * (i + k)] = (double)(i + k);
            m.rest[3 * (i + k) + 1] = (double)((i + k) % 2);
            m.rest[3 * (i + k) + 2] = 0;
        }
    }
    return m;
}

// All triangles share one edge: as far from a manifold as can be.
static world_mesh mesh_book(uint32_t triangles)
{
    world_mesh m = mesh_soup(triangles, 1, 1);
    for (size_t i = 0; i < triangles; i++) {
        m.tri[3 * i] = 0;
        m.tri[3 * i + 1] = 1;
    }
    return m;
}

TEST odd_meshes(void)
{
    static const uint32_t counts[] = {1, 2, 8, 9, 17, 64, 65, 300, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ASSERT(all_right(mesh_copies(counts[i]), "copies"));
        ASSERT(all_right(mesh_concentric(counts[i]), "concentric"));
        ASSERT(all_right(mesh_halving(counts[i]), "halving"));
        ASSERT(all_right(mesh_strip(counts[i]), "strip"));
        ASSERT(all_right(mesh_book(counts[i]), "book"));
        world_mesh point = mesh_soup(counts[i], 0, 1); // every triangle one vertex, thrice
        for (size_t k = 0; k < 3 * (size_t)counts[i]; k++)
            point.tri[k] = (uint32_t)(k / 9 * 3);
        ASSERT(all_right(point, "points"));
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
            ASSERT(all_right(m, "extreme"));
            ASSERT(all_right(flat, "extreme and flat"));
        }
    }
    PASS();
}

// --- What each builder promises. ---

// Do the faces that the triangle rows [begin, end) stand for hang together by edges?
static bool connected(const shl_tree *t, const shl_neighbours *around, uint32_t begin,
                      uint32_t end)
{
    bool *inside = calloc(around->faces, 1);
    uint32_t *queue = malloc(around->faces * sizeof *queue), read = 0, write = 0;
    for (uint32_t i = begin; i < end; i++)
        inside[t->tri[i].id] = true;
    queue[write++] = t->tri[begin].id;
    inside[queue[0]] = false;
    while (read < write) {
        const uint32_t *list = around->face + (size_t)SHL_NEIGHBOURS * queue[read++];
        for (int k = 0; k < SHL_NEIGHBOURS; k++) {
            if (list[k] == SHL_NO_FACE || !inside[list[k]])
                continue;
            inside[list[k]] = false;
            queue[write++] = list[k];
        }
    }
    free(inside);
    free(queue);
    return write == end - begin;
}

static bool all_connected(world_mesh m, uint32_t arity)
{
    const shl_build_input input = input_of(&m, SHOAL_BUILDER_CONNECTIVITY, arity);
    shl_tree t;
    shl_neighbours around;
    if (shl_tree_build(&input, &libc_memory, &t) ||
        shl_neighbours_find(&input, &libc_memory, &around))
        abort();
    bool good = true;
    for (uint32_t n = 0; n < t.node_count && good; n++) {
        uint32_t low = n, high = n;
        while (!t.leaf[low])
            low = t.first[low];
        while (!t.leaf[high])
            high = t.first[high] + t.count[high] - 1;
        good = connected(&t, &around, t.first[low], t.first[high] + t.count[high]);
    }
    shl_neighbours_finish(&around, &libc_memory);
    shl_tree_finish(&t, &libc_memory);
    mesh_free(&m);
    return good;
}

TEST patches_hang_together(void)
{
    for (int a = 0; a < 3; a++) {
        for (int level = 0; level < 5; level++)
            ASSERT(all_connected(mesh_ball(level, 3), arities[a]));
        for (uint32_t n = 1; n < 1000; n = n * 2 + 3)
            ASSERT(all_connected(mesh_strip(n), arities[a]));
    }
    PASS();
}

// A ball's faces have three neighbours each, all mutual; a book's pages form a chain.
TEST neighbours_are_mutual(void)
{
    world_mesh meshes[] = {mesh_ball(2, 1), mesh_book(50)};
    for (int i = 0; i < 2; i++) {
        const shl_build_input input = input_of(&meshes[i], SHOAL_BUILDER_CONNECTIVITY, 8);
        shl_neighbours around;
        ASSERT_EQ(SHOAL_OK, shl_neighbours_find(&input, &libc_memory, &around));
        size_t links = 0;
        for (uint32_t face = 0; face < around.faces; face++) {
            for (int k = 0; k < SHL_NEIGHBOURS; k++) {
                const uint32_t other = around.face[(size_t)SHL_NEIGHBOURS * face + k];
                bool back = other == SHL_NO_FACE;
                for (int j = 0; j < SHL_NEIGHBOURS && !back; j++)
                    back = around.face[(size_t)SHL_NEIGHBOURS * other + j] == face;
                ASSERT(back && other != face);
                links += other != SHL_NO_FACE;
            }
        }
        ASSERT_EQ(i ? 2u * 49 : 3u * around.faces, links);
        shl_neighbours_finish(&around, &libc_memory);
        mesh_free(&meshes[i]);
    }
    PASS();
}

// Every other triangle goes away in the second pose: only that pose tells which stay together.
TEST poses_know_what_moves(void)
{
    world_mesh m = mesh_soup(512, 0.02, 5);
    const size_t n = 3 * (size_t)m.vertex_count;
    double *poses = malloc(2 * n * sizeof *poses);
    for (size_t i = 0; i < n; i++) {
        poses[i] = m.rest[i];
        poses[n + i] = m.rest[i] + (i / 9 % 2 && i % 3 == 0 ? 5 : 0);
    }
    shl_build_input input = input_of(&m, SHOAL_BUILDER_SURFACE_AREA, 8);
    shl_tree area, posed;
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &area));
    input.builder = SHOAL_BUILDER_POSES;
    input.poses = poses;
    input.pose_count = 2;
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &posed));
    const double rest[2] = {cost_of(&area, m.rest), cost_of(&posed, m.rest)};
    const double away[2] = {cost_of(&area, poses + n), cost_of(&posed, poses + n)};
    ASSERT(rest[0] < rest[1]);
    ASSERT(2 * away[1] < away[0]);
    shl_tree_finish(&area, &libc_memory);
    shl_tree_finish(&posed, &libc_memory);
    free(poses);
    mesh_free(&m);
    PASS();
}

TEST cost_is_what_it_says(void)
{
    for (int builder = 0; builder < SHOAL_BUILDER_POSES; builder++) {
        for (int a = 0; a < 3; a++) {
            world_mesh m = mesh_ball(3, 2);
            const shl_build_input input = input_of(&m, (shoal_builder)builder, arities[a]);
            shl_tree t;
            ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &t));
            const double plain = plain_cost(&t, m.rest), cost = cost_of(&t, m.rest);
            ASSERT_IN_RANGE(plain, cost, 1e-5 * plain);
            shl_tree_finish(&t, &libc_memory);
            mesh_free(&m);
        }
    }
    PASS();
}

// Filled nodes: a closed mesh of 8^n leaves' worth of triangles gets hardly more nodes.
TEST surface_area_fills_nodes(void)
{
    world_mesh m = mesh_ball(5, 2);
    const shl_build_input input = input_of(&m, SHOAL_BUILDER_SURFACE_AREA, 8);
    shl_tree t;
    ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &t));
    ASSERT(t.leaf_count < 1.01 * m.triangle_count / SHL_LANES);
    ASSERT(t.node_count < 1.16 * t.leaf_count); // with all nodes full it were 8 / 7
    shl_tree_finish(&t, &libc_memory);
    mesh_free(&m);
    PASS();
}

// Strips of twelve triangles, far from each other: no leaf holds parts of two.
TEST gaps_are_respected(void)
{
    enum { PIECES = 125, EACH = 12 };
    for (int a = 0; a < 3; a++) {
        world_mesh m = mesh_soup(PIECES * EACH, 1, 1);
        for (size_t i = 0; i < PIECES * EACH; i++) {
            const size_t piece = i / EACH, cell[3] = {piece % 5, piece / 5 % 5, piece / 25};
            for (size_t k = 0; k < 3; k++) {
                const size_t along = i % EACH + k, v = 3 * EACH * piece + along;
                m.tri[3 * i + k] = (uint32_t)v;
                m.rest[3 * v] = 100 * (double)cell[0] + (double)along;
                m.rest[3 * v + 1] = 100 * (double)cell[1] + (double)(along % 2);
                m.rest[3 * v + 2] = 100 * (double)cell[2];
            }
        }
        const shl_build_input input = input_of(&m, SHOAL_BUILDER_SURFACE_AREA, arities[a]);
        shl_tree t;
        ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &t));
        for (uint32_t n = 0; n < t.node_count; n++) {
            for (uint32_t k = 1; t.leaf[n] && k < t.count[n]; k++)
                ASSERT_EQ(t.tri[t.first[n]].id / EACH, t.tri[t.first[n] + k].id / EACH);
        }
        ASSERT(t.leaf_count < 3 * PIECES);
        shl_tree_finish(&t, &libc_memory);
        mesh_free(&m);
    }
    PASS();
}

// A strip that bends at 0.3 of its length and nowhere else is split there first, though half of
// it would be the better place for boxes.
TEST fields_choose_the_first_split(void)
{
    enum { ALONG = 1000 };
    world_mesh m = mesh_soup(2 * ALONG, 1, 1);
    float *field = calloc(3 * (size_t)m.vertex_count, sizeof *field);
    for (uint32_t i = 0; i < 2 * ALONG; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t v = i + k;
            m.tri[3 * i + k] = v;
            m.rest[3 * (size_t)v] = v / 2;
            m.rest[3 * (size_t)v + 1] = v % 2;
            m.rest[3 * (size_t)v + 2] = 0;
            field[3 * (size_t)v + 2] = v / 2 < 300 ? 300.0f - (float)(v / 2) : 0;
        }
    }
    for (int with = 0; with < 2; with++) {
        shl_build_input input = input_of(&m, SHOAL_BUILDER_SURFACE_AREA, 2);
        input.fields = with ? field : NULL;
        input.field_count = (uint32_t)with;
        shl_tree t;
        ASSERT_EQ(SHOAL_OK, shl_tree_build(&input, &libc_memory, &t));
        ASSERT(tree_valid(&t, &libc_memory) && holds_all(&t, &m));
        uint32_t node = t.first[0]; // left child of the root, and its last triangle
        while (!t.leaf[node])
            node = t.first[node] + t.count[node] - 1;
        const double share = (double)(t.first[node] + t.count[node]) / (2 * ALONG);
        ASSERT(with ? fabs(share - 0.3) < 0.02 : fabs(share - 0.5) < 0.1);
        shl_tree_finish(&t, &libc_memory);
    }
    free(field);
    mesh_free(&m);
    PASS();
}

SUITE(builders)
{
    RUN_TEST(usual_meshes);
    RUN_TEST(odd_meshes);
    RUN_TEST(extreme_coordinates);
    RUN_TEST(patches_hang_together);
    RUN_TEST(neighbours_are_mutual);
    RUN_TEST(poses_know_what_moves);
    RUN_TEST(cost_is_what_it_says);
    RUN_TEST(surface_area_fills_nodes);
    RUN_TEST(gaps_are_respected);
    RUN_TEST(fields_choose_the_first_split);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    libc_memory = shl_allocator_libc();
    shl_kernels_init(&kernels, SHOAL_CPU_AVX2);
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(builders);
    GREATEST_MAIN_END();
}
