// SPDX-License-Identifier: MIT
// Sculptures are closed, control points are inside them, weights are convex.
#include "closed.h"
#include "scenes/math/vec.h"
#include "scenes/shapes/sculptures.h"
#include "volume/controls.h"

#include <shoal/shoal.h>

#include <greatest.h>
#include <stdlib.h>

typedef shoal_status mesh_fn(uint32_t vertices, shl_surface *out);

static const struct row {
    mesh_fn *mesh;
    uint32_t vertices;
    uint32_t controls[3];
    double volume;
} rows[] = {
    {shl_mesh_figure, 2857, {115, 550, 30}, 0.14},
    {shl_mesh_figure, 45682, {115, 550, 0}, 0.14},
    {shl_mesh_soft_fish, 8000, {96, 31, 700}, 0.068},
    {shl_mesh_brain, 3500, {65, 225, 509}, 5.5},
    {shl_mesh_brain, 29966, {65, 509, 0}, 5.5},
};
enum { ROWS = sizeof rows / sizeof *rows };

static shoal_mesh view(const shl_surface *s)
{
    return (shoal_mesh){.xyz = s->xyz,
                        .triangles = s->triangles,
                        .vertex_count = s->vertex_count,
                        .triangle_count = s->triangle_count};
}

// Each edge once in each direction, one piece without holes, its triangles facing outwards.
static enum greatest_test_res check_closed(const shl_surface *s, double volume)
{
    const long edges = 3 * (long)s->triangle_count / 2;
    ASSERT(closed(s->triangles, s->triangle_count, true));
    ASSERT_EQ(2, (long)s->vertex_count - edges + (long)s->triangle_count);
    ASSERT(in_one_piece(s->triangles, s->triangle_count, s->vertex_count));
    ASSERT_IN_RANGE(volume, enclosed_volume(s->xyz, s->triangles, s->triangle_count),
                    0.05 * volume);
    PASS();
}

TEST sculptures_are_closed(void)
{
    for (int i = 0; i < ROWS; i++) {
        shl_surface s;
        ASSERT_EQ(SHOAL_OK, rows[i].mesh(rows[i].vertices, &s));
        ASSERT_IN_RANGE(rows[i].vertices, (double)s.vertex_count, 0.02 * rows[i].vertices);
        CHECK_CALL(check_closed(&s, rows[i].volume));
        shl_surface_finish(&s);
    }
    PASS();
}

TEST sculptures_do_not_cut_themselves(void)
{
    shoal_context *ctx;
    const shoal_context_def context_def = shoal_context_def_default();
    ASSERT_EQ(SHOAL_OK, shoal_context_create(&context_def, &ctx));
    for (int i = 0; i < ROWS; i++) {
        shl_surface s;
        shoal_scene *scene;
        shoal_model *model;
        shoal_body body;
        ASSERT_EQ(SHOAL_OK, rows[i].mesh(rows[i].vertices, &s));
        const shoal_scene_def scene_def = shoal_scene_def_default();
        shoal_model_def def = shoal_model_def_default();
        def.triangles = s.triangles;
        def.triangle_count = s.triangle_count;
        def.rest = shoal_positions_f64(s.xyz, s.vertex_count);
        ASSERT_EQ(SHOAL_OK, shoal_scene_create(ctx, &scene_def, &scene));
        ASSERT_EQ(SHOAL_OK, shoal_model_create(ctx, &def, &model));
        ASSERT_EQ(SHOAL_OK, shoal_scene_add_free(scene, model, &body));
        ASSERT_EQ(SHOAL_OK, shoal_scene_set_positions(scene, body, &def.rest));
        ASSERT_EQ(SHOAL_OK, shoal_scene_step(scene, SHOAL_QUERY_SELF));
        ASSERT_EQ(0u, shoal_scene_self_pairs(scene).count);
        shoal_scene_destroy(scene);
        shoal_model_destroy(model);
        shl_surface_finish(&s);
    }
    shoal_context_destroy(ctx);
    PASS();
}

// How often the surface winds around a point, by solid angles (van Oosterom & Strackee).
static double winding(const shl_surface *s, const double at[3])
{
    double sum = 0;
    for (size_t t = 0; t < s->triangle_count; t++) {
        double p[3][3], length[3], cross[3];
        for (size_t c = 0; c < 3; c++) {
            for (size_t k = 0; k < 3; k++)
                p[c][k] = s->xyz[3 * (size_t)s->triangles[3 * t + c] + k] - at[k];
            length[c] = sqrt(shl_dot(p[c], p[c]));
        }
        shl_cross(p[1], p[2], cross);
        sum += 2 * atan2(shl_dot(p[0], cross),
                         length[0] * length[1] * length[2] + shl_dot(p[0], p[1]) * length[2] +
                             shl_dot(p[1], p[2]) * length[0] + shl_dot(p[2], p[0]) * length[1]);
    }
    return sum / (4 * 3.14159265358979324);
}

