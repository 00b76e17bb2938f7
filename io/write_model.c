// SPDX-License-Identifier: MIT
// A model file is put together in memory, since the table comes first and holds the checksums
// of what follows.
#include "io/bits.h"
#include "io/model_format.h"
#include "io/output.h"
#include "layouts/float_env.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

// One section to be written.
typedef struct part {
    bool used;
    uint64_t size;
} part;

typedef struct image {
    const shoal_model_file *file;
    bool wide; // rest positions need float64
    part part[SHL_MODEL_PARTS];
    uint32_t part_count;
    uint64_t size;
    char *bytes; // [size]
} image;

static shoal_status check_fields(const char *path, const shoal_model_file *file,
                                 shoal_io_error *error)
{
    const shoal_status bad = SHOAL_ERR_ARGUMENT;
    if (file->field_count > SHOAL_FIELDS_MAX)
        return shl_io_fail_file(error, path, SHOAL_ERR_LIMIT, "%" PRIu32 " fields, at most %d",
                                file->field_count, SHOAL_FIELDS_MAX);
    if (file->field_count && !file->fields)
        return shl_io_fail_file(error, path, bad, "%" PRIu32 " fields, but the array is NULL",
                                file->field_count);
    const size_t each = 3 * (size_t)file->rest.vertex_count;
    for (size_t i = 0; i < each * file->field_count; i++) {
        if (!isfinite(file->fields[i]))
            return shl_io_fail_file(error, path, bad, "field %zu is not finite at vertex %zu",
                                    i / each, i % each / 3);
    }
    for (size_t i = 0; i < file->field_count; i++) {
        const double f = file->frequencies ? file->frequencies[i] : 0;
        const double m = file->masses ? file->masses[i] : 1;
        if (!isfinite(f) || f < 0)
            return shl_io_fail_file(error, path, bad, "the frequency of field %zu is %g", i, f);
        if (!isfinite(m) || m <= 0)
            return shl_io_fail_file(error, path, bad, "the mass of field %zu is %g", i, m);
    }
    return SHOAL_OK;
}

static shoal_status check_motion(const char *path, const shoal_model_file *file,
                                 shoal_io_error *error)
{
    const shoal_status bad = SHOAL_ERR_ARGUMENT;
    if (!file->frame_count)
        return SHOAL_OK;
    if (!file->field_count || !file->motion)
        return shl_io_fail_file(error, path, bad, "%" PRIu32 " frames of a motion, but no %s",
                                file->frame_count, file->motion ? "fields" : "array");
    for (size_t i = 0; i < (size_t)file->frame_count * file->field_count; i++) {
        if (!isfinite(file->motion[i]))
            return shl_io_fail_file(error, path, bad, "frame %zu of the motion is not finite",
                                    i / file->field_count);
    }
    return SHOAL_OK;
}

static shoal_status check_skinned(const char *path, const shoal_model_file *file,
                                  shoal_io_error *error)
{
    if (file->control_count > SHOAL_CONTROLS_MAX || file->weight_count > UINT32_MAX)
        return shl_io_fail_file(error, path, SHOAL_ERR_LIMIT,
                                "%" PRIu32 " control points and %zu weights, at most %d and %u",
                                file->control_count, file->weight_count, SHOAL_CONTROLS_MAX,
                                UINT32_MAX);
    if (!file->controls || !file->weight_begin || !file->weight_control || !file->weight)
        return shl_io_fail_file(error, path, SHOAL_ERR_ARGUMENT,
                                "%" PRIu32 " control points, but an array is NULL",
                                file->control_count);
    const shl_skinned_fault fault = shl_skinned_fault_of(file);
    if (fault.part != SHL_MODEL_PARTS)
        return shl_io_fail_file(error, path, SHOAL_ERR_ARGUMENT, "%s", fault.text);
    return SHOAL_OK;
}

