// SPDX-License-Identifier: MIT
#include "cli/frames/vtkhdf.h"

#include "cli/frames/h5_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rows of a chunk. Each flush writes the last one whole, so they are small.
enum { CHUNK_ROWS = 1024, STEP_ROWS = 128, LIST_ROWS = 1 << 17 };

// Arrays that grow with every frame.
typedef enum array {
    VALUES,
    PART_OFFSETS,
    PART_COUNTS,
    POINT_OFFSETS,
    BODY_OFFSETS,
    CELL_OFFSETS,
    ID_OFFSETS,
    CONTACT_OFFSETS,
    BETWEEN,
    DEPTH,
    NORMAL,
    POSITION,
    PAIR_OFFSETS,
    PAIRS,
    POINTS, // the only one that is not written by rows
    ARRAYS,
} array;
_Static_assert((int)ARRAYS == (int)SHL_VTKHDF_ARRAYS, "the header says how many");

typedef enum number { I64, U32, F64 } number;

static const struct {
    const char *path;
    number type;
    uint32_t width, chunk;
} arrays[ARRAYS] = {
    [VALUES] = {"/VTKHDF/Steps/Values", F64, 0, STEP_ROWS},
    [PART_OFFSETS] = {"/VTKHDF/Steps/PartOffsets", I64, 0, STEP_ROWS},
    [PART_COUNTS] = {"/VTKHDF/Steps/NumberOfParts", I64, 0, STEP_ROWS},
    [POINT_OFFSETS] = {"/VTKHDF/Steps/PointOffsets", I64, 0, STEP_ROWS},
    [BODY_OFFSETS] = {"/VTKHDF/Steps/CellDataOffsets/body", I64, 0, STEP_ROWS},
    [CELL_OFFSETS] = {"/VTKHDF/Steps/CellOffsets", I64, 4, STEP_ROWS},
    [ID_OFFSETS] = {"/VTKHDF/Steps/ConnectivityIdOffsets", I64, 4, STEP_ROWS},
    [CONTACT_OFFSETS] = {"/Contacts/Offsets", I64, 0, STEP_ROWS},
    [BETWEEN] = {"/Contacts/Between", U32, 4, CHUNK_ROWS},
    [DEPTH] = {"/Contacts/Depth", F64, 0, CHUNK_ROWS},
    [NORMAL] = {"/Contacts/Normal", F64, 3, CHUNK_ROWS},
    [POSITION] = {"/Contacts/Position", F64, 3, CHUNK_ROWS},
    [PAIR_OFFSETS] = {"/Pairs/Offsets", I64, 0, STEP_ROWS},
    [PAIRS] = {"/Pairs/Triangles", U32, 4, CHUNK_ROWS},
    [POINTS] = {"/VTKHDF/Points", F64, 3, 0},
};

// Types in the file and in memory. They are no constants: HDF5 makes them when it starts.
static hid_t stored(number n)
{
    return n == I64 ? H5T_STD_I64LE : n == U32 ? H5T_STD_U32LE : H5T_IEEE_F64LE;
}

static hid_t native(number n)
{
    return n == I64 ? H5T_NATIVE_INT64 : n == U32 ? H5T_NATIVE_UINT32 : H5T_NATIVE_DOUBLE;
}

static bool append(const shl_vtkhdf *h, array which, uint64_t at, uint64_t rows,
                   const void *data)
{
    return shl_h5_append_to(h->sets[which], native(arrays[which].type), arrays[which].width, at,
                            rows, data);
}

static bool append_number(const shl_vtkhdf *h, array which, uint64_t at, uint64_t value)
{
    const int64_t row = (int64_t)value;
    return append(h, which, at, 1, &row);
}

