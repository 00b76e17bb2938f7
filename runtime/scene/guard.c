// SPDX-License-Identifier: MIT
// Memory for the guard: in whole pages, so that each table can be closed by itself.
#include "runtime/scene/scene.h"

#include <unistd.h>

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t whole(size_t size)
{
    const size_t page = page_bytes();
    return (size + page - 1) / page * page;
}

static void *page_alloc(void *user, size_t size, size_t align)
{
    const shoal_allocator *from = user;
    const size_t page = page_bytes();
    if (size > SIZE_MAX - page)
        return NULL;
    return from->alloc(from->user, whole(size), align > page ? align : page);
}

static void page_release(void *user, void *memory, size_t size)
{
    const shoal_allocator *from = user;
    *(volatile char *)memory = 0; // giving memory back is a write, whatever the allocator does
    from->release(from->user, memory, whole(size));
}

shoal_allocator shl_allocator_pages(const shoal_allocator *from)
{
    return (shoal_allocator){page_alloc, page_release, (void *)from};
}
