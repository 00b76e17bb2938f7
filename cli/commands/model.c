// SPDX-License-Identifier: MIT
// shoal model: a model file from a mesh, and from copies of it that show its fields.
#include "cli/commands/commands.h"
#include "cli/commands/file_info.h"
#include "cli/run/engine.h"
#include "io/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const shl_option options[] = {
    {"output", 'o', "FILE", "the model file to write", false},
    {"field", 0, "FILE", "the mesh displaced by one field; again for each field, in order",
     true},
    {"name", 0, "TEXT", "what the model is called; default REST's name without its suffix",
     false},
    {0},
};
static const shl_option *const option_lists[] = {options, shl_json_options, NULL};

// The fields are differences, so both must be the same surface, vertex by vertex.
static bool same_surface(const shoal_mesh *a, const shoal_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles,
                  3 * sizeof *a->triangles * (size_t)a->triangle_count) == 0;
}

static int add_field(const shl_args *args, const char *path, shoal_model_file *model)
{
    shoal_model_file moved;
    int code = shl_file_read(path, &moved);
    if (code != SHL_EXIT_OK)
        return code;
    const size_t scalars = 3 * (size_t)model->rest.vertex_count;
    float *fields = NULL;
    if (!same_surface(&model->rest, &moved.rest)) {
        shl_say("%s: not the same vertices and triangles as %s", path, args->words[0]);
        code = SHL_EXIT_INPUT;
    } else {
        fields =
            realloc(model->fields, scalars * (model->field_count + (size_t)1) * sizeof *fields);
        if (!fields) {
            shl_say("shoal: out of memory");
            code = SHL_EXIT_MEMORY;
        }
    }
    if (fields) {
        float *field = fields + scalars * model->field_count++;
        for (size_t i = 0; i < scalars; i++)
            field[i] = (float)(moved.rest.xyz[i] - model->rest.xyz[i]);
        model->fields = fields;
    }
    shoal_model_file_finish(&moved);
    return code;
}

// Without folder and suffix.
static void name_after(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    shl_plain_name(base, dot && dot > base ? (size_t)(dot - base) : strlen(base), out, size);
}

static int write_model(const shl_args *args, shoal_model_file *model)
{
    const char *path = shl_args_get(args, "output"), *name = shl_args_get(args, "name");
    if (name)
        snprintf(model->name, sizeof model->name, "%s", name);
    else
        name_after(args->words[0], model->name, sizeof model->name);
    shoal_io_error error;
    const shoal_status st = shoal_model_file_write(path, model, &error);
    if (st != SHOAL_OK) {
        shl_say("%s", error.text);
        return st == SHOAL_ERR_FILE     ? SHL_EXIT_IO
               : st == SHOAL_ERR_MEMORY ? SHL_EXIT_MEMORY
                                        : SHL_EXIT_INPUT;
    }
    model->version = 1;
    if (shl_args_has(args, "json"))
        return shl_json_print(shl_file_json(path, model));
    shl_file_print(path, model);
    return SHL_EXIT_OK;
}

static int make_model(const shl_args *args)
{
    if (args->word_count != 1)
        return args->word_count
                   ? shl_usage_error(args->command, "one REST, not also '%s'", args->words[1])
                   : shl_usage_error(args->command, "which REST?");
    if (!shl_args_has(args, "output"))
        return shl_usage_error(args->command, "-o FILE is missing");
    const char *name = shl_args_get(args, "name");
    if (name && strlen(name) > SHOAL_MODEL_NAME_MAX)
        return shl_usage_error(args->command, "--name has more than %d bytes",
                               SHOAL_MODEL_NAME_MAX);
    shoal_model_file rest;
    int code = shl_file_read(args->words[0], &rest);
    if (code != SHL_EXIT_OK)
        return code;
    // the fields are this command's own, the mesh is the reader's
    shoal_model_file model = {.rest = rest.rest};
    if (rest.field_count) {
        shl_say("%s: a model with fields already", args->words[0]);
        code = SHL_EXIT_INPUT;
    }
    for (size_t i = 0; i < args->given_count && code == SHL_EXIT_OK; i++) {
        if (strcmp(args->given[i].option->name, "field") == 0)
            code = add_field(args, args->given[i].value, &model);
    }
    if (code == SHL_EXIT_OK)
        code = write_model(args, &model);
    free(model.fields);
    shoal_model_file_finish(&rest);
    return code;
}

const shl_command shl_cmd_model = {
    .name = "model",
    .summary = "Make a model file from a mesh and displaced copies of it",
    .usage = "model REST -o FILE [--field FILE ...] [options]",
    .notes = "REST is a mesh: OBJ, PLY, STL or OFF. Each --field is the same mesh, vertex by\n"
             "vertex, displaced as one coordinate of 1 does it; without any the model is\n"
             "rigid. shoal info FILE tells what a model file holds.\n",
    .options = option_lists,
    .run = make_model,
};
