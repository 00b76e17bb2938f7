// SPDX-License-Identifier: MIT
// An output that only grows, and knows its length and checksum: after an interruption it is
// verified and cut back to where a checkpoint says it was.
#ifndef SHL_CLI_RUN_STREAM_H
#define SHL_CLI_RUN_STREAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

typedef struct shl_stream {
    int file;      // -1: closed
    int code;      // errno of the first failure; later calls do nothing
    uint64_t size; // bytes put
    XXH3_state_t *sum;
    size_t used;
    char *buffer;
    char path[PATH_MAX];
} shl_stream;

// A closed stream.
#define SHL_STREAM_CLOSED ((shl_stream){.file = -1})

// Where a stream was: what a checkpoint keeps of it.
typedef struct shl_stream_mark {
    uint64_t size, sum;
} shl_stream_mark;

// Opens a new file; what was there is gone. The errno, 0 when done. Locked: EWOULDBLOCK while
// another process has it open.
int shl_stream_create(shl_stream *s, const char *path);

// Opens the file again if its first `mark.size` bytes have that checksum, and cuts off the
// rest. The errno; EILSEQ: it is shorter, or holds other bytes. The file is then unchanged.
int shl_stream_reopen(shl_stream *s, const char *path, shl_stream_mark mark);

void shl_stream_put(shl_stream *s, const void *bytes, size_t size);

// Hands all to the system, or on to the disk. The errno.
int shl_stream_flush(shl_stream *s);
int shl_stream_sync(shl_stream *s);

shl_stream_mark shl_stream_where(const shl_stream *s);

// The first errno of all. Closed streams are fine.
int shl_stream_close(shl_stream *s);

// Length and checksum of a whole file. The errno.
int shl_file_mark(const char *path, shl_stream_mark *out);

// Whether a file is what it was. The errno; EILSEQ: it is not.
int shl_file_check(const char *path, shl_stream_mark mark);

#endif
