// SPDX-License-Identifier: MIT
// What the four readers share: the bytes with a place in them, the growing mesh, the report.
#ifndef SHL_IO_READER_H
#define SHL_IO_READER_H

#include <shoal/io.h>

// Most vertices, and most triangles.
#define SHL_IO_ROW_LIMIT (UINT32_C(1) << 31)

// A mesh file in memory.
typedef struct shl_source {
    const void *bytes;
    size_t size;
    const char *name;   // for reports; its suffix tells OBJ
    uint32_t row_limit; // SHL_IO_ROW_LIMIT, less in tests
} shl_source;

// Whether a file's name ends so, in any case.
bool shl_has_suffix(const char *name, const char *suffix);

// All of shoal_mesh_read() but the file. `error` is not NULL.
SHOAL_CHECK shoal_status shl_mesh_parse(const shl_source *source,
                                        const shoal_allocator *allocator, shoal_mesh *out,
                                        shoal_io_error *error);

// One reading of one file.
typedef struct shl_reader {
    const char *begin, *at, *end;
    uint64_t line; // of `at`, from 1; 0 in binary data, where a place is a byte
    const char *name;
    uint32_t row_limit;
    shoal_allocator allocator;
    double *xyz;         // [3 * vertex_capacity]
    uint32_t *triangles; // [3 * triangle_capacity]
    size_t vertex_count, vertex_capacity;
    size_t triangle_count, triangle_capacity;
    shoal_io_error *error;
} shl_reader;

// Each expects `at` behind its mark (or at the start) and reads to the end of the file.
SHOAL_CHECK shoal_status shl_read_obj(shl_reader *r);
SHOAL_CHECK shoal_status shl_read_off(shl_reader *r);
SHOAL_CHECK shoal_status shl_read_ply(shl_reader *r);
SHOAL_CHECK shoal_status shl_read_stl_text(shl_reader *r);
SHOAL_CHECK shoal_status shl_read_stl_binary(shl_reader *r);

// Room for so many rows in all. MEMORY, or LIMIT beyond row_limit; reported.
SHOAL_CHECK shoal_status shl_reserve_vertices(shl_reader *r, uint64_t count);
SHOAL_CHECK shoal_status shl_reserve_triangles(shl_reader *r, uint64_t count);

// One row more, growing by half; same errors.
SHOAL_CHECK shoal_status shl_add_vertex(shl_reader *r, const double xyz[3]);
SHOAL_CHECK shoal_status shl_add_triangle(shl_reader *r, uint32_t a, uint32_t b, uint32_t c);

// A polygon as a fan, corner by corner; all zero before the first one.
typedef struct shl_fan {
    uint64_t corner_count;
    uint32_t first, last;
} shl_fan;
SHOAL_CHECK shoal_status shl_add_corner(shl_reader *r, shl_fan *fan, uint32_t vertex);

// FORMAT for fewer than three corners.
SHOAL_CHECK shoal_status shl_end_fan(shl_reader *r, const shl_fan *fan);

// Hand over the arrays, cut to size. FORMAT when there is no triangle.
SHOAL_CHECK shoal_status shl_reader_take(shl_reader *r, shoal_mesh *out);
void shl_reader_finish(shl_reader *r);

// SHOAL_F32 when every number is a float32 exactly.
shoal_scalar shl_scalar_of(const double *x, size_t count);

// Allocation with the sizes given back; NULL on failure or size 0.
void *shl_io_alloc(const shoal_allocator *allocator, size_t size);
void shl_io_free(const shoal_allocator *allocator, void *memory, size_t size);
// Whether one of its functions is missing.
bool shl_io_half_allocator(const shoal_allocator *wanted);
shoal_allocator shl_io_allocator(const shoal_allocator *wanted);

// What errno `code` means, in English whatever the locale.
const char *shl_io_reason(int code);

// Write the report, with the place of `at`, and return `status`.
__attribute__((format(printf, 3, 4))) shoal_status
shl_io_fail(shl_reader *r, shoal_status status, const char *format, ...);

// The same for a fault of the whole file.
__attribute__((format(printf, 4, 5))) shoal_status shl_io_fail_file(shoal_io_error *error,
                                                                    const char *name,
                                                                    shoal_status status,
                                                                    const char *format, ...);

#endif
