// SPDX-License-Identifier: MIT
#include "float_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers that must be rounded, by each of the ways a reader has: a quotient, integers of 128
// bits, any number of digits; small, large and denormal ones.
#define NUMBERS_A "0.1 -0.3 1.7976931348623157e308"
#define NUMBERS_B "12345678901234567890.123 -9007199254740993 4.9e-324"
#define NUMBERS_C                                                                              \
    "2.2250738585072011e-308 1e-310 "                                                          \
    "0.30000000000000004440892098500626161694526672363281250001"
static const char obj[] = "v " NUMBERS_A "\nv " NUMBERS_B "\nv " NUMBERS_C "\nf 1 2 3\n";
static const char off[] = "OFF\n3 1 0\n" NUMBERS_A "\n" NUMBERS_B "\n" NUMBERS_C "\n3 0 1 2\n";
static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                          "property double y\nproperty float z\nelement face 1\n"
                          "property list uchar int vertex_indices\nend_header\n"
                          "0.1 0.2 1e-42\n3 1e-310 0.7\n16777217 5 6\n3 0 1 2\n";
static const char stl[] =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex " NUMBERS_A "\nvertex " NUMBERS_B
    "\nvertex " NUMBERS_C "\nendloop\nendfacet\nendsolid a\n";
static const char bad[] = "v 1e999 0 0\nv 1 0 nan\nf 1 2 2\n";

static const char *path_of(float_host *h, const char *name)
{
    static char path[PATH_ROOM + 40];
    snprintf(path, sizeof path, "%s/%s", h->folder, name);
    return path;
}

static void put_file(float_host *h, const char *name, const char *text)
{
    FILE *f = fopen(path_of(h, name), "w");
    if (!f || fputs(text, f) < 0)
        float_fault(h, "cannot write a file");
    if (f)
        fclose(f);
}

static void add_file(float_host *h, const char *name)
{
    char bytes[8192];
    FILE *f = fopen(path_of(h, name), "r");
    if (f) {
        float_add(h, bytes, fread(bytes, 1, sizeof bytes, f));
        fclose(f);
    }
    remove(path_of(h, name));
}

static void add_mesh(float_host *h, const shoal_mesh *m)
{
    float_add(h, &m->scalar, sizeof m->scalar);
    float_add(h, m->xyz, 3 * m->vertex_count * sizeof *m->xyz);
    float_add(h, m->triangles, 3 * m->triangle_count * sizeof *m->triangles);
}

static void mesh_read(float_host *h)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"a.obj", obj}, {"a.off", off}, {"a.ply", ply}, {"a.stl", stl}, {"bad.obj", bad}};
    for (int i = 0; i < 5; i++) {
        shoal_mesh mesh;
        shoal_io_error error;
        put_file(h, files[i].name, files[i].text);
        HOST_STATUS(shoal_mesh_read(path_of(h, files[i].name), NULL, &mesh, &error));
        add_mesh(h, &mesh);
        float_add(h, &(bool){error.text[0] != 0}, sizeof(bool));
        remove(path_of(h, files[i].name));
        if (i < 2)
            h->meshes[i] = mesh;
        else
            shoal_mesh_finish(&mesh);
    }
}

// STL holds float32, so its numbers are rounded; one is too large for it.
static void mesh_write(float_host *h)
{
    static const char *const names[] = {"b.obj", "b.off", "b.ply", "b.stl"};
    for (int i = 0; i < 8; i++) {
        shoal_mesh *m = &h->meshes[0];
        m->xyz[2] = i < 4 ? 1.7976931348623157e308 : 1 / 3.0;
        shoal_io_error error;
        HOST_STATUS(shoal_mesh_write(path_of(h, names[i % 4]), m, &error));
        add_file(h, names[i % 4]);
        float_add(h, &(bool){error.text[0] != 0}, sizeof(bool));
    }
}

static void mesh_finish(float_host *h)
{
    HOST(shoal_mesh_finish(&h->meshes[0]));
    HOST(shoal_mesh_finish(&h->meshes[1]));
}

static shoal_model_file file_of(float_shape *shape, int scale)
{
    static double frequencies[1] = {440}, masses[1] = {1e-310}, radii[NODES] = {0.1, 1e-310};
    float_shape_make(shape, scale);
    return (shoal_model_file){.name = "a",
                              .rest = {.xyz = shape->rest,
                                       .triangles = (uint32_t *)shape->def.triangles,
                                       .vertex_count = VERTICES,
                                       .triangle_count = 4},
                              .fields = shape->fields,
                              .field_count = 1,
                              .frequencies = frequencies,
                              .masses = masses,
                              .control_count = NODES,
                              .controls = shape->nodes,
                              .weight_begin = shape->weight_begin,
                              .weight_control = shape->weight_control,
                              .weight = shape->weight,
                              .weight_count = WEIGHTS,
                              .radii = radii};
}

static void model_file_write(float_host *h)
{
    float_shape shape;
    for (int i = 0; i < SCALES; i++) {
        const shoal_model_file file = file_of(&shape, i);
        HOST_STATUS(shoal_model_file_write(path_of(h, "a.model"), &file, NULL));
        if (i < SCALES - 1)
            add_file(h, "a.model");
    }
    shoal_model_file file = file_of(&shape, 2);
    shape.nodes[0] = 1 / (double){0};
    HOST_STATUS(shoal_model_file_write(path_of(h, "b.model"), &file, NULL));
}

static void model_file_read(float_host *h)
{
    shoal_model_file mesh;
    put_file(h, "c.obj", obj);
    HOST_STATUS(shoal_model_file_read(path_of(h, "c.obj"), NULL, &mesh, NULL));
    add_mesh(h, &mesh.rest);
    shoal_model_file_finish(&mesh);
    remove(path_of(h, "c.obj"));
    HOST_STATUS(shoal_model_file_read(path_of(h, "a.model"), NULL, &h->file, NULL));
    add_mesh(h, &h->file.rest);
    float_add(h, h->file.controls, 3 * h->file.control_count * sizeof(double));
    float_add(h, h->file.weight, h->file.weight_count * sizeof(float));
    float_add(h, h->file.masses, h->file.field_count * sizeof(double));
    remove(path_of(h, "a.model"));
}

static void fill_def(float_host *h)
{
    shoal_model_def def = shoal_model_def_default();
    HOST(shoal_model_file_fill_def(&h->file, &def));
    float_add(h, &def.field_numbers, sizeof def.field_numbers);
}

static void fill_skinned(float_host *h)
{
    shoal_skinned_def skinned = shoal_skinned_def_default();
    HOST_ADD(bool, shoal_model_file_fill_skinned(&h->file, &skinned));
    float_add(h, &skinned.control_count, sizeof skinned.control_count);
}

static void model_file_finish(float_host *h)
{
    HOST(shoal_model_file_finish(&h->file));
}

const float_row float_file_rows[] = {{"shoal_mesh_read", mesh_read},
                                     {"shoal_mesh_write", mesh_write},
                                     {"shoal_mesh_finish", mesh_finish},
                                     {"shoal_model_file_write", model_file_write},
                                     {"shoal_model_file_read", model_file_read},
                                     {"shoal_model_file_fill_def", fill_def},
                                     {"shoal_model_file_fill_skinned", fill_skinned},
                                     {"shoal_model_file_finish", model_file_finish},
                                     {0}};
