// SPDX-License-Identifier: MIT
// Wavefront OBJ: "v" and "f" lines count, all others are passed over.
#include "io/number.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

// A face may name vertices of later lines, so the largest index is judged at the end.
typedef struct obj {
    shl_reader *r;
    int64_t largest; // from 1
    uint64_t line;   // of the face that names it
} obj;

static bool at_continuation(const shl_reader *r)
{
    return r->end - r->at >= 2 && r->at[0] == '\\' && shl_is_break(r->at[1]);
}

// No word is left on this line, nor on those a backslash joins to it.
static bool line_done(shl_reader *r)
{
    while (!shl_line_done(r) && at_continuation(r)) {
        r->at++;
        shl_pass_break(r);
    }
    return shl_line_done(r);
}

// What follows on the line has no meaning here: w, colours, other keywords' arguments.
static void pass_rest(shl_reader *r)
{
    while (r->at < r->end && !shl_is_break(*r->at)) {
        bool joined = at_continuation(r);
        r->at++;
        if (joined)
            shl_pass_break(r);
    }
    if (r->at < r->end)
        shl_pass_break(r);
}

static shoal_status read_vertex(shl_reader *r)
{
    double xyz[3];
    for (int axis = 0; axis < 3; axis++) {
        if (line_done(r))
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "vertex has %d coordinates, it needs 3",
                               axis);
        shoal_status status = shl_get_finite(r, &xyz[axis]);
        if (status != SHOAL_OK)
            return status;
    }
    return shl_add_vertex(r, xyz);
}

// "v", "v/vt", "v//vn" or "v/vt/vn": only v matters.
static shoal_status read_corner(obj *o, shl_fan *fan)
{
    shl_reader *r = o->r;
    shl_word word = shl_peek_word(r);
    int64_t index;
    const char *after = shl_number_integer(r->at, r->end, &index);
    bool good = after && (after == word.at + word.size || *after == '/');
    for (const char *c = after; good && c < word.at + word.size; c++)
        good = *c == '/' || *c == '-' || *c == '+' || (*c >= '0' && *c <= '9');
    if (!good)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is not a face corner",
                           shl_quote(word).text);

    int64_t before = (int64_t)r->vertex_count;
    if (index == 0)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "face names vertex 0, the first one is 1");
    if (index < -before)
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "face names vertex %" PRId64 ", only %" PRId64 " come before it",
                           index, before);
    if (index < 0)
        index += before + 1;
    if (index > o->largest) {
        o->largest = index;
        o->line = r->line;
    }
    if (index > (int64_t)r->row_limit)
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "face names vertex %" PRId64 ", the limit is %" PRIu32, index,
                           r->row_limit);
    r->at = word.at + word.size;
    return shl_add_corner(r, fan, (uint32_t)(index - 1));
}

static shoal_status read_face(obj *o)
{
    shl_fan fan = {0};
    while (!line_done(o->r)) {
        shoal_status status = read_corner(o, &fan);
        if (status != SHOAL_OK)
            return status;
    }
    return shl_end_fan(o->r, &fan);
}

static shoal_status read_line(obj *o)
{
    shl_reader *r = o->r;
    if (line_done(r)) {
        shl_pass_line(r); // a comment: a backslash at its end joins nothing
        return SHOAL_OK;
    }
    shl_word keyword = shl_next_word(r);
    shoal_status status = SHOAL_OK;
    if (shl_word_is(keyword, "v"))
        status = read_vertex(r);
    else if (shl_word_is(keyword, "f"))
        status = read_face(o);
    if (status == SHOAL_OK)
        pass_rest(r);
    return status;
}

shoal_status shl_read_obj(shl_reader *r)
{
    const char *zero = memchr(r->at, 0, (size_t)(r->end - r->at));
    if (zero) {
        r->line = 0;
        r->at = zero;
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "a zero byte: this is not text");
    }
    obj o = {.r = r};
    while (r->at < r->end) {
        shoal_status status = read_line(&o);
        if (status != SHOAL_OK)
            return status;
    }
    if (o.largest > (int64_t)r->vertex_count) {
        r->line = o.line;
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "face names vertex %" PRId64 ", the file has %zu", o.largest,
                           r->vertex_count);
    }
    return SHOAL_OK;
}
