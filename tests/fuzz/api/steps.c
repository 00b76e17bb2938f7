// SPDX-License-Identifier: MIT
// Steps: by the library's threads, by the caller's, two scenes at once, traced, and looked at.
#include "play.h"

#include "tests/oracle/tri_distance.h"

#include <math.h>
#include <pthread.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const query_names[] = {
    "pairs",       "first",   "self",   "self adjacent",
    "spheres",     "nearest", "within", "nearest triangles",
    "nearest self"};
enum { QUERIES = 9 };

static uint32_t draw_queries(draw *d, const stage *s)
{
    const uint32_t nearest = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                             SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF;
    const uint32_t always[THEMES] = {[DISTANCES] = nearest, [SPHERES] = SHOAL_QUERY_SPHERES};
    const uint32_t all = (1u << QUERIES) - 1, lists = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST |
                                                      SHOAL_QUERY_SELF |
                                                      SHOAL_QUERY_SELF_ADJACENT;
    uint32_t queries = chance(d, 6) ? all : below(d, 1u << QUERIES);
    if (!chance(d, 12)) {
        queries &= s->theme == LISTS ? lists : all;
        queries = s->theme == LISTS && !chance(d, 6) ? s->queries : queries;
        queries |= always[s->theme] & (below(d, 1u << QUERIES) | below(d, 1u << QUERIES));
    }
    return queries ? queries : SHOAL_QUERY_PAIRS;
}

views views_of(const shoal_scene *scene)
{
    return (views){.pairs = USE(shoal_scene_pairs)(scene),
                   .self = USE(shoal_scene_self_pairs)(scene),
                   .first = USE(shoal_scene_first_pairs)(scene),
                   .contacts = USE(shoal_scene_sphere_contacts)(scene),
                   .nearest = USE(shoal_scene_nearest)(scene),
                   .within = USE(shoal_scene_within)(scene),
                   .triangles = USE(shoal_scene_nearest_triangles)(scene),
                   .triangles_self = USE(shoal_scene_nearest_self)(scene),
                   .bad = USE(shoal_scene_bad_bodies)(scene),
                   .hash = USE(shoal_scene_hash)(scene)};
}

bool results_are_empty(const shoal_scene *scene)
{
    const views v = views_of(scene);
    return v.pairs.count + v.self.count + v.first.count + v.contacts.count + v.nearest.count +
                   v.within.count + v.triangles.count + v.triangles_self.count + v.bad.count ==
               0 &&
           v.hash == 0;
}

static void count_step(const stage *s, uint32_t queries)
{
    const views v = views_of(s->scene);
    shoal_stats stats;
    USE(shoal_scene_read_stats)(s->scene, &stats, sizeof stats);
    for (uint32_t i = 0; i < QUERIES; i++) {
        if (queries >> i & 1)
            count("query", query_names[i], 1);
    }
    bool kinds[3] = {false};
    for (uint32_t i = 0; i < BODIES; i++)
        kinds[s->actors[i].kind] |= takes_part(&s->actors[i], s->scene);
    for (int k = 0; k < 3; k++)
        count("steps with", kind_names[k], kinds[k]);
    count("found", "pairs", v.pairs.count);
    count("found", "self pairs", v.self.count);
    count("found", "hits", v.first.count);
    count("found", "contacts", v.contacts.count);
    count("found", "nearest bodies", v.nearest.count);
    count("found", "bodies within", v.within.count);
    count("found", "nearest triangles", v.triangles.count);
    count("found", "nearest in the body", v.triangles_self.count);
    count("found", "bad bodies", v.bad.count);
    count("event", "exact tests", stats.exact_tests);
    count("event", "lists used again", stats.list_reused);
    count("event", "trees built anew", stats.rebuilds);
    count("event", "fat boxes used", stats.fat_used);
    count("event", "fat boxes left", stats.fat_left);
    count("event", "steps with a grid", stats.grid_cells > 0);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000u * (uint64_t)t.tv_sec + (uint64_t)t.tv_nsec;
}

// Those of the last step, also if it failed; then there may be none.
static bool events_are_right(const stage *s, bool failed)
{
    size_t many = 7;
    const shoal_event *e = USE(shoal_scene_events)(s->scene, &many);
    if (!s->trace || (failed && !many))
        return (!e && many == 0) || fault("%zu events of a step that was not traced", many);
    if (!e || many == 0)
        return fault("a traced step without events");
    for (size_t i = 0; i < many; i++) {
        if (e[i].begin_ns < s->began_ns || e[i].begin_ns > e[i].end_ns ||
            e[i].worker > s->threads || (i && e[i].worker < e[i - 1].worker))
            return fault("event %zu of %zu is out of order", i, many);
    }
    return true;
}

