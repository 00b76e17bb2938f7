// SPDX-License-Identifier: MIT
// PLY data: rows of the header's elements, as text or binary in either byte order. All values
// pass through one double, which holds every PLY type exactly.
#include "io/ply.h"

#include "io/number.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct data {
    shl_reader *r;
    const shl_ply *ply;
} data;

static uint64_t get_bits(const char *at, size_t size, shl_ply_encoding encoding)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        size_t byte = encoding == SHL_PLY_LITTLE ? size - 1 - i : i;
        bits = bits << 8 | (unsigned char)at[byte];
    }
    return bits;
}

static double to_double(uint64_t bits, shl_ply_type type)
{
    uint32_t half = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case SHL_PLY_I8:
        return (int8_t)bits;
    case SHL_PLY_I16:
        return (int16_t)bits;
    case SHL_PLY_I32:
        return (int32_t)bits;
    case SHL_PLY_F32:
        memcpy(&single, &half, sizeof single);
        return (double)single;
    case SHL_PLY_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

static shoal_status fail_end(shl_reader *r)
{
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "the file ends inside its data");
}

// To the next value, which must be there; `size` counts in binary data.
static shoal_status seek_value(data *d, size_t size)
{
    shl_reader *r = d->r;
    if (d->ply->encoding == SHL_PLY_TEXT) {
        shl_pass_space(r);
        return r->at < r->end ? SHOAL_OK : fail_end(r);
    }
    return (size_t)(r->end - r->at) >= size ? SHOAL_OK : fail_end(r);
}

static shoal_status read_value(data *d, shl_ply_type type, double *out)
{
    shl_reader *r = d->r;
    size_t size = shl_ply_size(type);
    shoal_status status = seek_value(d, size);
    if (status != SHOAL_OK)
        return status;
    if (d->ply->encoding == SHL_PLY_TEXT)
        return shl_get_finite(r, out);
    *out = to_double(get_bits(r->at, size, d->ply->encoding), type);
    if (!isfinite(*out))
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "number is not finite");
    r->at += size;
    return SHOAL_OK;
}

static shoal_status read_integer(data *d, shl_ply_type type, int64_t *out)
{
    double value = 0;
    shoal_status status = read_value(d, type, &value);
    if (status != SHOAL_OK)
        return status;
    if (value != floor(value) || fabs(value) >= SHL_NUMBER_HUGE)
        return shl_io_fail(d->r, SHOAL_ERR_FORMAT, "%g is not a count or index", value);
    *out = (int64_t)value;
    return SHOAL_OK;
}

static shoal_status read_list_count(data *d, shl_ply_property property, int64_t *out)
{
    shl_reader *r = d->r;
    shoal_status status = read_integer(d, property.count_type, out);
    if (status != SHOAL_OK)
        return status;
    if (*out < 0)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "a list of %" PRId64 " values", *out);
    size_t least = d->ply->encoding == SHL_PLY_TEXT ? 1 : shl_ply_size(property.type);
    if ((uint64_t)*out > (uint64_t)(r->end - r->at) / least)
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "a list of %" PRId64 " values, %td bytes before the end", *out,
                           r->end - r->at);
    return SHOAL_OK;
}

// Values may be anything, nan too, where they are not wanted.
static shoal_status pass_values(data *d, shl_ply_type type, int64_t count)
{
    if (d->ply->encoding != SHL_PLY_TEXT) {
        size_t size = (size_t)count * shl_ply_size(type);
        shoal_status status = seek_value(d, size);
        if (status == SHOAL_OK)
            d->r->at += size;
        return status;
    }
    for (int64_t i = 0; i < count; i++) {
        shoal_status status = seek_value(d, 0);
        if (status != SHOAL_OK)
            return status;
        size_t size = shl_peek_word(d->r).size;
        d->r->at += size ? size : 1;
    }
    return SHOAL_OK;
}

static shoal_status pass_property(data *d, shl_ply_property property)
{
    int64_t count = 1;
    shoal_status status = SHOAL_OK;
    if (property.count_type != SHL_PLY_NONE)
        status = read_list_count(d, property, &count);
    return status == SHOAL_OK ? pass_values(d, property.type, count) : status;
}

static shoal_status read_index(data *d, shl_ply_type type, int64_t lowest, int64_t *out)
{
    shoal_status status = read_integer(d, type, out);
    if (status != SHOAL_OK)
        return status;
    int64_t count = (int64_t)d->ply->vertex_count;
    if (*out < lowest || *out >= count)
        return shl_io_fail(d->r, SHOAL_ERR_FORMAT,
                           "face names vertex %" PRId64 ", the file has 0 to %" PRId64, *out,
                           count - 1);
    return SHOAL_OK;
}

