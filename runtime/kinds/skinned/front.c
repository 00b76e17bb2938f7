// SPDX-License-Identifier: MIT
// A body's front: the nodes that the last search opened. Once its maps are prepared
// ("corner_prepare"), their boxes are made before the next search, in parallel over nodes of
// all bodies ("corner_refit"); then those of ancestors are merged from their children where all
// of them are there, and else narrowed to what these say
// ("corner_merge"). Below the front nodes are opened when touched. As all children of a node
// are opened together, a front is a cut of the tree, wherever a search ended.
//
// Which nodes are in a front depends on earlier steps, so boxes may be tighter or not; what
// they hold, and so what a step finds, does not. A body's own box is left as it is, so that the
// broad phase needs no more memory in one step than in another.
#include "runtime/kinds/skinned/front.h"

#include "runtime/kinds/skinned/skinned.h"
#include "runtime/scene/steps.h"

#include <string.h>

enum { NODES_MAX = 1024 }; // of a body's front; deeper ones are opened when touched

static uint32_t room_of(const shl_points *m)
{
    return m->block_count < NODES_MAX ? m->block_count : NODES_MAX;
}

shoal_status shl_corner_reserve(shoal_scene *s, const shl_points *m, shl_free_body *b)
{
    const size_t room = room_of(m), blocks = m->block_count;
    const size_t bytes = room * (sizeof(shl_block) + sizeof(uint32_t)) +
                         blocks * (sizeof(uint32_t) + sizeof(_Atomic uint8_t));
    shl_corner *c = &b->corner;
    const shoal_status st = shl_array_reserve(&c->memory, bytes, 0, &s->allocator);
    if (st != SHOAL_OK || !bytes)
        return st;
    memset(c->memory.data, 0, bytes);
    c->blocks = c->memory.data;
    c->nodes = (uint32_t *)(c->blocks + room);
    c->place = c->nodes + room;
    c->asked = (_Atomic uint8_t *)(c->place + blocks);
    return SHOAL_OK;
}

void shl_corner_finish(shoal_scene *s, shl_free_body *b)
{
    shl_array_finish(&b->corner.memory, &s->allocator);
}

void shl_corner_plan(shl_free_body *b, bool none)
{
    const shl_points *m = b->points;
    shl_corner *c = &b->corner;
    if (!c->blocks) // of a single leaf, or of no scene
        return;
    for (uint32_t i = 0; i < c->count; i++)
        c->place[m->block_of[c->nodes[i]]] = 0;
    c->count = 0;
    const uint32_t room = room_of(m);
    for (uint32_t block = 0; block < m->block_count && !none; block++) {
        if (!atomic_load_explicit(&c->asked[block], memory_order_relaxed))
            continue;
        atomic_store_explicit(&c->asked[block], 0, memory_order_relaxed);
        const uint32_t node = m->node_of[block];
        const bool above = node == 0 || c->place[m->block_of[b->tree->parent[node]]];
        if (c->count == room || !above)
            continue;
        c->nodes[c->count++] = node;
        c->place[block] = c->count;
    }
}

// Lanes whose children are in the front themselves.
static uint32_t lanes_below(const shl_free_body *b, uint32_t node)
{
    uint32_t lanes = 0;
    for (uint32_t left = b->tree->inner[node]; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (b->corner.place[b->points->block_of[b->tree->first[node] + lane]])
            lanes |= 1u << lane;
    }
    return lanes;
}

static bool refreshed(const shl_free_body *b)
{
    return b->points && b->joined && b->fresh && b->corner.count;
}

shoal_status shl_run_corner_prepare(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        if (b->points && b->fresh)
            shl_points_prepare(&s->ctx->kernels, b, &s->workers[worker]);
    }
    return SHOAL_OK;
}

shoal_status shl_run_corner_refit(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    shoal_scene *s = ctx;
    for (uint32_t row = rows.begin; row < rows.end; row++) {
        const shl_free_body *b = &shl_bodies(s)[row / SHL_CORNER_PARTS];
        if (!refreshed(b))
            continue;
        const uint64_t part = row % SHL_CORNER_PARTS, count = b->corner.count;
        for (uint64_t i = count * part / SHL_CORNER_PARTS;
             i < count * (part + 1) / SHL_CORNER_PARTS; i++) {
            const uint32_t node = b->corner.nodes[i];
            if (lanes_below(b, node) == (1u << b->tree->count[node]) - 1)
                continue; // all comes from below
            s->workers[worker].count.opened_nodes++;
            shl_points_open(&s->ctx->kernels, b, node, &s->workers[worker],
                            &b->corner.blocks[i]);
        }
    }
    return SHOAL_OK;
}

static void narrow(float lo[3], float hi[3], const shl_block *block, uint32_t lane)
{
    for (int k = 0; k < 3; k++) {
        lo[k] = lo[k] > block->lo[k][lane] ? lo[k] : block->lo[k][lane];
        hi[k] = hi[k] < block->hi[k][lane] ? hi[k] : block->hi[k][lane];
    }
}

static void merge(const shl_kernels *kernels, const shl_free_body *b, uint32_t i)
{
    const shl_corner *c = &b->corner;
    const uint32_t node = c->nodes[i], below = lanes_below(b, node);
    const bool whole = below == (1u << b->tree->count[node]) - 1;
    shl_block *out = &c->blocks[i];
    for (uint32_t lane = 0; lane < SHL_LANES && whole; lane++) {
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = __builtin_inff();
            out->hi[k][lane] = -__builtin_inff();
        }
    }
    for (uint32_t left = below; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint32_t child = b->points->block_of[b->tree->first[node] + lane];
        shl_box box;
        kernels->block_merge(&c->blocks[c->place[child] - 1], &box);
        if (!whole)
            narrow(box.lo, box.hi, out, lane);
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = box.lo[k];
            out->hi[k][lane] = box.hi[k];
        }
    }
}

shoal_status shl_run_corner_merge(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t row = rows.begin; row < rows.end; row++) {
        const shl_free_body *b = &shl_bodies(s)[row];
        if (!refreshed(b))
            continue;
        for (uint32_t i = b->corner.count; i-- > 0;) // children stand behind their parents
            merge(&s->ctx->kernels, b, i);
    }
    return SHOAL_OK;
}
