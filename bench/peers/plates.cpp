// SPDX-License-Identifier: MIT
#include "bench/peers/plates.h"

#include "bench/peers/world.h"

extern "C" {
#include "scenes/models/modal_plate.h"
#include "scenes/plays/beams.h"
}

#include <cstdlib>

// 17,856 triangles.
enum { ALONG = 94, ACROSS = 46, FIELDS = 10, BODIES = 1000 };

static void take_shape(plates &out)
{
    shl_surface plate;
    float *fields;
    check(shl_mesh_modal_plate(ALONG, ACROSS, FIELDS, &plate, &fields));
    out.vertices = plate.vertex_count;
    const size_t numbers = 3 * (size_t)plate.vertex_count;
    out.rest.assign(plate.xyz, plate.xyz + numbers);
    out.displacement.assign(fields, fields + FIELDS * numbers);
    out.triangles = rows_of(plate.triangles, plate.triangle_count);
    shl_surface_finish(&plate);
    free(fields);
}

// The motion is that of the scene `beams`, which needs a scene of its own to move bodies in.
static plates make(const char *name, double spacing, uint32_t steps)
{
    plates out;
    out.name = name;
    out.bodies = BODIES;
    out.fields = FIELDS;
    out.steps = steps;
    take_shape(out);
    shl_beams_def def = {};
    def.along = ALONG;
    def.across = ACROSS;
    def.fields = FIELDS;
    def.bodies = BODIES;
    def.spacing = spacing;
    def.amplitude = 0.04;
    def.seed = 1;
    world w;
    shl_beams *beams;
    check(shl_beams_create(&def, w.ctx, w.scene, &beams));
    for (uint32_t step = 1; step <= steps; step++) {
        check(shl_beams_step(beams, step));
        size_t bytes;
        const double *state = shl_beams_state(beams, &bytes);
        out.state.insert(out.state.end(), state, state + bytes / sizeof *state);
    }
    shl_beams_destroy(beams);
    return out;
}

plates plates_sparse(uint32_t steps)
{
    return make("sparse", 0.8, steps);
}

plates plates_dense(uint32_t steps)
{
    return make("pile", 0.468, steps);
}

plates fewer(const plates &scene, uint32_t bodies)
{
    plates out = scene;
    out.bodies = bodies;
    out.state.clear();
    for (size_t row = 0; row < (size_t)scene.steps * (12 + scene.fields); row++) {
        const double *from = &scene.state[row * scene.bodies];
        out.state.insert(out.state.end(), from, from + bodies);
    }
    return out;
}
