// SPDX-License-Identifier: MIT
#include "io/text.h"

#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void shl_pass_line(shl_reader *r)
{
    while (r->at < r->end && !shl_is_break(*r->at))
        r->at++;
    if (r->at < r->end)
        shl_pass_break(r);
}

void shl_pass_space(shl_reader *r)
{
    for (;;) {
        shl_pass_blanks(r);
        if (r->at == r->end || !shl_is_break(*r->at))
            return;
        shl_pass_break(r);
    }
}

void shl_pass_space_and_comments(shl_reader *r)
{
    for (shl_pass_space(r); r->at < r->end && *r->at == '#'; shl_pass_space(r))
        shl_pass_line(r);
}

shl_word shl_peek_word(const shl_reader *r)
{
    const char *at = r->at;
    while (!shl_ends_word(r, at))
        at++;
    return (shl_word){r->at, (size_t)(at - r->at)};
}

shl_word shl_next_word(shl_reader *r)
{
    shl_pass_blanks(r);
    shl_word word = shl_peek_word(r);
    r->at += word.size;
    return word;
}

bool shl_word_is(shl_word word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.at, text, word.size) == 0;
}

bool shl_word_is_any_case(shl_word word, const char *text)
{
    return strlen(text) == word.size && strncasecmp(word.at, text, word.size) == 0;
}

shl_quoted shl_quote(shl_word word)
{
    enum { MOST = 24 };
    shl_quoted quoted = {"'"};
    size_t used = 1;
    for (size_t i = 0; i < word.size && i < MOST; i++) {
        bool plain = word.at[i] >= ' ' && word.at[i] <= '~';
        quoted.text[used++] = plain ? word.at[i] : '?';
    }
    snprintf(&quoted.text[used], sizeof quoted.text - used, "%s",
             word.size > MOST ? "...'" : "'");
    return quoted;
}

// The word at `at` as a report names it.
static shoal_status refuse(shl_reader *r, const char *what)
{
    shl_word word = shl_peek_word(r);
    if (word.size)
        return shl_io_fail(r, SHOAL_ERR_FORMAT, "%s is not %s", shl_quote(word).text, what);
    const char *where = r->at == r->end ? "file" : "line";
    return shl_io_fail(r, SHOAL_ERR_FORMAT, "the %s ends where %s is expected", where, what);
}

shoal_status shl_get_finite(shl_reader *r, double *out)
{
    const char *after = shl_number_double(r->at, r->end, out);
    if (!after || !shl_ends_word(r, after))
        return refuse(r, "a number");
    if (!isfinite(*out))
        return refuse(r, "finite");
    r->at = after;
    return SHOAL_OK;
}

shoal_status shl_get_integer(shl_reader *r, int64_t *out)
{
    const char *after = shl_number_integer(r->at, r->end, out);
    if (!after || !shl_ends_word(r, after))
        return refuse(r, "an integer");
    r->at = after;
    return SHOAL_OK;
}
