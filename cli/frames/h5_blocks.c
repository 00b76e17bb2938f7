// SPDX-License-Identifier: MIT
#include "cli/frames/h5_blocks.h"

#include "cli/frames/h5_rows.h"
#include "cli/frames/results.h"
#include "cli/run/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
    DIRECT_MIN = 1 << 18, // bytes: below, the cache is no worse
    WAIT = 16,            // blocks before a slow disk is tried again
};
static const double slow = 1.0 / 150e6; // seconds a byte: frames would have to wait

hid_t shl_h5_access(void)
{
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (list >= 0 && H5Pset_alignment(list, SHL_PAGE, SHL_PAGE) < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

static hsize_t padded(hsize_t rows)
{
    return (rows + SHL_SKINNED_ROWS - 1) / SHL_SKINNED_ROWS * SHL_SKINNED_ROWS;
}

hsize_t shl_h5_chunk(hsize_t points)
{
    const hsize_t chunks = (points + SHL_H5_CHUNK_MAX - 1) / SHL_H5_CHUNK_MAX;
    return chunks ? padded((points + chunks - 1) / chunks) : SHL_SKINNED_ROWS;
}

bool shl_h5_block_array(hid_t file, const char *path, hid_t type, hsize_t width, hsize_t chunk)
{
    const hsize_t none[2] = {0, width}, most[2] = {H5S_UNLIMITED, width};
    const hsize_t chunks[2] = {chunk, width};
    const int rank = width ? 2 : 1;
    const hid_t space = H5Screate_simple(rank, none, most),
                list = shl_h5_creation(H5P_DATASET_CREATE);
    const bool good = space >= 0 && list >= 0 && H5Pset_chunk(list, rank, chunks) >= 0 &&
                      H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
                      H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0;
    const hid_t set =
        good ? H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    if (space >= 0)
        H5Sclose(space);
    if (list >= 0)
        H5Pclose(list);
    return set >= 0 && H5Dclose(set) >= 0;
}

bool shl_h5_blocks_open(shl_h5_blocks *b, const char *path)
{
    *b = SHL_H5_BLOCKS_CLOSED;
    b->cached = open(path, O_WRONLY | O_CLOEXEC);
    if (b->cached >= 0) // not every file system can
        b->direct = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
    return b->cached >= 0;
}

void shl_h5_blocks_close(shl_h5_blocks *b)
{
    if (b->direct >= 0)
        close(b->direct);
    if (b->cached >= 0)
        close(b->cached);
    *b = SHL_H5_BLOCKS_CLOSED;
}

static bool put(shl_h5_blocks *b, const char *bytes, size_t size, off_t at)
{
    bool direct = b->direct >= 0 && size >= DIRECT_MIN && b->wait == 0;
    const bool timed = direct;
    const double begin = shl_now_s();
    for (size_t done = 0; done < size;) {
        const ssize_t n =
            pwrite(direct ? b->direct : b->cached, bytes + done, size - done, at + (off_t)done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno == EINVAL && direct)
            direct = false; // an odd rest, or a file system that cannot after all
        else if (n == 0 || errno != EINTR)
            return false;
    }
    b->wait -= b->wait > 0;
    if (timed && (!direct || shl_now_s() - begin > slow * (double)size))
        b->wait = WAIT;
    return true;
}

hsize_t shl_h5_chunks_end(hsize_t chunk, hsize_t rows)
{
    return (rows + chunk - 1) / chunk * chunk;
}

bool shl_h5_blocks_put(shl_h5_blocks *b, hid_t set, hsize_t chunk, size_t row, hsize_t at,
                       hsize_t rows, hsize_t size, const void *bytes)
{
    const hsize_t all = padded(rows);
    hsize_t shape[2] = {0, 0};
    const hid_t space = H5Dget_space(set);
    const bool known = space >= 0 && H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    shape[0] = size;
    if (!known || H5Dset_extent(set, shape) < 0)
        return false;
    for (hsize_t done = 0; done < all && done < rows;) {
        const hsize_t where[2] = {at + done, 0};
        const hsize_t now = all - done < chunk ? all - done : chunk;
        haddr_t place = HADDR_UNDEF;
        hsize_t room = 0;
        unsigned filters = 0;
        if (H5Dget_chunk_info_by_coord(set, where, &filters, &place, &room) < 0 ||
            place == HADDR_UNDEF || room != chunk * row)
            return false;
        if (!put(b, (const char *)bytes + done * row, now * row, (off_t)place))
            return false;
        done += now;
    }
    return true;
}
