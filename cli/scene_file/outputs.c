// SPDX-License-Identifier: MIT
// What a scene file wants its run to leave behind: each value is that of an option of shoal
// run, which wins if it is given.
#include "cli/scene_file/outputs.h"

#include <stdio.h>
#include <string.h>

static const char *const formats[] = {"hdf5", "vtp", "pc2", "ply", NULL};

static bool add(const shl_json_value *node, shl_scene_outputs *out, const char *option,
                const char *value)
{
    if (out->count == SHL_OUTPUTS_MAX)
        return shl_json_fail(node, "too many outputs");
    shl_scene_output *row = &out->rows[out->count++];
    row->option = option;
    snprintf(row->value, sizeof row->value, "%s", value);
    return true;
}

static bool add_count(const shl_json_value *node, uint64_t least, uint64_t most,
                      const char *option, shl_scene_outputs *out)
{
    uint64_t count = 0;
    char text[24];
    if (!node->json)
        return true;
    if (!shl_json_count(node, least, most, &count))
        return false;
    snprintf(text, sizeof text, "%ju", (uintmax_t)count);
    return add(node, out, option, text);
}

// One format or a list of them.
static bool add_formats(const shl_json_value *node, shl_scene_outputs *out)
{
    char text[64] = "";
    size_t used = 0;
    const bool list = json_is_array(node->json);
    const size_t count = list ? json_array_size(node->json) : 1;
    bool seen[sizeof formats / sizeof *formats] = {false};
    if (!node->json)
        return true;
    if (count == 0)
        return shl_json_fail(node, "expected hdf5, vtp, pc2 or ply, or a list of them");
    for (size_t i = 0; i < count; i++) {
        const shl_json_value item = list ? shl_json_item(node, i) : *node;
        int word = -1;
        if (!shl_json_word(&item, formats, &word))
            return false;
        if (seen[word])
            return shl_json_fail(&item, "'%s' is there twice", formats[word]);
        seen[word] = true;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "",
                                 formats[word]);
    }
    return add(node, out, "format", text);
}

static bool add_vector(const shl_json_value *node, const char *option, shl_scene_outputs *out)
{
    double v[3];
    char text[96];
    if (!node->json)
        return true;
    if (!shl_json_vector(node, v))
        return false;
    snprintf(text, sizeof text, "%.17g,%.17g,%.17g", v[0], v[1], v[2]);
    return add(node, out, option, text);
}

static bool add_camera(const shl_json_value *node, shl_scene_outputs *out)
{
    static const char *const keys[] = {"eye", "target", "up", "angle", NULL};
    const shl_json_value eye = shl_json_at(node, "eye"), target = shl_json_at(node, "target");
    const shl_json_value up = shl_json_at(node, "up"), angle = shl_json_at(node, "angle");
    double degrees = 0;
    char text[32];
    if (!node->json)
        return true;
    if (!shl_json_object(node, keys) || !add_vector(&eye, "eye", out) ||
        !add_vector(&target, "target", out) || !add_vector(&up, "up", out) ||
        !shl_json_number(&angle, 0.1, 169, &degrees))
        return false;
    snprintf(text, sizeof text, "%.17g", degrees);
    return !angle.json || add(&angle, out, "angle", text);
}

static bool add_size(const shl_json_value *node, shl_scene_outputs *out)
{
    uint64_t side[2] = {0, 0};
    char text[32];
    if (!node->json)
        return true;
    if (json_array_size(node->json) != 2)
        return shl_json_fail(node, "expected width and height, as [1280, 720]");
    for (size_t i = 0; i < 2; i++) {
        const shl_json_value item = shl_json_item(node, i);
        if (!shl_json_count(&item, 16, 16384, &side[i]))
            return false;
    }
    snprintf(text, sizeof text, "%jux%ju", (uintmax_t)side[0], (uintmax_t)side[1]);
    return add(node, out, "size", text);
}

bool shl_scene_outputs_read(const shl_json_value *node, shl_scene_outputs *out)
{
    static const char *const keys[] = {"every", "format", "segment", "frames", "boxes",
                                       "size",  "camera", "video",   NULL};
    const shl_json_value every = shl_json_at(node, "every"),
                         format = shl_json_at(node, "format");
    const shl_json_value segment = shl_json_at(node, "segment"),
                         frames = shl_json_at(node, "frames");
    const shl_json_value boxes = shl_json_at(node, "boxes"), size = shl_json_at(node, "size");
    const shl_json_value camera = shl_json_at(node, "camera"),
                         video = shl_json_at(node, "video");
    bool film = false;
    if (!node->json)
        return true;
    if (!shl_json_object(node, keys))
        return false;
    if (!every.json && (format.json || segment.json))
        return shl_json_fail(format.json ? &format : &segment,
                             "expected the key 'every' beside it, the steps between frames");
    uint64_t steps = 1, rows = 0;
    if (!shl_json_count(&every, 1, 1000000000, &steps) ||
        !shl_json_count(&segment, 1, 1000000000, &rows))
        return false;
    if (rows % steps)
        return shl_json_fail(&segment, "expected a multiple of 'every', which is %ju",
                             (uintmax_t)steps);
    return add_count(&every, 1, 1000000000, "every", out) && add_formats(&format, out) &&
           add_count(&segment, 1, 1000000000, "segment", out) &&
           add_count(&frames, 0, 100000, "frames", out) &&
           add_count(&boxes, 0, 100, "boxes", out) && add_size(&size, out) &&
           add_camera(&camera, out) && shl_json_flag(&video, &film) &&
           (!film || add(&video, out, "video", ""));
}

bool shl_scene_within_read(const shl_json_value *node, shl_scene_outputs *out)
{
    double within = 0;
    char text[32];
    if (!shl_json_number(node, 0, 1e15, &within))
        return false;
    snprintf(text, sizeof text, "%.17g", within);
    return !node->json || add(node, out, "within", text);
}
