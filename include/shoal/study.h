// SPDX-License-Identifier: MIT
/// What a scene is made of, as the library keeps it, and variants of methods that lose to the
/// default ones: for looking at, for libshoal-picture and for experiments. May change with any
/// version. All views are valid until a call changes the scene; all functions are for the time
/// between steps.
#ifndef SHOAL_STUDY_H
#define SHOAL_STUDY_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// What experiments and tests of shoal itself may choose.

/// Executors: one OpenMP loop per job, with a barrier after each; and one as SERIAL in which a
/// job that touches memory it did not declare is a fault, see shoal_scene_running_job().
#define SHOAL_EXECUTOR_LOOPS SHOAL_EXECUTOR_STUDY
#define SHOAL_EXECUTOR_GUARD ((shoal_executor)(SHOAL_EXECUTOR_STUDY + 1))

/// Sweep and prune: sorted lists kept and repaired; serial.
#define SHOAL_BROAD_INCREMENTAL SHOAL_BROAD_STUDY

/// Distances by trees with bounds from boxes only, as a reference.
#define SHOAL_DISTANCE_PLAIN SHOAL_DISTANCE_STUDY

/// shoal_scene_def.coherence: whether boxes of reduced bodies' upper nodes are kept from step
/// to step, grown by how far q is from the one they were made for (James & Pai 2004, 3.5).
/// Never changes results. With M fields it pays only where making a box anew takes longer than
/// fetching one from memory: a few bodies, or many fields; see docs/tour.md.
typedef enum shoal_coherence {
    SHOAL_COHERENCE_NONE = 0, ///< all boxes are made anew
    SHOAL_COHERENCE_LAZY,     ///< nodes that a search needed are refreshed before the next one
    SHOAL_COHERENCE_EAGER,    ///< all upper nodes are, if q is too far from theirs
} shoal_coherence;

/// shoal_skinned_def.blend: how the maps of the control points that move a piece of the surface
/// give one box; changes times, never results.
typedef enum shoal_blend {
    SHOAL_BLEND_AUTO = 0, ///< the best: DUAL
    SHOAL_BLEND_UNION,    ///< the union of the boxes that each control point alone gives
    SHOAL_BLEND_CORNER,   ///< the extreme corner of Steinemann et al. 2007, eq. 11
    SHOAL_BLEND_KNAPSACK, ///< the tightest for given least and largest weights
    SHOAL_BLEND_DUAL,     ///< nearly the same, in a fixed number of passes
} shoal_blend;

/// shoal_skinned_def.influence: what is assumed of the positions of the vertices that a control
/// point moves.
typedef enum shoal_influence {
    SHOAL_INFLUENCE_AUTO = 0,   ///< the best: DIRECTIONS
    SHOAL_INFLUENCE_BOXES,      ///< they are in the piece's box at rest
    SHOAL_INFLUENCE_CLIPPED,    ///< and in the box of all vertices that the point moves
    SHOAL_INFLUENCE_DIRECTIONS, ///< and within the piece's extents in 26 directions
} shoal_influence;

/// Under SHOAL_EXECUTOR_GUARD, the name of the job that is running, NULL between steps. Safe in
/// a signal handler: there it names the job that touched what it had not declared.
SHOAL_API const char *shoal_scene_running_job(const shoal_scene *scene);

/// The box of a node of a body's tree, as the last step searched it.
typedef struct shoal_tree_box {
    shoal_body body;
    uint32_t node; ///< 0: the root
    float lo[3], hi[3];
    double spread; ///< its diagonal over that of the least box around the same triangles, 1 if
                   ///< that is a point, infinite as the box may be; 0: not asked for
} shoal_tree_box;

/// Takes a box. Must not change the scene.
typedef void shoal_box_fn(void *user, const shoal_tree_box *box);

/// Hand over the boxes of a level of all trees whose bodies took part in the last step, by
/// ascending bodies: nodes on the level and leaves above it. The level is a share of the
/// depth: 0 is that of roots, one box for each body, and 1 that of the deepest leaves. With
/// `spread` all vertices are evaluated.
/// Errors: ARGUMENT (no function, a level beyond 0 to 1, a step that has begun), MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_boxes(const shoal_scene *scene, double level,
                                                     bool spread, shoal_box_fn *take,
                                                     void *user);

/// The model of a body; NULL if there is no such body.
SHOAL_API const shoal_model *shoal_scene_model(const shoal_scene *scene, shoal_body body);

/// Write the triangles of a model, [3 * triangle_count] vertices: triangle i of those given to
/// shoal_model_create(), its vertices as numbered there or as rows of the tree's order.
SHOAL_API void shoal_model_triangles(const shoal_model *model, shoal_order order,
                                     uint32_t *out);

/// A reduced body as an instance of its model's rest shape: with the numbers of
/// shoal_scene_add_reduced(), vertices in the tree's order.
typedef struct shoal_instance {
    const double *rest;  ///< [3 * vertex_count]
    const float *fields; ///< [vertex_count][field_count][3]
    uint32_t field_count;
    const double *rotation, *translation, *q; ///< as steps use them
} shoal_instance;

/// Whether a body is an instance and has a state; `*out` is zero if not.
SHOAL_API bool shoal_scene_instance(const shoal_scene *scene, shoal_body body,
                                    shoal_instance *out);

/// Centre and radius of a contact sphere of a body that took part in the last step. False, and
/// zeros: it has no such sphere.
SHOAL_API bool shoal_scene_sphere(const shoal_scene *scene, shoal_body body, uint32_t sphere,
                                  double out[4]);

/// What a context lends to a library that draws, for as long as it lives. `table` and `device`
/// are what gpu/module.h says of the same version.
typedef struct shoal_painter {
    const shoal_allocator *allocator;
    const void *table;
    void *device;       ///< NULL: there is none
    const char *reason; ///< why, one line
} shoal_painter;

/// The memory of the scene's context, and the GPU that it computes with, or else one that only
/// paints, in software if need be; it is looked for on the first call.
/// Thread: any.
SHOAL_API shoal_painter shoal_scene_painter(const shoal_scene *scene);

/// For libraries on top: write a line to the log of the scene's context, if there are these,
/// make it the thread's last error unless `status` is SHOAL_OK, and return `status`.
SHOAL_API shoal_status shoal_scene_report(const shoal_scene *scene, shoal_status status,
                                          const char *text);

#ifdef __cplusplus
}
#endif

#endif
