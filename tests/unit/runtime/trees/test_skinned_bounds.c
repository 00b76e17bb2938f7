// SPDX-License-Identifier: MIT
// Bounds of bodies that nodes carry, by the million: the exact box of what lies below every
// tree node is inside the box that the kernels give, for each of the twelve kinds of bounds, by
// the reference and by vectors. SHOAL_LONG=1 asks for 10^9 (tree node, state, kind) checks, as
// many of each kind, SHOAL_BOUNDS=N for N.
#include "worlds.h"

#include "greatest.h"
#include "inside.h"
#include "runtime/trees/build.h"
#include "runtime/trees/skinned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static shl_kernels kernels[2];

// What is bounded.
typedef struct subject {
    const char *name;
    int level; // of the ball; -1: a soup
    uint32_t nodes, arity;
    double reach; // of kernels; ball of radius 1
    bool equal;   // weights of a vertex are the same
    double far;   // where the rest shape is
    int steps;    // weights are multiples of one over this; 0: any
} subject;

static const subject subjects[] = {
    {"one node", 2, 1, 8, 1, false, 0, 0},
    {"two nodes", 2, 2, 8, 9, true, 0, 0},
    {"few nodes", 3, 12, 8, 1.2, false, 0, 0},
    {"many nodes", 3, 200, 2, 0.5, false, 0, 0},
    {"600 nodes", 3, 600, 8, 0.4, false, 0, 0},
    {"all equal", 2, 9, 4, 99, true, 0, 0}, // least and largest weights are the same
    {"a soup", -1, 30, 8, 0.7, false, 0, 0},
    {"a leaf", -2, 3, 8, 2, false, 0, 0},
    {"far at rest", 2, 20, 8, 1, false, 1e6, 0},
    {"far beyond", 2, 20, 8, 1, false, 1e29, 0},
    {"bytes", 3, 40, 8, 0.9, false, 0, 255},
    {"eighths", 3, 40, 4, 0.9, false, 0, 8}, // which bounds hold without rounding
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, KINDS = SHL_BLENDS * SHL_REGIONS };
static const char *const blend_names[SHL_BLENDS] = {"union", "corner", "knapsack", "dual"};
static const char *const region_names[SHL_REGIONS] = {"boxes", "clipped", "directions"};

typedef struct judged {
    world_mesh mesh;
    uint32_t node_count;
    double *nodes;
    uint32_t *weight_begin, *weight_control;
    float *weight;
    shl_tree tree;
    shl_skinned skinned;
    shl_skinned_body body;
    lone_body lone;
    shl_scratch scratch;
    double *xyz;      // [3 vertex_count] user order
    double (*box)[6]; // [tree nodes] exact
} judged;

static void *take(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory)
        abort();
    return memory;
}

static double distance_square(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

// To multiples of one over `steps`, the largest takes what is left to 1.
static void quantise(float *weight, uint32_t count, int steps)
{
    uint32_t most = 0;
    int left = steps;
    for (uint32_t i = 0; i < count; i++) {
        const int step = (int)((double)weight[i] * steps);
        left -= step;
        most = weight[i] > weight[most] ? i : most;
        weight[i] = (float)((double)step / steps);
    }
    weight[most] = (float)((double)weight[most] + (double)left / steps);
}

static void make_weights(const subject *about, judged *j)
{
    const uint32_t n = j->node_count, vertices = j->mesh.vertex_count;
    j->weight_begin = take((vertices + (size_t)1) * sizeof(uint32_t));
    j->weight_control = take((size_t)vertices * n * sizeof(uint32_t));
    j->weight = take((size_t)vertices * n * sizeof(float));
    uint32_t at = 0;
    for (uint32_t v = 0; v < vertices; v++) {
        const uint32_t begin = at, own = (uint32_t)((uint64_t)v * n / vertices);
        double sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            const double r = distance_square(j->mesh.rest + 3 * (size_t)v, j->nodes + 3 * i) /
                             (about->reach * about->reach);
            const double w = r < 1 ? (1 - r) * (1 - r) * (1 - r) : 0;
            if (!(w > 0) && i != own)
                continue;
            j->weight_control[at] = i;
            j->weight[at] = about->equal ? 1 : (float)fmax(w, 0.01);
            sum += (double)j->weight[at++];
        }
        for (uint32_t e = begin; e < at; e++)
            j->weight[e] = (float)((double)j->weight[e] / sum);
        if (about->steps)
            quantise(j->weight + begin, at - begin, about->steps);
        j->weight_begin[v + 1] = at;
    }
}

