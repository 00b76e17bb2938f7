// SPDX-License-Identifier: MIT
#include "cli/run/contact_sheet.h"

#include "cli/frames/png_file.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHRINK = 2, COLUMNS = 3, MOST = 12, GAP = 4 };

static int by_step(const void *a, const void *b)
{
    const size_t x = strlen(a), y = strlen(b); // longer numbers are larger
    return x != y ? (x > y) - (x < y) : strcmp(a, b);
}

static bool is_picture(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(name, "step-", 5) == 0 && length > 9 && length < 32 &&
           strspn(name + 5, "0123456789") == length - 9 &&
           strcmp(name + length - 4, ".png") == 0;
}

int shl_picture_list_read(const char *folder, shl_picture_list *out)
{
    *out = (shl_picture_list){0};
    DIR *dir = opendir(folder);
    size_t room = 0;
    int code = 0;
    for (const struct dirent *e; dir && code == 0 && (e = readdir(dir));) {
        if (!is_picture(e->d_name))
            continue;
        if (out->count == room) {
            room = 2 * room + 16;
            char(*more)[32] = realloc(out->names, room * sizeof *more);
            if (!more) {
                code = ENOMEM;
                break;
            }
            out->names = more;
        }
        snprintf(out->names[out->count++], sizeof *out->names, "%s", e->d_name);
    }
    if (dir)
        closedir(dir);
    if (code)
        shl_picture_list_free(out);
    else if (out->count)
        qsort(out->names, out->count, sizeof *out->names, by_step);
    return code;
}

void shl_picture_list_free(shl_picture_list *list)
{
    free(list->names);
    *list = (shl_picture_list){0};
}

typedef struct image {
    uint32_t width, height;
    uint8_t *rgb;
} image;

static int read_image(const char *path, image *out)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&png, path))
        return EIO;
    png.format = PNG_FORMAT_RGB;
    out->width = png.width;
    out->height = png.height;
    out->rgb = malloc(PNG_IMAGE_SIZE(png));
    const int good = out->rgb && png_image_finish_read(&png, NULL, out->rgb, 0, NULL);
    png_image_free(&png);
    return good ? 0 : out->rgb ? EIO : ENOMEM;
}

// Means of squares of pixels.
static void shrink(const image *from, image *to, uint32_t left, uint32_t top)
{
    for (uint32_t y = 0; y < from->height / SHRINK; y++) {
        for (uint32_t x = 0; x < from->width / SHRINK; x++) {
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t sum = SHRINK * SHRINK / 2;
                for (uint32_t i = 0; i < SHRINK * SHRINK; i++) {
                    const size_t row = y * SHRINK + i / SHRINK,
                                 column = x * SHRINK + i % SHRINK;
                    sum += from->rgb[3 * (row * from->width + column) + k];
                }
                to->rgb[3 * ((size_t)(top + y) * to->width + left + x) + k] =
                    (uint8_t)(sum / (SHRINK * SHRINK));
            }
        }
    }
}

static int place(const char *folder, const shl_picture_list *list, size_t shown, image *sheet)
{
    uint32_t width = 0, height = 0;
    int code = 0;
    for (size_t i = 0; i < shown && code == 0; i++) {
        char path[PATH_MAX + 40];
        snprintf(path, sizeof path, "%s/%s", folder,
                 list->names[(i + 1) * list->count / shown - 1]);
        image one = {0};
        code = read_image(path, &one);
        if (code == 0 && i == 0) {
            const uint32_t columns = shown < COLUMNS ? (uint32_t)shown : COLUMNS;
            const uint32_t rows = ((uint32_t)shown + columns - 1) / columns;
            width = one.width / SHRINK;
            height = one.height / SHRINK;
            sheet->width = columns * (width + GAP) - GAP;
            sheet->height = rows * (height + GAP) - GAP;
            const size_t size = 3 * (size_t)sheet->width * sheet->height;
            sheet->rgb = malloc(size);
            code = sheet->rgb ? 0 : ENOMEM;
            if (sheet->rgb)
                memset(sheet->rgb, 255, size);
        }
        if (code == 0 && one.width / SHRINK == width && one.height / SHRINK == height)
            shrink(&one, sheet, (uint32_t)(i % COLUMNS) * (width + GAP),
                   (uint32_t)(i / COLUMNS) * (height + GAP));
        free(one.rgb);
    }
    return code;
}

int shl_sheet_write(const char *folder, const char *path)
{
    shl_picture_list list;
    int code = shl_picture_list_read(folder, &list);
    const size_t shown = list.count < MOST ? list.count : MOST;
    image sheet = {0};
    if (code == 0 && shown)
        code = place(folder, &list, shown, &sheet);
    if (code == 0 && sheet.rgb)
        code = shl_png_write(path, sheet.width, sheet.height, sheet.rgb);
    free(sheet.rgb);
    shl_picture_list_free(&list);
    return code;
}
