// SPDX-License-Identifier: MIT
#include "io/output.h"

#include "io/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
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
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - path), path);
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
    if (size > sizeof out->buffer - out->used)
        flush(out);
    memcpy(out->buffer + out->used, bytes, size);
    out->used += size;
}

void shl_put_text(shl_output *out, const char *format, ...)
{
    char text[256]; // more than any line here
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shl_put_bytes(out, text, (size_t)length);
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
