// SPDX-License-Identifier: MIT
// Sheets: what is proved apart is apart, whatever the mesh and the pose.
#include "mesh_oracle.h"
#include "runtime/kinds/free/free.h"
#include "runtime/trees/build.h"
#include "runtime/trees/self_cull.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDE = 26,
    LONG = 30,
    ROW = WIDE + 1,
    VERTICES = ROW * (LONG + 1),
    TRIANGLES = 2 * WIDE * LONG
};

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

// A grid over the unit square; `rough` ones lack some triangles and have some turned over.
static uint32_t grid(bool rough, uint32_t *triangles)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LONG; i++) {
        for (uint32_t j = 0; j < WIDE; j++) {
            const uint32_t a = i * ROW + j, b = a + ROW;
            const uint32_t cell[6] = {a, b, a + 1, a + 1, b, b + 1};
            for (int k = 0; k < 2; k++) {
                if (rough && uniform() < 0.01)
                    continue;
                const int turn = rough && uniform() < 0.01;
                const uint32_t tri[3] = {cell[3 * k], cell[3 * k + 1 + turn],
                                         cell[3 * k + 2 - turn]};
                memcpy(triangles + 3 * count++, tri, sizeof tri);
            }
        }
    }
    return count;
}

// Rest shapes: flat, flat and uneven, a tunnel, folded over itself.
enum { REST_SHAPES = 4 };
static void rest_shape(int which, double *xyz)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        double s = (double)(v / ROW) / LONG, t = (double)(v % ROW) / WIDE;
        double *p = xyz + 3 * v;
        if (which == 1) {
            s += 0.01 * uniform();
            t += 0.01 * uniform();
        }
        p[0] = which == 2 ? 0.3 * cos(4 * s) : which == 3 ? fabs(s - 0.5) : s;
        p[1] = t;
        p[2] = which == 2 ? 0.3 * sin(4 * s) : which == 3 ? 0.01 * s : 0;
    }
}

// Poses: as it lies, drawn back over itself, waves that fold, crumpled, far away and turned.
enum { POSES = 20 };
static void pose(int which, float *xyz)
{
    const double amount = (which / 5 + 1) / 4.0;
    double back = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        const double s = (double)(v / ROW) / LONG, t = (double)(v % ROW) / WIDE;
        double p[3] = {s, t, 0};
        // at first forwards, then slowly back, in one plane
        if (which % 5 == 1)
            p[0] = s < 0.5 ? s : 0.5 - amount * (s - 0.5);
        if (which % 5 == 2) {
            p[0] = 0.5 * sin(9 * s) * amount + s * (1 - amount);
            p[2] = 0.2 * amount * cos(11 * s + 3 * t);
        }
        for (int k = 0; which % 5 == 3 && k < 3; k++)
            p[k] += amount * amount * (uniform() - 0.5) * 0.3;
        if (which % 5 == 4) {
            back = p[0];
            p[0] = 0.6 * p[0] - 0.8 * p[1] + 1000 * amount;
            p[1] = 0.8 * back + 0.6 * p[1];
            p[2] = amount * p[0] + 0.1 * sin(20 * t);
        }
        for (int k = 0; k < 3; k++)
            xyz[3 * v + (uint32_t)k] = (float)p[k];
    }
}

// --- Whole steps. ---

typedef struct outcome {
    shoal_pair *pairs;
    size_t count;
    uint64_t hash, node_pairs;
} outcome;

static shoal_context *context;

// The same positions in either precision.
static shoal_positions positions_of(const float *xyz, bool wide)
{
    static double doubles[3 * VERTICES];
    for (int i = 0; i < 3 * VERTICES; i++)
        doubles[i] = (double)xyz[i];
    return wide ? shoal_positions_f64(doubles, VERTICES) : shoal_positions_f32(xyz, VERTICES);
}

