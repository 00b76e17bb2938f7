// SPDX-License-Identifier: MIT
// A mesh in each of the four formats.
#include "io/output.h"

#include "io/number.h"
#include "io/reader.h"
#include "layouts/float_env.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef void write_fn(const shoal_mesh *mesh, shl_output *out);

// The shortest of 15 to 17 digits that reads back as the same number.
static void put_number(shl_output *out, double value, char after)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        double again;
        int length = snprintf(text, sizeof text, "%.*g%c", digits, value, after);
        shl_number_double(text, text + length, &again);
        if (again == value)
            break;
    }
    shl_put_bytes(out, text, strlen(text));
}

static void put_point(shl_output *out, const double xyz[3])
{
    put_number(out, xyz[0], ' ');
    put_number(out, xyz[1], ' ');
    put_number(out, xyz[2], '\n');
}

static void write_obj(const shoal_mesh *mesh, shl_output *out)
{
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        shl_put_bytes(out, "v ", 2);
        put_point(out, &mesh->xyz[3 * v]);
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = &mesh->triangles[3 * t];
        shl_put_text(out, "f %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", corner[0] + 1,
                     corner[1] + 1, corner[2] + 1);
    }
}

static void write_off(const shoal_mesh *mesh, shl_output *out)
{
    shl_put_text(out, "OFF\n%" PRIu32 " %" PRIu32 " 0\n", mesh->vertex_count,
                 mesh->triangle_count);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        put_point(out, &mesh->xyz[3 * v]);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = &mesh->triangles[3 * t];
        shl_put_text(out, "3 %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", corner[0], corner[1],
                     corner[2]);
    }
}

static void write_ply(const shoal_mesh *mesh, shl_output *out)
{
    // The mesh's own word is not trusted: one made by hand may have left `scalar` zero.
    bool single = shl_scalar_of(mesh->xyz, 3 * (size_t)mesh->vertex_count) == SHOAL_F32;
    const char *type = single ? "float" : "double";
    shl_put_text(out, "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu32 "\n",
                 mesh->vertex_count);
    shl_put_text(out, "property %s x\nproperty %s y\nproperty %s z\n", type, type, type);
    shl_put_text(
        out, "element face %" PRIu32 "\nproperty list uchar int vertex_indices\nend_header\n",
        mesh->triangle_count);
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        if (single)
            shl_put_f32(out, (float)mesh->xyz[i]);
        else
            shl_put_f64(out, mesh->xyz[i]);
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        if (i % 3 == 0)
            shl_put_bytes(out, "\3", 1);
        shl_put_u32(out, mesh->triangles[i]);
    }
}

// Of length one, or zero for a degenerate triangle.
static void put_normal(shl_output *out, const double *a, const double *b, const double *c)
{
    double u[3], v[3], n[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = b[axis] - a[axis];
        v[axis] = c[axis] - a[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int y = (axis + 1) % 3, z = (axis + 2) % 3;
        n[axis] = u[y] * v[z] - u[z] * v[y];
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    bool good = length > 0 && isfinite(length);
    for (int axis = 0; axis < 3; axis++)
        shl_put_f32(out, good ? (float)(n[axis] / length) : 0.0f);
}

static void write_stl(const shoal_mesh *mesh, shl_output *out)
{
    char header[80] = "binary STL written by shoal";
    shl_put_bytes(out, header, sizeof header);
    shl_put_u32(out, mesh->triangle_count);
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const double *corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = &mesh->xyz[3 * (size_t)mesh->triangles[3 * t + (size_t)c]];
        put_normal(out, corner[0], corner[1], corner[2]);
        for (int i = 0; i < 9; i++)
            shl_put_f32(out, (float)corner[i / 3][i % 3]);
        shl_put_bytes(out, "\0\0", 2);
    }
}

static write_fn *find_writer(const char *path)
{
    static const struct {
        char suffix[5];
        write_fn *write;
    } writers[] = {
        {".obj", write_obj}, {".off", write_off}, {".ply", write_ply}, {".stl", write_stl}};
    size_t length = strlen(path);
    for (int i = 0; i < 4 && length >= 4; i++) {
        if (strcasecmp(path + length - 4, writers[i].suffix) == 0)
            return writers[i].write;
    }
    return NULL;
}

shoal_status shl_check_mesh(const char *path, const shoal_mesh *mesh, double largest,
                            shoal_io_error *error)
{
    const shoal_status bad = SHOAL_ERR_ARGUMENT;
    if (mesh->triangle_count == 0 || !mesh->triangles)
        return shl_io_fail_file(error, path, bad, "the mesh has no triangles");
    if (!mesh->xyz)
        return shl_io_fail_file(error, path, bad, "the mesh has no vertices");
    if (mesh->vertex_count > SHL_IO_ROW_LIMIT || mesh->triangle_count > SHL_IO_ROW_LIMIT)
        return shl_io_fail_file(error, path, bad, "the mesh has more than 2^31 rows");
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        if (!(fabs(mesh->xyz[i]) <= largest))
            return shl_io_fail_file(error, path, bad,
                                    "coordinate %g of vertex %zu does not fit the format",
                                    mesh->xyz[i], i / 3);
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        if (mesh->triangles[i] >= mesh->vertex_count)
            return shl_io_fail_file(error, path, bad,
                                    "triangle %zu names vertex %" PRIu32
                                    ", the mesh has %" PRIu32,
                                    i / 3, mesh->triangles[i], mesh->vertex_count);
    }
    return SHOAL_OK;
}

shoal_status shoal_mesh_write(const char *path, const shoal_mesh *mesh, shoal_io_error *error)
{
    SHL_FLOAT_ENV(host);
    shoal_io_error unread;
    if (!error)
        error = &unread;
    error->text[0] = 0;
    if (!path || !mesh)
        return shl_io_fail_file(error, path ? path : "mesh", SHOAL_ERR_ARGUMENT, "%s is NULL",
                                path ? "mesh" : "path");
    write_fn *write_mesh = find_writer(path);
    if (!write_mesh)
        return shl_io_fail_file(error, path, SHOAL_ERR_ARGUMENT,
                                "the suffix is none of .obj, .off, .ply, .stl");
    double largest = write_mesh == write_stl ? (double)FLT_MAX : DBL_MAX;
    shoal_status status = shl_check_mesh(path, mesh, largest, error);
    if (status != SHOAL_OK)
        return status;
    // A decimal comma would make another number of every coordinate.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", shl_io_reason(errno));
    locale_t before = uselocale(plain);
    shl_output out;
    shl_output_init(&out, path);
    if (out.code == 0)
        write_mesh(mesh, &out);
    int code = shl_output_finish(&out);
    uselocale(before);
    freelocale(plain);
    char text[PATH_MAX];
    if (code != 0)
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s",
                                shl_write_reason(path, code, text));
    return SHOAL_OK;
}
