// SPDX-License-Identifier: MIT
#include "cli/frames/png_file.h"

#include "io/output.h"

#include <errno.h>
#include <png.h>
#include <stdlib.h>

static void put(png_structp png, png_bytep bytes, size_t size)
{
    shl_put_bytes(png_get_io_ptr(png), bytes, size);
}

static void flush(png_structp png)
{
    (void)png; // the file is written when it is finished
}

// libpng jumps back here when it fails, which is only for want of memory: `put` keeps the
// first errno to itself. Nothing that the jump could spoil is read afterwards.
static int encode(shl_output *out, uint32_t width, uint32_t height, const uint8_t *rgb)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) { // NOLINT(cert-err52-cpp)
        png_destroy_write_struct(&png, &info);
        return ENOMEM;
    }
    png_set_write_fn(png, out, put, flush);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++)
        png_write_row(png, rgb + 3 * (size_t)y * width);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return 0;
}

int shl_png_write(const char *path, uint32_t width, uint32_t height, const uint8_t *rgb)
{
    if (width == 0 || height == 0 || width > INT32_MAX / 3 || height > INT32_MAX)
        return EINVAL;
    shl_output *out = malloc(sizeof *out);
    if (!out)
        return ENOMEM;
    shl_output_init(out, path);
    if (out->code == 0)
        out->code = encode(out, width, height, rgb);
    const int code = shl_output_finish(out);
    free(out);
    return code;
}
