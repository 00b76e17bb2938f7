// SPDX-License-Identifier: MIT
// Who may meet whom, and what hosts write on bodies.
#include "runtime/scene/filter.h"

#include "layouts/radix.h"
#include "runtime/scene/scene.h"

#include <shoal/filter.h>
#include <string.h>

// --- The rule. ---

static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static bool is_excluded(const shl_bodies *b, uint64_t pair)
{
    const uint64_t *rows = b->excluded.data;
    size_t low = 0, high = b->excluded_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        *(rows[middle] < pair ? &low : &high) = rows[middle] < pair ? middle + 1 : middle;
    }
    return low < b->excluded_count && rows[low] == pair;
}

bool shl_filter_meet(const void *bodies, uint32_t x, uint32_t y)
{
    const shl_bodies *b = bodies;
    const uint8_t both = b->flags[x] & b->flags[y];
    return !(both & SHL_BODY_STATIC) && (b->group[x] & b->mask[y]) &&
           (b->group[y] & b->mask[x]) &&
           !(both & SHL_BODY_EXCLUDED && is_excluded(b, pair_of(x, y)));
}

// Pairs that were found under another rule are none.
static void changed(shl_bodies *b)
{
    b->filters++;
    b->changes++;
}

// --- Groups and static bodies. ---

shoal_status shoal_scene_set_filter(shoal_scene *s, shoal_body id, uint32_t group,
                                    uint32_t mask)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_filter: the scene is NULL");
    shoal_status st;
    shl_bodies *b = &s->bodies;
    const uint32_t slot = shl_body_find(s, id, "set_filter", &st);
    if (slot == SHL_NONE || (b->group[slot] == group && b->mask[slot] == mask))
        return st;
    b->masked -= shl_body_masked(b->group[slot], b->mask[slot]);
    b->masked += shl_body_masked(group, mask);
    b->group[slot] = group;
    b->mask[slot] = mask;
    changed(b);
    return SHOAL_OK;
}

shoal_status shoal_scene_set_static(shoal_scene *s, shoal_body id, bool is_static)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_static: the scene is NULL");
    shoal_status st;
    shl_bodies *b = &s->bodies;
    const uint32_t slot = shl_body_find(s, id, "set_static", &st);
    if (slot == SHL_NONE || shl_body_is(b, slot, SHL_BODY_STATIC) == is_static)
        return st;
    const shl_kind *kind = shl_kinds[b->kind[slot]];
    if (is_static && kind->own)
        st = kind->own(s->kinds[b->kind[slot]], b->row[slot]);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "set_static: no memory for body %u", slot);
    shl_body_put(b, slot, SHL_BODY_STATIC, is_static);
    b->statics += is_static ? 1 : UINT32_MAX;
    changed(b);
    return SHOAL_OK;
}

// --- Excluded pairs. ---

// Whose pairs are to be looked up.
static void flag_excluded(const shl_bodies *b)
{
    const uint64_t *rows = b->excluded.data;
    for (uint32_t i = 0; i < b->table.count; i++)
        shl_body_put(b, i, SHL_BODY_EXCLUDED, false);
    for (size_t i = 0; i < b->excluded_count; i++) {
        shl_body_put(b, (uint32_t)(rows[i] >> 32), SHL_BODY_EXCLUDED, true);
        shl_body_put(b, (uint32_t)rows[i], SHL_BODY_EXCLUDED, true);
    }
}

void shl_filter_forget(shl_bodies *b, uint32_t slot)
{
    if (!shl_body_is(b, slot, SHL_BODY_EXCLUDED))
        return;
    shl_body_put(b, slot, SHL_BODY_EXCLUDED, false);
    b->excluded_stale = true;
    changed(b);
}

// A body that came to the slot of one that went has no flag before the next list is made.
void shl_filter_compact(shl_bodies *b)
{
    if (!b->excluded_stale)
        return;
    uint64_t *rows = b->excluded.data;
    size_t kept = 0;
    for (size_t i = 0; i < b->excluded_count; i++) {
        if (shl_body_is(b, (uint32_t)(rows[i] >> 32), SHL_BODY_EXCLUDED) &&
            shl_body_is(b, (uint32_t)rows[i], SHL_BODY_EXCLUDED))
            rows[kept++] = rows[i];
    }
    b->excluded_count = kept;
    b->excluded_stale = false;
    flag_excluded(b);
}

// The pairs, ascending and each once, into `rows`, which has room for twice as many.
static shoal_status list_excluded(shoal_scene *s, const shoal_body *a, const shoal_body *b,
                                  uint64_t *rows, size_t *count)
{
    size_t kept = 0;
    shoal_status st = SHOAL_OK;
    for (size_t i = 0; i < *count; i++) {
        const uint32_t x = shl_body_find(s, a[i], "set_excluded", &st);
        const uint32_t y =
            x == SHL_NONE ? SHL_NONE : shl_body_find(s, b[i], "set_excluded", &st);
        if (st != SHOAL_OK)
            return st;
        if (x == y)
            return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                            "set_excluded: pair %zu is body %u with itself", i, x);
        rows[i] = pair_of(x, y);
    }
    shl_radix_sort(rows, rows + *count, *count, 0);
    for (size_t i = 0; i < *count; i++) {
        if (i == 0 || rows[i] != rows[i - 1])
            rows[kept++] = rows[i];
    }
    *count = kept;
    return SHOAL_OK;
}

shoal_status shoal_scene_set_excluded(shoal_scene *s, const shoal_body *a, const shoal_body *b,
                                      size_t count)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_excluded: the scene is NULL");
    if (s->runner.stepping || (count && (!a || !b)) || count > UINT32_MAX)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_excluded: %s",
                        s->runner.stepping    ? "a step has begun and not ended"
                        : count <= UINT32_MAX ? "an array is NULL"
                                              : "more than 2^32 - 1 pairs");
    shl_bodies *bodies = &s->bodies;
    shl_filter_compact(bodies);
    shl_array *next = &bodies->excluded_next;
    shoal_status st =
        shl_array_reserve(next, 2 * count * sizeof(uint64_t), 0, s->ports.allocator);
    if (st != SHOAL_OK)
        return shl_fail(s->ctx, st, "set_excluded: no memory for %zu pairs", count);
    if (count)
        st = list_excluded(s, a, b, next->data, &count);
    if (st != SHOAL_OK)
        return st;
    if (count == bodies->excluded_count &&
        (!count || memcmp(next->data, bodies->excluded.data, count * sizeof(uint64_t)) == 0))
        return SHOAL_OK;
    const shl_array swap = bodies->excluded;
    bodies->excluded = *next;
    *next = swap;
    bodies->excluded_count = count;
    flag_excluded(bodies);
    changed(bodies);
    return SHOAL_OK;
}

// --- The host's own. ---

shoal_status shoal_scene_set_user_data(shoal_scene *s, shoal_body id, uint64_t data)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_user_data: the scene is NULL");
    shoal_status st;
    const uint32_t slot = shl_body_find(s, id, "set_user_data", &st);
    if (slot != SHL_NONE)
        s->bodies.user[slot] = data;
    return st;
}

shoal_status shoal_scene_user_data(shoal_scene *s, shoal_body id, uint64_t *out)
{
    if (out)
        *out = 0;
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "user_data: the scene is NULL");
    if (!out)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "user_data: out is NULL");
    shoal_status st;
    const uint32_t slot = shl_body_find(s, id, "user_data", &st);
    if (slot != SHL_NONE)
        *out = s->bodies.user[slot];
    return st;
}
