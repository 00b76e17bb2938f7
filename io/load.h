// SPDX-License-Identifier: MIT
// A whole file in memory.
#ifndef SHL_IO_LOAD_H
#define SHL_IO_LOAD_H

#include <shoal/io.h>

typedef struct shl_file {
    char *bytes;
    size_t size;     // less than allocated when the file shrank meanwhile
    size_t capacity; // allocated
} shl_file;

// Errors: MEMORY, FILE; reported. `*out` is then all zero.
SHOAL_CHECK shoal_status shl_file_load(const char *path, const shoal_allocator *allocator,
                                       shl_file *out, shoal_io_error *error);
void shl_file_drop(shl_file *file, const shoal_allocator *allocator);

#endif
