// SPDX-License-Identifier: MIT
// HDF5 in a few words: groups, attributes, arrays that grow, and views of them. False: it
// could not.
#ifndef SHL_CLI_FRAMES_H5_ROWS_H
#define SHL_CLI_FRAMES_H5_ROWS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

// How an object of a class is made: without the time, so that equal runs give equal bytes.
// Negative: it could not.
hid_t shl_h5_creation(hid_t property_class);

// A dataset that grows by rows of `width` numbers; width 0: one number a row.
bool shl_h5_array(hid_t where, const char *name, hid_t type, hsize_t width, hsize_t chunk);

// Appends rows at `at`, to an array that is open or by its path.
bool shl_h5_append_to(hid_t set, hid_t type, hsize_t width, hsize_t at, hsize_t rows,
                      const void *data);
bool shl_h5_append(hid_t file, const char *path, hid_t type, hsize_t width, hsize_t at,
                   hsize_t rows, const void *data);

bool shl_h5_append_number(hid_t file, const char *path, hsize_t at, int64_t value);

bool shl_h5_attribute(hid_t where, const char *name, hid_t type, hsize_t count,
                      const void *data);

bool shl_h5_group(hid_t file, const char *path);

// A dataset that shows rows of another one in the same file, `width` numbers each. The source
// may have the same numbers one a row.
bool shl_h5_view(hid_t file, const char *path, hid_t type, hsize_t rows, hsize_t width,
                 const char *source, bool flat, hsize_t at);

#endif
