// SPDX-License-Identifier: MIT
// Modes of solids against the theory of beams, and what no mode may be.
#include "modes/brick.h"
#include "modes/surface.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.141592653589793;

// A box with its first corner at `lo`, appended to a mesh that has room.
static void add_box(shoal_mesh *m, const double lo[3], const double size[3])
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int f = 0; f < 12; f++) {
        for (int c = 0; c < 3; c++)
            m->triangles[3 * m->triangle_count + (uint32_t)c] = m->vertex_count + faces[f][c];
        m->triangle_count++;
    }
    for (uint32_t v = 0; v < 8; v++) {
        for (uint32_t k = 0; k < 3; k++)
            m->xyz[3 * m->vertex_count + k] = lo[k] + (v >> k & 1) * size[k];
        m->vertex_count++;
    }
}

enum { BOXES = 4 };

static bool make_mesh(shoal_mesh *m)
{
    *m = (shoal_mesh){.xyz = calloc(24 * BOXES, sizeof(double)),
                      .triangles = calloc(36 * BOXES, sizeof(uint32_t))};
    return m->xyz && m->triangles;
}

static void drop_mesh(shoal_mesh *m)
{
    free(m->xyz);
    free(m->triangles);
}

typedef struct bar {
    shoal_mesh mesh;
    shl_voxels voxels;
    shl_solid solid;
    shl_modes modes;
    shl_volume_error error;
} bar;

static const shl_material steel = {2e11, 0.3, 7800};

static shoal_status make_bar(const double size[3], double voxel, uint32_t count, bar *b)
{
    const double lo[3] = {0.3, -0.2, 1.7};
    memset(b, 0, sizeof *b);
    if (!make_mesh(&b->mesh))
        return SHOAL_ERR_MEMORY;
    add_box(&b->mesh, lo, size);
    shoal_status st = shl_voxels_create(&b->mesh, voxel, &b->voxels, &b->error);
    if (st == SHOAL_OK)
        st = shl_solid_create(&b->voxels, &steel, &b->solid);
    if (st == SHOAL_OK)
        st = shl_modes_find(&b->solid, &steel, count, &b->modes, &b->error);
    return st;
}

static void drop_bar(bar *b)
{
    shl_modes_finish(&b->modes);
    shl_solid_finish(&b->solid);
    shl_voxels_finish(&b->voxels);
    drop_mesh(&b->mesh);
}

// Euler and Bernoulli: a free beam of the given length, high in the direction it bends.
static double bending(int order, double length, double high)
{
    static const double roots[] = {4.730040744862704, 7.853204624095838};
    const double k = roots[order] / length;
    return k * k * sqrt(steel.young / steel.density) * high / sqrt(12) / (2 * pi);
}

// Saint-Venant: a free bar of rectangular section, a wide and b high, a > b.
static double twisting(double length, double a, double b)
{
    double sum = 0;
    for (int n = 1; n < 20; n += 2)
        sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    const double torsion = a * b * b * b / 3 * (1 - 192 * b / (pow(pi, 5) * a) * sum);
    const double shear = steel.young / (2 * (1 + steel.poisson));
    const double polar = a * b * (a * a + b * b) / 12;
    return sqrt(shear * torsion / (steel.density * polar)) / (2 * length);
}

TEST beams_ring_as_theory_says(void)
{
    const double size[3] = {1.0, 0.06, 0.04};
    bar b;
    ASSERT_EQ(SHOAL_OK, make_bar(size, 0.01, 7, &b));
    ASSERT_EQ(100u * 6 * 4, b.voxels.used);
    ASSERT_IN_RANGE(0.0024, b.voxels.volume, 1e-9);
    double low = bending(0, 1, 0.04), high = bending(0, 1, 0.06);
    ASSERT_IN_RANGE(low, b.modes.hertz[0], 0.03 * low);
    ASSERT_IN_RANGE(high, b.modes.hertz[1], 0.03 * high);
    low = bending(1, 1, 0.04);
    ASSERT_IN_RANGE(low, b.modes.hertz[2], 0.03 * low);
    double nearest = INFINITY;
    const double twist = twisting(1, 0.06, 0.04);
    for (uint32_t j = 0; j < 7; j++)
        nearest = fmin(nearest, fabs(b.modes.hertz[j] / twist - 1));
    ASSERT(nearest < 0.03);
    drop_bar(&b);
    PASS();
}

// One layer of cubes bends as well, thanks to the inner shapes.
TEST one_layer_bends(void)
{
    const double size[3] = {0.8, 0.04, 0.02};
    bar b;
    ASSERT_EQ(SHOAL_OK, make_bar(size, 0.02, 1, &b));
    const double low = bending(0, 0.8, 0.02);
    ASSERT_IN_RANGE(low, b.modes.hertz[0], 0.03 * low);
    drop_bar(&b);
    PASS();
}

