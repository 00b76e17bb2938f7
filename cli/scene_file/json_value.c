// SPDX-License-Identifier: MIT
#include "cli/scene_file/json_value.h"

#include "io/plain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 32, WORD_MAX = 48 };

shl_json_value shl_json_at(const shl_json_value *parent, const char *key)
{
    return (shl_json_value){parent->source, json_object_get(parent->json, key), parent, key, 0};
}

shl_json_value shl_json_item(const shl_json_value *parent, size_t index)
{
    return (shl_json_value){parent->source, json_array_get(parent->json, index), parent, NULL,
                            index};
}

// "bodies[2].motion", or "bodies.2.motion" as -s has it.
static void write_way(const shl_json_value *node, bool dotted, char *to, size_t room)
{
    const shl_json_value *way[DEPTH_MAX];
    size_t depth = 0, used = 0;
    for (; node->parent && depth < DEPTH_MAX; node = node->parent)
        way[depth++] = node;
    to[0] = '\0';
    while (depth-- > 0 && used < room) {
        const char *dot = used ? "." : "";
        const int n =
            way[depth]->key ? snprintf(to + used, room - used, "%s%.60s", dot, way[depth]->key)
            : dotted        ? snprintf(to + used, room - used, "%s%zu", dot, way[depth]->index)
                            : snprintf(to + used, room - used, "[%zu]", way[depth]->index);
        used += (size_t)n;
    }
}

// The -s that put a value there, or an object around it.
static const char *override_of(const shl_json_value *node)
{
    char way[256];
    write_way(node, true, way, sizeof way);
    for (size_t i = 0; i < node->source->override_count; i++) {
        const char *setting = node->source->overrides[i];
        const size_t length = strcspn(setting, "=");
        if (strncmp(setting, way, length) == 0 && (way[length] == '\0' || way[length] == '.'))
            return setting;
    }
    return NULL;
}

static bool fail_at(const shl_json_value *node, bool key, const char *format, va_list list)
{
    char what[256], way[160];
    shl_source_text *s = node->source;
    vsnprintf(what, sizeof what, format, list);
    write_way(node, false, way, sizeof way);
    const char *setting = override_of(node);
    const shl_text_position place = shl_json_position(node->json ? node : node->parent, key);
    if (s->error[0])
        return false; // the first counts
    if (setting)
        snprintf(s->error, sizeof s->error, "-s '%.100s': %s: %s", setting, way, what);
    else
        snprintf(s->error, sizeof s->error, "%.200s:%zu:%zu: %s%s%s", s->path, place.line,
                 place.column, way, *way ? ": " : "", what);
    shl_plain_mask(s->error);
    return false;
}

bool shl_json_fail(const shl_json_value *node, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(node, false, format, list);
    va_end(list);
    return false;
}

__attribute__((format(printf, 2, 3))) static bool fail_key(const shl_json_value *node,
                                                           const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(node, true, format, list);
    va_end(list);
    return false;
}

// How many letters have to change, Levenshtein.
static size_t distance(const char *a, const char *b)
{
    const size_t n = strlen(b);
    size_t row[WORD_MAX + 1];
    for (size_t k = 0; k <= n; k++)
        row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0]++;
        for (size_t k = 0; k < n; k++) {
            const size_t above = row[k + 1];
            size_t least = corner + (a[i] != b[k]);
            least = row[k] + 1 < least ? row[k] + 1 : least;
            row[k + 1] = above + 1 < least ? above + 1 : least;
            corner = above;
        }
    }
    return row[n];
}

const char *shl_nearest_word(const char *text, const char *const *words)
{
    const char *best = NULL;
    size_t least = strlen(text) / 2 + 1;
    for (; strlen(text) < WORD_MAX && *words; words++) {
        const size_t d = distance(text, *words);
        if (d < least) {
            least = d;
            best = *words;
        }
    }
    return best;
}

static void join(const char *const *words, char *to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; words[i] && used < room; i++)
        used += (size_t)snprintf(to + used, room - used, "%s%s",
                                 i == 0         ? ""
                                 : words[i + 1] ? ", "
                                                : " or ",
                                 words[i]);
}

bool shl_json_object(const shl_json_value *node, const char *const *keys)
{
    if (!json_is_object(node->json))
        return shl_json_fail(node, "expected an object");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)node->json, key, value)
    {
        bool known = false;
        for (size_t i = 0; keys[i] && !known; i++)
            known = strcmp(keys[i], key) == 0;
        if (known)
            continue;
        const shl_json_value wrong = shl_json_at(node, key);
        const char *meant = shl_nearest_word(key, keys);
        char all[200];
        join(keys, all, sizeof all);
        if (meant)
            return fail_key(&wrong, "unknown key; did you mean '%s'?", meant);
        return fail_key(&wrong, "unknown key; expected %s", all);
    }
    return true;
}

bool shl_json_number(const shl_json_value *node, double least, double most, double *out)
{
    if (!node->json)
        return true;
    const double value = json_number_value(node->json);
    if (!json_is_number(node->json) || !(value >= least && value <= most)) {
        if (least == -INFINITY || most == INFINITY)
            return shl_json_fail(node, "expected a number%s",
                                 least == 0 ? " that is not negative" : "");
        return shl_json_fail(node, "expected a number from %g to %g", least, most);
    }
    *out = value;
    return true;
}

bool shl_json_count(const shl_json_value *node, uint64_t least, uint64_t most, uint64_t *out)
{
    if (!node->json)
        return true;
    const json_int_t value = json_integer_value(node->json);
    if (!json_is_integer(node->json) || value < 0 || (uint64_t)value < least ||
        (uint64_t)value > most)
        return shl_json_fail(node, "expected a whole number from %ju to %ju", (uintmax_t)least,
                             (uintmax_t)most);
    *out = (uint64_t)value;
    return true;
}

bool shl_json_flag(const shl_json_value *node, bool *out)
{
    if (node->json && !json_is_boolean(node->json))
        return shl_json_fail(node, "expected true or false");
    *out = node->json ? json_is_true(node->json) : *out;
    return true;
}

bool shl_json_vector(const shl_json_value *node, double out[3])
{
    if (!node->json)
        return true;
    if (json_array_size(node->json) != 3)
        return shl_json_fail(node, "expected three numbers, as [0, 0, 1]");
    double v[3];
    for (size_t i = 0; i < 3; i++) {
        const shl_json_value item = shl_json_item(node, i);
        if (!shl_json_number(&item, -1e15, 1e15, &v[i]))
            return false;
    }
    memcpy(out, v, sizeof v);
    return true;
}

bool shl_json_text(const shl_json_value *node, const char **out)
{
    if (!node->json)
        return true;
    const char *text = json_string_value(node->json);
    if (!text || !*text || strlen(text) > 1000)
        return shl_json_fail(node, "expected a text");
    *out = text;
    return true;
}

bool shl_json_word(const shl_json_value *node, const char *const *words, int *out)
{
    const char *text = NULL;
    if (!shl_json_text(node, &text))
        return false;
    for (int i = 0; text && words[i]; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    }
    if (!text)
        return true;
    char all[160];
    const char *meant = shl_nearest_word(text, words);
    join(words, all, sizeof all);
    return shl_json_fail(node, "'%.40s' is not %s%s%s%s", text, all,
                         meant ? "; did you mean '" : "", meant ? meant : "",
                         meant ? "'?" : "");
}
