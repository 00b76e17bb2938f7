// SPDX-License-Identifier: MIT
// Bounds of reduced bodies: in every state, every vertex lies inside the box of every node
// above it, for each kind of bounds; and the boxes are as tight as they should be.
#include "fields.h"

#include "greatest.h"
#include "inside.h"
#include "runtime/traverse/eval_cache.h"
#include "runtime/trees/build.h"
#include "runtime/trees/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static shl_kernels kernels[2];
static const char *const bounds_names[] = {"spheres", "boxes", "affine"};

typedef struct subject {
    world_mesh mesh;
    shl_tree tree;
    shl_reduced reduced;
    shl_reduced_body body;
    lone_body lone;
    float *fields; // [field_count][vertex_count][3]
    double *xyz;   // [3 * vertex_count] tree order, by the formula
    uint32_t field_count;
    uint64_t seed;
} subject;

static void begin(subject *s, world_mesh mesh, field_fn *field, uint32_t field_count,
                  shl_bounds bounds)
{
    const shoal_allocator memory = shl_allocator_libc();
    memset(s, 0, sizeof *s);
    s->mesh = mesh;
    s->seed = 17;
    s->field_count = field_count;
    const uint32_t n = mesh.vertex_count;
    s->fields = malloc((3 * sizeof(float) * n + 1) * (field_count + (size_t)1));
    s->xyz = malloc(3 * sizeof(double) * n);
    for (uint32_t j = 0; j < field_count; j++) {
        for (uint32_t v = 0; v < n; v++) {
            double u[3];
            field(mesh.rest + 3 * (size_t)v, j, &s->seed, u);
            for (size_t k = 0; k < 3; k++)
                s->fields[3 * ((size_t)j * n + v) + k] = (float)u[k];
        }
    }
    const shl_build_input in = {.triangles = mesh.tri,
                                .xyz = mesh.rest,
                                .triangle_count = mesh.triangle_count,
                                .vertex_count = n};
    const shl_reduced_input reduced = {mesh.rest, s->fields, field_count, bounds, -1};
    s->body.state.data = calloc(12 + field_count, sizeof(double));
    s->body.ready.data = calloc(1, sizeof(shl_reduced_ready) + field_count * sizeof(float));
    if (shl_tree_build(&in, &memory, &s->tree) ||
        shl_reduced_build(&s->tree, &reduced, &memory, &s->reduced))
        abort();
    s->body.tree = &s->tree;
    s->body.model = &s->reduced;
}

static void end(subject *s)
{
    const shoal_allocator memory = shl_allocator_libc();
    shl_reduced_finish(&s->reduced, &memory);
    shl_tree_finish(&s->tree, &memory);
    mesh_free(&s->mesh);
    free(s->fields);
    free(s->xyz);
    free(s->body.state.data);
    free(s->body.ready.data);
}

// State: a rotation by a random quaternion, a translation, q of the given size.
static void set_state(subject *s, double far, double size)
{
    double *state = s->body.state.data, q[4], square = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = world_unit(&s->seed);
        square += q[i] * q[i];
    }
    const double t = square > 1e-3 ? 2 / square : 0, w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[9] = {
        1 - t * (y * y + z * z), t * (x * y - w * z),     t * (x * z + w * y),
        t * (x * y + w * z),     1 - t * (x * x + z * z), t * (y * z - w * x),
        t * (x * z - w * y),     t * (y * z + w * x),     1 - t * (x * x + y * y)};
    memcpy(state, m, sizeof m);
    for (int k = 0; k < 3; k++)
        state[9 + k] = far * world_unit(&s->seed);
    for (uint32_t j = 0; j < s->field_count; j++)
        state[12 + j] = size * world_unit(&s->seed) * (world_random(&s->seed) % 5 != 0);
}

static void evaluate(subject *s)
{
    const double *state = s->body.state.data;
    for (uint32_t row = 0; row < s->tree.vertex_count; row++) {
        const size_t v = s->tree.order[row], n = s->mesh.vertex_count;
        double d[3];
        for (size_t k = 0; k < 3; k++) {
            d[k] = s->mesh.rest[3 * v + k];
            for (uint32_t j = 0; j < s->field_count; j++)
                d[k] += (double)s->fields[3 * (j * n + v) + k] * state[12 + j];
        }
        for (size_t k = 0; k < 3; k++) {
            const double *r = state + 3 * k;
            s->xyz[3 * (size_t)row + k] =
                ((r[0] * d[0] + r[1] * d[1]) + r[2] * d[2]) + state[9 + k];
        }
    }
}

