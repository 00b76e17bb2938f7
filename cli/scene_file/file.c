// SPDX-License-Identifier: MIT
#include "cli/scene_file/file.h"

#include "cli/scene_file/bodies.h"
#include "io/load.h"
#include "io/plain.h"
#include "io/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const shl_query_names[] = {"pairs",
                                       "first",
                                       "self",
                                       "self-adjacent",
                                       "spheres",
                                       "nearest",
                                       "nearest-triangles",
                                       "nearest-self",
                                       "within",
                                       NULL};
const uint32_t shl_query_bits[] = {SHOAL_QUERY_PAIRS,
                                   SHOAL_QUERY_FIRST,
                                   SHOAL_QUERY_SELF,
                                   SHOAL_QUERY_SELF_ADJACENT,
                                   SHOAL_QUERY_SPHERES,
                                   SHOAL_QUERY_NEAREST,
                                   SHOAL_QUERY_NEAREST_TRIANGLES,
                                   SHOAL_QUERY_NEAREST_SELF,
                                   SHOAL_QUERY_WITHIN};

static bool read_queries(const shl_json_value *node, uint32_t *out)
{
    if (!node->json)
        return true;
    if (!json_is_array(node->json) || json_array_size(node->json) == 0)
        return shl_json_fail(node, "expected a list of queries, as [\"pairs\", \"self\"]");
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        const shl_json_value item = shl_json_item(node, i);
        int word = -1;
        if (!shl_json_word(&item, shl_query_names, &word))
            return false;
        *out |= shl_query_bits[word];
    }
    return true;
}

// A parameter of a built-in scene, by the same rules as -s.
static bool read_parameter(const shl_json_value *node, shl_scene_file *out)
{
    char text[64];
    shl_setting_error why;
    if (json_is_integer(node->json))
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(node->json));
    else if (json_is_string(node->json) && json_string_length(node->json) < sizeof text)
        snprintf(text, sizeof text, "%s", json_string_value(node->json));
    else
        return shl_json_fail(node, "expected a whole number or a word");
    return shl_scene_set(out->id, &out->params, node->key, text, &why) ||
           shl_json_fail(node, "%s", why.text);
}

static bool read_built_in(const shl_json_value *top, shl_scene_file *out)
{
    static const char *const keys[] = {"shoal",   "name",   "scene",   "parameters",
                                       "queries", "within", "outputs", NULL};
    const char *names[SHL_SCENE_COUNT + 1] = {NULL};
    for (int i = 0; i < SHL_SCENE_COUNT; i++)
        names[i] = shl_scene_name((shl_scene_id)i);
    const shl_json_value scene = shl_json_at(top, "scene"),
                         parameters = shl_json_at(top, "parameters");
    const char *name = "";
    if (!shl_json_object(top, keys) || !shl_json_text(&scene, &name))
        return false;
    if (!shl_scene_find(name, &out->id)) {
        const char *meant = shl_nearest_word(name, names);
        return shl_json_fail(&scene, "there is no scene '%.40s'%s%s%s", name,
                             meant ? "; did you mean '" : "; shoal scenes lists them",
                             meant ? meant : "", meant ? "'?" : "");
    }
    out->built_in = true;
    out->params = shl_scene_defaults(out->id);
    if (!parameters.json)
        return true;
    const char *taken[32] = {NULL};
    for (uint32_t i = 0; i < 31; i++)
        taken[i] = shl_scene_param_at(out->id, &out->params, i).key;
    if (!shl_json_object(&parameters, taken))
        return false;
    for (size_t i = 0; taken[i]; i++) {
        const shl_json_value one = shl_json_at(&parameters, taken[i]);
        if (one.json && !read_parameter(&one, out))
            return false;
    }
    return true;
}

