// SPDX-License-Identifier: MIT
// The table of the query and its jobs.
#include "runtime/queries/distance/distance.h"
#include "runtime/scene/filter.h"

static const char *const tables[] = {"distance_search", "distance_results", "distance_grid",
                                     "distance_tree", NULL};

static const shl_array_def arrays[] = {
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, bodies, uint32_t,
              "number of a body that takes part, ascending"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, runs, shl_run,
              "pairs of bodies that a chunk found"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, keys, uint64_t, "two columns of sort keys"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, bound, _Atomic uint64_t,
              "upper bound of the distance of a body, the bits of a double"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, witness, shl_closest_pair,
              "nearest pair of a body in the last step that asked"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, pairs, shl_closest_pair,
              "pair of bodies to search, by (a, b)"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, winner, uint32_t,
              "row in `pairs` of the nearest body of a body"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, within_pairs, uint32_t,
              "row in `pairs` of a pair within the distance asked for"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, tri_begin, uint32_t,
              "first triangle of a body"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, node_begin, uint32_t, "first node of a body"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, slot, uint32_t, "row in `bodies` of a body"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, layout, shl_closest_layout,
              "body as it was when `best` was made"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, best_spare, shl_closest_tri,
              "the next `best`, when bodies come or go"),
    SHL_ARRAYS(shl_distance, SHL_DISTANCE_SEARCH, best, shl_closest_tri,
               "nearest triangle of a triangle: of other bodies, of its own"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_RESULTS, nearest, shoal_nearest,
              "result: nearest body of a body"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_RESULTS, within, shoal_nearest,
              "result: pair of bodies within the distance"),
    SHL_ARRAYS(shl_distance, SHL_DISTANCE_RESULTS, tris, shoal_nearest,
               "result: nearest triangle of a triangle; of other bodies, of its own"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_RESULTS, sums.chunk, uint64_t,
              "hash sum of a chunk of the results"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_SEARCH, grid.owners, shl_grid_owner,
              "who owns the triangles of a body in the grid"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_GRID, grid.wanted, uint8_t,
              "whether a leaf is near another body, by node"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_GRID, grid.tris, shl_cell_tri,
              "triangle in cells of the grid"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_GRID, grid.errors, double,
              "largest error of a distance in a chunk of nodes, in cells"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_GRID, grid.upper, float,
              "upper bound of the distance of a triangle, in cells"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_GRID, grid.lower, float,
              "square of a lower bound of it, in world units"),
    SHL_ARRAY(shl_distance, SHL_DISTANCE_GRID, grid.node_lower, float,
              "least of these below a node"),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void destroy(void *self)
{
    shl_distance *d = self;
    const shoal_allocator *allocator = d->ports->allocator;
    for (uint32_t i = 0; d->scratch && i < d->ports->workers; i++) {
        shl_array_finish(&d->scratch[i].around, allocator);
        shl_array_finish(&d->scratch[i].boxes, allocator);
        shl_array_finish(&d->scratch[i].brick, allocator);
        shl_array_finish(&d->scratch[i].least, allocator);
    }
    shl_free(allocator, d->scratch, d->ports->workers * sizeof *d->scratch);
    shl_broad_finish(&d->tree);
    shl_rows_finish(&d->found);
    if (d->grid.voronoi.allocator)
        shl_voronoi_finish(&d->grid.voronoi);
}

static shoal_status create(void *self, const shl_ports *ports, uint32_t table)
{
    shl_distance *d = self;
    d->ports = ports;
    d->table = table;
    d->scratch = shl_zalloc(ports->allocator, ports->workers * sizeof *d->scratch);
    d->tree = (shl_broad){.kernels = &ports->ctx->kernels,
                          .allocator = ports->allocator,
                          .workers = ports->workers,
                          .method = SHOAL_BROAD_TREE,
                          .tree_only = true};
    return d->scratch
               ? shl_rows_init(&d->found, sizeof(uint64_t), ports->workers, ports->allocator)
               : SHOAL_ERR_MEMORY;
}

static shoal_status begin(void *self, uint32_t queries, bool *certificates)
{
    (void)certificates;
    shl_distance *d = self;
    d->queries = queries & shl_distance_query.bits;
    for (int i = 0; i < SHL_DISTANCE_TOTALS; i++)
        d->total[i] = 0;
    atomic_store_explicit(&d->listed, 0, memory_order_relaxed);
    atomic_store_explicit(&d->passed, 0, memory_order_relaxed);
    d->tree.meet = shl_filter_active(d->ports->bodies) ? shl_filter_meet : NULL;
    d->tree.meet_ctx = d->ports->bodies;
    return SHOAL_OK;
}

