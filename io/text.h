// SPDX-License-Identifier: MIT
// Moving through text: blanks, lines ended by LF, CRLF or CR, words and numbers.
#ifndef SHL_IO_TEXT_H
#define SHL_IO_TEXT_H

#include "io/reader.h"

#include <stdbool.h>

static inline bool shl_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool shl_is_break(char c)
{
    return c == '\n' || c == '\r';
}

// A word ends before blanks, breaks, and a backslash that joins two lines.
static inline bool shl_ends_word(const shl_reader *r, const char *at)
{
    if (at == r->end || shl_is_blank(*at) || shl_is_break(*at))
        return true;
    return *at == '\\' && r->end - at >= 2 && shl_is_break(at[1]);
}

// Pass the break at `at`.
static inline void shl_pass_break(shl_reader *r)
{
    bool pair = r->end - r->at >= 2 && r->at[0] == '\r' && r->at[1] == '\n';
    r->at += pair ? 2 : 1;
    r->line++;
}

static inline void shl_pass_blanks(shl_reader *r)
{
    while (r->at < r->end && shl_is_blank(*r->at))
        r->at++;
}

// No word is left on this line. A '#' starts a comment.
static inline bool shl_line_done(shl_reader *r)
{
    shl_pass_blanks(r);
    return r->at == r->end || shl_is_break(*r->at) || *r->at == '#';
}

// To the start of the next line.
void shl_pass_line(shl_reader *r);

// To the next word on any line; with or without '#' comments on the way.
void shl_pass_space(shl_reader *r);
void shl_pass_space_and_comments(shl_reader *r);

// A piece of the file's text.
typedef struct shl_word {
    const char *at;
    size_t size;
} shl_word;

// The word that starts at `at`, without moving; empty where none does.
shl_word shl_peek_word(const shl_reader *r);

// The next word of this line; empty when there is none.
shl_word shl_next_word(shl_reader *r);

bool shl_word_is(shl_word word, const char *text);
bool shl_word_is_any_case(shl_word word, const char *text);

// A word for a report: in quotes, printable, cut when long.
typedef struct shl_quoted {
    char text[40];
} shl_quoted;
shl_quoted shl_quote(shl_word word);

// The number that starts at `at` and fills its word; reported otherwise.
SHOAL_CHECK shoal_status shl_get_finite(shl_reader *r, double *out);
SHOAL_CHECK shoal_status shl_get_integer(shl_reader *r, int64_t *out);

#endif
