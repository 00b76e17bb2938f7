// SPDX-License-Identifier: MIT
#include "cli/frames/h5_rows.h"

hid_t shl_h5_creation(hid_t property_class)
{
    const hid_t list = H5Pcreate(property_class);
    if (list >= 0 && H5Pset_obj_track_times(list, false) < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

bool shl_h5_array(hid_t where, const char *name, hid_t type, hsize_t width, hsize_t chunk)
{
    const hsize_t none[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
    const hsize_t chunks[2] = {chunk ? chunk : 1, width};
    const int rank = width ? 2 : 1;
    const hid_t space = H5Screate_simple(rank, none, most),
                list = shl_h5_creation(H5P_DATASET_CREATE);
    bool good = space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunks) >= 0 &&
                H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
    const hid_t set =
        good ? H5Dcreate2(where, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    good = set >= 0 && H5Dclose(set) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (list >= 0)
        H5Pclose(list);
    return good;
}

bool shl_h5_append_to(hid_t set, hid_t type, hsize_t width, hsize_t at, hsize_t rows,
                      const void *data)
{
    const hsize_t start[2] = {at, 0}, count[2] = {rows, width}, size[2] = {at + rows, width};
    if (rows == 0)
        return true;
    if (H5Dset_extent(set, size) < 0)
        return false;
    const hid_t space = H5Dget_space(set);
    const hid_t memory = H5Screate_simple(width ? 2 : 1, count, NULL);
    const bool good =
        space >= 0 && memory >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dwrite(set, type, memory, space, H5P_DEFAULT, data) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return good;
}

bool shl_h5_append(hid_t file, const char *path, hid_t type, hsize_t width, hsize_t at,
                   hsize_t rows, const void *data)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    const bool good = set >= 0 && shl_h5_append_to(set, type, width, at, rows, data);
    return set >= 0 && H5Dclose(set) >= 0 && good;
}

bool shl_h5_append_number(hid_t file, const char *path, hsize_t at, int64_t value)
{
    return shl_h5_append(file, path, H5T_NATIVE_INT64, 0, at, 1, &value);
}

bool shl_h5_attribute(hid_t where, const char *name, hid_t type, hsize_t count,
                      const void *data)
{
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    const bool there = H5Aexists(where, name) > 0;
    const hid_t a = there ? H5Aopen(where, name, H5P_DEFAULT)
                          : H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = a >= 0 && H5Awrite(a, type, data) >= 0;
    if (space >= 0)
        H5Sclose(space);
    return a >= 0 && H5Aclose(a) >= 0 && good;
}

bool shl_h5_group(hid_t file, const char *path)
{
    const hid_t list = shl_h5_creation(H5P_GROUP_CREATE);
    const hid_t g =
        list >= 0 ? H5Gcreate2(file, path, H5P_DEFAULT, list, H5P_DEFAULT) : (hid_t)-1;
    if (list >= 0)
        H5Pclose(list);
    return g >= 0 && H5Gclose(g) >= 0;
}

bool shl_h5_view(hid_t file, const char *path, hid_t type, hsize_t rows, hsize_t width,
                 const char *source, bool flat, hsize_t at)
{
    const hsize_t shape[2] = {rows, width};
    const hsize_t start[2] = {flat ? at * (width ? width : 1) : at, 0};
    const hsize_t count[2] = {flat ? rows * (width ? width : 1) : rows, width};
    const hsize_t size[2] = {start[0] + count[0], width}, most[2] = {H5S_UNLIMITED, width};
    const hid_t space = H5Screate_simple(width ? 2 : 1, shape, NULL);
    const hid_t from = H5Screate_simple(flat ? 1 : 2, size, most);
    const hid_t list = shl_h5_creation(H5P_DATASET_CREATE);
    const bool good =
        space >= 0 && from >= 0 && list >= 0 &&
        H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Pset_virtual(list, space, ".", source, from) >= 0;
    const hid_t set =
        good ? H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    const bool made = set >= 0 && H5Dclose(set) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (from >= 0)
        H5Sclose(from);
    if (list >= 0)
        H5Pclose(list);
    return made;
}
