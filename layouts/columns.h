// SPDX-License-Identifier: MIT
// Columns of structs whose arrays have a length each, such as trees and models. A struct lists
// its columns once, in a function that fills an array of shl_column; allocating, counting and
// freeing follow from that list, and so does docs/layouts.md (shoal info --layouts).
#ifndef SHL_LAYOUTS_COLUMNS_H
#define SHL_LAYOUTS_COLUMNS_H

#include "layouts/memory.h"

typedef struct shl_column {
    void **data;       // the member
    size_t bytes;      // of all rows
    size_t row_bytes;  // of one
    const char *name;  // of the member
    const char *type;  // of a row
    const char *rows;  // how many, as the source says it
    const char *about; // what a row is, for readers
} shl_column;

// A line of the list: does not compile unless `member` points to `element`.
#define SHL_ROWS(owner, member, element, count, text)                                          \
    {                                                                                          \
        .data = _Generic((owner)->member, element *                                            \
                         : (void **)&(owner)->member),                                         \
        .bytes = (size_t)(count) * sizeof(element), .row_bytes = sizeof(element),              \
        .name = #member, .type = #element, .rows = #count, .about = (text)                     \
    }

// Zeroed memory for the columns that have rows and no memory. On failure what there is must
// still be finished.
SHOAL_CHECK shoal_status shl_columns_reserve(const shl_column *columns, size_t count,
                                             const shoal_allocator *allocator);
void shl_columns_finish(const shl_column *columns, size_t count,
                        const shoal_allocator *allocator);

// Bytes of the columns that have memory.
size_t shl_columns_bytes(const shl_column *columns, size_t count);

#endif
