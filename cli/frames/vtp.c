// SPDX-License-Identifier: MIT
// VTK's XML files for polygons: frame-STEP.vtp, one a frame, with raw data appended; frames.pvd
// tells viewers which there are, and frames.jsonl their lengths and checksums, so that they are
// verified when a run goes on. Contacts and pairs are field data of the frame.
#include "cli/frames/results.h"

#include "cli/run/engine.h"
#include "io/bits.h"
#include "io/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char list_name[] = "frames.jsonl", index_name[] = "frames.pvd";

typedef struct vtp {
    shl_stream list;
} vtp;

static shl_path frame_path(const shl_results *r, uint32_t step)
{
    char name[40];
    snprintf(name, sizeof name, "frame-%06u.vtp", step);
    return shl_folder_path(r->folder, name);
}

// Whether the list has all frames up to r->last, and these are what they were.
static bool verify(shl_results *r, const char *path, uint64_t size)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool good = file || shl_results_fail(r, path, errno, NULL);
    uint32_t frames = 0;
    for (uint64_t at = 0; good && at < size; frames++) {
        const ssize_t n = getline(&line, &room, file);
        unsigned step;
        shl_stream_mark mark;
        if (n <= 0 || sscanf(line,
                             "{\"step\":%u,\"file\":\"%*[^\"]\",\"bytes\":%" SCNu64
                             ",\"xxh3\":\"%" SCNx64 "\"}",
                             &step, &mark.size, &mark.sum) != 3) {
            good = shl_results_fail(r, path, EILSEQ, NULL);
            break;
        }
        const shl_path one = frame_path(r, step);
        const int code = shl_file_check(one.text, mark);
        if (code != 0)
            good = shl_results_fail(r, one.text, code, SHL_NOT_REMEMBERED(code));
        at += (uint64_t)n;
    }
    if (good && frames != r->last / r->every)
        good = shl_results_fail(r, path, EILSEQ, "its frames are not of this run");
    free(line);
    if (file)
        fclose(file);
    return good;
}

// A process that was killed may have got further than its checkpoint.
static void remove_later(const shl_results *r)
{
    for (uint64_t step = (uint64_t)r->last + r->every; step <= r->steps; step += r->every) {
        if (unlink(frame_path(r, (uint32_t)step).text) != 0)
            return;
    }
}

static bool begin(shl_results *r, void **state, const json_t *outputs)
{
    const shl_path path = shl_folder_path(r->folder, list_name);
    vtp *v = calloc(1, sizeof *v);
    *state = v;
    if (!v)
        return shl_results_fail(r, path.text, ENOMEM, NULL);
    v->list = SHL_STREAM_CLOSED;
    shl_stream_mark mark;
    int code = EILSEQ;
    if (!outputs)
        code = shl_stream_create(&v->list, path.text);
    else if (shl_mark_get(outputs, list_name, &mark))
        code = shl_stream_reopen(&v->list, path.text, mark);
    if (code != 0)
        return shl_results_fail(r, path.text, code, SHL_NOT_REMEMBERED(code));
    if (outputs && !verify(r, path.text, mark.size))
        return false;
    if (r->folder->resume)
        remove_later(r);
    return true;
}

// What is written, and its checksum.
typedef struct sink {
    shl_output *out;
    XXH3_state_t *sum;
    uint64_t size;
} sink;

static void put(sink *s, const void *bytes, size_t size)
{
    XXH3_64bits_update(s->sum, bytes, size);
    s->size += size;
    shl_put_bytes(s->out, bytes, size);
}

__attribute__((format(printf, 2, 3))) static void say(sink *s, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= 0 && n < (int)sizeof text)
        put(s, text, (size_t)n);
    else if (s->out->code == 0)
        s->out->code = EOVERFLOW; // longer than any line of the format
}

// One appended array: where it is counted from, and what fills it.
typedef struct column {
    const char *type, *name;
    uint32_t components, scalar; // bytes of one
    uint64_t count;
    void (*write)(sink *s, const shl_frame_data *f, char *to, uint64_t index); // one row
} column;

static void row_skinned(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    for (int k = 0; k < 3; k++)
        to = shl_set_f32(to, f->xyz[3 * i + (size_t)k]);
}

static void row_corner(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    shl_set_bits(to, f->topology->triangles[i], 4);
}

static void row_offset(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    (void)f;
    shl_set_bits(to, 3 * (i + 1), 4);
}

static void row_body(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    shl_set_bits(to, f->topology->body[i], 4);
}

static void row_position(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    for (int k = 0; k < 3; k++)
        to = shl_set_f64(to, f->contacts[i].position[k]);
}

static void row_normal(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    for (int k = 0; k < 3; k++)
        to = shl_set_f64(to, f->contacts[i].normal[k]);
}

static void row_depth(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    shl_set_f64(to, f->contacts[i].depth);
}

static void row_between(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    const shoal_sphere_contact *c = &f->contacts[i];
    to = shl_set_bits(to, c->body_a, 4);
    to = shl_set_bits(to, c->sphere_a, 4);
    to = shl_set_bits(to, c->body_b, 4);
    shl_set_bits(to, c->element_b, 4);
}

