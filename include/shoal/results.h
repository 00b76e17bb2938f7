// SPDX-License-Identifier: MIT
/// Results of a step. The pairs and the hash are pure functions of the step's input.
///
/// Each query has a function of its own that views its rows. A view is borrowed from the scene
/// and valid until the next call that changes the scene. It is empty when the last step did not
/// ask for it, and after a step that failed; `rows` is then of no use.
#ifndef SHOAL_RESULTS_H
#define SHOAL_RESULTS_H

#include <shoal/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_scene shoal_scene; ///< see scene.h

/// Two triangles that share at least one point. Bodies by number (shoal_body.index1 - 1),
/// triangles as in the model's definition. body_a < body_b, or body_a == body_b and
/// triangle_a < triangle_b.
typedef struct shoal_pair {
    uint32_t body_a, triangle_a, body_b, triangle_b;
} shoal_pair;

/// Two contact spheres that overlap, or a contact sphere and a triangle.
/// Spheres touch when the distance of their centres is at most r_a + r_b, and a sphere touches
/// a triangle when the distance of its centre to it is at most r_a.
typedef struct shoal_sphere_contact {
    uint32_t body_a, sphere_a;  ///< a contact sphere
    uint32_t body_b, element_b; ///< a contact sphere or, if body_b has none, a triangle
    double depth;               ///< sum of radii, or radius, less the distance
    double normal[3];           ///< from a to b, of length 1
    double position[3];         ///< the middle of the overlap, or the triangle's nearest point
} shoal_sphere_contact;

#define SHOAL_NONE UINT32_MAX

/// Two triangles that are nearest to each other among those that a query compares.
/// Distances are computed in float64 with the lower body first, within a body the lower
/// triangle; 0 exactly if the triangles share a point. Of equal distances the lowest numbers
/// win: between bodies the other body, then the triangle of the lower body, then of the higher;
/// for a triangle the other body, then its triangle.
typedef struct shoal_nearest {
    uint32_t body_a, triangle_a;
    uint32_t body_b, triangle_b; ///< SHOAL_NONE: there is none, and the distance is infinite
    double distance;
    double error;                  ///< bound of the error of `distance`
    double point_a[3], point_b[3]; ///< nearest points, to the same error and rounding
} shoal_nearest;

/// Lists of pairs are sorted by (body_a, triangle_a, body_b, triangle_b), contacts by the lower
/// body, the higher body, sphere_a and element_b; none is ever shortened.
typedef struct shoal_pairs {
    const shoal_pair *rows; ///< [count]
    size_t count;
} shoal_pairs;

typedef struct shoal_sphere_contacts {
    const shoal_sphere_contact *rows; ///< [count]
    size_t count;
} shoal_sphere_contacts;

typedef struct shoal_nearest_rows {
    const shoal_nearest *rows; ///< [count]
    size_t count;
} shoal_nearest_rows;

typedef struct shoal_body_numbers {
    const uint32_t *rows; ///< [count]
    size_t count;
} shoal_body_numbers;

/// Between bodies; SHOAL_QUERY_PAIRS.
SHOAL_API shoal_pairs shoal_scene_pairs(const shoal_scene *scene);

/// Within a body; SHOAL_QUERY_SELF.
SHOAL_API shoal_pairs shoal_scene_self_pairs(const shoal_scene *scene);

/// One true pair per intersecting body pair; SHOAL_QUERY_FIRST. Which witness it is may differ
/// from run to run.
SHOAL_API shoal_pairs shoal_scene_first_pairs(const shoal_scene *scene);

/// SHOAL_QUERY_SPHERES.
SHOAL_API shoal_sphere_contacts shoal_scene_sphere_contacts(const shoal_scene *scene);

/// One row per body that takes part, ascending; SHOAL_QUERY_NEAREST. Without another body
/// triangle_a is SHOAL_NONE, too.
SHOAL_API shoal_nearest_rows shoal_scene_nearest(const shoal_scene *scene);

/// By (body_a, body_b), body_a < body_b; SHOAL_QUERY_WITHIN.
SHOAL_API shoal_nearest_rows shoal_scene_within(const shoal_scene *scene);

/// One row per triangle of the bodies that take part, by (body_a, triangle_a);
/// SHOAL_QUERY_NEAREST_TRIANGLES.
SHOAL_API shoal_nearest_rows shoal_scene_nearest_triangles(const shoal_scene *scene);

/// The same for SHOAL_QUERY_NEAREST_SELF.
SHOAL_API shoal_nearest_rows shoal_scene_nearest_self(const shoal_scene *scene);

/// Bodies with NaN or infinite positions, ascending; after every step.
SHOAL_API shoal_body_numbers shoal_scene_bad_bodies(const shoal_scene *scene);

/// The version of the hash below. Hashes of different versions cannot be compared.
#define SHOAL_HASH_VERSION 2