static bool set_type(hid_t group)
{
    const hid_t text = H5Tcopy(H5T_C_S1);
    const bool good = text >= 0 && H5Tset_size(text, 8) >= 0 &&
                      H5Tset_strpad(text, H5T_STR_NULLPAD) >= 0 &&
                      shl_h5_attribute(group, "Type", text, 0, "PolyData");
    if (text >= 0)
        H5Tclose(text);
    return good;
}

// Rows of a chunk in a long list: a buffer's, or all of a short one.
static hsize_t list_chunk(hsize_t rows)
{
    const hsize_t all = shl_h5_chunk(rows);
    return all < LIST_ROWS ? all : LIST_ROWS;
}

// Cells of four kinds, of which there are only polygons.
static bool add_cells(hid_t file, hsize_t triangles)
{
    static const char *const kinds[] = {"Vertices", "Lines", "Strips", "Polygons"};
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        char path[64];
        snprintf(path, sizeof path, "/VTKHDF/%s", kinds[i]);
        good = shl_h5_group(file, path);
        static const char *const names[] = {"NumberOfCells", "NumberOfConnectivityIds",
                                            "Offsets", "Connectivity"};
        const hsize_t chunks[] = {0, 0, list_chunk(triangles + 1), list_chunk(3 * triangles)};
        for (int k = 0; k < 4 && good; k++) {
            snprintf(path, sizeof path, "/VTKHDF/%s/%s", kinds[i], names[k]);
            good = i == 3 && chunks[k]
                       ? shl_h5_block_array(file, path, H5T_NATIVE_INT64, 0, chunks[k])
                       : shl_h5_array(file, path, H5T_STD_I64LE, 0, STEP_ROWS);
        }
    }
    return good;
}

static bool add_arrays(hid_t file, const shl_topology *t)
{
    static const char *const groups[] = {
        "/VTKHDF/CellData", "/VTKHDF/Steps", "/VTKHDF/Steps/CellDataOffsets",
        "/Contacts",        "/Pairs",        "/Views"};
    bool good = true;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && good; i++)
        good = shl_h5_group(file, groups[i]);
    for (int i = 0; i < POINTS && good; i++)
        good = shl_h5_array(file, arrays[i].path, stored(arrays[i].type), arrays[i].width,
                            arrays[i].chunk);
    return good &&
           shl_h5_block_array(file, arrays[POINTS].path, H5T_NATIVE_FLOAT, 3,
                              shl_h5_chunk(t->point_count)) &&
           shl_h5_array(file, "/VTKHDF/NumberOfPoints", H5T_STD_I64LE, 0, STEP_ROWS) &&
           shl_h5_block_array(file, "/VTKHDF/CellData/body", H5T_NATIVE_UINT32, 0,
                              list_chunk(t->triangle_count));
}

// Opens what every frame writes to, in a file that is open. `path` is the file's.
static bool open_arrays(shl_vtkhdf *h, const char *path)
{
    bool good = true;
    for (int i = 0; i < ARRAYS && good; i++) {
        h->sets[i] = H5Dopen2(h->file, arrays[i].path, H5P_DEFAULT);
        good = h->sets[i] >= 0;
    }
    const hid_t list = good ? H5Dget_create_plist(h->sets[POINTS]) : -1;
    hsize_t chunk[2] = {0, 0};
    good = list >= 0 && H5Pget_chunk(list, 2, chunk) == 2 && chunk[0] > 0 &&
           chunk[0] <= SHL_H5_CHUNK_MAX;
    if (list >= 0)
        H5Pclose(list);
    h->chunk = chunk[0];
    return good && shl_h5_blocks_open(&h->blocks, path);
}

static void close_arrays(shl_vtkhdf *h)
{
    for (int i = 0; i < ARRAYS; i++) {
        if (h->sets[i] >= 0)
            H5Dclose(h->sets[i]);
        h->sets[i] = -1;
    }
}