// What is promised of a step, given how it ended.
static bool step_is_right(play *p, draw *d, const stage *s, uint32_t queries, shoal_status st)
{
    const bool grid = s->def.distance_engine == SHOAL_DISTANCE_GRID ||
                      s->def.distance_engine == SHOAL_DISTANCE_AUTO;
    const bool too_fine =
        grid && s->def.grid_resolution > 0 && (st == SHOAL_ERR_LIMIT || st == SHOAL_ERR_MEMORY);
    bool good = true;
    if (!too_fine && !went_well("step", st, &good) && !good)
        return false;
    if (st != SHOAL_OK) {
        count("event", too_fine ? "steps with too fine a grid" : "steps without memory", 1);
        return (results_are_empty(s->scene) || fault("a step that failed has results")) &&
               events_are_right(s, true);
    }
    const shoal_stats stats = shoal_scene_stats(s->scene);
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < BODIES; i++)
        bodies += s->actors[i].used;
    if (stats.bodies != bodies || stats.workers > s->threads ||
        stats.pairs !=
            shoal_scene_pairs(s->scene).count + shoal_scene_self_pairs(s->scene).count)
        return fault("stats: %u bodies, %u workers, %u pairs", (unsigned)stats.bodies,
                     stats.workers, (unsigned)stats.pairs);
    count_step(s, queries);
    return events_are_right(s, false) && results_are_true(p, d, s, queries);
}

bool do_step(play *p, draw *d, stage *s)
{
    const uint32_t queries = draw_queries(d, s);
    say("  queries %#x", queries);
    s->began_ns = now_ns();
    arm(d);
    const shoal_status st = TRY(shoal_scene_step, s->scene, queries);
    return step_is_right(p, d, s, queries, st);
}

// --- Threads of the caller. ---

typedef struct helper {
    pthread_t thread;
    stage *stage;
    uint32_t worker, queries;
    shoal_status status;
} helper;

static void *work(void *of)
{
    helper *h = of;
    host_enter();
    h->status = USE(shoal_scene_step_work)(h->stage->scene, h->worker);
    host_leave();
    return NULL;
}

static bool refused(const char *what, shoal_status st)
{
    return st == SHOAL_ERR_ARGUMENT ||
           fault("%s during a host's step: %s", what, shoal_status_text(st));
}

// Calls that have no place between begin and end.
static bool out_of_place(draw *d, stage *s, uint32_t queries, uint32_t workers)
{
    const actor *a = actor_any(s, d);
    shoal_body out;
    return refused("begin", TRY(shoal_scene_step_begin, s->scene, queries, workers)) &&
           refused("step", TRY(shoal_scene_step, s->scene, queries)) &&
           refused("work", TRY(shoal_scene_step_work, s->scene, workers)) &&
           (!a || refused("remove", TRY(shoal_scene_remove, s->scene, a->id))) &&
           (!a || refused("add", TRY(shoal_scene_add_free, s->scene, a->shape->model, &out)));
}

// One number that came, or `workers`, in *taken.
static bool run_helpers(draw *d, stage *s, uint32_t workers, uint32_t *taken)
{
    helper helpers[4];
    uint32_t came = 0;
    *taken = workers;
    for (uint32_t i = 0; i < workers; i++) {
        if (chance(d, 4))
            continue; // nobody waits for it
        helpers[came] = (helper){.stage = s, .worker = i};
        if (pthread_create(&helpers[came].thread, NULL, work, &helpers[came]))
            abort();
        came++;
    }
    bool good = true;
    for (uint32_t i = 0; i < came; i++) {
        pthread_join(helpers[i].thread, NULL);
        good = good && helpers[i].status == SHOAL_OK;
        *taken = helpers[i].worker;
    }
    count("event", "threads of the host", came);
    return good || fault("shoal_scene_step_work failed");
}

bool do_host_step(play *p, draw *d, stage *s)
{
    const uint32_t queries = draw_queries(d, s), workers = 1 + below(d, s->threads);
    say("  host: queries %#x, %u workers", queries, workers);
    s->began_ns = now_ns();
    if (s->def.executor != SHOAL_EXECUTOR_OMP)
        return refused("begin", TRY(shoal_scene_step_begin, s->scene, queries, workers));
    arm(d);
    watch_begin();
    shoal_status st = USE(shoal_scene_step_begin)(s->scene, queries, workers);
    host_leave();
    bool good = true;
    if (st == SHOAL_OK) {
        const bool odd = !memory_failed() && chance(d, 3);
        if (odd) // watched calls end the shortage of memory
            good = out_of_place(d, s, queries, workers);
        uint32_t taken;
        good = good && run_helpers(d, s, workers, &taken);
        if (good && odd && taken < workers)
            good = refused("work", TRY(shoal_scene_step_work, s->scene, taken));
        host_enter();
        st = USE(shoal_scene_step_end)(s->scene);
        host_leave();
        say("  ended: %s", shoal_status_text(st));
    }
    memory_restore();
    if (!good)
        return false;
    count("event", "steps of a host", 1);
    return step_is_right(p, d, s, queries, st) &&
           refused("end", TRY(shoal_scene_step_end, s->scene)) &&
           refused("work", TRY(shoal_scene_step_work, s->scene, 0));
}