static shoal_status check(const char *path, const shoal_model_file *file, shoal_io_error *error)
{
    const shoal_status bad = SHOAL_ERR_ARGUMENT;
    if (!file->rest.xyz || !file->rest.triangles)
        return shl_io_fail_file(error, path, bad, "the model has no %s",
                                file->rest.triangles ? "vertices" : "triangles");
    const size_t length = strnlen(file->name, sizeof file->name);
    if (length == sizeof file->name)
        return shl_io_fail_file(error, path, bad, "the name has no end");
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)file->name[i] < ' ' || file->name[i] == 0x7f)
            return shl_io_fail_file(error, path, bad, "the name holds a control character");
    }
    shoal_status status = shl_check_mesh(path, &file->rest, DBL_MAX, error);
    if (status == SHOAL_OK)
        status = check_fields(path, file, error);
    if (status == SHOAL_OK)
        status = check_motion(path, file, error);
    return status == SHOAL_OK && file->control_count ? check_skinned(path, file, error)
                                                     : status;
}

static void add(image *out, shl_model_part i, bool used, uint64_t size)
{
    if (!used)
        return;
    out->part[i] = (part){true, size};
    out->part_count++;
    out->size += SHL_MODEL_ROW + shl_model_padded(size);
}

static void plan(image *out)
{
    const shoal_model_file *f = out->file;
    const uint64_t vertices = f->rest.vertex_count, fields = f->field_count;
    out->wide = shl_scalar_of(f->rest.xyz, 3 * (size_t)vertices) == SHOAL_F64;
    out->size = SHL_MODEL_HEAD + SHL_MODEL_CHECKSUM;
    add(out, SHL_MODEL_SIZE, true, SHL_MODEL_SIZES);
    add(out, SHL_MODEL_NAME, f->name[0], strlen(f->name));
    add(out, SHL_MODEL_TRIS, true, 12 * (uint64_t)f->rest.triangle_count);
    add(out, SHL_MODEL_REST, true, (out->wide ? 24 : 12) * vertices);
    add(out, SHL_MODEL_FLDS, fields > 0, 12 * fields * vertices);
    add(out, SHL_MODEL_FREQ, fields && f->frequencies, 8 * fields);
    add(out, SHL_MODEL_MASS, fields && f->masses, 8 * fields);
    add(out, SHL_MODEL_MOVE, f->frame_count > 0, 8 * fields * f->frame_count);
    const uint64_t controls = f->control_count, weights = f->weight_count;
    add(out, SHL_MODEL_PNTS, controls > 0, SHL_MODEL_SIZES);
    add(out, SHL_MODEL_NODE, controls > 0, 24 * controls);
    add(out, SHL_MODEL_WBEG, controls > 0, 4 * (vertices + 1));
    add(out, SHL_MODEL_WNOD, controls > 0, 4 * weights);
    add(out, SHL_MODEL_WGHT, controls > 0, 4 * weights);
    add(out, SHL_MODEL_RADI, controls && f->radii, 8 * controls);
    add(out, SHL_MODEL_NMAS, controls && f->control_masses, 8 * controls);
}

static char *put_series(char *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to = shl_set_f64(to, from[i]);
    return to;
}

static char *put_numbers(char *to, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to = shl_set_bits(to, from[i], 4);
    return to;
}

static char *put_skinned(const shoal_model_file *f, shl_model_part i, char *to)
{
    switch (i) {
    case SHL_MODEL_PNTS:
        return shl_set_bits(shl_set_bits(to, f->control_count, 8), f->weight_count, 8);
    case SHL_MODEL_NODE:
        return put_series(to, f->controls, 3 * (size_t)f->control_count);
    case SHL_MODEL_WBEG:
        return put_numbers(to, f->weight_begin, f->rest.vertex_count + (size_t)1);
    case SHL_MODEL_WNOD:
        return put_numbers(to, f->weight_control, f->weight_count);
    case SHL_MODEL_WGHT:
        for (size_t k = 0; k < f->weight_count; k++)
            to = shl_set_f32(to, f->weight[k]);
        return to;
    case SHL_MODEL_RADI:
        return put_series(to, f->radii, f->control_count);
    default:
        return put_series(to, f->control_masses, f->control_count);
    }
}

