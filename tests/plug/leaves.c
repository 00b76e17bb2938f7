// SPDX-License-Identifier: MIT
#include "plug.h"

#include "runtime/broad/broad.h"
#include "runtime/scene/scene.h"
#include "runtime/traverse/eval_cache.h"

typedef struct leaf_counts {
    const shl_ports *ports;
    uint32_t table;
    bool asked;
    uint32_t rows;   // body pairs
    shl_array count; // uint64_t [rows]
    uint64_t total;
} leaf_counts;

static const char *const tables[] = {"leaves", NULL};

static const shl_array_def arrays[] = {
    SHL_ARRAY(leaf_counts, 0, count, uint64_t, "pairs of leaves of a pair of bodies"),
};

static shoal_status create(void *self, const shl_ports *ports, uint32_t table)
{
    leaf_counts *q = self;
    q->ports = ports;
    q->table = table;
    return SHOAL_OK;
}

static shoal_status begin(void *self, uint32_t queries, bool *certificates)
{
    (void)certificates;
    leaf_counts *q = self;
    q->asked = queries & PLUG_QUERY_LEAVES;
    q->rows = 0;
    q->total = 0;
    return SHOAL_OK;
}

static shoal_status run_plan(void *ctx, shl_chunk rows)
{
    (void)rows;
    leaf_counts *q = ctx;
    q->rows = q->asked ? q->ports->pairs->count : 0;
    return shl_array_reserve(&q->count, q->rows * sizeof(uint64_t), 0, q->ports->allocator);
}

static shl_box leaf_box(const shl_view *v, uint32_t node, int side, shl_scratch *scratch)
{
    shl_block slot;
    shl_box box;
    shl_eval_reserve(scratch->eval, 1);
    v->kernels->block_merge(shl_open_leaf(v, node, side, &slot, scratch).block, &box);
    return box;
}

// All leaves against all: nothing clever that could be wrong.
static uint64_t count_pair(const shl_view *a, const shl_view *b, shl_scratch *scratch)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < a->tree->node_count; i++) {
        if (!a->tree->leaf[i])
            continue;
        const shl_box box_a = leaf_box(a, i, 0, scratch);
        for (uint32_t k = 0; k < b->tree->node_count; k++) {
            if (!b->tree->leaf[k])
                continue;
            const shl_box box_b = leaf_box(b, k, 1, scratch);
            count += shl_broad_overlap(&box_a, &box_b);
        }
    }
    return count;
}

static shoal_status run_count(void *ctx, shl_chunk rows)
{
    const leaf_counts *q = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        const uint64_t pair = q->ports->pairs->rows[i];
        shl_view a, b;
        shl_view_of(q->ports, (uint32_t)(pair >> 32), &a);
        shl_view_of(q->ports, (uint32_t)pair, &b);
        ((uint64_t *)q->count.data)[i] = count_pair(&a, &b, &q->ports->scratch[rows.worker]);
    }
    return SHOAL_OK;
}

static shoal_status run_sum(void *ctx, shl_chunk rows)
{
    (void)rows;
    leaf_counts *q = ctx;
    for (uint32_t i = 0; i < q->rows; i++)
        q->total += ((const uint64_t *)q->count.data)[i];
    return SHOAL_OK;
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    leaf_counts *q = self;
    const uint64_t own = shl_table_bit(q->table, 0);
    const shl_job_desc search[] = {
        {"leaves_plan", run_plan, .reads = SHL_TABLE_BROAD, .writes = own},
        {"leaves_count", run_count, &q->rows, 1, .reads = SHL_READS_VIEWS | SHL_TABLE_BROAD,
         .opens = SHL_OPENS_VIEWS, .writes = own},
        {"leaves_sum", run_sum, .writes = own},
    };
    return stage == SHL_STAGE_SEARCH
               ? SHL_DECLARE(graph, search, .ctx = q, .phase = SHL_PHASE_SEARCH)
               : SHOAL_OK;
}

static void end(void *self, const shl_step_end *step)
{
    leaf_counts *q = self;
    q->total = step->good ? q->total : 0;
}

static uint32_t sums(const void *self, shl_list_sum out[SHL_SUMS_MAX])
{
    const leaf_counts *q = self;
    out[0] = (shl_list_sum){200, q->rows, q->total};
    return q->asked;
}

const shl_query plug_leaves_query = {
    .name = "leaves",
    .bits = PLUG_QUERY_LEAVES,
    .pair_bits = PLUG_QUERY_LEAVES,
    .tables = tables,
    .sum_tables = 1,
    .arrays = {arrays, sizeof arrays / sizeof *arrays},
    .self_bytes = sizeof(leaf_counts),
    .create = create,
    .begin = begin,
    .jobs = jobs,
    .end = end,
    .sums = sums,
};

uint64_t plug_leaf_pairs(const shoal_scene *scene)
{
    const leaf_counts *q = shl_scene_query(scene, &plug_leaves_query);
    return q ? q->total : 0;
}
