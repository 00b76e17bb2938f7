// SPDX-License-Identifier: MIT
// What a scene is made of, for those who look at it.
#include "layouts/float_env.h"
#include "runtime/scene/scene.h"
#include "runtime/scene/vertices.h"
#include "runtime/traverse/open.h"

#include <math.h>
#include <shoal/study.h>
#include <string.h>

// --- Boxes. ---

// The level of one body's tree.
typedef struct level_walk {
    shl_view view;
    shl_vertices vertices; // none unless asked for
    shl_scratch *scratch;
    shoal_body body;
    uint32_t depth; // of the level below the root
    bool spread;
    shoal_box_fn *take;
    void *user;
} level_walk;

static void widen(const shl_vertices *v, uint32_t node, double lo[3], double hi[3])
{
    const shl_tree *tree = v->tree;
    for (uint32_t i = 0; i < tree->count[node]; i++) {
        const uint32_t child = tree->first[node] + i;
        if (!tree->leaf[node]) {
            widen(v, child, lo, hi);
            continue;
        }
        for (int c = 0; c < 3; c++) {
            const double *at = v->xyz + 3 * (size_t)tree->tri[child].v[c];
            for (int k = 0; k < 3; k++) {
                lo[k] = fmin(lo[k], at[k]);
                hi[k] = fmax(hi[k], at[k]);
            }
        }
    }
}

static double diagonal(const double lo[3], const double hi[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
    return sqrt(sum);
}

static double spread_of(const level_walk *w, uint32_t node, const float lo[3],
                        const float hi[3])
{
    double least_lo[3] = {INFINITY, INFINITY, INFINITY};
    double least_hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    const double wide_lo[3] = {(double)lo[0], (double)lo[1], (double)lo[2]};
    const double wide_hi[3] = {(double)hi[0], (double)hi[1], (double)hi[2]};
    widen(&w->vertices, node, least_lo, least_hi);
    const double least = diagonal(least_lo, least_hi), wide = diagonal(wide_lo, wide_hi);
    return !isfinite(wide) ? INFINITY : least > 0 ? wide / least : 1;
}

static void hand_over(const level_walk *w, uint32_t node, const float lo[3], const float hi[3])
{
    shoal_tree_box box = {.body = w->body, .node = node};
    memcpy(box.lo, lo, sizeof box.lo);
    memcpy(box.hi, hi, sizeof box.hi);
    box.spread = w->spread ? spread_of(w, node, lo, hi) : 0;
    w->take(w->user, &box);
}

// Nodes on the level, and leaves above it.
static void walk(level_walk *w, uint32_t node, uint32_t depth)
{
    const shl_tree *tree = w->view.tree;
    shl_block slot;
    const shl_block found =
        *shl_open(&w->view, node, 0, &slot, w->scratch).block; // children reuse it
    for (uint32_t i = 0; i < tree->count[node]; i++) {
        const uint32_t child = tree->first[node] + i;
        if (depth + 1 < w->depth && !tree->leaf[child]) {
            walk(w, child, depth + 1);
            continue;
        }
        const float lo[3] = {found.lo[0][i], found.lo[1][i], found.lo[2][i]};
        const float hi[3] = {found.hi[0][i], found.hi[1][i], found.hi[2][i]};
        hand_over(w, child, lo, hi);
    }
}

static shoal_status walk_body(const shoal_scene *s, level_walk *w, uint32_t body, double level)
{
    const shoal_status st = w->spread ? shl_vertices_of(&w->vertices, body) : SHOAL_OK;
    if (st != SHOAL_OK)
        return st;
    w->body = (shoal_body){body + 1, s->bodies.generation[body]};
    shl_view_of(&s->ports, body, &w->view);
    w->depth = (uint32_t)(level * w->view.tree->depth + 0.5);
    if (w->depth == 0 || w->view.tree->leaf[0] || shl_view_is(&w->view, SHL_VIEW_UNBOUNDED))
        hand_over(w, 0, w->view.box->lo, w->view.box->hi);
    else
        walk(w, 0, 0);
    return SHOAL_OK;
}

shoal_status shoal_scene_boxes(const shoal_scene *s, double level, bool spread,
                               shoal_box_fn *take, void *user)
{
    SHL_FLOAT_ENV(host);
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "boxes: the scene is NULL");
    if (!take || !(level >= 0 && level <= 1) || s->runner.stepping)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "boxes: %s",
                        !take                ? "nobody takes them"
                        : s->runner.stepping ? "a step has begun and not ended"
                                             : "the level is not within 0 and 1");
    level_walk w = {.vertices = {.scene = s},
                    .scratch = s->ports.scratch,
                    .spread = spread,
                    .take = take,
                    .user = user};
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->bodies.table.count && st == SHOAL_OK; i++) {
        if (shl_body_is(&s->bodies, i, SHL_BODY_ACTIVE))
            st = walk_body(s, &w, i, level);
    }
    shl_vertices_finish(&w.vertices);
    return st == SHOAL_OK ? st : shl_fail(s->ctx, st, "boxes: no memory for positions");
}

