// SPDX-License-Identifier: MIT
// B3, after the falling chairs of James & Pai 2004: 3,601 chairs that push each other, in the
// steps in which they have as many contacts as the paper's. They begin pressed into each other
// and spring apart; states are recorded on the way, and then played to contenders in turns.
#include "bench/papers/james_pai/b3.h"
#include "bench/harness/bench.h"
#include "bench/harness/compute_loop.h"
#include "scenes/shapes/chair.h"
#include "scenes/solvers/modal/flex.h"

#include <shoal/reduced.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 20, STEPS_MAX = 30, CONTACTS_LEAST = 50000, CONTACTS_MOST = 80000 };

static const double spacing = 0.75;   // metres: chairs are about a metre high
static const double paper_step = 2.1; // seconds

enum { FLEXIBLE_1, FLEXIBLE_2, RIGID_1, RIGID_2, CONTENDERS };

static const struct {
    const char *name;
    uint32_t threads;
    bool rigid;
} contenders[CONTENDERS] = {
    {"deformable", 1, false}, {"deformable", 2, false}, {"rigid", 1, true}, {"rigid", 2, true}};

typedef struct player {
    shoal_scene *scene;
    shoal_model *model;
    shoal_body *ids; // [BENCH_PILE_CHAIRS]
    double best[KEPT];
    size_t contacts[KEPT];
} player;

// --- What happens. ---

// One crowd has a dozen such steps.
static shoal_status record(shoal_context *ctx, uint64_t seed, bench_pile *pile)
{
    const shoal_scene_def sd = shoal_scene_def_default();
    const shl_scene_params params = {.bodies = BENCH_PILE_CHAIRS,
                                     .seed = seed,
                                     .spheres = BENCH_PILE_LEVEL + 1,
                                     .spacing = spacing};
    shoal_scene *scene = NULL;
    void *chairs = NULL;
    shoal_status st = shoal_scene_create(ctx, &sd, &scene);
    if (st == SHOAL_OK)
        st = shl_actors_create(&shl_play_chairs, &params, ctx, scene, &chairs);
    for (uint32_t step = 1; step <= STEPS_MAX && pile->count < KEPT && st == SHOAL_OK; step++) {
        st = shl_actors_step(chairs, step);
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, SHOAL_QUERY_SPHERES);
        const size_t found = st == SHOAL_OK ? shoal_scene_sphere_contacts(scene).count : 0;
        if (found < CONTACTS_LEAST || found > CONTACTS_MOST)
            continue;
        size_t bytes;
        const double *state = shl_actors_state(chairs, &bytes);
        double *copy = pile->states[pile->count] = malloc(bytes);
        if (!copy)
            st = SHOAL_ERR_MEMORY;
        else
            memcpy(copy, state, bytes);
        pile->count += copy != NULL;
    }
    shl_actors_destroy(chairs);
    shoal_scene_destroy(scene);
    return st;
}

// --- Who takes part. ---

static shoal_status make_model(shoal_context *ctx, bool rigid, shoal_model **out)
{
    shl_surface chair;
    double *shares = NULL;
    float *fields = NULL;
    shoal_status st = shl_mesh_chair(&chair);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&chair, &shares);
    if (st == SHOAL_OK) {
        shl_centre(&chair, shares);
        st = shl_chair_fields(&chair, shares, &fields);
    }
    if (st == SHOAL_OK) {
        shoal_model_def def = shoal_model_def_default();
        def.triangles = chair.triangles;
        def.triangle_count = chair.triangle_count;
        def.rest = shoal_positions_f64(chair.xyz, chair.vertex_count);
        def.reducible = true;
        def.fields = rigid ? NULL : fields;
        def.field_count = rigid ? 0 : SHL_CHAIR_FIELDS;
        def.sphere_level = BENCH_PILE_LEVEL;
        st = shoal_model_create(ctx, &def, out);
    }
    shl_surface_finish(&chair);
    free(shares);
    free(fields);
    return st;
}

static shoal_status begin(player *p, shoal_context *ctx, uint32_t threads, bool rigid)
{
    shoal_scene_def sd = shoal_scene_def_default();
    sd.threads = threads;
    p->ids = calloc(BENCH_PILE_CHAIRS, sizeof *p->ids);
    shoal_status st = p->ids ? shoal_scene_create(ctx, &sd, &p->scene) : SHOAL_ERR_MEMORY;
    if (st == SHOAL_OK)
        st = make_model(ctx, rigid, &p->model);
    for (uint32_t i = 0; i < BENCH_PILE_CHAIRS && st == SHOAL_OK; i++)
        st = shoal_scene_add_reduced(p->scene, p->model, &p->ids[i]);
    return st;
}

static void end(player *p)
{
    shoal_scene_destroy(p->scene);
    shoal_model_destroy(p->model);
    free(p->ids);
}

static shoal_status play(player *p, bool rigid, const double *state)
{
    const size_t n = BENCH_PILE_CHAIRS;
    const shoal_reduced_state all = {.bodies = p->ids,
                                     .count = (uint32_t)n,
                                     .stride = n,
                                     .rotation = state,
                                     .translation = state + 9 * n,
                                     .q = rigid ? NULL : state + 12 * n,
                                     .field_count = rigid ? 0 : SHL_CHAIR_FIELDS};
    const shoal_status st = shoal_scene_set_reduced(p->scene, &all);
    return st == SHOAL_OK ? shoal_scene_step(p->scene, SHOAL_QUERY_SPHERES) : st;
}

