// SPDX-License-Identifier: MIT
// PLY files, which mesh programs and shoal query read: frame-STEP.ply, one a frame, with the
// triangles of all bodies. Contacts of contact spheres are an element of their own, which
// readers of meshes skip.
#include "cli/frames/frame_files.h"
#include "io/bits.h"

#include <errno.h>

static void row_triangle(const shl_frame_data *f, char *to, uint64_t i)
{
    *to++ = 3; // corners
    for (size_t k = 0; k < 3; k++)
        to = shl_set_bits(to, f->topology->triangles[3 * i + k], 4);
    shl_set_bits(to, f->topology->body[i], 4);
}

static void row_contact(const shl_frame_data *f, char *to, uint64_t i)
{
    const shoal_sphere_contact *c = &f->contacts[i];
    for (int k = 0; k < 3; k++)
        to = shl_set_f32(to, (float)c->position[k]);
    for (int k = 0; k < 3; k++)
        to = shl_set_f32(to, (float)c->normal[k]);
    to = shl_set_f32(to, (float)c->depth);
    to = shl_set_bits(to, c->body_a, 4);
    shl_set_bits(to, c->body_b, 4);
}

static void put_file(shl_frame_sink *s, const shl_frame_data *f)
{
    const shl_topology *t = f->topology;
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz", "depth"};
    shl_frame_text(s,
                   "ply\nformat binary_little_endian 1.0\nelement vertex %u\n"
                   "property float x\nproperty float y\nproperty float z\nelement face %u\n"
                   "property list uchar int vertex_indices\nproperty int body\n"
                   "element contact %zu\n",
                   t->point_count, t->triangle_count, f->contact_count);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        shl_frame_text(s, "property float %s\n", names[i]);
    shl_frame_text(s, "property int body_a\nproperty int body_b\nend_header\n");
    shl_frame_rows(s, f, t->point_count, 12, shl_frame_row_point);
    shl_frame_rows(s, f, t->triangle_count, 17, row_triangle);
    shl_frame_rows(s, f, f->contact_count, 36, row_contact);
}

static bool begin(shl_results *r, void **state, const json_t *outputs)
{
    return shl_frame_files_begin(r, state, "ply", outputs);
}

// Indices are int32 in the files.
static bool frame(shl_results *r, void *state, const shl_frame_data *f)
{
    if (f->topology->point_count > INT32_MAX)
        return shl_results_fail(r, r->folder->path, EFBIG,
                                "a PLY file has at most 2^31 points");
    return shl_frame_files_frame(r, state, f, put_file);
}

const shl_format shl_format_ply = {
    "ply", NULL, begin, frame, shl_frame_files_mark, shl_frame_files_end};