static void *step(void *of)
{
    helper *h = of;
    host_enter();
    h->status = USE(shoal_scene_step)(h->stage->scene, h->queries);
    host_leave();
    return NULL;
}

// Scenes share a context and models, and may be stepped at the same time.
bool do_both(play *p, draw *d)
{
    helper helpers[STAGES];
    arm(d);
    memory_limit();
    for (uint32_t i = 0; i < STAGES; i++) {
        p->stages[i].began_ns = now_ns();
        helpers[i] =
            (helper){.stage = &p->stages[i], .queries = draw_queries(d, &p->stages[i])};
        if (pthread_create(&helpers[i].thread, NULL, step, &helpers[i]))
            abort();
    }
    for (uint32_t i = 0; i < STAGES; i++)
        pthread_join(helpers[i].thread, NULL);
    memory_restore();
    count("event", "scenes stepped at once", 1);
    bool good = true;
    for (uint32_t i = 0; i < STAGES && good; i++)
        good = step_is_right(p, d, helpers[i].stage, helpers[i].queries, helpers[i].status);
    return good;
}

// --- Looking. ---

bool do_trace(play *p, draw *d, stage *s)
{
    (void)p;
    s->trace = chance(d, 2);
    USE(shoal_scene_set_trace)(s->scene, s->trace);
    return true;
}

static void write_text(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
}

// Boxes come body by body, and none is empty.
typedef struct box_watch {
    bool good;
    uint32_t last;
} box_watch;

static void watch_box(void *user, const shoal_tree_box *box)
{
    box_watch *w = user;
    const uint32_t body = box->body.index1 - 1;
    w->good = w->good && body < BODIES && body >= w->last && box->spread >= 0;
    w->last = body;
    for (int k = 0; k < 3; k++)
        w->good = w->good && box->lo[k] <= box->hi[k];
}

static bool parts_are_true(const stage *s, const actor *a)
{
    static uint32_t triangles[3 * TRIANGLES];
    shoal_instance instance;
    double sphere[4];
    const shoal_model *model = USE(shoal_scene_model)(s->scene, a->id);
    if (model != a->shape->model)
        return fault("shoal_scene_model");
    USE(shoal_model_triangles)(model, SHOAL_ORDER_USER, triangles);
    if (memcmp(triangles, a->shape->tri, 3 * sizeof *triangles * a->shape->triangle_count) != 0)
        return fault("shoal_model_triangles");
    if (USE(shoal_scene_instance)(s->scene, a->id, &instance) != (a->kind == REDUCED && a->set))
        return fault("shoal_scene_instance");
    return !USE(shoal_scene_sphere)(s->scene, a->id, 1u << 13, sphere) ||
           fault("shoal_scene_sphere");
}

static bool look_at_parts(draw *d, const stage *s)
{
    box_watch w = {.good = true};
    const double level = chance(d, 2) ? unit(d) * 1.2 : chance(d, 2);
    const bool right = level >= 0 && level <= 1;
    const shoal_status st =
        TRY(shoal_scene_boxes, s->scene, level, chance(d, 2), watch_box, &w);
    if (st != (right ? SHOAL_OK : SHOAL_ERR_ARGUMENT) || !w.good)
        return fault("shoal_scene_boxes: level %g: %s", level, shoal_status_text(st));
    for (uint32_t i = 0; i < BODIES; i++) {
        if (s->actors[i].used && !parts_are_true(s, &s->actors[i]))
            return false;
    }
    return TRY(shoal_scene_report, s->scene, SHOAL_ERR_FILE, "a line") == SHOAL_ERR_FILE &&
           (USE(shoal_scene_painter)(s->scene).allocator || fault("no allocator"));
}

