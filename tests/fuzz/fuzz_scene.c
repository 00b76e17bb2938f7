// SPDX-License-Identifier: MIT
// Any bytes as a scene file: a scene of sane size, or one line that names the place.
#include "cli/scene_file/file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// Whether a number of so many digits comes later.
static bool has_long_number(const char *text, size_t digits)
{
    while (text && *text) {
        text += strcspn(text, "0123456789");
        const size_t length = strspn(text, "0123456789");
        if (length >= digits)
            return true;
        text += length;
    }
    return false;
}

// Large meshes are right, but take long to make: a digit is all that a number gets here.
static bool is_small(const char *text)
{
    const char *k = strstr(text, "\"k\""), *vertices = strstr(text, "\"vertices\"");
    const char *controls = strstr(text, "\"controls\"");
    return (!k || !strpbrk(k, "6789")) && !has_long_number(vertices, 4) &&
           !has_long_number(controls, 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    static const char *const settings[] = {"steps=3"};
    shl_scene_file file;
    shoal_io_error error;
    if (is_small(text)) {
        const bool good = shl_scene_file_parse("no/such/folder/a.json", text, size, settings,
                                               size % 2, &file, &error);
        if (good ? !file.built_in && !file.own.group_count
                 : !error.text[0] || strchr(error.text, '\n'))
            abort();
        shl_scene_file_finish(&file);
    }
    free(text);
    return 0;
}
