// SPDX-License-Identifier: MIT
/// Which bodies meet, how long lists may become, and what the host writes on bodies.
///
/// Two bodies meet in a step if all of these hold; for all others it is as if neither were
/// there for the other one:
///
/// - (group_a & mask_b) and (group_b & mask_a) are not 0 (shoal_scene_set_filter());
/// - they are no excluded pair (shoal_scene_set_excluded());
/// - not both are static (shoal_scene_set_static()).
///
/// This goes for all queries about two bodies: PAIRS, FIRST, SPHERES, NEAREST, WITHIN and
/// NEAREST_TRIANGLES, where "another body" is one that the body meets. SELF, SELF_ADJACENT and
/// NEAREST_SELF are about one body and know no filter. Results stay pure functions of the
/// bodies' states and these rules, and rows that remain are hashed as ever. For bodies in an
/// excluded pair, and for those kept apart from bodies of another group or mask, a grid's
/// bounds, also those of the GPU, leave more to the search. shoal_scene_diagram() knows no
/// filter.
#ifndef SHOAL_FILTER_H
#define SHOAL_FILTER_H

#include <shoal/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Give a body its groups, a bit each, and the mask of groups that it meets. A new body has
/// group 1 and a mask of all ones: it meets all others of that kind.
/// Errors: ARGUMENT (null id), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_filter(shoal_scene *scene, shoal_body body,
                                                          uint32_t group, uint32_t mask);

/// Exclude pairs of bodies, a[i] with b[i], instead of those of the last call; copied. Order
/// and repetitions do not matter. A body that is removed takes its pairs with it. With count 0
/// there are none, and the arrays may be NULL.
/// Errors: ARGUMENT (NULL array, null id, a body with itself, more than 2^32 - 1 pairs), STALE,
/// MEMORY; the list then is as before.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_excluded(shoal_scene *scene,
                                                            const shoal_body *a,
                                                            const shoal_body *b, size_t count);

/// Say that a body rests, or that it moves again, as new bodies do. Static bodies do not meet
/// each other, and the boxes of one are made once for each state it is given. If its positions
/// are borrowed, they are copied in this call, and later ones in shoal_scene_set_positions();
/// the array is not read again, also if the body moves again, until a next
/// shoal_scene_set_positions(). It may be given new positions or a new state at any time.
/// Errors: ARGUMENT (null id), STALE, MEMORY; the body then is as before.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_static(shoal_scene *scene, shoal_body body,
                                                          bool is_static);

/// Bound the list of a query, a single bit; 0: not bounded, as at first. SELF and SELF_ADJACENT
/// have one list and so one bound. A step whose list would have more rows fails with LIMIT and
/// one line that says how many; it counts them all, but keeps no more than the bound. Lists of
/// other queries of that step are then empty, too. While PAIRS or SELF is bounded, steps that
/// ask for it go without the scene's list_margin, whose list may be much longer.
/// Errors: ARGUMENT (no query, or several, or one without a list).
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_max_rows(shoal_scene *scene, uint32_t query,
                                                            uint64_t rows);

/// How many rows the list of a query has in the last step, or would have had, if it failed
/// because of shoal_scene_set_max_rows(); 0 if it failed for another reason, or nobody asked.
SHOAL_API uint64_t shoal_scene_row_count(const shoal_scene *scene, uint32_t query);

/// Write 64 bits on a body: for the host alone. 0 at first; kept until the body is removed,
/// also if it gets another model.
/// Errors: ARGUMENT (null id), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_set_user_data(shoal_scene *scene,
                                                             shoal_body body, uint64_t data);

/// Read them. `*out` is 0 on failure.
/// Errors: ARGUMENT (null id, out is NULL), STALE.
SHOAL_API SHOAL_CHECK shoal_status shoal_scene_user_data(shoal_scene *scene, shoal_body body,
                                                         uint64_t *out);

/// The same for a model. 0 at first, also for one that was read from a file.
/// Thread: any.  Errors: ARGUMENT (NULL).
SHOAL_API SHOAL_CHECK shoal_status shoal_model_set_user_data(shoal_model *model, uint64_t data);

/// Read them; 0 for NULL.
/// Thread: any.
SHOAL_API uint64_t shoal_model_user_data(const shoal_model *model);

#ifdef __cplusplus
}
#endif

#endif
