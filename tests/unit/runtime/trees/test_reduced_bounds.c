// SPDX-License-Identifier: MIT
// Bounds of reduced bodies, by the million: in many states at once, the exact box of what lies
// below every node is inside the box that the kernels give, for each kind of bounds.
// SHOAL_LONG=1 asks for 10^9 (node, state) pairs of each kind, SHOAL_BOUNDS=N for N.
#include "fields.h"

#include "greatest.h"
#include "inside.h"
#include "runtime/trees/build.h"
#include "runtime/trees/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 16 }; // evaluated together

static shl_kernels kernels[2];
static const char *const bounds_names[SHL_BOUNDS_COUNT] = {"spheres", "boxes", "affine"};

// One number in each of the states.
typedef struct many {
    double in[STATES];
} many;

typedef struct many_box {
    many lo[3], hi[3];
} many_box;

typedef world_mesh mesh_fn(void);

// What is bounded, and for which coordinates.
typedef struct subject {
    const char *name;
    mesh_fn *mesh;
    field_fn *field;
    uint32_t field_count;
    bool shrinks; // q_0 is -1 in half of the states
} subject;

// --- The oracle: all states of all vertices by the formula, and boxes of nodes from them. It
// shares no code with what it judges but the tree's shape; vertices are the user's. ---

typedef struct oracle {
    world_mesh mesh;
    float *fields; // [field_count][vertex_count][3]
    uint32_t field_count;
    many pose[12], q[SHL_FIELDS_MAX];
    many (*at)[3];   // [vertex_count]
    many_box *below; // [node_count]
} oracle;

static void evaluate_vertex(const oracle *o, uint32_t vertex, many at[3])
{
    many d[3];
    for (size_t k = 0; k < 3; k++) {
        for (int s = 0; s < STATES; s++)
            d[k].in[s] = o->mesh.rest[3 * (size_t)vertex + k];
        for (size_t j = 0; j < o->field_count; j++) {
            const double u = (double)o->fields[3 * (j * o->mesh.vertex_count + vertex) + k];
            for (int s = 0; s < STATES; s++)
                d[k].in[s] += u * o->q[j].in[s];
        }
    }
    for (size_t k = 0; k < 3; k++) {
        const many *r = o->pose + 3 * k, *t = o->pose + 9 + k;
        for (int s = 0; s < STATES; s++)
            at[k].in[s] = ((r[0].in[s] * d[0].in[s] + r[1].in[s] * d[1].in[s]) +
                           r[2].in[s] * d[2].in[s]) +
                          t->in[s];
    }
}

static void grow(const many lo[3], const many hi[3], many_box *box)
{
    for (int k = 0; k < 3; k++) {
        for (int s = 0; s < STATES; s++) {
            const double a = lo[k].in[s], b = hi[k].in[s];
            box->lo[k].in[s] = a < box->lo[k].in[s] ? a : box->lo[k].in[s];
            box->hi[k].in[s] = b > box->hi[k].in[s] ? b : box->hi[k].in[s];
        }
    }
}

// Minima and maxima are exact, so that a node's box is that of every vertex below it.
static void find_boxes(const shl_tree *t, oracle *o)
{
    for (uint32_t v = 0; v < o->mesh.vertex_count; v++)
        evaluate_vertex(o, v, o->at[v]);
    for (uint32_t n = t->node_count; n-- > 0;) {
        many_box *box = &o->below[n];
        for (int i = 0; i < 3 * STATES; i++) {
            box->lo[i / STATES].in[i % STATES] = INFINITY;
            box->hi[i / STATES].in[i % STATES] = -INFINITY;
        }
        for (uint32_t i = 0; i < t->count[n]; i++) {
            const uint32_t row = t->first[n] + i;
            if (!t->leaf[n]) {
                grow(o->below[row].lo, o->below[row].hi, box);
                continue;
            }
            const uint32_t *v = o->mesh.tri + 3 * (size_t)t->tri[row].id;
            for (int c = 0; c < 3; c++)
                grow(o->at[v[c]], o->at[v[c]], box);
        }
    }
}

// --- States. ---

