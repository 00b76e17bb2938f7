// SPDX-License-Identifier: MIT
// The pictures of a folder, small, side by side.
#ifndef SHL_CLI_RUN_CONTACT_SHEET_H
#define SHL_CLI_RUN_CONTACT_SHEET_H

#include <stddef.h>

// Names of the pictures in a folder, by step. Give it to shl_picture_list_free(). False: no
// memory; an unreadable folder has none.
typedef struct shl_picture_list {
    char (*names)[32]; // "step-000040.png"
    size_t count;
} shl_picture_list;
int shl_picture_list_read(const char *folder, shl_picture_list *out);
void shl_picture_list_free(shl_picture_list *list);

// Up to twelve of them, evenly, on one sheet. Nothing happens without pictures. The errno of
// the failure; 0 when done.
int shl_sheet_write(const char *folder, const char *path);

#endif
