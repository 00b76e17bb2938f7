// SPDX-License-Identifier: MIT
#include "bench/papers/larsson/literal/literal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool literal_world_create(const literal_tree *tree, uint32_t bodies, literal_method method,
                          literal_world *out)
{
    *out = (literal_world){.tree = tree, .method = method, .body_count = bodies};
    const size_t boxes = (size_t)bodies * tree->node_count;
    shl_kernels_init(&out->kernels, SHOAL_CPU_BEST);
    out->roots = calloc(bodies, sizeof *out->roots);
    if (method == LITERAL_BERGEN)
        out->obbs = calloc(boxes, sizeof *out->obbs);
    else
        out->boxes = calloc(boxes, sizeof *out->boxes);
    const bool good = out->roots && (out->obbs || out->boxes);
    if (!good)
        literal_world_finish(out);
    return good;
}

void literal_world_finish(literal_world *world)
{
    free(world->boxes);
    free(world->obbs);
    free(world->roots);
    free(world->stack);
    free(world->pairs);
    memset(world, 0, sizeof *world);
}

// Room for `more` rows after `count`, doubling as it grows.
static bool reserve(literal_world *w, void **rows, size_t size, size_t count, size_t more,
                    size_t *room)
{
    if (count + more <= *room)
        return true;
    const size_t wanted = 2 * (count + more);
    void *bigger = realloc(*rows, wanted * size);
    if (!bigger) {
        w->failed = true;
        return false;
    }
    *rows = bigger;
    *room = wanted;
    return true;
}

void literal_push(literal_world *w, uint32_t a, uint32_t b)
{
    void *rows = w->stack;
    if (!reserve(w, &rows, sizeof *w->stack, w->stack_count, 1, &w->stack_room))
        return;
    w->stack = rows;
    w->stack[w->stack_count++] = (literal_node_pair){a, b};
}

bool literal_decide(literal_world *w, const uint32_t body[2])
{
    shl_tri_side side[2];
    for (int i = 0; i < 2; i++) {
        const float *xyz = w->xyz + 3 * (size_t)body[i] * w->tree->vertex_count;
        side[i] = (shl_tri_side){xyz, w->tree->triangles, SHOAL_F32};
    }
    uint64_t exact = 0;
    const uint32_t met =
        w->kernels.tri_overlap(&side[0], &side[1], w->batch, w->batch_count, w->batch, &exact);
    w->candidates += w->batch_count;
    w->batch_count = 0;
    void *rows = w->pairs;
    if (!reserve(w, &rows, sizeof *w->pairs, w->pair_count, met, &w->pair_room))
        return true;
    w->pairs = rows;
    for (uint32_t i = 0; i < met; i++) {
        w->pairs[w->pair_count++] =
            (shoal_pair){body[0], w->batch[i].a, body[1], w->batch[i].b};
        if (w->first)
            return true;
    }
    return false;
}

bool literal_candidate(literal_world *w, const uint32_t body[2], uint32_t a, uint32_t b)
{
    w->batch[w->batch_count++] = (shl_tri_pair){a, b};
    const uint32_t full = w->first ? LITERAL_BATCH_FIRST : LITERAL_BATCH;
    return w->batch_count == full && literal_decide(w, body);
}

static bool near(const literal_box *a, const literal_box *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
           b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool literal_world_step(literal_world *w, const float *xyz, const float *own,
                        const shl_frame *frames, bool first)
{
    const bool bergen = w->method == LITERAL_BERGEN;
    w->xyz = xyz;
    w->own = own;
    w->frames = frames;
    w->first = first;
    w->step++;
    w->pair_count = 0;
    w->box_tests = w->candidates = 0;
    const double start = seconds();
    for (uint32_t i = 0; i < w->body_count; i++) {
        if (bergen)
            literal_update_obbs(w, i);
        else
            literal_update_boxes(w, i);
    }
    w->update_s = seconds() - start;
    // brute force, which the paper recommends up to about 100 bodies; for 1,000 it takes a
    // thousandth of the step
    for (uint32_t b = 1; b < w->body_count; b++) {
        for (uint32_t a = 0; a < b; a++) {
            const uint32_t body[2] = {a, b};
            if (!near(&w->roots[a], &w->roots[b]))
                continue;
            if (bergen)
                literal_search_obbs(w, body);
            else
                literal_search_boxes(w, body);
        }
    }
    return !w->failed;
}