static bool read_own(const shl_json_value *top, shl_scene_file *out)
{
    static const char *const keys[] = {"shoal",    "name",    "steps",  "time_step",
                                       "seed",     "queries", "within", "bodies",
                                       "dynamics", "outputs", NULL};
    const shl_json_value bodies = shl_json_at(top, "bodies"), steps = shl_json_at(top, "steps");
    const shl_json_value seed = shl_json_at(top, "seed"),
                         time_step = shl_json_at(top, "time_step");
    uint64_t count = 100, number = 1;
    out->own.time_step = 0.01;
    if (!shl_json_object(top, keys))
        return false;
    if (!bodies.json)
        return shl_json_fail(top, "expected the key 'scene' or 'bodies'");
    if (!shl_json_count(&steps, 1, 1000000000, &count) ||
        !shl_json_count(&seed, 0, INT64_MAX, &number) ||
        !shl_json_number(&time_step, 1e-12, 1e6, &out->own.time_step))
        return false;
    const shl_json_value dynamics = shl_json_at(top, "dynamics"),
                         queries = shl_json_at(top, "queries");
    out->params = (shl_scene_params){.steps = (uint32_t)count, .seed = number};
    if (!shl_scene_bodies(&bodies, number, &out->own, &out->inputs) ||
        !shl_scene_law(&dynamics, &out->own))
        return false;
    if (shl_own_falls(&out->own) && queries.json && !(out->queries & SHOAL_QUERY_SPHERES))
        return shl_json_fail(&queries, "expected 'spheres' among them: bodies that fall meet "
                                       "others by their contact spheres");
    if (shl_own_falls(&out->own) && !queries.json)
        out->queries = SHOAL_QUERY_SPHERES;
    return true;
}

static void name_of(const char *path, char name[64])
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    const char *dot = strrchr(from, '.');
    shl_plain_name(from, dot && dot != from ? (size_t)(dot - from) : strlen(from), name, 64);
}

// A name becomes a folder's.
static bool read_name(const shl_json_value *node, shl_scene_file *out)
{
    const char *name = NULL;
    if (!shl_json_text(node, &name))
        return false;
    if (name && (strlen(name) > 60 || strchr(name, '/') || name[0] == '.'))
        return shl_json_fail(node, "expected a name of at most 60 letters, without '/'");
    for (const char *c = name; c && *c; c += shl_plain_size(c)) {
        if (!shl_plain_size(c))
            return shl_json_fail(node, "the name holds a control character");
    }
    if (name)
        snprintf(out->name, sizeof out->name, "%s", name);
    return true;
}

static bool read_top(const shl_json_value *top, shl_scene_file *out)
{
    const shl_json_value version = shl_json_at(top, "shoal"), name = shl_json_at(top, "name");
    const shl_json_value queries = shl_json_at(top, "queries"),
                         outputs = shl_json_at(top, "outputs");
    const shl_json_value within = shl_json_at(top, "within");
    if (!json_is_object(top->json))
        return shl_json_fail(top, "expected an object");
    if (!version.json)
        return shl_json_fail(top, "expected the key 'shoal' with the value %d",
                             SHL_SCENE_FILE_VERSION);
    uint64_t number;
    if (!shl_json_count(&version, SHL_SCENE_FILE_VERSION, SHL_SCENE_FILE_VERSION, &number) ||
        !read_name(&name, out) || !read_queries(&queries, &out->queries) ||
        !shl_scene_within_read(&within, &out->outputs) ||
        !shl_scene_outputs_read(&outputs, &out->outputs))
        return false;
    return json_object_get(top->json, "scene") ? read_built_in(top, out) : read_own(top, out);
}

// Puts a value at a way "bodies.0.scale". False: there is no such place.
static bool put(json_t *at, const char *way, json_t *value)
{
    char part[64];
    while (true) {
        const size_t length = strcspn(way, ".");
        if (length == 0 || length >= sizeof part)
            return false;
        memcpy(part, way, length);
        part[length] = '\0';
        char *end;
        const size_t index = strtoul(part, &end, 10);
        const bool last = way[length] == '\0';
        if (json_is_array(at)) {
            if (*end || index >= json_array_size(at))
                return false;
            if (last)
                return json_array_set(at, index, value) == 0;
            at = json_array_get(at, index);
        } else {
            if (last)
                return json_object_set(at, part, value) == 0;
            at = json_object_get(at, part);
        }
        if (!json_is_object(at) && !json_is_array(at))
            return false;
        way += length + 1;
    }
}

