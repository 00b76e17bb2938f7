// SPDX-License-Identifier: MIT
// From a file to a mesh: load, tell the format, let its reader work.
#include "io/bits.h"
#include "io/load.h"
#include "io/text.h"
#include "layouts/float_env.h"

#include <string.h>
#include <strings.h>

typedef shoal_status read_fn(shl_reader *r);

bool shl_has_suffix(const char *name, const char *suffix)
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
    return size == 84 + 50 * (uint64_t)shl_get_u32(r->begin + 80);
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
    bool stl = shl_has_suffix(r->name, ".stl");
    if (shl_word_is_any_case(first, "solid")) {
        size_t head = (size_t)(r->end - r->begin) < 84 ? (size_t)(r->end - r->begin) : 84;
        // Text has no zero bytes: this is a binary file cut short.
        bool binary = stl && memchr(r->begin, 0, head);
        return binary ? shl_read_stl_binary : shl_read_stl_text;
    }
    if (stl)
        return shl_read_stl_binary;
    return shl_has_suffix(r->name, ".obj") ? shl_read_obj : NULL;
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

shoal_status shoal_mesh_read(const char *path, const shoal_allocator *allocator,
                             shoal_mesh *out, shoal_io_error *error)
{
    SHL_FLOAT_ENV(host);
    shoal_io_error unread;
    if (!error)
        error = &unread;
    error->text[0] = 0;
    if (!out)
        return shl_io_fail_file(error, path ? path : "mesh", SHOAL_ERR_ARGUMENT, "out is NULL");
    *out = (shoal_mesh){0};
    if (!path)
        return shl_io_fail_file(error, "mesh", SHOAL_ERR_ARGUMENT, "path is NULL");
    if (shl_io_half_allocator(allocator))
        return shl_io_fail_file(error, path, SHOAL_ERR_ARGUMENT, "half an allocator");
    shoal_allocator used = shl_io_allocator(allocator);
    shl_file file;
    shoal_status status = shl_file_load(path, &used, &file, error);
    if (status == SHOAL_OK) {
        shl_source source = {file.bytes, file.size, path, SHL_IO_ROW_LIMIT};
        status = shl_mesh_parse(&source, &used, out, error);
    }
    shl_file_drop(&file, &used);
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
