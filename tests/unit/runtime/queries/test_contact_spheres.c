// SPDX-License-Identifier: MIT
// Contact spheres: they contain their bodies, contacts are those of brute force over all
// spheres and triangles, and no way through the library changes a bit of them.
#include "contact_world.h"

#include "greatest.h"
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct play {
    shoal_context *ctx;
    shoal_scene *scene;
    shoal_body body[BODIES];
} play;

// How a world is played; all zero is fine.
typedef struct setup {
    shoal_cpu cpu;
    shoal_executor executor;
    uint32_t threads;
    shoal_bounds bounds;
    shoal_broad broad;
    bool rebuild;  // free bodies get new trees in every step
    uint32_t tree; // of the models: 0 the default, else narrow ones by other builders
} setup;

static bool begin(play *p, setup how)
{
    *p = (play){0};
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = how.cpu;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = how.executor;
    sd.threads = how.threads;
    sd.broad = how.broad;
    sd.rebuild_ratio = how.rebuild ? 0.5 : sd.rebuild_ratio;
    if (shoal_context_create(&cd, &p->ctx) || shoal_scene_create(p->ctx, &sd, &p->scene))
        return false;
    for (uint32_t b = 0; b < BODIES; b++) {
        shoal_model_def def = shoal_model_def_default();
        def.triangles = mesh[b].tri;
        def.triangle_count = mesh[b].triangle_count;
        def.rest = shoal_positions_f64(mesh[b].rest, mesh[b].vertex_count);
        def.reducible = reduced[b].used;
        def.fields = reduced[b].fields;
        def.field_count = reduced[b].used ? reduced[b].field_count : 0;
        def.bounds = how.bounds;
        def.builder = (shoal_builder)how.tree; // none that needs poses
        def.arity = 8u >> how.tree;
        def.sphere_level = levels[b] < 0 ? -1 : levels[b];
        shoal_model *model = NULL;
        if (shoal_model_create(p->ctx, &def, &model) ||
            (reduced[b].used ? shoal_scene_add_reduced(p->scene, model, &p->body[b])
                             : shoal_scene_add_free(p->scene, model, &p->body[b])))
            return false;
        shoal_model_destroy(model);
    }
    return true;
}

static bool step(play *p, uint32_t s, uint32_t queries)
{
    for (uint32_t b = 0; b < BODIES; b++) {
        shoal_positions v = shoal_positions_f64(free_xyz[s][b], mesh[b].vertex_count);
        float *narrow = NULL;
        if (b == 2) { // one of the free bodies is float32
            narrow = malloc(3 * sizeof(float) * mesh[b].vertex_count);
            for (size_t i = 0; i < 3 * (size_t)mesh[b].vertex_count; i++)
                narrow[i] = (float)free_xyz[s][b][i];
            v = shoal_positions_f32(narrow, mesh[b].vertex_count);
        }
        const shoal_status st = reduced[b].used
                                    ? set_state(p->scene, p->body[b], &reduced[b], s)
                                    : shoal_scene_set_positions(p->scene, p->body[b], &v);
        free(narrow);
        if (st)
            return false;
    }
    return shoal_scene_step(p->scene, queries) == SHOAL_OK;
}

static void end(play *p)
{
    shoal_scene_destroy(p->scene);
    shoal_context_destroy(p->ctx);
}

static const shl_reduced *model_at(const play *p, uint32_t b)
{
    return inside_reduced(p->scene, b)->model;
}

enum { CONTACTS_MAX = 2000000 };

static enum greatest_test_res compare(const play *p, uint32_t s, const rules *who,
                                      shoal_sphere_contact *want, size_t found[2])
{
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(p->scene);
    const size_t n = contacts_by_force(p->scene, s, who, want, found);
    ASSERT_EQ_FMT(n, contacts.count, "%zu");
    for (size_t i = 0; i < n; i++)
        ASSERT_MEM_EQ(&want[i], &contacts.rows[i], sizeof *want);
    PASS();
}

