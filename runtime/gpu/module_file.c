// SPDX-License-Identifier: MIT
#include "runtime/gpu/module_file.h"

#include "gpu/module.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The file that this code is mapped from, library or program. The dynamic linker's name of it
// would be relative to a current directory that has changed since, or argv[0].
static bool own_file(char *path, size_t size)
{
    const uintptr_t here = (uintptr_t)own_file;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        uintptr_t first, end;
        const char *file = strchr(line, '/');
        found = file && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &first, &end) == 2 &&
                here >= first && here < end && (size_t)snprintf(path, size, "%s", file) < size;
    }
    if (found)
        path[strcspn(path, "\n")] = 0;
    free(line);
    if (maps)
        fclose(maps);
    else if (fd >= 0)
        close(fd);
    return found;
}

// No other user can have written it.
static bool is_safe(const struct stat *s, uid_t owner)
{
    return !(s->st_mode & S_IWOTH) &&
           (s->st_uid == 0 || s->st_uid == geteuid() || s->st_uid == owner);
}

// Beside the code, in the build folder, or where it is installed while the tool is in bin.
static bool find(char *path, size_t size, char *why, size_t room)
{
    static const char *const places[] = {"", "gpu/", "../gpu/", "../" SHL_LIBDIR "/"};
    char file[PATH_MAX];
    struct stat own, folder, module;
    char *slash =
        own_file(file, sizeof file) && stat(file, &own) == 0 ? strrchr(file, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        slash[1] = 0;
        int length = snprintf(path, size, "%s%s", file, places[i]);
        if (length < 0 || (size_t)length >= size || stat(path, &folder) != 0)
            continue;
        length = snprintf(path, size, "%s%s" SHL_GPU_FILE, file, places[i]);
        if (length < 0 || (size_t)length >= size || stat(path, &module) != 0)
            continue;
        if (S_ISREG(module.st_mode) && is_safe(&folder, own.st_uid) &&
            is_safe(&module, own.st_uid))
            return true;
        snprintf(why, room, "%.300s is not loaded: other users can write it or its folder",
                 path);
        return false;
    }
    snprintf(why, room,
             "no module " SHL_GPU_FILE " beside the library (SHOAL_GPU_MODULE names another)");
    return false;
}

bool shl_gpu_module_file(char *path, size_t size, char *why, size_t room)
{
    const char *named = secure_getenv("SHOAL_GPU_MODULE");
    if (!named || !*named)
        return find(path, size, why, room);
    struct stat s;
    const int length = snprintf(path, size, "%s", named);
    if (*named != '/' || length < 0 || (size_t)length >= size)
        snprintf(why, room, "SHOAL_GPU_MODULE=%.200s is not an absolute path", named);
    else if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        snprintf(why, room, "the module does not load: %.300s is not a file", named);
    else
        return true;
    return false;
}
