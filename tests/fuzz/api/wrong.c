// SPDX-License-Identifier: MIT
// Calls that break a rule: the status that the header names, and nothing changed.
#include "play.h"

#include <math.h>
#include <shoal/study.h>
#include <string.h>

static bool is(const char *what, shoal_status got, shoal_status want)
{
    return got == want ||
           fault("%s: %s, not %s", what, shoal_status_text(got), shoal_status_text(want));
}

static bool wrong_ids(draw *d, stage *s)
{
    const actor *a = actor_any(s, d);
    const bool stale = s->stale_count && chance(d, 2);
    const uint32_t known = s->stale_count < STALE_IDS ? s->stale_count : STALE_IDS;
    shoal_body id = stale ? s->stale[below(d, known)] : (shoal_body){0, below(d, 3)};
    shoal_status want = stale ? SHOAL_ERR_STALE : SHOAL_ERR_ARGUMENT;
    if (!stale && chance(d, 2)) {
        id = (shoal_body){BODIES + 1 + below(d, 9), 1};
        want = SHOAL_ERR_STALE;
    }
    const float lo[3] = {0}, hi[3] = {1, 1, 1};
    const double zeros[12] = {0};
    const float xyz[3] = {0};
    shoal_positions view = shoal_positions_f32(xyz, 1);
    shoal_body_info info = {.rebuilds = 3};
    const shoal_reduced_state reduced = {
        .bodies = &id, .count = 1, .stride = 1, .translation = zeros};
    const shoal_skinned_state skinned = {
        .bodies = &id, .count = 1, .row_count = 1, .stride = 1, .u = zeros};
    float written[3];
    const shoal_vertices vertices = shoal_vertices_f32(written, 0, 1);
    uint64_t data = 7;
    switch (below(d, 13)) {
    case 6:
        return is("vertices", TRY(shoal_scene_vertices, s->scene, id, &vertices), want);
    case 8:
        return is("set_filter", TRY(shoal_scene_set_filter, s->scene, id, 0, 0), want);
    case 9:
        return is("set_static", TRY(shoal_scene_set_static, s->scene, id, true), want);
    case 10:
        return is("set_excluded", TRY(shoal_scene_set_excluded, s->scene, &id, &id, 1), want);
    case 11:
        return is("set_user_data", TRY(shoal_scene_set_user_data, s->scene, id, 9), want);
    case 12:
        return is("user_data", TRY(shoal_scene_user_data, s->scene, id, &data), want) &&
               (data == 0 || fault("user_data: not zero"));
    case 0:
        return is("remove", TRY(shoal_scene_remove, s->scene, id), want);
    case 1:
        return is("set_positions", TRY(shoal_scene_set_positions, s->scene, id, &view), want);
    case 2:
        return is("set_fat_box", TRY(shoal_scene_set_fat_box, s->scene, id, lo, hi), want);
    case 3:
        return is("body_info",
                  TRY(shoal_scene_read_body_info, s->scene, id, &info, sizeof info), want) &&
               (info.rebuilds == 0 || fault("body_info: not zero"));
    case 4:
        return is("set_reduced", TRY(shoal_scene_set_reduced, s->scene, &reduced), want);
    case 5:
        return is("set_skinned", TRY(shoal_scene_set_skinned, s->scene, &skinned), want);
    default:
        return !a || is("replace_model",
                        TRY(shoal_scene_replace_model, s->scene, id, a->shape->model), want);
    }
}

// The array is as large as the count says, whatever the rule that is broken.
static bool wrong_positions(draw *d, stage *s, const actor *a)
{
    static const double xyz[3 * (VERTICES + 1)];
    shoal_positions view = shoal_positions_f64(xyz, a->shape->vertex_count);
    switch (a->kind == FREE ? below(d, 6) : 6) {
    case 0:
        view.z = NULL;
        break;
    case 1:
        view.stride = 0;
        break;
    case 2:
        view.count += chance(d, 2) ? 1u : UINT32_MAX;
        break;
    case 3:
        view.scalar = (shoal_scalar)2;
        break;
    case 4:
        view.order = (shoal_order)5;
        break;
    case 5:
        view.hold = (shoal_hold)-1;
        break;
    default: // right, but not for a body of this kind
        break;
    }
    return is("set_positions", TRY(shoal_scene_set_positions, s->scene, a->id, &view),
              SHOAL_ERR_ARGUMENT);
}