static bool inside(const subject *s, uint32_t row, const float *lo, const float *hi,
                   size_t stride)
{
    for (size_t k = 0; k < 3; k++) {
        const double x = s->xyz[3 * (size_t)row + k];
        if (!((double)lo[k * stride] <= x && x <= (double)hi[k * stride]))
            return false;
    }
    return true;
}

// A slanted box holds a vertex if no direction tells them apart: its own normal, those of the
// other lanes, which is what pairs are parted by, and a few that lie askew to all.
static bool inside_slant(const subject *s, uint32_t row, const shl_slants *slants,
                         uint32_t lane)
{
    static const double askew[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {1, -2, 3}};
    enum { ASKEW = sizeof askew / sizeof *askew, NORMALS = 3 * SHL_LANES };
    double d[3];
    for (size_t k = 0; k < 3; k++)
        d[k] = s->xyz[3 * (size_t)row + k] - (double)slants->c[k][lane];
    for (uint32_t i = 0; i < NORMALS + ASKEW; i++) {
        double n[3], along = 0, reach = 0, square = 0;
        for (uint32_t k = 0; k < 3; k++) {
            n[k] = i < NORMALS ? (double)slants->n[i / SHL_LANES][k][i % SHL_LANES]
                               : askew[i - NORMALS][k];
            along += n[k] * d[k];
            square += n[k] * n[k];
        }
        for (int e = 0; e < 3; e++)
            reach += fabs(n[0] * (double)slants->e[e][0][lane] +
                          n[1] * (double)slants->e[e][1][lane] +
                          n[2] * (double)slants->e[e][2][lane]);
        const bool own = i < NORMALS && i % SHL_LANES == lane;
        if (!(fabs(along) <= reach + sqrt(square) * (double)slants->r[lane]) ||
            (own && !(fabs(along) <= (double)slants->s[i / SHL_LANES][lane])) ||
            (i < NORMALS && !(square <= 1.000001)))
            return false;
    }
    return true;
}

static bool held(const subject *s, uint32_t row, shl_opened opened, uint32_t lane)
{
    const shl_block *block = opened.block;
    return inside(s, row, &block->lo[0][lane], &block->hi[0][lane], SHL_LANES) &&
           (!opened.slants || inside_slant(s, row, opened.slants, lane));
}

// How many (node, state) pairs were looked at; 0 after a vertex outside of a box.
static uint64_t check_state(subject *s, const shl_kernels *k)
{
    const shl_tree *t = &s->tree;
    static shl_eval_cache cache;
    shl_scratch scratch = {.eval = &cache};
    shl_eval_clear(&cache);
    shl_reduced_update(k, &s->body, lone_bodies(&s->lone));
    const bool unbounded = s->lone.flags & SHL_BODY_UNBOUNDED;
    const shl_view view = {.kind = &shl_reduced_kind,
                           .state = &s->body,
                           .kernels = k,
                           .tree = t,
                           .box = &s->lone.box,
                           .flags = unbounded ? SHL_VIEW_UNBOUNDED : 0};
    evaluate(s);
    uint64_t looked = 0;
    for (uint32_t row = 0; row < t->used_vertices; row++) {
        if (!inside(s, row, s->lone.box.lo, s->lone.box.hi, 1))
            return 0;
    }
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->leaf[n])
            continue;
        const shl_opened opened = shl_open(&view, n, 0, NULL, &scratch);
        if (s->reduced.bounds == SHL_BOUNDS_AFFINE && !unbounded && !opened.slants)
            return 0;
        for (uint32_t lane = 0; lane < t->count[n]; lane++, looked++) {
            const uint32_t child = t->first[n] + lane;
            for (uint32_t v = t->vertex_begin[child]; v < t->vertex_end[child]; v++) {
                if (!held(s, v, opened, lane))
                    return 0;
            }
            for (uint32_t i = t->list_begin[child]; i < t->list_begin[child + 1]; i++) {
                if (!held(s, t->list[i], opened, lane))
                    return 0;
            }
        }
    }
    return looked + 1;
}