TEST as_brute_force(double far, shoal_cpu cpu, uint32_t tree)
{
    make_world(far);
    play p;
    ASSERT(begin(&p, (setup){.cpu = cpu, .threads = 2, .tree = tree}));
    shoal_sphere_contact *want = malloc(CONTACTS_MAX * sizeof *want);
    ASSERT(want);
    size_t found[2] = {0, 0};
    for (uint32_t s = 0; s < STEPS; s++) {
        ASSERT(step(&p, s, SHOAL_QUERY_SPHERES));
        ASSERT_EQ(0, shoal_scene_pairs(p.scene).count + shoal_scene_first_pairs(p.scene).count +
                         shoal_scene_self_pairs(p.scene).count +
                         shoal_scene_bad_bodies(p.scene).count);
        CHECK_CALL(compare(&p, s, NULL, want, found));
    }
    ASSERT(found[0] > 1000 && found[1] > 1000);
    free(want);
    end(&p);
    drop_world();
    PASS();
}

// Rules change while bodies rest, and bodies move while rules stay.
TEST under_rules(shoal_executor executor, shoal_broad broad)
{
    make_world(0);
    play p;
    ASSERT(begin(&p, (setup){.executor = executor, .threads = 2, .broad = broad}));
    shoal_sphere_contact *want = malloc(CONTACTS_MAX * sizeof *want);
    ASSERT(want);
    static rules who;
    rules_reset(&who);
    uint64_t lot = 77 + 10 * executor + broad;
    size_t found[2] = {0, 0}, kept_apart = 0;
    for (uint32_t round = 0; round < 6; round++) {
        const uint32_t s = round / 3;
        if (round % 3)
            rules_draw(&who, BODIES, &lot);
        ASSERT(rules_set(&who, p.scene, p.body, BODIES));
        ASSERT(round % 3 ? !shoal_scene_step(p.scene, SHOAL_QUERY_SPHERES)
                         : step(&p, s, SHOAL_QUERY_SPHERES));
        CHECK_CALL(compare(&p, s, &who, want, found));
        for (uint32_t a = 0; a < BODIES; a++) {
            for (uint32_t b = a + 1; b < BODIES; b++)
                kept_apart += !rules_meet(&who, a, b);
        }
    }
    ASSERT(found[0] > 1000 && found[1] > 1000 && kept_apart > BODIES);
    free(want);
    end(&p);
    drop_world();
    PASS();
}

static bool in_some_sphere(const shl_reduced *m, uint32_t b, uint32_t s, const double x[3])
{
    for (uint32_t i = 0; i < m->sphere_count; i++) {
        double y[4];
        sphere_of(m, b, s, i, y);
        if (hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) <= y[3] * (1 + 1e-12))
            return true;
    }
    return false;
}

// Every vertex is in some sphere, and levels have the spheres they should.
TEST bodies_are_wrapped(uint32_t tree)
{
    make_world(0);
    play p;
    ASSERT(begin(&p, (setup){.executor = SHOAL_EXECUTOR_SERIAL, .tree = tree}));
    for (uint32_t b = 0; b < BODIES; b++) {
        if (levels[b] < 0)
            continue;
        const shl_reduced *m = model_at(&p, b);
        ASSERT(m->sphere_count >= 1 && m->sphere_count <= 1u << levels[b]);
        ASSERT(levels[b] > 5 || m->sphere_count > (1u << levels[b]) / 2);
        for (uint32_t s = 0; s < STEPS; s++) {
            for (uint32_t v = 0; v < mesh[b].vertex_count; v++) {
                double x[3];
                vertex_of(b, s, v, x);
                ASSERT(in_some_sphere(m, b, s, x));
            }
        }
    }
    end(&p);
    drop_world();
    PASS();
}

// Spheres are around pieces of triangles: what is between the vertices is in them, too.
TEST surfaces_are_wrapped(void)
{
    make_world(0);
    play p;
    ASSERT(begin(&p, (setup){.executor = SHOAL_EXECUTOR_SERIAL}));
    uint64_t seed = 5;
    for (uint32_t b = 0; b < BODIES; b++) {
        for (uint32_t look = 0; levels[b] >= 0 && look < 1500; look++) {
            const uint32_t s = look % STEPS, t = look * 7919 % mesh[b].triangle_count;
            const double u = fabs(world_unit(&seed)), v = (1 - u) * fabs(world_unit(&seed));
            double c[3][3], x[3];
            for (uint32_t i = 0; i < 3; i++)
                vertex_of(b, s, mesh[b].tri[3 * t + i], c[i]);
            for (int k = 0; k < 3; k++)
                x[k] = (1 - u - v) * c[0][k] + u * c[1][k] + v * c[2][k];
            ASSERT(in_some_sphere(model_at(&p, b), b, s, x));
        }
    }
    end(&p);
    drop_world();
    PASS();
}