// Rotations by random quaternions, translations up to far beyond float32, q of all sizes. With
// one field alone, the bounds have the least room.
static void draw_states(const subject *about, uint64_t *seed, oracle *o)
{
    static const double sizes[] = {0, 1e-30, 1e-3, 0.01, 0.3, 1, 10, 1e6, 1e14, 1e20, 1e200};
    static const double fars[] = {0, 1, 1e3, 1e6, 1e6, 1e6, 1e20, 1e40};
    for (int s = 0; s < STATES; s++) {
        double c[4], square = 0;
        for (int i = 0; i < 4; i++) {
            c[i] = world_unit(seed);
            square += c[i] * c[i];
        }
        const double t = square > 1e-3 ? 2 / square : 0, w = c[0], x = c[1], y = c[2], z = c[3];
        const double turn[9] = {
            1 - t * (y * y + z * z), t * (x * y - w * z),     t * (x * z + w * y),
            t * (x * y + w * z),     1 - t * (x * x + z * z), t * (y * z - w * x),
            t * (x * z - w * y),     t * (y * z + w * x),     1 - t * (x * x + y * y)};
        const double size = sizes[world_random(seed) % (sizeof sizes / sizeof *sizes)];
        const double far = fars[world_random(seed) % (sizeof fars / sizeof *fars)];
        for (int i = 0; i < 9; i++)
            o->pose[i].in[s] = turn[i];
        for (int k = 0; k < 3; k++)
            o->pose[9 + k].in[s] = far * world_unit(seed);
        const uint64_t only = world_random(seed) % (2 * SHL_FIELDS_MAX); // or all of them
        for (uint32_t j = 0; j < o->field_count; j++) {
            const bool used = only < o->field_count ? j == only : world_random(seed) % 5 != 0;
            o->q[j].in[s] = size * world_unit(seed) * used;
        }
        if (about->shrinks && s % 2)
            o->q[0].in[s] = -1;
    }
}

// --- What is judged. ---

typedef struct judged {
    shl_tree tree;
    shl_reduced reduced[SHL_BOUNDS_COUNT];
    shl_reduced_body body;
    lone_body lone;
} judged;

static bool inside(const many_box *exact, int s, const float *lo, const float *hi,
                   size_t stride)
{
    bool good = true;
    for (size_t k = 0; k < 3; k++)
        good &= (double)lo[k * stride] <= exact->lo[k].in[s] &&
                exact->hi[k].in[s] <= (double)hi[k * stride];
    return good;
}

// How many nodes were judged in one state; 0 after a vertex outside of a box. A wide body has
// one box for all its nodes.
static uint64_t judge_state(judged *j, shl_bounds bounds, const shl_kernels *k, const oracle *o,
                            int s)
{
    const shl_tree *t = &j->tree;
    const shl_reduced *m = &j->reduced[bounds];
    double *state = j->body.state.data;
    for (int i = 0; i < 12; i++)
        state[i] = o->pose[i].in[s];
    for (uint32_t i = 0; i < o->field_count; i++)
        state[12 + i] = o->q[i].in[s];
    j->body.model = m;
    shl_reduced_update(k, &j->body, lone_bodies(&j->lone));
    const shl_box *whole = &j->lone.box;
    bool good =
        !(j->lone.flags & SHL_BODY_BAD) && inside(&o->below[0], s, whole->lo, whole->hi, 1);
    uint64_t looked = 1;
    for (uint32_t n = 0; n < t->node_count && !(j->lone.flags & SHL_BODY_UNBOUNDED); n++) {
        shl_block block;
        if (t->leaf[n])
            continue;
        k->reduced_open[bounds](shl_reduced_block(m, n), m->field_count, j->body.ready.data,
                                t->count[n], &block);
        for (uint32_t lane = 0; lane < t->count[n]; lane++)
            good &= inside(&o->below[t->first[n] + lane], s, &block.lo[0][lane],
                           &block.hi[0][lane], SHL_LANES);
        looked += t->count[n];
    }
    return good ? looked : 0;
}

static void begin(const subject *about, oracle *o, judged *j)
{
    const shoal_allocator memory = shl_allocator_libc();
    uint64_t seed = 17;
    memset(o, 0, sizeof *o);
    memset(j, 0, sizeof *j);
    o->mesh = about->mesh();
    o->field_count = about->field_count;
    const uint32_t n = o->mesh.vertex_count;
    o->fields = malloc((3 * sizeof(float) * n + 1) * (o->field_count + (size_t)1));
    for (uint32_t f = 0; f < o->field_count; f++) {
        for (uint32_t v = 0; v < n; v++) {
            double u[3];
            about->field(o->mesh.rest + 3 * (size_t)v, f, &seed, u);
            for (size_t k = 0; k < 3; k++)
                o->fields[3 * ((size_t)f * n + v) + k] = (float)u[k];
        }
    }
    const shl_build_input in = {.triangles = o->mesh.tri,
                                .xyz = o->mesh.rest,
                                .triangle_count = o->mesh.triangle_count,
                                .vertex_count = n,
                                .fields = o->fields,
                                .field_count = o->field_count};
    if (shl_tree_build(&in, &memory, &j->tree))
        abort();
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++) {
        const shl_reduced_input reduced = {o->mesh.rest, o->fields, o->field_count,
                                           (shl_bounds)bounds, -1};
        if (shl_reduced_build(&j->tree, &reduced, &memory, &j->reduced[bounds]))
            abort();
    }
    j->body.tree = &j->tree;
    j->body.state.data = calloc(12 + o->field_count, sizeof(double));
    j->body.ready.data = calloc(1, sizeof(shl_reduced_ready) + o->field_count * sizeof(float));
    o->at = malloc(n * sizeof *o->at);
    o->below = malloc(j->tree.node_count * sizeof *o->below);
}

