// SPDX-License-Identifier: MIT
// Where a value stands in a JSON text that is known to be right.
#include "cli/scene_file/json_value.h"

#include <string.h>

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

// The end of a string that begins at `at` with its quote.
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

// The end of any value: brackets are counted, strings passed over.
static const char *skip_value(const char *at)
{
    int depth = 0;
    while (*at) {
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return at;
            depth--;
            at++;
        } else if (*at == ',' && depth == 0) {
            return at;
        } else {
            at++;
            if (depth == 0) { // a number or a word
                at += strcspn(at, ",]} \t\r\n");
                return at;
            }
        }
        if (depth == 0)
            return at;
    }
    return at;
}

// Whether the string at `at` is this key; escapes are compared as jansson reads them.
static bool is_key(const char *at, const char *end, const char *key)
{
    json_error_t why;
    json_t *text = json_loadb(at, (size_t)(end - at), JSON_DECODE_ANY, &why);
    const bool same = text && strcmp(json_string_value(text), key) == 0;
    json_decref(text);
    return same;
}

// The value, or its key, that a node names within the value of its parent.
static const char *find(const shl_json_value *node, bool key)
{
    if (!node->parent)
        return skip_blank(node->source->text);
    const char *at = find(node->parent, false);
    if (*at != '{' && *at != '[')
        return at; // it was put there by -s
    const char *whole = at;
    const bool object = *at == '{';
    at = skip_blank(at + 1);
    for (size_t i = 0; *at && *at != '}' && *at != ']'; i++) {
        const char *name = at;
        bool here = !object && !node->key && i == node->index;
        if (object) {
            const char *end = skip_string(at);
            here = node->key && is_key(at, end, node->key);
            at = skip_blank(end);
            at = skip_blank(at + (*at == ':'));
        }
        if (here)
            return key && object ? name : at;
        at = skip_blank(skip_value(at));
        at = skip_blank(at + (*at == ','));
    }
    return whole;
}

shl_text_position shl_json_position(const shl_json_value *node, bool key)
{
    shl_text_position place = {1, 1};
    const char *target = find(node, key);
    for (const char *at = node->source->text; at < target; at++) {
        // bytes that go on with a character have no column of their own
        place.column += ((unsigned char)*at & 0xc0) != 0x80;
        if (*at == '\n') {
            place.line++;
            place.column = 1;
        }
    }
    return place;
}
