// SPDX-License-Identifier: MIT
#include "runtime/queries/distance/bounds/voronoi.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 512,         // triangles
    BATCH = 256,         // bricks a triangle is held against at once
    CELLS_MAX = 1 << 20, // a side
    TRIS_MAX = 1 << 30,
    INFINITE = 0x7f800000, // its bits
};

typedef struct owner_range {
    _Atomic uint32_t lowest, highest;
} owner_range;

typedef struct pair {
    uint32_t brick, tri;
} pair;

float shl_voronoi_eps(double worst_error, float band)
{
    return (float)(2.0001 * worst_error + 0x1p-20 * (double)band);
}

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static shoal_status reserve(shl_voronoi *b)
{
    const size_t bricks = b->bricks;
    shoal_status st = SHL_RESERVE(b->allocator, {&b->owners, bricks * sizeof(owner_range)},
                                  {&b->begin, (bricks + 1) * sizeof(uint32_t)},
                                  {&b->least, b->def.count * sizeof(uint32_t)});
    if (st != SHOAL_OK || b->chunks <= b->chunk_capacity)
        return st;
    shl_array *found = shl_zalloc(b->allocator, b->chunks * sizeof *found);
    uint32_t *written = shl_zalloc(b->allocator, b->chunks * sizeof *written);
    if (!found || !written) {
        shl_free(b->allocator, found, b->chunks * sizeof *found);
        shl_free(b->allocator, written, b->chunks * sizeof *written);
        return SHOAL_ERR_MEMORY;
    }
    if (b->chunk_capacity)
        memcpy(found, b->found, b->chunk_capacity * sizeof *found);
    shl_free(b->allocator, b->found, b->chunk_capacity * sizeof *found);
    shl_free(b->allocator, b->written, b->chunk_capacity * sizeof *written);
    b->found = found;
    b->written = written;
    b->chunk_capacity = b->chunks;
    return SHOAL_OK;
}

shoal_status shl_voronoi_begin(shl_voronoi *b, const shl_voronoi_def *def,
                               const shl_kernels *kernels, const shoal_allocator *allocator)
{
    static const uint32_t sides[3] = {SHL_BRICK_X, SHL_BRICK_Y, SHL_BRICK_Z};
    b->def = *def;
    b->kernels = kernels;
    b->allocator = allocator;
    if (!(def->band >= 1 && def->band <= CELLS_MAX && def->eps >= 0 && def->eps <= CELLS_MAX))
        return SHOAL_ERR_ARGUMENT;
    uint64_t bricks = 1;
    for (int k = 0; k < 3; k++) {
        if (def->cells[k] == 0)
            return SHOAL_ERR_ARGUMENT;
        if (def->cells[k] > CELLS_MAX)
            return SHOAL_ERR_LIMIT;
        b->extent[k] = (def->cells[k] + sides[k] - 1) / sides[k];
        bricks *= b->extent[k];
    }
    if (bricks > SHL_VORONOI_BRICKS || def->count > TRIS_MAX)
        return SHOAL_ERR_LIMIT;
    b->bricks = (uint32_t)bricks;
    b->chunks = def->count / CHUNK + (def->count % CHUNK != 0);
    b->active_count = b->longest = 0;
    b->pair_count = 0;
    const shoal_status st = reserve(b);
    if (st != SHOAL_OK)
        return st;
    owner_range *owners = b->owners.data;
    for (uint32_t i = 0; i < b->bricks; i++) {
        atomic_init(&owners[i].lowest, UINT32_MAX);
        atomic_init(&owners[i].highest, 0);
    }
    _Atomic uint32_t *least = b->least.data;
    for (uint32_t i = 0; i < def->count; i++)
        atomic_init(&least[i], INFINITE);
    return SHOAL_OK;
}

// The bricks with a sample within the band of a triangle's box. False: none.
typedef struct brick_box {
    uint32_t lo[3], hi[3]; // both included
} brick_box;

