// SPDX-License-Identifier: MIT
// PC2 point caches, for Blender's modifier Mesh Cache: points.pc2 holds all vertices of all
// frames, points.obj the mesh that they move. Little endian, as the format wants.
#include "cli/frames/results.h"

#include "io/bits.h"
#include "io/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char cache[] = "points.pc2", mesh[] = "points.obj";
enum { HEADER = 32 };

typedef struct pc2 {
    shl_stream stream;
    uint32_t points;      // of a frame
    shl_stream_mark mesh; // of points.obj, once there are points
    char *bytes;          // of a frame; NULL: there is none yet
} pc2;

static void make_header(const shl_results *r, uint32_t points, char head[HEADER])
{
    static const char magic[12] = "POINTCACHE2";
    memcpy(head, magic, sizeof magic);
    char *at = shl_set_bits(head + sizeof magic, 1, 4); // version
    at = shl_set_bits(at, points, 4);
    at = shl_set_f32(at, (float)r->every); // first sample and distance, in steps
    at = shl_set_f32(at, (float)r->every);
    shl_set_bits(at, r->steps / r->every, 4);
}

static bool set_skinned(shl_results *r, pc2 *p, uint32_t points)
{
    p->points = points;
    p->bytes = malloc(12 * (size_t)points + 1);
    return p->bytes || shl_results_fail(r, p->stream.path, ENOMEM, NULL);
}

// Goes on after the frames that are there: how many points they have is in the header.
static bool go_on(shl_results *r, pc2 *p, const json_t *outputs)
{
    char head[HEADER], wanted[HEADER];
    if (p->stream.size == 0)
        return r->last == 0 || shl_results_fail(r, p->stream.path, EILSEQ, NULL);
    if (pread(p->stream.file, head, HEADER, 0) != HEADER)
        return shl_results_fail(r, p->stream.path, EILSEQ, NULL);
    const uint32_t points = shl_get_u32(head + 16);
    make_header(r, points, wanted);
    if (memcmp(head, wanted, HEADER) != 0 ||
        p->stream.size != HEADER + 12 * (uint64_t)points * (r->last / r->every))
        return shl_results_fail(r, p->stream.path, EILSEQ, "its frames are not of this run");
    const shl_path path = shl_folder_path(r->folder, mesh);
    const int code =
        shl_mark_get(outputs, mesh, &p->mesh) ? shl_file_check(path.text, p->mesh) : EILSEQ;
    if (code != 0)
        return shl_results_fail(r, path.text, code, SHL_NOT_REMEMBERED(code));
    return set_skinned(r, p, points);
}

static bool begin(shl_results *r, void **state, const json_t *outputs)
{
    const shl_path path = shl_folder_path(r->folder, cache);
    pc2 *p = calloc(1, sizeof *p);
    *state = p;
    if (!p)
        return shl_results_fail(r, path.text, ENOMEM, NULL);
    p->stream = SHL_STREAM_CLOSED;
    shl_stream_mark mark;
    int code = EILSEQ;
    if (!outputs)
        code = shl_stream_create(&p->stream, path.text);
    else if (shl_mark_get(outputs, cache, &mark))
        code = shl_stream_reopen(&p->stream, path.text, mark);
    if (code != 0)
        return shl_results_fail(r, path.text, code, SHL_NOT_REMEMBERED(code));
    return !outputs || go_on(r, p, outputs);
}

// Points are told by their frame, since a run may begin with any.
static bool write_mesh(shl_results *r, pc2 *p, const shl_frame_data *f)
{
    const shl_path path = shl_folder_path(r->folder, mesh);
    shl_output *out = malloc(sizeof *out);
    if (!out)
        return shl_results_fail(r, path.text, ENOMEM, NULL);
    shl_output_init(out, path.text);
    for (size_t i = 0; i < f->topology->point_count && out->code == 0; i++)
        shl_put_text(out, "v %.9g %.9g %.9g\n", (double)f->xyz[3 * i],
                     (double)f->xyz[3 * i + 1], (double)f->xyz[3 * i + 2]);
    const uint32_t *t = f->topology->triangles;
    for (size_t i = 0; i < f->topology->triangle_count && out->code == 0; i++)
        shl_put_text(out, "f %u %u %u\n", t[3 * i] + 1, t[3 * i + 1] + 1, t[3 * i + 2] + 1);
    int code = shl_output_finish(out);
    if (code == 0)
        code = shl_file_mark(path.text, &p->mesh);
    free(out);
    return code == 0 || shl_results_fail(r, path.text, code, NULL);
}

static bool start(shl_results *r, pc2 *p, const shl_frame_data *f)
{
    char head[HEADER];
    if (!set_skinned(r, p, f->topology->point_count))
        return false;
    make_header(r, p->points, head);
    shl_stream_put(&p->stream, head, HEADER);
    return write_mesh(r, p, f);
}

static bool frame(shl_results *r, void *state, const shl_frame_data *f)
{
    pc2 *p = state;
    if (!p->bytes && !start(r, p, f))
        return false;
    if (f->topology->point_count != p->points) {
        char text[160];
        snprintf(text, sizeof text,
                 "step %u has %u points, the frames before it %u: a point cache needs a "
                 "constant number of points",
                 f->step, f->topology->point_count, p->points);
        return shl_results_fail(r, p->stream.path, EINVAL, text);
    }
    char *at = p->bytes;
    for (size_t i = 0; i < 3 * (size_t)p->points; i++)
        at = shl_set_f32(at, f->xyz[i]);
    shl_stream_put(&p->stream, p->bytes, 12 * (size_t)p->points);
    const int code = shl_stream_flush(&p->stream);
    return code == 0 || shl_results_fail(r, p->stream.path, code, NULL);
}

static bool mark(shl_results *r, void *state, uint32_t step, json_t *outputs)
{
    (void)step;
    pc2 *p = state;
    const int code = shl_stream_sync(&p->stream);
    return (code == 0 && shl_mark_put(outputs, cache, shl_stream_where(&p->stream)) &&
            (!p->bytes || shl_mark_put(outputs, mesh, p->mesh))) ||
           shl_results_fail(r, p->stream.path, code ? code : ENOMEM, NULL);
}

static bool end(shl_results *r, void *state, bool good)
{
    pc2 *p = state;
    const int synced = good ? shl_stream_sync(&p->stream) : 0;
    const int closed = shl_stream_close(&p->stream);
    if (good && (synced || closed))
        shl_results_fail(r, p->stream.path, synced ? synced : closed, NULL);
    free(p->bytes);
    free(p);
    return !r->failed;
}

const shl_format shl_format_pc2 = {"pc2", NULL, begin, frame, mark, end};
