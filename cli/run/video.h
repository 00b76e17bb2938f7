// SPDX-License-Identifier: MIT
// Pictures as a film, by the program ffmpeg if there is one.
#ifndef SHL_CLI_RUN_VIDEO_H
#define SHL_CLI_RUN_VIDEO_H

#include "cli/run/contact_sheet.h"

typedef enum shl_film { SHL_FILM_OK, SHL_FILM_NO_TOOL, SHL_FILM_FAILED } shl_film;

// The pictures of a folder, in their order, as a film at `path`, which is not there afterwards
// unless it is whole. Not OK: `why` says why, in one line.
shl_film shl_video_write(const char *folder, const shl_picture_list *list, const char *path,
                         char *why, size_t room);

#endif