static void begin(const subject *about, judged *j)
{
    const shoal_allocator memory = shl_allocator_libc();
    uint64_t seed = 5;
    memset(j, 0, sizeof *j);
    j->mesh = about->level >= 0    ? mesh_ball(about->level, seed)
              : about->level == -1 ? mesh_soup(300, 0.2, seed)
                                   : mesh_soup(5, 0.5, seed);
    for (size_t i = 0; i < 3 * (size_t)j->mesh.vertex_count; i++)
        j->mesh.rest[i] += about->far;
    const uint32_t vertices = j->mesh.vertex_count;
    j->node_count = about->nodes < vertices ? about->nodes : vertices;
    j->nodes = take(3 * j->node_count * sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)j->node_count; i++)
        j->nodes[i] = j->mesh.rest[3 * (i / 3 * vertices / j->node_count) + i % 3] +
                      0.1 * world_unit(&seed);
    make_weights(about, j);
    const shl_build_input in = {.triangles = j->mesh.tri,
                                .xyz = j->mesh.rest,
                                .triangle_count = j->mesh.triangle_count,
                                .vertex_count = vertices,
                                .arity = about->arity};
    const shl_skinned_input skinned = {.xyz = j->mesh.rest,
                                       .at = j->nodes,
                                       .weight_begin = j->weight_begin,
                                       .weight_point = j->weight_control,
                                       .weight = j->weight,
                                       .point_count = j->node_count};
    if (shl_tree_build(&in, &memory, &j->tree) ||
        shl_skinned_build(&j->tree, &skinned, &memory, &j->skinned) ||
        shl_array_reserve(&j->body.maps, 12 * j->node_count * sizeof(double), 0, &memory) ||
        shl_array_reserve(&j->body.ready, shl_skinned_ready_bytes(&j->skinned), 0, &memory) ||
        shl_array_reserve(&j->scratch.kernel_buffer, shl_skinned_scratch_bytes(&j->skinned), 0,
                          &memory))
        abort();
    j->body.tree = &j->tree;
    j->body.model = &j->skinned;
    j->xyz = take(3 * (size_t)vertices * sizeof(double));
    j->box = take(j->tree.node_count * sizeof *j->box);
}

static void end(judged *j)
{
    const shoal_allocator memory = shl_allocator_libc();
    mesh_free(&j->mesh);
    free(j->nodes);
    free(j->weight_begin);
    free(j->weight_control);
    free(j->weight);
    shl_tree_finish(&j->tree, &memory);
    shl_skinned_finish(&j->skinned, &memory);
    shl_array_finish(&j->body.maps, &memory);
    shl_array_finish(&j->body.ready, &memory);
    shl_array_finish(&j->scratch.kernel_buffer, &memory);
    free(j->xyz);
    free(j->box);
}

// --- The oracle: all vertices by the formula of shoal/skinned.h, and boxes of nodes. ---

static void find_boxes(judged *j)
{
    const double *maps = j->body.maps.data;
    for (size_t v = 0; v < j->mesh.vertex_count; v++) {
        const double *p = j->mesh.rest + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            double g[4] = {0};
            for (uint32_t e = j->weight_begin[v]; e < j->weight_begin[v + 1]; e++) {
                for (size_t l = 0; l < 4; l++)
                    g[l] += (double)j->weight[e] * maps[12 * j->weight_control[e] + 4 * k + l];
            }
            j->xyz[3 * v + k] = p[k] + ((g[0] * p[0] + g[1] * p[1]) + (g[2] * p[2] + g[3]));
        }
    }
    const shl_tree *t = &j->tree;
    for (uint32_t n = t->node_count; n-- > 0;) {
        double *box = j->box[n];
        for (int k = 0; k < 3; k++) {
            box[k] = INFINITY;
            box[3 + k] = -INFINITY;
        }
        for (uint32_t i = 0; i < t->count[n]; i++) {
            const uint32_t row = t->first[n] + i;
            for (size_t c = 0; c < 9; c++) {
                const double *tri = j->xyz;
                const double lo =
                    t->leaf[n]
                        ? tri[3 * (size_t)j->mesh.tri[3 * (size_t)t->tri[row].id + c / 3] +
                              c % 3]
                        : j->box[row][c % 3];
                const double hi = t->leaf[n] ? lo : j->box[row][3 + c % 3];
                box[c % 3] = fmin(box[c % 3], lo);
                box[3 + c % 3] = fmax(box[3 + c % 3], hi);
            }
        }
    }
}

// --- States: turned, mirrored, flattened and torn apart, of all sizes and at all places. ---

