// SPDX-License-Identifier: MIT
// Allocation through the user's allocator, always with sizes so that it can be counted.
#ifndef SHL_LAYOUTS_MEMORY_H
#define SHL_LAYOUTS_MEMORY_H

#include <shoal/base.h>

enum { SHL_ALIGN = 128 }; // two cache lines: prefetchers fetch them in pairs

// `size` bytes aligned to SHL_ALIGN, zeroed; NULL on failure or size 0.
void *shl_zalloc(const shoal_allocator *allocator, size_t size);

// Same, not zeroed.
void *shl_alloc(const shoal_allocator *allocator, size_t size);

// NULL is fine.
void shl_free(const shoal_allocator *allocator, void *memory, size_t size);

// The C library's allocator, used where the user gave none.
shoal_allocator shl_allocator_libc(void);

// A growing array of raw rows: data stays when the count shrinks, so a steady user stops
// allocating. All zero is a valid empty array.
typedef struct shl_array {
    void *data;
    size_t capacity; // bytes
} shl_array;

// Make room for `bytes`; the first `keep` bytes survive. On failure nothing changes.
SHOAL_CHECK shoal_status shl_array_reserve(shl_array *array, size_t bytes, size_t keep,
                                           const shoal_allocator *allocator);
void shl_array_finish(shl_array *array, const shoal_allocator *allocator);

// Room in several arrays, whose rows need not survive: SHL_RESERVE(allocator, {&array, bytes},
// ...). Those before the first that fails have it.
typedef struct shl_array_size {
    shl_array *array;
    size_t bytes;
} shl_array_size;
SHOAL_CHECK shoal_status shl_arrays_reserve(const shl_array_size *sizes, size_t count,
                                            const shoal_allocator *allocator);
#define SHL_RESERVE(allocator, ...)                                                            \
    shl_arrays_reserve((const shl_array_size[]){__VA_ARGS__},                                  \
                       sizeof(const shl_array_size[]){__VA_ARGS__} / sizeof(shl_array_size),   \
                       allocator)

// Appends a row to `count` others, which survive. On failure nothing changes.
SHOAL_CHECK shoal_status shl_array_append(shl_array *array, size_t count, const void *row,
                                          size_t row_bytes, const shoal_allocator *allocator);

#endif