// Who takes part, and a tree over them ...
static shoal_status declare_tree(shl_distance *d, shl_graph *graph)
{
    static const char *const names[SHL_BROAD_TREE_JOBS] = {
        "distance_tree_begin",  "distance_tree_count", "distance_tree_offsets",
        "distance_tree_spread", "distance_tree_order", "distance_tree_merge",
        "distance_tree_levels"};
    const uint64_t search = shl_table_bit(d->table, SHL_DISTANCE_SEARCH),
                   results = shl_table_bit(d->table, SHL_DISTANCE_RESULTS),
                   grid = shl_table_bit(d->table, SHL_DISTANCE_GRID),
                   tree = shl_table_bit(d->table, SHL_DISTANCE_TREE);
    const shl_job_desc common = {.reads = SHL_TABLE_BODIES | SHL_TABLE_TREES,
                                 .phase = SHL_PHASE_DISTANCE,
                                 .ctx = d},
                       plan = {"distance_plan", shl_distance_run_plan,
                               .writes = search | results | tree},
                       engine = {"distance_engine", shl_distance_run_engine, .reads = tree,
                                 .writes = search | grid};
    shoal_status st = shl_graph_add_list(graph, &plan, 1, &common);
    if (st == SHOAL_OK)
        st = shl_broad_tree_jobs(&d->tree, graph, tree, SHL_PHASE_DISTANCE, names);
    return st == SHOAL_OK ? shl_graph_add_list(graph, &engine, 1, &common) : st;
}

// ... bounds, by trees, the GPU or a grid ...
static shoal_status declare_bounds(shl_distance *d, shl_graph *graph)
{
    shl_grid *g = &d->grid;
    const uint64_t search = shl_table_bit(d->table, SHL_DISTANCE_SEARCH),
                   grid = shl_table_bit(d->table, SHL_DISTANCE_GRID),
                   tree = shl_table_bit(d->table, SHL_DISTANCE_TREE);
    const shl_job_desc jobs[] = {
        {"distance_grid_cull", shl_grid_run_cull, &g->cull_rows, 1,
         .reads = SHL_READS_VIEWS | search | tree, .opens = SHL_OPENS_VIEWS, .writes = grid},
        {"distance_grid_tris", shl_grid_run_tris, &g->tri_rows, SHL_GRID_NODES,
         .reads = SHL_READS_VIEWS | search, .opens = SHL_OPENS_VIEWS, .writes = grid},
        // the GPU begins; jobs that do not need it follow, and "distance_grid_collect" waits
        {"distance_grid_submit", shl_grid_run_submit, .reads = search | grid},
        {"distance_bounds", shl_distance_run_bounds, &d->bound_rows, 1,
         .reads = SHL_READS_VIEWS | tree, .opens = SHL_OPENS_VIEWS, .writes = search,
         .phase = SHL_PHASE_DISTANCE},
        {"distance_warm_start", shl_distance_run_warm_start, &d->warm_start_rows, 32,
         .reads = SHL_READS_VIEWS, .opens = SHL_OPENS_VIEWS, .writes = search,
         .phase = SHL_PHASE_DISTANCE},
        {"distance_grid_collect", shl_grid_run_collect, .reads = search, .writes = grid},
        // without a GPU
        {"distance_grid_owners", shl_grid_run_owners, &g->chunk_rows, 1, .writes = grid},
        {"distance_grid_pairs", shl_grid_run_pairs, &g->chunk_rows, 1, .writes = grid},
        {"distance_grid_lists", shl_grid_run_lists, .writes = grid},
        {"distance_grid_distances", shl_grid_run_distances, &g->brick_rows, 8, .writes = grid},
        {"distance_grid_bounds", shl_grid_run_bounds, &g->body_rows, 1,
         .reads = SHL_TABLE_BODIES | SHL_TABLE_TREES, .writes = search | grid},
    };
    return SHL_DECLARE(graph, jobs, .ctx = d, .phase = SHL_PHASE_BOUNDS);
}

// ... then the search.
static shoal_status declare_search(shl_distance *d, shl_graph *graph)
{
    const uint64_t search = shl_table_bit(d->table, SHL_DISTANCE_SEARCH),
                   results = shl_table_bit(d->table, SHL_DISTANCE_RESULTS),
                   grid = shl_table_bit(d->table, SHL_DISTANCE_GRID),
                   tree = shl_table_bit(d->table, SHL_DISTANCE_TREE);
    const shl_job_desc jobs[] = {
        {"distance_neighbours", shl_distance_run_neighbours, &d->neighbour_rows,
         SHL_NEIGHBOUR_GRAIN, .reads = SHL_READS_VIEWS | grid | tree, .opens = SHL_OPENS_VIEWS,
         .writes = search},
        {"distance_pairs", shl_distance_run_pairs, .writes = search},
        {"distance_search", shl_distance_run_search, &d->pair_count, 1,
         .reads = SHL_READS_VIEWS | grid, .opens = SHL_OPENS_VIEWS, .writes = search},
        {"distance_reduce", shl_distance_run_reduce, .reads = SHL_TABLE_BODIES,
         .writes = search | results},
        {"distance_closest", shl_distance_run_closest, &d->point_rows, 16,
         .reads = SHL_READS_VIEWS | search, .opens = SHL_OPENS_VIEWS, .writes = results},
        {"distance_triangles", shl_distance_run_triangles, &d->node_rows, 32,
         .reads = SHL_READS_VIEWS | grid | tree, .opens = SHL_OPENS_VIEWS,
         .writes = search | results},
        {"distance_hash", shl_sums_run, &d->sums.rows, 1, .writes = results,
         .phase = SHL_PHASE_SORT, .ctx = &d->sums},
    };
    return SHL_DECLARE(graph, jobs, .ctx = d, .phase = SHL_PHASE_DISTANCE);
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    shl_distance *d = self;
    if (stage != SHL_STAGE_SEARCH)
        return SHOAL_OK;
    d->first_job = graph->job_count;
    shoal_status st = declare_tree(d, graph);
    if (st == SHOAL_OK)
        st = declare_bounds(d, graph);
    if (st == SHOAL_OK)
        st = declare_search(d, graph);
    d->end_job = graph->job_count - 1; // but for the hash
    return st;
}

