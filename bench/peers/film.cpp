// SPDX-License-Identifier: MIT
#include "bench/peers/peers.h"

#include "bench/peers/cloth.h"
#include "bench/peers/world.h"

extern "C" {
#include "scenes/scene.h"
#include "scenes/shapes/mesh.h"
}

// How much further from the middle each body of film_crossing() ends.
static const double crossing_apart = 0.585;

// The triangles and rest shape that the bumpy scenes use themselves.
static void take_sphere(uint32_t k, film &out)
{
    shl_surface sphere;
    check(shl_mesh_icosphere(k, &sphere));
    out.vertices = sphere.vertex_count;
    out.rest.assign(sphere.xyz, sphere.xyz + 3 * (size_t)sphere.vertex_count);
    out.triangles = rows_of(sphere.triangles, sphere.triangle_count);
    shl_surface_finish(&sphere);
}

// Runs a scene once with shoal, whose pairs make the bodies bounce.
static film run_scene(shl_scene_id id, uint32_t k, uint32_t stride)
{
    film out;
    take_sphere(k, out);
    shl_scene_params params = shl_scene_defaults(id);
    params.k = k;
    params.precision = SHOAL_F32;
    params.order = SHOAL_ORDER_USER;
    params.hold = SHOAL_BORROW;
    out.bodies = params.bodies;
    out.steps = params.steps / stride;
    out.xyz.reserve((size_t)out.steps * out.bodies * 3 * out.vertices);

    world w;
    shl_motion *motion;
    check(shl_motion_create(id, &params, w.ctx, w.scene, &motion));
    for (uint32_t step = 1; step <= out.steps * stride; step++) {
        check(shl_motion_step(motion, step));
        if (id != SHL_SCENE_BUMPY_2)
            check(shoal_scene_step(w.scene, SHOAL_QUERY_FIRST));
        size_t bytes;
        const float *xyz = (const float *)shl_motion_positions(motion, &bytes);
        if (step % stride == 0)
            out.xyz.insert(out.xyz.end(), xyz, xyz + bytes / sizeof *xyz);
    }
    shl_motion_destroy(motion);
    return out;
}

film film_bumpy_2(uint32_t k, uint32_t stride)
{
    film out = run_scene(SHL_SCENE_BUMPY_2, k, stride);
    out.name = "L1 at " + std::to_string(out.triangles.size());
    return out;
}

// In bumpy-2 the spheres end almost in one place, where their surfaces nearly coincide. Here
// the second half of the way is spread out so that they end a radius apart.
film film_crossing()
{
    film out = run_scene(SHL_SCENE_BUMPY_2, 5, 1);
    out.name = "L1 crossing";
    for (uint32_t step = 0; step < out.steps; step++) {
        const double done = (step + 1.0) / out.steps;
        const float apart = (float)(crossing_apart * (done > 0.3 ? (done - 0.3) / 0.7 : 0));
        for (uint32_t body = 0; body < out.bodies; body++) {
            float *x = &out.xyz[((size_t)step * out.bodies + body) * 3 * out.vertices];
            for (uint32_t i = 0; i < out.vertices; i++, x += 3)
                *x += body ? apart : -apart;
        }
    }
    return out;
}

film film_bumpy_27(uint32_t stride)
{
    film out = run_scene(SHL_SCENE_BUMPY_27, 4, stride);
    out.name = "L3";
    return out;
}

film film_cloth()
{
    film out;
    out.name = "cloth";
    out.bodies = 1;
    out.vertices = CLOTH_VERTICES;
    out.steps = 8;
    out.self = true;
    std::vector<uint32_t> corners(3 * CLOTH_TRIANGLES);
    cloth_triangles(corners.data());
    out.triangles = rows_of(corners.data(), CLOTH_TRIANGLES);
    const size_t floats = 3 * (size_t)out.vertices;
    out.rest.resize(floats);
    cloth_flat(out.rest.data()); // a cloth's rest shape; built for a fold, leaves mix layers
    out.xyz.resize(out.steps * floats);
    for (uint32_t step = 0; step < out.steps; step++)
        cloth_positions((step + 1.0) / out.steps, &out.xyz[step * floats]);
    return out;
}
