// SPDX-License-Identifier: MIT
#include "cli/report/run_report.h"

#include "cli/scene_file/file.h"
#include "io/plain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void add(shl_series *series, uint64_t value)
{
    series->total += value;
    series->most = value > series->most ? value : series->most;
    series->last = value;
}

// Distances of bodies from their nearest ones, where there are such.
static void add_nearest(shl_run_totals *t, const shoal_scene *scene)
{
    const shoal_nearest_rows nearest = shoal_scene_nearest(scene);
    double sum = 0, least = t->nearest_rows ? t->nearest[0] : INFINITY;
    uint64_t rows = 0;
    for (size_t i = 0; i < nearest.count; i++) {
        const double distance = nearest.rows[i].distance;
        if (!isfinite(distance))
            continue;
        least = distance < least ? distance : least;
        sum += distance;
        rows++;
    }
    if (!rows)
        return;
    t->nearest[0] = least;
    t->nearest[1] += (sum - (double)rows * t->nearest[1]) / (double)(t->nearest_rows + rows);
    t->nearest[2] = sum / (double)rows;
    t->nearest_rows += rows;
}

void shl_run_add(shl_run_totals *t, const shoal_stats *stats, const shoal_scene *scene,
                 double deform_s)
{
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    t->deform_s += deform_s;
    t->shoal_s += stats->wall_s;
    t->gather_s += shoal_scene_seconds(scene, SHOAL_PHASE_GATHER);
    t->refit_s += shoal_scene_seconds(scene, SHOAL_PHASE_REFIT);
    t->rebuild_s += shoal_scene_seconds(scene, SHOAL_PHASE_REBUILD);
    t->broad_s += shoal_scene_seconds(scene, SHOAL_PHASE_BROAD);
    t->traverse_s += shoal_scene_seconds(scene, SHOAL_PHASE_TRAVERSE);
    t->leaf_s += shoal_scene_seconds(scene, SHOAL_PHASE_LEAF);
    t->contact_s += shoal_scene_seconds(scene, SHOAL_PHASE_CONTACT);
    t->distance_s += shoal_scene_seconds(scene, SHOAL_PHASE_DISTANCE) +
                     shoal_scene_seconds(scene, SHOAL_PHASE_GRID);
    t->sort_s += shoal_scene_seconds(scene, SHOAL_PHASE_SORT);
    add(&t->body_pairs, stats->body_pairs);
    add(&t->node_pairs, stats->node_pairs);
    add(&t->opened_nodes, stats->opened_nodes);
    add(&t->candidates, stats->candidates);
    add(&t->exact_tests, stats->exact_tests);
    add(&t->pairs, shoal_scene_pairs(scene).count + shoal_scene_first_pairs(scene).count);
    add(&t->self_pairs, shoal_scene_self_pairs(scene).count);
    add(&t->contacts, contacts.count);
    add(&t->distances, stats->distances);
    add_nearest(t, scene);
    for (size_t i = 0; i < contacts.count; i++)
        t->deepest = contacts.rows[i].depth > t->deepest ? contacts.rows[i].depth : t->deepest;
    add(&t->bad_bodies, shoal_scene_bad_bodies(scene).count);
    t->rebuilds += stats->rebuilds;
    t->gpu_jobs += stats->gpu_jobs;
    t->quality_worst =
        stats->quality_worst > t->quality_worst ? stats->quality_worst : t->quality_worst;
    t->quality_last[0] = stats->quality_worst;
    t->quality_last[1] = stats->quality_mean;
    add(&t->near_pairs, stats->near_pairs);
    t->reused_steps += stats->list_reused;
    t->late_allocations += t->here >= 3 ? stats->allocations : 0;
    t->bytes_most = stats->bytes > t->bytes_most ? stats->bytes : t->bytes_most;
    t->hash = shl_hash_steps(t->hash, t->steps, shoal_scene_hash(scene));
    t->threads = stats->threads;
    t->worker_s += stats->wall_s * stats->workers;
    t->steps++;
    t->here++;
}

