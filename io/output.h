// SPDX-License-Identifier: MIT
// A file that appears under its name only when it is complete. Devices and pipes (draft.h) are
// written as it comes.
#ifndef SHL_IO_OUTPUT_H
#define SHL_IO_OUTPUT_H

#include "io/draft.h"

#include <shoal/io.h>

typedef struct shl_output {
    int file;
    int code; // errno of the first failure; later writes do nothing
    size_t used;
    shl_place place;
    char buffer[1 << 16];
} shl_output;

// Open a new file in the folder of `path`.
void shl_output_init(shl_output *out, const char *path);

// Give the file its name when all went well and is on the disk, remove it otherwise. The errno,
// 0 when done.
int shl_output_finish(shl_output *out);

// Any number of bytes, a text of any length.
void shl_put_bytes(shl_output *out, const void *bytes, size_t size);
__attribute__((format(printf, 2, 3))) void shl_put_text(shl_output *out, const char *format,
                                                        ...);
// Whether a mesh can be read back from a format whose largest number is given. ARGUMENT if not;
// reported.
SHOAL_CHECK shoal_status shl_check_mesh(const char *path, const shoal_mesh *mesh,
                                        double largest, shoal_io_error *error);

// Little endian.
void shl_put_u32(shl_output *out, uint32_t value);
void shl_put_f32(shl_output *out, float value);
void shl_put_f64(shl_output *out, double value);

#endif
