// SPDX-License-Identifier: MIT
// The boxes of new bodies are written first by the worker that will refit them, so that their
// pages come to lie on its memory node: rows are slices of bodies in the order of the refit
// rows, and workers take their rows in slices.
#include "runtime/kinds/free/free.h"

#include <math.h>

shoal_status shl_free_plan_first_touch(shl_free_bodies *self)
{
    self->first_touch_count = 0;
    for (uint32_t i = 0; self->untouched && i < self->rows.count; i++) {
        const shl_free_body *b = shl_free_row(self, i);
        if (!b->model)
            continue;
        // old bodies have rows too: they keep the slices the same as those of the refit
        const uint32_t slices = 1 + b->tree->vertex_count / SHL_SUBTREE_VERTICES;
        const size_t size = sizeof(shl_vertex_range), n = self->first_touch_count;
        const shoal_status st = shl_array_reserve(&self->first_touch, (n + slices) * size,
                                                  n * size, self->ports->allocator);
        if (st != SHOAL_OK)
            return st;
        for (uint32_t slice = 0; slice < slices; slice++)
            ((shl_vertex_range *)self->first_touch.data)[self->first_touch_count++] =
                (shl_vertex_range){i, slice, slices};
    }
    return SHOAL_OK;
}

static void first_touch(const shl_free_body *b, uint32_t begin, uint32_t end)
{
    for (uint32_t n = begin; n < end; n++) {
        atomic_store_explicit(&b->stamps[n], 0, memory_order_relaxed);
        for (int k = 0; k < 3; k++) {
            for (int lane = 0; lane < SHL_LANES; lane++) {
                b->blocks[n].lo[k][lane] = INFINITY;
                b->blocks[n].hi[k][lane] = -INFINITY;
            }
        }
    }
}

// A slice is the same fraction of every level: nodes stand in the order of their subtrees.
shoal_status shl_free_run_first_touch(void *ctx, shl_chunk rows)
{
    const shl_free_bodies *self = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_vertex_range *row = (const shl_vertex_range *)self->first_touch.data + i;
        const uint64_t slice = row->begin, slices = row->end;
        const shl_free_body *b = shl_free_row(self, row->row);
        const uint32_t *level = b->tree->level;
        for (uint32_t l = 0; l <= b->tree->depth && !b->touched; l++) {
            const uint64_t nodes = level[l + 1] - level[l];
            first_touch(b, level[l] + (uint32_t)(nodes * slice / slices),
                        level[l] + (uint32_t)(nodes * (slice + 1) / slices));
        }
    }
    return SHOAL_OK;
}
