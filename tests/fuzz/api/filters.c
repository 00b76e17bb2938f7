// SPDX-License-Identifier: MIT
// Who meets whom, bounds of lists, and what hosts write on bodies.
#include "play.h"

#include <math.h>
#include <stdlib.h>

bool actors_meet(const actor *a, const actor *b)
{
    return (a->group & b->mask) && (b->group & a->mask) && !(a->still && b->still) &&
           !(a->apart >> (b->id.index1 - 1) & 1);
}

static bool set_groups(draw *d, stage *s, actor *a)
{
    const uint32_t group = chance(d, 3) ? 1 : below(d, 8),
                   mask = chance(d, 3) ? UINT32_MAX : below(d, 8);
    const shoal_status st = TRY(shoal_scene_set_filter, s->scene, a->id, group, mask);
    a->group = group;
    a->mask = mask;
    return st == SHOAL_OK || fault("shoal_scene_set_filter: %s", shoal_status_text(st));
}

void actor_lend_nothing(actor *a)
{
    free(a->memory); // shoal may not look at it again
    a->memory = NULL;
}

static bool set_static(draw *d, stage *s, actor *a)
{
    const bool still = chance(d, 2);
    arm(d);
    bool good = true;
    const shoal_status st = TRY(shoal_scene_set_static, s->scene, a->id, still);
    if (!went_well("shoal_scene_set_static", st, &good))
        return good;
    if (still && !a->still)
        actor_lend_nothing(a);
    a->still = still;
    count("event", "bodies made static", still);
    return true;
}

static bool set_excluded(draw *d, stage *s)
{
    shoal_body pairs[2][BODIES * BODIES];
    uint16_t apart[BODIES] = {0};
    size_t n = 0;
    for (uint32_t i = 0; i < BODIES && !chance(d, 3); i++) {
        for (uint32_t k = 0; k < BODIES; k++) {
            if (i == k || !s->actors[i].used || !s->actors[k].used || !chance(d, 5))
                continue;
            pairs[0][n] = s->actors[i].id;
            pairs[1][n++] = s->actors[k].id;
            apart[i] |= (uint16_t)(1u << k);
            apart[k] |= (uint16_t)(1u << i);
        }
    }
    arm(d);
    bool good = true;
    const shoal_status st =
        TRY(shoal_scene_set_excluded, s->scene, n ? pairs[0] : NULL, n ? pairs[1] : NULL, n);
    if (!went_well("shoal_scene_set_excluded", st, &good))
        return good;
    for (uint32_t i = 0; i < BODIES; i++)
        s->actors[i].apart = apart[i];
    count("event", "pairs excluded", n);
    return true;
}

static bool write_on(draw *d, stage *s, actor *a)
{
    const uint64_t data = (uint64_t)below(d, UINT32_MAX) << 32 | 3;
    uint64_t before = 1, after = 1;
    bool good = TRY(shoal_scene_user_data, s->scene, a->id, &before) == SHOAL_OK &&
                before == a->user_data &&
                TRY(shoal_scene_set_user_data, s->scene, a->id, data) == SHOAL_OK &&
                TRY(shoal_scene_user_data, s->scene, a->id, &after) == SHOAL_OK &&
                after == data;
    a->user_data = data;
    shoal_model *model = a->shape->model;
    good = good && TRY(shoal_model_set_user_data, model, data) == SHOAL_OK &&
           USE(shoal_model_user_data)(model) == data;
    return good || fault("user data of body %u", a->id.index1 - 1);
}

bool do_filter(play *p, draw *d, stage *s)
{
    (void)p;
    actor *a = actor_any(s, d);
    if (!a)
        return true;
    switch (below(d, 4)) {
    case 0:
        return set_groups(d, s, a);
    case 1:
        return set_static(d, s, a);
    case 2:
        return set_excluded(d, s);
    default:
        return write_on(d, s, a);
    }
}

bool do_bound(play *p, draw *d, stage *s)
{
    (void)p;
    static const uint32_t lists[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    const uint32_t query = lists[below(d, 9)], all = query | 1u << below(d, 9);
    if (TRY(shoal_scene_step, s->scene, all) != SHOAL_OK)
        return true; // too fine a grid
    const uint64_t rows = USE(shoal_scene_row_count)(s->scene, query);
    const uint64_t hash = USE(shoal_scene_hash)(s->scene);
    if (rows < 2)
        return true;
    const uint64_t bound = 1 + below(d, (uint32_t)rows - 1);
    bool good = TRY(shoal_scene_set_max_rows, s->scene, query, bound) == SHOAL_OK &&
                TRY(shoal_scene_step, s->scene, all) == SHOAL_ERR_LIMIT;
    good = good && results_are_empty(s->scene) &&
           USE(shoal_scene_row_count)(s->scene, query) == rows &&
           TRY(shoal_scene_set_max_rows, s->scene, query, chance(d, 2) ? 0 : rows) == 0 &&
           TRY(shoal_scene_step, s->scene, all) == SHOAL_OK &&
           shoal_scene_hash(s->scene) == hash &&
           TRY(shoal_scene_set_max_rows, s->scene, query, 0) == SHOAL_OK;
    count("event", "lists too long", 1);
    return good || fault("a list of %u rows bounded by %u, query %#x", (unsigned)rows,
                         (unsigned)bound, query);
}