static uint32_t sums(const void *self, shl_list_sum out[SHL_SUMS_MAX])
{
    const shl_distance *d = self;
    return shl_sums_total(&d->sums, out);
}

// From the first job of distances to the end of the last: what a user waits for.
static double seconds_of(const shl_distance *d, const shl_job_time *times)
{
    uint64_t begin_ns = UINT64_MAX, end_ns = 0;
    for (uint32_t i = d->first_job; times && i < d->end_job; i++) {
        if (!times[i].begin_ns)
            continue;
        begin_ns = times[i].begin_ns < begin_ns ? times[i].begin_ns : begin_ns;
        end_ns = times[i].end_ns > end_ns ? times[i].end_ns : end_ns;
    }
    return end_ns > begin_ns ? 1e-9 * (double)(end_ns - begin_ns) : 0;
}

static void end(void *self, const shl_step_end *step)
{
    static const uint32_t triangle_queries[2] = {SHOAL_QUERY_NEAREST_TRIANGLES,
                                                 SHOAL_QUERY_NEAREST_SELF};
    shl_distance *d = self;
    const bool good = step->good;
    for (int q = 0; q < 2; q++) {
        d->known[q] = good && (d->known[q] || d->queries & triangle_queries[q]);
        d->tri_count[q] = good ? d->tri_count[q] : 0;
    }
    d->nearest_count = good ? d->nearest_count : 0;
    d->within_count = good ? d->within_count : 0;
    shl_grid_end(d);
    const double seconds = seconds_of(d, step->times);
    if (good && d->queries && seconds > 0)
        shl_grid_profile(&d->grid, seconds);
}

static shoal_status trace(const void *self, shl_graph *graph)
{
    const shl_distance *d = self;
    return d->grid.gpu_jobs ? shl_graph_event(graph, "gpu", d->ports->workers,
                                              d->grid.span.begin_ns, d->grid.span.end_ns)
                            : SHOAL_OK;
}

static void list_tables(void *self, shl_extents *out)
{
    shl_distance *d = self;
    const shl_voronoi *v = &d->grid.voronoi;
    shl_table_list own = {out, d->table}, grid = {out, d->table + SHL_DISTANCE_GRID};
    shl_rows_each(&d->found, shl_table_extent, &own);
    shl_array *tree[SHL_BROAD_ARRAYS];
    for (uint32_t i = 0; i < shl_broad_arrays(&d->tree, tree); i++)
        shl_table_array(&own, SHL_DISTANCE_TREE, tree[i]);
    const shl_array *const columns[] = {&v->owners, &v->begin, &v->active, &v->list, &v->least};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        shl_table_extent(&grid, columns[i]->data, columns[i]->capacity);
    for (uint32_t i = 0; i < v->chunk_capacity; i++)
        shl_table_extent(&grid, v->found[i].data, v->found[i].capacity);
    shl_table_extent(&grid, v->found, v->chunk_capacity * sizeof *v->found);
    shl_table_extent(&grid, v->written, v->chunk_capacity * sizeof *v->written);
}

static uint64_t row_count(const void *self, uint32_t query)
{
    const shl_distance *d = self;
    return d->total[__builtin_ctz(query) - __builtin_ctz(SHOAL_QUERY_NEAREST)];
}

static void stats(const void *self, shoal_stats *out)
{
    const shl_distance *d = self;
    out->grid_cells = d->grid.cell_count;
    out->gpu_jobs = d->grid.gpu_jobs;
}

const shl_query shl_distance_query = {
    .name = "distance",
    .bits = SHOAL_QUERY_NEAREST | SHOAL_QUERY_WITHIN | SHOAL_QUERY_NEAREST_TRIANGLES |
            SHOAL_QUERY_NEAREST_SELF,
    .tables = tables,
    .arrays = {arrays, ARRAYS},
    .self_bytes = sizeof(shl_distance),
    .sum_tables = 1 << SHL_DISTANCE_RESULTS,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .jobs = jobs,
    .end = end,
    .trace = trace,
    .list_tables = list_tables,
    .sums = sums,
    .row_count = row_count,
    .stats = stats,
};
