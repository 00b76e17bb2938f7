// SPDX-License-Identifier: MIT
// What a grid's bounds mean while a filter keeps bodies apart. They tell how far a triangle is
// from the nearest one of another owner.
//
// Lower bounds hold if any two bodies that meet have different owners. So bodies of which no
// two meet may share one: all static ones, and those of one group and mask that rules itself
// out. Upper bounds hold for a body that meets all those of other owners. Who may be an
// excluded body's nearest owner is not asked: its upper bounds are not used.
#include "runtime/queries/distance/distance.h"

enum { RULES_MAX = 64 }; // with more of them no upper bound is used

// Bodies of one group and mask, static or not.
typedef struct rule {
    uint32_t group, mask, owner; // SHL_NONE: each owns its triangles
    bool is_static, meets_others;
} rule;

typedef struct rule_list {
    rule row[RULES_MAX];
    uint32_t count;
    uint32_t statics; // their owner
} rule_list;

static bool meet(const rule *x, const rule *y)
{
    return !(x->is_static && y->is_static) && (x->group & y->mask) && (y->group & x->mask);
}

// The rule of a body; SHL_NONE: there are too many.
static uint32_t find_rule(const shl_distance *d, rule_list *list, uint32_t slot)
{
    const shl_bodies *b = d->ports->bodies;
    const uint32_t body = shl_distance_body(d, slot);
    rule own = {b->group[body], b->mask[body], SHL_NONE,
                .is_static = shl_body_is(b, body, SHL_BODY_STATIC)};
    for (uint32_t i = 0; i < list->count; i++) {
        const rule *known = &list->row[i];
        if (known->group == own.group && known->mask == own.mask &&
            known->is_static == own.is_static)
            return i;
    }
    if (list->count == RULES_MAX)
        return SHL_NONE;
    if (own.is_static && list->statics == SHL_NONE)
        list->statics = slot;
    if (!meet(&own, &own))
        own.owner = own.is_static ? list->statics : slot;
    list->row[list->count] = own;
    return list->count++;
}

// Static bodies have one owner, whatever their rules.
static void find_others(rule_list *list, bool all_known)
{
    for (uint32_t i = 0; i < list->count; i++) {
        rule *x = &list->row[i];
        x->meets_others = all_known;
        for (uint32_t k = 0; k < list->count; k++) {
            const rule *y = &list->row[k];
            x->meets_others &= k == i || (x->is_static && y->is_static) || meet(x, y);
        }
    }
}

void shl_grid_set_owners(shl_distance *d)
{
    const shl_bodies *b = d->ports->bodies;
    shl_grid_owner *out = d->grid.owners.data;
    rule_list list = {.count = 0, .statics = SHL_NONE};
    bool all_known = true;
    for (uint32_t i = 0; i < d->body_count && d->tree.meet; i++) {
        out[i].owner = find_rule(d, &list, i);
        all_known &= out[i].owner != SHL_NONE;
    }
    find_others(&list, all_known);
    for (uint32_t i = 0; i < d->body_count; i++) {
        const rule *of =
            d->tree.meet && out[i].owner != SHL_NONE ? &list.row[out[i].owner] : NULL;
        out[i].owner = of && of->owner != SHL_NONE ? of->owner : i;
        out[i].meets_others =
            !d->tree.meet || (of && of->meets_others &&
                              !shl_body_is(b, shl_distance_body(d, i), SHL_BODY_EXCLUDED));
    }
}