static shoal_status read_face(data *d, shl_ply_property property)
{
    int64_t count = 0, vertex = 0;
    shl_fan fan = {0};
    shoal_status status = read_list_count(d, property, &count);
    for (int64_t i = 0; i < count && status == SHOAL_OK; i++) {
        status = read_index(d, property.type, 0, &vertex);
        if (status == SHOAL_OK)
            status = shl_add_corner(d->r, &fan, (uint32_t)vertex);
    }
    return status == SHOAL_OK ? shl_end_fan(d->r, &fan) : status;
}

// Every corner from the third on makes a triangle with the two before it. Those are kept by
// parity, which turns every second triangle, so all face the same way. -1 starts a new strip.
static shoal_status read_strips(data *d, shl_ply_property property)
{
    int64_t count = 0, vertex = 0;
    uint64_t length = 0;
    uint32_t last[2] = {0};
    shoal_status status = read_list_count(d, property, &count);
    for (int64_t i = 0; i < count && status == SHOAL_OK; i++) {
        status = read_index(d, property.type, -1, &vertex);
        if (status != SHOAL_OK)
            return status;
        if (vertex < 0) {
            length = 0;
            continue;
        }
        uint32_t corner = (uint32_t)vertex;
        if (length >= 2)
            status = shl_add_triangle(d->r, last[0], last[1], corner);
        last[length % 2] = corner;
        length++;
    }
    return status;
}

static shoal_status read_row(data *d, const shl_ply_element *element)
{
    double xyz[3] = {0};
    shoal_status status = SHOAL_OK;
    for (uint32_t i = 0; i < element->property_count && status == SHOAL_OK; i++) {
        shl_ply_property property = d->ply->properties[element->first + i];
        if (property.role == SHL_PLY_OTHER)
            status = pass_property(d, property);
        else if (property.role == SHL_PLY_FACE)
            status = read_face(d, property);
        else if (property.role == SHL_PLY_STRIP)
            status = read_strips(d, property);
        else
            status = read_value(d, property.type, &xyz[property.role]);
    }
    if (status == SHOAL_OK && element->kind == SHL_PLY_VERTICES)
        status = shl_add_vertex(d->r, xyz);
    return status;
}

// The least bytes a row can have, so that no claim of the header is believed beyond the file.
static uint64_t least_bytes(const shl_ply *ply, const shl_ply_element *element)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < element->property_count; i++) {
        shl_ply_property property = ply->properties[element->first + i];
        uint64_t values = property.role == SHL_PLY_FACE ? 3 : 0;
        if (ply->encoding == SHL_PLY_TEXT)
            bytes += 2 * (values + 1); // a digit and a separator
        else if (property.count_type != SHL_PLY_NONE)
            bytes += shl_ply_size(property.count_type) + values * shl_ply_size(property.type);
        else
            bytes += shl_ply_size(property.type);
    }
    return bytes;
}

static shoal_status read_rows(data *d, const shl_ply_element *element)
{
    static const char *const names[] = {"rows", "vertices", "faces", "strip lists"};
    shl_reader *r = d->r;
    if (d->ply->encoding == SHL_PLY_TEXT)
        shl_pass_space(r);
    uint64_t least = least_bytes(d->ply, element), left = (uint64_t)(r->end - r->at);
    if (least == 0)
        return SHOAL_OK;                               // no properties, no data
    uint64_t spare = d->ply->encoding == SHL_PLY_TEXT; // the last separator may be missing
    if (element->row_count > (left + spare) / least)
        return shl_io_fail(r, SHOAL_ERR_FORMAT,
                           "%" PRIu64 " %s do not fit in the %" PRIu64 " bytes that follow",
                           element->row_count, names[element->kind], left);
    shoal_status status = SHOAL_OK;
    if (element->kind == SHL_PLY_VERTICES)
        status = shl_reserve_vertices(r, element->row_count);
    else if (element->kind == SHL_PLY_FACES)
        status = shl_reserve_triangles(r, r->triangle_count + element->row_count);
    for (uint64_t row = 0; row < element->row_count && status == SHOAL_OK; row++)
        status = read_row(d, element);
    return status;
}

shoal_status shl_read_ply(shl_reader *r)
{
    shl_ply ply;
    shoal_status status = shl_ply_read_header(r, &ply);
    if (ply.encoding != SHL_PLY_TEXT && status == SHOAL_OK)
        r->line = 0;
    data d = {r, &ply};
    for (uint32_t i = 0; i < ply.element_count && status == SHOAL_OK; i++)
        status = read_rows(&d, &ply.elements[i]);
    if (status != SHOAL_OK)
        return status;
    if (ply.encoding == SHL_PLY_TEXT)
        shl_pass_space(r);
    if (r->at < r->end)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "%td bytes after the last row", r->end - r->at);
    return SHOAL_OK;
}
