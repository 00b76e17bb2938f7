// SPDX-License-Identifier: MIT
#include "cli/frames.h"

#include "io/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

shoal_status shl_frames_init(shl_frames *f, uint32_t every, const char *folder, shl_scene_id id,
                             const shl_scene_params *params)
{
    *f = (shl_frames){.every = every, .folder = folder, .name = shl_scene_name(id)};
    if (!every)
        return SHOAL_OK;
    return shl_scene_surface(id, params, &f->surface);
}

void shl_frames_finish(shl_frames *f)
{
    shl_surface_finish(&f->surface);
}

static void put_header(shl_output *out, uint64_t vertices, uint64_t faces, size_t contacts)
{
    shl_put_text(out, "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu64 "\n",
                 vertices);
    shl_put_text(out, "property float x\nproperty float y\nproperty float z\n");
    shl_put_text(out,
                 "element face %" PRIu64 "\nproperty list uchar int vertex_indices\n"
                 "property int body\nelement contact %zu\n",
                 faces, contacts);
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz", "depth"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        shl_put_text(out, "property float %s\n", names[i]);
    shl_put_text(out, "property int body_a\nproperty int body_b\nend_header\n");
}

// The mesh of a body.
static const shl_surface *mesh_of(const shl_frames *f, const shl_motion *motion, uint32_t body)
{
    const shl_surface *other = shl_motion_other_surface(motion, body);
    return other ? other : &f->surface;
}

static shoal_status put_bodies(shl_output *out, const shl_frames *f, const shl_motion *motion)
{
    const uint32_t bodies = shl_motion_body_count(motion);
    for (uint32_t body = 0; body < bodies; body++) {
        const size_t n = mesh_of(f, motion, body)->vertex_count;
        double *xyz = malloc(3 * n * sizeof *xyz);
        if (!xyz)
            return SHOAL_ERR_MEMORY;
        shl_motion_vertices(motion, body, xyz);
        for (size_t i = 0; i < 3 * n; i++)
            shl_put_f32(out, (float)xyz[i]);
        free(xyz);
    }
    for (uint32_t body = 0, first = 0; body < bodies; body++) {
        const shl_surface *mesh = mesh_of(f, motion, body);
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            shl_put_bytes(out, "\3", 1);
            for (size_t c = 0; c < 3; c++)
                shl_put_u32(out, first + mesh->triangles[3 * t + c]);
            shl_put_u32(out, body);
        }
        first += mesh->vertex_count;
    }
    return SHOAL_OK;
}

static void put_contacts(shl_output *out, const shoal_results *found)
{
    for (size_t i = 0; i < found->contact_count; i++) {
        const shoal_contact *c = &found->contacts[i];
        for (int k = 0; k < 3; k++)
            shl_put_f32(out, (float)c->position[k]);
        for (int k = 0; k < 3; k++)
            shl_put_f32(out, (float)c->normal[k]);
        shl_put_f32(out, (float)c->depth);
        shl_put_u32(out, c->body_a);
        shl_put_u32(out, c->body_b);
    }
}

shoal_status shl_frames_step(shl_frames *f, uint32_t step, const shl_motion *motion,
                             const shoal_results *found, shoal_io_error *error)
{
    if (!f->every || step % f->every)
        return SHOAL_OK;
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s-%06u.ply", f->folder, f->name, step);
    const uint32_t bodies = shl_motion_body_count(motion);
    uint64_t vertices = 0, faces = 0;
    for (uint32_t body = 0; body < bodies; body++) {
        const shl_surface *mesh = mesh_of(f, motion, body);
        vertices += mesh->vertex_count;
        faces += mesh->triangle_count;
    }
    if (length < 0 || (size_t)length >= sizeof path || vertices > INT32_MAX ||
        faces > INT32_MAX) {
        snprintf(error->text, sizeof error->text, "%s-%06u.ply: %s", f->name, step,
                 vertices > INT32_MAX || faces > INT32_MAX
                     ? "PLY counts vertices and faces to 2^31"
                     : "the name is too long");
        return SHOAL_ERR_FILE;
    }
    shl_output out;
    shl_output_init(&out, path);
    if (out.code == 0) {
        put_header(&out, vertices, faces, found->contact_count);
        if (put_bodies(&out, f, motion) != SHOAL_OK)
            out.code = ENOMEM;
        put_contacts(&out, found);
    }
    const int code = shl_output_finish(&out, path);
    if (code == 0)
        return SHOAL_OK;
    snprintf(error->text, sizeof error->text, "%.400s: %s", path, strerror(code));
    return SHOAL_ERR_FILE;
}
