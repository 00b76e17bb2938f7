// SPDX-License-Identifier: MIT
// Loaded before the C library: makes writing fail. SHOAL_FAULT is CALL:ERROR:NTH:PART, where
// CALL is write, fsync, rename or open, ERROR an errno or 0 for writes of at most seven bytes,
// NTH the call that fails first, and all later ones with it unless ERROR is negative, and PART
// occurs in the file's name.
#undef _FILE_OFFSET_BITS // else open() is open64() and cannot be told from it
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static struct {
    char call[16], part[64];
    int error, nth, seen;
} fault;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void read_fault(void)
{
    const char *text = getenv("SHOAL_FAULT");
    if (!text || sscanf(text, "%15[^:]:%d:%d:%63s", fault.call, &fault.error, &fault.nth,
                        fault.part) != 4)
        fault.call[0] = '\0';
}

// Whether this call is to fail, or to be short.
static bool strikes(const char *call, const char *path)
{
    pthread_once(&once, read_fault);
    if (strcmp(call, fault.call) != 0 || !strstr(path, fault.part))
        return false;
    pthread_mutex_lock(&lock);
    const bool now = ++fault.seen == fault.nth || (fault.seen > fault.nth && fault.error >= 0);
    pthread_mutex_unlock(&lock);
    return now;
}

static bool strikes_file(const char *call, int file)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return strikes(call, path);
}

// A function of the C library, without a cast that C has no name for.
#define REAL(type, name)                                                                       \
    type real;                                                                                 \
    void *found = dlsym(RTLD_NEXT, name);                                                      \
    memcpy(&real, &found, sizeof real)

typedef ssize_t write_fn(int, const void *, size_t);
typedef ssize_t pwrite_fn(int, const void *, size_t, off_t);
typedef int fsync_fn(int);
typedef int rename_fn(const char *, const char *);
typedef int open_fn(const char *, int, ...);

ssize_t write(int file, const void *bytes, size_t size)
{
    REAL(write_fn *, "write");
    if (strikes_file("write", file)) {
        if (fault.error) {
            errno = abs(fault.error);
            return -1;
        }
        size = size > 7 ? 7 : size;
    }
    return real(file, bytes, size);
}

static ssize_t put_at(const char *name, int file, const void *bytes, size_t size, off_t at)
{
    REAL(pwrite_fn *, name);
    if (strikes_file("write", file)) {
        if (fault.error) {
            errno = abs(fault.error);
            return -1;
        }
        size = size > 7 ? 7 : size;
    }
    return real(file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at)
{
    return put_at("pwrite", file, bytes, size, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
    return put_at("pwrite64", file, bytes, size, (off_t)at);
}

int fsync(int file)
{
    REAL(fsync_fn *, "fsync");
    if (strikes_file("fsync", file)) {
        errno = abs(fault.error);
        return -1;
    }
    return real(file);
}

int rename(const char *from, const char *to)
{
    REAL(rename_fn *, "rename");
    if (strikes("rename", to)) {
        errno = abs(fault.error);
        return -1;
    }
    return real(from, to);
}

static int open_by(const char *name, const char *path, int flags, mode_t mode)
{
    REAL(open_fn *, name);
    if ((flags & O_ACCMODE) != O_RDONLY && strikes("open", path)) {
        errno = abs(fault.error);
        return -1;
    }
    return real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_by("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_by("open64", path, flags, mode);
}