// --- Bodies. ---

// The slot of a body, without a word if there is none.
static uint32_t slot_of(const shoal_scene *s, shoal_body id)
{
    const uint32_t slot = id.index1 - 1;
    const bool there = s && id.index1 && slot < s->bodies.table.count &&
                       s->bodies.model[slot] && s->bodies.generation[slot] == id.generation;
    return there ? slot : SHL_NONE;
}

const shoal_model *shoal_scene_model(const shoal_scene *s, shoal_body body)
{
    const uint32_t slot = slot_of(s, body);
    return slot == SHL_NONE ? NULL : s->bodies.model[slot];
}

void shoal_model_triangles(const shoal_model *model, shoal_order order, uint32_t *out)
{
    const shl_tree *tree = &model->tree;
    for (uint32_t t = 0; t < tree->triangle_count; t++) {
        for (int c = 0; c < 3; c++) {
            const uint32_t row = tree->tri[t].v[c];
            out[3 * (size_t)tree->tri[t].id + (size_t)c] =
                order == SHOAL_ORDER_TREE ? row : tree->order[row];
        }
    }
}

bool shoal_scene_instance(const shoal_scene *s, shoal_body body, shoal_instance *out)
{
    const uint32_t slot = slot_of(s, body);
    *out = (shoal_instance){0};
    if (slot == SHL_NONE ||
        !shl_body_is(&s->bodies, slot, SHL_BODY_ACTIVE | SHL_BODY_BAD | SHL_BODY_FRESH))
        return false;
    const uint8_t kind = s->bodies.kind[slot];
    return shl_kinds[kind]->instance &&
           shl_kinds[kind]->instance(s->kinds[kind], s->bodies.row[slot], out);
}

bool shoal_scene_sphere(const shoal_scene *s, shoal_body body, uint32_t sphere, double out[4])
{
    SHL_FLOAT_ENV(host);
    const uint32_t slot = slot_of(s, body);
    shl_sphere_tree tree;
    shl_view view;
    double places[4][SHL_LANES];
    memset(out, 0, 4 * sizeof *out);
    if (slot == SHL_NONE || !shl_body_is(&s->bodies, slot, SHL_BODY_ACTIVE))
        return false;
    const shl_sphere_source *source = shl_kinds[s->bodies.kind[slot]]->spheres;
    if (!source || !source->tree(s->bodies.model[slot], &tree) || sphere >= tree.sphere_count)
        return false;
    const uint32_t node = tree.node_of[sphere];
    const uint32_t lane = tree.node_count + sphere - tree.first[node];
    shl_view_of(&s->ports, slot, &view);
    source->evaluate(&view, node, places);
    for (int k = 0; k < 4; k++)
        out[k] = places[k][lane];
    return true;
}

// --- For libraries on top. ---

shoal_painter shoal_scene_painter(const shoal_scene *s)
{
    SHL_FLOAT_ENV(host);
    shoal_context *ctx = s->ctx;
    const shl_gpu_link *link = shl_gpu_open(&ctx->gpu) ? &ctx->gpu : &ctx->painter;
    if (link == &ctx->painter)
        shl_gpu_open(&ctx->painter);
    return (shoal_painter){.allocator = &ctx->allocator,
                           .table = link->api,
                           .device = link->gpu,
                           .reason = link->info.reason};
}

shoal_status shoal_scene_report(const shoal_scene *s, shoal_status status, const char *text)
{
    const shoal_context *ctx = s ? s->ctx : NULL;
    if (status != SHOAL_OK)
        return shl_fail(ctx, status, "%s", text);
    shl_warn(ctx, "%s", text);
    return status;
}