static outcome step(const uint32_t *triangles, uint32_t count, const double *rest,
                    const shoal_positions *p, bool self, shoal_strategy strategy)
{
    shoal_model_def model_def = shoal_model_def_default();
    model_def.triangles = triangles;
    model_def.triangle_count = count;
    model_def.rest = shoal_positions_f64(rest, p->count);
    model_def.self = self;
    shoal_scene_def scene_def = shoal_scene_def_default();
    scene_def.threads = 2;
    scene_def.strategy = strategy;
    shoal_model *model = NULL;
    shoal_scene *scene = NULL;
    shoal_body body;
    outcome out = {0};
    if (shoal_model_create(context, &model_def, &model) == SHOAL_OK &&
        shoal_scene_create(context, &scene_def, &scene) == SHOAL_OK &&
        shoal_scene_add_free(scene, model, &body) == SHOAL_OK &&
        shoal_scene_set_positions(scene, body, p) == SHOAL_OK &&
        shoal_scene_step(scene, SHOAL_QUERY_SELF) == SHOAL_OK) {
        const shoal_pairs found_self = shoal_scene_self_pairs(scene);
        out = (outcome){malloc((found_self.count + 1) * sizeof *out.pairs), found_self.count,
                        shoal_scene_hash(scene), shoal_scene_stats(scene).node_pairs};
        if (found_self.count)
            memcpy(out.pairs, found_self.rows, found_self.count * sizeof *out.pairs);
    }
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    return out;
}

TEST same_pairs_as_without(void)
{
    static uint32_t triangles[3 * TRIANGLES];
    static double rest[3 * VERTICES];
    static float xyz[3 * VERTICES];
    uint64_t pairs = 0, with = 0, without = 0;
    for (int i = 0; i < REST_SHAPES * 2 * POSES; i++) {
        const int shape = i / 2 % REST_SHAPES, which = i / (2 * REST_SHAPES);
        const uint32_t count = grid(i % 2, triangles);
        rest_shape(shape, rest);
        pose(which, xyz);
        const shoal_strategy strategy = (shoal_strategy)(which % 3);
        const shoal_positions p = positions_of(xyz, which % 7 == 0);
        const outcome a = step(triangles, count, rest, &p, false, strategy);
        const outcome b = step(triangles, count, rest, &p, true, strategy);
        ASSERT(a.pairs && b.pairs);
        ASSERT_EQ(a.hash, b.hash);
        ASSERT_EQ(a.count, b.count);
        ASSERT(b.node_pairs <= a.node_pairs);
        pairs += a.count;
        if (which % 5 == 0 && shape == 0 && i % 2 == 0) { // nothing to look for
            with += b.node_pairs;
            without += a.node_pairs;
        }
        free(a.pairs);
        free(b.pairs);
    }
    ASSERT(pairs > 50000);
    ASSERT(5 * with < without);
    PASS();
}

TEST same_pairs_as_the_oracle(void)
{
    static uint32_t triangles[3 * TRIANGLES];
    static double rest[3 * VERTICES], doubles[3 * VERTICES];
    static float xyz[3 * VERTICES];
    for (int which = 1; which < 20; which += 6) {
        const uint32_t count = grid(which > 10, triangles);
        rest_shape(0, rest);
        pose(which, xyz);
        for (int i = 0; i < 3 * VERTICES; i++)
            doubles[i] = (double)xyz[i];
        const oracle_mesh judge = {doubles, VERTICES, triangles, count};
        oracle_pair *truth = NULL;
        const size_t truths = oracle_self_pairs(&judge, false, &truth);
        const shoal_positions p = positions_of(xyz, false);
        const outcome found = step(triangles, count, rest, &p, true, SHOAL_STRATEGY_HYBRID);
        ASSERT_EQ(truths, found.count);
        ASSERT(truths == 0 || memcmp(found.pairs, truth, truths * sizeof *truth) == 0);
        free(found.pairs);
        free(truth);
    }
    PASS();
}

