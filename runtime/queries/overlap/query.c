// SPDX-License-Identifier: MIT
// The table of the query and its jobs.
#include "runtime/queries/overlap/overlap.h"

#include "kernels/round.h"

#include <float.h>
#include <math.h>

static const char *const tables[] = {"overlap_pairs",     "overlap_frontier",
                                     "overlap_found",     "overlap_results",
                                     "overlap_groups",    "overlap_hits",
                                     "overlap_reference", "overlap_displacement",
                                     "overlap_list",      NULL};

static const shl_array_def arrays[] = {
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_PAIRS, pairs, shl_overlap_pair,
              "two bodies to search, or one with itself"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_FRONTIER, frontier, shl_frontier_row,
              "node pair at which a search starts"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_FRONTIER, frontier_next, shl_frontier_row,
              "the next level of the frontier"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_FOUND, found, shl_found,
              "where the rows are that a chunk of the search found"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_GROUPS, groups, shl_group,
              "rows with one body_a, sorted by one task"),
    SHL_ARRAYS(shl_overlap, SHL_OVERLAP_RESULTS, result, shoal_pair,
               "result: pair of triangles; between bodies, within bodies"),
    SHL_ARRAYS(shl_overlap, SHL_OVERLAP_RESULTS, sorting, shoal_pair, "scratch of the sort"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_RESULTS, sums.chunk, uint64_t,
              "hash sum of a chunk of the results"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_HITS, hits, shoal_pair,
              "result: first contact of a pair of bodies"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_DISPLACEMENT, list.bodies, shl_watched_body,
              "body whose displacement is measured"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_DISPLACEMENT, list.ranges, shl_watched_range,
              "range of its rows, for overlap_list_displacement"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_DISPLACEMENT, list.displacement, double,
              "displacement of that range since the list was made"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_REFERENCE, list.reference, uint8_t,
              "copies of the rows when the list was made"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_FOUND, list.chunks, shl_found,
              "where the rows are that a chunk of the list holds"),
    SHL_ARRAY(shl_overlap, SHL_OVERLAP_LIST, list.entries, shl_list_entry,
              "pair of triangles that are near each other"),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void destroy(void *self)
{
    shl_overlap *o = self;
    const shoal_allocator *allocator = o->ports->allocator;
    for (uint32_t i = 0; o->scratch && i < o->ports->workers; i++) {
        shl_overlap_scratch *s = &o->scratch[i];
        shl_free(allocator, s->candidates, SHL_CANDIDATE_ROWS * sizeof *s->candidates);
    }
    shl_free(allocator, o->scratch, o->ports->workers * sizeof *o->scratch);
    for (int i = 0; i < SHL_FOUND_LISTS; i++)
        shl_rows_finish(&o->rows[i]);
}

static shoal_status create(void *self, const shl_ports *ports, uint32_t table)
{
    const shoal_allocator *allocator = ports->allocator;
    const double margin = ports->def->list_margin;
    shl_overlap *o = self;
    o->ports = ports;
    o->table = table;
    // not so small that half of it is rounded
    o->list.grow = shl_round_up(margin > 0 ? fmax(margin, 2 * FLT_MIN) : 0);
    o->scratch = shl_zalloc(allocator, ports->workers * sizeof *o->scratch);
    shoal_status st = o->scratch ? SHOAL_OK : SHOAL_ERR_MEMORY;
    for (int i = 0; i < SHL_FOUND_LISTS && st == SHOAL_OK; i++)
        st = shl_rows_init(&o->rows[i], sizeof(shoal_pair), ports->workers, allocator);
    _Static_assert(sizeof(shl_list_entry) == sizeof(shoal_pair),
                   "all lists have rows of one size");
    return st;
}