TEST no_vertex_is_outside(shl_bounds bounds)
{
    static const uint32_t field_counts[] = {0, 1, 3, 10, 64};
    static const double sizes[] = {0, 1e-30, 0.01, 0.3, 10, 1e6, 1e14, 1e20, 1e200};
    static const double fars[] = {0, 1, 1e6, 1e20, 1e40};
    uint64_t looked = 0;
    for (uint32_t f = 0; f < 5; f++) {
        for (int kind = 0; kind < 3; kind++) {
            subject s;
            field_fn *const fields[] = {smooth, noise, smooth};
            begin(&s,
                  kind == 2 ? mesh_lattice(200, 90, 5, 3) : mesh_ball(f == 4 ? 2 : 3, 5 + f),
                  fields[kind], field_counts[f], bounds);
            for (uint32_t i = 0; i < 9 * 5 * 4; i++) {
                set_state(&s, fars[i / 9 % 5], sizes[i % 9]);
                const uint64_t n = check_state(&s, &kernels[i % 2]);
                if (n == 0)
                    printf("\n%s: %u fields, q %g, translation %g\n", bounds_names[bounds],
                           s.field_count, sizes[i % 9], fars[i / 9 % 5]);
                ASSERT(n > 0);
                looked += n;
            }
            end(&s);
        }
    }
    ASSERT(looked > 300000); // a million with the three kinds
    PASS();
}

static bool has_vertex(const shl_tree *t, uint32_t node, uint32_t row)
{
    bool any = t->vertex_begin[node] <= row && row < t->vertex_end[node];
    for (uint32_t i = t->list_begin[node]; i < t->list_begin[node + 1]; i++)
        any |= t->list[i] == row;
    return any;
}

// The lanes of all inner nodes that hold a vertex.
typedef struct holder {
    uint32_t lane;
    shl_slants slants;
} holder;

static uint32_t holders_of(subject *s, const shl_kernels *k, uint32_t row, holder out[64])
{
    const shl_tree *t = &s->tree;
    uint32_t count = 0;
    shl_reduced_update(k, &s->body, lone_bodies(&s->lone));
    for (uint32_t n = 0; n < t->node_count; n++) {
        for (uint32_t lane = 0; !t->leaf[n] && lane < t->count[n] && count < 64; lane++) {
            shl_block unused;
            if (!has_vertex(t, t->first[n] + lane, row))
                continue;
            out[count].lane = lane;
            k->reduced_slant(shl_reduced_block(&s->reduced, n), s->field_count,
                             s->body.ready.data, t->count[n], &unused, &out[count].slants);
            count++;
        }
    }
    return count;
}

// Two bodies, one moved so that a vertex of it lies on one of the other's: whatever holds them
// must not be parted.
TEST touching_slants_are_kept(void)
{
    static const double sizes[] = {0, 0.01, 0.3, 10, 1e6}, fars[] = {0, 1, 1e6};
    static holder on_a[64], on_b[64];
    subject a, b;
    begin(&a, mesh_ball(3, 5), smooth, 6, SHL_BOUNDS_AFFINE);
    begin(&b, mesh_lattice(200, 90, 5, 3), smooth, 6, SHL_BOUNDS_AFFINE);
    uint64_t looked = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        const uint32_t row_a = (uint32_t)world_random(&a.seed) % a.tree.used_vertices;
        const uint32_t row_b = (uint32_t)world_random(&a.seed) % b.tree.used_vertices;
        set_state(&a, fars[i / 5 % 3], sizes[i % 5]);
        set_state(&b, 1, sizes[i % 5]);
        evaluate(&a);
        evaluate(&b);
        for (size_t k = 0; k < 3; k++)
            ((double *)b.body.state.data)[9 + k] +=
                a.xyz[3 * (size_t)row_a + k] - b.xyz[3 * (size_t)row_b + k];
        const uint32_t n = holders_of(&a, &kernels[i % 2], row_a, on_a);
        const uint32_t m = holders_of(&b, &kernels[i % 2], row_b, on_b);
        for (uint32_t j = 0; j < n * m; j++, looked++) {
            const holder *x = &on_a[j % n], *y = &on_b[j / n];
            shl_node_pair pair[8] = {{x->lane, y->lane, {{0}, {0}}}};
            ASSERT_EQ(1, kernels[i % 2].slant_filter(&x->slants, &y->slants, 0, 0, pair, 1));
        }
    }
    ASSERT(looked > 10000);
    end(&a);
    end(&b);
    PASS();
}

// Half the diagonal of the box of node 0's first child.
static double size_of_child(const subject *s, const shl_kernels *k)
{
    shl_block block;
    k->reduced_open[s->reduced.bounds](shl_reduced_block(&s->reduced, 0), s->field_count,
                                       s->body.ready.data, s->tree.count[0], &block);
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = (double)block.hi[axis][0] - (double)block.lo[axis][0];
        sum += d * d;
    }
    return 0.5 * sqrt(sum);
}

