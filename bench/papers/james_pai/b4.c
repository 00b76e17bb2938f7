// SPDX-License-Identifier: MIT
// B4, after the bridge of James & Pai 2004: 12,000 fish fall on a bridge of 240 thousand
// triangles. How much memory that takes, and where the time of its steps goes.
#include "bench/harness/bench.h"
#include "scenes/plays/actors.h"

enum { FISH = 12000, BAYS = 40, LEVEL = 7, STEPS = 200 };

static const double patience_s = 90; // steps that have begun by then count

typedef struct sums {
    uint32_t steps;
    double wall_s, motion_s, broad_s, refit_s, contact_s, sort_s;
    double contacts, with_bridge;
    uint32_t workers;
} sums;

static void add(sums *t, const shoal_scene *scene, double motion_s)
{
    const shoal_stats s = shoal_scene_stats(scene);
    const shoal_sphere_contacts found = shoal_scene_sphere_contacts(scene);
    t->steps++;
    t->workers = s.workers;
    t->wall_s += s.wall_s;
    t->motion_s += motion_s;
    t->broad_s += shoal_scene_seconds(scene, SHOAL_PHASE_BROAD);
    t->refit_s += shoal_scene_seconds(scene, SHOAL_PHASE_REFIT);
    t->contact_s += shoal_scene_seconds(scene, SHOAL_PHASE_CONTACT);
    t->sort_s += shoal_scene_seconds(scene, SHOAL_PHASE_SORT);
    t->contacts += (double)found.count;
    for (size_t i = 0; i < found.count; i++)
        t->with_bridge += found.rows[i].body_b == FISH;
}

static void report_part(bench_report *report, const char *name, const sums *t)
{
    if (!t->steps)
        return;
    const double n = t->steps, threads = t->workers, ms = 1e3 / n;
    bench_row(report,
              json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "phase",
                        name, "steps", (int)t->steps, "steps_s", n / (t->wall_s + t->motion_s),
                        "collision_ms", ms * t->wall_s, "dynamics_ms", ms * t->motion_s,
                        "refit_ms", ms * t->refit_s / threads, "broad_ms",
                        ms * t->broad_s / threads, "contacts_ms", ms * t->contact_s / threads,
                        "sort_ms", ms * t->sort_s / threads, "contacts", t->contacts / n,
                        "with_bridge", t->with_bridge / n));
}

shoal_status bench_b4(const bench_options *options, bench_report *report)
{
    const shoal_scene_def sd = shoal_scene_def_default();
    const shl_scene_params params = {
        .bodies = FISH, .bays = BAYS, .seed = 1, .spheres = LEVEL + 1};
    shoal_scene *scene = NULL;
    void *actors = NULL;
    sums falling = {0}, lying = {0};
    shoal_status st = shoal_scene_create(options->context, &sd, &scene);
    if (st == SHOAL_OK)
        st =
            shl_actors_create(&shl_play_fish_bridge, &params, options->context, scene, &actors);
    const double begin = bench_now_s();
    for (uint32_t step = 1; step <= STEPS && st == SHOAL_OK; step++) {
        const double start = bench_now_s();
        if (start - begin > patience_s)
            break;
        st = shl_actors_step(actors, step);
        const double moved = bench_now_s();
        if (st == SHOAL_OK)
            st = shoal_scene_step(scene, SHOAL_QUERY_SPHERES);
        if (st == SHOAL_OK)
            add(step <= STEPS / 2 ? &falling : &lying, scene, moved - start);
    }
    if (st == SHOAL_OK) {
        report_part(report, "falling", &falling);
        report_part(report, "first on the bridge", &lying);
        bench_row(report, json_pack("{s:f, s:f}", "resident_gb", bench_resident_gb(),
                                    "held_by_context_gb",
                                    (double)shoal_scene_stats(scene).bytes / (1u << 30)));
        bench_gate(report, "resident memory, GB", bench_resident_gb(), 4, 1, BENCH_LOWER);
        bench_gate(report, "contacts with the bridge, a step", lying.with_bridge / lying.steps,
                   1000, 1000, BENCH_HIGHER);
    }
    shl_actors_destroy(actors);
    shoal_scene_destroy(scene);
    return st;
}
