// SPDX-License-Identifier: MIT
// STL, text and binary: loose triangles, whose equal corners are welded so that neighbours
// share vertices.
#include "io/bits.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Vertices by their coordinates: open addressing, at most half full.
typedef struct weld {
    uint32_t *slots; // [slot_count] vertex + 1, 0 is free
    size_t slot_count;
} weld;

static uint64_t hash_point(const double xyz[3])
{
    uint64_t bits[3], hash = 0;
    memcpy(bits, xyz, sizeof bits);
    for (int axis = 0; axis < 3; axis++) {
        hash = (hash ^ bits[axis]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

// The slot that holds the point, or the free one where it belongs. Points hold no -0, so equal
// numbers are equal bits.
static uint32_t *find_slot(const weld *w, const double *points, const double xyz[3])
{
    for (uint64_t i = hash_point(xyz);; i++) {
        uint32_t *slot = &w->slots[i & (w->slot_count - 1)];
        if (*slot == 0)
            return slot;
        const double *p = &points[3 * (size_t)(*slot - 1)];
        if (p[0] == xyz[0] && p[1] == xyz[1] && p[2] == xyz[2])
            return slot;
    }
}

static void weld_finish(weld *w, const shl_reader *r)
{
    shl_io_free(&r->allocator, w->slots, w->slot_count * sizeof *w->slots);
}

static shoal_status weld_grow(weld *w, shl_reader *r)
{
    weld bigger = {.slot_count = w->slot_count ? 2 * w->slot_count : 256};
    size_t bytes = bigger.slot_count * sizeof *bigger.slots;
    bigger.slots = shl_io_alloc(&r->allocator, bytes);
    if (!bigger.slots)
        return shl_io_fail_file(r->error, r->name, SHOAL_ERR_MEMORY, "no memory for %zu bytes",
                                bytes);
    memset(bigger.slots, 0, bytes);
    for (size_t vertex = 0; vertex < r->vertex_count; vertex++)
        *find_slot(&bigger, r->xyz, &r->xyz[3 * vertex]) = (uint32_t)vertex + 1;
    weld_finish(w, r);
    *w = bigger;
    return SHOAL_OK;
}

static shoal_status weld_point(weld *w, shl_reader *r, double xyz[3], uint32_t *out)
{
    shoal_status status = SHOAL_OK;
    if (2 * (r->vertex_count + 1) > w->slot_count)
        status = weld_grow(w, r);
    if (status != SHOAL_OK)
        return status;
    for (int axis = 0; axis < 3; axis++)
        xyz[axis] += 0.0; // -0 becomes +0
    uint32_t *slot = find_slot(w, r->xyz, xyz);
    if (*slot == 0) {
        status = shl_add_vertex(r, xyz);
        if (status != SHOAL_OK)
            return status;
        *slot = (uint32_t)r->vertex_count;
    }
    *out = *slot - 1;
    return SHOAL_OK;
}

enum { HEADER = 84, RECORD = 50, NORMAL = 12 };

static shoal_status read_record(shl_reader *r, weld *w)
{
    uint32_t corner[3];
    r->at += NORMAL; // many writers leave it zero or wrong
    for (int c = 0; c < 3; c++) {
        double xyz[3];
        for (int axis = 0; axis < 3; axis++) {
            float value = shl_get_f32(r->at);
            if (!isfinite(value))
                return shl_io_fail(r, SHOAL_ERR_FORMAT, "coordinate is not finite");
            xyz[axis] = (double)value;
            r->at += sizeof value;
        }
        shoal_status status = weld_point(w, r, xyz, &corner[c]);
        if (status != SHOAL_OK)
            return status;
    }
    r->at += RECORD - NORMAL - 36; // attributes
    return shl_add_triangle(r, corner[0], corner[1], corner[2]);
}

shoal_status shl_read_stl_binary(shl_reader *r)
{
    size_t size = (size_t)(r->end - r->begin);
    r->line = 0;
    r->at = r->begin;
    if (size < HEADER)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "a binary STL needs %d bytes, the file has %zu",
                           HEADER, size);
    r->at = r->begin + 80;
    uint32_t count = shl_get_u32(r->at);
    uint64_t needed = HEADER + (uint64_t)RECORD * count;
    if (needed != size)
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "%" PRIu32 " triangles need %" PRIu64 " bytes, the file has %zu",
                           count, needed, size);
    r->at += 4;
    shoal_status status = shl_reserve_triangles(r, count);
    weld w = {0};
    for (uint32_t i = 0; status == SHOAL_OK && i < count; i++)
        status = read_record(r, &w);
    weld_finish(&w, r);
    return status;
}

// Pass the keyword, on this line or a later one.
static shoal_status expect(shl_reader *r, const char *keyword)
{
    shl_pass_space(r);
    shl_word word = shl_peek_word(r);
    if (shl_word_is_any_case(word, keyword)) {
        r->at += word.size;
        return SHOAL_OK;
    }
    if (r->at == r->end)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "the file ends where '%s' is expected",
                           keyword);
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s where '%s' is expected", shl_quote(word).text,
                       keyword);
}

static shoal_status read_corner(shl_reader *r, weld *w, uint32_t *out)
{
    double xyz[3];
    shoal_status status = expect(r, "vertex");
    for (int axis = 0; axis < 3 && status == SHOAL_OK; axis++) {
        shl_pass_blanks(r);
        status = shl_get_finite(r, &xyz[axis]);
    }
    return status == SHOAL_OK ? weld_point(w, r, xyz, out) : status;
}

// Behind "facet": the rest of that line is the normal, which may even be nan.
static shoal_status read_facet(shl_reader *r, weld *w)
{
    uint32_t corner[3] = {0};
    shl_pass_line(r);
    shoal_status status = expect(r, "outer");
    if (status == SHOAL_OK)
        status = expect(r, "loop");
    for (int c = 0; c < 3 && status == SHOAL_OK; c++)
        status = read_corner(r, w, &corner[c]);
    if (status == SHOAL_OK)
        status = expect(r, "endloop");
    if (status == SHOAL_OK)
        status = expect(r, "endfacet");
    return status == SHOAL_OK ? shl_add_triangle(r, corner[0], corner[1], corner[2]) : status;
}

// Behind "solid", up to and with "endsolid".
static shoal_status read_solid(shl_reader *r, weld *w)
{
    shl_pass_line(r); // the name
    for (;;) {
        shl_pass_space(r);
        shl_word word = shl_peek_word(r);
        if (shl_word_is_any_case(word, "endsolid")) {
            shl_pass_line(r);
            return SHOAL_OK;
        }
        shoal_status status = expect(r, "facet");
        if (status == SHOAL_OK)
            status = read_facet(r, w);
        if (status != SHOAL_OK)
            return status;
    }
}

shoal_status shl_read_stl_text(shl_reader *r)
{
    weld w = {0};
    shoal_status status = SHOAL_OK;
    for (shl_pass_space(r); status == SHOAL_OK && r->at < r->end; shl_pass_space(r)) {
        status = expect(r, "solid");
        if (status == SHOAL_OK)
            status = read_solid(r, &w);
    }
    weld_finish(&w, r);
    return status;
}