// Moving a body by a field that is the same everywhere does not swell it.
TEST a_shift_swells_nothing(shl_bounds bounds)
{
    subject s;
    begin(&s, mesh_ball(3, 1), shift, 3, bounds);
    double *state = s.body.state.data;
    state[0] = state[4] = state[8] = 1;
    shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
    const double before = size_of_child(&s, &kernels[1]);
    state[12] = 7;
    state[14] = -5;
    shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
    ASSERT_IN_RANGE(before, size_of_child(&s, &kernels[1]), 1e-3 * before);
    end(&s);
    PASS();
}

// A body shrunk to a point: only affine bounds see it, the others double.
TEST shrinking_to_a_point(shl_bounds bounds)
{
    subject s;
    begin(&s, mesh_ball(3, 1), scale, 1, bounds);
    double *state = s.body.state.data;
    state[0] = state[4] = state[8] = 1;
    shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
    const double before = size_of_child(&s, &kernels[1]);
    state[12] = -1;
    ASSERT(check_state(&s, &kernels[1]) > 0);
    const double after = size_of_child(&s, &kernels[1]) / before;
    if (bounds == SHL_BOUNDS_AFFINE)
        ASSERT(after < 1e-3);
    else
        ASSERT_IN_RANGE(2, after, 0.05);
    end(&s);
    PASS();
}

// Nodes of one vertex: all triangles are that point.
TEST one_point(shl_bounds bounds)
{
    world_mesh mesh = mesh_lattice(100, 12, 4, 1);
    memset(mesh.tri, 0, 300 * sizeof *mesh.tri);
    subject s;
    begin(&s, mesh, noise, 4, bounds);
    for (int i = 0; i < 50; i++) {
        set_state(&s, 1e3, 1);
        ASSERT(check_state(&s, &kernels[i % 2]) > 0);
        ASSERT(size_of_child(&s, &kernels[i % 2]) < 1e-3);
    }
    end(&s);
    PASS();
}

// Affine bounds of a smoothly bent body beat the paper's, and not by a little.
TEST affine_is_tighter(void)
{
    double size[SHL_BOUNDS_COUNT];
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++) {
        subject s;
        begin(&s, mesh_ball(4, 1), smooth, 10, (shl_bounds)bounds);
        size[bounds] = 0;
        for (int i = 0; i < 20; i++) {
            set_state(&s, 0, 0.05);
            shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
            for (uint32_t n = 0; n < s.tree.node_count; n++) {
                shl_block block;
                if (s.tree.leaf[n])
                    continue;
                kernels[1].reduced_open[bounds](shl_reduced_block(&s.reduced, n), 10,
                                                s.body.ready.data, s.tree.count[n], &block);
                for (uint32_t lane = 0; lane < s.tree.count[n]; lane++)
                    size[bounds] += (double)(block.hi[0][lane] - block.lo[0][lane]);
            }
        }
        end(&s);
    }
    ASSERT(size[SHL_BOUNDS_BOXES] < 0.95 * size[SHL_BOUNDS_SPHERES]);
    ASSERT(size[SHL_BOUNDS_AFFINE] < 0.8 * size[SHL_BOUNDS_BOXES]);
    PASS();
}

TEST non_finite_is_bad(void)
{
    subject s;
    begin(&s, mesh_ball(1, 1), smooth, 3, SHL_BOUNDS_AFFINE);
    for (uint32_t i = 0; i < 15; i++) {
        set_state(&s, 1, 1);
        shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
        ASSERT(!(s.lone.flags & SHL_BODY_BAD));
        ((double *)s.body.state.data)[i] = i % 2 ? NAN : -INFINITY;
        shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
        ASSERT(s.lone.flags & SHL_BODY_BAD);
    }
    set_state(&s, 1, 0);
    ((double *)s.body.state.data)[13] = 1e301;
    shl_reduced_update(&kernels[1], &s.body, lone_bodies(&s.lone));
    ASSERT(s.lone.flags & SHL_BODY_BAD);
    end(&s);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shl_kernels_init(&kernels[0], SHOAL_CPU_REF);
    shl_kernels_init(&kernels[1], SHOAL_CPU_BEST);
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++) {
        RUN_TESTp(no_vertex_is_outside, (shl_bounds)bounds);
        RUN_TESTp(a_shift_swells_nothing, (shl_bounds)bounds);
        RUN_TESTp(shrinking_to_a_point, (shl_bounds)bounds);
        RUN_TESTp(one_point, (shl_bounds)bounds);
    }
    RUN_TEST(touching_slants_are_kept);
    RUN_TEST(affine_is_tighter);
    RUN_TEST(non_finite_is_bad);
    GREATEST_MAIN_END();
}
