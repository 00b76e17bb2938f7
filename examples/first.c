#include <shoal/shoal.h>
#include <stdio.h>

int main(void)
{
    uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3}; // a tetrahedron; two bodies of it
    float xyz[2][12] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {2, 0, 0, 3, 0, 0, 2, 1, 0, 2, 0, 1}};
    shoal_context_def context_def = shoal_context_def_default();
    shoal_scene_def scene_def = shoal_scene_def_default();
    shoal_model_def model_def = shoal_model_def_default();
    model_def.triangles = faces, model_def.triangle_count = 4, model_def.rest = shoal_positions_f32(xyz[0], 4);
    shoal_context *context; shoal_model *model; shoal_scene *scene; shoal_body body;
    if (shoal_context_create(&context_def, &context) || shoal_model_create(context, &model_def, &model) ||
        shoal_scene_create(context, &scene_def, &scene)) return 1;
    for (int i = 0; i < 2; i++) {
        shoal_positions positions = shoal_positions_f32(xyz[i], 4);
        positions.hold = SHOAL_BORROW; // read anew in every step
        if (shoal_scene_add_free(scene, model, &body) || shoal_scene_set_positions(scene, body, &positions)) return 1;
    }
    for (int step = 0; step < 4; step++, xyz[1][0] -= 0.5f) { // one corner is pulled
        if (shoal_scene_step(scene, SHOAL_QUERY_PAIRS)) return 1;
        printf("step %d: %zu pairs\n", step, shoal_scene_pairs(scene).count);
    }
    shoal_scene_destroy(scene), shoal_model_destroy(model), shoal_context_destroy(context);
}