// Neither builder nor arity changes a bit of the contacts.
TEST trees_do_not_matter(void)
{
    make_world(0);
    uint64_t want[STEPS] = {0};
    for (uint32_t tree = 0; tree < 3; tree++) {
        play p;
        ASSERT(begin(&p, (setup){.threads = 1, .tree = tree}));
        for (uint32_t s = 0; s < STEPS; s++) {
            ASSERT(step(&p, s, SHOAL_QUERY_SPHERES));
            const uint64_t hash = shoal_scene_hash(p.scene);
            ASSERT(shoal_scene_sphere_contacts(p.scene).count > 0);
            want[s] = tree ? want[s] : hash;
            ASSERT_EQ(want[s], hash);
        }
        end(&p);
    }
    drop_world();
    PASS();
}

// Numbers of the spheres below a node, by the rule of layouts/models/reduced.h.
static void range_of(const shl_reduced *m, uint32_t node, uint32_t *begin, uint32_t *end)
{
    uint32_t lo = node, hi = node;
    while (lo < m->sphere_nodes)
        lo = m->sphere_first[lo];
    while (hi < m->sphere_nodes)
        hi = m->sphere_first[hi + 1] - 1;
    *begin = lo - m->sphere_nodes;
    *end = hi + 1 - m->sphere_nodes;
}

// Spheres are in the boxes of all nodes above them, and every sphere is below one node a level.
TEST nodes_hold_their_spheres(shoal_cpu cpu, double far)
{
    make_world(far);
    play p;
    ASSERT(begin(&p, (setup){.executor = SHOAL_EXECUTOR_SERIAL, .cpu = cpu}));
    size_t looked = 0;
    for (uint32_t s = 0; s < STEPS; s++) {
        ASSERT(step(&p, s, SHOAL_QUERY_SPHERES));
        for (uint32_t b = 0; b < BODIES; b++) {
            if (levels[b] < 0)
                continue;
            const shl_reduced *m = model_at(&p, b);
            shl_view body;
            shl_sphere_cache *spheres = inside_enter_spheres(p.scene, b, &body);
            ASSERT(spheres);
            size_t below = 0, lowest = 0;
            for (uint32_t n = 0; n < m->sphere_nodes; n++) {
                const shl_lanes lanes = shl_sphere_cache_open(spheres, &body, n);
                for (uint32_t child = lanes.first; child < m->sphere_first[n + 1]; child++) {
                    uint32_t begin, end;
                    range_of(m, child, &begin, &end);
                    below += end - begin;
                    lowest += child >= m->sphere_nodes;
                    for (uint32_t i = begin; i < end; i++, looked++) {
                        double x[4];
                        sphere_of(m, b, s, i, x);
                        for (int k = 0; k < 3; k++) {
                            const float *lo = lanes.block->lo[k], *hi = lanes.block->hi[k];
                            ASSERT((double)lo[child - lanes.first] <= x[k] - x[3]);
                            ASSERT((double)hi[child - lanes.first] >= x[k] + x[3]);
                            ASSERT((double)body.box->lo[k] <= x[k] - x[3]);
                            ASSERT((double)body.box->hi[k] >= x[k] + x[3]);
                        }
                    }
                }
            }
            ASSERT_EQ_FMT((size_t)m->sphere_count, lowest, "%zu");
            ASSERT_EQ_FMT((size_t)0, below % m->sphere_count, "%zu");
        }
    }
    ASSERT(looked > 1000);
    end(&p);
    drop_world();
    PASS();
}

// Every other body gets a fat box around where it is now.
static bool loosen(play *p)
{
    for (uint32_t b = 0; b < BODIES; b += 2) {
        const shl_box *box = &p->scene->bodies.box[b];
        float lo[3], hi[3];
        for (int k = 0; k < 3; k++) {
            const float by = 0.15f * (box->hi[k] - box->lo[k]);
            lo[k] = box->lo[k] - by;
            hi[k] = box->hi[k] + by;
        }
        if (shoal_scene_set_fat_box(p->scene, p->body[b], lo, hi))
            return false;
    }
    return true;
}

