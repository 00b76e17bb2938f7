// SPDX-License-Identifier: MIT
/// Mesh files: OBJ, PLY, STL and OFF in, indexed triangles out, and back. Library libshoal-io.
#ifndef SHOAL_IO_H
#define SHOAL_IO_H

#include <shoal/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Indexed triangles. All zero is an empty mesh; one of your own making may be written too.
/// Filled by shoal_mesh_read(), it owns both arrays: give it to shoal_mesh_finish().
typedef struct shoal_mesh {
    double *xyz;               ///< [3 * vertex_count] in the file's unit, all finite
    uint32_t *triangles;       ///< [3 * triangle_count] vertices, counted from 0
    uint32_t vertex_count;     ///< at most 2^31
    uint32_t triangle_count;   ///< at most 2^31
    shoal_scalar scalar;       ///< SHOAL_F32: every coordinate read is a float32 value exactly
    shoal_allocator allocator; ///< where the arrays came from
} shoal_mesh;

/// Why a call failed, in one line without newline: the file, the line (text) or byte (binary
/// data), the reason. "bunny.obj:17: face names vertex 99, the file has 42". Empty on success.
typedef struct shoal_io_error {
    char text[512];
} shoal_io_error;

/// Read a mesh file. PLY, STL and OFF are known by their content; OBJ, which has no mark, by
/// the suffix of its name. `allocator` NULL or all zero means the C library, `error` may be
/// NULL. `*out` is all zero on failure.
///
/// Vertices and faces keep the file's order and count, also when unused, degenerate or
/// repeated; polygons become fans around their first corner. Only STL, which has no vertices,
/// is welded: corners with equal coordinates (-0 equals +0) are one vertex, numbered by first
/// use. Numbers are read as float64, correctly rounded in any locale; float32 is widened.
/// A number that is not finite, or a file without triangles, is FORMAT.
/// Thread: any.  Errors: ARGUMENT, MEMORY, LIMIT, FILE (open, read), FORMAT (content).
SHOAL_API SHOAL_CHECK shoal_status shoal_mesh_read(const char *path,
                                                   const shoal_allocator *allocator,
                                                   shoal_mesh *out, shoal_io_error *error);

/// What a model of the mesh is made from: the default def with its triangles, which `rest`
/// places. It refers to the arrays of `mesh`, which must stay until shoal_model_create()
/// returns. Needs libshoal.
static inline shoal_model_def shoal_mesh_model_def(const shoal_mesh *mesh)
{
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.rest = shoal_positions_f64(mesh->xyz, mesh->vertex_count);
    return def;
}

/// Write a mesh in the format its suffix names: .obj, .off (text), .ply, .stl (binary, little
/// endian). The file appears under its name only when complete; a failed call leaves what was
/// there. `error` may be NULL.
///
/// Coordinates read back bit for bit, except from STL, which holds float32 only: others are
/// rounded to the nearest, beyond its range ARGUMENT. PLY uses float32 when nothing is lost.
/// Thread: any, but its locale is C meanwhile.  Errors: ARGUMENT (unknown suffix, no triangles,
/// an index or coordinate that could not be read back), FILE.
SHOAL_API SHOAL_CHECK shoal_status shoal_mesh_write(const char *path, const shoal_mesh *mesh,
                                                    shoal_io_error *error);

/// Release the arrays of a mesh that was read and zero it. All zero and NULL are fine.
SHOAL_API void shoal_mesh_finish(shoal_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
