// SPDX-License-Identifier: MIT
// Skins: a list of all triangle pairs closer than a margin stays complete while no two bodies
// have moved by more than the margin together, so steps in between need no boxes and no trees.
// Molecular dynamics knows it as the neighbour list (Verlet 1967).
//
// Why it is complete. Two triangles that touch have coordinates a and b on each axis with
// a = b. Since the list was made they moved by at most Da and Db along the axis, so the boxes
// of then, which hold them, are not farther apart than Da + Db <= margin, and the list was made
// with one side of every box test grown by that. Each pair of the list also knows how far it
// has to go before it can touch, so that most are not even looked at.
#include "runtime/scene/steps.h"

#include "kernels/round.h"
#include "runtime/kinds/skinned/skinned.h"

#include <math.h>
#include <string.h>

static size_t scalar_bytes(const shl_free_body *b)
{
    return b->scalar == SHOAL_F32 ? sizeof(float) : sizeof(double);
}

// Rows of three numbers that tell where a body is: its vertices, or the maps of its points.
static uint32_t row_count(const shl_free_body *b)
{
    return b->points ? 4 * b->points->point_count : b->tree->vertex_count;
}

static size_t row_bytes(const shl_free_body *b)
{
    return 3 * (b->points ? sizeof(double) : scalar_bytes(b));
}

static shoal_status list_parts(shoal_scene *s, uint32_t index)
{
    shl_skin *k = &s->skin;
    shl_free_body *b = &shl_bodies(s)[index];
    const uint32_t all = row_count(b), grain = b->points ? all : SHL_GATHER_ROWS;
    const uint32_t parts = shl_chunk_count(all, grain);
    const size_t size = sizeof(shl_vertex_part), n = k->part_count;
    shoal_status st = shl_array_reserve(&k->parts, (n + parts) * size, n * size, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->reference, all * row_bytes(b), 0, &s->allocator);
    for (uint32_t i = 0; i < parts && !st; i++) {
        const shl_span rows = shl_chunk_rows(all, grain, i);
        ((shl_vertex_part *)k->parts.data)[k->part_count++] =
            (shl_vertex_part){index, rows.begin, rows.end};
    }
    return st;
}

// How far reduced bodies move nobody watches; contact spheres and distances are searched for in
// every step.
static bool can_list(const shoal_scene *s)
{
    bool watched = !(s->queries & (SHOAL_QUERY_PROXIES | SHL_DISTANCE_QUERIES));
    for (uint32_t i = 0; i < s->body_count; i++)
        watched &= !shl_bodies(s)[i].reduced;
    return watched;
}

shoal_status shl_skin_begin(shoal_scene *s)
{
    shl_skin *k = &s->skin;
    k->active = k->grow > 0 && can_list(s);
    k->valid &= k->active;
    k->usable = k->valid && k->queries == s->queries;
    k->valid = k->reused = k->listing = false; // until this step has gone well
    k->motion_rows = k->usable ? k->part_count : 0;
    if (!k->active || k->usable)
        return SHOAL_OK;
    k->queries = s->queries;
    k->part_count = 0;
    shoal_status st = SHOAL_OK;
    for (uint32_t i = 0; i < s->body_count && !st; i++) {
        const shl_free_body *b = &shl_bodies(s)[i];
        if (b->model && b->source != SHL_SOURCE_NONE)
            st = list_parts(s, i);
    }
    if (st == SHOAL_OK)
        st = shl_array_reserve(&k->moved, (k->part_count + (size_t)1) * sizeof(double), 0,
                               &s->allocator);
    return st;
}

void shl_skin_end(shoal_scene *s)
{
    s->skin.valid = s->skin.active;
    for (uint32_t i = 0; i < s->body_count && !s->skin.reused; i++)
        shl_bodies(s)[i].behind = false;
}

void shl_skin_finish(shoal_scene *s)
{
    shl_array_finish(&s->skin.parts, &s->allocator);
    shl_array_finish(&s->skin.moved, &s->allocator);
    shl_array_finish(&s->skin.chunks, &s->allocator);
    shl_array_finish(&s->skin.near, &s->allocator);
}