// A small sheet that lies on a line. Rounded to floats, edges of 0.3 and 0.6 of the
// smallest one are 0 and 1 of it, and span a plane.
TEST no_size_is_too_small(void)
{
    enum { SIDE = 10, CORNERS = (SIDE + 1) * (SIDE + 1) };
    static const int rests[] = {-120, -99, -60, -41, -39, 0, 99}, places[] = {-149, -146, -60};
    uint32_t triangles[6 * SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t v = i / SIDE * (SIDE + 1) + i % SIDE, up = v + SIDE + 1;
        const uint32_t two[6] = {v, v + 1, up + 1, v, up + 1, up};
        memcpy(triangles + 6 * i, two, sizeof two);
    }
    for (int i = 0; i < 21; i++) {
        double rest[3 * CORNERS], xyz[3 * CORNERS];
        for (int v = 0; v < CORNERS; v++) {
            const double s = v % (SIDE + 1), t = v / (SIDE + 1) * 1.0;
            const double flat[3] = {s, t, 0}, line[3] = {s + 2 * t, 0.3 * s + 0.6 * t, 0};
            for (int k = 0; k < 3; k++) {
                rest[3 * v + k] = ldexp(flat[k], rests[i / 3]);
                xyz[3 * v + k] = ldexp(line[k], places[i % 3]);
            }
        }
        const shoal_positions p = shoal_positions_f64(xyz, CORNERS);
        const outcome a =
            step(triangles, 2 * SIDE * SIDE, rest, &p, false, SHOAL_STRATEGY_HYBRID);
        const outcome b =
            step(triangles, 2 * SIDE * SIDE, rest, &p, true, SHOAL_STRATEGY_HYBRID);
        ASSERT(a.pairs && b.pairs && a.count > 1000);
        ASSERT_EQ_FMT(a.count, b.count, "%zu");
        ASSERT_EQ(a.hash, b.hash);
        free(a.pairs);
        free(b.pairs);
    }
    PASS();
}

// Positions that stay while the query comes and goes, and that change while nobody asks.
TEST gradients_are_never_stale(void)
{
    static uint32_t triangles[3 * TRIANGLES];
    static double rest[3 * VERTICES];
    static float xyz[3 * VERTICES];
    rest_shape(0, rest);
    shoal_model_def model_def = shoal_model_def_default();
    model_def.triangles = triangles;
    model_def.triangle_count = grid(false, triangles);
    model_def.rest = shoal_positions_f64(rest, VERTICES);
    model_def.self = true;
    const shoal_scene_def scene_def = shoal_scene_def_default();
    shoal_model *model = NULL;
    shoal_scene *scene = NULL;
    shoal_body body;
    ASSERT_EQ(SHOAL_OK, shoal_model_create(context, &model_def, &model));
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(context, &scene_def, &scene));
    ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &body));
    static const uint8_t queries[] = {SHOAL_QUERY_SELF, SHOAL_QUERY_PAIRS, SHOAL_QUERY_SELF,
                                      SHOAL_QUERY_SELF_ADJACENT, SHOAL_QUERY_SELF};
    for (int i = 0; i < 30; i++) {
        if (i % 3 != 2)
            pose(i % 2 ? 0 : 1 + 5 * (i % 7), xyz);
        const shoal_positions p = shoal_positions_f32(xyz, VERTICES);
        if (i % 3 != 2)
            ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, body, &p));
        const uint32_t asked = queries[i % 5];
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, asked));
        if (asked != SHOAL_QUERY_SELF)
            continue;
        const shoal_positions now = positions_of(xyz, false);
        const outcome fresh =
            step(triangles, model_def.triangle_count, rest, &now, false, SHOAL_STRATEGY_HYBRID);
        ASSERT_EQ(fresh.hash, shoal_scene_hash(scene));
        free(fresh.pairs);
    }
    shoal_scene_destroy(scene);
    shoal_model_destroy(model);
    PASS();
}

// --- Parts. ---

typedef struct made {
    shl_tree tree;
    shl_certificate certificate;
    double rest[3 * VERTICES]; // tree order
} made;

static made make(bool rough, int shape)
{
    static uint32_t triangles[3 * TRIANGLES];
    static double rest[3 * VERTICES];
    const shoal_allocator allocator = shl_allocator_libc();
    made m = {0};
    rest_shape(shape, rest);
    const shl_build_input input = {.triangles = triangles,
                                   .xyz = rest,
                                   .triangle_count = grid(rough, triangles),
                                   .vertex_count = VERTICES};
    if (shl_tree_build(&input, &allocator, &m.tree) != SHOAL_OK)
        abort();
    for (int i = 0; i < 3 * VERTICES; i++)
        m.rest[i] = rest[3 * m.tree.order[i / 3] + (uint32_t)(i % 3)];
    if (shl_certificate_build(&m.tree, m.rest, &allocator, &m.certificate) != SHOAL_OK)
        abort();
    return m;
}