static bool override(json_t *top, const char *setting, shoal_io_error *error)
{
    char way[256];
    const size_t length = strcspn(setting, "=");
    json_error_t why;
    json_t *value =
        setting[length] ? json_loads(setting + length + 1, JSON_DECODE_ANY, &why) : NULL;
    if (!value && setting[length])
        value = json_string(setting + length + 1);
    if (!value && setting[length]) {
        snprintf(error->text, sizeof error->text, "-s '%.200s': the value is not UTF-8",
                 setting);
        return false;
    }
    bool good = value && length < sizeof way;
    if (good) {
        memcpy(way, setting, length);
        way[length] = '\0';
        json_t *parameters = json_object_get(top, "parameters");
        if (!parameters && json_object_get(top, "scene") && strcmp(way, "name") != 0) {
            parameters = json_object();
            good = json_object_set_new(top, "parameters", parameters) == 0;
        }
        const bool parameter = json_object_get(top, "scene") && !strchr(way, '.') &&
                               strcmp(way, "name") != 0 && strcmp(way, "queries") != 0 &&
                               strcmp(way, "within") != 0 && strcmp(way, "outputs") != 0;
        good = good && put(parameter ? parameters : top, way, value);
    }
    json_decref(value);
    if (!good)
        snprintf(error->text, sizeof error->text,
                 "-s '%.200s': there is no such place in the scene file", setting);
    return good;
}

bool shl_scene_file_parse(const char *path, const char *text, size_t size,
                          const char *const *settings, size_t count, shl_scene_file *out,
                          shoal_io_error *error)
{
    *out = (shl_scene_file){0};
    error->text[0] = '\0';
    name_of(path, out->name);
    json_error_t why;
    out->json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!out->json || memchr(text, 0, size)) {
        snprintf(error->text, sizeof error->text, "%.200s:%d:%d: %.160s", path,
                 out->json ? 1 : why.line, out->json ? 1 : why.column,
                 out->json ? "a byte is 0" : why.text);
        shl_plain_mask(error->text); // jansson quotes what it found, line ends too
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!override(out->json, settings[i], error))
            return false;
    }
    shl_source_text source = {
        .path = path, .text = text, .overrides = settings, .override_count = count};
    const shl_json_value top = {&source, out->json, NULL, NULL, 0};
    if (read_top(&top, out))
        return true;
    snprintf(error->text, sizeof error->text, "%.511s", source.error);
    return false;
}

bool shl_scene_file_read(const char *path, const char *const *settings, size_t count,
                         shl_scene_file *out, shoal_io_error *error)
{
    const shoal_allocator allocator = shl_io_allocator(NULL);
    shl_file file;
    *out = (shl_scene_file){0};
    if (shl_file_load(path, &allocator, &file, error) != SHOAL_OK)
        return false;
    char *text = malloc(file.size + 1);
    bool good = false;
    if (text) {
        memcpy(text, file.bytes, file.size);
        text[file.size] = '\0';
        good = shl_scene_file_parse(path, text, file.size, settings, count, out, error);
    } else {
        snprintf(error->text, sizeof error->text, "%.200s: out of memory", path);
    }
    free(text);
    shl_file_drop(&file, &allocator);
    return good;
}

void shl_scene_file_finish(shl_scene_file *file)
{
    shl_own_finish(&file->own);
    json_decref(file->json);
    *file = (shl_scene_file){0};
}

json_t *shl_scene_file_of(shl_scene_id id, const shl_scene_params *params)
{
    json_t *all = json_object(), *queries = json_array();
    for (uint32_t i = 0;; i++) {
        const shl_scene_param p = shl_scene_param_at(id, params, i);
        if (!p.key)
            break;
        json_error_t why;
        json_t *value = p.number ? json_loads(p.text, JSON_DECODE_ANY, &why) : NULL;
        json_object_set_new(all, p.key, value ? value : json_string(p.text));
    }
    const uint32_t bits = params->spheres ? SHOAL_QUERY_SPHERES : shl_scene_queries(id);
    for (size_t i = 0; shl_query_names[i]; i++) {
        if (bits & shl_query_bits[i])
            json_array_append_new(queries, json_string(shl_query_names[i]));
    }
    return json_pack("{s:i, s:s, s:o, s:o}", "shoal", SHL_SCENE_FILE_VERSION, "scene",
                     shl_scene_name(id), "parameters", all, "queries", queries);
}
