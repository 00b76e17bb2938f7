// SPDX-License-Identifier: MIT
#include "io/ply.h"

#include "io/number.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name, *sized_name;
    size_t size;
} types[] = {
    [SHL_PLY_NONE] = {"", "", 0},
    [SHL_PLY_I8] = {"char", "int8", 1},
    [SHL_PLY_U8] = {"uchar", "uint8", 1},
    [SHL_PLY_I16] = {"short", "int16", 2},
    [SHL_PLY_U16] = {"ushort", "uint16", 2},
    [SHL_PLY_I32] = {"int", "int32", 4},
    [SHL_PLY_U32] = {"uint", "uint32", 4},
    [SHL_PLY_F32] = {"float", "float32", 4},
    [SHL_PLY_F64] = {"double", "float64", 8},
};

size_t shl_ply_size(shl_ply_type type)
{
    return types[type].size;
}

static shoal_status read_type(shl_reader *r, shl_ply_type *out)
{
    shl_word word = shl_next_word(r);
    for (shl_ply_type type = SHL_PLY_I8; type <= SHL_PLY_F64; type++) {
        if (shl_word_is(word, types[type].name) || shl_word_is(word, types[type].sized_name)) {
            *out = type;
            return SHOAL_OK;
        }
    }
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is not a property type", shl_quote(word).text);
}

static shoal_status read_format(shl_reader *r, shl_ply *ply)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    shl_word word = shl_next_word(r);
    for (int i = 0; i < 3; i++) {
        if (shl_word_is(word, names[i])) {
            ply->encoding = (shl_ply_encoding)i;
            shl_word version = shl_next_word(r);
            if (shl_word_is(version, "1.0"))
                return SHOAL_OK;
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is not PLY version 1.0",
                               shl_quote(version).text);
        }
    }
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is not a PLY format", shl_quote(word).text);
}

static shl_ply_kind kind_of(shl_word name)
{
    if (shl_word_is(name, "vertex"))
        return SHL_PLY_VERTICES;
    if (shl_word_is(name, "face"))
        return SHL_PLY_FACES;
    return shl_word_is(name, "tristrips") ? SHL_PLY_STRIPS : SHL_PLY_REST;
}

static shoal_status read_element(shl_reader *r, shl_ply *ply)
{
    if (ply->element_count == SHL_PLY_ELEMENTS)
        return shl_io_fail(r, SHOAL_ERR_LIMIT, "more than %d elements", SHL_PLY_ELEMENTS);
    shl_word name = shl_next_word(r);
    shl_pass_blanks(r);
    int64_t count;
    shoal_status status = shl_get_integer(r, &count);
    if (status != SHOAL_OK)
        return status;
    shl_quoted quoted = shl_quote(name);
    if (count < 0)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "the count of %s is %" PRId64, quoted.text,
                           count);
    shl_ply_kind kind = kind_of(name);
    if (kind != SHL_PLY_REST && count > (int64_t)r->row_limit)
        return shl_io_fail(r, SHOAL_ERR_LIMIT,
                           "the count of %s is %" PRId64 ", the limit %" PRIu32, quoted.text,
                           count, r->row_limit);
    for (uint32_t i = 0; i < ply->element_count; i++) {
        if (kind != SHL_PLY_REST && ply->elements[i].kind == kind)
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "element %s appears twice", quoted.text);
    }
    if (kind == SHL_PLY_VERTICES)
        ply->vertex_count = (uint64_t)count;
    ply->elements[ply->element_count++] = (shl_ply_element){
        .kind = kind, .row_count = (uint64_t)count, .first = ply->property_count};
    return SHOAL_OK;
}

static shl_ply_role role_of(shl_ply_kind kind, shl_word name)
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int axis = 0; kind == SHL_PLY_VERTICES && axis < 3; axis++) {
        if (shl_word_is(name, axes[axis]))
            return (shl_ply_role)axis;
    }
    bool corners = shl_word_is(name, "vertex_indices") || shl_word_is(name, "vertex_index");
    if (kind == SHL_PLY_FACES && corners)
        return SHL_PLY_FACE;
    return kind == SHL_PLY_STRIPS && corners ? SHL_PLY_STRIP : SHL_PLY_OTHER;
}

