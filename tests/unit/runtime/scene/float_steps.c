// SPDX-License-Identifier: MIT
#include "float_calls.h"

#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

#define EACH_SCALE(i) for (int i = 0; i < SCALES; i++)

static const uint32_t queries = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF |
                                SHOAL_QUERY_SPHERES | SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN |
                                SHOAL_QUERY_NEAREST_TRIANGLES | SHOAL_QUERY_NEAREST_SELF;

static bool has_pair(const shoal_scene *scene, shoal_body a, shoal_body b)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    bool any = false;
    for (size_t i = 0; i < pairs.count; i++) {
        const uint32_t x = pairs.rows[i].body_a + 1, y = pairs.rows[i].body_b + 1;
        any = any || (x == a.index1 && y == b.index1) || (x == b.index1 && y == a.index1);
    }
    return any;
}

// The bodies of float_touch() do touch.
static void check_contacts(float_host *h, int scale)
{
    static const body_row touching[4][2] = {{TOUCHES_POINTS, BEHIND},
                                            {F32_A, F32_B},
                                            {POINTS, TOUCHES_POINTS},
                                            {REDUCED, TOUCHES_REDUCED}};
    const uint64_t r = shoal_scene_hash(h->scenes[scale]);
    for (int i = 0; i < (float_is_lazy(scale) ? 4 : 2); i++) {
        if (!has_pair(h->scenes[scale], h->bodies[scale][touching[i][0]],
                      h->bodies[scale][touching[i][1]])) {
            char text[80];
            snprintf(text, sizeof text, "scale %g: contact %d is lost", float_scales[scale], i);
            float_fault(h, text);
        }
    }
    float_add(h, &r, sizeof r);
}

static void set_trace(float_host *h)
{
    EACH_SCALE(i)
    HOST(shoal_scene_set_trace(h->scenes[i], true));
}

// Wrong queries too, and a second step, which begins with what the first one knows.
static void step(float_host *h)
{
    EACH_SCALE(i)
    {
        HOST_STATUS(shoal_scene_step(h->scenes[i], 0));
        HOST_STATUS(shoal_scene_step(h->scenes[i], queries));
        check_contacts(h, i);
        HOST_STATUS(shoal_scene_step(h->scenes[i], queries));
        check_contacts(h, i);
    }
}

static void hash(float_host *h)
{
    EACH_SCALE(i)
    {
        uint64_t of_step = 0;
        HOST(of_step = shoal_scene_hash(h->scenes[i]));
        float_add(h, &of_step, sizeof of_step);
    }
}

// A view of a list: what the scene holds after its steps.
#define VIEW(name, type, call)                                                                 \
    static void name(float_host *h)                                                            \
    {                                                                                          \
        EACH_SCALE(i)                                                                          \
        {                                                                                      \
            type view = {NULL, 0};                                                             \
            HOST(view = call(h->scenes[i]));                                                   \
            float_add(h, &view.count, sizeof view.count);                                      \
        }                                                                                      \
    }
VIEW(pairs, shoal_pairs, shoal_scene_pairs)
VIEW(self_pairs, shoal_pairs, shoal_scene_self_pairs)
VIEW(first_pairs, shoal_pairs, shoal_scene_first_pairs)
VIEW(sphere_contacts, shoal_sphere_contacts, shoal_scene_sphere_contacts)
VIEW(nearest, shoal_nearest_rows, shoal_scene_nearest)
VIEW(within, shoal_nearest_rows, shoal_scene_within)
VIEW(nearest_triangles, shoal_nearest_rows, shoal_scene_nearest_triangles)
VIEW(nearest_self, shoal_nearest_rows, shoal_scene_nearest_self)
VIEW(bad_bodies, shoal_body_numbers, shoal_scene_bad_bodies)

// Counts depend on who was first.
static void stats(float_host *h)
{
    shoal_stats s = {.pairs = 0};
    HOST(shoal_scene_read_stats(h->scenes[2], &s, sizeof s));
    float_add(h, &s.pairs, sizeof s.pairs);
    float_add(h, &s.bodies, sizeof s.bodies);
}

static void phases(float_host *h)
{
    shoal_phase_times times = {NULL, 0};
    HOST(times = shoal_scene_phases(h->scenes[2]));
    float_add(h, &times.count, sizeof times.count);
}

static void seconds(float_host *h)
{
    double refit_s = -1;
    HOST(refit_s = shoal_scene_seconds(h->scenes[2], SHOAL_PHASE_REFIT));
    float_add(h, &(bool){refit_s >= 0}, sizeof(bool));
}

static void events(float_host *h)
{
    size_t count = 0;
    HOST((void)shoal_scene_events(h->scenes[2], &count));
    float_add(h, &(bool){count > 0}, sizeof(bool));
}

static void worker_times(float_host *h)
{
    EACH_SCALE(i)
    {
        double sort_s = -1;
        HOST(sort_s = shoal_scene_worker_seconds(h->scenes[i], 0, SHOAL_PHASE_SORT));
        float_add(h, &(bool){sort_s >= 0}, sizeof(bool));
    }
}

