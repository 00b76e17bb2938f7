// SPDX-License-Identifier: MIT
#include "cli/frames/xdmf.h"

#include "io/output.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char index_name[] = "results.xdmf";

// All numbers of an array; NULL: there are none or more than `most`, or it is not there.
static int64_t *numbers_of(hid_t file, const char *path, size_t most, size_t *count)
{
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    int64_t *out = n > 0 && (size_t)n <= most ? calloc((size_t)n, sizeof *out) : NULL;
    if (out && H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
        free(out);
        out = NULL;
    }
    *count = out ? (size_t)n : 0;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return out;
}

static void put_grid(shl_output *out, const char *name, uint32_t step, int64_t part, int64_t n,
                     int64_t t)
{
    char points[64], triangles[64];
    snprintf(points, sizeof points, "/Views/points-%06u", step);
    snprintf(triangles, sizeof triangles, "/Views/triangles-%" PRId64, part);
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
}

// All frames of one file.
static bool put_file(shl_results *r, shl_output *out, uint32_t first)
{
    char name[40];
    snprintf(name, sizeof name, "results-%06u.h5", first);
    const hid_t file =
        H5Fopen(shl_folder_path(r->folder, name).text, H5F_ACC_RDONLY, H5P_DEFAULT);
    size_t frames = 0, parts = 0, cells = 0;
    const size_t most = r->segment / r->every; // a frame has one part at most
    int64_t *part = numbers_of(file, "/VTKHDF/Steps/PartOffsets", most, &frames);
    int64_t *points = numbers_of(file, "/VTKHDF/NumberOfPoints", most, &parts);
    int64_t *triangles = numbers_of(file, "/VTKHDF/Polygons/NumberOfCells", most, &cells);
    const uint32_t last = r->last - first < r->segment ? r->last : first + r->segment;
    bool good = frames == (last - first) / r->every && parts == cells;
    for (size_t i = 0; i < frames && good && out->code == 0; i++) {
        good = part[i] >= 0 && (size_t)part[i] < parts;
        if (good)
            put_grid(out, name, first + r->every * (uint32_t)(i + 1), part[i], points[part[i]],
                     triangles[part[i]]);
    }
    free(part);
    free(points);
    free(triangles);
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
    const int code = shl_output_finish(out);
    free(out);
    return code == 0 || shl_results_fail(r, path.text, code, NULL);
}
