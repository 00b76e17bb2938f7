// SPDX-License-Identifier: MIT
#include "cli/commands/file_info.h"

#include "cli/run/engine.h"
#include "io/plain.h"

#include <math.h>
#include <stdio.h>

int shl_file_read(const char *path, shoal_model_file *out)
{
    shoal_io_error error;
    const shoal_status st = shoal_model_file_read(path, NULL, out, &error);
    if (st == SHOAL_OK)
        return SHL_EXIT_OK;
    shl_say("%s", error.text);
    return st == SHOAL_ERR_MEMORY ? SHL_EXIT_MEMORY : SHL_EXIT_INPUT;
}

typedef struct extent {
    double lo[3], hi[3];
} extent;

static extent extent_of(const shoal_mesh *mesh)
{
    extent e;
    for (int k = 0; k < 3; k++) {
        e.lo[k] = INFINITY;
        e.hi[k] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        e.lo[i % 3] = fmin(e.lo[i % 3], mesh->xyz[i]);
        e.hi[i % 3] = fmax(e.hi[i % 3], mesh->xyz[i]);
    }
    return e;
}

// How far a field moves a vertex at most when its coordinate is 1.
static double amplitude_of(const shoal_model_file *file, uint32_t field)
{
    const float *u = file->fields + 3 * (size_t)field * file->rest.vertex_count;
    double most = 0;
    for (size_t v = 0; v < file->rest.vertex_count; v++)
        most = fmax(most,
                    hypot(hypot((double)u[3 * v], (double)u[3 * v + 1]), (double)u[3 * v + 2]));
    return most;
}

void shl_file_print(const char *path, const shoal_model_file *file)
{
    const extent e = extent_of(&file->rest);
    if (file->version)
        shl_line(stdout, "file       %s, a model file of version %u", path, file->version);
    else
        shl_line(stdout, "file       %s, a mesh", path);
    if (file->name[0])
        shl_line(stdout, "name       %s", file->name);
    printf("vertices   %u, %s\n", file->rest.vertex_count,
           file->rest.scalar == SHOAL_F32 ? "float32" : "float64");
    printf("triangles  %u\n", file->rest.triangle_count);
    printf("box        %g %g %g to %g %g %g\n", e.lo[0], e.lo[1], e.lo[2], e.hi[0], e.hi[1],
           e.hi[2]);
    if (file->version)
        printf("fields     %u%s\n", file->field_count, file->field_count ? "" : ", rigid");
    if (file->control_count)
        printf("controls   %u, %.1f weights per vertex%s%s\n", file->control_count,
               (double)file->weight_count / fmax(1, file->rest.vertex_count),
               file->radii ? ", radii" : "", file->control_masses ? ", masses" : "");
    for (uint32_t i = 0; i < file->field_count; i++) {
        printf("           %-4u moves by %g", i, amplitude_of(file, i));
        if (file->frequencies)
            printf(", %g Hz", file->frequencies[i]);
        if (file->masses)
            printf(", mass %g", file->masses[i]);
        putchar('\n');
    }
    if (file->skipped)
        printf("skipped    %u %s of a later version\n", file->skipped,
               file->skipped == 1 ? "section" : "sections");
}

json_t *shl_file_json(const char *path, const shoal_model_file *file)
{
    const extent e = extent_of(&file->rest);
    json_t *fields = json_array();
    for (uint32_t i = 0; i < file->field_count; i++) {
        json_t *field = json_pack("{s:f}", "moves_by", amplitude_of(file, i));
        if ((file->frequencies && json_object_set_new(field, "frequency_hz",
                                                      json_real(file->frequencies[i])) != 0) ||
            (file->masses &&
             json_object_set_new(field, "mass", json_real(file->masses[i])) != 0) ||
            json_array_append_new(fields, field) != 0) {
            json_decref(fields);
            return NULL;
        }
    }
    return json_pack(
        "{s:o, s:I, s:o, s:I, s:I, s:s, s:{s:[f, f, f], s:[f, f, f]}, s:o, s:I, s:I, s:I}",
        "file", shl_json_new_text(path), "version", (json_int_t)file->version, "name",
        shl_json_new_text(file->name), "vertices", (json_int_t)file->rest.vertex_count,
        "triangles", (json_int_t)file->rest.triangle_count, "scalar",
        file->rest.scalar == SHOAL_F32 ? "float32" : "float64", "box", "lo", e.lo[0], e.lo[1],
        e.lo[2], "hi", e.hi[0], e.hi[1], e.hi[2], "fields", fields, "controls",
        (json_int_t)file->control_count, "weights", (json_int_t)file->weight_count,
        "skipped_sections", (json_int_t)file->skipped);
}

int shl_file_info(const shl_args *args)
{
    json_t *files = shl_args_has(args, "json") ? json_array() : NULL;
    for (size_t i = 0; i < args->word_count; i++) {
        shoal_model_file file;
        const int code = shl_file_read(args->words[i], &file);
        if (code != SHL_EXIT_OK) {
            json_decref(files);
            return code;
        }
        if (files) {
            json_array_append_new(files, shl_file_json(args->words[i], &file));
        } else {
            printf("%s", i ? "\n" : "");
            shl_file_print(args->words[i], &file);
        }
        shoal_model_file_finish(&file);
    }
    return files ? shl_json_print(json_pack("{s:o}", "files", files)) : SHL_EXIT_OK;
}