// The distance to the nearest vertex.
static double to_surface(const shl_surface *s, const double at[3])
{
    double least = INFINITY;
    for (size_t v = 0; v < s->vertex_count; v++) {
        double from[3];
        for (size_t k = 0; k < 3; k++)
            from[k] = s->xyz[3 * v + k] - at[k];
        least = fmin(least, shl_dot(from, from));
    }
    return sqrt(least);
}

static enum greatest_test_res check_controls(const shl_surface *s, const shl_controls *n,
                                             uint32_t wanted, double volume)
{
    const uint32_t all = n->count + n->core;
    double sum = 0, longest = 0;
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; i++) {
        double edge_of[3];
        for (size_t k = 0; k < 3; k++)
            edge_of[k] = s->xyz[3 * (size_t)s->triangles[i] + k] -
                         s->xyz[3 * (size_t)s->triangles[i % 3 == 2 ? i - 2 : i + 1] + k];
        longest = fmax(longest, sqrt(shl_dot(edge_of, edge_of)));
    }
    ASSERT_IN_RANGE(wanted, (double)n->count, 0.03 * wanted);
    ASSERT_EQ(s->vertex_count, n->vertex_count);
    for (size_t i = 0; i < all; i++) {
        // next to the surface cubes may err
        if (s->vertex_count < 10000 && winding(s, n->xyz + 3 * i) < 0.5)
            ASSERT(to_surface(s, n->xyz + 3 * i) < 0.2 * n->spacing + longest);
        sum += n->volume[i];
        for (size_t j = 0; j < i; j++) {
            double from[3];
            for (size_t k = 0; k < 3; k++)
                from[k] = n->xyz[3 * i + k] - n->xyz[3 * j + k];
            ASSERT(sqrt(shl_dot(from, from)) > 0.4 * n->spacing);
        }
    }
    ASSERT_IN_RANGE(volume, sum, 0.05 * volume);
    bool *used = calloc(n->count, sizeof *used);
    ASSERT(used);
    for (size_t v = 0; v < n->vertex_count; v++) {
        double weights = 0;
        const uint32_t begin = n->weight_begin[v], end = n->weight_begin[v + 1];
        ASSERT(end >= begin + 8 && end <= begin + 20);
        for (uint32_t e = begin; e < end; e++) {
            ASSERT(n->weight[e] > 0 && n->weight_control[e] < n->count);
            ASSERT(e == begin || n->weight_control[e] > n->weight_control[e - 1]);
            used[n->weight_control[e]] = true;
            weights += (double)n->weight[e];
        }
        ASSERT_IN_RANGE(1, weights, 1e-6);
    }
    for (uint32_t i = 0; i < n->count; i++)
        ASSERT(used[i]);
    free(used);
    PASS();
}

TEST nodes_fill_sculptures(void)
{
    for (int i = 0; i < ROWS; i++) {
        shl_surface s;
        ASSERT_EQ(SHOAL_OK, rows[i].mesh(rows[i].vertices, &s));
        const shoal_mesh mesh = view(&s);
        for (int k = 0; k < 3 && rows[i].controls[k]; k++) {
            shl_controls controls;
            shl_volume_error error;
            ASSERT_EQ(SHOAL_OK,
                      shl_controls_create(&mesh, rows[i].controls[k], 1, &controls, &error));
            CHECK_CALL(check_controls(&s, &controls, rows[i].controls[k], rows[i].volume));
            shl_controls_finish(&controls);
        }
        shl_surface_finish(&s);
    }
    PASS();
}