// Time of the workers that no phase accounts for: waiting, scheduling, setting up.
static double other_s(const shl_run_totals *t)
{
    const double busy = t->gather_s + t->refit_s + t->rebuild_s + t->broad_s + t->traverse_s +
                        t->leaf_s + t->contact_s + t->distance_s + t->sort_s;
    const double rest = t->worker_s - busy;
    return rest > 0 ? rest : 0;
}

static double per_second(double count, double seconds)
{
    return seconds > 0 ? count / seconds : 0;
}

static void print_phases(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    const struct {
        shl_phase phase;
        double seconds;
        const char *what;
    } rows[] = {
        {SHL_PHASE_GATHER, t->gather_s, "positions to tree order"},
        {SHL_PHASE_REFIT, t->refit_s, "boxes made ahead of the search"},
        {SHL_PHASE_REBUILD, t->rebuild_s, "trees built anew"},
        {SHL_PHASE_BROAD, t->broad_s, "which bodies are near each other"},
        {SHL_PHASE_TRAVERSE, t->traverse_s, "box tests, boxes made on the way"},
        {SHL_PHASE_LEAF, t->leaf_s, "triangle tests"},
        {SHL_PHASE_CONTACT, t->contact_s, "contact spheres"},
        {SHL_PHASE_DISTANCE, t->distance_s, "what is nearest"},
        {SHL_PHASE_SORT, t->sort_s, "canonical order and hash"},
        {SHL_PHASE_WAIT, other_s(t), "for others, and all else"},
    };
    const double all = t->worker_s;
    const double scale = run->threads.steps ? 1e3 / run->threads.steps : 0;
    printf("  %-12s %9s %9s %9s %7s\n", "ms/step", "min", "avg", "max", "% total");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const shl_spread s = shl_threads_spread(&run->threads, rows[i].phase);
        printf("  %-12s %9.4f %9.4f %9.4f %7.1f  %s\n", shl_phase_names[rows[i].phase],
               scale * s.least, scale * s.mean, scale * s.most,
               all > 0 ? 100 * rows[i].seconds / all : 0, rows[i].what);
    }
    printf("  %-12s %9s %9.4f %9s %7.1f  wall time; min, avg and max are over the threads\n",
           "total", "", 1e3 * t->shoal_s / t->steps, "", 100.0);
    printf("  %-12s %9s %9.4f %9s          the scene's own motion, not counted above\n\n",
           "deforming", "", 1e3 * t->deform_s / t->steps, "");
}

enum {
    distance_queries = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                       SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF
};

static void print_counts(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    const struct {
        const char *name;
        const shl_series *series;
    } rows[] = {
        {"body pairs", &t->body_pairs},
        {"node pairs", &t->node_pairs},
        {"opened nodes", &t->opened_nodes},
        {"candidates", &t->candidates},
        {"exact tests", &t->exact_tests},
        {run->queries & SHOAL_QUERY_FIRST ? "hits" : "pairs", &t->pairs},
        {"self pairs", &t->self_pairs},
        {"contacts", &t->contacts},
        {"distances", &t->distances},
    };
    printf("  %-12s %12s %12s %12s\n", "per step", "mean", "max", "last");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t asked = rows[i].series == &t->self_pairs  ? SHOAL_QUERY_SELF
                               : rows[i].series == &t->contacts  ? SHOAL_QUERY_SPHERES
                               : rows[i].series == &t->distances ? distance_queries
                               : rows[i].series == &t->pairs
                                   ? SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST
                                   : UINT32_MAX;
        if (!(run->queries & asked))
            continue;
        printf("  %-12s %12.1f %12" PRIu64 " %12" PRIu64 "\n", rows[i].name,
               (double)rows[i].series->total / t->steps, rows[i].series->most,
               rows[i].series->last);
    }
}

