// SPDX-License-Identifier: MIT
// The broad phase: pairs of boxes that overlap, from a plain array of boxes. It knows nothing
// of bodies or scenes; its jobs go into any graph.
#ifndef SHL_RUNTIME_BROAD_BROAD_H
#define SHL_RUNTIME_BROAD_BROAD_H

#include "kernels/kernels.h"
#include "runtime/broad/incremental.h"
#include "runtime/jobs/graph.h"

#include <shoal/scene.h>
#include <stdatomic.h>

enum {
    SHL_BROAD_ARRAYS = 17,
    SHL_BROAD_SLABS_MAX = 64,
    SHL_BROAD_ROWS = 8192, // boxes, or found pairs, a chunk
    SHL_BROAD_BUCKETS = 256,
};

// A box on its way into the tree.
typedef struct shl_broad_item {
    shl_box box;
    uint32_t row;
    uint32_t size_class; // 0 is the largest
} shl_broad_item;

// Where the tree's slabs lie; see tree.c.
typedef struct shl_broad_slabs {
    uint32_t count;
    int axis;                            // across which they lie
    int typical_size;                    // exponent of the usual box
    uint64_t first[SHL_BROAD_SLABS_MAX]; // smallest key of each
    uint32_t begin[SHL_BROAD_SLABS_MAX + 1];
} shl_broad_slabs;

typedef struct shl_broad {
    const shl_kernels *kernels;
    const shoal_allocator *allocator;
    uint32_t workers;
    shoal_broad method; // as asked
    bool wanted;        // else the jobs have nothing to do
    bool tree_only;     // the tree over the boxes is asked for, not the pairs
    // Which rows may be a pair, for sweep and tree; NULL: all. Brute force does not ask, and
    // the incremental method keeps its pairs for longer than an answer holds. When the answers
    // change, `changed` has to be set.
    bool (*meet)(const void *ctx, uint32_t a, uint32_t b);
    const void *meet_ctx;
    uint64_t meet_reads; // tables that it reads

    // In: boxes by row, without NaN. A row with lo[0] > hi[0] takes no part.
    uint32_t rows;
    shl_array boxes;      // shl_box [rows]
    _Atomic bool changed; // some box is not what it was in the last run

    // Out: rows a << 32 | b, a < b, ascending.
    shl_array pairs; // uint64_t [pair_count]
    size_t pair_count;
    bool known; // they fit the boxes
    bool kept;  // they fit the boxes of the last run, when this one began

    shoal_broad used; // what the last search was done with
    uint32_t live;    // rows that take part
    shl_broad_slabs slabs;
    shl_box_tree tree;
    shl_sorted_boxes sorted; // for the sweep
    shl_incremental incremental;

    // How many rows each job has; 0 where the method does not need it.
    uint32_t slab_rows, order_rows, merge_rows, level_rows, find_rows, capacity_rows;
    uint32_t refind_rows, pair_rows, bucket_rows;
    uint32_t bucket_shift, bucket_begin[SHL_BROAD_BUCKETS + 1];
    uint32_t searches, portion; // leaves of the tree or rows of the sweep; how many at a time
    _Atomic uint64_t found_count;

    shl_array counts;     // uint32_t [chunks][slabs or buckets] rows of a chunk that go there
    shl_array items;      // shl_broad_item [rows]
    shl_array keys;       // uint64_t [2][rows]
    shl_array ids;        // uint32_t [live] row of a slot in the tree or the sweep
    shl_array blocks;     // shl_block of all levels
    shl_array columns;    // float [6][live + 8] for the sweep
    shl_array scratch;    // what the kernels find, one range per worker
    size_t scratch_bytes; // of a range
    shl_array found;      // uint64_t, in any order
    shl_array slab_keys;  // uint16_t [rows] slab and size of a box
} shl_broad;

// Reserves `rows` boxes; new ones take no part. Afterwards every box may be set.
SHOAL_CHECK shoal_status shl_broad_reserve(shl_broad *broad, uint32_t rows);
void shl_broad_finish(shl_broad *broad);

// NULL: the row takes no part. Any thread, rows apart.
void shl_broad_set(shl_broad *broad, uint32_t row, const shl_box *box);

