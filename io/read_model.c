// SPDX-License-Identifier: MIT
#include "io/bits.h"
#include "io/model_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const shl_model_tag shl_model_tags[SHL_MODEL_PARTS] = {
    [SHL_MODEL_SIZE] = {"SIZE", SHL_MODEL_NEEDED},
    [SHL_MODEL_NAME] = {"NAME", 0},
    [SHL_MODEL_TRIS] = {"TRIS", SHL_MODEL_NEEDED},
    [SHL_MODEL_REST] = {"REST", SHL_MODEL_NEEDED},
    [SHL_MODEL_FLDS] = {"FLDS", SHL_MODEL_NEEDED},
    [SHL_MODEL_FREQ] = {"FREQ", 0},
    [SHL_MODEL_MASS] = {"MASS", 0},
    [SHL_MODEL_MOVE] = {"MOVE", 0},
    [SHL_MODEL_PNTS] = {"PNTS", SHL_MODEL_NEEDED},
    [SHL_MODEL_NODE] = {"NODE", SHL_MODEL_NEEDED},
    [SHL_MODEL_WBEG] = {"WBEG", SHL_MODEL_NEEDED},
    [SHL_MODEL_WNOD] = {"WNOD", SHL_MODEL_NEEDED},
    [SHL_MODEL_WGHT] = {"WGHT", SHL_MODEL_NEEDED},
    [SHL_MODEL_RADI] = {"RADI", 0},
    [SHL_MODEL_NMAS] = {"NMAS", 0},
};

// Where a section is; bytes NULL: nowhere.
typedef struct section {
    const char *bytes;
    uint64_t size;
} section;

typedef struct parser {
    shl_reader r; // `at` is the place of a report
    section part[SHL_MODEL_PARTS];
    bool wide; // rest positions are float64
    shoal_model_file file;
} parser;

#define FAIL(p, place, ...)                                                                    \
    ((p)->r.at = (place), shl_io_fail(&(p)->r, SHOAL_ERR_FORMAT, __VA_ARGS__))

// The head and the table are there and as they were written.
static shoal_status check_head(parser *p, uint32_t *sections)
{
    const char *head = p->r.begin;
    const size_t size = (size_t)(p->r.end - head), magic = sizeof SHL_MODEL_MAGIC - 1;
    if (size < magic || memcmp(head, SHL_MODEL_MAGIC, magic) != 0)
        return FAIL(p, head, "this is no model file, its first bytes are others");
    if (size < SHL_MODEL_HEAD)
        return FAIL(p, p->r.end, "the file ends within its head");
    const uint32_t version = shl_get_u32(head + 8), count = shl_get_u32(head + 12);
    const uint64_t wanted = shl_get_bits(head + 16, 8);
    if (version != SHL_MODEL_VERSION)
        return FAIL(p, head + 8, "version %" PRIu32 " of the format, only %d can be read",
                    version, SHL_MODEL_VERSION);
    if (count > SHL_MODEL_SECTIONS_MAX)
        return FAIL(p, head + 12, "%" PRIu32 " sections, there can be %d", count,
                    SHL_MODEL_SECTIONS_MAX);
    if (wanted != size)
        return FAIL(p, head + 16, "the file has %zu bytes, it should have %" PRIu64, size,
                    wanted);
    const size_t table = SHL_MODEL_HEAD + (size_t)count * SHL_MODEL_ROW;
    if (size < table + SHL_MODEL_CHECKSUM)
        return FAIL(p, p->r.end, "the file ends within its table");
    if (shl_model_checksum(head, table) != shl_get_bits(head + table, SHL_MODEL_CHECKSUM))
        return FAIL(p, head + table, "the table is damaged, its checksum is another");
    *sections = count;
    return SHOAL_OK;
}

// A tag as it can be printed; put_reason() in reader.c cares for control characters only.
typedef struct tag_text {
    char text[5];
} tag_text;

static tag_text tag_of(const char *row)
{
    tag_text out = {""};
    for (int i = 0; i < 4; i++)
        out.text[i] = row[i] > ' ' && row[i] <= '~' ? row[i] : '?';
    return out;
}

