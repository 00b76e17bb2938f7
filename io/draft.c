// SPDX-License-Identifier: MIT
#include "io/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int shl_open_beside(const char *path, bool *in_place, char name[PATH_MAX])
{
    struct stat about;
    const bool there = lstat(path, &about) == 0;
    *in_place = there && !S_ISREG(about.st_mode);
    if (there && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (*in_place)
        return open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash + 1 - path) : 0;
    int file = -1;
    errno = EEXIST;
    // Hidden and short: a name made from a long one might not be allowed.
    for (unsigned attempt = 0; attempt < 1000 && file < 0 && errno == EEXIST; attempt++) {
        const int length = snprintf(name, PATH_MAX, "%.*s.shoal-%ld-%u.tmp", folder, path,
                                    (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file;
}

bool shl_draft_open(shl_draft *d, const char *path)
{
    const int file = shl_open_beside(path, &d->in_place, d->name);
    d->file = file < 0 ? NULL : fdopen(file, "w");
    if (file >= 0 && !d->file) {
        const int reason = errno;
        close(file);
        if (!d->in_place)
            unlink(d->name);
        errno = reason;
    }
    return d->file != NULL;
}

bool shl_draft_close(shl_draft *d, const char *path, bool keep)
{
    if (!d->file)
        return true;
    bool done = !ferror(d->file);
    done = fclose(d->file) == 0 && done;
    d->file = NULL;
    if (d->in_place)
        return done;
    done = done && (!keep || rename(d->name, path) == 0);
    if (!done || !keep) {
        const int reason = errno;
        unlink(d->name);
        errno = reason;
    }
    return done;
}