static shoal_status begin(void *self, uint32_t queries, bool *certificates)
{
    shl_overlap *o = self;
    o->asked = queries;
    o->queries = queries & shl_overlap_query.bits;
    if (o->queries & SHOAL_QUERY_SELF_ADJACENT)
        o->queries |= SHOAL_QUERY_SELF;
    o->asked |= o->queries;
    o->result_count[SHL_PAIRS] = o->result_count[SHL_SELF] = o->hit_count = 0;
    for (int i = 0; i < SHL_TOTALS; i++)
        o->total[i] = 0;
    for (int i = 0; i < SHL_RESULT_LISTS; i++)
        atomic_store_explicit(&o->emitted[i], 0, memory_order_relaxed);
    for (int i = 0; i < SHL_FOUND_LISTS; i++)
        shl_rows_begin(&o->rows[i]);
    *certificates |= shl_overlap_nonadjacent(o);
    for (uint32_t i = 0; i < o->ports->workers && o->queries; i++) {
        shl_tri_pair **own = &o->scratch[i].candidates;
        if (!*own)
            *own = shl_alloc(o->ports->allocator, SHL_CANDIDATE_ROWS * sizeof **own);
        if (!*own)
            return SHOAL_ERR_MEMORY;
    }
    return shl_list_begin(o);
}

static shoal_status declare_list(shl_overlap *o, shl_graph *graph)
{
    const uint64_t displacement = shl_table_bit(o->table, SHL_OVERLAP_DISPLACEMENT),
                   reference = shl_table_bit(o->table, SHL_OVERLAP_REFERENCE);
    const shl_job_desc jobs[] = {
        {"overlap_list_displacement", shl_list_run_displacement, &o->list.displacement_rows, 1,
         .reads = SHL_TABLE_BODIES | SHL_TABLE_STATES | reference, .writes = displacement},
        {"overlap_list_validate", shl_list_run_validate, .writes = displacement},
        {"overlap_list_snapshot", shl_list_run_snapshot, &o->list.snapshot_rows, 1,
         .reads = SHL_TABLE_BODIES | SHL_TABLE_STATES | SHL_TABLE_TREES | displacement,
         .writes = reference},
    };
    return SHL_DECLARE(graph, jobs, .ctx = o, .phase = SHL_PHASE_REFIT);
}

static shoal_status declare_search(shl_overlap *o, shl_graph *graph)
{
    const uint64_t pairs = shl_table_bit(o->table, SHL_OVERLAP_PAIRS),
                   frontier = shl_table_bit(o->table, SHL_OVERLAP_FRONTIER),
                   found = shl_table_bit(o->table, SHL_OVERLAP_FOUND),
                   list = shl_table_bit(o->table, SHL_OVERLAP_LIST);
    const shl_job_desc jobs[] = {
        // rows are pointers because how many there are is known only when this is done
        {"overlap_frontier", shl_overlap_run_frontier,
         .reads = SHL_READS_VIEWS | SHL_TABLE_BROAD, .opens = SHL_OPENS_VIEWS,
         .writes = pairs | frontier | found, .phase = SHL_PHASE_SEARCH},
        {"overlap_search", shl_overlap_run_search, &o->batch_count, 1,
         .reads = SHL_READS_VIEWS | frontier, .opens = SHL_OPENS_VIEWS, .writes = pairs | found,
         .phase = SHL_PHASE_SEARCH},
        {"overlap_list_scan", shl_list_run_scan, .writes = found | list},
        {"overlap_list_compact", shl_list_run_compact, &o->list.chunk_count, 64, .reads = found,
         .writes = list},
        {"overlap_list_test", shl_list_run_test, &o->list.entry_count, SHL_LIST_GRAIN,
         .reads = SHL_READS_VIEWS, .writes = pairs | found | list},
    };
    return SHL_DECLARE(graph, jobs, .ctx = o, .phase = SHL_PHASE_LISTS);
}

