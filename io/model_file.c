// SPDX-License-Identifier: MIT
// Model files for users: read one, make a model from it, release it.
#include "io/load.h"
#include "io/model_format.h"
#include "layouts/float_env.h"

#include <string.h>

static bool is_model(const shl_file *file, const char *path)
{
    const size_t magic = sizeof SHL_MODEL_MAGIC - 1;
    return shl_has_suffix(path, ".model") ||
           (file->size >= magic && memcmp(file->bytes, SHL_MODEL_MAGIC, magic) == 0);
}

shoal_status shoal_model_file_read(const char *path, const shoal_allocator *allocator,
                                   shoal_model_file *out, shoal_io_error *error)
{
    SHL_FLOAT_ENV(host);
    shoal_io_error unread;
    if (!error)
        error = &unread;
    error->text[0] = 0;
    if (!out)
        return shl_io_fail_file(error, path ? path : "model", SHOAL_ERR_ARGUMENT,
                                "out is NULL");
    *out = (shoal_model_file){0};
    if (!path)
        return shl_io_fail_file(error, "model", SHOAL_ERR_ARGUMENT, "path is NULL");
    if (shl_io_half_allocator(allocator))
        return shl_io_fail_file(error, path, SHOAL_ERR_ARGUMENT, "half an allocator");
    shoal_allocator used = shl_io_allocator(allocator);
    shl_file file;
    shoal_status status = shl_file_load(path, &used, &file, error);
    if (status == SHOAL_OK) {
        shl_source source = {file.bytes, file.size, path, SHL_IO_ROW_LIMIT};
        status = is_model(&file, path) ? shl_model_parse(&source, &used, out, error)
                                       : shl_mesh_parse(&source, &used, &out->rest, error);
    }
    shl_file_drop(&file, &used);
    return status;
}

void shoal_model_file_fill_def(const shoal_model_file *file, shoal_model_def *def)
{
    def->triangles = file->rest.triangles;
    def->triangle_count = file->rest.triangle_count;
    def->rest = shoal_positions_f64(file->rest.xyz, file->rest.vertex_count);
    def->reducible = true;
    def->fields = file->fields;
    def->field_count = file->field_count;
    def->field_numbers = 3 * (size_t)file->field_count * file->rest.vertex_count;
}

bool shoal_model_file_fill_skinned(const shoal_model_file *file, shoal_skinned_def *skinned)
{
    if (!file->control_count)
        return false;
    skinned->control_count = file->control_count;
    skinned->controls = file->controls;
    skinned->weight_begin = file->weight_begin;
    skinned->weight_control = file->weight_control;
    skinned->weight = file->weight;
    skinned->weight_count = file->weight_count;
    return true;
}

void shoal_model_file_finish(shoal_model_file *file)
{
    if (!file)
        return;
    const shoal_allocator allocator = shl_io_allocator(&file->rest.allocator);
    const size_t each = file->field_count * sizeof(double);
    shl_io_free(&allocator, file->fields,
                3 * sizeof(float) * file->field_count * (size_t)file->rest.vertex_count);
    shl_io_free(&allocator, file->frequencies, each);
    shl_io_free(&allocator, file->masses, each);
    shl_io_free(&allocator, file->motion, file->frame_count * each);
    const size_t control = file->control_count * sizeof(double);
    shl_io_free(&allocator, file->controls, 3 * control);
    shl_io_free(&allocator, file->weight_begin,
                (file->rest.vertex_count + (size_t)1) * sizeof *file->weight_begin);
    shl_io_free(&allocator, file->weight_control,
                file->weight_count * sizeof *file->weight_control);
    shl_io_free(&allocator, file->weight, file->weight_count * sizeof *file->weight);
    shl_io_free(&allocator, file->radii, control);
    shl_io_free(&allocator, file->control_masses, control);
    shoal_mesh_finish(&file->rest);
    *file = (shoal_model_file){0};
}
