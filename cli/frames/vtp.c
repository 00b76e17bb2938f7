// SPDX-License-Identifier: MIT
// VTK's XML files for polygons: frame-STEP.vtp, one a frame, with raw data appended; frames.pvd
// tells viewers which there are. Contacts and pairs are field data of the frame.
#include "cli/frames/frame_files.h"
#include "io/bits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static const char index_name[] = "frames.pvd";

// One appended array: where it is counted from, and what fills it.
typedef struct column {
    const char *type, *name;
    uint32_t components, scalar; // bytes of one
    uint64_t count;
    shl_frame_row_fn *row;
} column;

static void row_corner(const shl_frame_data *f, char *to, uint64_t i)
{
    shl_set_bits(to, f->topology->triangles[i], 4);
}

static void row_offset(const shl_frame_data *f, char *to, uint64_t i)
{
    (void)f;
    shl_set_bits(to, 3 * (i + 1), 4);
}

static void row_body(const shl_frame_data *f, char *to, uint64_t i)
{
    shl_set_bits(to, f->topology->body[i], 4);
}

static void row_position(const shl_frame_data *f, char *to, uint64_t i)
{
    for (int k = 0; k < 3; k++)
        to = shl_set_f64(to, f->contacts[i].position[k]);
}

static void row_normal(const shl_frame_data *f, char *to, uint64_t i)
{
    for (int k = 0; k < 3; k++)
        to = shl_set_f64(to, f->contacts[i].normal[k]);
}

static void row_depth(const shl_frame_data *f, char *to, uint64_t i)
{
    shl_set_f64(to, f->contacts[i].depth);
}

static void row_between(const shl_frame_data *f, char *to, uint64_t i)
{
    const shoal_sphere_contact *c = &f->contacts[i];
    to = shl_set_bits(to, c->body_a, 4);
    to = shl_set_bits(to, c->sphere_a, 4);
    to = shl_set_bits(to, c->body_b, 4);
    shl_set_bits(to, c->element_b, 4);
}

static void row_pair(const shl_frame_data *f, char *to, uint64_t i)
{
    const shoal_pair *p = &f->pairs[i];
    to = shl_set_bits(to, p->body_a, 4);
    to = shl_set_bits(to, p->triangle_a, 4);
    to = shl_set_bits(to, p->body_b, 4);
    shl_set_bits(to, p->triangle_b, 4);
}

static void put_column(shl_frame_sink *s, const shl_frame_data *f, const column *c)
{
    const size_t each = (size_t)c->components * c->scalar;
    char head[8];
    shl_set_bits(head, c->count * each, 8);
    shl_frame_put(s, head, sizeof head);
    shl_frame_rows(s, f, c->count, each, c->row);
}

static void declare(shl_frame_sink *s, const column *c, uint64_t offset, bool field)
{
    shl_frame_text(s, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" ", c->type,
                   c->name, c->components);
    if (field)
        shl_frame_text(s, "NumberOfTuples=\"%" PRIu64 "\" ", c->count);
    shl_frame_text(s, "format=\"appended\" offset=\"%" PRIu64 "\"/>\n", offset);
}

static void put_file(shl_frame_sink *s, const shl_frame_data *f)
{
    const uint64_t triangles = f->topology->triangle_count, contacts = f->contact_count;
    const column columns[] = {
        {"Float64", "contact_position", 3, 8, contacts, row_position},
        {"Float64", "contact_normal", 3, 8, contacts, row_normal},
        {"Float64", "contact_depth", 1, 8, contacts, row_depth},
        {"UInt32", "contact_between", 4, 4, contacts, row_between},
        {"UInt32", "pairs", 4, 4, f->pair_count, row_pair},
        {"Float32", "Points", 3, 4, f->topology->point_count, shl_frame_row_point},
        {"UInt32", "connectivity", 1, 4, 3 * triangles, row_corner},
        {"UInt32", "offsets", 1, 4, triangles, row_offset},
        {"UInt32", "body", 1, 4, triangles, row_body},
    };
    enum { FIELDS = 5, COLUMNS = sizeof columns / sizeof *columns };
    uint64_t offset[COLUMNS + 1] = {0};
    for (int i = 0; i < COLUMNS; i++)
        offset[i + 1] =
            offset[i] + 8 + columns[i].count * columns[i].components * columns[i].scalar;
    shl_frame_text(
        s, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
           "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n");
    for (int i = 0; i < FIELDS; i++)
        declare(s, &columns[i], offset[i], true);
    shl_frame_text(s,
                   "</FieldData>\n<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"0\" "
                   "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<Points>\n",
                   f->topology->point_count, f->topology->triangle_count);
    declare(s, &columns[FIELDS], offset[FIELDS], false);
    shl_frame_text(s, "</Points>\n<Polys>\n");
    declare(s, &columns[FIELDS + 1], offset[FIELDS + 1], false);
    declare(s, &columns[FIELDS + 2], offset[FIELDS + 2], false);
    shl_frame_text(s, "</Polys>\n<CellData Scalars=\"body\">\n");
    declare(s, &columns[FIELDS + 3], offset[FIELDS + 3], false);
    shl_frame_text(s, "</CellData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < COLUMNS; i++)
        put_column(s, f, &columns[i]);
    shl_frame_text(s, "\n</AppendedData>\n</VTKFile>\n");
}

static bool begin(shl_results *r, void **state, const json_t *outputs)
{
    return shl_frame_files_begin(r, state, "vtp", outputs);
}

static bool frame(shl_results *r, void *state, const shl_frame_data *f)
{
    return shl_frame_files_frame(r, state, f, put_file);
}

static int write_index(const shl_results *r, const char *path)
{
    shl_output *out = malloc(sizeof *out);
    if (!out)
        return ENOMEM;
    shl_output_init(out, path);
    shl_put_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (uint64_t step = r->every; step <= r->last && out->code == 0; step += r->every)
        shl_put_text(out,
                     "<DataSet timestep=\"%" PRIu64 "\" file=\"frame-%06" PRIu64 ".vtp\"/>\n",
                     step, step);
    shl_put_text(out, "</Collection>\n</VTKFile>\n");
    const int code = shl_output_finish(out);
    free(out);
    return code;
}

static bool end(shl_results *r, void *state, bool good)
{
    const bool ended = shl_frame_files_end(r, state, good);
    const shl_path path = shl_folder_path(r->folder, index_name);
    const int code = good && ended ? write_index(r, path.text) : 0;
    return ended && (code == 0 || shl_results_fail(r, path.text, code, NULL));
}

const shl_format shl_format_vtp = {"vtp", NULL, begin, frame, shl_frame_files_mark, end};
