// SPDX-License-Identifier: MIT
// Text from strangers: file names, and what files say of themselves. A terminal gets it
// without control characters, a page without markup, a name without either.
#ifndef SHL_IO_PLAIN_H
#define SHL_IO_PLAIN_H

#include "io/output.h"

#include <stdarg.h>
#include <stdio.h>

// The bytes of the character at `text`, which is not at its end; 0: they are not UTF-8, or a
// character that changes how others are shown (controls, line separators, directions).
size_t shl_plain_size(const char *text);

// Prints one line; what is not plain in it appears as \x1b.
__attribute__((format(printf, 2, 3))) void shl_line(FILE *to, const char *format, ...);
__attribute__((format(printf, 2, 0))) void shl_line_list(FILE *to, const char *format,
                                                         va_list list);

// Replaces what is not plain by '?', byte by byte, so that the text fits where it stands.
void shl_plain_mask(char *text);

// A name after the first `length` bytes of a text: what is not plain becomes '_', and what does
// not fit is cut between two characters.
void shl_plain_name(const char *text, size_t length, char *to, size_t room);

// Text of a page or a drawing, so that nothing in it is markup; what is not plain, but for line
// ends, becomes U+FFFD.
void shl_put_escaped(shl_output *out, const char *text);
void shl_print_escaped(FILE *to, const char *text);

#endif
