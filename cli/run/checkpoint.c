// SPDX-License-Identifier: MIT
#include "cli/run/checkpoint.h"

#include "io/bits.h"
#include "io/load.h"
#include "io/output.h"
#include "io/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include <zstd.h>

static const char head_tag[] = "HEAD", state_tag[] = "STAT";
enum { LEVEL = 3, HEAD_MOST = 1 << 26 }; // of compression; of the JSON text

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

static char *put_row(char *row, const char *tag, uint32_t flags, size_t size, size_t raw,
                     const char *bytes)
{
    memcpy(row, tag, 4);
    row = shl_set_bits(row + 4, flags, 4);
    row = shl_set_bits(row, size, 8);
    row = shl_set_bits(row, raw, 8);
    return shl_set_bits(row, XXH3_64bits(bytes, padded(size)), 8);
}

// The file's bytes, or NULL.
static char *put_together(const char *head, const shl_checkpoint *c, size_t *size)
{
    const size_t head_size = strlen(head), bound = ZSTD_compressBound(c->state_size);
    const size_t table = SHL_CHECKPOINT_HEAD + 2 * SHL_CHECKPOINT_ROW;
    char *out = calloc(1, table + 8 + padded(head_size) + padded(bound));
    if (!out)
        return NULL;
    char *first = out + table + 8, *second = first + padded(head_size);
    memcpy(first, head, head_size);
    const size_t packed = ZSTD_compress(second, bound, c->state, c->state_size, LEVEL);
    if (ZSTD_isError(packed)) {
        free(out);
        return NULL;
    }
    memset(second + packed, 0, padded(packed) - packed); // a compressor may use all its room
    *size = (size_t)(second - out) + padded(packed);
    char *row = out;
    for (int i = 0; i < 8; i++) // a mark, not a string
        row[i] = SHL_CHECKPOINT_MAGIC[i];
    row = shl_set_bits(row + 8, SHL_CHECKPOINT_VERSION, 4);
    row = shl_set_bits(row, 2, 4);
    row = shl_set_bits(row, *size, 8);
    row = put_row(row, head_tag, SHL_CHECKPOINT_NEEDED, head_size, head_size, first);
    row = put_row(row, state_tag, SHL_CHECKPOINT_NEEDED | SHL_CHECKPOINT_ZSTD, packed,
                  c->state_size, second);
    shl_set_bits(row, XXH3_64bits(out, table), 8);
    return out;
}

int shl_checkpoint_write(const char *path, const shl_checkpoint *c)
{
    size_t size = 0;
    char *head = json_dumps(c->head, JSON_COMPACT | JSON_SORT_KEYS);
    char *bytes = head ? put_together(head, c, &size) : NULL;
    free(head);
    shl_output *out = malloc(sizeof *out);
    int code = ENOMEM;
    if (bytes && out) {
        shl_output_init(out, path);
        shl_put_bytes(out, bytes, size);
        code = shl_output_finish(out);
    }
    free(out);
    free(bytes);
    return code;
}

__attribute__((format(printf, 2, 3))) static bool fail(shl_checkpoint_error *error,
                                                       const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return false;
}

static bool get_head(const char *bytes, size_t size, shl_checkpoint *out,
                     shl_checkpoint_error *error)
{
    json_error_t why;
    if (size > HEAD_MOST)
        return fail(error, "its head has %zu bytes", size);
    out->head = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
    if (!json_is_object(out->head))
        return fail(error, "its head is no JSON object");
    return true;
}

static bool get_state(const char *bytes, size_t size, size_t wanted, shl_checkpoint *out,
                      shl_checkpoint_error *error)
{
    out->state = malloc(wanted ? wanted : 1);
    if (!out->state)
        return fail(error, "no memory for %zu bytes", wanted);
    const size_t got = ZSTD_decompress(out->state, wanted, bytes, size);
    if (ZSTD_isError(got) || got != wanted)
        return fail(error, "its state does not unpack to %zu bytes", wanted);
    out->state_size = wanted;
    return true;
}