/// The hash of the last step; 0 after one that failed.
///
/// It is a function of the rows of the lists that its queries asked for, and of the bad bodies.
/// It does not depend on the order of rows, which is specified separately, so lists may be
/// divided in any way. It detects accidental differences, not malicious ones.
///
/// Numbers are unsigned and of 64 bits; sums and products are modulo 2^64. (x, y) is the word
/// x + 2^32 y; a double is the word of its IEEE 754 bits. Lists, each of which a function of
/// that name views (shoal_scene_pairs(), ...), and the words of their rows:
///
///     list  if asked for       rows               words
///        0  PAIRS              pairs              (body_a, triangle_a) (body_b, triangle_b)
///        1  FIRST              first_pairs        (body_a, body_b)
///        2  SELF, _ADJACENT    self_pairs         as pairs
///        4  SPHERES            sphere_contacts    (body_a, sphere_a) (body_b, element_b) depth
///                                                 normal[0..2] position[0..2]
///        5  NEAREST            nearest            (body_a, triangle_a) (body_b, triangle_b)
///                                                 distance error point_a[0..2] point_b[0..2]
///        6  WITHIN             within             as nearest
///        7  NEAREST_TRIANGLES  nearest_triangles  as nearest
///        8  NEAREST_SELF       nearest_self       as nearest
///      255  always             bad_bodies         the body's number
///
/// A list of a query has the number of the query's bit, further lists have numbers from 32 to
/// 254; no number is ever given to another list, so a new query changes no hash of old ones.
///
/// The hash of a row with words w0, w1, ...:
///
///     h = (w0 ^ (list + 1) * 0x94d049bb133111eb) * 0x9e3779b97f4a7c15;  h ^= h >> 32
///     for each further word w:  h = (h ^ w) * 0xbf58476d1ce4e5b9;       h ^= h >> 29
///     h ^= h >> 33;  h *= 0xff51afd7ed558ccd
///     h ^= h >> 33;  h *= 0xc4ceb9fe1a85ec53;  h ^= h >> 33
///
/// The hash of the step begins with h = 0x73686f616c and takes, for each list that was asked
/// for, by ascending numbers, the number of the list, the number of its rows and the sum of
/// their hashes, and at last SHOAL_HASH_VERSION, each of these words w by
///
///     h = (h ^ w) * 0x9e3779b97f4a7c15;  h ^= h >> 29
SHOAL_API uint64_t shoal_scene_hash(const shoal_scene *scene);

/// What threads do in a step, in the order of its jobs. Numbers are never given to another
/// phase; those of later versions are higher.
typedef enum shoal_phase {
    SHOAL_PHASE_OTHER = 0, ///< what belongs to none of the others
    SHOAL_PHASE_GATHER,    ///< vertex evaluation: permuting borrowed positions to tree order
    SHOAL_PHASE_REFIT,     ///< node evaluation ahead of the search, and planning it
    SHOAL_PHASE_BROAD,     ///< finding overlapping bodies
    SHOAL_PHASE_TRAVERSE,  ///< box tests, with the nodes opened on the way
    SHOAL_PHASE_LEAF,      ///< triangle tests
    SHOAL_PHASE_CONTACT,   ///< contact spheres
    SHOAL_PHASE_GRID,      ///< bounds of distances by a grid
    SHOAL_PHASE_DISTANCE,  ///< what is nearest, but for the grid
    SHOAL_PHASE_SORT,      ///< canonical order and hash
    SHOAL_PHASE_REBUILD,   ///< building trees anew
} shoal_phase;

/// Time of one phase. No time is in two of them.
typedef struct shoal_phase_time {
    const char *name; ///< "gather", "refit", ...
    shoal_phase phase;
    double seconds; ///< summed over workers
} shoal_phase_time;

typedef struct shoal_phase_times {
    const shoal_phase_time *rows; ///< [count] all phases, in the order of their numbers
    size_t count;
} shoal_phase_times;

/// Where the time of the last step went; all 0 after one that failed. Never hashed.
SHOAL_API shoal_phase_times shoal_scene_phases(const shoal_scene *scene);

/// The same for one phase; 0 for one that this library does not know.
SHOAL_API double shoal_scene_seconds(const shoal_scene *scene, shoal_phase phase);

/// What a step counted. Later versions add fields at the end.
typedef struct shoal_stats {
    double wall_s; ///< the whole step, as the caller sees it
    uint64_t bodies;
    uint64_t body_pairs;         ///< whose boxes overlap
    uint64_t node_pairs;         ///< taken from the traversal's stacks
    uint64_t opened_nodes;       ///< refreshed when touched
    uint64_t evaluated_vertices; ///< of reduced bodies, because a leaf test needed them
    uint64_t candidates;         ///< triangle pairs whose boxes overlap, or are near enough
    uint64_t exact_tests;        ///< of those, too close for the filter
    uint64_t distances;          ///< of triangles, computed
    uint64_t grid_cells;         ///< of the grid for distances; 0: trees alone
    uint64_t gpu_jobs;           ///< grids whose bounds came from the GPU
    uint64_t pairs;
    uint64_t rebuilds;    ///< trees built anew
    double quality_worst; ///< of all bodies' trees (shoal_body_info); 0: not known
    double quality_mean;
    uint64_t allocations; ///< made by this step; 0 in a steady scene
    uint64_t bytes;       ///< held by the context: all its models and scenes
    uint32_t threads;     ///< that the scene may use
    uint32_t workers;     ///< threads that worked on the step; see shoal_scene_def.fixed_team
    uint64_t fat_used;    ///< bodies whose fat box the broad phase took
    uint64_t fat_left;    ///< bodies that were outside their fat box
    uint32_t list_reused; ///< 1: the step tested the list of an earlier one
    uint64_t near_pairs;  ///< triangle pairs in that list; 0 without a list margin
} shoal_stats;

/// Write the first `size` bytes of the statistics of the last step, 0 where this library has
/// no such field: for a program that was compiled against another version. Never hashed: they
/// may differ from run to run.
SHOAL_API void shoal_scene_read_stats(const shoal_scene *scene, shoal_stats *out, size_t size);

/// The same, as this header knows them.
static inline shoal_stats shoal_scene_stats(const shoal_scene *scene)
{
    shoal_stats out;
    shoal_scene_read_stats(scene, &out, sizeof out);
    return out;
}

#ifdef __cplusplus
}
#endif

#endif
