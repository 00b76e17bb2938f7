// SPDX-License-Identifier: MIT
// OFF and its kin (COFF, NOFF, STOFF ...): all start a vertex line with x y z, so what the
// prefix promises behind them can be passed over. One vertex or face a line.
#include "io/text.h"

#include <inttypes.h>

static shoal_status read_count(shl_reader *r, const char *what, uint64_t *out)
{
    shl_pass_space_and_comments(r);
    shl_word word = shl_peek_word(r);
    if (shl_word_is(word, "BINARY"))
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "binary OFF is not supported");
    int64_t count;
    shoal_status status = shl_get_integer(r, &count);
    if (status != SHOAL_OK)
        return status;
    if (count < 0)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "the count of %s is %" PRId64, what, count);
    if (count > (int64_t)r->row_limit)
        return shl_io_fail(r, SHOAL_ERR_LIMIT,
                           "the count of %s is %" PRId64 ", the limit %" PRIu32, what, count,
                           r->row_limit);
    *out = (uint64_t)count;
    return SHOAL_OK;
}

static shoal_status read_vertex(shl_reader *r)
{
    double xyz[3];
    for (int axis = 0; axis < 3; axis++) {
        if (shl_line_done(r))
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "vertex has %d coordinates, it needs 3",
                               axis);
        shoal_status status = shl_get_finite(r, &xyz[axis]);
        if (status != SHOAL_OK)
            return status;
    }
    shl_pass_line(r);
    return shl_add_vertex(r, xyz);
}

static shoal_status read_face(shl_reader *r)
{
    int64_t corner_count, vertex;
    shoal_status status = shl_get_integer(r, &corner_count);
    if (status == SHOAL_OK && corner_count < 3)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "face has %" PRId64 " corner%s, it needs 3",
                           corner_count, corner_count == 1 ? "" : "s");
    shl_fan fan = {0};
    for (int64_t i = 0; status == SHOAL_OK && i < corner_count; i++) {
        if (shl_line_done(r))
            return shl_io_fail(r, SHOAL_ERR_FORMAT,
                               "face names %" PRId64 " of its %" PRId64 " corners", i,
                               corner_count);
        status = shl_get_integer(r, &vertex);
        if (status != SHOAL_OK)
            return status;
        if (vertex < 0 || vertex >= (int64_t)r->vertex_count)
            return shl_io_fail(r, SHOAL_ERR_FORMAT,
                               "face names vertex %" PRId64 ", the file has 0 to %" PRId64,
                               vertex, (int64_t)r->vertex_count - 1);
        status = shl_add_corner(r, &fan, (uint32_t)vertex);
    }
    shl_pass_line(r);
    return status;
}

// To the next row's first word.
static shoal_status seek_row(shl_reader *r, const char *what, uint64_t row, uint64_t count)
{
    shl_pass_space_and_comments(r);
    if (r->at < r->end)
        return SHOAL_OK;
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "the file ends after %" PRIu64 " of %" PRIu64 " %s",
                       row, count, what);
}

static shoal_status read_rows(shl_reader *r, uint64_t vertex_count, uint64_t face_count)
{
    for (uint64_t row = 0; row < vertex_count; row++) {
        shoal_status status = seek_row(r, "vertices", row, vertex_count);
        if (status == SHOAL_OK)
            status = read_vertex(r);
        if (status != SHOAL_OK)
            return status;
    }
    for (uint64_t row = 0; row < face_count; row++) {
        shoal_status status = seek_row(r, "faces", row, face_count);
        if (status == SHOAL_OK)
            status = read_face(r);
        if (status != SHOAL_OK)
            return status;
    }
    shl_pass_space_and_comments(r);
    if (r->at < r->end)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s after the last face",
                           shl_quote(shl_peek_word(r)).text);
    return SHOAL_OK;
}

shoal_status shl_read_off(shl_reader *r)
{
    shl_pass_space_and_comments(r);
    shl_word mark = shl_next_word(r);
    for (size_t i = 0; i < mark.size; i++) {
        if (mark.at[i] == '4' || mark.at[i] == 'n')
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is not three-dimensional",
                               shl_quote(mark).text);
    }
    uint64_t vertex_count = 0, face_count = 0;
    shoal_status status = read_count(r, "vertices", &vertex_count);
    if (status == SHOAL_OK)
        status = read_count(r, "faces", &face_count);
    if (status != SHOAL_OK)
        return status;
    // "0 0 0" and "3 0 0 0" with their breaks, the last one's break missing.
    uint64_t left = (uint64_t)(r->end - r->at);
    if (6 * vertex_count + 8 * face_count > left + 1)
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "%" PRIu64 " vertices and %" PRIu64
                           " faces do not fit in the %" PRIu64 " bytes that follow",
                           vertex_count, face_count, left);
    shl_pass_line(r); // the count of edges, if any, is of no use
    status = shl_reserve_vertices(r, vertex_count);
    if (status == SHOAL_OK)
        status = shl_reserve_triangles(r, face_count);
    return status == SHOAL_OK ? read_rows(r, vertex_count, face_count) : status;
}
