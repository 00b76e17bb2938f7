// SPDX-License-Identifier: MIT
#include "runtime/scene/hash.h"

#include <string.h>

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
    const shoal_sphere_contact *r = rows;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++, r++) {
        uint64_t h =
            next(first(seed, join(r->body_a, r->sphere_a)), join(r->body_b, r->element_b));
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

uint64_t shl_list_front(uint32_t list)
{
    return (list + UINT64_C(1)) * UINT64_C(0x94d049bb133111eb);
}

static uint32_t chunks_of(const shl_summed_list *l)
{
    return l->asked ? (uint32_t)((l->count + SHL_SUM_GRAIN - 1) / SHL_SUM_GRAIN) : 0;
}

shoal_status shl_sums_plan(shl_sums *sums, const shl_summed_list *lists, uint32_t count,
                           const shoal_allocator *allocator)
{
    uint32_t rows = 0;
    sums->count = count;
    for (uint32_t i = 0; i < count; i++) {
        sums->list[i] = lists[i];
        rows += chunks_of(&lists[i]);
    }
    const shoal_status st =
        shl_array_reserve(&sums->chunk, rows * sizeof(uint64_t), 0, allocator);
    sums->rows = st == SHOAL_OK ? rows : 0;
    return st;
}

shoal_status shl_sums_run(void *ctx, shl_chunk rows)
{
    const shl_sums *sums = ctx;
    uint32_t before = 0; // chunks of the lists before this one
    for (const shl_summed_list *l = sums->list; l < sums->list + sums->count; l++) {
        const uint32_t chunks = chunks_of(l);
        for (uint32_t i = rows.begin; i < rows.end; i++) {
            if (i < before || i - before >= chunks)
                continue;
            const size_t at = (size_t)(i - before) * SHL_SUM_GRAIN, left = l->count - at;
            ((uint64_t *)sums->chunk.data)[i] =
                l->sum(shl_list_front(l->number), (const char *)l->rows + at * l->row_bytes,
                       left < SHL_SUM_GRAIN ? left : SHL_SUM_GRAIN);
        }
        before += chunks;
    }
    return SHOAL_OK;
}

uint32_t shl_sums_total(const shl_sums *sums, shl_list_sum *out)
{
    uint32_t before = 0, n = 0;
    for (const shl_summed_list *l = sums->list; l < sums->list + sums->count; l++) {
        if (!l->asked)
            continue;
        uint64_t sum = 0;
        for (uint32_t left = chunks_of(l); left; left--)
            sum += ((const uint64_t *)sums->chunk.data)[before++];
        out[n++] = (shl_list_sum){l->number, l->count, sum};
    }
    return n;
}

static uint64_t chain(uint64_t h, uint64_t word)
{
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

uint64_t shl_hash_chain(shl_list_sum *sums, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const shl_list_sum sum = sums[i];
        uint32_t at = i;
        for (; at > 0 && sums[at - 1].number > sum.number; at--)
            sums[at] = sums[at - 1];
        sums[at] = sum;
    }
    uint64_t h = 0x73686f616c;
    for (uint32_t i = 0; i < count; i++)
        h = chain(chain(chain(h, sums[i].number), sums[i].count), sums[i].sum);
    return chain(h, SHOAL_HASH_VERSION);
}