// All contenders in turns, step by step; after each step the loop of pure arithmetic, too.
static shoal_status compete(player p[CONTENDERS], const bench_pile *pile, uint32_t repeat,
                            bench_compute_loop loop[2], double loop_s[2])
{
    shoal_status st = SHOAL_OK;
    for (uint32_t turn = 0; turn <= repeat; turn++) {
        for (uint32_t k = 0; k < pile->count; k++) {
            for (int i = 0; i < CONTENDERS && st == SHOAL_OK; i++) {
                st = play(&p[i], contenders[i].rigid, pile->states[k]);
                if (st != SHOAL_OK)
                    return st;
                p[i].contacts[k] = shoal_scene_sphere_contacts(p[i].scene).count;
                if (turn > 0) // the first finds memory
                    bench_keep_least(&p[i].best[k], shoal_scene_stats(p[i].scene).wall_s);
            }
            for (int i = 0; i < 2 && st == SHOAL_OK; i++) {
                double s = 0;
                st = bench_compute_loop_run(&loop[i], &s);
                bench_keep_least(&loop_s[i], s);
            }
        }
    }
    return st;
}

// --- What is told. ---

typedef struct totals {
    double s, contacts;
} totals;

static totals add_up(const player *p, uint32_t steps)
{
    totals t = {0};
    for (uint32_t k = 0; k < steps; k++) {
        t.s += p->best[k];
        t.contacts += (double)p->contacts[k];
    }
    return t;
}

static void report_times(bench_report *report, const player p[CONTENDERS], uint32_t steps,
                         const double loop_s[2])
{
    totals t[CONTENDERS];
    for (int i = 0; i < CONTENDERS; i++) {
        t[i] = add_up(&p[i], steps);
        bench_row(report,
                  json_pack("{s:s, s:i, s:i, s:f, s:f, s:f}", "chairs", contenders[i].name,
                            "threads", (int)contenders[i].threads, "steps", (int)steps,
                            "contacts", t[i].contacts / steps, "step_ms", 1e3 * t[i].s / steps,
                            "ns_a_contact", 1e9 * t[i].s / t[i].contacts));
    }
    const double own = t[FLEXIBLE_1].s / t[FLEXIBLE_2].s, loop = loop_s[0] / loop_s[1];
    bench_row(report, json_pack("{s:s, s:f, s:f}", "speed-up of two threads", "deformable",
                                "step", own, "compute loop", loop));
    bench_gate(report, "deformable / rigid, a contact, one thread",
               t[FLEXIBLE_1].s / t[FLEXIBLE_1].contacts / (t[RIGID_1].s / t[RIGID_1].contacts),
               1.5, 1.25, BENCH_LOWER);
    bench_gate(report, "deformable / rigid, a contact, two threads",
               t[FLEXIBLE_2].s / t[FLEXIBLE_2].contacts / (t[RIGID_2].s / t[RIGID_2].contacts),
               1.5, 1.25, BENCH_LOWER);
    bench_gate(report, "paper's 2.1 s / step, two threads",
               paper_step * steps / t[FLEXIBLE_2].s, 30, 100, BENCH_HIGHER);
    bench_gate(report, "2-thread speed-up / compute-loop speed-up", own / fmax(loop, 1), 0.9,
               0.97, BENCH_HIGHER);
}

// Whether contacts of all kept steps are those of brute force.
static shoal_status check(player *p, const bench_pile *pile, bench_report *report)
{
    bench_missed sum = {0};
    shoal_status st = SHOAL_OK;
    for (uint32_t k = 0; k < pile->count && st == SHOAL_OK; k++) {
        st = play(p, false, pile->states[k]);
        const shoal_sphere_contacts found = shoal_scene_sphere_contacts(p->scene);
        if (st == SHOAL_OK)
            st = bench_pile_check(p->model, pile->states[k], found.rows, found.count, k + 1,
                                  &sum);
    }
    bench_row(report,
              json_pack("{s:i, s:I, s:I, s:I, s:I}", "steps looked at", (int)pile->count,
                        "body pairs near", (json_int_t)sum.near_pairs, "looked at",
                        (json_int_t)sum.looked_at, "contacts in them", (json_int_t)sum.contacts,
                        "missed or wrong", (json_int_t)sum.wrong));
    bench_gate(report, "contacts missed or wrong", (double)sum.wrong, 0, 0, BENCH_LOWER);
    bench_gate(report, "steps looked at", pile->count, KEPT, KEPT, BENCH_HIGHER);
    return st;
}

shoal_status bench_b3(const bench_options *options, bench_report *report)
{
    shoal_context *const ctx = options->context;
    bench_pile pile = {0};
    player p[CONTENDERS] = {0};
    bench_compute_loop loop[2] = {0};
    double loop_s[2] = {0};
    pile.states = calloc(KEPT, sizeof *pile.states);
    shoal_status st = pile.states ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (uint64_t seed = 1; seed <= 3 && pile.count < KEPT && st == SHOAL_OK; seed++)
        st = record(ctx, seed, &pile);
    for (int i = 0; i < CONTENDERS && st == SHOAL_OK; i++)
        st = begin(&p[i], ctx, contenders[i].threads, contenders[i].rigid);
    for (uint32_t i = 0; i < 2 && st == SHOAL_OK; i++)
        st = bench_compute_loop_init(&loop[i], i + 1);
    if (st == SHOAL_OK)
        st = compete(p, &pile, options->repeat, loop, loop_s);
    if (st == SHOAL_OK)
        report_times(report, p, pile.count, loop_s);
    if (st == SHOAL_OK)
        st = check(&p[FLEXIBLE_2], &pile, report);
    for (int i = 0; i < CONTENDERS; i++)
        end(&p[i]);
    for (int i = 0; i < 2; i++)
        bench_compute_loop_finish(&loop[i]);
    for (uint32_t k = 0; k < pile.count; k++)
        free(pile.states[k]);
    free(pile.states);
    return st;
}
