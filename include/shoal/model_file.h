// SPDX-License-Identifier: MIT
/// Model files: a rest mesh with displacement fields or control points, and their frequencies
/// and masses, in one binary file with checksums. Library libshoal-io.
#ifndef SHOAL_MODEL_FILE_H
#define SHOAL_MODEL_FILE_H

#include <shoal/io.h>
#include <shoal/model.h>
#include <shoal/skinned.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SHOAL_MODEL_NAME_MAX = 255 };

/// What a model file holds. All zero is an empty one; one of your own making may be written
/// too. Filled by shoal_model_file_read(), it owns its arrays: give it to
/// shoal_model_file_finish().
typedef struct shoal_model_file {
    char name[SHOAL_MODEL_NAME_MAX + 1]; ///< text without control characters; may be empty
    shoal_mesh rest;                     ///< the shape at rest, and where all arrays came from
    float *fields;                       ///< [field_count][rest.vertex_count][3] displacements
    uint32_t field_count;                ///< M, at most SHOAL_FIELDS_MAX; 0: rigid
    double *frequencies;      ///< [field_count] of each field in hertz; NULL: not known
    double *masses;           ///< [field_count] of each field, above 0; NULL: not known
    uint32_t control_count;   ///< control points, at most SHOAL_CONTROLS_MAX
    double *controls;         ///< [3 * control_count] rest positions; see shoal_skinned_def
    uint32_t *weight_begin;   ///< [rest.vertex_count + 1] with control points only
    uint32_t *weight_control; ///< [weight_count]
    float *weight;            ///< [weight_count]
    size_t weight_count;
    double *radii; ///< [control_count] of the points' kernels, above 0; NULL: not known
    double *control_masses; ///< [control_count] above 0; NULL: not known
    double *motion; ///< [frame_count][field_count] coordinates of a recorded motion, or NULL
    uint32_t frame_count;
    uint32_t version; ///< of the format that was read; 0: it was a mesh file
    uint32_t skipped; ///< sections that are of a later version, and not needed
} shoal_model_file;

/// Read a model file, or any mesh file (shoal_mesh_read()) as a model without fields. A model
/// file is known by its content, and by the suffix .model. `allocator` NULL or all zero means
/// the C library, `error` may be NULL. `*out` is all zero on failure.
///
/// Every byte of a model file is covered by a checksum, so a truncated or damaged file is
/// FORMAT, and `error` names the byte. So is a number that is not finite, a triangle that names
/// a missing vertex, an array of the wrong length. Memory is asked for only when the file is
/// long enough to fill it.
/// Thread: any.  Errors: ARGUMENT, MEMORY, LIMIT, FILE (open, read), FORMAT (content).
SHOAL_API SHOAL_CHECK shoal_status shoal_model_file_read(const char *path,
                                                         const shoal_allocator *allocator,
                                                         shoal_model_file *out,
                                                         shoal_io_error *error);

/// Write a model file; all numbers read back bit for bit, and equal contents give equal bytes.
/// The file appears under its name only when it is complete and on the disk; a failed call
/// leaves what was there. `error` may be NULL.
/// Thread: any.  Errors: ARGUMENT (no triangles, an index, number or name that could not be
/// read back, missing arrays), LIMIT (more than SHOAL_FIELDS_MAX fields), MEMORY, FILE.
SHOAL_API SHOAL_CHECK shoal_status shoal_model_file_write(const char *path,
                                                          const shoal_model_file *file,
                                                          shoal_io_error *error);

/// Set what a reducible model is made from: triangles, rest and fields. The rest of `def` stays
/// as it is. `def` then refers to the arrays of `file`, which must stay until
/// shoal_model_create() returns.
SHOAL_API void shoal_model_file_fill_def(const shoal_model_file *file, shoal_model_def *def);

/// Set the control points and weights of `skinned` and return true; false, with `skinned`
/// unchanged, if the file has none. Blend and region stay as they are. It then refers to the
/// arrays of `file`, and is for shoal_model_def.skinned.
SHOAL_API bool shoal_model_file_fill_skinned(const shoal_model_file *file,
                                             shoal_skinned_def *skinned);

/// Release the arrays of a file that was read and zero it. All zero and NULL are fine.
SHOAL_API void shoal_model_file_finish(shoal_model_file *file);

#ifdef __cplusplus
}
#endif

#endif
