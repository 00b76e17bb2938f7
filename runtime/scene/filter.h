// SPDX-License-Identifier: MIT
// Which bodies may meet: by groups and masks, by excluded pairs, and not if both are static.
// All of it is in the rows of bodies; who asks declares that it reads them.
#ifndef SHL_RUNTIME_SCENE_FILTER_H
#define SHL_RUNTIME_SCENE_FILTER_H

#include "runtime/scene/bodies.h"

// Whether some pair may be forbidden; if not, nobody needs to ask.
static inline bool shl_filter_active(const shl_bodies *bodies)
{
    return bodies->masked > 0 || bodies->statics > 1 || bodies->excluded_count > 0;
}

// Whether two different bodies may meet. `bodies` is a shl_bodies.
bool shl_filter_meet(const void *bodies, uint32_t a, uint32_t b);

// A body goes: it is in no excluded pair any more. Its pairs stay listed until the next step
// begins, so that removing many bodies takes one pass.
void shl_filter_forget(shl_bodies *bodies, uint32_t slot);

// Unlists the pairs of bodies that went.
void shl_filter_compact(shl_bodies *bodies);

#endif
