// SPDX-License-Identifier: MIT
// For the tests of io/: an allocator that counts and fails on demand, and a parse whose input
// ends exactly where its allocation ends, so that a sanitizer sees any byte read beyond.
#ifndef TESTS_UNIT_IO_TEST_IO_H
#define TESTS_UNIT_IO_TEST_IO_H

#include "io/reader.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

typedef struct counter {
    size_t live_bytes, most_bytes;
    unsigned live_blocks, call_count;
    unsigned fail_at;    // 0: never
    bool broken_promise; // a wrong size came back
} counter;

// A block starts with its size, in as much room as its alignment asks for.
static inline void *counter_alloc(void *user, size_t size, size_t align)
{
    counter *count = user;
    if (++count->call_count == count->fail_at || size > (size_t)1 << 32)
        return NULL;
    char *block = aligned_alloc(align, align + (size + align - 1) / align * align);
    memcpy(block, &size, sizeof size);
    memset(block + align, 0xa5, size);
    count->live_bytes += size;
    if (count->live_bytes > count->most_bytes)
        count->most_bytes = count->live_bytes;
    count->live_blocks++;
    return block + align;
}

static inline void counter_release(void *user, void *memory, size_t size)
{
    counter *count = user;
    char *block = (char *)memory - 64;
    count->broken_promise |= memcmp(block, &size, sizeof size) != 0;
    count->live_bytes -= size;
    count->live_blocks--;
    free(block);
}

static inline shoal_allocator counter_allocator(counter *count)
{
    return (shoal_allocator){counter_alloc, counter_release, count};
}

// Every promise of the header about a mesh that was read.
static inline bool is_sane(const shoal_mesh *mesh)
{
    bool sane = mesh->xyz && mesh->triangles && mesh->triangle_count > 0;
    for (size_t i = 0; sane && i < 3 * (size_t)mesh->vertex_count; i++)
        sane = mesh->xyz[i] - mesh->xyz[i] == 0;
    for (size_t i = 0; sane && i < 3 * (size_t)mesh->triangle_count; i++)
        sane = mesh->triangles[i] < mesh->vertex_count;
    return sane;
}

static inline bool is_zero(const shoal_mesh *mesh)
{
    return !mesh->xyz && !mesh->triangles && mesh->vertex_count == 0 &&
           mesh->triangle_count == 0 && mesh->scalar == 0 && !mesh->allocator.alloc;
}

static inline bool is_one_line(const shoal_io_error *error)
{
    return error->text[0] && !strpbrk(error->text, "\r\n") && strlen(error->text) < 500;
}

typedef struct parsed {
    shoal_status status;
    shoal_mesh mesh;
    shoal_io_error error;
} parsed;

static inline parsed parse_limited(const char *name, const void *bytes, size_t size,
                                   const shoal_allocator *allocator, uint32_t row_limit)
{
    parsed p;
    void *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    shl_source source = {copy, size, name, row_limit};
    p.status = shl_mesh_parse(&source, allocator, &p.mesh, &p.error);
    free(copy);
    return p;
}

static inline parsed parse_bytes(const char *name, const void *bytes, size_t size)
{
    shoal_allocator plain = shl_io_allocator(NULL);
    return parse_limited(name, bytes, size, &plain, SHL_IO_ROW_LIMIT);
}

static inline parsed parse_text(const char *name, const char *text)
{
    return parse_bytes(name, text, strlen(text));
}

#endif
