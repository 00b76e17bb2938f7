// SPDX-License-Identifier: MIT
// How a model file is laid out. All numbers are little endian.
//
//   magic[8] | version u32 | section_count u32 | file_size u64       24 bytes
//   for each section: tag[4] | flags u32 | size u64 | checksum u64   24 bytes
//   checksum u64 of all of the above
//   the sections, one after another
//
// A section is followed by zeros up to the next multiple of 8, so that every array can be read
// in place; its size does not count them, its checksum covers them. So each byte of a file
// belongs to exactly one checksum. A reader skips sections that it does not know, unless they
// are marked as needed: a later kind of model is refused, not mistaken for another one.
//
//   SIZE  needed  vertex_count, triangle_count, field_count, scalar (0 float32, 1 float64): u32
//   TRIS  needed  [3 triangle_count] u32
//   REST  needed  [3 vertex_count] of the scalar
//   FLDS  needed  [field_count][vertex_count][3] float32; absent without fields
//   FREQ          [field_count] float64, hertz
//   MASS          [field_count] float64
//   MOVE          [frames][field_count] float64, as many frames as there are
//   PNTS  needed  control_count u32, 0 u32, weight_count u64; this and the next four with
//   control points
//                 only
//   NODE  needed  [3 control_count] float64
//   WBEG  needed  [vertex_count + 1] u32
//   WNOD  needed  [weight_count] u32
//   WGHT  needed  [weight_count] float32
//   RADI          [control_count] float64
//   NMAS          [control_count] float64
//   NAME          text
//
// Checksums are XXH3 with 64 bits: a damaged file goes unnoticed once in 2^64, where 32 bits
// would let one in four billion pass; it is faster than any disk, so that no one has a reason
// to leave it out; and its values are fixed for good since version 0.8 of the library. It is no
// protection against someone who means harm: the reader believes nothing that it reads.
#ifndef SHL_IO_MODEL_FORMAT_H
#define SHL_IO_MODEL_FORMAT_H

#include "io/reader.h"

#include <shoal/model_file.h>
#include <xxhash.h>

// As in PNG: 0x89 shows that the eighth bit survived, the line end that no one translated it.
#define SHL_MODEL_MAGIC "\x89SHOAL\r\n"

enum {
    SHL_MODEL_VERSION = 1,
    SHL_MODEL_HEAD = 24,
    SHL_MODEL_ROW = 24,     // of the table
    SHL_MODEL_CHECKSUM = 8, // behind the table
    SHL_MODEL_ALIGN = 8,
    SHL_MODEL_SECTIONS_MAX = 64,
    SHL_MODEL_SIZES = 16, // bytes of SIZE, and of PNTS
    SHL_MODEL_NEEDED = 1, // in flags; no others yet
};

// The sections, in the order they are written.
typedef enum shl_model_part {
    SHL_MODEL_SIZE,
    SHL_MODEL_NAME,
    SHL_MODEL_TRIS,
    SHL_MODEL_REST,
    SHL_MODEL_FLDS,
    SHL_MODEL_FREQ,
    SHL_MODEL_MASS,
    SHL_MODEL_MOVE,
    SHL_MODEL_PNTS,
    SHL_MODEL_NODE,
    SHL_MODEL_WBEG,
    SHL_MODEL_WNOD,
    SHL_MODEL_WGHT,
    SHL_MODEL_RADI,
    SHL_MODEL_NMAS,
    SHL_MODEL_PARTS
} shl_model_part;

typedef struct shl_model_tag {
    char text[5];
    uint32_t flags;
} shl_model_tag;
extern const shl_model_tag shl_model_tags[SHL_MODEL_PARTS];

static inline uint64_t shl_model_checksum(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

static inline uint64_t shl_model_padded(uint64_t size)
{
    return (size + SHL_MODEL_ALIGN - 1) / SHL_MODEL_ALIGN * SHL_MODEL_ALIGN;
}

// The rule that control points and weights break, and where; for the reader and the writer. All
// arrays have the lengths that the counts say.
typedef struct shl_skinned_fault {
    shl_model_part part; // SHL_MODEL_PARTS: none
    size_t entry;        // of the section's array
    char text[96];
} shl_skinned_fault;
shl_skinned_fault shl_skinned_fault_of(const shoal_model_file *file);

// All of shoal_model_file_read() for a model file but the file. `error` is not NULL.
SHOAL_CHECK shoal_status shl_model_parse(const shl_source *source,
                                         const shoal_allocator *allocator,
                                         shoal_model_file *out, shoal_io_error *error);

#endif
