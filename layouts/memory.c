// SPDX-License-Identifier: MIT
#include "layouts/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 2 * HUGE_PAGE };

// Searches jump about in large arrays; in pages of 4 KB they would miss the TLB at every jump.
static void *libc_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    const bool huge = size >= HUGE_FROM;
    if (huge && align < HUGE_PAGE)
        align = HUGE_PAGE;
    if (size > SIZE_MAX - align)
        return NULL;
    size = (size + align - 1) / align * align;
    void *memory = aligned_alloc(align, size);
#ifdef MADV_HUGEPAGE
    if (memory && huge)
        (void)madvise(memory, size, MADV_HUGEPAGE); // a wish; without it all works the same
#endif
    return memory;
}

static void libc_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

shoal_allocator shl_allocator_libc(void)
{
    return (shoal_allocator){libc_alloc, libc_release, NULL};
}

void *shl_alloc(const shoal_allocator *allocator, size_t size)
{
    return size ? allocator->alloc(allocator->user, size, SHL_ALIGN) : NULL;
}

void *shl_zalloc(const shoal_allocator *allocator, size_t size)
{
    void *memory = shl_alloc(allocator, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

void shl_free(const shoal_allocator *allocator, void *memory, size_t size)
{
    if (memory)
        allocator->release(allocator->user, memory, size);
}

shoal_status shl_array_reserve(shl_array *array, size_t bytes, size_t keep,
                               const shoal_allocator *allocator)
{
    if (bytes <= array->capacity)
        return SHOAL_OK;
    // Half as much again, so that a list growing row by row moves only a few times.
    size_t wanted = array->capacity + array->capacity / 2;
    if (wanted < bytes)
        wanted = bytes;
    wanted = (wanted + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN;
    void *data = shl_alloc(allocator, wanted);
    if (!data)
        return SHOAL_ERR_MEMORY;
    if (keep)
        memcpy(data, array->data, keep);
    shl_free(allocator, array->data, array->capacity);
    array->data = data;
    array->capacity = wanted;
    return SHOAL_OK;
}

void shl_array_finish(shl_array *array, const shoal_allocator *allocator)
{
    shl_free(allocator, array->data, array->capacity);
    *array = (shl_array){0};
}

shoal_status shl_arrays_reserve(const shl_array_size *sizes, size_t count,
                                const shoal_allocator *allocator)
{
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < count && st == SHOAL_OK; i++)
        st = shl_array_reserve(sizes[i].array, sizes[i].bytes, 0, allocator);
    return st;
}

shoal_status shl_array_append(shl_array *array, size_t count, const void *row, size_t row_bytes,
                              const shoal_allocator *allocator)
{
    const size_t before = count * row_bytes;
    const shoal_status st = shl_array_reserve(array, before + row_bytes, before, allocator);
    if (st == SHOAL_OK)
        memcpy((char *)array->data + before, row, row_bytes);
    return st;
}
