// SPDX-License-Identifier: MIT
// Formats with one file per frame: frame-STEP.SUFFIX. frames-SUFFIX.jsonl lists their lengths
// and checksums, by which they are verified when a run goes on.
#ifndef SHL_CLI_FRAMES_FRAME_FILES_H
#define SHL_CLI_FRAMES_FRAME_FILES_H

#include "cli/frames/results.h"
#include "io/output.h"

// A file while it is written, and its checksum so far.
typedef struct shl_frame_sink {
    shl_output *out;
    XXH3_state_t *sum;
    uint64_t size;
} shl_frame_sink;

void shl_frame_put(shl_frame_sink *sink, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void shl_frame_text(shl_frame_sink *sink,
                                                          const char *format, ...);

// Row `index` of an array of fixed-size rows, little endian.
typedef void shl_frame_row_fn(const shl_frame_data *frame, char *to, uint64_t index);
void shl_frame_rows(shl_frame_sink *sink, const shl_frame_data *frame, uint64_t count,
                    size_t bytes, shl_frame_row_fn *row);

// Rows of both formats: a point of the frame as three float32.
shl_frame_row_fn shl_frame_row_point;

typedef struct shl_frame_files shl_frame_files;

// What the functions of a shl_format of the same names do. `suffix` is a literal.
bool shl_frame_files_begin(shl_results *results, void **state, const char *suffix,
                           const json_t *outputs);
bool shl_frame_files_frame(shl_results *results, shl_frame_files *files,
                           const shl_frame_data *frame,
                           void (*put)(shl_frame_sink *sink, const shl_frame_data *frame));
bool shl_frame_files_mark(shl_results *results, void *files, uint32_t step, json_t *outputs);
bool shl_frame_files_end(shl_results *results, void *files, bool good);

#endif
