// SPDX-License-Identifier: MIT
// What a scene shows of itself: boxes of each level hold their bodies, instances give the
// vertices that queries use, triangles are the user's.
#include "run.h"

#include "greatest.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

static shoal_context *ctx;
static char line[600];

static void log_line(void *user, shoal_status status, const char *text)
{
    (void)user, (void)status;
    snprintf(line, sizeof line, "%s", text);
}

// The boxes of one level: what they hold in sum, body by body.
typedef struct level {
    const world *w;
    uint32_t step, last, count[WORLD_BODIES];
    float lo[WORLD_BODIES][3], hi[WORLD_BODIES][3];
    bool good, spread;
} level;

static void add_box(void *user, const shoal_tree_box *box)
{
    level *l = user;
    const uint32_t body = box->body.index1 - 1;
    l->good = l->good && body < l->w->body_count && body >= l->last &&
              (l->spread ? box->spread >= 1 - 1e-9 : box->spread == 0);
    l->last = body;
    for (int k = 0; k < 3 && l->good; k++) {
        const bool first = l->count[body] == 0;
        l->lo[body][k] = first ? box->lo[k] : fminf(l->lo[body][k], box->lo[k]);
        l->hi[body][k] = first ? box->hi[k] : fmaxf(l->hi[body][k], box->hi[k]);
    }
    l->count[body]++;
}

static bool used(const world_mesh *mesh, uint32_t vertex)
{
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        if (mesh->tri[i] == vertex)
            return true;
    }
    return false;
}

// All vertices that triangles use lie in the boxes of the level.
static bool level_holds(const shoal_scene *scene, const world *w, uint32_t step, double share,
                        level *l)
{
    *l = (level){.w = w, .step = step, .good = true, .spread = share > 0};
    if (shoal_scene_boxes(scene, share, l->spread, add_box, l) != SHOAL_OK)
        return false;
    for (uint32_t b = 0; b < w->body_count && l->good; b++) {
        for (uint32_t v = 0; v < w->mesh[b].vertex_count; v++) {
            const double *at = w->xyz[step][b] + 3 * (size_t)v;
            for (int k = 0; k < 3 && used(&w->mesh[b], v); k++)
                l->good =
                    l->good && (double)l->lo[b][k] <= at[k] && at[k] <= (double)l->hi[b][k];
        }
        l->good = l->good && l->count[b] > 0;
    }
    return l->good;
}

// x = R (p + U q) + t, by the formula of reduced.h.
static bool instance_is(const shoal_instance *s, const uint32_t *order, uint32_t count,
                        const double *want)
{
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        double d[3];
        for (size_t k = 0; k < 3; k++) {
            d[k] = s->rest[3 * (size_t)i + k];
            for (uint32_t m = 0; m < s->field_count; m++)
                d[k] += (double)s->fields[3 * ((size_t)i * s->field_count + m) + k] * s->q[m];
        }
        for (size_t k = 0; k < 3; k++) {
            const double *R = s->rotation + 3 * k;
            const double x = ((R[0] * d[0] + R[1] * d[1]) + R[2] * d[2]) + s->translation[k];
            good = good && x == want[3 * (size_t)order[i] + k];
        }
    }
    return good;
}

static bool triangles_are(const shoal_model *model, const world_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    uint32_t *user = malloc(count * sizeof *user), *tree = malloc(count * sizeof *tree);
    const uint32_t *order = shoal_model_vertex_order(model);
    shoal_model_triangles(model, SHOAL_ORDER_USER, user);
    shoal_model_triangles(model, SHOAL_ORDER_TREE, tree);
    bool good = memcmp(user, mesh->tri, count * sizeof *user) == 0;
    for (size_t i = 0; i < count; i++)
        good = good && order[tree[i]] == user[i];
    free(user);
    free(tree);
    return good;
}

TEST worlds_show_themselves(void)
{
    uint32_t instances = 0, whole = 0, bodies = 0;
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        world *w = world_make(kind);
        shoal_scene_def def = shoal_scene_def_default();
        def.rebuild_ratio = 0;
        shoal_scene *scene;
        shoal_model *models[WORLD_BODIES];
        shoal_body body[WORLD_BODIES];
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &def, &scene));
        for (uint32_t b = 0; b < w->body_count; b++) {
            models[b] = kind_model_of(ctx, w, b);
            shoal_instance out;
            ASSERT_EQ(SHOAL_OK, kind_add(scene, models[b], w, b, &body[b]));
            ASSERT(!shoal_scene_instance(scene, body[b], &out) && !out.rest); // no state
            ASSERT_EQ(SHOAL_OK, kind_set(scene, body[b], w, b, 0));
            ASSERT_EQ(models[b], shoal_scene_model(scene, body[b]));
            ASSERT(triangles_are(models[b], &w->mesh[b]));
            const bool is = shoal_scene_instance(scene, body[b], &out);
            ASSERT_EQ(w->reduced[b].used, is);
            ASSERT(!is || instance_is(&out, shoal_model_vertex_order(models[b]),
                                      w->mesh[b].vertex_count, w->xyz[0][b]));
            instances += is;
            bodies++;
        }
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_PAIRS));
        static level all[5];
        for (int i = 0; i < 5; i++)
            ASSERTm(world_name(kind), level_holds(scene, w, 0, i / 4.0, &all[i]));
        for (uint32_t b = 0; b < w->body_count; b++) {
            ASSERT_EQ(1u, all[0].count[b]);
            ASSERT(all[4].count[b] >= all[1].count[b]);
            // a far body's box may stand for those of all nodes
            const bool one = all[4].count[b] == 1 && all[4].hi[b][0] - all[4].lo[b][0] > 1e20f;
            whole += one;
            if (!one)
                ASSERT_EQ_FMT(shoal_model_get_info(models[b]).leaf_count, all[4].count[b],
                              "%u");
            shoal_model_destroy(models[b]);
        }
        shoal_scene_destroy(scene);
        world_free(w);
    }
    ASSERT(instances > 10 && whole < bodies / 4);
    PASS();
}

