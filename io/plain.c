// SPDX-License-Identifier: MIT
#include "io/plain.h"

#include <stdlib.h>
#include <string.h>

// The code point at `text` and its bytes; 0: there is none. Bytes that continue a character are
// read only behind those that ask for them, so the text's end is not passed.
static size_t decode(const unsigned char *text, uint32_t *code)
{
    static const struct {
        unsigned char low, high; // of the first byte
        unsigned char from, to;  // of the second: no longer forms, surrogates, beyond U+10FFFF
        size_t size;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text[0] < rows[i].low || text[0] > rows[i].high)
            continue;
        const size_t size = rows[i].size;
        *code = size == 1 ? text[0] : text[0] & (0x7fu >> size);
        for (size_t k = 1; k < size; k++) {
            const unsigned char from = k == 1 ? rows[i].from : 0x80;
            const unsigned char to = k == 1 ? rows[i].to : 0xbf;
            if (text[k] < from || text[k] > to)
                return 0;
            *code = *code << 6 | (text[k] & 0x3f);
        }
        return size;
    }
    return 0;
}

size_t shl_plain_size(const char *text)
{
    static const uint32_t refused[][2] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c},
                                          {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                                          {0xfeff, 0xfeff}};
    uint32_t code = 0;
    const size_t size = decode((const unsigned char *)text, &code);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (code >= refused[i][0] && code <= refused[i][1])
            return 0;
    }
    return size;
}

void shl_line_list(FILE *to, const char *format, va_list list)
{
    char *text = NULL;
    if (vasprintf(&text, format, list) < 0) {
        fputs("out of memory\n", to);
        return;
    }
    for (const char *at = text; *at;) {
        const size_t size = shl_plain_size(at);
        if (size)
            fwrite(at, 1, size, to);
        else
            fprintf(to, "\\x%02x", (unsigned char)*at);
        at += size ? size : 1;
    }
    fputc('\n', to);
    free(text);
}

void shl_line(FILE *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    shl_line_list(to, format, list);
    va_end(list);
}

void shl_plain_mask(char *text)
{
    while (*text) {
        const size_t size = shl_plain_size(text);
        if (!size)
            *text = '?';
        text += size ? size : 1;
    }
}

void shl_plain_name(const char *text, size_t length, char *to, size_t room)
{
    size_t used = 0;
    for (size_t at = 0; at < length && text[at];) {
        size_t size = shl_plain_size(text + at);
        if (size > length - at)
            size = 0; // it goes on behind the end
        const size_t put = size ? size : 1;
        if (used + put >= room)
            break;
        memcpy(to + used, size ? text + at : "_", put);
        used += put;
        at += put;
    }
    to[used] = '\0';
}

// The next character as a page may hold it, and its bytes in `to`.
static const char *escape(const char *text, char to[8], size_t *size)
{
    const size_t plain = shl_plain_size(text);
    const bool blank = *text == '\n' || *text == '\t';
    *size = plain ? plain : blank ? 1 : 3;
    memcpy(to, plain || blank ? text : "\xef\xbf\xbd", *size);
    if (strchr("<>&\"'", *text))
        *size = (size_t)snprintf(to, 8, "&#%d;", *text);
    return text + (plain ? plain : 1);
}

void shl_put_escaped(shl_output *out, const char *text)
{
    char one[8];
    for (size_t size; *text; shl_put_bytes(out, one, size))
        text = escape(text, one, &size);
}

void shl_print_escaped(FILE *to, const char *text)
{
    char one[8];
    for (size_t size; *text; fwrite(one, 1, size, to))
        text = escape(text, one, &size);
}
