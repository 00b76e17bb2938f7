// SPDX-License-Identifier: MIT
// What a PLY header says.
#ifndef SHL_IO_PLY_H
#define SHL_IO_PLY_H

#include "io/reader.h"

enum { SHL_PLY_ELEMENTS = 64, SHL_PLY_PROPERTIES = 1024 };

typedef enum shl_ply_encoding { SHL_PLY_TEXT, SHL_PLY_LITTLE, SHL_PLY_BIG } shl_ply_encoding;

typedef enum shl_ply_type {
    SHL_PLY_NONE,
    SHL_PLY_I8,
    SHL_PLY_U8,
    SHL_PLY_I16,
    SHL_PLY_U16,
    SHL_PLY_I32,
    SHL_PLY_U32,
    SHL_PLY_F32,
    SHL_PLY_F64,
} shl_ply_type;

// What a property is to us.
typedef enum shl_ply_role {
    SHL_PLY_X,
    SHL_PLY_Y,
    SHL_PLY_Z,
    SHL_PLY_FACE,  // a list of corners
    SHL_PLY_STRIP, // a list of strips, each ended by -1
    SHL_PLY_OTHER, // passed over
} shl_ply_role;

typedef struct shl_ply_property {
    shl_ply_type count_type; // SHL_PLY_NONE: not a list
    shl_ply_type type;
    shl_ply_role role;
} shl_ply_property;

typedef enum shl_ply_kind {
    SHL_PLY_REST,
    SHL_PLY_VERTICES,
    SHL_PLY_FACES,
    SHL_PLY_STRIPS
} shl_ply_kind;

typedef struct shl_ply_element {
    shl_ply_kind kind;
    uint64_t row_count;
    uint32_t first, property_count; // its run of properties
    uint32_t roles;                 // bit per shl_ply_role it has
} shl_ply_element;

typedef struct shl_ply {
    shl_ply_encoding encoding;
    uint32_t element_count, property_count;
    uint64_t vertex_count;
    shl_ply_element elements[SHL_PLY_ELEMENTS];
    shl_ply_property properties[SHL_PLY_PROPERTIES];
} shl_ply;

// Bytes of a type in binary data.
size_t shl_ply_size(shl_ply_type type);

// From "ply" to the first byte of data; FORMAT unless there are vertices with x, y and z.
SHOAL_CHECK shoal_status shl_ply_read_header(shl_reader *r, shl_ply *out);

#endif
