// SPDX-License-Identifier: MIT
// Checkpoints: what a run needs to go on, in one file. All numbers are little endian.
//
//   magic[8] | version u32 | section_count u32 | file_size u64                 24 bytes
//   for each section: tag[4] | flags u32 | size u64 | raw u64 | checksum u64   32 bytes
//   checksum u64 of all of the above
//   the sections, one after another, each followed by zeros up to a multiple of 8
//
// A section's checksum (XXH3, 64 bits) covers its bytes and the zeros, so that each byte of a
// file belongs to exactly one. `raw` is its size before compression. Sections that a reader
// does not know are skipped, unless they are marked as needed.
//
//   HEAD  needed        JSON: the step, hashes, sums so far, lengths of the outputs
//   STAT  needed, zstd  what the scene's motion carries from step to step
//
// A file appears under its name only when it is whole and on the disk; the run keeps two.
#ifndef SHL_CLI_RUN_CHECKPOINT_H
#define SHL_CLI_RUN_CHECKPOINT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHL_CHECKPOINT_MAGIC "\x89SHLCP\r\n"

enum {
    SHL_CHECKPOINT_VERSION = 2, // 2: SHOAL_HASH_VERSION 2
    SHL_CHECKPOINT_HEAD = 24,
    SHL_CHECKPOINT_ROW = 32,
    SHL_CHECKPOINT_SECTIONS_MAX = 16,
    SHL_CHECKPOINT_NEEDED = 1, // flags
    SHL_CHECKPOINT_ZSTD = 2,
};

typedef struct shl_checkpoint {
    json_t *head; // an object
    void *state;  // [state_size]
    size_t state_size;
} shl_checkpoint;

typedef struct shl_checkpoint_error {
    char text[160]; // follows the file's name
} shl_checkpoint_error;

// Writes it whole or not at all. The errno.
int shl_checkpoint_write(const char *path, const shl_checkpoint *checkpoint);

// Reads one whose state is at most `most` bytes long; for no longer one is memory asked for.
// False: `error` says why, and `*out` is empty.
bool shl_checkpoint_read(const char *path, size_t most, shl_checkpoint *out,
                         shl_checkpoint_error *error);
bool shl_checkpoint_parse(const char *bytes, size_t size, size_t most, shl_checkpoint *out,
                          shl_checkpoint_error *error);
void shl_checkpoint_finish(shl_checkpoint *checkpoint);

#endif
