// SPDX-License-Identifier: MIT
#include "scenes/models/cache.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static void tell(shl_say_fn *say, const char *text, ...)
{
    char line[PATH_MAX + 700];
    if (!say)
        return;
    va_list args;
    va_start(args, text);
    vsnprintf(line, sizeof line, text, args);
    va_end(args);
    say(line);
}

// The folder of the cache; false: there is no place for one. As the XDG base directory
// specification asks, a path that is not absolute is not used.
static bool cache_folder(char path[PATH_MAX])
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int length = -1;
    if (cache && cache[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/shoal", cache);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.cache/shoal", home);
    return length > 0 && length < PATH_MAX;
}

// The folder and those above it. False: errno tells why there is none.
static bool make_folder(char path[PATH_MAX])
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        const bool there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!there)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

// True: it was there and whole.
static bool read_kept(const char *path, const shl_recipe *recipe, shl_say_fn *say,
                      shoal_model_file *out)
{
    shoal_io_error error;
    if (access(path, F_OK) != 0)
        return false;
    if (shoal_model_file_read(path, NULL, out, &error) != SHOAL_OK) {
        tell(say, "%s; it is made anew", error.text);
        return false;
    }
    if (strcmp(out->name, recipe->name) == 0)
        return true;
    tell(say, "%s: it holds '%s'; it is made anew", path, out->name);
    shoal_model_file_finish(out);
    return false;
}

static void keep(const char *path, char folder[PATH_MAX], const shoal_model_file *file,
                 shl_say_fn *say)
{
    shoal_io_error error;
    if (!make_folder(folder))
        tell(say, "%s: %s; the model is not kept", folder, strerror(errno));
    else if (shoal_model_file_write(path, file, &error) != SHOAL_OK)
        tell(say, "%s; the model is not kept", error.text);
}

shoal_status shl_cached_model(const shl_recipe *recipe, shl_say_fn *say, shoal_model_file *out)
{
    char folder[PATH_MAX], path[PATH_MAX];
    *out = (shoal_model_file){0};
    bool cached = cache_folder(folder);
    const int length =
        cached ? snprintf(path, sizeof path, "%s/%s.model", folder, recipe->name) : 0;
    cached = cached && length > 0 && (size_t)length < sizeof path;
    if (cached && read_kept(path, recipe, say, out))
        return SHOAL_OK;
    tell(say, "making the model %s%s", recipe->name, cached ? ", once" : "");
    const shoal_status st = recipe->make(recipe->size, out);
    if (st != SHOAL_OK)
        return st;
    snprintf(out->name, sizeof out->name, "%s", recipe->name);
    if (cached)
        keep(path, folder, out, say);
    return SHOAL_OK;
}
