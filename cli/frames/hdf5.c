// SPDX-License-Identifier: MIT
// results-FIRST.h5: frames in HDF5 (vtkhdf.h), a new file at fixed multiples of steps, flushed
// after each frame. A file that is being appended to cannot be cut back, so a checkpoint keeps
// a copy of it.
#include "cli/frames/results.h"
#include "cli/frames/vtkhdf.h"
#include "cli/frames/xdmf.h"
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char copy_key[] = "results.h5", size_key[] = "segments";
typedef struct hdf5 {
    shl_vtkhdf now;  // the file that is open
    uint32_t first;  // the step after which it begins
    uint32_t synced; // files that begin earlier are complete and on the disk
} hdf5;

// It prints what goes wrong, in each thread; we say it in one line.
static void quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static shl_path segment_path(const shl_results *r, uint32_t first)
{
    char name[40];
    snprintf(name, sizeof name, "results-%06u.h5", first);
    return shl_folder_path(r->folder, name);
}

static shl_path file_path(const shl_results *r, const hdf5 *h)
{
    return segment_path(r, h->first);
}

// Where HDF5 failed is known by the system's error, if it was one.
static bool fail(shl_results *r, const hdf5 *h, const char *what)
{
    const int code = errno;
    char text[160];
    snprintf(text, sizeof text, "%s: %s", what, code ? strerror(code) : "HDF5 cannot");
    return shl_results_fail(r, file_path(r, h).text, code ? code : EIO, text);
}

static shl_path copy_path(const shl_results *r, uint32_t step)
{
    char name[48];
    snprintf(name, sizeof name, SHL_KEEP "%06u" SHL_KEEP_END, step);
    return shl_folder_path(r->folder, name);
}

static bool close_file(shl_results *r, hdf5 *h)
{
    errno = 0;
    return shl_vtkhdf_close(&h->now, r->failed) || fail(r, h, "it cannot be closed");
}

static bool frame(shl_results *r, void *state, const shl_frame_data *f)
{
    hdf5 *h = state;
    quiet();
    const uint32_t first = (f->step - 1) / r->segment * r->segment;
    if (h->now.file >= 0 && first != h->first && !close_file(r, h))
        return false;
    errno = 0;
    if (h->now.file < 0) {
        h->first = first;
        if (!shl_vtkhdf_create(&h->now, file_path(r, h).text, f->topology))
            return fail(r, h, "it cannot be begun");
    }
    return shl_vtkhdf_frame(&h->now, f) || fail(r, h, "a frame cannot be written");
}

// The errno. `sum` is that of the bytes copied.
static int copy_file(const char *from, const char *to, shl_stream_mark *done)
{
    shl_output *out = malloc(sizeof *out);
    XXH3_state_t *sum = XXH3_createState();
    const int file = open(from, O_RDONLY | O_CLOEXEC);
    int code = !out || !sum ? ENOMEM : file < 0 ? errno : 0;
    char *room = malloc(1 << 16);
    done->size = 0;
    if (code == 0 && room) {
        XXH3_64bits_reset(sum);
        shl_output_init(out, to);
        ssize_t n = 0;
        while (out->code == 0 && (n = read(file, room, 1 << 16)) > 0) {
            XXH3_64bits_update(sum, room, (size_t)n);
            shl_put_bytes(out, room, (size_t)n);
            done->size += (uint64_t)n;
        }
        if (n < 0)
            out->code = errno;
        done->sum = XXH3_64bits_digest(sum);
        code = shl_output_finish(out);
    }
    if (file >= 0)
        close(file);
    free(room);
    free(out);
    XXH3_freeState(sum);
    return code;
}

// What a checkpoint has to know to go on with a file: its sizes.
static const char *const numbers[] = {"first",   "frames",  "points",   "cells", "parts",
                                      "cell_at", "part_at", "contacts", "pairs"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static bool get_numbers(const json_t *row, uint64_t out[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        const json_t *value = json_object_get(row, numbers[i]);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return false;
        out[i] = (uint64_t)json_integer_value(value);
    }
    return true;
}

// Brings a file to the disk and tells its length. The errno.
static int settle(const char *path, bool sync, off_t *size)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    int code = file < 0 || fstat(file, &about) != 0 || (sync && fsync(file) != 0) ? errno : 0;
    *size = code == 0 ? about.st_size : 0;
    if (file >= 0)
        close(file);
    return code;
}

// The lengths of all files before the one that is open.
static bool mark_segments(shl_results *r, hdf5 *h, json_t *row)
{
    json_t *sizes = json_array();
    for (uint64_t first = 0; first < h->first; first += r->segment) {
        const shl_path path = segment_path(r, (uint32_t)first);
        off_t size;
        const int code = settle(path.text, first >= h->synced, &size);
        if (code == 0 && json_array_append_new(sizes, json_integer(size)) == 0)
            continue;
        json_decref(sizes);
        return shl_results_fail(r, path.text, code ? code : ENOMEM, NULL);
    }
    h->synced = h->first;
    return json_object_set_new(row, size_key, sizes) == 0;
}