static shoal_status read_property(shl_reader *r, shl_ply *ply)
{
    if (ply->element_count == 0)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "a property before the first element");
    if (ply->property_count == SHL_PLY_PROPERTIES)
        return shl_io_fail(r, SHOAL_ERR_LIMIT, "more than %d properties", SHL_PLY_PROPERTIES);
    shl_ply_element *element = &ply->elements[ply->element_count - 1];
    shl_ply_property property = {0};
    shl_pass_blanks(r);
    shoal_status status = SHOAL_OK;
    if (shl_word_is(shl_peek_word(r), "list")) {
        shl_next_word(r);
        status = read_type(r, &property.count_type);
        if (status == SHOAL_OK && property.count_type >= SHL_PLY_F32)
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "a list counted by a %s",
                               types[property.count_type].name);
    }
    if (status == SHOAL_OK)
        status = read_type(r, &property.type);
    if (status != SHOAL_OK)
        return status;
    shl_word name = shl_next_word(r);
    property.role = role_of(element->kind, name);
    uint32_t bit = 1u << property.role;
    if (property.role != SHL_PLY_OTHER && element->roles & bit)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "property %s appears twice",
                           shl_quote(name).text);
    bool is_list = property.count_type != SHL_PLY_NONE;
    if (property.role != SHL_PLY_OTHER && is_list != (property.role >= SHL_PLY_FACE))
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "property %s is %s list", shl_quote(name).text,
                           is_list ? "a" : "not a");
    element->roles |= bit;
    ply->properties[ply->property_count++] = property;
    element->property_count++;
    return SHOAL_OK;
}

// What the data must have for us, once the header is complete.
static shoal_status check_roles(shl_reader *r, const shl_ply *ply)
{
    static const struct {
        uint32_t roles;
        const char *text;
    } needs[] = {
        [SHL_PLY_VERTICES] = {1 << SHL_PLY_X | 1 << SHL_PLY_Y | 1 << SHL_PLY_Z,
                              "the vertices have no x, y and z"},
        [SHL_PLY_FACES] = {1 << SHL_PLY_FACE, "the faces have no list 'vertex_indices'"},
        [SHL_PLY_STRIPS] = {1 << SHL_PLY_STRIP, "the strips have no list 'vertex_indices'"},
    };
    bool vertices = false;
    for (uint32_t i = 0; i < ply->element_count; i++) {
        const shl_ply_element *element = &ply->elements[i];
        vertices |= element->kind == SHL_PLY_VERTICES;
        uint32_t roles = needs[element->kind].roles;
        if (element->row_count && (element->roles & roles) != roles)
            return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s", needs[element->kind].text);
    }
    return vertices ? SHOAL_OK
                    : shl_io_fail(r, SHOAL_ERR_FORMAT, "there is no element 'vertex'");
}

shoal_status shl_ply_read_header(shl_reader *r, shl_ply *out)
{
    *out = (shl_ply){0};
    bool format = false;
    shl_pass_line(r); // "ply"
    for (shoal_status status = SHOAL_OK; r->at < r->end; shl_pass_line(r)) {
        shl_word keyword = shl_next_word(r);
        if (shl_word_is(keyword, "end_header")) {
            if (!format)
                return shl_io_fail(r, SHOAL_ERR_FORMAT, "the header names no format");
            status = check_roles(r, out);
            shl_pass_line(r);
            return status;
        }
        if (shl_word_is(keyword, "format")) {
            status = read_format(r, out);
            format = true;
        } else if (shl_word_is(keyword, "element")) {
            status = read_element(r, out);
        } else if (shl_word_is(keyword, "property")) {
            status = read_property(r, out);
        } else if (keyword.size && !shl_word_is(keyword, "comment") &&
                   !shl_word_is(keyword, "obj_info")) {
            status = shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is no word of a PLY header",
                                 shl_quote(keyword).text);
        }
        if (status != SHOAL_OK)
            return status;
    }
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "the file ends before 'end_header'");
}