static void finish(made *m)
{
    const shoal_allocator allocator = shl_allocator_libc();
    shl_tree_finish(&m->tree, &allocator);
    shl_certificate_finish(&m->certificate, &allocator);
}

static long double plane(const double *p, int axis, int i)
{
    return (long double)p[(axis + 1 + i) % 3];
}

// The gradients of a triangle, in long double, against what the bounds say.
static bool bounded(const made *m, uint32_t leaf, uint32_t row, const float *xyz,
                    const shl_gradients *g)
{
    const uint32_t *v = m->tree.tri[row].v;
    const int axis = m->certificate.axis[leaf];
    long double e[2][2], f[2][3];
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < 2; i++)
            e[c][i] =
                plane(m->rest + 3 * v[c + 1], axis, i) - plane(m->rest + 3 * v[0], axis, i);
        for (int k = 0; k < 3; k++)
            f[c][k] = (long double)xyz[3 * v[c + 1] + (uint32_t)k] -
                      (long double)xyz[3 * v[0] + (uint32_t)k];
    }
    const long double det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    bool good = true;
    for (int k = 0; k < 3; k++) {
        const long double d0 = (f[0][k] * e[1][1] - f[1][k] * e[0][1]) / det;
        const long double d1 = (f[1][k] * e[0][0] - f[0][k] * e[1][0]) / det;
        good &= g->lo[k] <= d0 && d0 <= g->hi[k];
        good &= g->lo[3 + k] <= d1 && d1 <= g->hi[3 + k];
    }
    return good;
}

TEST gradients_are_bounded(void)
{
    static float xyz[3 * VERTICES];
    shl_kernels kernels;
    shl_kernels_init(&kernels, SHOAL_CPU_BEST);
    uint32_t looked = 0;
    for (int i = 0; i < REST_SHAPES * 4; i++) {
        made m = make(i % 2, i % REST_SHAPES);
        for (int k = 0; k < 3 * VERTICES; k++)
            xyz[k] = (float)(uniform() + (i % 3 ? 0 : 100));
        for (uint32_t n = 0; n < m.tree.node_count; n++) {
            if (!m.tree.leaf[n] || m.certificate.axis[n] == SHL_NO_AXIS)
                continue;
            for (uint32_t k = 0; k < m.tree.count[n]; k++) {
                shl_tree one = m.tree; // a leaf of this triangle alone
                uint32_t first = m.tree.first[n] + k;
                uint8_t count = 1;
                float inverse[4 * SHL_LANES];
                for (int j = 0; j < 4 * SHL_LANES; j++)
                    inverse[j] =
                        m.certificate
                            .inverse[((size_t)m.certificate.slot[n] * 4 + (size_t)j / 8) *
                                         SHL_LANES +
                                     k];
                one.first = &first;
                one.count = &count;
                shl_gradients g;
                kernels.leaf_gradients(&one, xyz, SHOAL_F32, 0, inverse, &g);
                ASSERT(bounded(&m, n, first, xyz, &g));
                looked++;
            }
        }
        finish(&m);
    }
    ASSERT(looked > 15000);
    PASS();
}

static bool contains(const made *m, uint32_t row, int axis, const double p[2])
{
    const uint32_t *v = m->tree.tri[row].v;
    int above = 0, below = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = m->rest + 3 * v[k], *b = m->rest + 3 * v[(k + 1) % 3];
        const long double s =
            (plane(a, axis, 0) - (long double)p[0]) * (plane(b, axis, 1) - (long double)p[1]) -
            (plane(a, axis, 1) - (long double)p[1]) * (plane(b, axis, 0) - (long double)p[0]);
        above += s > 0;
        below += s < 0;
    }
    return above == 3 || below == 3;
}

