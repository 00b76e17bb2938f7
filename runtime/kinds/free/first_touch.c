// SPDX-License-Identifier: MIT
// The boxes of new bodies are written first by the worker that will refit them, so that their
// pages come to lie on its memory node: rows are parts of bodies in the order of the refit
// rows, and workers take their rows in slices.
#include "runtime/kinds/free/free.h"

#include <math.h>

shoal_status shl_free_plan_touch(shl_free_bodies *self)
{
    self->touch_count = 0;
    for (uint32_t i = 0; self->untouched && i < self->rows.count; i++) {
        const shl_free_body *b = shl_free_row(self, i);
        if (!b->model)
            continue;
        // old bodies have rows too: they keep the slices the same as those of the refit
        const uint32_t parts = 1 + b->tree->vertex_count / SHL_PART_VERTICES;
        const size_t size = sizeof(shl_vertex_part), n = self->touch_count;
        const shoal_status st = shl_array_reserve(&self->touch, (n + parts) * size, n * size,
                                                  self->ports->allocator);
        if (st != SHOAL_OK)
            return st;
        for (uint32_t part = 0; part < parts; part++)
            ((shl_vertex_part *)self->touch.data)[self->touch_count++] =
                (shl_vertex_part){i, part, parts};
    }
    return SHOAL_OK;
}

static void touch(const shl_free_body *b, uint32_t begin, uint32_t end)
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

// A part is the same share of every level: nodes stand in the order of their subtrees.
shoal_status shl_free_run_touch(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk, (void)worker;
    const shl_free_bodies *self = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const shl_vertex_part *row = (const shl_vertex_part *)self->touch.data + i;
        const uint64_t part = row->begin, parts = row->end;
        const shl_free_body *b = shl_free_row(self, row->row);
        const uint32_t *level = b->tree->level;
        for (uint32_t l = 0; l <= b->tree->depth && !b->touched; l++) {
            const uint64_t nodes = level[l + 1] - level[l];
            touch(b, level[l] + (uint32_t)(nodes * part / parts),
                  level[l] + (uint32_t)(nodes * (part + 1) / parts));
        }
    }
    return SHOAL_OK;
}
