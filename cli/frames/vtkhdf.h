// SPDX-License-Identifier: MIT
// An HDF5 file in the layout that VTK calls VTKHDF 2.0, PolyData with steps. Triangles are
// written once and again only when they change; every step says where its points and triangles
// begin. Contacts and pairs have groups of their own, which viewers pass over. The group Views
// shows the same arrays frame by frame (virtual datasets, which hold no data), for
// results.xdmf, which tells older viewers of them.
#ifndef SHL_CLI_FRAMES_VTKHDF_H
#define SHL_CLI_FRAMES_VTKHDF_H

#include "cli/frames/h5_blocks.h"
#include "cli/frames/results.h"

enum { SHL_VTKHDF_ARRAYS = 15 };

typedef struct shl_vtkhdf {
    hid_t file;                    // negative: none is open
    hid_t sets[SHL_VTKHDF_ARRAYS]; // open as long as it is
    hsize_t chunk;                 // rows of points
    shl_h5_blocks blocks;          //
    uint64_t frames;               // in it
    uint64_t topology;             // hash of the last part; 0: none
    uint64_t points, cells, parts; // so far, in it
    uint64_t cell_at, part_at;     // where the triangles of the last frame are
    uint64_t contacts, pairs;
} shl_vtkhdf;

// A closed one.
void shl_vtkhdf_init(shl_vtkhdf *h);

// False: it could not; errno may tell why.
bool shl_vtkhdf_create(shl_vtkhdf *h, const char *path, const shl_topology *t);
bool shl_vtkhdf_open(shl_vtkhdf *h, const char *path); // to go on with; sizes stay

// How many frames a file has that is not open; 0: none, or it cannot be read.
uint64_t shl_vtkhdf_frames(const char *path);

// Whether the file that is open holds what the sizes say.
bool shl_vtkhdf_fits(const shl_vtkhdf *h);

// Adds a frame and hands all to the system.
bool shl_vtkhdf_frame(shl_vtkhdf *h, const shl_frame_data *f);

// `failed`: something in it could not be written.
bool shl_vtkhdf_close(shl_vtkhdf *h, bool failed);

#endif