static shoal_status take_section(parser *p, const char *row, const section *found)
{
    for (int i = 0; i < SHL_MODEL_PARTS; i++) {
        if (memcmp(row, shl_model_tags[i].text, 4) != 0)
            continue;
        if (p->part[i].bytes)
            return FAIL(p, row, "a second section %s", tag_of(row).text);
        p->part[i] = *found;
        return SHOAL_OK;
    }
    const uint32_t flags = shl_get_u32(row + 4);
    if (flags & SHL_MODEL_NEEDED)
        return FAIL(p, row, "section %s is needed and not known to this version of shoal",
                    tag_of(row).text);
    p->file.skipped++;
    return SHOAL_OK;
}

// Finds the sections; each is inside the file and as it was written.
static shoal_status find_sections(parser *p, uint32_t count)
{
    const char *row = p->r.begin + SHL_MODEL_HEAD;
    const char *at = row + (size_t)count * SHL_MODEL_ROW + SHL_MODEL_CHECKSUM;
    for (uint32_t i = 0; i < count; i++, row += SHL_MODEL_ROW) {
        const section found = {at, shl_get_bits(row + 8, 8)};
        const uint64_t left = (uint64_t)(p->r.end - at);
        if (found.size > left || shl_model_padded(found.size) > left)
            return FAIL(p, row + 8,
                        "section %s has %" PRIu64
                        " bytes and zeros up to a multiple of 8, the file has %" PRIu64,
                        tag_of(row).text, found.size, left);
        const size_t bytes = (size_t)shl_model_padded(found.size);
        if (shl_model_checksum(at, bytes) != shl_get_bits(row + 16, 8))
            return FAIL(p, at, "section %s is damaged, its checksum is another",
                        tag_of(row).text);
        const shoal_status status = take_section(p, row, &found);
        if (status != SHOAL_OK)
            return status;
        at += bytes;
    }
    if (at != p->r.end)
        return FAIL(p, at, "%td bytes too many", p->r.end - at);
    return SHOAL_OK;
}

// Whether a section has the size that the counts ask for.
static shoal_status check_size(parser *p, shl_model_part i, uint64_t wanted)
{
    const section *s = &p->part[i];
    if (s->size == wanted)
        return SHOAL_OK;
    if (!s->bytes)
        return FAIL(p, p->r.end, "there is no section %s", shl_model_tags[i].text);
    return FAIL(p, s->bytes, "section %s has %" PRIu64 " bytes, it needs %" PRIu64,
                shl_model_tags[i].text, s->size, wanted);
}

// How many control points and weights there are, if any, and that all their sections have that
// size.
static shoal_status read_point_sizes(parser *p)
{
    const section *s = &p->part[SHL_MODEL_PNTS];
    for (shl_model_part i = SHL_MODEL_NODE; !s->bytes && i <= SHL_MODEL_NMAS; i++) {
        if (p->part[i].bytes)
            return FAIL(p, p->part[i].bytes, "section %s without a section PNTS",
                        shl_model_tags[i].text);
    }
    if (!s->bytes)
        return SHOAL_OK;
    shoal_status status = check_size(p, SHL_MODEL_PNTS, SHL_MODEL_SIZES);
    if (status != SHOAL_OK)
        return status;
    const uint32_t controls = shl_get_u32(s->bytes);
    const uint64_t weights = shl_get_bits(s->bytes + 8, 8);
    p->r.at = s->bytes;
    if (controls > SHOAL_CONTROLS_MAX || weights > UINT32_MAX)
        return shl_io_fail(&p->r, SHOAL_ERR_LIMIT,
                           "%" PRIu32 " control points and %" PRIu64
                           " weights, at most %d and %u",
                           controls, weights, SHOAL_CONTROLS_MAX, UINT32_MAX);
    if (controls == 0 || shl_get_u32(s->bytes + 4) != 0)
        return FAIL(p, s->bytes, "no control points, or a number of a later version");
    p->file.control_count = controls;
    p->file.weight_count = (size_t)weights;
    const struct {
        shl_model_part part;
        uint64_t size;
    } wanted[] = {{SHL_MODEL_NODE, 24 * (uint64_t)controls},
                  {SHL_MODEL_WBEG, 4 * (p->file.rest.vertex_count + (uint64_t)1)},
                  {SHL_MODEL_WNOD, 4 * weights},
                  {SHL_MODEL_WGHT, 4 * weights},
                  {SHL_MODEL_RADI, 8 * (uint64_t)controls},
                  {SHL_MODEL_NMAS, 8 * (uint64_t)controls}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && status == SHOAL_OK; i++) {
        if (p->part[wanted[i].part].bytes || wanted[i].part <= SHL_MODEL_WGHT)
            status = check_size(p, wanted[i].part, wanted[i].size);
    }
    return status;
}