static void end(oracle *o, judged *j)
{
    const shoal_allocator memory = shl_allocator_libc();
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++)
        shl_reduced_finish(&j->reduced[bounds], &memory);
    shl_tree_finish(&j->tree, &memory);
    free(j->body.state.data);
    free(j->body.ready.data);
    mesh_free(&o->mesh);
    free(o->fields);
    free(o->at);
    free(o->below);
}

// --- Subjects. ---

static world_mesh ball(void)
{
    return mesh_ball(3, 5);
}

static world_mesh small_ball(void)
{
    return mesh_ball(2, 9);
}

static world_mesh lattice(void)
{
    return mesh_lattice(600, 250, 7, 3);
}

static world_mesh flat(void)
{
    world_mesh m = mesh_lattice(400, 200, 30, 5);
    for (uint32_t v = 0; v < m.vertex_count; v++)
        m.rest[3 * (size_t)v + 2] = v % 3 ? 0 : 1e-12;
    return m;
}

// Far from where its own pose turns it about.
static world_mesh aside(void)
{
    world_mesh m = mesh_ball(3, 11);
    for (size_t i = 0; i < 3 * (size_t)m.vertex_count; i++)
        m.rest[i] += i % 3 == 1 ? -1e4 : 1e3;
    return m;
}

// Nodes of one vertex: triangles are points, eight times the same one.
static world_mesh points(void)
{
    world_mesh m = mesh_lattice(800, 100, 1000, 1);
    for (uint32_t i = 0; i < 3 * m.triangle_count; i++)
        m.tri[i] = i / 24;
    return m;
}

static const subject subjects[] = {
    {"smooth fields", ball, smooth, 10, false},
    {"noise", lattice, noise, 3, false},
    {"no fields", ball, noise, 0, false},
    {"64 smooth fields", small_ball, smooth, 64, false},
    {"64 fields of noise", small_ball, noise, 64, false},
    {"translation", ball, shift, 3, false},
    {"shrunk to a point", ball, scale, 1, true},
    {"one vertex a node", points, noise, 4, false},
    {"flat", flat, smooth, 5, false},
    {"aside", aside, smooth, 10, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// A share of the pairs, or a few more; of the kernels' bodies the reference does every ninth.
static bool judge_subject(const subject *about, uint64_t pairs, uint64_t *seed,
                          uint64_t looked[SHL_BOUNDS_COUNT])
{
    oracle o;
    judged j;
    bool good = true;
    uint64_t done = 0;
    begin(about, &o, &j);
    for (uint32_t turn = 0; done < pairs && good; turn++) {
        const int s = (int)(turn % STATES);
        if (s == 0) {
            draw_states(about, seed, &o);
            find_boxes(&j.tree, &o);
        }
        for (int bounds = 0; bounds < SHL_BOUNDS_COUNT && good; bounds++) {
            const uint64_t nodes =
                judge_state(&j, (shl_bounds)bounds, &kernels[turn % 9 != 0], &o, s);
            good = nodes > 0;
            looked[bounds] += nodes;
            done += bounds == 0 ? nodes : 0;
            if (!good)
                printf("\n%s, %s: translation %g, first q %g\n", bounds_names[bounds],
                       about->name, o.pose[9].in[s], o.q[0].in[s]);
        }
    }
    end(&o, &j);
    return good;
}

TEST no_vertex_is_outside(void)
{
    const char *count = getenv("SHOAL_BOUNDS");
    const uint64_t asked = count ? strtoull(count, NULL, 10) : 0;
    const uint64_t pairs = asked ? asked : getenv("SHOAL_LONG") ? 1000000000 : 1000000;
    uint64_t looked[SHL_BOUNDS_COUNT] = {0}, seed = 99;
    for (int i = 0; i < SUBJECTS; i++)
        ASSERT(judge_subject(&subjects[i], pairs / SUBJECTS + 1, &seed, looked));
    for (int bounds = 0; bounds < SHL_BOUNDS_COUNT; bounds++) {
        printf("%s: %ju pairs of a node and a state\n", bounds_names[bounds],
               (uintmax_t)looked[bounds]);
        ASSERT(looked[bounds] >= pairs);
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    shl_kernels_init(&kernels[0], SHOAL_CPU_REF);
    shl_kernels_init(&kernels[1], SHOAL_CPU_BEST);
    RUN_TEST(no_vertex_is_outside);
    GREATEST_MAIN_END();
}
