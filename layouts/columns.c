// SPDX-License-Identifier: MIT
#include "layouts/columns.h"

shoal_status shl_columns_reserve(const shl_column *columns, size_t count,
                                 const shoal_allocator *allocator)
{
    for (size_t i = 0; i < count; i++) {
        if (*columns[i].data || !columns[i].bytes)
            continue;
        *columns[i].data = shl_zalloc(allocator, columns[i].bytes);
        if (!*columns[i].data)
            return SHOAL_ERR_MEMORY;
    }
    return SHOAL_OK;
}

void shl_columns_finish(const shl_column *columns, size_t count,
                        const shoal_allocator *allocator)
{
    for (size_t i = 0; i < count; i++) {
        shl_free(allocator, *columns[i].data, columns[i].bytes);
        *columns[i].data = NULL;
    }
}

size_t shl_columns_bytes(const shl_column *columns, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += *columns[i].data ? columns[i].bytes : 0;
    return bytes;
}