static shoal_status read_sizes(parser *p)
{
    shoal_status status = check_size(p, SHL_MODEL_SIZE, SHL_MODEL_SIZES);
    if (status != SHOAL_OK)
        return status;
    const char *at = p->part[SHL_MODEL_SIZE].bytes;
    const uint32_t vertices = shl_get_u32(at), triangles = shl_get_u32(at + 4);
    const uint32_t fields = shl_get_u32(at + 8), scalar = shl_get_u32(at + 12);
    p->r.at = at;
    if (vertices > p->r.row_limit || triangles > p->r.row_limit)
        return shl_io_fail(&p->r, SHOAL_ERR_LIMIT,
                           "more than %" PRIu32 " vertices or triangles", p->r.row_limit);
    if (triangles == 0)
        return FAIL(p, at + 4, "the model has no triangles");
    if (fields > SHOAL_FIELDS_MAX) {
        p->r.at = at + 8;
        return shl_io_fail(&p->r, SHOAL_ERR_LIMIT, "%" PRIu32 " fields, at most %d", fields,
                           SHOAL_FIELDS_MAX);
    }
    if (scalar > 1)
        return FAIL(p, at + 12, "number %" PRIu32 " names no scalar", scalar);
    p->wide = scalar == 1;
    p->file.field_count = fields;
    p->file.rest.vertex_count = vertices;
    p->file.rest.triangle_count = triangles;
    const uint64_t each = 8 * (uint64_t)fields;
    status = check_size(p, SHL_MODEL_TRIS, 12 * (uint64_t)triangles);
    if (status == SHOAL_OK)
        status = check_size(p, SHL_MODEL_REST, (p->wide ? 24 : 12) * (uint64_t)vertices);
    if (status == SHOAL_OK)
        status = check_size(p, SHL_MODEL_FLDS, 12 * (uint64_t)fields * vertices);
    if (status == SHOAL_OK && p->part[SHL_MODEL_FREQ].bytes)
        status = check_size(p, SHL_MODEL_FREQ, each);
    if (status == SHOAL_OK && p->part[SHL_MODEL_MASS].bytes)
        status = check_size(p, SHL_MODEL_MASS, each);
    const section *move = &p->part[SHL_MODEL_MOVE];
    if (status == SHOAL_OK && move->bytes &&
        (!each || move->size % each || !move->size || move->size / each > UINT32_MAX))
        status =
            FAIL(p, move->bytes, "section MOVE has %" PRIu64 " bytes, a frame has %" PRIu64,
                 move->size, each);
    return status == SHOAL_OK ? read_point_sizes(p) : status;
}

// Room for the numbers of a section, which is there in full. `*out` stays NULL without any.
static shoal_status make_room(parser *p, size_t bytes, void *out)
{
    void *memory = shl_io_alloc(&p->r.allocator, bytes);
    if (!memory && bytes)
        return shl_io_fail_file(p->r.error, p->r.name, SHOAL_ERR_MEMORY,
                                "no memory for %zu bytes", bytes);
    memcpy(out, &memory, sizeof memory);
    return SHOAL_OK;
}