bool shl_vtkhdf_open(shl_vtkhdf *h, const char *path)
{
    const hid_t access = shl_h5_access();
    h->file = access >= 0 ? H5Fopen(path, H5F_ACC_RDWR, access) : -1;
    if (access >= 0)
        H5Pclose(access);
    return h->file >= 0 && open_arrays(h, path);
}

static uint64_t rows_of(hid_t set)
{
    hsize_t shape[2] = {UINT64_MAX, 0};
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    if (rank == 1 || rank == 2)
        (void)H5Sget_simple_extent_dims(space, shape, NULL);
    if (space >= 0)
        H5Sclose(space);
    return shape[0];
}

static uint64_t rows_at(const shl_vtkhdf *h, const char *path)
{
    const hid_t set = H5Dopen2(h->file, path, H5P_DEFAULT);
    const uint64_t rows = rows_of(set);
    if (set >= 0)
        H5Dclose(set);
    return rows;
}

bool shl_vtkhdf_fits(const shl_vtkhdf *h)
{
    return h->frames == rows_of(h->sets[VALUES]) && h->points == rows_of(h->sets[POINTS]) &&
           h->contacts == rows_of(h->sets[DEPTH]) && h->pairs == rows_of(h->sets[PAIRS]) &&
           h->parts == rows_at(h, "/VTKHDF/NumberOfPoints") &&
           h->cells == rows_at(h, "/VTKHDF/CellData/body") && h->cell_at <= h->cells &&
           h->part_at < h->parts;
}

bool shl_vtkhdf_create(shl_vtkhdf *h, const char *path, const shl_topology *t)
{
    const int64_t version[2] = {2, 0};
    const hid_t access = shl_h5_access(), list = shl_h5_creation(H5P_FILE_CREATE);
    h->file =
        access >= 0 && list >= 0 ? H5Fcreate(path, H5F_ACC_TRUNC, list, access) : (hid_t)-1;
    if (access >= 0)
        H5Pclose(access);
    if (list >= 0)
        H5Pclose(list);
    if (h->file < 0)
        return false;
    h->frames = h->points = h->cells = h->parts = h->contacts = h->pairs = h->topology = 0;
    bool good = shl_h5_group(h->file, "/VTKHDF");
    const hid_t group = good ? H5Gopen2(h->file, "/VTKHDF", H5P_DEFAULT) : -1;
    good = group >= 0 && shl_h5_attribute(group, "Version", H5T_NATIVE_INT64, 2, version) &&
           set_type(group);
    if (group >= 0)
        H5Gclose(group);
    return good && add_cells(h->file, t->triangle_count) && add_arrays(h->file, t) &&
           open_arrays(h, path) && append_number(h, CONTACT_OFFSETS, 0, 0) &&
           append_number(h, PAIR_OFFSETS, 0, 0);
}

static bool view_part(shl_vtkhdf *h, hsize_t triangles)
{
    char path[64];
    snprintf(path, sizeof path, "/Views/triangles-%" PRIu64, h->parts);
    if (!shl_h5_view(h->file, path, H5T_STD_I64LE, triangles, 3,
                     "/VTKHDF/Polygons/Connectivity", true, h->cells))
        return false;
    snprintf(path, sizeof path, "/Views/body-%" PRIu64, h->parts);
    return shl_h5_view(h->file, path, H5T_STD_U32LE, triangles, 0, "/VTKHDF/CellData/body",
                       true, h->cells);
}

// A long list of a topology: a buffer for a chunk is all that it needs.
typedef struct list {
    const char *path;
    number type;
    size_t each; // bytes
    void (*fill)(const shl_topology *t, uint64_t at, uint64_t n,
                 void *out); // rows as in the file
} list;

static void fill_corners(const shl_topology *t, uint64_t at, uint64_t n, void *out)
{
    int64_t *to = out;
    for (uint64_t i = 0; i < n; i++)
        to[i] = t->triangles[at + i];
}

