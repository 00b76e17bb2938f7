// SPDX-License-Identifier: MIT
// Points of frames and large lists of triangles, which are nearly all that a file holds: whole
// pages, written to where HDF5 has set a place aside for them, from our memory to the disk
// without a copy in the system's cache, which costs more of a core than working the points out.
#ifndef SHL_CLI_FRAMES_H5_BLOCKS_H
#define SHL_CLI_FRAMES_H5_BLOCKS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

enum { SHL_H5_CHUNK_MAX = 1 << 20 }; // rows

typedef struct shl_h5_blocks {
    int direct, cached; // the file, opened in two ways; negative: not
    uint32_t wait;      // blocks that still go through the cache, since the disk was slow
} shl_h5_blocks;

#define SHL_H5_BLOCKS_CLOSED ((shl_h5_blocks){-1, -1, 0})

// How files are opened: places of large chunks begin with a page. Negative: it could not.
hid_t shl_h5_access(void);

// Rows of a chunk for frames of so many points: all of them in whole pages, but not more than
// 12 MB at once.
hsize_t shl_h5_chunk(hsize_t points);

// An empty array of rows of `width` numbers, with places for whole chunks; width 0: one number
// a row.
bool shl_h5_block_array(hid_t file, const char *path, hid_t type, hsize_t width, hsize_t chunk);

// Opens the file beside HDF5's own handle, and closes it.
bool shl_h5_blocks_open(shl_h5_blocks *blocks, const char *path);
void shl_h5_blocks_close(shl_h5_blocks *blocks);

// Rows of `row` bytes for an array that ends at `at`, which is where a chunk begins, and that
// is to have `size` rows then. `bytes` begins with a page and has zeros up to a multiple of
// SHL_SKINNED_ROWS.
bool shl_h5_blocks_put(shl_h5_blocks *blocks, hid_t set, hsize_t chunk, size_t row, hsize_t at,
                       hsize_t rows, hsize_t size, const void *bytes);

// Rows up to where the next chunk begins.
hsize_t shl_h5_chunks_end(hsize_t chunk, hsize_t rows);

#endif
