// SPDX-License-Identifier: MIT
#include "cli/run/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

static int start(shl_stream *s, const char *path, int flags)
{
    *s = SHL_STREAM_CLOSED;
    if ((size_t)snprintf(s->path, sizeof s->path, "%s", path) >= sizeof s->path)
        return s->code = ENAMETOOLONG;
    s->buffer = malloc(ROOM);
    s->sum = XXH3_createState();
    if (!s->buffer || !s->sum)
        return s->code = ENOMEM;
    XXH3_64bits_reset(s->sum);
    s->file = open(path, flags | O_CLOEXEC, 0666);
    if (s->file < 0)
        return s->code = errno;
    // a job that was submitted twice must not write into the files of the first
    return s->code = flock(s->file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

int shl_stream_create(shl_stream *s, const char *path)
{
    if (start(s, path, O_RDWR | O_CREAT) == 0 && ftruncate(s->file, 0) != 0)
        s->code = errno;
    return s->code;
}

// Reads `size` bytes on. The errno; EILSEQ: there are fewer.
static int add_file(int file, uint64_t size, char *room, XXH3_state_t *sum)
{
    while (size > 0) {
        const ssize_t got = read(file, room, size < ROOM ? (size_t)size : ROOM);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EILSEQ;
        XXH3_64bits_update(sum, room, (size_t)got);
        size -= (uint64_t)got;
    }
    return 0;
}

int shl_stream_reopen(shl_stream *s, const char *path, shl_stream_mark mark)
{
    if (start(s, path, O_RDWR) != 0)
        return s->code;
    s->code = add_file(s->file, mark.size, s->buffer, s->sum);
    s->size = mark.size;
    if (s->code == 0 && XXH3_64bits_digest(s->sum) != mark.sum)
        s->code = EILSEQ;
    if (s->code == 0 && ftruncate(s->file, (off_t)mark.size) != 0)
        s->code = errno;
    return s->code;
}

int shl_stream_flush(shl_stream *s)
{
    for (size_t done = 0; done < s->used && s->code == 0;) {
        const ssize_t put = write(s->file, s->buffer + done, s->used - done);
        if (put < 0 && errno != EINTR)
            s->code = errno;
        if (put > 0)
            done += (size_t)put;
    }
    s->used = 0;
    return s->code;
}

void shl_stream_put(shl_stream *s, const void *bytes, size_t size)
{
    if (s->code != 0)
        return;
    XXH3_64bits_update(s->sum, bytes, size);
    s->size += size;
    while (size > 0 && s->code == 0) {
        const size_t now = size < ROOM - s->used ? size : ROOM - s->used;
        memcpy(s->buffer + s->used, bytes, now);
        s->used += now;
        bytes = (const char *)bytes + now;
        size -= now;
        if (s->used == ROOM)
            shl_stream_flush(s);
    }
}

int shl_stream_sync(shl_stream *s)
{
    if (shl_stream_flush(s) == 0 && fsync(s->file) != 0)
        s->code = errno;
    return s->code;
}

shl_stream_mark shl_stream_where(const shl_stream *s)
{
    return (shl_stream_mark){s->size, XXH3_64bits_digest(s->sum)};
}

int shl_stream_close(shl_stream *s)
{
    if (s->file >= 0) {
        shl_stream_flush(s);
        if (close(s->file) != 0 && s->code == 0)
            s->code = errno;
    }
    free(s->buffer);
    XXH3_freeState(s->sum);
    s->file = -1;
    s->buffer = NULL;
    s->sum = NULL;
    return s->code;
}

int shl_file_mark(const char *path, shl_stream_mark *out)
{
    char *room = malloc(ROOM);
    XXH3_state_t *state = XXH3_createState();
    struct stat about;
    const int file = room && state ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    int code = !room || !state ? ENOMEM : file < 0 || fstat(file, &about) != 0 ? errno : 0;
    if (code == 0) {
        XXH3_64bits_reset(state);
        out->size = (uint64_t)about.st_size;
        code = add_file(file, out->size, room, state);
        out->sum = XXH3_64bits_digest(state);
    }
    if (file >= 0)
        close(file);
    free(room);
    XXH3_freeState(state);
    return code;
}

int shl_file_check(const char *path, shl_stream_mark mark)
{
    struct stat about;
    shl_stream_mark now;
    if (stat(path, &about) != 0)
        return errno;
    if ((uint64_t)about.st_size != mark.size) // told without reading it
        return EILSEQ;
    const int code = shl_file_mark(path, &now);
    return code != 0 ? code : now.size == mark.size && now.sum == mark.sum ? 0 : EILSEQ;
}
