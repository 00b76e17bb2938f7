// SPDX-License-Identifier: MIT
// How long lists may become, and how long they are.
#include "runtime/scene/scene.h"

#include <inttypes.h>
#include <shoal/filter.h>
#include <stdio.h>

// Two queries have one list.
static uint32_t list_of(uint32_t query)
{
    return query == SHOAL_QUERY_SELF_ADJACENT ? SHOAL_QUERY_SELF : query;
}

// The module that has the list of a query, SHL_NONE if there is none, or several are named.
static uint32_t owner_of(uint32_t query)
{
    for (uint32_t i = 0; i < shl_query_count && __builtin_popcount(query) == 1; i++) {
        if (query & shl_queries[i]->bits)
            return shl_queries[i]->row_count ? i : SHL_NONE;
    }
    return SHL_NONE;
}

static uint64_t rows_of(const shoal_scene *s, uint32_t query)
{
    const uint32_t owner = owner_of(query);
    return owner == SHL_NONE ? 0 : shl_queries[owner]->row_count(s->queries[owner], query);
}

shoal_status shoal_scene_set_max_rows(shoal_scene *s, uint32_t query, uint64_t rows)
{
    if (!s)
        return shl_fail(NULL, SHOAL_ERR_ARGUMENT, "set_max_rows: the scene is NULL");
    if (s->runner.stepping)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT,
                        "set_max_rows: a step has begun and not ended");
    if (owner_of(query) == SHL_NONE)
        return shl_fail(s->ctx, SHOAL_ERR_ARGUMENT, "set_max_rows: query %#x has no list",
                        query);
    s->max_rows[__builtin_ctz(list_of(query))] = rows ? rows : SHL_ROWS_UNBOUNDED;
    return SHOAL_OK;
}

uint64_t shoal_scene_row_count(const shoal_scene *s, uint32_t query)
{
    return s && s->step.counted ? rows_of(s, list_of(query)) : 0;
}

bool shl_scene_in_bounds(const shoal_scene *s)
{
    static const char *const names[] = {"PAIRS",       "FIRST",   "SELF",   "SELF_ADJACENT",
                                        "SPHERES",     "NEAREST", "WITHIN", "NEAREST_TRIANGLES",
                                        "NEAREST_SELF"};
    char line[480] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < 32; i++) {
        const uint64_t rows = s->max_rows[i] == SHL_ROWS_UNBOUNDED ? 0 : rows_of(s, 1u << i);
        if (rows <= s->max_rows[i] || at >= sizeof line)
            continue;
        const int n =
            snprintf(line + at, sizeof line - at,
                     "%s %s has %" PRIu64 " rows, at most %" PRIu64 " are allowed",
                     at ? ";" : "step:", i < sizeof names / sizeof *names ? names[i] : "a list",
                     rows, s->max_rows[i]);
        at += n > 0 ? (size_t)n : 0;
    }
    if (at)
        shl_fail(s->ctx, SHOAL_ERR_LIMIT, "%s", line);
    return at == 0;
}