// How many triangles of a node lie over a point; the node's box grows if asked for.
static uint32_t over(const made *m, uint32_t node, int axis, const double p[2], double box[4])
{
    const shl_tree *t = &m->tree;
    uint32_t count = 0;
    const uint32_t first = t->leaf[node] ? node : t->first[node];
    const uint32_t last = t->leaf[node] ? node : t->first[node] + t->count[node] - 1u;
    for (uint32_t row = t->first[first]; row < t->first[last] + t->count[last]; row++) {
        count += p && contains(m, row, axis, p);
        for (int k = 0; box && k < 6; k++) {
            const double x = (double)plane(m->rest + 3 * t->tri[row].v[k / 2], axis, k % 2);
            box[k % 2] = fmin(box[k % 2], x);
            box[2 + k % 2] = fmax(box[2 + k % 2], x);
        }
    }
    return count;
}

// Over every place of a cover's rectangle lies one triangle.
TEST covers_are_injective(void)
{
    uint32_t covers = 0;
    for (int i = 0; i < 2 * REST_SHAPES; i++) {
        made m = make(i % 2, i / 2);
        const shl_certificate *s = &m.certificate;
        for (uint32_t n = 0; n < m.tree.node_count; n++) {
            if (s->cover_begin[n] == s->cover_begin[n + 1])
                continue;
            const int axis = s->axis[m.tree.leaf[n] ? n : m.tree.first[n]];
            double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
            over(&m, n, axis, NULL, box);
            for (uint32_t j = s->near_begin[n]; j < s->near_begin[n + 1]; j++)
                over(&m, s->near[j], axis, NULL, box);
            for (int point = 0; point < 20; point++) {
                const double p[2] = {box[0] + uniform() * (box[2] - box[0]),
                                     box[1] + uniform() * (box[3] - box[1])};
                uint32_t count = 0;
                for (uint32_t j = s->cover_begin[n]; j < s->cover_begin[n + 1]; j++)
                    count += over(&m, s->cover[j], axis, p, NULL);
                // a leaf of a fold may lie there twice, but only one part hangs together
                ASSERT(count == 1 || (i / 2 == 3 && count == 2));
            }
            covers++;
        }
        finish(&m);
    }
    ASSERT(covers > 300);
    PASS();
}

// Where the proof ends: the radius reaches the smallest singular value.
TEST radius_against_singular_value(void)
{
    for (int i = 0; i < 1000; i++) {
        // columns of length a and c at an angle: s^2 is the smaller root
        const double a = 0.1 + uniform(), c = 0.1 + uniform(), angle = 0.2 + 2.5 * uniform();
        const double p = a * a, q = c * c, b = a * c * cos(angle);
        const double s = sqrt(0.5 * (p + q) - sqrt(0.25 * (p - q) * (p - q) + b * b));
        const double centre[6] = {a, 0, 0, c * cos(angle), c * sin(angle), 0};
        for (int above = 0; above < 2; above++) {
            const double radius = s / sqrt(6) * (above ? 1.0001 : 0.9999);
            shl_gradients g = {0};
            for (int k = 0; k < 6; k++) {
                g.lo[k] = (float)(centre[k] - radius);
                g.hi[k] = (float)(centre[k] + radius);
            }
            ASSERT_EQ(!above, shl_free_cull_injective(&g));
        }
    }
    shl_gradients endless;
    for (int k = 0; k < 8; k++) {
        endless.lo[k] = -INFINITY;
        endless.hi[k] = INFINITY;
    }
    ASSERT_FALSE(shl_free_cull_injective(&endless));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    const shoal_context_def def = shoal_context_def_default();
    if (shoal_context_create(&def, &context) != SHOAL_OK)
        return 70;
    RUN_TEST(radius_against_singular_value);
    RUN_TEST(gradients_are_bounded);
    RUN_TEST(covers_are_injective);
    RUN_TEST(same_pairs_as_without);
    RUN_TEST(same_pairs_as_the_oracle);
    RUN_TEST(no_size_is_too_small);
    RUN_TEST(gradients_are_never_stale);
    shoal_context_destroy(context);
    GREATEST_MAIN_END();
}