void shl_run_print(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    const shl_engine *e = run->engine;
    printf("%s: %u %s, %" PRIu64 " triangles, %u %s, %u %s (%s, %s, %s)\n\n", run->name,
           run->bodies, run->bodies == 1 ? "body" : "bodies", run->triangles, t->steps,
           t->steps == 1 ? "step" : "steps", t->threads, t->threads == 1 ? "thread" : "threads",
           shl_executor_name(e->def.executor), shl_strategy_name(e->def.strategy),
           shl_cpu_name(e->ctx));
    print_phases(run);
    print_counts(run);
    putchar('\n');
    shl_dynamics_print(&run->dynamics);
    const double pairs = (double)(t->pairs.total + t->self_pairs.total + t->contacts.total);
    printf("  speed        %.1f steps/s, %.2f M triangles/s, %.3f M %s/s\n",
           per_second(t->steps, t->shoal_s),
           1e-6 * per_second((double)run->triangles * t->steps, t->shoal_s),
           1e-6 * per_second(pairs, t->shoal_s),
           run->queries & SHOAL_QUERY_SPHERES ? "contacts" : "pairs");
    printf("  memory       %.1f MB, %" PRIu64 " allocations after step 3\n",
           1e-6 * (double)t->bytes_most, t->late_allocations);
    if (t->quality_worst > 0)
        printf("  trees        quality %.2f mean, %.2f worst at the end, %.2f worst of all; "
               "%" PRIu64 " rebuilt\n",
               t->quality_last[1], t->quality_last[0], t->quality_worst, t->rebuilds);
    if (e->def.list_margin > 0)
        printf("  list_margin         %g: %u of %u steps tested an earlier step's list, %.0f "
               "pairs\n",
               e->def.list_margin, t->reused_steps, t->steps,
               (double)t->near_pairs.total / t->steps);
    if (run->queries & SHOAL_QUERY_SPHERES && run->file)
        printf("  spheres      deepest contact %g\n", t->deepest);
    else if (run->queries & SHOAL_QUERY_SPHERES)
        printf("  spheres      %u a body, level %u; deepest contact %g\n", run->spheres,
               run->params.spheres - 1, t->deepest);
    if (t->nearest_rows)
        printf("  nearest      least %.6g, mean %.6g, %.6g at the end\n", t->nearest[0],
               t->nearest[1], t->nearest[2]);
    if (t->bad_bodies.most)
        printf("  bad bodies   %" PRIu64 " with NaN or infinite positions\n",
               t->bad_bodies.most);
    printf("  hash         %016" PRIx64 "\n", t->hash);
    shl_line(stdout, "  folder       %s", run->folder);
    shl_line(stdout, "  report       %s/report.html", run->folder);
}

json_t *shl_run_params_json(const shl_run_result *run)
{
    if (run->file)
        return json_incref(run->file->json);
    json_t *out = json_object();
    for (uint32_t i = 0; out; i++) {
        const shl_scene_param p = shl_scene_param_at(run->id, &run->params, i);
        if (!p.key)
            break;
        // seeds may exceed what a JSON integer of jansson holds; those stay text
        json_error_t error;
        json_t *value = p.number ? json_loads(p.text, JSON_DECODE_ANY, &error) : NULL;
        if (json_object_set_new(out, p.key, value ? value : json_string(p.text)) != 0) {
            json_decref(out);
            out = NULL;
        }
    }
    return out;
}

static json_t *series_json(const shl_series *series, uint32_t steps)
{
    return json_pack("{s:I, s:f, s:I, s:I}", "total", (json_int_t)series->total, "mean",
                     (double)series->total / steps, "max", (json_int_t)series->most, "last",
                     (json_int_t)series->last);
}

static json_t *time_json(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    return json_pack(
        "{s:f, s:f, s:f, s:{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}, s:s, s:o}",
        "elapsed_s", t->elapsed_s, "deform_s", t->deform_s, "shoal_s", t->shoal_s, "phases",
        "gather_s", t->gather_s, "refit_s", t->refit_s, "rebuild_s", t->rebuild_s, "broad_s",
        t->broad_s, "traverse_s", t->traverse_s, "leaf_s", t->leaf_s, "contact_s", t->contact_s,
        "distance_s", t->distance_s, "sort_s", t->sort_s, "scheduling_s", other_s(t),
        "phases_are", "seconds summed over threads and steps", "per_thread",
        shl_threads_json(&run->threads));
}