// Neighbours on the surface see about the same: an edge's length in spacings bounds how far
// weights differ.
TEST weights_are_continuous(void)
{
    shl_surface s;
    shl_controls n;
    shl_volume_error error;
    ASSERT_EQ(SHOAL_OK, shl_mesh_figure(45682, &s));
    const shoal_mesh mesh = view(&s);
    ASSERT_EQ(SHOAL_OK, shl_controls_create(&mesh, 115, 1, &n, &error));
    double *dense[2] = {calloc(n.count, sizeof(double)), calloc(n.count, sizeof(double))};
    ASSERT(dense[0] && dense[1]);
    for (size_t i = 0; i < 3 * (size_t)s.triangle_count; i++) {
        const uint32_t v[2] = {s.triangles[i], s.triangles[i % 3 == 2 ? i - 2 : i + 1]};
        double square = 0, most = 0;
        for (size_t k = 0; k < 3; k++) {
            const double d = s.xyz[3 * (size_t)v[0] + k] - s.xyz[3 * (size_t)v[1] + k];
            square += d * d;
        }
        for (int c = 0; c < 2; c++) {
            memset(dense[c], 0, n.count * sizeof(double));
            for (uint32_t e = n.weight_begin[v[c]]; e < n.weight_begin[v[c] + 1]; e++)
                dense[c][n.weight_control[e]] = (double)n.weight[e];
        }
        for (uint32_t j = 0; j < n.count; j++)
            most = fmax(most, fabs(dense[0][j] - dense[1][j]));
        ASSERT(most <= 2 * sqrt(square) / n.spacing);
    }
    free(dense[0]);
    free(dense[1]);
    shl_controls_finish(&n);
    shl_surface_finish(&s);
    PASS();
}

TEST few_nodes_and_the_same_again(void)
{
    shl_surface s;
    shl_controls a, b;
    shl_volume_error error;
    ASSERT_EQ(SHOAL_OK, shl_mesh_soft_fish(1500, &s));
    const shoal_mesh mesh = view(&s);
    for (uint32_t wanted = 1; wanted < 8; wanted++) {
        ASSERT_EQ(SHOAL_OK, shl_controls_create(&mesh, wanted, 3, &a, &error));
        ASSERT_EQ(wanted, a.count);
        ASSERT_EQ(0u, a.core);
        ASSERT_EQ(wanted * s.vertex_count, a.weight_begin[s.vertex_count]);
        shl_controls_finish(&a);
    }
    ASSERT_EQ(SHOAL_OK, shl_controls_create(&mesh, 80, 3, &a, &error));
    ASSERT_EQ(SHOAL_OK, shl_controls_create(&mesh, 80, 3, &b, &error));
    ASSERT_EQ(a.count, b.count);
    ASSERT_EQ(0, memcmp(a.xyz, b.xyz, 3 * (size_t)a.count * sizeof *a.xyz));
    ASSERT_EQ(0, memcmp(a.weight, b.weight, a.weight_begin[s.vertex_count] * sizeof *a.weight));
    shl_controls_finish(&a);
    shl_controls_finish(&b);
    shl_surface_finish(&s);
    PASS();
}

// A lattice that happens to have no place inside, for some of the seeds.
TEST a_tetrahedron_gets_its_node(void)
{
    double xyz[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const shoal_mesh mesh = {
        .xyz = xyz, .vertex_count = 4, .triangles = triangles, .triangle_count = 4};
    for (uint64_t seed = 0; seed < 200; seed++) {
        shl_controls controls;
        shl_volume_error error;
        ASSERT_EQ(SHOAL_OK, shl_controls_create(&mesh, 1, seed, &controls, &error));
        ASSERT_EQ(1u, controls.count);
        shl_controls_finish(&controls);
    }
    PASS();
}

TEST unusable_meshes_say_why(void)
{
    shl_surface s;
    shl_controls n;
    shl_volume_error error;
    ASSERT_EQ(SHOAL_OK, shl_mesh_soft_fish(1500, &s));
    shoal_mesh mesh = view(&s);
    mesh.triangle_count -= 1;
    ASSERT_EQ(SHOAL_ERR_FORMAT, shl_controls_create(&mesh, 50, 1, &n, &error));
    ASSERT(strstr(error.text, "not closed"));
    mesh.triangle_count += 1;
    ASSERT_EQ(SHOAL_ERR_FORMAT, shl_controls_create(&mesh, 20000, 1, &n, &error));
    ASSERT(strstr(error.text, "too many for"));
    for (size_t v = 0; v < s.vertex_count; v++)
        s.xyz[3 * v + 1] = 0;
    ASSERT_EQ(SHOAL_ERR_FORMAT, shl_controls_create(&mesh, 50, 1, &n, &error));
    ASSERT(strstr(error.text, "flat"));
    shl_surface_finish(&s);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(sculptures_are_closed);
    RUN_TEST(sculptures_do_not_cut_themselves);
    RUN_TEST(nodes_fill_sculptures);
    RUN_TEST(weights_are_continuous);
    RUN_TEST(few_nodes_and_the_same_again);
    RUN_TEST(a_tetrahedron_gets_its_node);
    RUN_TEST(unusable_meshes_say_why);
    GREATEST_MAIN_END();
}
