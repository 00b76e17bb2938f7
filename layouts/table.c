// SPDX-License-Identifier: MIT
#include "layouts/table.h"

#include <string.h>

static void **column_of(const shl_table *table, const shl_table_column *column)
{
    return (void **)((char *)table + column->offset);
}

static size_t aligned(size_t bytes)
{
    return (bytes + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN;
}

shoal_status shl_table_reserve(shl_table *t, const shl_table_def *def, uint32_t rows,
                               const shoal_allocator *allocator)
{
    if (rows <= t->capacity)
        return SHOAL_OK;
    // half as much again, so that a table growing row by row moves only a few times
    const uint64_t more = (uint64_t)t->capacity + t->capacity / 2;
    const uint32_t capacity = more > UINT32_MAX ? UINT32_MAX
                              : more > rows     ? (uint32_t)more
                                                : rows;
    size_t bytes = 0;
    for (uint32_t i = 0; i < def->column_count; i++)
        bytes += aligned(capacity * def->columns[i].bytes);
    char *memory = shl_zalloc(allocator, bytes);
    if (!memory)
        return SHOAL_ERR_MEMORY;
    char *at = memory;
    for (uint32_t i = 0; i < def->column_count; i++) {
        void **column = column_of(t, &def->columns[i]);
        if (t->count)
            memcpy(at, *column, t->count * def->columns[i].bytes);
        *column = at;
        at += aligned(capacity * def->columns[i].bytes);
    }
    shl_free(allocator, t->memory, t->bytes);
    t->memory = memory;
    t->bytes = bytes;
    t->capacity = capacity;
    return SHOAL_OK;
}

void shl_table_finish(shl_table *t, const shl_table_def *def, const shoal_allocator *allocator)
{
    shl_free(allocator, t->memory, t->bytes);
    for (uint32_t i = 0; i < def->column_count; i++)
        *column_of(t, &def->columns[i]) = NULL;
    *t = (shl_table){0};
}

void shl_arrays_each(void *owner, const shl_array_def *defs, size_t count,
                     shl_each_array_fn *each, void *ctx)
{
    for (size_t i = 0; i < count; i++) {
        shl_array *array = (shl_array *)((char *)owner + defs[i].offset);
        for (uint32_t k = 0; k < defs[i].count; k++)
            each(ctx, defs[i].table, array + k);
    }
}

static void finish(void *allocator, uint32_t table, shl_array *array)
{
    (void)table;
    shl_array_finish(array, allocator);
}

void shl_arrays_finish(void *owner, const shl_array_def *defs, size_t count,
                       const shoal_allocator *allocator)
{
    shl_arrays_each(owner, defs, count, finish, (void *)allocator);
}
