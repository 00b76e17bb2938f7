// SPDX-License-Identifier: MIT
#include "io/reader.h"

#include "io/plain.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static void *libc_alloc(void *user, size_t size, size_t align)
{
    (void)user;
    if (size > SIZE_MAX - align)
        return NULL;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void libc_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

bool shl_io_half_allocator(const shoal_allocator *wanted)
{
    return wanted && !wanted->alloc != !wanted->release;
}

shoal_allocator shl_io_allocator(const shoal_allocator *wanted)
{
    if (wanted && wanted->alloc)
        return *wanted;
    return (shoal_allocator){libc_alloc, libc_release, NULL};
}

void *shl_io_alloc(const shoal_allocator *allocator, size_t size)
{
    return size ? allocator->alloc(allocator->user, size, ALIGN) : NULL;
}

void shl_io_free(const shoal_allocator *allocator, void *memory, size_t size)
{
    if (memory)
        allocator->release(allocator->user, memory, size);
}

const char *shl_io_reason(int code)
{
    const char *text = strerrordesc_np(code); // strerror translates, and is not for threads
    return text ? text : "unknown error";
}

// The end of a long name says more than its start, and the reason must fit behind it.
static int put_name(shoal_io_error *error, const char *name)
{
    enum { MOST = 240 };
    size_t length = strlen(name);
    if (length <= MOST)
        return snprintf(error->text, sizeof error->text, "%s", name);
    const char *tail = name + length - MOST;
    while (((unsigned char)*tail & 0xc0) == 0x80) // not within a UTF-8 character
        tail++;
    return snprintf(error->text, sizeof error->text, "...%s", tail);
}

__attribute__((format(printf, 3, 0))) static void put_reason(shoal_io_error *error, int used,
                                                             const char *format, va_list args)
{
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, args);
    shl_plain_mask(error->text); // a name may hold anything; the report stays one line
}

shoal_status shl_io_fail(shl_reader *r, shoal_status status, const char *format, ...)
{
    int used = put_name(r->error, r->name);
    char *rest = r->error->text + used;
    size_t room = sizeof r->error->text - (size_t)used;
    if (r->line)
        used += snprintf(rest, room, ":%" PRIu64 ": ", r->line);
    else
        used += snprintf(rest, room, ": byte %td: ", r->at - r->begin);
    va_list args;
    va_start(args, format);
    put_reason(r->error, used, format, args);
    va_end(args);
    return status;
}

shoal_status shl_io_fail_file(shoal_io_error *error, const char *name, shoal_status status,
                              const char *format, ...)
{
    int used = put_name(error, name);
    used += snprintf(error->text + used, sizeof error->text - (size_t)used, ": ");
    va_list args;
    va_start(args, format);
    put_reason(error, used, format, args);
    va_end(args);
    return status;
}

// Move an array into one of `wanted` bytes; on failure nothing changes.
static void *move(shl_reader *r, void *old, size_t old_size, size_t keep, size_t wanted)
{
    void *data = shl_io_alloc(&r->allocator, wanted);
    if (!data) {
        shl_io_fail_file(r->error, r->name, SHOAL_ERR_MEMORY, "no memory for %zu bytes",
                         wanted);
        return NULL;
    }
    if (keep)
        memcpy(data, old, keep);
    shl_io_free(&r->allocator, old, old_size);
    return data;
}

enum { VERTEX_BYTES = 3 * sizeof(double), TRIANGLE_BYTES = 3 * sizeof(uint32_t) };

shoal_status shl_reserve_vertices(shl_reader *r, uint64_t count)
{
    if (count <= r->vertex_capacity)
        return SHOAL_OK;
    if (count > r->row_limit)
        return shl_io_fail(r, SHOAL_ERR_LIMIT, "more than %" PRIu32 " vertices", r->row_limit);
    double *xyz = move(r, r->xyz, r->vertex_capacity * VERTEX_BYTES,
                       r->vertex_count * VERTEX_BYTES, (size_t)count * VERTEX_BYTES);
    if (!xyz)
        return SHOAL_ERR_MEMORY;
    r->xyz = xyz;
    r->vertex_capacity = (size_t)count;
    return SHOAL_OK;
}