// A second body may make the whole call wrong: then the first keeps its state, too.
static bool wrong_reduced(draw *d, stage *s, const actor *a)
{
    static const double zeros[2 * (9 + FIELDS)], ones[2 * 9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const shoal_body ids[2] = {a->id, s->stale_count ? s->stale[0] : (shoal_body){0}};
    shoal_reduced_state state = {.bodies = ids,
                                 .count = 1,
                                 .stride = 2,
                                 .translation = zeros,
                                 .q = zeros,
                                 .field_count = a->shape->field_count};
    shoal_status want = SHOAL_ERR_ARGUMENT;
    switch (a->kind == REDUCED ? below(d, 5) : 5) {
    case 0:
        state.field_count++;
        break;
    case 1:
        state.stride = 0;
        break;
    case 2:
        state.rotation = ones;
        break;
    case 3:
        state.bodies = NULL;
        break;
    case 4:
        state.count = 2;
        want = s->stale_count ? SHOAL_ERR_STALE : SHOAL_ERR_ARGUMENT;
        break;
    default:
        break;
    }
    return is("set_reduced", TRY(shoal_scene_set_reduced, s->scene, &state), want);
}

static bool wrong_skinned(draw *d, stage *s, const actor *a)
{
    static const double zeros[9 * 2 * (NODES + 1)];
    const shoal_body ids[2] = {a->id, s->stale_count ? s->stale[0] : (shoal_body){0}};
    const size_t rows = a->kind == POINTS ? a->shape->node_count : 1;
    shoal_skinned_state state = {
        .bodies = ids, .count = 1, .row_count = rows, .stride = rows, .u = zeros, .J = zeros};
    shoal_status want = SHOAL_ERR_ARGUMENT;
    switch (a->kind == POINTS ? below(d, 6) : 6) {
    case 0:
        state.row_count = ++state.stride;
        break;
    case 1:
        state.stride--;
        break;
    case 2:
        state.A = zeros;
        break;
    case 3:
        state.t = zeros;
        break;
    case 4:
        state.bodies = NULL;
        break;
    case 5:
        state.count = 2;
        state.row_count = state.stride = rows + 1;
        want = s->stale_count ? SHOAL_ERR_STALE : SHOAL_ERR_ARGUMENT;
        break;
    default:
        break;
    }
    return is("set_skinned", TRY(shoal_scene_set_skinned, s->scene, &state), want);
}

// What is wrong may ask for more than the array holds, and gets none of it.
static bool wrong_vertices(draw *d, stage *s, const actor *a)
{
    double none[3];
    shoal_vertices v = shoal_vertices_f64(none, 0, 0);
    const uint32_t all = a->shape->vertex_count;
    switch (below(d, 6)) {
    case 0:
        v.y = NULL;
        break;
    case 1:
        v.stride = 0;
        break;
    case 2:
        v.scalar = (shoal_scalar)-1;
        break;
    case 3:
        v.order = (shoal_order)2;
        break;
    case 4:
        v.first = all + 1 + below(d, 9);
        break;
    default:
        v.first = below(d, all + 1);
        v.count = chance(d, 2) ? all - v.first + 1 : UINT32_MAX - below(d, all + 1);
    }
    return is("vertices", TRY(shoal_scene_vertices, s->scene, a->id, &v), SHOAL_ERR_ARGUMENT);
}

static bool wrong_box(draw *d, stage *s, const actor *a)
{
    float lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1};
    const uint32_t how = below(d, 4), k = below(d, 3);
    if (how == 0)
        lo[k] = NAN;
    else if (how == 1)
        hi[k] = -2;
    return is("set_fat_box",
              TRY(shoal_scene_set_fat_box, s->scene, a->id, how == 2 ? NULL : lo,
                  how == 3 ? NULL : hi),
              SHOAL_ERR_ARGUMENT);
}

static bool wrong_add(play *p, draw *d, stage *s)
{
    shape *of = shape_held(p, d);
    const kind k = (kind)below(d, 3);
    shoal_model *model = chance(d, 3) ? NULL : p->filler; // of another context
    if (of && !shape_suits(of, k) && chance(d, 2))
        model = of->model;
    shoal_body id = {3, 3};
    shoal_body *out = chance(d, 5) ? NULL : &id;
    const shoal_status st = k == FREE      ? TRY(shoal_scene_add_free, s->scene, model, out)
                            : k == REDUCED ? TRY(shoal_scene_add_reduced, s->scene, model, out)
                                           : TRY(shoal_scene_add_skinned, s->scene, model, out);
    return is("add", st, SHOAL_ERR_ARGUMENT) &&
           (!out || (!id.index1 && !id.generation) || fault("add: the id is not null"));
}

static bool wrong_scene(play *p, draw *d)
{
    shoal_scene_def def = draw_scene_def(d);
    switch (below(d, 11)) {
    case 0:
        def.size = 8;
        break;
    case 1:
        def.executor = (shoal_executor)4;
        break;
    case 2:
        def.strategy = (shoal_strategy)-1;
        break;
    case 3:
        def.broad = (shoal_broad)5;
        break;
    case 4:
        def.coherence = (shoal_coherence)3;
        break;
    case 5:
        def.list_margin = chance(d, 2) ? NAN : INFINITY;
        break;
    case 6:
        def.within = chance(d, 2) ? NAN : -1;
        break;
    case 7:
        def.grid_resolution = 65537;
        break;
    case 8:
        def.rebuild_ratio = NAN;
        break;
    case 9:
        def.distance_engine = (shoal_distance_engine)4;
        break;
    default:
        def.threads = 4097;
    }
    shoal_scene *scene = (shoal_scene *)p;
    return is("scene_create", TRY(shoal_scene_create, p->ctx, &def, &scene),
              SHOAL_ERR_ARGUMENT) &&
           (!scene || fault("scene_create: not NULL"));
}

