// SPDX-License-Identifier: MIT
/// A scene: bodies that move, and the step that finds their contacts.
#ifndef SHOAL_SCENE_H
#define SHOAL_SCENE_H

#include <shoal/model.h>
#include <shoal/results.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Id of a body, passed by value. Zero is null; stale ids are detected.
typedef struct shoal_body {
    uint32_t index1;     ///< 1 + the number that results use
    uint32_t generation; ///< tells a body from an earlier one in the same place
} shoal_body;

/// The executor of the jobs of a step. Results are the same for all of them.
typedef enum shoal_executor {
    SHOAL_EXECUTOR_OMP = 0, ///< the job graph inside one OpenMP region
    SHOAL_EXECUTOR_SERIAL,  ///< one job after another on the calling thread
    SHOAL_EXECUTOR_STUDY,   ///< 2 and 3 are for experiments: see study.h
} shoal_executor;

/// Which boxes of a tree are refreshed before the search, and which when touched.
typedef enum shoal_strategy {
    SHOAL_STRATEGY_HYBRID = 0, ///< the upper half of the levels; the rest when touched
    SHOAL_STRATEGY_BOTTOM_UP,  ///< all of them
    SHOAL_STRATEGY_TOP_DOWN,   ///< only each body's own box
    SHOAL_STRATEGY_OPTIMAL,    ///< the cheapest set, by how often each node was touched lately
    SHOAL_STRATEGY_AUTO,       ///< the same, and trees that no longer fit are built anew
} shoal_strategy;

/// How overlapping bodies are found.
typedef enum shoal_broad {
    SHOAL_BROAD_AUTO = 0, ///< brute force to 64 bodies, sweep to 4096, tree above
    SHOAL_BROAD_BRUTE,    ///< every box against every other
    SHOAL_BROAD_SWEEP,    ///< sort along one axis and sweep
    SHOAL_BROAD_TREE,     ///< a tree over the bodies' boxes, built in parallel each step
    SHOAL_BROAD_STUDY,    ///< for experiments: see study.h
} shoal_broad;

/// Whether OpenMP's threads are bound to cores. shoal never does it when the environment says
/// how they are bound (OMP_PLACES, OMP_PROC_BIND, ...) or when there are more threads than
/// CPUs. The calling thread gets its own binding back after each step; OpenMP's other threads
/// stay bound, as they would with OMP_PROC_BIND.
typedef enum shoal_bind {
    /// Bind if there are as many threads as cores or CPUs of the process, on more than one NUMA
    /// node or package, where a thread that migrates loses the locality of its memory. On a
    /// single node, a bound thread would wait for another process while other cores are idle;
    /// with fewer threads it is unknown which part of the machine is free.
    SHOAL_BIND_AUTO = 0,
    SHOAL_BIND_NONE,  ///< leave it to the system
    SHOAL_BIND_CORES, ///< bind each thread to a core, spread evenly over the machine
} shoal_bind;

/// How distances are searched. Results are the same for all of them.
typedef enum shoal_distance_engine {
    SHOAL_DISTANCE_AUTO =
        0,                ///< trees or grid, on CPU or GPU, whichever was faster in this scene
    SHOAL_DISTANCE_TREES, ///< trees alone, from what was nearest in the last step
    SHOAL_DISTANCE_GRID,  ///< first bounds from a grid (Sud et al. 2006), on the CPU or a GPU
    SHOAL_DISTANCE_STUDY, ///< for experiments: see study.h
} shoal_distance_engine;

/// How a scene is made. Start from shoal_scene_def_default(), then set fields.
typedef struct shoal_scene_def {
    uint32_t size; ///< set by shoal_scene_def_default(); do not touch
    shoal_executor executor;
    uint32_t threads; ///< 0: OMP_NUM_THREADS if set, else one per CPU the process may use
    /// Every step uses all threads. Else a step begins on the calling thread and the others are
    /// called when it lasts longer than about 50 microseconds, or at once if recent steps did;
    /// and while other processes keep threads from their CPUs, fewer are used, which a warning
    /// tells once. Results are the same. The environment's SHOAL_TEAM=fixed sets it, too.
    bool fixed_team;
    shoal_strategy strategy;
    shoal_broad broad;
    shoal_bind bind;
    uint32_t coherence; ///< for experiments: see study.h. 0: none
    /// SHOAL_STRATEGY_AUTO builds a body's tree anew when its quality (shoal_body_info) is
    /// worse than this and the search has lost as much time by it as building takes. Such a
    /// step, and the one after it, allocate. 0: never; below 1: in every step, for tests.
    double rebuild_ratio;
    /// A margin in world units; 0: none. With it a step lists all triangle pairs closer than
    /// the margin, and the following ones test that list alone, without boxes and trees, until
    /// two bodies have moved towards each other by as much as the margin. It pays where little
    /// moves in many steps; triangles much smaller than it make the list long. Without effect
    /// in steps with reduced bodies, SHOAL_QUERY_SPHERES or queries of distances.
    double list_margin;
    double within; ///< distance of SHOAL_QUERY_WITHIN, in world units; may be INFINITY
    shoal_distance_engine distance_engine; ///< of all queries of distances but NEAREST_SELF
    /// Cells along the longest side of the grid for distances, at most 65536; 0: by the size of
    /// triangles and gaps, and coarser, with a warning, if that were too large. A grid of a
    /// given resolution that does not fit makes the step fail with LIMIT or MEMORY.
    uint32_t grid_resolution;
} shoal_scene_def;

