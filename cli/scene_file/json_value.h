// SPDX-License-Identifier: MIT
// Reading a JSON file strictly: every value knows its way from the top, so that an error names
// the file, the line and column of the value, its key, and what was expected. jansson tells
// places only where the syntax is wrong; for others the text is walked again.
#ifndef SHL_CLI_SCENE_FILE_JSON_VALUE_H
#define SHL_CLI_SCENE_FILE_JSON_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A file being read, and the first thing that is wrong with it.
typedef struct shl_source_text {
    const char *path;
    const char *text; // its bytes, ended by 0
    char error[1024]; // one line
    // what -s changed: "bodies.0.scale"; errors there are not in the file
    const char *const *overrides; // [override_count]
    size_t override_count;
} shl_source_text;

// A value and how it was reached. Lives on the stack; the top has no parent.
typedef struct shl_json_value {
    shl_source_text *source;
    const json_t *json; // NULL: it is not there
    const struct shl_json_value *parent;
    const char *key; // in an object; NULL: in an array
    size_t index;
} shl_json_value;

shl_json_value shl_json_at(const shl_json_value *parent, const char *key);
shl_json_value shl_json_item(const shl_json_value *parent, size_t index);

// Notes what is wrong with a value, "expected ..."; returns false. A value that is not there
// counts for the object that lacks it.
__attribute__((format(printf, 2, 3))) bool shl_json_fail(const shl_json_value *node,
                                                         const char *format, ...);

// Whether an object has no other keys than these, [.. NULL]; else the error has a suggestion.
bool shl_json_object(const shl_json_value *node, const char *const *keys);

// Each reads a value that may lack, and then leaves `*out` as it is; `*out` is unchanged on
// failure, too.
bool shl_json_number(const shl_json_value *node, double least, double most, double *out);
bool shl_json_count(const shl_json_value *node, uint64_t least, uint64_t most, uint64_t *out);
bool shl_json_flag(const shl_json_value *node, bool *out);
bool shl_json_vector(const shl_json_value *node, double out[3]);
// The index among `words`, [.. NULL].
bool shl_json_word(const shl_json_value *node, const char *const *words, int *out);
bool shl_json_text(const shl_json_value *node, const char **out);

// The word nearest to `text`; NULL: none is near.
const char *shl_nearest_word(const char *text, const char *const *words);

// Where a value stands in its text, counted from 1; the key's place if `key` is set.
typedef struct shl_text_position {
    size_t line, column;
} shl_text_position;
shl_text_position shl_json_position(const shl_json_value *node, bool key);

#endif