shoal_status shl_reserve_triangles(shl_reader *r, uint64_t count)
{
    if (count <= r->triangle_capacity)
        return SHOAL_OK;
    if (count > r->row_limit)
        return shl_io_fail(r, SHOAL_ERR_LIMIT, "more than %" PRIu32 " triangles", r->row_limit);
    uint32_t *triangles =
        move(r, r->triangles, r->triangle_capacity * TRIANGLE_BYTES,
             r->triangle_count * TRIANGLE_BYTES, (size_t)count * TRIANGLE_BYTES);
    if (!triangles)
        return SHOAL_ERR_MEMORY;
    r->triangles = triangles;
    r->triangle_capacity = (size_t)count;
    return SHOAL_OK;
}

// Half as much again, but not past the limit while one more row still fits.
static uint64_t grown(const shl_reader *r, size_t count)
{
    uint64_t wanted = (uint64_t)count + count / 2 + 64;
    return wanted > r->row_limit && count < r->row_limit ? r->row_limit : wanted;
}

shoal_status shl_add_vertex(shl_reader *r, const double xyz[3])
{
    if (r->vertex_count == r->vertex_capacity) {
        shoal_status status = shl_reserve_vertices(r, grown(r, r->vertex_count));
        if (status != SHOAL_OK)
            return status;
    }
    memcpy(&r->xyz[3 * r->vertex_count++], xyz, VERTEX_BYTES);
    return SHOAL_OK;
}

shoal_status shl_add_triangle(shl_reader *r, uint32_t a, uint32_t b, uint32_t c)
{
    if (r->triangle_count == r->triangle_capacity) {
        shoal_status status = shl_reserve_triangles(r, grown(r, r->triangle_count));
        if (status != SHOAL_OK)
            return status;
    }
    uint32_t *corner = &r->triangles[3 * r->triangle_count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return SHOAL_OK;
}

shoal_status shl_add_corner(shl_reader *r, shl_fan *fan, uint32_t vertex)
{
    shoal_status status = SHOAL_OK;
    if (fan->corner_count == 0)
        fan->first = vertex;
    if (fan->corner_count >= 2)
        status = shl_add_triangle(r, fan->first, fan->last, vertex);
    fan->last = vertex;
    fan->corner_count++;
    return status;
}

shoal_status shl_end_fan(shl_reader *r, const shl_fan *fan)
{
    if (fan->corner_count >= 3)
        return SHOAL_OK;
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "face has %d corner%s, it needs 3",
                       (int)fan->corner_count, fan->corner_count == 1 ? "" : "s");
}

shoal_scalar shl_scalar_of(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(x[i]) <= FLT_MAX) || (double)(float)x[i] != x[i])
            return SHOAL_F64;
    }
    return SHOAL_F32;
}

shoal_status shl_reader_take(shl_reader *r, shoal_mesh *out)
{
    if (r->triangle_count == 0)
        return shl_io_fail_file(r->error, r->name, SHOAL_ERR_FORMAT,
                                "the file has no triangles");
    // Released by count, so the arrays must be exactly that long.
    if (r->vertex_count < r->vertex_capacity) {
        double *xyz = move(r, r->xyz, r->vertex_capacity * VERTEX_BYTES,
                           r->vertex_count * VERTEX_BYTES, r->vertex_count * VERTEX_BYTES);
        if (!xyz)
            return SHOAL_ERR_MEMORY;
        r->xyz = xyz;
        r->vertex_capacity = r->vertex_count;
    }
    if (r->triangle_count < r->triangle_capacity) {
        size_t bytes = r->triangle_count * TRIANGLE_BYTES;
        uint32_t *triangles =
            move(r, r->triangles, r->triangle_capacity * TRIANGLE_BYTES, bytes, bytes);
        if (!triangles)
            return SHOAL_ERR_MEMORY;
        r->triangles = triangles;
        r->triangle_capacity = r->triangle_count;
    }
    *out = (shoal_mesh){.xyz = r->xyz,
                        .triangles = r->triangles,
                        .vertex_count = (uint32_t)r->vertex_count,
                        .triangle_count = (uint32_t)r->triangle_count,
                        .scalar = shl_scalar_of(r->xyz, 3 * r->vertex_count),
                        .allocator = r->allocator};
    r->xyz = NULL;
    r->triangles = NULL;
    return SHOAL_OK;
}

void shl_reader_finish(shl_reader *r)
{
    shl_io_free(&r->allocator, r->xyz, r->vertex_capacity * VERTEX_BYTES);
    shl_io_free(&r->allocator, r->triangles, r->triangle_capacity * TRIANGLE_BYTES);
}