static void draw_state(judged *j, uint64_t *seed)
{
    static const double sizes[] = {1, 1, 1, 0, 1e-30, 1e-3, 10, 1e6, 1e20, 1e33, 1e200};
    static const double wilds[] = {0, 1e-6, 0.01, 0.1, 0.5, 2};
    static const double fars[] = {0, 0, 1, 1e3, 1e6, 1e20, 1e39};
    const double size = sizes[world_random(seed) % (sizeof sizes / sizeof *sizes)];
    const double wild = wilds[world_random(seed) % (sizeof wilds / sizeof *wilds)];
    const double far = fars[world_random(seed) % (sizeof fars / sizeof *fars)];
    const uint64_t odd = world_random(seed) % 4;
    double turn[9], at[3], *maps = j->body.maps.data;
    world_turn(seed, turn);
    for (int k = 0; k < 3; k++)
        at[k] = far * world_unit(seed);
    for (uint32_t i = 0; i < j->node_count; i++) {
        double own[9];
        memcpy(own, turn, sizeof own);
        if (odd == 1)
            world_turn(seed, own); // each node turns for itself
        for (int k = 0; k < 3; k++) {
            double *g = maps + 12 * i + 4 * (size_t)k;
            for (int l = 0; l < 3; l++) {
                double a = own[3 * k + l] + wild * world_unit(seed);
                a *= odd == 2 && i % 2 && l == 0 ? -1 : 1;
                a *= odd == 3 && i % 3 == 0 && k == 2 ? 0 : 1;
                g[l] = size * a - (k == l);
            }
            g[3] = at[k] + size * wild * world_unit(seed);
        }
    }
}

static bool inside(const double *exact, const float *lo, const float *hi, size_t stride)
{
    bool good = true;
    for (size_t k = 0; k < 3; k++)
        good &= (double)lo[k * stride] <= exact[k] && exact[3 + k] <= (double)hi[k * stride];
    return good;
}

// How many nodes were judged; 0 after a vertex outside of a box.
static uint64_t judge(judged *j, const shl_kernels *k)
{
    const shl_tree *t = &j->tree;
    shl_skinned_update(k, &j->body, lone_bodies(&j->lone), &j->scratch);
    bool good =
        !(j->lone.flags & SHL_BODY_BAD) && inside(j->box[0], j->lone.box.lo, j->lone.box.hi, 1);
    uint64_t looked = 1;
    for (uint32_t n = 0; n < t->node_count && !(j->lone.flags & SHL_BODY_UNBOUNDED); n++) {
        shl_block block;
        if (t->leaf[n])
            continue;
        shl_skinned_bound(k, &j->body, n, &j->scratch, &block);
        for (uint32_t lane = 0; lane < t->count[n]; lane++)
            good &= inside(j->box[t->first[n] + lane], &block.lo[0][lane], &block.hi[0][lane],
                           SHL_LANES);
        looked += t->count[n];
    }
    return good ? looked : 0;
}

static uint64_t wanted(void)
{
    const char *text = getenv("SHOAL_BOUNDS"), *more = getenv("SHOAL_LONG");
    return text ? strtoull(text, NULL, 10) : more ? 1000000000u : 1000000u;
}

// One state, each kind of bounds. The reference does one state in 32: it is slow, and
// tests/check.c holds vectors to its very bits.
static bool judge_kinds(judged *j, const char *name, uint64_t state, uint64_t looked[KINDS])
{
    for (int kind = 0; kind < KINDS; kind++) {
        j->skinned.blend = (shl_blend)(kind % SHL_BLENDS);
        j->skinned.region = (shl_region)(kind / SHL_BLENDS);
        const uint64_t n = judge(j, &kernels[state % 32 ? 1 : 0]);
        looked[kind] += n;
        if (!n) {
            printf("%s: %s, %s, state %ju\n", name, blend_names[kind % SHL_BLENDS],
                   region_names[kind / SHL_BLENDS], (uintmax_t)state);
            return false;
        }
    }
    return true;
}

static uint64_t all_looked[KINDS];

TEST nothing_is_outside(const subject *about)
{
    judged j;
    begin(about, &j);
    uint64_t seed = 99, wide = 0, states = 0, looked[KINDS] = {0};
    const uint64_t share = wanted() / SUBJECTS / KINDS + 1;
    bool good = true;
    for (; good && (looked[0] < share || states < 50); states++) {
        draw_state(&j, &seed);
        find_boxes(&j);
        good = judge_kinds(&j, about->name, states, looked);
        wide += (j.lone.flags & SHL_BODY_UNBOUNDED) != 0;
    }
    end(&j);
    for (int kind = 0; kind < KINDS; kind++)
        all_looked[kind] += looked[kind];
    ASSERT(good);
    ASSERTm("some states have boxes of their own", wide < states);
    PASS();
}

TEST enough_was_looked_at(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        printf("%s, %s: %ju pairs of a node and a state\n", blend_names[kind % SHL_BLENDS],
               region_names[kind / SHL_BLENDS], (uintmax_t)all_looked[kind]);
        ASSERT(all_looked[kind] >= wanted() / KINDS);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shl_kernels_init(&kernels[0], SHOAL_CPU_REF);
    shl_kernels_init(&kernels[1], SHOAL_CPU_BEST);
    for (size_t i = 0; i < SUBJECTS; i++)
        RUN_TEST1(nothing_is_outside, &subjects[i]);
    RUN_TEST(enough_was_looked_at);
    GREATEST_MAIN_END();
}