// Adds the jobs that find the pairs; all of them write `table` and count as `phase`.
SHOAL_CHECK shoal_status shl_broad_jobs(shl_broad *broad, shl_graph *graph, uint64_t table,
                                        uint32_t phase);

// The same for a tree alone, with names for its jobs; `broad` is tree_only.
enum { SHL_BROAD_TREE_JOBS = 7 };
SHOAL_CHECK shoal_status shl_broad_tree_jobs(shl_broad *broad, shl_graph *graph, uint64_t table,
                                             uint32_t phase,
                                             const char *const names[SHL_BROAD_TREE_JOBS]);

// Once there is a tree: calls `found` for all rows the square of whose gap to a box is at most
// `limit`, in no order.
typedef void shl_broad_within_fn(void *ctx, uint32_t row, float gap);
void shl_broad_within(const shl_broad *broad, const shl_box *box, float limit,
                      shl_broad_within_fn *found, void *ctx);

// The row nearest to a box, but for row `of` and those that may not meet it, and the square of
// their gap; UINT32_MAX if there is none.
uint32_t shl_broad_nearest(const shl_broad *broad, const shl_box *box, uint32_t of, float *gap);

// After the jobs, if none failed: the pairs fit the boxes.
static inline void shl_broad_done(shl_broad *broad)
{
    broad->known |= broad->wanted;
}

// The arrays it holds, for the guard and for freeing.
uint32_t shl_broad_arrays(shl_broad *broad, shl_array *out[SHL_BROAD_ARRAYS]);

// --- Methods; each prepares what its jobs need, or finds all pairs at once. ---

SHOAL_CHECK shoal_status shl_broad_brute(shl_broad *broad);
SHOAL_CHECK shoal_status shl_broad_sweep(shl_broad *broad);
SHOAL_CHECK shoal_status shl_broad_tree(shl_broad *broad);

// Into how many slabs to divide boxes with such centres, along which axis. Sorts the samples.
typedef struct shl_slab_plan {
    int axis;
    uint32_t count;
} shl_slab_plan;
enum { SHL_BROAD_SAMPLE = 32 };
shl_slab_plan shl_broad_choose_slabs(float centre[3][SHL_BROAD_SAMPLE], uint32_t samples,
                                     uint32_t leaves);
shl_job_fn shl_broad_count, shl_broad_offsets, shl_broad_spread, shl_broad_order,
    shl_broad_merge, shl_broad_levels;

// --- From what is found to the list; see find.c. ---

// Reserves memory for searches in portions, with `bytes` of scratch a worker.
SHOAL_CHECK shoal_status shl_broad_expect(shl_broad *broad, uint32_t searches, uint32_t portion,
                                          size_t bytes);
shl_job_fn shl_broad_find, shl_broad_capacity, shl_broad_histogram, shl_broad_buckets,
    shl_broad_scatter, shl_broad_sort;

// Counts of rows, by chunk and bin, to where each chunk's rows of a bin begin, and each bin.
void shl_broad_begins(uint32_t *counts, uint32_t chunks, uint32_t bins, uint32_t *begin);

static inline shl_box *shl_broad_boxes(const shl_broad *broad)
{
    return broad->boxes.data;
}

static inline bool shl_broad_may_meet(const shl_broad *broad, uint32_t a, uint32_t b)
{
    return !broad->meet || broad->meet(broad->meet_ctx, a, b);
}

static inline bool shl_broad_live(const shl_box *box)
{
    return box->lo[0] <= box->hi[0];
}

static inline bool shl_broad_overlap(const shl_box *a, const shl_box *b)
{
    bool all = true;
    for (int k = 0; k < 3; k++)
        all &= (a->lo[k] <= b->hi[k]) & (b->lo[k] <= a->hi[k]);
    return all;
}

// The centre, or 0 where there is none; only the order matters.
static inline float shl_broad_centre(const shl_box *box, int axis)
{
    const float c = 0.5f * box->lo[axis] + 0.5f * box->hi[axis];
    return c == c ? c : 0;
}

// Floats as unsigned integers of the same order; -0 and 0 are one.
static inline uint32_t shl_ordered_bits(float f)
{
    union {
        float f;
        uint32_t bits;
    } u = {f + 0.0f};
    return u.bits ^ ((u.bits >> 31) ? 0xffffffffu : 0x80000000u);
}

#endif