/// Write the default def, as programs know it whose header gives it `size` bytes.
SHOAL_API void shoal_scene_def_init(shoal_scene_def *def, size_t size);

/// Job graph on all CPUs, strategy auto with rebuild_ratio 1.3, broad phase by the number of
/// bodies, no neighbour list.
static inline shoal_scene_def shoal_scene_def_default(void)
{
    shoal_scene_def def;
    shoal_scene_def_init(&def, sizeof def);
    return def;
}

/// Make a scene. `*out` is NULL on failure.
/// Thread: any; calls on one scene must not overlap.  Errors: ARGUMENT, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_create(shoal_context *ctx,
                                                      const shoal_scene_def *def,
                                                      shoal_scene **out);

/// Free a scene and its bodies. NULL is fine.
SHOAL_API void shoal_scene_destroy(shoal_scene *scene);

/// Add a body that deforms freely: its positions are set anew whenever it moves. Until the
/// first shoal_scene_set_positions() it joins no query. `*out` is null on failure.
/// Errors: ARGUMENT (model of another context), LIMIT, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_add_free(shoal_scene *scene, shoal_model *model,
                                                        shoal_body *out);

/// Give a body another model, for example because it was cut or its mesh changed. Id, number
/// and fat box stay; positions and all data derived from the old model are discarded, so that
/// the body takes part in no query until it gets new positions, and results are those of a new
/// scene. Further parts of a broken body are added as bodies. The kind does not change.
/// The old model exists as long as the caller or other bodies hold it. Allocates here and in
/// the next three steps; after them a steady scene allocates nothing again.
/// Errors: ARGUMENT (null id, model of another context, or not reducible or without control
/// points as the kind of the body requires), STALE, MEMORY; the body then is as before.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_replace_model(shoal_scene *scene,
                                                             shoal_body body,
                                                             shoal_model *model);

/// Remove a body. Its number may be given to a later body, its id never.
/// Errors: ARGUMENT (null id), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_remove(shoal_scene *scene, shoal_body body);

/// Give a body its positions for the coming steps. A borrowed array is read by every step until
/// it is replaced or the body removed; the caller only writes new positions into it.
/// A body with a NaN or infinite coordinate joins no query; shoal_scene_bad_bodies() lists it.
/// Errors: ARGUMENT (null array, wrong count, stride 0, unknown enum), STALE, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_positions(shoal_scene *scene,
                                                             shoal_body body,
                                                             const shoal_positions *positions);

/// The same for many free bodies, [count] of both; of a body named twice the last positions
/// hold. Either all are set or none.
/// Errors: ARGUMENT (null array, a body that is not free, or as above), STALE, MEMORY.
SHOAL_API SHOAL_CHECK shoal_status
shoal_scene_set_positions_many(shoal_scene *scene, const shoal_body *bodies,
                               const shoal_positions *positions, uint32_t count);

/// Promise that a body stays in a box in world coordinates, until another one is given; NULL
/// and NULL take it back. The broad phase then uses that box, and is skipped while no such box
/// changes and every moving body has one. Never changes results: a step in which the body is
/// outside uses its own box, counts it in fat_left and logs it once, and a box of three times
/// the volume of the body's own or more is not used. Errors: ARGUMENT (one NULL, NaN, lo above
/// hi), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_fat_box(shoal_scene *scene, shoal_body body,
                                                           const float lo[3],
                                                           const float hi[3]);

/// Queries of a step, combined by `|`.
enum {
    SHOAL_QUERY_PAIRS = 1, ///< all intersecting triangle pairs between bodies
    SHOAL_QUERY_FIRST = 2, ///< for each body pair, whether it intersects, and one witness
    SHOAL_QUERY_SELF = 4,  ///< intersecting triangles of one body that share no vertex
    /// Also the pairs of one body that share vertices, where they meet beyond what they share:
    /// one shared vertex: the edge opposite it meets the other triangle; two, v and w, of
    /// (v, w, p) and (v, w, q): p lies in the other triangle, or q does, or vp meets wq, or wp
    /// meets vq, all closed; three: always. Implies SHOAL_QUERY_SELF.
    SHOAL_QUERY_SELF_ADJACENT = 8,
    SHOAL_QUERY_SPHERES = 16, ///< contact spheres of reduced bodies; see shoal/reduced.h
    SHOAL_QUERY_NEAREST = 32, ///< for each body, the nearest other one
    SHOAL_QUERY_WITHIN = 64,  ///< all pairs of bodies not farther apart than `within`
    SHOAL_QUERY_NEAREST_TRIANGLES = 128, ///< for each triangle, the nearest of another body
    /// For each triangle, the nearest of the same body that shares no vertex with it
    SHOAL_QUERY_NEAREST_SELF = 256,
};