// How far each part is from where it was. Who rests keeps the number he has.
shoal_status shl_run_drift(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_vertex_part *part = (const shl_vertex_part *)s->skin.parts.data + i;
        const shl_free_body *b = &shl_bodies(s)[part->body];
        if (!b->fresh)
            continue;
        ((double *)s->skin.moved.data)[i] =
            b->points ? shl_points_motion(b->points, b->own.data, b->reference.data)
                      : s->ctx->kernels.motion[b->scalar](b->xyz, b->reference.data,
                                                          part->begin, part->end);
    }
    return SHOAL_OK;
}

// The most that two sides of a pair moved together: two bodies, or one twice if it is asked
// for contacts with itself.
static double most_together(const shoal_scene *s)
{
    const shl_vertex_part *parts = s->skin.parts.data;
    const double *moved = s->skin.moved.data;
    double first = 0, second = 0;
    for (uint32_t i = 0, end; i < s->skin.part_count; i = end) {
        double body = 0;
        for (end = i; end < s->skin.part_count && parts[end].body == parts[i].body; end++)
            body = moved[end] > body ? moved[end] : body;
        second = body > first ? first : body > second ? body : second;
        first = body > first ? body : first;
    }
    return nextafter(first + (s->queries & SHOAL_QUERY_SELF ? first : second), INFINITY);
}

// Whether the list is still complete; if so, the jobs that make boxes have no rows.
shoal_status shl_run_judge(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_skin *k = &s->skin;
    const double moved = k->usable ? most_together(s) : 0;
    k->reused = k->usable && moved <= s->def.skin;
    k->listing = k->active && !k->reused;
    k->moved_most = k->reused ? shl_round_up(moved) : 0;
    k->mark_rows = k->listing ? k->part_count : 0;
    k->refit_rows = k->reused ? 0 : s->refit_count;
    k->root_rows = k->reused ? 0 : s->body_count;
    s->corner_rows = k->reused ? 0 : s->corner_rows;
    s->merge_rows = k->reused ? 0 : s->merge_rows;
    s->box_rows = k->reused ? 0 : s->box_rows;
    s->broad.wanted &= !k->reused;
    if (k->listing)
        memset(k->moved.data, 0, k->part_count * sizeof(double));
    for (uint32_t i = 0; i < s->body_count && k->grow > 0; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        b->behind |= k->reused && b->fresh;
        if (!k->reused && b->behind && !b->fresh) {
            b->fresh = true;
            // a step that failed may have counted some of its leaves
            atomic_store_explicit(&b->sheet.fresh, 0, memory_order_relaxed);
        }
    }
    return SHOAL_OK;
}

// Remembers the positions that a new list is made from.
shoal_status shl_run_mark(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_vertex_part *part = (const shl_vertex_part *)s->skin.parts.data + i;
        shl_free_body *b = &shl_bodies(s)[part->body];
        const size_t row = row_bytes(b), begin = part->begin * row;
        const char *now = b->points ? b->own.data : b->xyz;
        memcpy((char *)b->reference.data + begin, now + begin, (part->end - part->begin) * row);
    }
    return SHOAL_OK;
}

// Each chunk's place in the new list, and room for what testing it will find.
shoal_status shl_run_list(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)rows;
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    shl_skin *k = &s->skin;
    if (!k->active) {
        k->chunk_count = k->near_count = 0; // of an earlier step
        return SHOAL_OK;
    }
    size_t sum = 0;
    for (uint32_t i = 0; i < k->chunk_count; i++) {
        shl_found *f = (shl_found *)k->chunks.data + i;
        f->offset[SHL_NEAR] = sum;
        sum += f->count[SHL_NEAR];
    }
    if (sum > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    shoal_status st = SHOAL_OK;
    if (k->listing) {
        k->near_count = 0; // in case there is no room
        st = shl_array_reserve(&k->near, sum * sizeof(shl_near), 0, &s->allocator);
        if (st != SHOAL_OK)
            return st;
        k->near_count = (uint32_t)sum;
    }
    s->found_count = shl_chunk_count(k->near_count, SHL_NEAR_GRAIN);
    return shl_array_reserve(&s->found, s->found_count * sizeof(shl_found), 0, &s->allocator);
}

shoal_status shl_run_keep(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_found *f = (const shl_found *)s->skin.chunks.data + i;
        if (f->count[SHL_NEAR])
            shl_found_copy(f, SHL_NEAR, (shl_near *)s->skin.near.data + f->offset[SHL_NEAR]);
    }
    return SHOAL_OK;
}