static shoal_status read_name(parser *p)
{
    const section *s = &p->part[SHL_MODEL_NAME];
    if (s->size > SHOAL_MODEL_NAME_MAX)
        return FAIL(p, s->bytes, "a name of %" PRIu64 " bytes, at most %d", s->size,
                    SHOAL_MODEL_NAME_MAX);
    for (size_t i = 0; i < s->size; i++) {
        const unsigned char c = (unsigned char)s->bytes[i];
        if (c < ' ' || c == 0x7f)
            return FAIL(p, s->bytes + i, "the name holds a control character");
        p->file.name[i] = (char)c;
    }
    return SHOAL_OK;
}

static shoal_status read_triangles(parser *p)
{
    shoal_mesh *rest = &p->file.rest;
    const size_t count = 3 * (size_t)rest->triangle_count;
    const char *at = p->part[SHL_MODEL_TRIS].bytes;
    const shoal_status status = make_room(p, count * sizeof *rest->triangles, &rest->triangles);
    if (status != SHOAL_OK)
        return status;
    for (size_t i = 0; i < count; i++, at += 4) {
        rest->triangles[i] = shl_get_u32(at);
        if (rest->triangles[i] >= rest->vertex_count)
            return FAIL(p, at, "triangle %zu names vertex %" PRIu32 ", the model has %" PRIu32,
                        i / 3, rest->triangles[i], rest->vertex_count);
    }
    return SHOAL_OK;
}

static shoal_status read_rest(parser *p)
{
    shoal_mesh *rest = &p->file.rest;
    const size_t count = 3 * (size_t)rest->vertex_count, each = p->wide ? 8 : 4;
    const char *at = p->part[SHL_MODEL_REST].bytes;
    const shoal_status status = make_room(p, count * sizeof *rest->xyz, &rest->xyz);
    if (status != SHOAL_OK)
        return status;
    for (size_t i = 0; i < count; i++, at += each) {
        rest->xyz[i] = p->wide ? shl_get_f64(at) : (double)shl_get_f32(at);
        if (!isfinite(rest->xyz[i]))
            return FAIL(p, at, "vertex %zu is not finite", i / 3);
    }
    rest->scalar = shl_scalar_of(rest->xyz, count);
    return SHOAL_OK;
}

static shoal_status read_fields(parser *p)
{
    const size_t each = 3 * (size_t)p->file.rest.vertex_count;
    const size_t count = each * p->file.field_count;
    const char *at = p->part[SHL_MODEL_FLDS].bytes;
    const shoal_status status = make_room(p, count * sizeof(float), &p->file.fields);
    if (status != SHOAL_OK)
        return status;
    for (size_t i = 0; i < count; i++, at += 4) {
        p->file.fields[i] = shl_get_f32(at);
        if (!isfinite(p->file.fields[i]))
            return FAIL(p, at, "field %zu is not finite at vertex %zu", i / each, i % each / 3);
    }
    return SHOAL_OK;
}

// Frequencies or masses, one a field.
static shoal_status read_series(parser *p, shl_model_part part, double **out)
{
    const section *s = &p->part[part];
    const shoal_status status = make_room(p, (size_t)s->size, out);
    if (status != SHOAL_OK)
        return status;
    for (size_t i = 0; i < s->size / 8; i++) {
        const double value = shl_get_f64(s->bytes + 8 * i);
        const bool mass = part == SHL_MODEL_MASS;
        if (!isfinite(value) || value < 0 || (mass && value == 0))
            return FAIL(p, s->bytes + 8 * i, "the %s of field %zu is %g",
                        mass ? "mass" : "frequency", i, value);
        (*out)[i] = value;
    }
    return SHOAL_OK;
}

