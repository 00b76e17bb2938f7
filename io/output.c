// SPDX-License-Identifier: MIT
#include "io/output.h"

#include "io/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void shl_output_init(shl_output *out, const char *path)
{
    out->used = 0;
    out->file = shl_open_beside(path, &out->place);
    out->code = out->file < 0 ? errno : 0;
}

static void flush(shl_output *out)
{
    for (size_t done = 0; done < out->used && out->code == 0;) {
        ssize_t put = write(out->file, out->buffer + done, out->used - done);
        if (put < 0 && errno != EINTR)
            out->code = errno;
        if (put > 0)
            done += (size_t)put;
    }
    out->used = 0;
}

// A new name is on the disk only when its folder is. The file itself is whole by then, so a
// file system that cannot do this is no reason to fail.
static void sync_folder(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash + 1 - path) : 1;
    if (length >= sizeof folder)
        return; // no file has such a name
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    close(file);
}

int shl_output_finish(shl_output *out)
{
    flush(out);
    if (out->file < 0)
        return out->code;
    // Else the new name could be on the disk before the content, and a machine that fails in
    // between would leave an empty file instead of the old one.
    if (out->code == 0 && !out->place.in_place && fsync(out->file) != 0)
        out->code = errno;
    if (close(out->file) != 0 && out->code == 0)
        out->code = errno;
    if (out->place.in_place)
        return out->code;
    if (out->code == 0 && rename(out->place.name, out->place.target) != 0)
        out->code = errno;
    if (out->code != 0)
        unlink(out->place.name);
    else
        sync_folder(out->place.target);
    return out->code;
}

void shl_put_bytes(shl_output *out, const void *bytes, size_t size)
{
    for (size_t done = 0, now; done < size && out->code == 0; done += now) {
        if (out->used == sizeof out->buffer)
            flush(out);
        const size_t room = sizeof out->buffer - out->used;
        now = size - done < room ? size - done : room;
        memcpy(out->buffer + out->used, (const char *)bytes + done, now);
        out->used += now;
    }
}

void shl_put_text(shl_output *out, const char *format, ...)
{
    char text[256], *all = text; // most lines are shorter
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= (int)sizeof text) {
        va_start(args, format);
        length = vasprintf(&all, format, args);
        va_end(args);
    }
    if (length >= 0)
        shl_put_bytes(out, all, (size_t)length);
    else if (out->code == 0)
        out->code = ENOMEM;
    if (length >= (int)sizeof text)
        free(all);
}

void shl_put_u32(shl_output *out, uint32_t value)
{
    char bytes[sizeof value];
    shl_set_bits(bytes, value, sizeof value);
    shl_put_bytes(out, bytes, sizeof bytes);
}

void shl_put_f32(shl_output *out, float value)
{
    char bytes[sizeof value];
    shl_set_f32(bytes, value);
    shl_put_bytes(out, bytes, sizeof bytes);
}

void shl_put_f64(shl_output *out, double value)
{
    char bytes[sizeof value];
    shl_set_f64(bytes, value);
    shl_put_bytes(out, bytes, sizeof bytes);
}
