// SPDX-License-Identifier: MIT
// An allocator that makes reading beyond a block a fault.
#ifndef TESTS_ZERO_FENCED_H
#define TESTS_ZERO_FENCED_H

#include <stddef.h>
#include <sys/mman.h>

// Blocks end where the next page may not be read.
static inline void *fenced_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    const size_t page = 4096, room = (size + align + page - 1) / page * page;
    char *at =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED || mprotect(at + room, page, PROT_NONE) != 0)
        return NULL;
    return at + (room - size) / align * align;
}

static inline void fenced_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    (void)memory; // a small test may keep them
}

#endif
