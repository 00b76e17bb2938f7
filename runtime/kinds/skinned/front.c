// SPDX-License-Identifier: MIT
// A body's front: the nodes that the last search opened. Once its maps are prepared
// ("skinned_update"), their boxes are made before the next search, in parallel over nodes of
// all bodies ("skinned_front"); then those of ancestors are merged from their children where
// all of them are there, and else narrowed to what these say ("skinned_merge"). Below the front
// nodes are opened when touched. As all children of a node are opened together, a front is a
// cut of the tree, wherever a search ended. Nodes of leaves are no part of it: their vertices
// are evaluated.
//
// Which nodes are in a front depends on earlier steps, so boxes may be tighter or not; what
// they hold, and so what a step finds, does not. A body's own box is left as it is, so that the
// broad phase needs no more memory in one step than in another.
#include "runtime/kinds/skinned/front.h"

#include <string.h>

enum { NODES_MAX = 1024 }; // of a body's front; deeper ones are opened when touched

static uint32_t capacity_of(const shl_skinned *m)
{
    return m->block_count < NODES_MAX ? m->block_count : NODES_MAX;
}

shoal_status shl_skinned_front_reserve(shl_skinned_body *b, const shoal_allocator *allocator)
{
    const shl_skinned *m = b->model;
    const size_t capacity = capacity_of(m), blocks = m->block_count;
    if (!blocks)
        return SHOAL_OK;
    const size_t bytes = capacity * (sizeof(shl_block) + sizeof(uint32_t)) +
                         sizeof(shl_skinned_front) + blocks * sizeof(uint32_t) + m->node_count;
    const shoal_status st = shl_array_reserve(&b->kept, bytes, 0, allocator);
    if (st != SHOAL_OK)
        return st;
    shl_block *kept = memset(b->kept.data, 0, bytes);
    shl_skinned_front *f = (shl_skinned_front *)(kept + capacity);
    f->blocks = kept;
    f->nodes = (uint32_t *)(f + 1);
    f->slot = f->nodes + capacity;
    f->visited = (_Atomic uint8_t *)(f->slot + blocks);
    b->front = f;
    b->visited = f->visited;
    return SHOAL_OK;
}

void shl_skinned_front_plan(const shl_skinned_body *b, bool none)
{
    const shl_skinned *m = b->model;
    shl_skinned_front *f = b->front;
    if (!f)
        return;
    for (uint32_t i = 0; i < f->count; i++)
        f->slot[m->block_of[f->nodes[i]]] = 0;
    f->count = 0;
    const uint32_t capacity = capacity_of(m);
    for (uint32_t block = 0; block < m->block_count && !none; block++) {
        const uint32_t node = m->node_of[block];
        if (!atomic_load_explicit(&f->visited[node], memory_order_relaxed))
            continue;
        atomic_store_explicit(&f->visited[node], 0, memory_order_relaxed);
        const bool above = node == 0 || f->slot[m->block_of[b->tree->parent[node]]];
        if (f->count == capacity || !above || shl_skinned_grouped(b->tree, node))
            continue;
        f->nodes[f->count++] = node;
        f->slot[block] = f->count;
    }
}

// Lanes whose children are in the front themselves.
static uint32_t lanes_below(const shl_skinned_body *b, uint32_t node)
{
    uint32_t lanes = 0;
    for (uint32_t left = b->tree->inner[node]; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (b->front->slot[b->model->block_of[b->tree->first[node] + lane]])
            lanes |= 1u << lane;
    }
    return lanes;
}

void shl_skinned_front_refit(const shl_kernels *kernels, const shl_skinned_body *b,
                             uint32_t slice, shl_scratch *scratch)
{
    const uint64_t count = b->front->count;
    for (uint64_t i = count * slice / SHL_FRONT_SLICES;
         i < count * (slice + 1) / SHL_FRONT_SLICES; i++) {
        const uint32_t node = b->front->nodes[i];
        if (lanes_below(b, node) == (1u << b->tree->count[node]) - 1)
            continue; // all comes from below
        scratch->count.opened_nodes++;
        shl_skinned_bound(kernels, b, node, scratch, &b->front->blocks[i]);
    }
}

static void intersect_lane(float lo[3], float hi[3], const shl_block *block, uint32_t lane)
{
    for (int k = 0; k < 3; k++) {
        lo[k] = lo[k] > block->lo[k][lane] ? lo[k] : block->lo[k][lane];
        hi[k] = hi[k] < block->hi[k][lane] ? hi[k] : block->hi[k][lane];
    }
}

static void merge(const shl_kernels *kernels, const shl_skinned_body *b, uint32_t i)
{
    const shl_skinned_front *c = b->front;
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
        const uint32_t child = b->model->block_of[b->tree->first[node] + lane];
        shl_box box;
        kernels->block_merge(&c->blocks[c->slot[child] - 1], &box);
        if (!whole)
            intersect_lane(box.lo, box.hi, out, lane);
        for (int k = 0; k < 3; k++) {
            out->lo[k][lane] = box.lo[k];
            out->hi[k][lane] = box.hi[k];
        }
    }
}

void shl_skinned_front_merge(const shl_kernels *kernels, const shl_skinned_body *b)
{
    for (uint32_t i = b->front->count; i-- > 0;) // children stand behind their parents
        merge(kernels, b, i);
}
