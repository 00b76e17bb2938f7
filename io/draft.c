// SPDX-License-Identifier: MIT
#include "io/draft.h"

#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, ATTEMPTS = 1000 };

// The length of the folder's part of a path, with its slash; 0: there is none.
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash + 1 - path) : 0;
}

// Replaces the name of a link by what it names. The errno.
static int follow(char path[PATH_MAX])
{
    char text[PATH_MAX], next[PATH_MAX];
    const ssize_t n = readlink(path, text, sizeof text - 1);
    if (n < 0)
        return errno;
    text[n] = '\0';
    const int length = snprintf(next, sizeof next, "%.*s%s",
                                text[0] == '/' ? 0 : folder_length(path), path, text);
    if (length < 0 || length >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(path, next, (size_t)length + 1);
    return 0;
}

// Finds the target of a path, and whether it is written in place. The errno.
static int find(const char *path, shl_place *p)
{
    struct stat about, proc;
    if ((size_t)snprintf(p->target, sizeof p->target, "%s", path) >= sizeof p->target)
        return ENAMETOOLONG;
    p->in_place = false;
    p->mode = 0;
    const bool has_proc = stat("/proc", &proc) == 0;
    for (int links = 0;; links++) {
        if (lstat(p->target, &about) != 0) // what a link names must be there
            return links && errno == ENOENT ? ENOENT : 0;
        if (S_ISDIR(about.st_mode))
            return EISDIR;
        p->in_place = !S_ISREG(about.st_mode);
        p->mode = p->in_place ? 0 : about.st_mode & 0777;
        if (!S_ISLNK(about.st_mode) || (has_proc && about.st_dev == proc.st_dev))
            return 0;
        const int code = links < LINKS_MAX ? follow(p->target) : ELOOP;
        if (code != 0)
            return code;
    }
}

int shl_open_beside(const char *path, shl_place *p)
{
    p->name[0] = '\0';
    const int code = find(path, p);
    if (code != 0) {
        errno = code;
        return -1;
    }
    if (p->in_place)
        return open(p->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    const int folder = folder_length(p->target);
    int file = -1;
    errno = EEXIST;
    // Hidden and short: a name made from a long one might not be allowed.
    for (unsigned attempt = 0; attempt < ATTEMPTS && file < 0 && errno == EEXIST; attempt++) {
        const int length = snprintf(p->name, PATH_MAX, "%.*s.shoal-%ld-%u.tmp", folder,
                                    p->target, (long)getpid(), attempt);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = open(p->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (file >= 0 && p->mode) // whoever may read it stays the same; if not, it is still whole
        (void)!fchmod(file, p->mode);
    return file;
}

const char *shl_write_reason(const char *path, int code, char text[PATH_MAX])
{
    const char *reason = shl_io_reason(code);
    shl_place place;
    struct stat about;
    const bool elsewhere = lstat(path, &about) == 0 && S_ISLNK(about.st_mode) &&
                           find(path, &place) == 0 && !place.in_place;
    if (!elsewhere || (code != EACCES && code != EPERM && code != EROFS))
        return reason;
    snprintf(text, PATH_MAX, "it links to %.*s, and that folder cannot be written: %s", 3000,
             place.target, reason);
    return text;
}

bool shl_draft_open(shl_draft *d, const char *path)
{
    const int file = shl_open_beside(path, &d->place);
    d->file = file < 0 ? NULL : fdopen(file, "w");
    if (file >= 0 && !d->file) {
        const int reason = errno;
        close(file);
        if (!d->place.in_place)
            unlink(d->place.name);
        errno = reason;
    }
    return d->file != NULL;
}

bool shl_draft_close(shl_draft *d, bool keep)
{
    if (!d->file)
        return true;
    bool done = !ferror(d->file);
    errno = EIO; // of a write that failed some time ago, unless closing fails as well
    done = fclose(d->file) == 0 && done;
    d->file = NULL;
    if (d->place.in_place)
        return done;
    done = done && (!keep || rename(d->place.name, d->place.target) == 0);
    if (!done || !keep) {
        const int reason = errno;
        unlink(d->place.name);
        errno = reason;
    }
    return done;
}