bool do_look(play *p, draw *d, stage *s)
{
    (void)p;
    size_t written = 0;
    const shoal_status st = TRY(shoal_scene_write_graph, s->scene,
                                (shoal_graph_format)below(d, 2), write_text, &written);
    if (st != SHOAL_OK || written == 0)
        return fault("shoal_scene_write_graph: %s", shoal_status_text(st));
    for (uint32_t i = 0; i < 5; i++) {
        const shoal_binding at = USE(shoal_scene_binding)(s->scene, i);
        const double t = USE(shoal_scene_worker_seconds)(s->scene, i, SHOAL_PHASE_SORT);
        if (i >= s->threads && (at.cpu != -1 || t != 0))
            return fault("worker %u of %u", i, s->threads);
    }
    const shoal_phase_times times = USE(shoal_scene_phases)(s->scene);
    for (size_t i = 0; i < times.count; i++) {
        const shoal_phase_time *t = &times.rows[i];
        if (t->seconds != USE(shoal_scene_seconds)(s->scene, t->phase))
            return fault("phase %s", t->name);
    }
    if (USE(shoal_scene_running_job)(s->scene))
        return fault("a job runs between steps");
    const actor *a = actor_any(s, d);
    shoal_body_info info = {.quality = -1};
    if (a && TRY(shoal_scene_read_body_info, s->scene, a->id, &info, sizeof info))
        return fault("shoal_scene_read_body_info");
    if (a && (!(info.quality >= 0) || (a->kind != FREE && info.rebuilds)))
        return fault("shoal_scene_read_body_info: quality %g, %u trees", info.quality,
                     info.rebuilds);
    for (uint32_t i = 0; i < BODIES; i++) {
        if (s->actors[i].used && !vertices_are_true(s, d, &s->actors[i]))
            return false;
    }
    return look_at_parts(d, s) && USE(shoal_version)()[0] &&
           USE(shoal_status_text)((shoal_status)below(d, 20))[0];
}

static double distance_to(const actor *a, const double x[3])
{
    double least = INFINITY;
    const double point[9] = {x[0], x[1], x[2], x[0], x[1], x[2], x[0], x[1], x[2]};
    for (uint32_t t = 0; t < a->shape->triangle_count; t++) {
        double corners[9];
        corners_of(a, t, corners);
        least = fmin(least, oracle_tri_distance(corners, point));
    }
    return least;
}

static bool cell_is_right(const stage *s, const shoal_scene *scene, const double x[3],
                          const shoal_diagram_cell *cell)
{
    double least[2] = {INFINITY, INFINITY};
    for (uint32_t i = 0; i < BODIES; i++) {
        const double far =
            takes_part(&s->actors[i], scene) ? distance_to(&s->actors[i], x) : INFINITY;
        if (far < least[0]) {
            least[1] = least[0];
            least[0] = far;
        } else if (far < least[1]) {
            least[1] = far;
        }
    }
    for (int i = 0; i < 2; i++) {
        const double got = (double)cell->distance[i];
        if (isinf(least[i]) != isinf(got) || (cell->body[i] == SHOAL_NONE) != isinf(least[i]) ||
            (isfinite(got) && fabs(got - least[i]) > 1e-4 + 1e-6 * least[i]))
            return fault("a cell of a diagram: distance %g, not %g", got, least[i]);
    }
    return true;
}

// A step, and which body is nearest where after it.
bool do_diagram(play *p, draw *d, stage *s)
{
    if (!do_step(p, d, s))
        return false;
    uint32_t there = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const actor *a = &s->actors[i];
        there += takes_part(a, s->scene);
        for (uint32_t k = 0; takes_part(a, s->scene) && k < 3 * a->shape->vertex_count; k++) {
            if (!(fabs(a->xyz[k]) < 100))
                return true;
        }
    }
    if (!there || shoal_scene_hash(s->scene) == 0) // none, or the step failed
        return true;
    shoal_grid grid;
    static shoal_diagram_cell cells[7 * 7 * 7];
    const shoal_status st = TRY(shoal_scene_grid, s->scene, 1 + below(d, 6), &grid);
    if (st != SHOAL_OK)
        return fault("shoal_scene_grid: %s", shoal_status_text(st));
    if ((size_t)grid.cells[0] * grid.cells[1] * grid.cells[2] > sizeof cells / sizeof *cells)
        return fault("a grid of %u %u %u cells", grid.cells[0], grid.cells[1], grid.cells[2]);
    arm(d);
    bool good = true;
    const shoal_status made = TRY(shoal_scene_diagram, s->scene, &grid, cells);
    if (!went_well("shoal_scene_diagram", made, &good))
        return good;
    for (uint32_t i = 0; i < grid.cells[0] * grid.cells[1] * grid.cells[2] && good; i += 3) {
        const uint32_t at[3] = {i % grid.cells[0], i / grid.cells[0] % grid.cells[1],
                                i / grid.cells[0] / grid.cells[1]};
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = grid.origin[k] + grid.cell * (at[k] + 0.5);
        good = cell_is_right(s, s->scene, x, &cells[i]);
    }
    return good;
}