// Coordinates of a recorded motion.
static shoal_status read_motion(parser *p)
{
    const section *s = &p->part[SHL_MODEL_MOVE];
    const shoal_status status = make_room(p, (size_t)s->size, &p->file.motion);
    if (status != SHOAL_OK || !s->size)
        return status;
    const uint32_t fields = p->file.field_count;
    p->file.frame_count = (uint32_t)(s->size / 8 / fields);
    for (size_t i = 0; i < s->size / 8; i++) {
        p->file.motion[i] = shl_get_f64(s->bytes + 8 * i);
        if (!isfinite(p->file.motion[i]))
            return FAIL(p, s->bytes + 8 * i, "frame %zu of the motion is not finite",
                        i / fields);
    }
    return SHOAL_OK;
}

static void get_f64(const section *s, double *out)
{
    for (size_t i = 0; i < s->size / 8; i++)
        out[i] = shl_get_f64(s->bytes + 8 * i);
}

static void get_u32(const section *s, uint32_t *out)
{
    for (size_t i = 0; i < s->size / 4; i++)
        out[i] = shl_get_u32(s->bytes + 4 * i);
}

static shoal_status read_skinned(parser *p)
{
    shoal_model_file *f = &p->file;
    const section *s = p->part;
    void *const out[] = {&f->controls, &f->weight_begin, &f->weight_control,
                         &f->weight,   &f->radii,        &f->control_masses};
    for (int i = 0; i < 6; i++) {
        const shoal_status status = make_room(p, (size_t)s[SHL_MODEL_NODE + i].size, out[i]);
        if (status != SHOAL_OK)
            return status;
    }
    get_f64(&s[SHL_MODEL_NODE], f->controls);
    get_u32(&s[SHL_MODEL_WBEG], f->weight_begin);
    get_u32(&s[SHL_MODEL_WNOD], f->weight_control);
    for (size_t i = 0; i < f->weight_count; i++)
        f->weight[i] = shl_get_f32(s[SHL_MODEL_WGHT].bytes + 4 * i);
    get_f64(&s[SHL_MODEL_RADI], f->radii);
    get_f64(&s[SHL_MODEL_NMAS], f->control_masses);
    const shl_skinned_fault fault = shl_skinned_fault_of(f);
    if (fault.part == SHL_MODEL_PARTS)
        return SHOAL_OK;
    const bool wide = fault.part == SHL_MODEL_NODE || fault.part >= SHL_MODEL_RADI;
    return FAIL(p, s[fault.part].bytes + (wide ? 8 : 4) * fault.entry, "%s", fault.text);
}

static shoal_status read_sections(parser *p)
{
    uint32_t sections = 0;
    shoal_status status = check_head(p, &sections);
    if (status == SHOAL_OK)
        status = find_sections(p, sections);
    if (status == SHOAL_OK)
        status = read_sizes(p);
    if (status == SHOAL_OK)
        status = read_name(p);
    if (status == SHOAL_OK)
        status = read_triangles(p);
    if (status == SHOAL_OK)
        status = read_rest(p);
    if (status == SHOAL_OK)
        status = read_fields(p);
    if (status == SHOAL_OK)
        status = read_series(p, SHL_MODEL_FREQ, &p->file.frequencies);
    if (status == SHOAL_OK)
        status = read_series(p, SHL_MODEL_MASS, &p->file.masses);
    if (status == SHOAL_OK)
        status = read_motion(p);
    if (status == SHOAL_OK && p->file.control_count)
        status = read_skinned(p);
    return status;
}

shoal_status shl_model_parse(const shl_source *source, const shoal_allocator *allocator,
                             shoal_model_file *out, shoal_io_error *error)
{
    *out = (shoal_model_file){0};
    error->text[0] = 0;
    if (source->size == 0)
        return shl_io_fail_file(error, source->name, SHOAL_ERR_FORMAT, "the file is empty");
    parser p = {.r = {.begin = source->bytes,
                      .at = source->bytes,
                      .end = (const char *)source->bytes + source->size,
                      .name = source->name,
                      .row_limit = source->row_limit,
                      .allocator = *allocator,
                      .error = error},
                .file = {.rest = {.allocator = *allocator}, .version = SHL_MODEL_VERSION}};
    const shoal_status status = read_sections(&p);
    if (status != SHOAL_OK)
        shoal_model_file_finish(&p.file);
    *out = p.file;
    return status;
}
