// SPDX-License-Identifier: MIT
// Who meets whom, as a test sees it: bodies by number.
#ifndef TESTS_ZERO_RULES_H
#define TESTS_ZERO_RULES_H

#include "worlds.h"

#include <string.h>

typedef struct rules {
    uint32_t group[WORLD_BODIES], mask[WORLD_BODIES];
    bool still[WORLD_BODIES];
    bool apart[WORLD_BODIES][WORLD_BODIES]; // excluded, lower number first
} rules;

static inline bool rules_meet(const rules *r, uint32_t a, uint32_t b)
{
    return !r || ((r->group[a] & r->mask[b]) && (r->group[b] & r->mask[a]) &&
                  !(r->still[a] && r->still[b]) && !r->apart[a < b ? a : b][a < b ? b : a]);
}

static inline void rules_reset(rules *r)
{
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < WORLD_BODIES; i++) {
        r->group[i] = 1;
        r->mask[i] = UINT32_MAX;
    }
}

// A body that has come has no rule yet.
static inline void rules_forget(rules *r, uint32_t body)
{
    r->group[body] = 1;
    r->mask[body] = UINT32_MAX;
    r->still[body] = false;
    for (uint32_t i = 0; i < WORLD_BODIES; i++)
        r->apart[i][body] = r->apart[body][i] = false;
}

// Some rules are drawn anew, or all are taken back.
static inline void rules_draw(rules *r, uint32_t count, uint64_t *lot)
{
    if (world_random(lot) % 5 == 0)
        rules_reset(r);
    const uint32_t kinds = (uint32_t)(world_random(lot) % 8);
    for (uint32_t i = 0; i < count; i++) {
        if (kinds & 1 && world_random(lot) % 2) {
            r->group[i] = (uint32_t)(1 + world_random(lot) % 7);
            r->mask[i] = (uint32_t)(world_random(lot) % 9 ? 1 + world_random(lot) % 7 : 0);
        }
        if (kinds & 2)
            r->still[i] = world_random(lot) % 2;
        for (uint32_t k = i + 1; k < count && kinds & 4; k++)
            r->apart[i][k] = world_random(lot) % 3 == 0;
    }
}

// Gives a scene the rules; of bodies with a null id none.
static inline bool rules_set(const rules *r, shoal_scene *scene, const shoal_body *body,
                             uint32_t count)
{
    static shoal_body pairs[2][WORLD_BODIES * WORLD_BODIES];
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!body[i].index1)
            continue;
        if (shoal_scene_set_filter(scene, body[i], r->group[i], r->mask[i]) ||
            shoal_scene_set_static(scene, body[i], r->still[i]))
            return false;
        for (uint32_t k = i + 1; k < count; k++) {
            if (!r->apart[i][k] || !body[k].index1)
                continue;
            pairs[n % 2][n] = body[k]; // in either order
            pairs[!(n % 2)][n] = body[i];
            n++;
        }
    }
    return shoal_scene_set_excluded(scene, pairs[0], pairs[1], n) == SHOAL_OK;
}

#endif
