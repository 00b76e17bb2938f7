// SPDX-License-Identifier: MIT
#include "float_calls.h"

#include <math.h>
#include <shoal/study.h>
#include <string.h>

static float_shape shape;
static float_state state;

#define EACH_SCALE(i) for (int i = 0; i < SCALES; i++)

// --- Contexts and models. ---

static void add_text(float_host *h, const char *text)
{
    float_add(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void status_text(float_host *h)
{
    const char *text = NULL;
    HOST(text = shoal_status_text(SHOAL_ERR_LIMIT));
    add_text(h, text);
}

static void version(float_host *h)
{
    const char *text = NULL;
    HOST(text = shoal_version());
    add_text(h, text);
}

static void context_def_init(float_host *h)
{
    shoal_context_def def = {0};
    HOST(shoal_context_def_init(&def, sizeof def));
    float_add(h, &def, sizeof def);
}

static void context_create(float_host *h)
{
    shoal_context_def def = shoal_context_def_default();
    HOST_STATUS(shoal_context_create(&def, &h->ctx));
    def.cpu = (shoal_cpu)77;
    shoal_context *none;
    HOST_STATUS(shoal_context_create(&def, &none));
}

static void context_kernel(float_host *h)
{
    shoal_kernel_info info = {0};
    HOST(info = shoal_context_kernel(h->ctx, 0));
    add_text(h, info.name);
    add_text(h, info.body);
}

static void context_machine(float_host *h)
{
    shoal_machine machine = {.cpus = 0};
    HOST(shoal_context_read_machine(h->ctx, &machine, sizeof machine));
    add_text(h, machine.cpu);
    float_add(h, machine.cache_bytes, sizeof machine.cache_bytes);
}

static void context_gpu(float_host *h)
{
    shoal_gpu_info info = {.ready = false};
    HOST(shoal_context_read_gpu(h->ctx, &info, sizeof info));
    add_text(h, info.device);
    add_text(h, info.reason);
}

static void model_def_init(float_host *h)
{
    shoal_model_def def = {0};
    HOST(shoal_model_def_init(&def, sizeof def));
    float_add(h, &def, sizeof def);
}

static void model_create(float_host *h)
{
    EACH_SCALE(i)
    {
        float_shape_make(&shape, i);
        HOST_STATUS(shoal_model_create(h->ctx, &shape.def, &h->models[i]));
    }
    static const double wrong[] = {NAN, INFINITY, 1e31, -1e31};
    shoal_model *none;
    for (int i = 0; i < 4; i++) {
        float_shape_make(&shape, 2);
        shape.rest[4] = wrong[i];
        HOST_STATUS(shoal_model_create(h->ctx, &shape.def, &none));
        float_shape_make(&shape, 2);
        shape.nodes[1] = wrong[i];
        HOST_STATUS(shoal_model_create(h->ctx, &shape.def, &none));
        float_shape_make(&shape, 2);
        shape.weight[1] = (float)wrong[i];
        HOST_STATUS(shoal_model_create(h->ctx, &shape.def, &none));
    }
}

static void model_vertex_order(float_host *h)
{
    const uint32_t *order = NULL;
    HOST(order = shoal_model_vertex_order(h->models[0]));
    float_add(h, order, VERTICES * sizeof *order);
}

static void model_read_info(float_host *h)
{
    EACH_SCALE(i)
    {
        shoal_model_info info = {0};
        HOST(shoal_model_read_info(h->models[i], &info, sizeof info));
        float_add(h, &info.quality, sizeof info.quality);
        float_add(h, &info.sphere_count, sizeof info.sphere_count);
    }
}

static void model_node_count(float_host *h)
{
    HOST_ADD(uint32_t, shoal_model_control_count(h->models[2]));
}

static void model_supports(float_host *h)
{
    EACH_SCALE(i)
    {
        const double *supports = NULL;
        HOST(supports = shoal_model_supports(h->models[i]));
        float_add(h, supports, supports ? NODES * sizeof *supports : 0);
    }
}

const float_row float_base_rows[] = {{"shoal_status_text", status_text},
                                     {"shoal_version", version},
                                     {"shoal_context_def_init", context_def_init},
                                     {"shoal_context_create", context_create},
                                     {"shoal_context_kernel", context_kernel},
                                     {"shoal_context_read_machine", context_machine},
                                     {"shoal_context_read_gpu", context_gpu},
                                     {"shoal_model_def_init", model_def_init},
                                     {"shoal_model_create", model_create},
                                     {"shoal_model_vertex_order", model_vertex_order},
                                     {"shoal_model_read_info", model_read_info},
                                     {"shoal_model_control_count", model_node_count},
                                     {"shoal_model_supports", model_supports},
                                     {0}};

// --- Scenes and their bodies. ---

static void scene_def_init(float_host *h)
{
    shoal_scene_def def = {0};
    HOST(shoal_scene_def_init(&def, sizeof def));
    float_add(h, &def.rebuild_ratio, sizeof def.rebuild_ratio);
}

static void scene_create(float_host *h)
{
    static const shoal_executor executors[SCALES] = {SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_SERIAL,
                                                     SHOAL_EXECUTOR_OMP, SHOAL_EXECUTOR_LOOPS,
                                                     SHOAL_EXECUTOR_OMP};
    EACH_SCALE(i)
    {
        shoal_scene_def def = shoal_scene_def_default();
        def.executor = executors[i];
        def.threads = 2;
        def.within = 5 * float_scales[i];
        def.list_margin = float_is_lazy(i) ? 0 : 0.1 * float_scales[i]; // infinite in float32
        def.distance_engine = i % 2 ? SHOAL_DISTANCE_GRID : SHOAL_DISTANCE_TREES;
        def.coherence = i % 2 ? SHOAL_COHERENCE_EAGER : SHOAL_COHERENCE_NONE;
        HOST_STATUS(shoal_scene_create(h->ctx, &def, &h->scenes[i]));
    }
    static const double odd[] = {NAN, INFINITY, -1, 1e300, 1e-310, 1e-42, 0.1};
    for (int i = 0; i < 7 * 3; i++) {
        shoal_scene_def def = shoal_scene_def_default();
        double *const numbers[] = {&def.list_margin, &def.within, &def.rebuild_ratio};
        *numbers[i / 7] = odd[i % 7];
        shoal_scene *scene;
        HOST_STATUS(shoal_scene_create(h->ctx, &def, &scene));
        HOST(shoal_scene_destroy(scene));
    }
}

static void add_free(float_host *h)
{
    EACH_SCALE(i)
    {
        for (int b = TOUCHES_POINTS; b < BODIES; b++)
            HOST_STATUS(shoal_scene_add_free(h->scenes[i], h->models[i], &h->bodies[i][b]));
    }
}

static void add_reduced(float_host *h)
{
    EACH_SCALE(i)
    HOST_STATUS(shoal_scene_add_reduced(h->scenes[i], h->models[i], &h->bodies[i][REDUCED]));
}

static void add_skinned(float_host *h)
{
    EACH_SCALE(i)
    HOST_STATUS(shoal_scene_add_skinned(h->scenes[i], h->models[i], &h->bodies[i][POINTS]));
}

static void set_one(float_host *h, int scale, body_row body, const double *xyz, bool narrow)
{
    float small[3 * VERTICES];
    for (int i = 0; i < 3 * VERTICES; i++)
        small[i] = narrow ? (float)xyz[i] : 0;
    const shoal_positions wide = shoal_positions_f64(xyz, VERTICES),
                          less = shoal_positions_f32(small, VERTICES);
    HOST_STATUS(shoal_scene_set_positions(h->scenes[scale], h->bodies[scale][body],
                                          narrow ? &less : &wide));
}

static void set_positions(float_host *h)
{
    EACH_SCALE(i)
    {
        const double size = float_scales[i];
        double xyz[3 * VERTICES], next[3 * VERTICES], far[3 * VERTICES];
        float_shape_make(&shape, i);
        float_state_make(&state, &shape, i);
        float_touch(state.points, size, xyz);
        set_one(h, i, TOUCHES_POINTS, xyz, false);
        float_touch(xyz, size, next); // beyond the first of three that are equally far
        set_one(h, i, BEHIND, next, false);
        float_touch(state.reduced, size, xyz);
        set_one(h, i, TOUCHES_REDUCED, xyz, false);
        for (int k = 0; k < 3 * VERTICES; k++)
            far[k] = (float)(shape.rest[k] / (float_is_lazy(i) ? 1 : 1e270)) -
                     (float)(size > 1e-50 && size < 1e30 ? 20 * size : 0);
        set_one(h, i, F32_A, far, true);
        float_touch(far, (float)(size < 1e30 ? size : 1), next);
        set_one(h, i, F32_B, next, true);
    }
}

// The same positions again, of two bodies at once.
static void set_positions_many(float_host *h)
{
    EACH_SCALE(i)
    {
        double xyz[2][3 * VERTICES];
        shoal_positions p[2];
        for (int k = 0; k < 2; k++) {
            const shoal_vertices v = shoal_vertices_f64(xyz[k], 0, VERTICES);
            if (shoal_scene_vertices(h->scenes[i], h->bodies[i][TOUCHES_REDUCED + k], &v))
                float_fault(h, "no vertices");
            p[k] = shoal_positions_f64(xyz[k], VERTICES);
        }
        HOST_STATUS(
            shoal_scene_set_positions_many(h->scenes[i], &h->bodies[i][TOUCHES_REDUCED], p, 2));
    }
}

static void last_error(float_host *h)
{
    const char *text = "";
    HOST_STATUS(shoal_scene_step(NULL, 1));
    HOST(text = shoal_last_error());
    float_add(h, text, strlen(text));
}

static void set_reduced(float_host *h)
{
    EACH_SCALE(i)
    {
        if (!float_is_lazy(i))
            continue;
        float_shape_make(&shape, i);
        shoal_reduced_state p = {.bodies = &h->bodies[i][REDUCED],
                                 .count = 1,
                                 .stride = 1,
                                 .rotation = state.rotation,
                                 .translation = state.translation,
                                 .q = state.q,
                                 .field_count = 1};
        static const double odd[] = {NAN, INFINITY, 1e300, 0.59, 0.600002, 0.6};
        for (int k = 0; k < 6; k++) { // the last one is right and stays
            float_state_make(&state, &shape, i);
            state.rotation[0] = odd[k];
            HOST_STATUS(shoal_scene_set_reduced(h->scenes[i], &p));
        }
    }
}

static void set_skinned(float_host *h)
{
    EACH_SCALE(i)
    {
        if (!float_is_lazy(i))
            continue;
        float_shape_make(&shape, i);
        shoal_skinned_state p = {.bodies = &h->bodies[i][POINTS],
                                 .count = 1,
                                 .row_count = NODES,
                                 .stride = NODES,
                                 .A = state.J,
                                 .t = state.u};
        static const double odd[] = {NAN, 1e308, 3 / 11.0};
        for (int k = 0; k < 3; k++) { // maps, then displacements
            float_state_make(&state, &shape, i);
            state.J[6 * NODES - 1] = odd[k];
            HOST_STATUS(shoal_scene_set_skinned(h->scenes[i], &p));
        }
        p.A = p.t = NULL;
        p.u = state.u;
        p.J = state.J;
        float_state_make(&state, &shape, i);
        HOST_STATUS(shoal_scene_set_skinned(h->scenes[i], &p));
    }
}

static void set_fat_box(float_host *h)
{
    EACH_SCALE(i)
    {
        static const float odd[] = {NAN, -INFINITY, 1, 1e-42f, 0};
        for (int k = 0; k < 5; k++) {
            const float lo[3] = {odd[k], 0, 0}, hi[3] = {1e-43f, INFINITY, 3};
            HOST_STATUS(shoal_scene_set_fat_box(h->scenes[i], h->bodies[i][BEHIND], lo, hi));
        }
    }
}

const float_row float_scene_rows[] = {{"shoal_scene_def_init", scene_def_init},
                                      {"shoal_scene_create", scene_create},
                                      {"shoal_scene_add_free", add_free},
                                      {"shoal_scene_add_reduced", add_reduced},
                                      {"shoal_scene_add_skinned", add_skinned},
                                      {"shoal_scene_set_positions", set_positions},
                                      {"shoal_scene_set_positions_many", set_positions_many},
                                      {"shoal_last_error", last_error},
                                      {"shoal_scene_set_reduced", set_reduced},
                                      {"shoal_scene_set_skinned", set_skinned},
                                      {"shoal_scene_set_fat_box", set_fat_box},
                                      {0}};