// Whether the files before the one that was open have the lengths and frames that they had. To
// read all of what may be many gigabytes would take longer than what it could find is worth.
static bool check_segments(shl_results *r, hdf5 *h, const json_t *row)
{
    const json_t *sizes = json_object_get(row, size_key);
    if (json_array_size(sizes) != h->first / r->segment)
        return shl_results_fail(r, file_path(r, h).text, EILSEQ, NULL);
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const shl_path path = segment_path(r, (uint32_t)i * r->segment);
        off_t size = 0;
        int code = settle(path.text, false, &size);
        if (code == 0 && (json_integer_value(json_array_get(sizes, i)) != size ||
                          shl_vtkhdf_frames(path.text) != r->segment / r->every))
            code = EILSEQ;
        if (code != 0)
            return shl_results_fail(r, path.text, code, SHL_NOT_REMEMBERED(code));
    }
    h->synced = h->first;
    return true;
}

// A process that was killed may have got further than its checkpoint.
static void remove_later(const shl_results *r, uint64_t first)
{
    for (; first < r->steps; first += r->segment) {
        if (unlink(segment_path(r, (uint32_t)first).text) != 0)
            return;
    }
}

static bool mark(shl_results *r, void *state, uint32_t step, json_t *outputs)
{
    hdf5 *h = state;
    const shl_path from = file_path(r, h), to = copy_path(r, step);
    const bool open = h->now.file >= 0;
    shl_stream_mark done = {0, 0};
    if (!close_file(r, h))
        return false;
    const int code = open ? copy_file(from.text, to.text, &done) : 0;
    if (code != 0)
        return shl_results_fail(r, to.text, code, NULL);
    errno = 0;
    if (open && !shl_vtkhdf_open(&h->now, from.text))
        return fail(r, h, "it cannot be opened again");
    const uint64_t values[NUMBERS] = {h->first,       h->now.frames,   h->now.points,
                                      h->now.cells,   h->now.parts,    h->now.cell_at,
                                      h->now.part_at, h->now.contacts, h->now.pairs};
    bool good = shl_mark_put(outputs, copy_key, done);
    json_t *row = json_object_get(outputs, copy_key);
    good &= shl_mark_put(row, "topology", (shl_stream_mark){h->now.parts, h->now.topology});
    good &= json_object_set_new(row, "open", json_boolean(open)) == 0;
    good &= json_object_set_new(row, "step", json_integer(step)) == 0;
    for (int i = 0; i < NUMBERS; i++)
        good &= json_object_set_new(row, numbers[i], json_integer((json_int_t)values[i])) == 0;
    good = good && mark_segments(r, h, row);
    return good || shl_results_fail(r, to.text, ENOMEM, NULL);
}

// The copy becomes the file again.
static bool go_on(shl_results *r, hdf5 *h, const json_t *outputs)
{
    const json_t *row = json_object_get(outputs, copy_key);
    const uint32_t step = (uint32_t)json_integer_value(json_object_get(row, "step"));
    const shl_path copy = copy_path(r, step);
    shl_stream_mark mark_then, now;
    uint64_t n[NUMBERS];
    shl_stream_mark topology;
    if (!shl_mark_get(outputs, copy_key, &mark_then) || !get_numbers(row, n) ||
        !shl_mark_get(row, "topology", &topology))
        return shl_results_fail(r, copy.text, EILSEQ, NULL);
    const bool open = json_is_true(json_object_get(row, "open"));
    if (n[0] > r->last || n[0] % r->segment)
        return shl_results_fail(r, copy.text, EILSEQ, NULL);
    h->first = (uint32_t)n[0];
    if (open != (r->last > 0) || (open && (n[0] != (r->last - 1) / r->segment * r->segment ||
                                           n[1] != (r->last - n[0]) / r->every)))
        return shl_results_fail(r, copy.text, EILSEQ, "its frames are not of this run");
    if (!open)
        return true;
    if (!check_segments(r, h, row))
        return false;
    int code = shl_file_check(copy.text, mark_then);
    const shl_path path = file_path(r, h);
    if (code == 0)
        code = copy_file(copy.text, path.text, &now);
    if (code != 0)
        return shl_results_fail(r, copy.text, code, SHL_NOT_REMEMBERED(code));
    errno = 0;
    if (!shl_vtkhdf_open(&h->now, path.text))
        return fail(r, h, "it cannot be opened again");
    h->now.frames = n[1];
    h->now.points = n[2];
    h->now.cells = n[3];
    h->now.parts = n[4];
    h->now.cell_at = n[5];
    h->now.part_at = n[6];
    h->now.contacts = n[7];
    h->now.pairs = n[8];
    h->now.topology = topology.sum;
    return shl_vtkhdf_fits(&h->now) ||
           shl_results_fail(r, path.text, EILSEQ, "it is not what the checkpoint remembers");
}

static bool begin(shl_results *r, void **state, const json_t *outputs)
{
    hdf5 *h = calloc(1, sizeof *h);
    *state = h;
    if (!h)
        return shl_results_fail(r, r->folder->path, ENOMEM, NULL);
    shl_vtkhdf_init(&h->now);
    H5dont_atexit(); // for the same reason as in close_file()
    quiet();
    if (outputs && !go_on(r, h, outputs))
        return false;
    if (r->folder->resume)
        remove_later(r, h->now.file >= 0 ? (uint64_t)h->first + r->segment : 0);
    return true;
}

static bool end(shl_results *r, void *state, bool good)
{
    hdf5 *h = state;
    const bool closed = close_file(r, h);
    const bool wrote = good && closed && shl_xdmf_write(r);
    free(h);
    return wrote;
}

const shl_format shl_format_hdf5 = {"hdf5", NULL, begin, frame, mark, end};