static void binding(float_host *h)
{
    HOST_ADD(shoal_binding, shoal_scene_binding(h->scenes[1], 0));
}

static void body_info(float_host *h)
{
    EACH_SCALE(i)
    {
        shoal_body_info info;
        HOST_STATUS(
            shoal_scene_read_body_info(h->scenes[i], h->bodies[i][BEHIND], &info, sizeof info));
        float_add(h, &info.rebuilds, sizeof info.rebuilds);
    }
}

// Denormals, and numbers beyond float32, of all kinds.
static void vertices(float_host *h)
{
    EACH_SCALE(i)
    {
        for (int b = 0; b < BODIES; b++) {
            double wide[3 * VERTICES] = {0};
            float narrow[3 * VERTICES] = {0};
            const shoal_vertices both[2] = {shoal_vertices_f64(wide, 0, VERTICES),
                                            shoal_vertices_f32(narrow, 0, VERTICES)};
            if (!h->bodies[i][b].index1)
                continue;
            HOST_STATUS(shoal_scene_vertices(h->scenes[i], h->bodies[i][b], &both[0]));
            HOST_STATUS(shoal_scene_vertices(h->scenes[i], h->bodies[i][b], &both[1]));
            float_add(h, wide, sizeof wide);
            float_add(h, narrow, sizeof narrow);
        }
    }
}

static void take_text(void *user, const char *text, size_t length)
{
    float_add(user, text, length);
}

static void write_graph(float_host *h)
{
    HOST_STATUS(shoal_scene_write_graph(h->scenes[2], SHOAL_GRAPH_TEXT, take_text, h));
    HOST_STATUS(shoal_scene_write_graph(h->scenes[2], SHOAL_GRAPH_DOT, take_text, h));
}

static void running_job(float_host *h)
{
    const char *job = "";
    HOST(job = shoal_scene_running_job(h->scenes[2]));
    float_add(h, &(bool){job == NULL}, sizeof(bool));
}

static void step_begin(float_host *h)
{
    HOST_STATUS(shoal_scene_step_begin(h->scenes[0], queries, 0));
    HOST_STATUS(shoal_scene_step_begin(h->scenes[0], queries, 2));
    HOST_STATUS(shoal_scene_step_begin(h->scenes[2], queries, 2));
}

static void step_work(float_host *h)
{
    HOST_STATUS(shoal_scene_step_work(h->scenes[0], 1));
    HOST_STATUS(shoal_scene_step_work(h->scenes[0], 1));
}

// Of scene 2 nobody has done the work.
static void step_end(float_host *h)
{
    HOST_STATUS(shoal_scene_step_end(h->scenes[0]));
    check_contacts(h, 0);
    HOST_STATUS(shoal_scene_step_end(h->scenes[2]));
    check_contacts(h, 2);
}

static void grid(float_host *h)
{
    EACH_SCALE(i)
    {
        shoal_grid *g = &h->grids[i];
        HOST_STATUS(shoal_scene_grid(h->scenes[i], 5, g));
        float_add(h, g->origin, sizeof g->origin);
        float_add(h, &g->cell, sizeof g->cell);
        float_add(h, g->cells, sizeof g->cells);
    }
}

static void diagram(float_host *h)
{
    enum { CELLS = 5 * 5 * 5 };
    EACH_SCALE(i)
    {
        shoal_diagram_cell cells[CELLS];
        memset(cells, 0, sizeof cells);
        HOST_STATUS(shoal_scene_diagram(h->scenes[i], &h->grids[i], cells));
        float_add(h, cells, sizeof cells);
    }
    shoal_diagram_cell cells[CELLS];
    for (int k = 0; k < 3; k++) { // too large, too small, too many
        static const double sizes[3] = {1e308, 1e-310, 1};
        static const uint32_t sides[3] = {5, 5, UINT32_MAX};
        const shoal_grid odd = {{0, 0, 0}, sizes[k], {5, 5, sides[k]}};
        memset(cells, 0, sizeof cells);
        HOST_STATUS(shoal_scene_diagram(h->scenes[2], &odd, cells));
    }
}

static void add_box(void *user, const shoal_tree_box *box)
{
    float_add(user, box->lo, sizeof box->lo);
    float_add(user, box->hi, sizeof box->hi);
    float_add(user, &box->spread, sizeof box->spread);
}

static void boxes(float_host *h)
{
    EACH_SCALE(i)
    {
        HOST_STATUS(shoal_scene_boxes(h->scenes[i], 0, false, add_box, h));
        HOST_STATUS(shoal_scene_boxes(h->scenes[i], 1, true, add_box, h));
        HOST_STATUS(shoal_scene_boxes(h->scenes[i], 1.5, true, add_box, h));
    }
}

static void scene_model(float_host *h)
{
    HOST_ADD(bool, shoal_scene_model(h->scenes[2], h->bodies[2][BEHIND]) == h->models[2]);
}

static void model_triangles(float_host *h)
{
    uint32_t corners[12] = {0};
    HOST(shoal_model_triangles(h->models[2], SHOAL_ORDER_USER, corners));
    float_add(h, corners, sizeof corners);
}