// One section, whose bytes are at `at` and of `left` bytes.
static bool get_section(const char *row, const char *at, size_t left, size_t most,
                        shl_checkpoint *out, shl_checkpoint_error *error)
{
    const uint32_t flags = shl_get_u32(row + 4);
    const uint64_t size = shl_get_bits(row + 8, 8), raw = shl_get_bits(row + 16, 8);
    if (size > left || padded((size_t)size) > left)
        return fail(error, "it is cut short");
    if (XXH3_64bits(at, padded((size_t)size)) != shl_get_bits(row + 24, 8))
        return fail(error, "section %.4s is damaged", row);
    if (memcmp(row, head_tag, 4) == 0 && !out->head)
        return get_head(at, (size_t)size, out, error);
    if (memcmp(row, state_tag, 4) == 0 && !out->state) {
        if (raw > most)
            return fail(error, "its state has %ju bytes, at most %zu", (uintmax_t)raw, most);
        return get_state(at, (size_t)size, (size_t)raw, out, error);
    }
    if (flags & SHL_CHECKPOINT_NEEDED)
        return fail(error, "it needs a later version of shoal");
    return true;
}

static bool get_all(const char *bytes, size_t size, size_t most, shl_checkpoint *out,
                    shl_checkpoint_error *error)
{
    if (size < SHL_CHECKPOINT_HEAD || memcmp(bytes, SHL_CHECKPOINT_MAGIC, 8) != 0)
        return fail(error, "it is no checkpoint");
    if (shl_get_u32(bytes + 8) != SHL_CHECKPOINT_VERSION)
        return fail(error, "it has version %u, not %d", shl_get_u32(bytes + 8),
                    SHL_CHECKPOINT_VERSION);
    const uint32_t count = shl_get_u32(bytes + 12);
    const size_t table = SHL_CHECKPOINT_HEAD + (size_t)count * SHL_CHECKPOINT_ROW;
    if (count > SHL_CHECKPOINT_SECTIONS_MAX || shl_get_bits(bytes + 16, 8) != size ||
        table + 8 > size)
        return fail(error, "it is cut short or damaged");
    if (XXH3_64bits(bytes, table) != shl_get_bits(bytes + table, 8))
        return fail(error, "its table is damaged");
    const char *at = bytes + table + 8, *end = bytes + size;
    for (uint32_t i = 0; i < count; i++) {
        const char *row = bytes + SHL_CHECKPOINT_HEAD + (size_t)i * SHL_CHECKPOINT_ROW;
        if (!get_section(row, at, (size_t)(end - at), most, out, error))
            return false;
        at += padded((size_t)shl_get_bits(row + 8, 8));
    }
    if (at != end)
        return fail(error, "%td bytes belong to no section", end - at);
    if (!out->head || !out->state)
        return fail(error, "it has no %s", out->head ? "state" : "head");
    return true;
}

bool shl_checkpoint_parse(const char *bytes, size_t size, size_t most, shl_checkpoint *out,
                          shl_checkpoint_error *error)
{
    *out = (shl_checkpoint){0};
    error->text[0] = '\0';
    if (get_all(bytes, size, most, out, error))
        return true;
    shl_checkpoint_finish(out);
    return false;
}

bool shl_checkpoint_read(const char *path, size_t most, shl_checkpoint *out,
                         shl_checkpoint_error *error)
{
    const shoal_allocator allocator = shl_io_allocator(NULL);
    shl_file file;
    shoal_io_error why;
    *out = (shl_checkpoint){0};
    if (shl_file_load(path, &allocator, &file, &why) != SHOAL_OK)
        return fail(error, "%.150s", why.text);
    const bool good = shl_checkpoint_parse(file.bytes, file.size, most, out, error);
    shl_file_drop(&file, &allocator);
    return good;
}

void shl_checkpoint_finish(shl_checkpoint *c)
{
    json_decref(c->head);
    free(c->state);
    *c = (shl_checkpoint){0};
}
