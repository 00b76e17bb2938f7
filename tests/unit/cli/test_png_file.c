// SPDX-License-Identifier: MIT
// Pictures come back from their files, read by libpng's own reader.
#include "cli/frames/png_file.h"

#include <errno.h>
#include <greatest.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/shoal-png-XXXXXX";

static void noise(uint8_t *rgb, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        rgb[i] = (uint8_t)(state >> 24);
    }
}

TEST pictures_come_back(void)
{
    static const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {640, 333}};
    char path[64];
    snprintf(path, sizeof path, "%s/a.png", folder);
    for (int i = 0; i < 3; i++) {
        const size_t size = 3 * (size_t)sizes[i][0] * sizes[i][1];
        uint8_t *rgb = malloc(size), *back = malloc(size);
        ASSERT(rgb && back);
        noise(rgb, size);
        ASSERT_EQ(0, shl_png_write(path, sizes[i][0], sizes[i][1], rgb));
        png_image image = {.version = PNG_IMAGE_VERSION};
        ASSERT(png_image_begin_read_from_file(&image, path));
        ASSERT_EQ(sizes[i][0], image.width);
        ASSERT_EQ(sizes[i][1], image.height);
        image.format = PNG_FORMAT_RGB;
        ASSERT(png_image_finish_read(&image, NULL, back, 0, NULL));
        ASSERT_MEM_EQ(rgb, back, size);
        free(rgb);
        free(back);
    }
    ASSERT_EQ(0, unlink(path));
    PASS();
}

TEST failures_leave_nothing(void)
{
    const uint8_t rgb[3] = {0};
    ASSERT_EQ(ENOENT, shl_png_write("/nowhere/at/all/a.png", 1, 1, rgb));
    char path[64];
    snprintf(path, sizeof path, "%s/b.png", folder);
    ASSERT_EQ(EINVAL, shl_png_write(path, 0, 1, rgb));
    ASSERT_EQ(EINVAL, shl_png_write(path, 1, 0, rgb));
    ASSERT_EQ(-1, access(path, F_OK));
    ASSERT_EQ(0, rmdir(folder));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!mkdtemp(folder))
        return 1;
    RUN_TEST(pictures_come_back);
    RUN_TEST(failures_leave_nothing);
    GREATEST_MAIN_END();
}