static void fill_offsets(const shl_topology *t, uint64_t at, uint64_t n, void *out)
{
    (void)t;
    int64_t *to = out;
    for (uint64_t i = 0; i < n; i++)
        to[i] = (int64_t)(3 * (at + i));
}

static void fill_bodies(const shl_topology *t, uint64_t at, uint64_t n, void *out)
{
    memcpy(out, t->body + at, n * sizeof *t->body);
}

static const list corner_list = {"/VTKHDF/Polygons/Connectivity", I64, 8, fill_corners},
                  offset_list = {"/VTKHDF/Polygons/Offsets", I64, 8, fill_offsets},
                  body_list = {"/VTKHDF/CellData/body", U32, 4, fill_bodies};

// Appends `rows` numbers. Only the first part of a file begins with a chunk.
static bool append_list(shl_vtkhdf *h, const list *l, const shl_topology *t, uint64_t at,
                        uint64_t rows, void *room)
{
    const hid_t set = H5Dopen2(h->file, l->path, H5P_DEFAULT);
    const hsize_t chunk = list_chunk(rows);
    bool good = set >= 0;
    for (uint64_t done = 0, n; done < rows && good; done += n) {
        n = rows - done < chunk ? rows - done : chunk;
        l->fill(t, done, n, room);
        memset((char *)room + n * l->each, 0, (chunk - n) * l->each);
        good = at == 0
                   ? shl_h5_blocks_put(&h->blocks, set, chunk, l->each, done, n, done + n, room)
                   : shl_h5_append_to(set, native(l->type), 0, at + done, n, room);
    }
    return set >= 0 && H5Dclose(set) >= 0 && good;
}

// A part: triangles that later frames refer to.
static bool add_part(shl_vtkhdf *h, const shl_topology *t)
{
    const hid_t f = h->file;
    const hsize_t n = t->triangle_count;
    void *room = aligned_alloc(SHL_PAGE, LIST_ROWS * sizeof(int64_t));
    bool good = room && append_list(h, &corner_list, t, 3 * h->cells, 3 * n, room) &&
                append_list(h, &offset_list, t, h->cells + h->parts, n + 1, room) &&
                append_list(h, &body_list, t, h->cells, n, room) &&
                shl_h5_append_number(f, "/VTKHDF/NumberOfPoints", h->parts, t->point_count);
    free(room);
    static const char *const others[] = {"Vertices", "Lines", "Strips", "Polygons"};
    for (int i = 0; i < 4 && good; i++) {
        char path[64];
        const bool polygons = i == 3;
        snprintf(path, sizeof path, "/VTKHDF/%s/NumberOfCells", others[i]);
        good = shl_h5_append_number(f, path, h->parts, polygons ? (int64_t)n : 0);
        snprintf(path, sizeof path, "/VTKHDF/%s/NumberOfConnectivityIds", others[i]);
        good = good && shl_h5_append_number(f, path, h->parts, polygons ? (int64_t)(3 * n) : 0);
        snprintf(path, sizeof path, "/VTKHDF/%s/Offsets", others[i]);
        good = good && (polygons || shl_h5_append_number(f, path, h->parts, 0));
    }
    good = good && view_part(h, n);
    h->cell_at = h->cells;
    h->part_at = h->parts++;
    h->cells += n;
    return good;
}

static bool add_contacts(shl_vtkhdf *h, const shl_frame_data *f)
{
    const size_t n = f->contact_count;
    uint32_t *between = malloc((4 * n + 1) * sizeof *between);
    double *numbers = malloc((7 * n + 1) * sizeof *numbers);
    bool good = between && numbers;
    for (size_t i = 0; i < n && good; i++) {
        const shoal_sphere_contact *c = &f->contacts[i];
        const uint32_t row[4] = {c->body_a, c->sphere_a, c->body_b, c->element_b};
        memcpy(between + 4 * i, row, sizeof row);
        numbers[i] = c->depth;
        memcpy(numbers + n + 3 * i, c->normal, sizeof c->normal);
        memcpy(numbers + 4 * n + 3 * i, c->position, sizeof c->position);
    }
    good = good && append(h, BETWEEN, h->contacts, n, between) &&
           append(h, DEPTH, h->contacts, n, numbers) &&
           append(h, NORMAL, h->contacts, n, numbers + n) &&
           append(h, POSITION, h->contacts, n, numbers + 4 * n);
    free(between);
    free(numbers);
    h->contacts += n;
    return good && append_number(h, CONTACT_OFFSETS, h->frames + 1, h->contacts);
}

