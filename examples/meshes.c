// Pairs of triangles of mesh files that intersect: meshes a.obj b.ply ...
#include <shoal/io.h>
#include <shoal/shoal.h>
#include <stdio.h>

// The file as a body that lies where its vertices are.
static int add(shoal_context *context, shoal_scene *scene, const char *path)
{
    shoal_mesh mesh;
    shoal_io_error error;
    shoal_model *model = NULL;
    shoal_body body;
    if (shoal_mesh_read(path, NULL, &mesh, &error) != SHOAL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const shoal_model_def def = shoal_mesh_model_def(&mesh);
    const int failed = shoal_model_create(context, &def, &model) ||
                       shoal_scene_add_free(scene, model, &body) ||
                       shoal_scene_set_positions(scene, body, &def.rest);
    shoal_model_destroy(model); // the scene keeps it for the body
    shoal_mesh_finish(&mesh);
    return failed;
}

int main(int argc, char **argv)
{
    const shoal_context_def context_def = shoal_context_def_default();
    const shoal_scene_def scene_def = shoal_scene_def_default();
    shoal_context *context = NULL;
    shoal_scene *scene = NULL;
    int failed = shoal_context_create(&context_def, &context) ||
                 shoal_scene_create(context, &scene_def, &scene);
    for (int i = 1; i < argc && !failed; i++)
        failed = add(context, scene, argv[i]);
    if (!failed && !(failed = shoal_scene_step(scene, SHOAL_QUERY_PAIRS) != SHOAL_OK))
        printf("%zu pairs\n", shoal_scene_pairs(scene).count);
    if (failed)
        fprintf(stderr, "%s\n", shoal_last_error());
    shoal_scene_destroy(scene);
    if (context)
        shoal_context_destroy(context);
    return failed;
}
