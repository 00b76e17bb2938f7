// SPDX-License-Identifier: MIT
#include "cli/frames/frame_files.h"

#include "io/bits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct shl_frame_files {
    const char *suffix;
    shl_stream list;
};

static shl_path list_path(const shl_results *r, const char *suffix)
{
    char name[40];
    snprintf(name, sizeof name, "frames-%s.jsonl", suffix);
    return shl_folder_path(r->folder, name);
}

static shl_path frame_path(const shl_results *r, const char *suffix, uint32_t step)
{
    char name[40];
    snprintf(name, sizeof name, "frame-%06u.%s", step, suffix);
    return shl_folder_path(r->folder, name);
}

// The name of a file in a folder, which is also its name in a checkpoint.
static const char *last_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

// Whether the list has all frames up to r->last, and these are what they were.
static bool verify(shl_results *r, const shl_frame_files *files, uint64_t size)
{
    const char *path = files->list.path;
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    bool good = file || shl_results_fail(r, path, errno, NULL);
    uint32_t frames = 0;
    for (uint64_t at = 0; good && at < size; frames++) {
        const ssize_t n = getline(&line, &capacity, file);
        unsigned step;
        shl_stream_mark mark;
        if (n <= 0 || sscanf(line,
                             "{\"step\":%u,\"file\":\"%*[^\"]\",\"bytes\":%" SCNu64
                             ",\"xxh3\":\"%" SCNx64 "\"}",
                             &step, &mark.size, &mark.sum) != 3) {
            good = shl_results_fail(r, path, EILSEQ, NULL);
            break;
        }
        const shl_path one = frame_path(r, files->suffix, step);
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
static void remove_later(const shl_results *r, const char *suffix)
{
    for (uint64_t step = (uint64_t)r->last + r->every; step <= r->steps; step += r->every) {
        if (unlink(frame_path(r, suffix, (uint32_t)step).text) != 0)
            return;
    }
}

bool shl_frame_files_begin(shl_results *r, void **state, const char *suffix,
                           const json_t *outputs)
{
    const shl_path path = list_path(r, suffix);
    shl_frame_files *files = calloc(1, sizeof *files);
    *state = files;
    if (!files)
        return shl_results_fail(r, path.text, ENOMEM, NULL);
    files->suffix = suffix;
    files->list = SHL_STREAM_CLOSED;
    shl_stream_mark mark;
    int code = EILSEQ;
    if (!outputs)
        code = shl_stream_create(&files->list, path.text);
    else if (shl_mark_get(outputs, last_of(path.text), &mark))
        code = shl_stream_reopen(&files->list, path.text, mark);
    if (code != 0)
        return shl_results_fail(r, path.text, code, SHL_NOT_REMEMBERED(code));
    if (outputs && !verify(r, files, mark.size))
        return false;
    if (r->folder->resume)
        remove_later(r, suffix);
    return true;
}

void shl_frame_put(shl_frame_sink *s, const void *bytes, size_t size)
{
    XXH3_64bits_update(s->sum, bytes, size);
    s->size += size;
    shl_put_bytes(s->out, bytes, size);
}

void shl_frame_text(shl_frame_sink *s, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= 0 && n < (int)sizeof text)
        shl_frame_put(s, text, (size_t)n);
    else if (s->out->code == 0)
        s->out->code = EOVERFLOW; // longer than any line of the formats
}

void shl_frame_rows(shl_frame_sink *s, const shl_frame_data *f, uint64_t count, size_t bytes,
                    shl_frame_row_fn *row)
{
    char rows[4096];
    const size_t most = sizeof rows / bytes;
    for (uint64_t i = 0; i < count;) {
        size_t n = 0;
        for (; n < most && i < count; n++, i++)
            row(f, rows + n * bytes, i);
        shl_frame_put(s, rows, n * bytes);
    }
}

void shl_frame_row_point(const shl_frame_data *f, char *to, uint64_t i)
{
    for (int k = 0; k < 3; k++)
        to = shl_set_f32(to, f->xyz[3 * i + (size_t)k]);
}

bool shl_frame_files_frame(shl_results *r, shl_frame_files *files, const shl_frame_data *f,
                           void (*put)(shl_frame_sink *sink, const shl_frame_data *frame))
{
    const shl_path path = frame_path(r, files->suffix, f->step);
    shl_frame_sink s = {malloc(sizeof *s.out), XXH3_createState(), 0};
    int code = ENOMEM;
    if (s.out && s.sum) {
        XXH3_64bits_reset(s.sum);
        shl_output_init(s.out, path.text);
        if (s.out->code == 0)
            put(&s, f);
        code = shl_output_finish(s.out);
    }
    if (code == 0) {
        char line[160];
        const int n = snprintf(line, sizeof line,
                               "{\"step\":%u,\"file\":\"%s\",\"bytes\":%" PRIu64
                               ",\"xxh3\":\"%016" PRIx64 "\"}\n",
                               f->step, last_of(path.text), s.size, XXH3_64bits_digest(s.sum));
        shl_stream_put(&files->list, line, (size_t)n);
        code = shl_stream_flush(&files->list);
    }
    free(s.out);
    XXH3_freeState(s.sum);
    return code == 0 || shl_results_fail(r, path.text, code, NULL);
}

bool shl_frame_files_mark(shl_results *r, void *state, uint32_t step, json_t *outputs)
{
    (void)step;
    shl_frame_files *files = state;
    const int code = shl_stream_sync(&files->list);
    return (code == 0 &&
            shl_mark_put(outputs, last_of(files->list.path), shl_stream_where(&files->list))) ||
           shl_results_fail(r, files->list.path, code ? code : ENOMEM, NULL);
}

bool shl_frame_files_end(shl_results *r, void *state, bool good)
{
    shl_frame_files *files = state;
    const int synced = good ? shl_stream_sync(&files->list) : 0;
    const int closed = shl_stream_close(&files->list);
    if (good && (synced || closed))
        shl_results_fail(r, files->list.path, synced ? synced : closed, NULL);
    free(files);
    return !r->failed;
}