// Without a scene there is nobody to write a line to.
static bool wrong_null(play *p, draw *d)
{
    shoal_body id = {1, 1};
    shoal_body_info info;
    const shoal_positions view = {0};
    const float lo[3] = {0};
    const shoal_reduced_state reduced = {0};
    const shoal_skinned_state skinned = {0};
    shape *of = shape_held(p, d);
    const shoal_status statuses[] = {
        USE(shoal_scene_step)(NULL, 1),
        USE(shoal_scene_step_begin)(NULL, 1, 1),
        USE(shoal_scene_step_work)(NULL, 0),
        USE(shoal_scene_step_end)(NULL),
        USE(shoal_scene_remove)(NULL, id),
        USE(shoal_scene_set_positions)(NULL, id, &view),
        USE(shoal_scene_set_fat_box)(NULL, id, lo, lo),
        USE(shoal_scene_read_body_info)(NULL, id, &info, sizeof info),
        USE(shoal_scene_vertices)(NULL, id, NULL),
        USE(shoal_scene_set_positions_many)(NULL, &id, &view, 1),
        USE(shoal_scene_set_filter)(NULL, id, 1, 1),
        USE(shoal_scene_set_excluded)(NULL, &id, &id, 1),
        USE(shoal_scene_set_static)(NULL, id, true),
        USE(shoal_scene_set_max_rows)(NULL, 1, 1),
        USE(shoal_scene_set_user_data)(NULL, id, 1),
        USE(shoal_scene_user_data)(NULL, id, NULL),
        USE(shoal_model_set_user_data)(NULL, 1),
        USE(shoal_scene_set_reduced)(NULL, &reduced),
        USE(shoal_scene_set_skinned)(NULL, &skinned),
        USE(shoal_scene_add_free)(NULL, of ? of->model : NULL, &id),
        USE(shoal_scene_add_reduced)(NULL, NULL, &id),
        USE(shoal_scene_add_skinned)(NULL, NULL, &id),
        USE(shoal_scene_replace_model)(NULL, id, NULL),
        USE(shoal_scene_create)(NULL, NULL, NULL),
        USE(shoal_model_create)(NULL, NULL, NULL),
    };
    if (!USE(shoal_last_error)()[0])
        return fault("no last error");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (!is("without a scene", statuses[i], SHOAL_ERR_ARGUMENT))
            return false;
    }
    USE(shoal_model_destroy)(NULL);
    USE(shoal_scene_destroy)(NULL);
    USE(shoal_context_destroy)(NULL);
    return true;
}

static bool wrong_step(draw *d, stage *s)
{
    const uint32_t queries = chance(d, 2) ? 0 : 1u << (9 + below(d, 23));
    shoal_grid grid = {.cell = 3};
    switch (below(d, 6)) {
    case 0:
        return is("step", TRY(shoal_scene_step, s->scene, queries), SHOAL_ERR_ARGUMENT);
    case 1:
        return is("begin", TRY(shoal_scene_step_begin, s->scene, queries, 1),
                  SHOAL_ERR_ARGUMENT);
    case 2:
        return is("begin",
                  TRY(shoal_scene_step_begin, s->scene, 1, chance(d, 2) ? 0 : s->threads + 1),
                  SHOAL_ERR_ARGUMENT);
    case 3:
        return is("work", TRY(shoal_scene_step_work, s->scene, 0), SHOAL_ERR_ARGUMENT);
    case 4:
        return is("grid", TRY(shoal_scene_grid, s->scene, chance(d, 2) ? 0 : 4097, &grid),
                  SHOAL_ERR_ARGUMENT) &&
               (grid.cell == 0 || fault("grid: not zero"));
    default:
        return is("end", TRY(shoal_scene_step_end, s->scene), SHOAL_ERR_ARGUMENT);
    }
}

bool do_wrong(play *p, draw *d, stage *s)
{
    const views before = views_of(s->scene);
    const actor *a = actor_any(s, d);
    const uint32_t which = below(d, a ? 10 : 5);
    const bool good = which == 0   ? wrong_null(p, d)
                      : which == 1 ? wrong_scene(p, d)
                      : which == 2 ? wrong_add(p, d, s)
                      : which == 3 ? wrong_step(d, s)
                      : which == 4 ? wrong_ids(d, s)
                      : which == 5 ? wrong_positions(d, s, a)
                      : which == 6 ? wrong_reduced(d, s, a)
                      : which == 7 ? wrong_skinned(d, s, a)
                      : which == 8 ? wrong_vertices(d, s, a)
                                   : wrong_box(d, s, a);
    const views after = views_of(s->scene);
    return good && (memcmp(&before, &after, sizeof before) == 0 ||
                    fault("a wrong call changed the results"));
}