static void row_pair(sink *s, const shl_frame_data *f, char *to, uint64_t i)
{
    (void)s;
    const shoal_pair *p = &f->pairs[i];
    to = shl_set_bits(to, p->body_a, 4);
    to = shl_set_bits(to, p->triangle_a, 4);
    to = shl_set_bits(to, p->body_b, 4);
    shl_set_bits(to, p->triangle_b, 4);
}

static void put_column(sink *s, const shl_frame_data *f, const column *c)
{
    char rows[4096];
    const size_t each = (size_t)c->components * c->scalar, most = sizeof rows / each;
    char head[8];
    shl_set_bits(head, c->count * each, 8);
    put(s, head, sizeof head);
    for (uint64_t i = 0; i < c->count;) {
        size_t n = 0;
        for (; n < most && i < c->count; n++, i++)
            c->write(s, f, rows + n * each, i);
        put(s, rows, n * each);
    }
}

static void declare(sink *s, const column *c, uint64_t offset, bool field)
{
    say(s, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" ", c->type, c->name,
        c->components);
    if (field)
        say(s, "NumberOfTuples=\"%" PRIu64 "\" ", c->count);
    say(s, "format=\"appended\" offset=\"%" PRIu64 "\"/>\n", offset);
}

static void put_file(sink *s, const shl_frame_data *f)
{
    const uint64_t triangles = f->topology->triangle_count, contacts = f->contact_count;
    const column columns[] = {
        {"Float64", "contact_position", 3, 8, contacts, row_position},
        {"Float64", "contact_normal", 3, 8, contacts, row_normal},
        {"Float64", "contact_depth", 1, 8, contacts, row_depth},
        {"UInt32", "contact_between", 4, 4, contacts, row_between},
        {"UInt32", "pairs", 4, 4, f->pair_count, row_pair},
        {"Float32", "Points", 3, 4, f->topology->point_count, row_skinned},
        {"UInt32", "connectivity", 1, 4, 3 * triangles, row_corner},
        {"UInt32", "offsets", 1, 4, triangles, row_offset},
        {"UInt32", "body", 1, 4, triangles, row_body},
    };
    enum { FIELDS = 5, COLUMNS = sizeof columns / sizeof *columns };
    uint64_t offset[COLUMNS + 1] = {0};
    for (int i = 0; i < COLUMNS; i++)
        offset[i + 1] =
            offset[i] + 8 + columns[i].count * columns[i].components * columns[i].scalar;
    say(s, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
           "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n");
    for (int i = 0; i < FIELDS; i++)
        declare(s, &columns[i], offset[i], true);
    say(s,
        "</FieldData>\n<Piece NumberOfPoints=\"%u\" NumberOfVerts=\"0\" "
        "NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n<Points>\n",
        f->topology->point_count, f->topology->triangle_count);
    declare(s, &columns[FIELDS], offset[FIELDS], false);
    say(s, "</Points>\n<Polys>\n");
    declare(s, &columns[FIELDS + 1], offset[FIELDS + 1], false);
    declare(s, &columns[FIELDS + 2], offset[FIELDS + 2], false);
    say(s, "</Polys>\n<CellData Scalars=\"body\">\n");
    declare(s, &columns[FIELDS + 3], offset[FIELDS + 3], false);
    say(s, "</CellData>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    for (int i = 0; i < COLUMNS; i++)
        put_column(s, f, &columns[i]);
    say(s, "\n</AppendedData>\n</VTKFile>\n");
}

static bool frame(shl_results *r, void *state, const shl_frame_data *f)
{
    vtp *v = state;
    const shl_path path = frame_path(r, f->step);
    sink s = {malloc(sizeof *s.out), XXH3_createState(), 0};
    int code = ENOMEM;
    if (s.out && s.sum) {
        XXH3_64bits_reset(s.sum);
        shl_output_init(s.out, path.text);
        if (s.out->code == 0)
            put_file(&s, f);
        code = shl_output_finish(s.out);
    }
    if (code == 0) {
        char line[128];
        const int n = snprintf(line, sizeof line,
                               "{\"step\":%u,\"file\":\"frame-%06u.vtp\",\"bytes\":%" PRIu64
                               ",\"xxh3\":\"%016" PRIx64 "\"}\n",
                               f->step, f->step, s.size, XXH3_64bits_digest(s.sum));
        shl_stream_put(&v->list, line, (size_t)n);
        code = shl_stream_flush(&v->list);
    }
    free(s.out);
    XXH3_freeState(s.sum);
    return code == 0 || shl_results_fail(r, path.text, code, NULL);
}

static bool mark(shl_results *r, void *state, uint32_t step, json_t *outputs)
{
    (void)step;
    vtp *v = state;
    const int code = shl_stream_sync(&v->list);
    return (code == 0 && shl_mark_put(outputs, list_name, shl_stream_where(&v->list))) ||
           shl_results_fail(r, v->list.path, code ? code : ENOMEM, NULL);
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
    vtp *v = state;
    int code = good ? shl_stream_sync(&v->list) : 0;
    const int closed = shl_stream_close(&v->list);
    code = code ? code : closed;
    const shl_path path = shl_folder_path(r->folder, index_name);
    if (good && code == 0)
        code = write_index(r, path.text);
    if (good && code)
        shl_results_fail(r, path.text, code, NULL);
    free(v);
    return !r->failed;
}

const shl_format shl_format_vtp = {"vtp", NULL, begin, frame, mark, end};