static shoal_status declare_results(shl_overlap *o, shl_graph *graph)
{
    const uint64_t pairs = shl_table_bit(o->table, SHL_OVERLAP_PAIRS),
                   found = shl_table_bit(o->table, SHL_OVERLAP_FOUND),
                   results = shl_table_bit(o->table, SHL_OVERLAP_RESULTS),
                   groups = shl_table_bit(o->table, SHL_OVERLAP_GROUPS);
    const shl_job_desc jobs[] = {
        {"overlap_scan", shl_overlap_run_scan, .writes = found | results},
        {"overlap_collect", shl_overlap_run_collect, &o->found_count, 64, .reads = found,
         .writes = results},
        {"overlap_groups", shl_overlap_run_groups, .reads = results, .writes = groups},
        {"overlap_sort", shl_overlap_run_sort, &o->group_count, 1, .reads = groups,
         .writes = results},
        {"overlap_hits", shl_overlap_run_hits, .reads = results,
         .writes = pairs | shl_table_bit(o->table, SHL_OVERLAP_HITS)},
        {"overlap_hash", shl_sums_run, &o->sums.rows, 1, .writes = results, .ctx = &o->sums},
    };
    return SHL_DECLARE(graph, jobs, .ctx = o, .phase = SHL_PHASE_SORT);
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    shl_overlap *o = self;
    if (stage == SHL_STAGE_DEMAND)
        return declare_list(o, graph);
    if (stage != SHL_STAGE_SEARCH)
        return SHOAL_OK;
    const shoal_status st = declare_search(o, graph);
    return st == SHOAL_OK ? declare_results(o, graph) : st;
}

static bool boxes(const void *self)
{
    const shl_overlap *o = self;
    return !o->list.reused;
}

// While a list is made, two boxes are as much nearer as one of them would be grown.
static float margin(const void *self)
{
    const shl_overlap *o = self;
    return o->list.listing ? 0.5f * o->list.grow : 0;
}

static void end(void *self, const shl_step_end *step)
{
    shl_overlap *o = self;
    shl_list_end(o, step);
    if (!step->good)
        o->result_count[SHL_PAIRS] = o->result_count[SHL_SELF] = o->hit_count = 0;
}

static void list_tables(void *self, shl_extents *out)
{
    shl_overlap *o = self;
    shl_table_list found = {out, o->table + SHL_OVERLAP_FOUND};
    for (int i = 0; i < SHL_FOUND_LISTS; i++)
        shl_rows_each(&o->rows[i], shl_table_extent, &found);
}

static uint32_t sums(const void *self, shl_list_sum out[SHL_SUMS_MAX])
{
    const shl_overlap *o = self;
    uint32_t n = shl_sums_total(&o->sums, out);
    if (o->queries & SHOAL_QUERY_FIRST)
        out[n++] = (shl_list_sum){1, o->hit_count,
                                  shl_sum_hits(shl_list_front(1), o->hits.data, o->hit_count)};
    return n;
}

static uint64_t row_count(const void *self, uint32_t query)
{
    const shl_overlap *o = self;
    return o->total[query == SHOAL_QUERY_PAIRS  ? SHL_PAIRS
                    : query == SHOAL_QUERY_SELF ? SHL_SELF
                                                : SHL_TOTAL_HITS];
}

static void stats(const void *self, shoal_stats *out)
{
    const shl_overlap *o = self;
    out->pairs = o->result_count[SHL_PAIRS] + o->result_count[SHL_SELF];
    out->near_pairs = o->list.entry_count;
    out->list_reused = o->list.reused;
    if (o->list.reused)
        out->body_pairs = o->between;
}

const shl_query shl_overlap_query = {
    .name = "overlap",
    .bits =
        SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SELF | SHOAL_QUERY_SELF_ADJACENT,
    .pair_bits = SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST,
    .tables = tables,
    .arrays = {arrays, ARRAYS},
    .self_bytes = sizeof(shl_overlap),
    .sum_tables = 1 << SHL_OVERLAP_RESULTS | 1 << SHL_OVERLAP_HITS,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .jobs = jobs,
    .boxes = boxes,
    .margin = margin,
    .end = end,
    .list_tables = list_tables,
    .sums = sums,
    .row_count = row_count,
    .stats = stats,
};