// Of reduced bodies nothing is learned and nothing built.
static bool trees_as_they_should_be(play *p, bool rebuild)
{
    bool good = true;
    for (uint32_t b = 0; b < BODIES; b++) {
        shoal_body_info info = {.quality = 1, .rebuilds = 1, .bytes = 1};
        good &= !shoal_scene_body_info(p->scene, p->body[b], &info);
        if (reduced[b].used)
            good &= info.quality == 0 && info.rebuilds == 0 && info.bytes == 0;
        else
            good &= info.quality > 0 && (info.rebuilds > 0) == rebuild;
    }
    return good;
}

TEST ways_do_not_matter(void)
{
    make_world(1e6);
    const uint32_t all = SHOAL_QUERY_SPHERES | SHOAL_QUERY_PAIRS | SHOAL_QUERY_SELF;
    uint64_t want[STEPS] = {0};
    size_t pairs[STEPS] = {0}, found = 0, fat = 0;
    for (int turn = 0; turn < 12; turn++) {
        play p;
        const setup how = {.cpu = turn % 2 ? SHOAL_CPU_REF : SHOAL_CPU_BEST,
                           .executor = (shoal_executor)(turn % 4),
                           .threads = 1 + (uint32_t)turn % 3,
                           .bounds = (shoal_bounds)(turn / 3),
                           .broad = (shoal_broad)(turn % 5),
                           .rebuild = turn % 3 == 1};
        ASSERT(begin(&p, how));
        for (uint32_t s = 0; s < STEPS; s++) {
            ASSERT(step(&p, s, SHOAL_QUERY_PAIRS));
            const size_t alone = shoal_scene_pairs(p.scene).count;
            ASSERT_EQ(0, shoal_scene_sphere_contacts(p.scene).count);
            if (turn > 5 && s == 0)
                ASSERT(loosen(&p));
            ASSERT(step(&p, s, all));
            const size_t count = shoal_scene_pairs(p.scene).count;
            want[s] = turn ? want[s] : shoal_scene_hash(p.scene);
            pairs[s] = turn ? pairs[s] : count;
            found += turn ? 0 : shoal_scene_sphere_contacts(p.scene).count;
            ASSERT_EQ(want[s], shoal_scene_hash(p.scene));
            ASSERT_EQ(pairs[s], count);
            ASSERT_EQ(alone, count);
            fat += shoal_scene_stats(p.scene).fat_used;
        }
        ASSERT(trees_as_they_should_be(&p, how.rebuild));
        end(&p);
    }
    ASSERT(found > 1000 && fat > 0);
    drop_world();
    PASS();
}

TEST steady_scenes_allocate_nothing(void)
{
    make_world(0);
    play p;
    ASSERT(begin(&p, (setup){.threads = 2}));
    for (uint32_t s = 0; s < 30; s++) {
        ASSERT(step(&p, s % 2, SHOAL_QUERY_SPHERES));
        ASSERT(s < 2 || shoal_scene_stats(p.scene).allocations == 0);
    }
    end(&p);
    drop_world();
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TESTp(as_brute_force, 0.0, SHOAL_CPU_BEST, 0);
    RUN_TESTp(as_brute_force, 0.0, SHOAL_CPU_REF, 1);
    RUN_TESTp(as_brute_force, 1e6, SHOAL_CPU_BEST, 2);
    for (shoal_broad broad = SHOAL_BROAD_AUTO; broad <= SHOAL_BROAD_INCREMENTAL; broad++)
        RUN_TESTp(under_rules, (shoal_executor)(broad % 4), broad);
    for (uint32_t tree = 0; tree < 3; tree++)
        RUN_TESTp(bodies_are_wrapped, tree);
    RUN_TEST(surfaces_are_wrapped);
    RUN_TEST(trees_do_not_matter);
    RUN_TESTp(nodes_hold_their_spheres, SHOAL_CPU_BEST, 0.0);
    RUN_TESTp(nodes_hold_their_spheres, SHOAL_CPU_REF, 1e6);
    RUN_TEST(ways_do_not_matter);
    RUN_TEST(steady_scenes_allocate_nothing);
    GREATEST_MAIN_END();
}
