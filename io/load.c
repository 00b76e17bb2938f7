// SPDX-License-Identifier: MIT
#include "io/load.h"

#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static shoal_status load(int file, char *bytes, size_t *size)
{
    size_t used = 0;
    while (used < *size) {
        ssize_t got = read(file, bytes + used, *size - used);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return SHOAL_ERR_FILE;
        if (got > 0)
            used += (size_t)got;
    }
    *size = used;
    return SHOAL_OK;
}

static shoal_status load_open_file(int file, const char *path, const shoal_allocator *allocator,
                                   shl_file *out, shoal_io_error *error)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", shl_io_reason(errno));
    if (!S_ISREG(info.st_mode))
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s",
                                S_ISDIR(info.st_mode) ? "is a directory"
                                                      : "is not a plain file");
    out->capacity = out->size = (size_t)info.st_size;
    out->bytes = shl_io_alloc(allocator, out->capacity);
    if (!out->bytes && out->capacity)
        return shl_io_fail_file(error, path, SHOAL_ERR_MEMORY, "no memory for %zu bytes",
                                out->capacity);
    if (load(file, out->bytes, &out->size) != SHOAL_OK)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", shl_io_reason(errno));
    return SHOAL_OK;
}

shoal_status shl_file_load(const char *path, const shoal_allocator *allocator, shl_file *out,
                           shoal_io_error *error)
{
    *out = (shl_file){0};
    // Without O_NONBLOCK a pipe would be waited for before it can be refused.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", shl_io_reason(errno));
    shoal_status status = load_open_file(file, path, allocator, out, error);
    close(file);
    if (status != SHOAL_OK)
        shl_file_drop(out, allocator);
    return status;
}

void shl_file_drop(shl_file *file, const shoal_allocator *allocator)
{
    shl_io_free(allocator, file->bytes, file->capacity);
    *file = (shl_file){0};
}
