// SPDX-License-Identifier: MIT
// Pictures as PNG files.
#ifndef SHL_CLI_FRAMES_PNG_FILE_H
#define SHL_CLI_FRAMES_PNG_FILE_H

#include <stdint.h>

// rgb[height][width][3], top row first. The file appears whole or not at all. The errno of the
// failure; 0 when done.
int shl_png_write(const char *path, uint32_t width, uint32_t height, const uint8_t *rgb);

#endif