static void instance(float_host *h)
{
    shoal_instance out = {0};
    HOST_ADD(bool, shoal_scene_instance(h->scenes[2], h->bodies[2][REDUCED], &out));
    float_add(h, out.rotation, 9 * sizeof *out.rotation);
}

static void sphere(float_host *h)
{
    EACH_SCALE(i)
    {
        double at[4] = {0};
        HOST_ADD(bool, shoal_scene_sphere(h->scenes[i], h->bodies[i][REDUCED], 0, at));
        float_add(h, at, sizeof at);
    }
}

static void painter(float_host *h)
{
    HOST_ADD(bool, shoal_scene_painter(h->scenes[2]).allocator != NULL);
}

static void report(float_host *h)
{
    HOST_STATUS(shoal_scene_report(h->scenes[2], SHOAL_ERR_FILE, "a line"));
}

static void picture_def_init(float_host *h)
{
    EACH_SCALE(i)
    {
        shoal_picture_def def = {.width = 0};
        HOST(shoal_picture_def_init(h->scenes[i], &def, sizeof def));
        float_add(h, &def.camera, sizeof def.camera);
    }
}

// Without OpenGL they all fail in the same way.
static void picture(float_host *h)
{
    enum { WIDE = 32, TALL = 24 };
    for (uint32_t i = 0; i < 4; i++) {
        static uint8_t rgb[3 * WIDE * TALL];
        memset(rgb, 0, sizeof rgb);
        shoal_picture_def def = shoal_picture_def_default(h->scenes[2]);
        def.width = WIDE;
        def.height = TALL;
        def.show = i < 2 ? SHOAL_SHOW_PAIRS | SHOAL_SHOW_SPHERES : SHOAL_SHOW_BOXES;
        def.floor = -2;
        if (i == 3)
            memcpy(def.camera.eye, def.camera.target, sizeof def.camera.eye); // no direction
        HOST_STATUS(shoal_scene_picture(h->scenes[2], &def, rgb));
        float_add(h, rgb, sizeof rgb);
    }
}

const float_row float_step_rows[] = {{"shoal_scene_set_trace", set_trace},
                                     {"shoal_scene_step", step},
                                     {"shoal_scene_hash", hash},
                                     {"shoal_scene_pairs", pairs},
                                     {"shoal_scene_self_pairs", self_pairs},
                                     {"shoal_scene_first_pairs", first_pairs},
                                     {"shoal_scene_sphere_contacts", sphere_contacts},
                                     {"shoal_scene_nearest", nearest},
                                     {"shoal_scene_within", within},
                                     {"shoal_scene_nearest_triangles", nearest_triangles},
                                     {"shoal_scene_nearest_self", nearest_self},
                                     {"shoal_scene_bad_bodies", bad_bodies},
                                     {"shoal_scene_read_stats", stats},
                                     {"shoal_scene_phases", phases},
                                     {"shoal_scene_seconds", seconds},
                                     {"shoal_scene_events", events},
                                     {"shoal_scene_worker_seconds", worker_times},
                                     {"shoal_scene_binding", binding},
                                     {"shoal_scene_read_body_info", body_info},
                                     {"shoal_scene_vertices", vertices},
                                     {"shoal_scene_write_graph", write_graph},
                                     {"shoal_scene_running_job", running_job},
                                     {"shoal_scene_step_begin", step_begin},
                                     {"shoal_scene_step_work", step_work},
                                     {"shoal_scene_step_end", step_end},
                                     {"shoal_scene_grid", grid},
                                     {"shoal_scene_diagram", diagram},
                                     {"shoal_scene_boxes", boxes},
                                     {"shoal_scene_model", scene_model},
                                     {"shoal_model_triangles", model_triangles},
                                     {"shoal_scene_instance", instance},
                                     {"shoal_scene_sphere", sphere},
                                     {"shoal_scene_painter", painter},
                                     {"shoal_scene_report", report},
                                     {"shoal_picture_def_init", picture_def_init},
                                     {"shoal_scene_picture", picture},
                                     {0}};

// --- The end. ---

static void replace_model(float_host *h)
{
    EACH_SCALE(i)
    {
        for (int b = 0; b < BEHIND; b++)
            HOST_STATUS(shoal_scene_replace_model(h->scenes[i], h->bodies[i][b], h->models[i]));
    }
}

static void remove_body(float_host *h)
{
    EACH_SCALE(i)
    HOST_STATUS(shoal_scene_remove(h->scenes[i], h->bodies[i][BEHIND]));
}

static void scene_destroy(float_host *h)
{
    EACH_SCALE(i)
    HOST(shoal_scene_destroy(h->scenes[i]));
}

static void model_destroy(float_host *h)
{
    EACH_SCALE(i)
    HOST(shoal_model_destroy(h->models[i]));
}

static void context_destroy(float_host *h)
{
    HOST(shoal_context_destroy(h->ctx));
}

const float_row float_end_rows[] = {
    {"shoal_scene_replace_model", replace_model}, {"shoal_scene_remove", remove_body},
    {"shoal_scene_destroy", scene_destroy},       {"shoal_model_destroy", model_destroy},
    {"shoal_context_destroy", context_destroy},   {0}};