bool shl_vtkhdf_frame(shl_vtkhdf *h, const shl_frame_data *f)
{
    const hid_t file = h->file;
    const shl_topology *t = f->topology;
    const double value = f->step;
    if (t->hash != h->topology && !add_part(h, t))
        return false;
    h->topology = t->hash;
    const int64_t cells[4] = {0, 0, 0, (int64_t)h->cell_at};
    const int64_t ids[4] = {0, 0, 0, (int64_t)(3 * h->cell_at)};
    const hsize_t n = h->frames;
    const uint64_t at = h->points;
    const uint64_t next = shl_h5_chunks_end(h->chunk, at + t->point_count);
    bool good =
        shl_h5_blocks_put(&h->blocks, h->sets[POINTS], h->chunk, 3 * sizeof *f->xyz, at,
                          t->point_count, next, f->xyz) &&
        append(h, VALUES, n, 1, &value) && append_number(h, PART_OFFSETS, n, h->part_at) &&
        append_number(h, PART_COUNTS, n, 1) && append_number(h, POINT_OFFSETS, n, at) &&
        append_number(h, BODY_OFFSETS, n, h->cell_at) && append(h, CELL_OFFSETS, n, 1, cells) &&
        append(h, ID_OFFSETS, n, 1, ids) && append(h, PAIRS, h->pairs, f->pair_count, f->pairs);
    h->points = next;
    h->pairs += f->pair_count;
    good = good && append_number(h, PAIR_OFFSETS, n + 1, h->pairs) && add_contacts(h, f);
    char view[64];
    snprintf(view, sizeof view, "/Views/points-%06u", f->step);
    good = good && shl_h5_view(file, view, H5T_IEEE_F32LE, t->point_count, 3, "/VTKHDF/Points",
                               false, at);
    h->frames++;
    const hid_t steps = good ? H5Gopen2(file, "/VTKHDF/Steps", H5P_DEFAULT) : -1;
    const int64_t count = (int64_t)h->frames;
    good = steps >= 0 && shl_h5_attribute(steps, "NSteps", H5T_NATIVE_INT64, 0, &count);
    if (steps >= 0)
        H5Gclose(steps);
    return good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

uint64_t shl_vtkhdf_frames(const char *path)
{
    int64_t count = 0;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t a =
        file >= 0 ? H5Aopen_by_name(file, "/VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT)
                  : (hid_t)-1;
    const bool good = a >= 0 && H5Aread(a, H5T_NATIVE_INT64, &count) >= 0 && count > 0;
    if (a >= 0)
        H5Aclose(a);
    if (file >= 0)
        H5Fclose(file);
    return good ? (uint64_t)count : 0;
}

bool shl_vtkhdf_close(shl_vtkhdf *h, bool failed)
{
    shl_h5_blocks_close(&h->blocks);
    // after a failed write HDF5 1.10 can crash while it closes: the file is left as it is
    if (!failed)
        close_arrays(h);
    const bool good = h->file < 0 || failed || H5Fclose(h->file) >= 0;
    h->file = -1;
    return good;
}

void shl_vtkhdf_init(shl_vtkhdf *h)
{
    *h = (shl_vtkhdf){.file = -1, .blocks = SHL_H5_BLOCKS_CLOSED};
    for (int i = 0; i < ARRAYS; i++)
        h->sets[i] = -1;
}
