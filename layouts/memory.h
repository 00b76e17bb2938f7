// SPDX-License-Identifier: MIT
// Allocation through the user's allocator, always with sizes so that it can be counted.
#ifndef SHL_LAYOUTS_MEMORY_H
#define SHL_LAYOUTS_MEMORY_H

#include <shoal/base.h>

enum { SHL_ALIGN = 128 }; // the strictest type: a worker's memory, two cache lines

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

#endif