// Cubes that stick out are softer: a bar that is no whole number of them rings almost as it
// should.
TEST odd_sizes_do(void)
{
    const double size[3] = {1.0, 0.083, 0.083};
    bar b;
    ASSERT_EQ(SHOAL_OK, make_bar(size, 0.02, 1, &b));
    ASSERT_IN_RANGE(0.083 * 0.083, b.voxels.volume, 0.03 * 0.083 * 0.083);
    const double low = bending(0, 1, 0.083);
    ASSERT_IN_RANGE(low, b.modes.hertz[0], 0.1 * low);
    drop_bar(&b);
    PASS();
}

// A mode at a point of a cube, by its corners' shares; the point is in [0, 1]^3.
static void mode_at(const bar *b, uint32_t mode, const uint32_t cube[3], const double at[3],
                    double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint32_t c = 0; c < 8; c++) {
        double share = 1;
        for (uint32_t k = 0; k < 3; k++)
            share *= c >> k & 1 ? at[k] : 1 - at[k];
        const uint32_t node =
            b->solid.node[shl_corner_at(&b->voxels, cube[0] + (c & 1), cube[1] + (c >> 1 & 1),
                                        cube[2] + (c >> 2 & 1))] -
            1;
        for (uint32_t k = 0; k < 3; k++)
            out[k] +=
                share * b->modes.shape[3 * ((size_t)mode * b->solid.node_count + node) + k];
    }
}

enum { MODES = 10, FUNCTIONS = MODES + 6 };

// Adds a point's share of the products of all modes and rigid motions.
static void add_products(const bar *b, const uint32_t cube[3], const double at[3], double mass,
                         double sums[FUNCTIONS][FUNCTIONS])
{
    double u[FUNCTIONS][3] = {{0}}, p[3];
    for (uint32_t k = 0; k < 3; k++)
        p[k] = b->voxels.size * (cube[k] + at[k] - 0.5 * b->voxels.count[k]);
    for (uint32_t j = 0; j < MODES; j++)
        mode_at(b, j, cube, at, u[j]);
    for (uint32_t k = 0; k < 3; k++) {
        u[MODES + k][k] = 1;
        u[MODES + 3 + k][(k + 1) % 3] = -p[(k + 2) % 3];
        u[MODES + 3 + k][(k + 2) % 3] = p[(k + 1) % 3];
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        for (int j = 0; j < FUNCTIONS; j++)
            sums[i][j] += mass * (u[i][0] * u[j][0] + u[i][1] * u[j][1] + u[i][2] * u[j][2]);
    }
}

// By quadrature over the box, which is made of whole cubes.
TEST modes_are_orthogonal(void)
{
    const double size[3] = {0.5, 0.3, 0.1}, gauss = 0.5 / sqrt(3);
    static double sums[FUNCTIONS][FUNCTIONS];
    bar b;
    ASSERT_EQ(SHOAL_OK, make_bar(size, 0.02, MODES, &b));
    const double mass = steel.density * 0.02 * 0.02 * 0.02 / 8;
    for (uint32_t i = 0; i < b.voxels.used; i++) {
        const uint32_t cube[3] = {i % 25, i / 25 % 15, i / 375};
        for (int point = 0; point < 8; point++) {
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] = 0.5 + (point >> k & 1 ? gauss : -gauss);
            add_products(&b, cube, at, mass, sums);
        }
    }
    ASSERT_IN_RANGE(steel.density * 0.5 * 0.3 * 0.1, sums[MODES][MODES], 1e-6);
    for (int i = 0; i < MODES; i++) {
        for (int j = 0; j < FUNCTIONS; j++)
            ASSERT_IN_RANGE(i == j, sums[i][j], 1e-7);
        ASSERT(b.modes.residual[i] < 1e-6);
        ASSERT(i == 0 || b.modes.hertz[i] >= b.modes.hertz[i - 1]);
    }
    ASSERT(b.modes.cross < 1e-8);
    ASSERT(b.modes.rigid < 1e-3 * b.modes.hertz[0]);
    drop_bar(&b);
    PASS();
}

