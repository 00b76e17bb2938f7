// SPDX-License-Identifier: MIT
// The result hash: sums over rows, in chunks of their own, then one chain over the lists.
#include "runtime/scene/hash.h"

#include "runtime/scene/steps.h"

#include <string.h>

enum { LISTS = 9, GRAIN = 4096 }; // rows per chunk

static uint64_t first(uint64_t seed, uint64_t word)
{
    const uint64_t h = (word ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static uint64_t next(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 29;
}

// Without it a flipped sign of the last word would reach few bits.
static uint64_t last(uint64_t h)
{
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

static uint64_t join(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

static uint64_t next_double(uint64_t h, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return next(h, bits);
}

uint64_t shl_sum_pairs(uint64_t seed, const void *rows, size_t count)
{
    const shoal_pair *r = rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += last(next(first(seed, join(r[i].body_a, r[i].triangle_a)),
                         join(r[i].body_b, r[i].triangle_b)));
    return sum;
}

uint64_t shl_sum_hits(uint64_t seed, const void *rows, size_t count)
{
    const shoal_pair *r = rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += last(first(seed, join(r[i].body_a, r[i].body_b)));
    return sum;
}

uint64_t shl_sum_contacts(uint64_t seed, const void *rows, size_t count)
{
    const shoal_contact *r = rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++, r++) {
        uint64_t h =
            next(first(seed, join(r->body_a, r->proxy_a)), join(r->body_b, r->element_b));
        h = next_double(h, r->depth);
        for (int k = 0; k < 3; k++)
            h = next_double(h, r->normal[k]);
        for (int k = 0; k < 3; k++)
            h = next_double(h, r->position[k]);
        sum += last(h);
    }
    return sum;
}

uint64_t shl_sum_nearest(uint64_t seed, const void *rows, size_t count)
{
    const shoal_nearest *r = rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++, r++) {
        uint64_t h =
            next(first(seed, join(r->body_a, r->triangle_a)), join(r->body_b, r->triangle_b));
        h = next_double(next_double(h, r->distance), r->error);
        for (int k = 0; k < 3; k++)
            h = next_double(h, r->point_a[k]);
        for (int k = 0; k < 3; k++)
            h = next_double(h, r->point_b[k]);
        sum += last(h);
    }
    return sum;
}

uint64_t shl_sum_bodies(uint64_t seed, const void *rows, size_t count)
{
    const uint32_t *r = rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += last(first(seed, r[i]));
    return sum;
}

uint64_t shl_list_seed(uint32_t list)
{
    return (list + UINT64_C(1)) * UINT64_C(0x94d049bb133111eb);
}

typedef struct list {
    uint32_t number;     // as documented; never given to another list
    uint32_t asked;      // 0: it adds nothing to the hash
    shl_sum_group group; // of the job that sums it
    const void *rows;
    size_t count, row_bytes;
    shl_row_sum_fn *sum;
} list;

// All lists, by number.
static void list_all(const shoal_scene *s, list out[LISTS])
{
    const shl_distance *d = &s->distance;
    const uint32_t q = s->queries;
    const list all[LISTS] = {
        {0, q & SHOAL_QUERY_PAIRS, SHL_SUM_PAIRS, s->result[SHL_PAIRS].data,
         s->result_count[SHL_PAIRS], sizeof(shoal_pair), shl_sum_pairs},
        {1, q & SHOAL_QUERY_FIRST, SHL_SUM_AT_END, s->hits.data, s->hit_count,
         sizeof(shoal_pair), shl_sum_hits},
        {2, q & SHOAL_QUERY_SELF, SHL_SUM_PAIRS, s->result[SHL_SELF].data,
         s->result_count[SHL_SELF], sizeof(shoal_pair), shl_sum_pairs},
        {4, q & SHOAL_QUERY_PROXIES, SHL_SUM_CONTACTS, s->contacts.data, s->contact_count,
         sizeof(shoal_contact), shl_sum_contacts},
        {5, q & SHOAL_QUERY_NEAREST, SHL_SUM_NEAREST, d->nearest.data, d->nearest_count,
         sizeof(shoal_nearest), shl_sum_nearest},
        {6, q & SHOAL_QUERY_WITHIN, SHL_SUM_NEAREST, d->within.data, d->within_count,
         sizeof(shoal_nearest), shl_sum_nearest},
        {7, q & SHOAL_QUERY_NEAREST_TRIANGLES, SHL_SUM_NEAREST, d->tris[0].data,
         d->tri_count[0], sizeof(shoal_nearest), shl_sum_nearest},
        {8, q & SHOAL_QUERY_NEAREST_SELF, SHL_SUM_NEAREST, d->tris[1].data, d->tri_count[1],
         sizeof(shoal_nearest), shl_sum_nearest},
        {255, 1, SHL_SUM_AT_END, s->bad.data, s->bad_count, sizeof(uint32_t), shl_sum_bodies},
    };
    memcpy(out, all, sizeof all);
}

// Chunks of a list in the job of its group.
static uint32_t chunks_of(const list *l, shl_sum_group group)
{
    return l->asked && l->group == group ? (uint32_t)((l->count + GRAIN - 1) / GRAIN) : 0;
}

shoal_status shl_plan_sums(shoal_scene *s, shl_sum_group group)
{
    list lists[LISTS];
    list_all(s, lists);
    shl_sums *sums = &s->sums[group];
    uint32_t rows = 0;
    for (int i = 0; i < LISTS; i++)
        rows += chunks_of(&lists[i], group);
    shoal_status st =
        shl_array_reserve(&sums->chunk, rows * sizeof(uint64_t), 0, &s->allocator);
    sums->rows = st == SHOAL_OK ? rows : 0;
    return st;
}

static shoal_status run_sums(shoal_scene *s, shl_sum_group group, shl_span rows)
{
    list lists[LISTS];
    list_all(s, lists);
    uint32_t before = 0; // chunks of the lists before this one
    for (const list *l = lists; l < lists + LISTS; l++) {
        const uint32_t chunks = chunks_of(l, group);
        for (uint32_t i = rows.begin; i < rows.end; i++) {
            if (i < before || i - before >= chunks)
                continue;
            const size_t begin = (size_t)(i - before) * GRAIN, left = l->count - begin;
            ((uint64_t *)s->sums[group].chunk.data)[i] =
                l->sum(shl_list_seed(l->number), (const char *)l->rows + begin * l->row_bytes,
                       left < GRAIN ? left : GRAIN);
        }
        before += chunks;
    }
    return SHOAL_OK;
}

shoal_status shl_run_hash_pairs(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk, (void)worker;
    return run_sums(ctx, SHL_SUM_PAIRS, rows);
}

shoal_status shl_run_hash_contacts(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk, (void)worker;
    return run_sums(ctx, SHL_SUM_CONTACTS, rows);
}

shoal_status shl_run_hash_nearest(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk, (void)worker;
    return run_sums(ctx, SHL_SUM_NEAREST, rows);
}

static uint64_t chain(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

void shl_hash_lists(shoal_scene *s)
{
    list lists[LISTS];
    list_all(s, lists);
    uint32_t before[SHL_SUM_GROUPS] = {0};
    uint64_t h = 0x73686f616c;
    for (const list *l = lists; l < lists + LISTS; l++) {
        if (!l->asked)
            continue;
        uint64_t sum = 0;
        if (l->group == SHL_SUM_AT_END)
            sum = l->sum(shl_list_seed(l->number), l->rows, l->count);
        else
            for (uint32_t left = chunks_of(l, l->group); left; left--)
                sum += ((const uint64_t *)s->sums[l->group].chunk.data)[before[l->group]++];
        h = chain(chain(chain(h, l->number), l->count), sum);
    }
    s->hash = chain(h, SHOAL_HASH_VERSION);
}
