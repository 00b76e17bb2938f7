// SPDX-License-Identifier: MIT
#include "cli/frames/frames.h"

#include "io/output.h"
#include "io/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void shl_frames_init(shl_frames *f, uint32_t every, const char *folder, const char *name)
{
    *f = (shl_frames){.every = every, .folder = folder, .name = name};
}

void shl_frames_finish(shl_frames *f)
{
    free(f->xyz);
    f->xyz = NULL;
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

// What all bodies have together, and the most vertices that one has.
typedef struct sizes {
    uint64_t vertices, faces, most;
} sizes;

static sizes measure(const shl_motion *motion)
{
    sizes out = {0};
    for (uint32_t body = 0; body < shl_motion_body_count(motion); body++) {
        const shl_surface *s = shl_motion_surface(motion, body);
        if (!s)
            continue;
        out.vertices += s->vertex_count;
        out.faces += s->triangle_count;
        out.most = s->vertex_count > out.most ? s->vertex_count : out.most;
    }
    return out;
}

static bool reserve(shl_frames *f, uint64_t most)
{
    if (most <= f->room)
        return true;
    free(f->xyz);
    f->xyz = malloc(3 * most * sizeof *f->xyz);
    f->room = f->xyz ? most : 0;
    return f->xyz;
}

static void put_bodies(shl_output *out, shl_frames *f, const shl_motion *motion)
{
    const uint32_t bodies = shl_motion_body_count(motion);
    for (uint32_t body = 0; body < bodies; body++) {
        const shl_surface *s = shl_motion_surface(motion, body);
        if (!s)
            continue;
        shl_motion_vertices(motion, body, f->xyz);
        for (size_t i = 0; i < 3 * (size_t)s->vertex_count; i++)
            shl_put_f32(out, (float)f->xyz[i]);
    }
    uint32_t first = 0; // vertex of the body
    for (uint32_t body = 0; body < bodies; body++) {
        const shl_surface *s = shl_motion_surface(motion, body);
        for (size_t t = 0; s && t < s->triangle_count; t++) {
            shl_put_bytes(out, "\3", 1);
            for (size_t c = 0; c < 3; c++)
                shl_put_u32(out, first + s->triangles[3 * t + c]);
            shl_put_u32(out, body);
        }
        first += s ? s->vertex_count : 0;
    }
}

static void put_contacts(shl_output *out, const shoal_scene *scene)
{
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    for (size_t i = 0; i < contacts.count; i++) {
        const shoal_sphere_contact *c = &contacts.rows[i];
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
                             const shoal_scene *scene, shoal_io_error *error)
{
    if (!f->every || step % f->every)
        return SHOAL_OK;
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s-%06u.ply", f->folder, f->name, step);
    const sizes size = measure(motion);
    if (length < 0 || (size_t)length >= sizeof path || size.vertices > INT32_MAX ||
        size.faces > INT32_MAX) {
        return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s",
                                size.vertices > INT32_MAX || size.faces > INT32_MAX
                                    ? "PLY counts vertices and faces to 2^31"
                                    : "the name is too long");
    }
    if (!reserve(f, size.most))
        return SHOAL_ERR_MEMORY;
    shl_output out;
    shl_output_init(&out, path);
    if (out.code == 0) {
        put_header(&out, size.vertices, size.faces, shoal_scene_sphere_contacts(scene).count);
        put_bodies(&out, f, motion);
        put_contacts(&out, scene);
    }
    const int code = shl_output_finish(&out);
    if (code == 0)
        return SHOAL_OK;
    return shl_io_fail_file(error, path, SHOAL_ERR_FILE, "%s", strerror(code));
}