/// Update all bodies and answer `queries`. On failure the results are empty and the scene may
/// be stepped again, but with ARGUMENT all is as before. Its threads are OpenMP's; they sleep
/// between steps, and each thread that calls this function has its own. If the system starts
/// fewer than asked for, the step goes on with those, with a warning. In a child made by fork()
/// between two steps, scenes can be stepped as before, on new threads; without a GPU.
/// Errors: ARGUMENT (no or unknown query), MEMORY, LIMIT (more rows than 32 bits can count, or
/// than a grid of the wanted resolution may have), DEVICE (a required GPU failed).
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_step(shoal_scene *scene, uint32_t queries);

/// The same step on threads of the caller, for programs that own their parallel region. One
/// thread begins it. Then up to `workers` threads call shoal_scene_step_work(), each with a
/// different number below `workers`; all return when the jobs of the step are done, and the
/// step does not wait for threads that do not come. At last one thread ends it and gets its
/// status. The caller orders the three, by a barrier or by starting and joining threads;
/// between begin and end no other call may change the scene. Needs SHOAL_EXECUTOR_OMP and
/// workers <= the scene's threads. Errors: ARGUMENT (also: a step has begun), MEMORY; after a
/// failure there is nothing to end.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_step_begin(shoal_scene *scene, uint32_t queries,
                                                          uint32_t workers);

/// Work on the step until it is done. Binds no thread.
/// Thread: any number at once.  Errors: ARGUMENT (no step, number too large or taken).
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_step_work(shoal_scene *scene, uint32_t worker);

/// End the step; if nobody worked on it, do so now. On failure the results are empty.
/// Errors: ARGUMENT (no step, or somebody still works), MEMORY, DEVICE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_step_end(shoal_scene *scene);

/// Where a worker is bound; -1 where it is not, or not within one core.
typedef struct shoal_binding {
    int32_t cpu;  ///< the system's number of its CPU, the first one if it may use a whole core
    int32_t core; ///< number of its core, counted over the machine
    int32_t numa; ///< the system's number of its memory node
} shoal_binding;

/// Where worker `worker`, counted from 0, was bound in the last shoal_scene_step(), by
/// shoal or by others.
SHOAL_API shoal_binding shoal_scene_binding(const shoal_scene *scene, uint32_t worker);

/// State of a body's tree.
typedef struct shoal_body_info {
    /// Surface of the tree's boxes over the body's own, relative to that when the tree was
    /// built: 1 is as good as new, larger is worse. Sampled every few steps, with the
    /// strategies optimal and auto; 0 where it is not known.
    double quality;
    uint32_t rebuilds; ///< trees built for this body alone
    uint64_t bytes;    ///< of the tree it has for itself; 0: the model's
} shoal_body_info;

/// Write the first `size` bytes of the state of a body's tree: zeros on failure, and for
/// reduced bodies, which always use their model's tree.
/// Errors: ARGUMENT (null id, out is NULL), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_read_body_info(shoal_scene *scene,
                                                              shoal_body body,
                                                              shoal_body_info *out,
                                                              size_t size);

/// The same, as this header knows it.
static inline SHOAL_CHECK shoal_status shoal_scene_body_info(shoal_scene *scene,
                                                             shoal_body body,
                                                             shoal_body_info *out)
{
    return shoal_scene_read_body_info(scene, body, out, sizeof *out);
}

/// Write where vertices of a body are in the state it was given last, stepped or not: for each
/// kind exactly the numbers that queries use, in float64, or rounded to the nearest float32,
/// and to an infinity beyond its range. Of a free body these are the positions it was given, of
/// a borrowed array as it is now. Another order than the tree's costs a look at all vertices of
/// the model for each call, so few long ranges are better than many short ones; allocates
/// nothing. Nothing is written on failure.
/// Thread: any number at once, as long as no call changes the scene.  Errors: ARGUMENT (null
/// id, array or `out`, stride 0, unknown enum, a range beyond the model's vertices, a body
/// without a state, a step that has begun), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_vertices(const shoal_scene *scene,
                                                        shoal_body body,
                                                        const shoal_vertices *out);

#ifdef __cplusplus
}
#endif

#endif