// Bending of a beam, at the mesh's own corners: ends go one way, and a field moves them by 1.
TEST fields_reach_the_surface(void)
{
    const double size[3] = {1.0, 0.06, 0.04};
    bar b;
    float *fields;
    double *masses;
    ASSERT_EQ(SHOAL_OK, make_bar(size, 0.02, 2, &b));
    ASSERT_EQ(SHOAL_OK, shl_surface_fields(&b.solid, &b.modes, &b.mesh, &fields, &masses));
    for (uint32_t v = 0; v < 8; v++) {
        const float *u = fields + 3 * (size_t)v;
        ASSERT_IN_RANGE(1.0, fabs((double)u[2]), 0.02); // along its low side
        ASSERT_IN_RANGE((double)fields[2], (double)u[2], 0.01);
        ASSERT_IN_RANGE(0.0, (double)u[1], 0.01);
    }
    // a free beam's end moves by 2 when its mass, spread evenly, makes 1
    const double weight = steel.density * 0.06 * 0.04;
    ASSERT_IN_RANGE(weight / 4, masses[0], 0.05 * weight / 4);
    free(fields);
    free(masses);
    drop_bar(&b);
    PASS();
}

TEST bricks_resist_only_strain(void)
{
    double k[SHL_BRICK][SHL_BRICK];
    shl_brick_stiffness(0.3, k);
    for (int motion = 0; motion < 7; motion++) { // six rigid ones, then a stretch
        double u[SHL_BRICK], energy = 0;
        for (int c = 0; c < 8; c++) {
            const double p[3] = {c & 1, c >> 1 & 1, c >> 2 & 1};
            for (int axis = 0; axis < 3; axis++)
                u[3 * c + axis] = motion < 3 ? axis == motion : 0;
            const int axis = motion % 3, next = (axis + 1) % 3;
            if (motion >= 3 && motion < 6) {
                u[3 * c + axis] = -p[next];
                u[3 * c + next] = p[axis];
            } else if (motion == 6) { // of 1 along x, and what Poisson takes away
                u[3 * c] = p[0];
                u[3 * c + 1] = -0.3 * p[1];
                u[3 * c + 2] = -0.3 * p[2];
            }
        }
        for (int i = 0; i < SHL_BRICK; i++) {
            for (int j = 0; j < SHL_BRICK; j++)
                energy += u[i] * k[i][j] * u[j];
        }
        ASSERT_IN_RANGE(motion == 6 ? 1.0 : 0.0, energy, 1e-12);
    }
    PASS();
}

static shoal_status voxelise(shoal_mesh *m, shl_volume_error *error, double *volume)
{
    shl_voxels v;
    const shoal_status st = shl_voxels_create(m, 0.05, &v, error);
    *volume = v.volume;
    shl_voxels_finish(&v);
    return st;
}

TEST unusable_meshes_are_told(void)
{
    static const double zero[3] = {0}, one[3] = {1, 0.5, 0.5}, shifted[3] = {0.6, 0.2, 0.2};
    static const double away[3] = {2, 0, 0}, dust[3] = {0.1, 0.05, 0.05};
    shoal_mesh m;
    shl_volume_error error;
    double volume;
    ASSERT(make_mesh(&m));
    add_box(&m, zero, one);
    m.triangle_count--;
    ASSERT_EQ(SHOAL_ERR_FORMAT, voxelise(&m, &error, &volume));
    ASSERT_STR_EQ("the surface is not closed: 3 of its edges have a triangle on one side only",
                  error.text);
    m.triangle_count++;
    add_box(&m, shifted, one); // parts that overlap are one
    ASSERT_EQ(SHOAL_OK, voxelise(&m, &error, &volume));
    ASSERT_IN_RANGE(0.5 - 0.4 * 0.3 * 0.3, volume, 0.01);
    for (uint32_t t = 12; t < 24; t++) { // also inside out
        const uint32_t swap = m.triangles[3 * t];
        m.triangles[3 * t] = m.triangles[3 * t + 1];
        m.triangles[3 * t + 1] = swap;
    }
    ASSERT_EQ(SHOAL_OK, voxelise(&m, &error, &volume));
    add_box(&m, away, dust); // dust is left out
    ASSERT_EQ(SHOAL_OK, voxelise(&m, &error, &volume));
    add_box(&m, away, one);
    ASSERT_EQ(SHOAL_ERR_FORMAT, voxelise(&m, &error, &volume));
    ASSERT(strstr(error.text, "it is 2 separate parts, the largest"));
    for (uint32_t v = 0; v < m.vertex_count; v++)
        m.xyz[3 * v + 2] = 0;
    ASSERT_EQ(SHOAL_ERR_FORMAT, voxelise(&m, &error, &volume));
    ASSERT_STR_EQ("it is flat: no extent along z", error.text);
    drop_mesh(&m);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_TEST(bricks_resist_only_strain);
    RUN_TEST(beams_ring_as_theory_says);
    RUN_TEST(one_layer_bends);
    RUN_TEST(odd_sizes_do);
    RUN_TEST(modes_are_orthogonal);
    RUN_TEST(fields_reach_the_surface);
    RUN_TEST(unusable_meshes_are_told);
    GREATEST_MAIN_END();
}
