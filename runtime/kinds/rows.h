// SPDX-License-Identifier: MIT
// Rows of a kind's bodies: structs whose first member is a pointer, NULL in free rows.
#ifndef SHL_RUNTIME_KINDS_ROWS_H
#define SHL_RUNTIME_KINDS_ROWS_H

#include "runtime/scene/ports.h"

#include "layouts/table.h"

#include <string.h>

typedef struct shl_kind_rows {
    shl_array data;
    size_t row_bytes;
    uint32_t count;      // some of them free
    uint32_t first_free; // no free row lies below it
} shl_kind_rows;

// A free row, zero if it is new; it is taken once its first member is set. Errors: MEMORY.
static inline shoal_status shl_kind_rows_find(shl_kind_rows *r,
                                              const shoal_allocator *allocator, uint32_t *row)
{
    const size_t size = r->row_bytes;
    for (*row = r->first_free; *row < r->count; ++*row) {
        r->first_free = *row;
        if (!*(void *const *)((const char *)r->data.data + *row * size))
            return SHOAL_OK;
    }
    const shoal_status st =
        shl_array_reserve(&r->data, (r->count + (size_t)1) * size, r->count * size, allocator);
    if (st == SHOAL_OK)
        memset((char *)r->data.data + r->count++ * size, 0, size);
    return st;
}

// A body's arrays, by the shared table they are in; `defs` is a list of them for one row.
static inline void shl_kind_rows_each(const shl_kind_rows *r, const shl_array_def *defs,
                                      size_t count, shl_each_array_fn *each, void *ctx)
{
    for (uint32_t i = 0; i < r->count; i++)
        shl_arrays_each((char *)r->data.data + i * r->row_bytes, defs, count, each, ctx);
}

// All rows and their arrays.
static inline void shl_kind_rows_finish(shl_kind_rows *r, const shl_array_def *defs,
                                        size_t count, const shoal_allocator *allocator)
{
    for (uint32_t i = 0; i < r->count; i++)
        shl_arrays_finish((char *)r->data.data + i * r->row_bytes, defs, count, allocator);
    shl_array_finish(&r->data, allocator);
}

// The row is free again.
static inline void shl_kind_rows_release(shl_kind_rows *r, uint32_t row)
{
    r->first_free = row < r->first_free ? row : r->first_free;
}

#endif