static json_t *counts_json(const shl_run_totals *t)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "body_pairs",
                     series_json(&t->body_pairs, t->steps), "node_pairs",
                     series_json(&t->node_pairs, t->steps), "opened_nodes",
                     series_json(&t->opened_nodes, t->steps), "candidates",
                     series_json(&t->candidates, t->steps), "exact_tests",
                     series_json(&t->exact_tests, t->steps), "pairs",
                     series_json(&t->pairs, t->steps), "self_pairs",
                     series_json(&t->self_pairs, t->steps));
}

// Null where no nearest bodies were asked for, or there were none.
static json_t *nearest_json(const shl_run_totals *t)
{
    if (!t->nearest_rows)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:o}", "least", t->nearest[0], "mean", t->nearest[1],
                     "mean_last", t->nearest[2], "triangle_distances",
                     series_json(&t->distances, t->steps));
}

// Null where no contact spheres were asked for.
static json_t *spheres_json(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    if (!(run->queries & SHOAL_QUERY_SPHERES))
        return json_null();
    return json_pack("{s:I, s:I, s:o, s:f}", "level", (json_int_t)run->params.spheres - 1,
                     "per_body", (json_int_t)run->spheres, "contacts",
                     series_json(&t->contacts, t->steps), "deepest", t->deepest);
}

static json_t *list_json(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    return json_pack("{s:f, s:I, s:o}", "list_margin", run->engine->def.list_margin,
                     "reused_steps", (json_int_t)t->reused_steps, "near_pairs",
                     series_json(&t->near_pairs, t->steps));
}

// Qualities as in shoal_body_info: 1 is as built.
static json_t *trees_json(const shl_run_totals *t)
{
    return json_pack("{s:I, s:f, s:f, s:f}", "rebuilds", (json_int_t)t->rebuilds,
                     "quality_mean", t->quality_last[1], "quality_worst", t->quality_last[0],
                     "quality_worst_ever", t->quality_worst);
}

json_t *shl_run_queries_json(uint32_t queries)
{
    json_t *out = json_array();
    for (size_t i = 0; shl_query_names[i]; i++) {
        if (queries & shl_query_bits[i] &&
            json_array_append_new(out, json_string(shl_query_names[i])) != 0) {
            json_decref(out);
            return NULL;
        }
    }
    return out;
}

json_t *shl_run_json(const shl_run_result *run)
{
    const shl_run_totals *t = &run->totals;
    const shl_engine *e = run->engine;
    json_t *queries = shl_run_queries_json(run->queries);
    if (!queries)
        return NULL;
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:s, s:s, s:s, s:s,"
        " s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, "
        "s:I, "
        "s:I, s:o}",
        "version", shoal_version(), "scene", run->name, "parameters", shl_run_params_json(run),
        "queries", queries, "steps", (json_int_t)t->steps, "bodies", (json_int_t)run->bodies,
        "triangles", (json_int_t)run->triangles, "threads", (json_int_t)t->threads, "executor",
        shl_executor_name(e->def.executor), "strategy", shl_strategy_name(e->def.strategy),
        "broad", shl_broad_name(e->def.broad), "cpu", shl_cpu_name(e->ctx), "pairs_total",
        (json_int_t)t->pairs.total, "pairs_last", (json_int_t)t->pairs.last, "pairs_max",
        (json_int_t)t->pairs.most, "self_pairs_total", (json_int_t)t->self_pairs.total, "hash",
        shl_json_hash(t->hash), "gpu_jobs", (json_int_t)t->gpu_jobs, "bad_bodies",
        (json_int_t)t->bad_bodies.most, "time", time_json(run), "counts", counts_json(t),
        "trees", trees_json(t), "list_margin", list_json(run), "spheres", spheres_json(run),
        "nearest", nearest_json(t), "dynamics", shl_dynamics_json(&run->dynamics),
        "steps_per_s", per_second(t->steps, t->shoal_s), "triangles_per_s",
        per_second((double)run->triangles * t->steps, t->shoal_s), "pairs_per_s",
        per_second((double)(t->pairs.total + t->self_pairs.total), t->shoal_s),
        "late_allocations", (json_int_t)t->late_allocations, "memory_bytes",
        (json_int_t)t->bytes_most, "folder", shl_json_new_text(run->folder));
}