// Every sphere contact is between the spheres that are shown.
TEST spheres_are_those_of_contacts(void)
{
    shoal_scene_def sd = shoal_scene_def_default();
    shoal_scene *scene;
    shoal_body body[2];
    shoal_model *model;
    const world_mesh mesh = mesh_ball(2, 5);
    shoal_model_def md = shoal_model_def_default();
    md.triangles = mesh.tri;
    md.triangle_count = mesh.triangle_count;
    md.rest = shoal_positions_f64(mesh.rest, mesh.vertex_count);
    md.reducible = true;
    md.sphere_level = 5;
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &sd, &scene));
    ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &md, &model));
    const double at[6] = {0, 1.5, 0, 0.25, 0, 0.125}; // x of both, then y, then z
    for (int b = 0; b < 2; b++)
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_reduced(scene, model, &body[b]));
    const shoal_reduced_state state = {
        .bodies = body, .count = 2, .stride = 2, .translation = at};
    double a[4], b[4];
    ASSERT_EQ(SHOAL_OK, shoal_scene_set_reduced(scene, &state));
    ASSERT(!shoal_scene_sphere(scene, body[0], 0, a) && a[3] == 0); // not stepped yet
    ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_SPHERES));
    const shoal_sphere_contacts r = shoal_scene_sphere_contacts(scene);
    ASSERT(r.count > 5);
    for (size_t i = 0; i < r.count; i++) {
        const shoal_sphere_contact *c = &r.rows[i];
        ASSERT(shoal_scene_sphere(scene, body[c->body_a], c->sphere_a, a));
        ASSERT(shoal_scene_sphere(scene, body[c->body_b], c->element_b, b));
        const double apart =
            sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                 (a[2] - b[2]) * (a[2] - b[2]));
        ASSERT(fabs(a[3] + b[3] - apart - c->depth) < 1e-9);
    }
    const uint32_t count = shoal_model_get_info(model).sphere_count;
    ASSERT(shoal_scene_sphere(scene, body[0], count - 1, a));
    ASSERT(!shoal_scene_sphere(scene, body[0], count, a));
    shoal_model_destroy(model);
    shoal_scene_destroy(scene);
    world_mesh gone = mesh;
    mesh_free(&gone);
    PASS();
}

static void never(void *user, const shoal_tree_box *box)
{
    (void)box;
    *(bool *)user = true;
}

TEST wrong_arguments(void)
{
    const shoal_scene_def def = shoal_scene_def_default();
    shoal_scene *scene;
    shoal_instance out;
    bool called = false;
    double at[4];
    const shoal_body none = {0, 0}, gone = {3, 1};
    ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &def, &scene));
    ASSERT_EQ(SHOAL_OK, shoal_scene_boxes(scene, 0, true, never, &called));
    static const double levels[] = {-0.1, 1.1, NAN};
    for (int i = 0; i < 3; i++)
        ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_boxes(scene, levels[i], 0, never, &called));
    ASSERT_STR_EQ("boxes: the level is not within 0 and 1", line);
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_boxes(scene, 0, false, NULL, NULL));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_boxes(NULL, 0, false, never, &called));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_begin(scene, SHOAL_QUERY_PAIRS, 1));
    ASSERT_EQ(SHOAL_ERR_ARGUMENT, shoal_scene_boxes(scene, 0, false, never, &called));
    ASSERT_EQ(SHOAL_OK, shoal_scene_step_end(scene));
    ASSERT_EQ(NULL, shoal_scene_model(scene, none));
    ASSERT_EQ(NULL, shoal_scene_model(scene, gone));
    ASSERT(!shoal_scene_instance(scene, gone, &out));
    ASSERT(!shoal_scene_sphere(scene, none, 0, at));
    ASSERT(!called);
    ASSERT_EQ(SHOAL_ERR_FILE, shoal_scene_report(scene, SHOAL_ERR_FILE, "100 % of it"));
    ASSERT_STR_EQ("100 % of it", line);
    ASSERT_STR_EQ("100 % of it", shoal_last_error());
    ASSERT_EQ(SHOAL_ERR_LIMIT, shoal_scene_report(NULL, SHOAL_ERR_LIMIT, "nobody"));
    ASSERT_STR_EQ("nobody", shoal_last_error());
    shoal_scene_destroy(scene);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shoal_context_def def = shoal_context_def_default();
    def.log = log_line;
    if (shoal_context_create(&def, &ctx) != SHOAL_OK)
        return 1;
    RUN_TEST(worlds_show_themselves);
    RUN_TEST(spheres_are_those_of_contacts);
    RUN_TEST(wrong_arguments);
    shoal_context_destroy(ctx);
    GREATEST_MAIN_END();
}
