// SPDX-License-Identifier: MIT
#include "cli/results/xdmf.h"

#include "io/output.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char index_name[] = "results.xdmf";

// Rows of a dataset; negative: it is not there.
static int64_t rows_of(hid_t file, const char *path)
{
    hsize_t shape[2] = {0, 0};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const bool good = space >= 0 && H5Sget_simple_extent_ndims(space) <= 2 &&
                      H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return good ? (int64_t)shape[0] : -1;
}

static bool put_grid(shl_output *out, hid_t file, const char *name, uint32_t step, int64_t part)
{
    char points[64], triangles[64];
    snprintf(points, sizeof points, "/Views/points-%06u", step);
    snprintf(triangles, sizeof triangles, "/Views/triangles-%" PRId64, part);
    const int64_t n = rows_of(file, points), t = rows_of(file, triangles);
    if (n < 0 || t < 0)
        return false;
    shl_put_text(out, "<Grid Name=\"step %u\" GridType=\"Uniform\">\n<Time Value=\"%u\"/>\n",
                 step, step);
    shl_put_text(out, "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%" PRId64 "\">\n",
                 t);
    shl_put_text(out,
                 "<DataItem DataType=\"Int\" Precision=\"8\" Format=\"HDF\" "
                 "Dimensions=\"%" PRId64 " 3\">%s:%s</DataItem>\n</Topology>\n",
                 t, name, triangles);
    shl_put_text(out,
                 "<Geometry GeometryType=\"XYZ\">\n<DataItem DataType=\"Float\" "
                 "Precision=\"4\" Format=\"HDF\" Dimensions=\"%" PRId64
                 " 3\">%s:%s</DataItem>\n",
                 n, name, points);
    shl_put_text(
        out, "</Geometry>\n<Attribute Name=\"body\" AttributeType=\"Scalar\" "
             "Center=\"Cell\">\n<DataItem DataType=\"UInt\" Precision=\"4\" Format=\"HDF\" ");
    shl_put_text(out,
                 "Dimensions=\"%" PRId64 "\">%s:/Views/body-%" PRId64
                 "</DataItem>\n</Attribute>\n</Grid>\n",
                 t, name, part);
    return true;
}

// All frames of one file.
static bool put_file(shl_results *r, shl_output *out, uint32_t first)
{
    char name[40];
    snprintf(name, sizeof name, "results-%06u.h5", first);
    const hid_t file =
        H5Fopen(shl_folder_path(r->folder, name).text, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = file >= 0 ? H5Dopen2(file, "/VTKHDF/Steps/PartOffsets", H5P_DEFAULT) : -1;
    const int64_t frames = set >= 0 ? rows_of(file, "/VTKHDF/Steps/PartOffsets") : -1;
    int64_t *parts = frames > 0 ? calloc((size_t)frames, sizeof *parts) : NULL;
    bool good =
        parts && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, parts) >= 0;
    for (int64_t i = 0; i < frames && good && out->code == 0; i++)
        good = put_grid(out, file, name, first + r->every * (uint32_t)(i + 1), parts[i]);
    free(parts);
    if (set >= 0)
        H5Dclose(set);
    if (file >= 0)
        H5Fclose(file);
    return good;
}

bool shl_xdmf_write(shl_results *r)
{
    const shl_path path = shl_folder_path(r->folder, index_name);
    shl_output *out = malloc(sizeof *out);
    if (!out)
        return shl_results_fail(r, path.text, ENOMEM, NULL);
    bool good = true;
    shl_output_init(out, path.text);
    shl_put_text(out, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
                      "<Grid Name=\"steps\" GridType=\"Collection\" "
                      "CollectionType=\"Temporal\">\n");
    for (uint64_t first = 0; first < r->last && good; first += r->segment)
        good = put_file(r, out, (uint32_t)first);
    shl_put_text(out, "</Grid>\n</Domain>\n</Xdmf>\n");
    if (!good && out->code == 0)
        out->code = EIO;
    const int code = shl_output_finish(out, path.text);
    free(out);
    return code == 0 || shl_results_fail(r, path.text, code, NULL);
}