// The content of a section; returns its end.
static char *put_part(const image *m, shl_model_part i, char *to)
{
    const shoal_model_file *f = m->file;
    const size_t scalars = 3 * (size_t)f->rest.vertex_count;
    switch (i) {
    case SHL_MODEL_SIZE:
        to = shl_set_bits(to, f->rest.vertex_count, 4);
        to = shl_set_bits(to, f->rest.triangle_count, 4);
        to = shl_set_bits(to, f->field_count, 4);
        return shl_set_bits(to, m->wide, 4);
    case SHL_MODEL_NAME:
        memcpy(to, f->name, strlen(f->name));
        return to + strlen(f->name);
    case SHL_MODEL_TRIS:
        for (size_t k = 0; k < 3 * (size_t)f->rest.triangle_count; k++)
            to = shl_set_bits(to, f->rest.triangles[k], 4);
        return to;
    case SHL_MODEL_REST:
        for (size_t k = 0; k < scalars && !m->wide; k++)
            to = shl_set_f32(to, (float)f->rest.xyz[k]);
        return m->wide ? put_series(to, f->rest.xyz, scalars) : to;
    case SHL_MODEL_FLDS:
        for (size_t k = 0; k < scalars * f->field_count; k++)
            to = shl_set_f32(to, f->fields[k]);
        return to;
    case SHL_MODEL_FREQ:
        return put_series(to, f->frequencies, f->field_count);
    case SHL_MODEL_MASS:
        return put_series(to, f->masses, f->field_count);
    default:
        return i == SHL_MODEL_MOVE
                   ? put_series(to, f->motion, (size_t)f->frame_count * f->field_count)
                   : put_skinned(f, i, to);
    }
}

static void fill(const image *m)
{
    char *row = m->bytes;
    for (int i = 0; i < 8; i++) // a mark, not a string
        row[i] = SHL_MODEL_MAGIC[i];
    row = shl_set_bits(row + 8, SHL_MODEL_VERSION, 4);
    row = shl_set_bits(row, m->part_count, 4);
    row = shl_set_bits(row, m->size, 8);
    char *at = row + (size_t)m->part_count * SHL_MODEL_ROW + SHL_MODEL_CHECKSUM;
    for (shl_model_part i = 0; i < SHL_MODEL_PARTS; i++) {
        if (!m->part[i].used)
            continue;
        const size_t padded = (size_t)shl_model_padded(m->part[i].size);
        char *end = put_part(m, i, at);
        memset(end, 0, (size_t)(at + padded - end));
        memcpy(row, shl_model_tags[i].text, 4);
        row = shl_set_bits(row + 4, shl_model_tags[i].flags, 4);
        row = shl_set_bits(row, m->part[i].size, 8);
        row = shl_set_bits(row, shl_model_checksum(at, padded), 8);
        at += padded;
    }
    shl_set_bits(row, shl_model_checksum(m->bytes, (size_t)(row - m->bytes)),
                 SHL_MODEL_CHECKSUM);
}

shoal_status shoal_model_file_write(const char *path, const shoal_model_file *file,
                                    shoal_io_error *error)
{
    SHL_FLOAT_ENV(host);
    shoal_io_error unread;
    if (!error)
        error = &unread;
    error->text[0] = 0;
    if (!path || !file)
        return shl_io_fail_file(error, path ? path : "model", SHOAL_ERR_ARGUMENT, "%s is NULL",
                                path ? "file" : "path");
    const shoal_status status = check(path, file, error);
    if (status != SHOAL_OK)
        return status;
    image m = {.file = file};
    plan(&m);
    const shoal_allocator allocator = shl_io_allocator(NULL);
    m.bytes = shl_io_alloc(&allocator, (size_t)m.size);
    if (!m.bytes)
        return shl_io_fail_file(error, path, SHOAL_ERR_MEMORY,
                                "no memory for %" PRIu64 " bytes", m.size);
    fill(&m);
    shl_output out;
    shl_output_init(&out, path);
    for (size_t done = 0, now; done < m.size && out.code == 0; done += now) {
        now = m.size - done < sizeof out.buffer ? (size_t)m.size - done : sizeof out.buffer;
        shl_put_bytes(&out, m.bytes + done, now);
    }
    const int code = shl_output_finish(&out);
    shl_io_free(&allocator, m.bytes, (size_t)m.size);
    char text[PATH_MAX];
    if (code != 0)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s",
                                shl_write_reason(path, code, text));
    return SHOAL_OK;
}