static bool box_of(const shl_voronoi *b, const shl_cell_tri *tri, brick_box *out)
{
    static const float sides[3] = {SHL_BRICK_X, SHL_BRICK_Y, SHL_BRICK_Z};
    const float cutoff = b->def.band + b->def.eps;
    for (int k = 0; k < 3; k++) {
        const float lo = fminf(fminf(tri->a[k], tri->b[k]), tri->c[k]) - cutoff;
        const float hi = fmaxf(fmaxf(tri->a[k], tri->b[k]), tri->c[k]) + cutoff;
        // samples lie half a cell inside, which is more than rounding can be
        const float first = floorf(lo / sides[k]), last = floorf(hi / sides[k]);
        if (!(last >= 0 && first < (float)b->extent[k]))
            return false;
        out->lo[k] = first > 0 ? (uint32_t)first : 0;
        out->hi[k] = last < (float)b->extent[k] ? (uint32_t)last : b->extent[k] - 1;
    }
    return true;
}

static void lower(_Atomic uint32_t *at, uint32_t value)
{
    uint32_t old = atomic_load_explicit(at, memory_order_relaxed);
    while (value < old && !atomic_compare_exchange_weak_explicit(
                              at, &old, value, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void raise_to(_Atomic uint32_t *at, uint32_t value)
{
    uint32_t old = atomic_load_explicit(at, memory_order_relaxed);
    while (value > old && !atomic_compare_exchange_weak_explicit(
                              at, &old, value, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static bool same_box(const brick_box *x, const brick_box *y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

// Neighbours in the list are neighbours in space: often the same bricks are meant again.
void shl_voronoi_owners(shl_voronoi *b, uint32_t begin, uint32_t end)
{
    owner_range *owners = b->owners.data;
    const uint32_t last = smaller(end * CHUNK, b->def.count);
    brick_box box, before = {{UINT32_MAX}, {0}};
    uint32_t owner = UINT32_MAX;
    for (uint32_t t = begin * CHUNK; t < last; t++) {
        const shl_cell_tri *tri = &b->def.tris[t];
        if (!box_of(b, tri, &box) || (tri->owner == owner && same_box(&box, &before)))
            continue;
        before = box;
        owner = tri->owner;
        for (uint32_t z = box.lo[2]; z <= box.hi[2]; z++) {
            for (uint32_t y = box.lo[1]; y <= box.hi[1]; y++) {
                owner_range *row = owners + ((size_t)z * b->extent[1] + y) * b->extent[0];
                for (uint32_t x = box.lo[0]; x <= box.hi[0]; x++) {
                    lower(&row[x].lowest, owner);
                    raise_to(&row[x].highest, owner);
                }
            }
        }
    }
}

static bool shared(const shl_voronoi *b, owner_range *range)
{
    if (b->def.whole)
        return atomic_load_explicit(&range->lowest, memory_order_relaxed) != UINT32_MAX;
    return atomic_load_explicit(&range->lowest, memory_order_relaxed) <
           atomic_load_explicit(&range->highest, memory_order_relaxed);
}

// Of `count` bricks those really within the cutoff, appended to the chunk's pairs.
static shoal_status append(shl_voronoi *b, uint32_t chunk, uint32_t t, const uint32_t *bricks,
                           uint32_t count)
{
    const float cutoff = b->def.band + b->def.eps + SHL_BRICK_RADIUS;
    const uint64_t have = b->written[chunk];
    shl_array *found = &b->found[chunk];
    if ((have + count) * sizeof(pair) > found->capacity) {
        const shoal_status st = shl_array_reserve(
            found, (have + count + have / 2) * sizeof(pair), have * sizeof(pair), b->allocator);
        if (st != SHOAL_OK)
            return st;
    }
    uint32_t near[BATCH];
    const uint32_t kept =
        b->kernels->brick_within(&b->def.tris[t], cutoff, b->extent, bricks, count, near);
    pair *out = found->data;
    for (uint32_t i = 0; i < kept; i++)
        out[have + i] = (pair){near[i], t};
    b->written[chunk] += kept;
    return have + kept > b->def.pair_limit ? SHOAL_ERR_LIMIT : SHOAL_OK;
}

// Bricks of a box that several owners share, from the `from`th brick of the box on, at most
// BATCH; returns where to go on.
static uint64_t shared_bricks(shl_voronoi *b, const brick_box *box, uint64_t from,
                              uint32_t *out, uint32_t *count)
{
    owner_range *owners = b->owners.data;
    const uint32_t nx = box->hi[0] - box->lo[0] + 1, ny = box->hi[1] - box->lo[1] + 1;
    const uint64_t plane = (uint64_t)nx * ny, end = plane * (box->hi[2] - box->lo[2] + 1);
    *count = 0;
    while (from < end && *count < BATCH) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): boxes hold a brick at least
        const uint32_t y = box->lo[1] + (uint32_t)(from % plane / nx);
        const uint32_t z = box->lo[2] + (uint32_t)(from / plane);
        const uint32_t row = (z * b->extent[1] + y) * b->extent[0] + box->lo[0];
        for (uint32_t x = (uint32_t)(from % nx); x < nx && *count < BATCH; x++, from++) {
            if (shared(b, &owners[row + x]))
                out[(*count)++] = row + x;
        }
    }
    return from < end ? from : 0;
}

shoal_status shl_voronoi_pairs(shl_voronoi *b, uint32_t begin, uint32_t end)
{
    static const brick_box nowhere = {{UINT32_MAX}, {0}};
    brick_box box, before = nowhere;
    uint32_t bricks[BATCH], count = 0; // of `before`
    for (uint32_t chunk = begin; chunk < end; chunk++) {
        b->written[chunk] = 0;
        const uint32_t last = smaller((chunk + 1) * CHUNK, b->def.count);
        for (uint32_t t = chunk * CHUNK; t < last; t++) {
            if (!box_of(b, &b->def.tris[t], &box))
                continue;
            const bool known = same_box(&box, &before);
            uint64_t next = 0;
            do {
                if (!known) {
                    before = next ? nowhere : box; // bricks in several batches are not kept
                    next = shared_bricks(b, &box, next, bricks, &count);
                }
                const shoal_status st = append(b, chunk, t, bricks, count);
                if (st != SHOAL_OK)
                    return st;
            } while (next);
        }
    }
    return SHOAL_OK;
}

// Pairs become lists: counted, summed, scattered.
shoal_status shl_voronoi_lists(shl_voronoi *b)
{
    uint32_t *begin = b->begin.data;
    memset(begin, 0, (b->bricks + (size_t)1) * sizeof *begin);
    for (uint32_t c = 0; c < b->chunks; c++) {
        b->pair_count += b->written[c];
        const pair *pairs = b->found[c].data;
        for (uint32_t i = 0; i < b->written[c]; i++)
            begin[pairs[i].brick + 1]++;
    }
    if (b->pair_count > b->def.pair_limit || b->pair_count > UINT32_MAX)
        return SHOAL_ERR_LIMIT;
    for (uint32_t i = 0; i < b->bricks; i++) {
        b->active_count += begin[i + 1] != 0;
        b->longest = begin[i + 1] > b->longest ? begin[i + 1] : b->longest;
    }
    shoal_status st =
        SHL_RESERVE(b->allocator, {&b->active, b->active_count * sizeof(uint32_t)},
                    {&b->list, b->pair_count * sizeof(uint32_t)});
    if (st != SHOAL_OK)
        return st;
    uint32_t *active = b->active.data, *list = b->list.data, before = 0, next = 0;
    for (uint32_t i = 0; i < b->bricks; i++) { // begin[i + 1] becomes where the next one writes
        const uint32_t own = begin[i + 1];
        if (own)
            active[next++] = i;
        begin[i + 1] = before;
        before += own;
    }
    for (uint32_t c = 0; c < b->chunks; c++) {
        const pair *pairs = b->found[c].data;
        for (uint32_t i = 0; i < b->written[c]; i++)
            list[begin[pairs[i].brick + 1]++] = pairs[i].tri;
    }
    return SHOAL_OK;
}

void shl_voronoi_distances(shl_voronoi *b, uint32_t begin, uint32_t end,
                           const shl_voronoi_worker *worker)
{
    const uint32_t *starts = b->begin.data, *active = b->active.data;
    _Atomic uint32_t *least = b->least.data;
    const float cutoff = b->def.band + b->def.eps, most = 2 * b->def.band + b->def.eps;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t brick = active[i], row = brick / b->extent[0];
        const uint32_t corner[3] = {SHL_BRICK_X * (brick % b->extent[0]),
                                    SHL_BRICK_Y * (row % b->extent[1]),
                                    SHL_BRICK_Z * (row / b->extent[1])};
        const uint32_t *list = (const uint32_t *)b->list.data + starts[brick];
        const uint32_t count = starts[brick + 1] - starts[brick];
        uint32_t t = 1; // one owner's triangles say nothing
        while (t < count && b->def.tris[list[t]].owner == b->def.tris[list[0]].owner)
            t++;
        if (t == count && !b->def.whole)
            continue;
        b->kernels->brick_bounds(b->def.tris, list, count, corner, cutoff, worker->scratch,
                                 worker->least);
        for (t = 0; t < count; t++) {
            uint32_t bits;
            memcpy(&bits, &worker->least[t], sizeof bits);
            if (worker->least[t] <= most) // bits of positive floats are in their order
                lower(&least[list[t]], bits);
        }
    }
}

void shl_voronoi_range(const shl_voronoi *b, uint32_t begin, uint32_t count, float *upper)
{
    if (count)
        memcpy(upper, (const uint32_t *)b->least.data + begin, count * sizeof *upper);
}

void shl_voronoi_end(const shl_voronoi *b, float *upper)
{
    shl_voronoi_range(b, 0, b->def.count, upper);
}

shoal_status shl_voronoi_run(shl_voronoi *b, const shl_voronoi_def *def,
                             const shl_kernels *kernels, const shoal_allocator *allocator,
                             float *upper)
{
    shoal_status st = shl_voronoi_begin(b, def, kernels, allocator);
    if (st != SHOAL_OK)
        return st;
    shl_voronoi_owners(b, 0, b->chunks);
    st = shl_voronoi_pairs(b, 0, b->chunks);
    if (st == SHOAL_OK)
        st = shl_voronoi_lists(b);
    if (st != SHOAL_OK)
        return st;
    const shl_voronoi_worker worker = {
        shl_alloc(allocator, sizeof *worker.scratch),
        shl_alloc(allocator, (b->longest + (size_t)1) * sizeof *worker.least)};
    if (!worker.scratch || !worker.least)
        st = SHOAL_ERR_MEMORY;
    else {
        shl_voronoi_distances(b, 0, b->active_count, &worker);
        shl_voronoi_end(b, upper);
    }
    shl_free(allocator, worker.scratch, sizeof *worker.scratch);
    shl_free(allocator, worker.least, (b->longest + (size_t)1) * sizeof *worker.least);
    return st;
}

void shl_voronoi_finish(shl_voronoi *b)
{
    if (!b->allocator)
        return;
    shl_array *const arrays[] = {&b->owners, &b->begin, &b->active, &b->list, &b->least};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        shl_array_finish(arrays[i], b->allocator);
    for (uint32_t c = 0; c < b->chunk_capacity; c++)
        shl_array_finish(&b->found[c], b->allocator);
    shl_free(b->allocator, b->found, b->chunk_capacity * sizeof *b->found);
    shl_free(b->allocator, b->written, b->chunk_capacity * sizeof *b->written);
    *b = (shl_voronoi){0};
}
