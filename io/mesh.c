// SPDX-License-Identifier: MIT
// From a file to a mesh: load, tell the format, let its reader work.
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef shoal_status read_fn(shl_reader *r);

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), suffix_length = strlen(suffix);
    return length >= suffix_length && strcasecmp(name + length - suffix_length, suffix) == 0;
}

// A binary STL may start with any 80 bytes, "solid" too, but its size follows from its count.
static bool is_binary_stl(const shl_reader *r)
{
    size_t size = (size_t)(r->end - r->begin);
    if (size < 84)
        return false;
    uint64_t count = 0;
    for (int i = 3; i >= 0; i--)
        count = count << 8 | (unsigned char)r->begin[80 + i];
    return size == 84 + 50 * count;
}

// OFF with any of the prefixes ST, C, N, 4 and n, in this order.
static bool is_off_mark(shl_word word)
{
    static const char *const prefixes[] = {"ST", "C", "N", "4", "n"};
    for (int i = 0; i < 5; i++) {
        size_t length = strlen(prefixes[i]);
        if (word.size > length && memcmp(word.at, prefixes[i], length) == 0) {
            word.at += length;
            word.size -= length;
        }
    }
    return shl_word_is(word, "OFF");
}

// The reader for this content; NULL when it is none of ours. Moves to the first word of text.
static read_fn *tell_format(shl_reader *r)
{
    if (is_binary_stl(r))
        return shl_read_stl_binary;
    if (r->end - r->begin >= 3 && memcmp(r->begin, "\xef\xbb\xbf", 3) == 0)
        r->at += 3; // a byte order mark
    if (shl_word_is(shl_peek_word(r), "ply"))
        return shl_read_ply;
    shl_reader look = *r;
    shl_pass_space_and_comments(&look);
    shl_word first = shl_peek_word(&look);
    if (is_off_mark(first))
        return shl_read_off;
    bool stl = has_suffix(r->name, ".stl");
    if (shl_word_is_any_case(first, "solid")) {
        size_t head = (size_t)(r->end - r->begin) < 84 ? (size_t)(r->end - r->begin) : 84;
        // Text has no zero bytes: this is a binary file cut short.
        bool binary = stl && memchr(r->begin, 0, head);
        return binary ? shl_read_stl_binary : shl_read_stl_text;
    }
    if (stl)
        return shl_read_stl_binary;
    return has_suffix(r->name, ".obj") ? shl_read_obj : NULL;
}

shoal_status shl_mesh_parse(const shl_source *source, const shoal_allocator *allocator,
                            shoal_mesh *out, shoal_io_error *error)
{
    *out = (shoal_mesh){0};
    error->text[0] = 0;
    if (source->size == 0)
        return shl_io_fail_file(error, source->name, SHOAL_ERR_FORMAT, "the file is empty");
    shl_reader r = {.begin = source->bytes,
                    .at = source->bytes,
                    .end = (const char *)source->bytes + source->size,
                    .line = 1,
                    .name = source->name,
                    .row_limit = source->row_limit,
                    .allocator = *allocator,
                    .error = error};
    read_fn *read_format = tell_format(&r);
    if (!read_format)
        return shl_io_fail_file(error, source->name, SHOAL_ERR_FORMAT,
                                "neither PLY, STL nor OFF by content, nor OBJ by name");
    shoal_status status = read_format(&r);
    if (status == SHOAL_OK)
        status = shl_reader_take(&r, out);
    shl_reader_finish(&r);
    return status;
}

// The whole file. `*size` may be less than allocated when the file shrinks meanwhile.
static shoal_status load(int file, char *bytes, size_t *size)
{
    size_t used = 0;
    while (used < *size) {
        ssize_t got = read(file, bytes + used, *size - used);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return SHOAL_ERR_FILE;
        if (got > 0)
            used += (size_t)got;
    }
    *size = used;
    return SHOAL_OK;
}

static shoal_status read_open_file(int file, const char *path, const shoal_allocator *allocator,
                                   shoal_mesh *out, shoal_io_error *error)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", shl_io_reason(errno));
    if (!S_ISREG(info.st_mode))
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s",
                                S_ISDIR(info.st_mode) ? "is a directory"
                                                      : "is not a plain file");
    size_t capacity = (size_t)info.st_size, size = capacity;
    char *bytes = shl_io_alloc(allocator, capacity);
    if (!bytes && capacity)
        return shl_io_fail_file(error, path, SHOAL_ERR_MEMORY, "no memory for %zu bytes",
                                capacity);
    shoal_status status = load(file, bytes, &size);
    if (status == SHOAL_OK) {
        shl_source source = {bytes, size, path, SHL_IO_ROW_LIMIT};
        status = shl_mesh_parse(&source, allocator, out, error);
    } else {
        shl_io_fail_file(error, path, status, "%s", shl_io_reason(errno));
    }
    shl_io_free(allocator, bytes, capacity);
    return status;
}

shoal_status shoal_mesh_read(const char *path, const shoal_allocator *allocator,
                             shoal_mesh *out, shoal_io_error *error)
{
    shoal_io_error unread;
    if (!error)
        error = &unread;
    error->text[0] = 0;
    if (!out)
        return shl_io_fail_file(error, path ? path : "mesh", SHOAL_ERR_ARGUMENT, "out is NULL");
    *out = (shoal_mesh){0};
    if (!path)
        return shl_io_fail_file(error, "mesh", SHOAL_ERR_ARGUMENT, "path is NULL");
    // Without O_NONBLOCK a pipe would be waited for before it can be refused.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", shl_io_reason(errno));
    shoal_allocator used = shl_io_allocator(allocator);
    shoal_status status = read_open_file(file, path, &used, out, error);
    close(file);
    return status;
}

void shoal_mesh_finish(shoal_mesh *mesh)
{
    if (!mesh)
        return;
    shoal_allocator allocator = shl_io_allocator(&mesh->allocator);
    shl_io_free(&allocator, mesh->xyz, 3 * sizeof(double) * mesh->vertex_count);
    shl_io_free(&allocator, mesh->triangles, 3 * sizeof(uint32_t) * mesh->triangle_count);
    *mesh = (shoal_mesh){0};
}
