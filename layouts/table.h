// SPDX-License-Identifier: MIT
// Tables by columns. A table is a struct that begins with a shl_table and has a pointer for
// each column; one static list names the columns. Growing, freeing, guarding and
// counting follow from that list, so a column is declared twice: as a member, and as a line of
// it. The line names the type of a row and says what a row is, for docs/layouts.md.
#ifndef SHL_LAYOUTS_TABLE_H
#define SHL_LAYOUTS_TABLE_H

#include "layouts/memory.h"

#include <stddef.h>

typedef struct shl_table {
    uint32_t count;    // rows in use
    uint32_t capacity; // rows there is memory for
    void *memory;      // of all columns
    size_t bytes;
} shl_table;

typedef struct shl_table_column {
    const char *name;
    const char *type;  // of a row
    const char *about; // what a row is, for readers
    size_t offset;     // of the pointer in the struct
    size_t bytes;      // of a row
} shl_table_column;

typedef struct shl_table_def {
    const shl_table_column *columns;
    uint32_t column_count;
} shl_table_def;

// Does not compile unless `member` points to `element`.
#define SHL_COLUMN(owner, member, element, text)                                               \
    {                                                                                          \
        .name = #member, .type = #element, .about = (text), .offset = offsetof(owner, member), \
        .bytes = _Generic(((owner *)0)->member, element *                                      \
                          : sizeof(element))                                                   \
    }

// Memory for `rows` rows; those in use stay, the others are zero. On failure nothing changes.
SHOAL_CHECK shoal_status shl_table_reserve(shl_table *table, const shl_table_def *def,
                                           uint32_t rows, const shoal_allocator *allocator);
void shl_table_finish(shl_table *table, const shl_table_def *def,
                      const shoal_allocator *allocator);

// --- The same for arrays that grow each on its own: members of type shl_array. ---

typedef struct shl_array_def {
    const char *name;
    const char *type;  // of a row
    const char *about; // what a row is, for readers
    size_t bytes;      // of a row
    size_t offset;     // of the shl_array in the struct
    uint32_t table;    // which table of its module it belongs to
    uint32_t count;    // a member that is itself an array of so many
} shl_array_def;

#define SHL_ARRAY(owner, table_number, member, element, text)                                  \
    {                                                                                          \
        .name = #member, .type = #element, .about = (text), .bytes = sizeof(element),          \
        .offset = offsetof(owner, member), .table = (table_number), .count = 1                 \
    }
#define SHL_ARRAYS(owner, table_number, member, element, text)                                 \
    {                                                                                          \
        .name = #member, .type = #element, .about = (text), .bytes = sizeof(element),          \
        .offset = offsetof(owner, member), .table = (table_number),                            \
        .count = sizeof((owner *)0)->member / sizeof *((owner *)0)->member                     \
    }

// All of a module's, for whoever walks the modules.
typedef struct shl_array_list {
    const shl_array_def *defs;
    size_t count;
} shl_array_list;

// Calls `each` for all arrays of the list.
typedef void shl_each_array_fn(void *ctx, uint32_t table, shl_array *array);
void shl_arrays_each(void *owner, const shl_array_def *defs, size_t count,
                     shl_each_array_fn *each, void *ctx);
void shl_arrays_finish(void *owner, const shl_array_def *defs, size_t count,
                       const shoal_allocator *allocator);

#endif
