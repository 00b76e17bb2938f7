// SPDX-License-Identifier: MIT
// The table of the query and its jobs.
#include "runtime/queries/spheres/spheres.h"

static const char *const tables[] = {"spheres", NULL};

static const shl_array_def arrays[] = {
    SHL_ARRAY(shl_spheres, 0, pairs, uint64_t, "pair of bodies to search, 2^32 a + b"),
    SHL_ARRAY(shl_spheres, 0, begin, size_t,
              "first contact of a pair; before the scan, its number of contacts"),
    SHL_ARRAY(shl_spheres, 0, kept, shl_kept,
              "where a worker keeps the contacts of a pair from the first pass"),
    SHL_ARRAY(shl_spheres, 0, contacts, shoal_sphere_contact, "result: contact of two spheres"),
    SHL_ARRAY(shl_spheres, 0, sums.chunk, uint64_t, "hash sum of a chunk of the results"),
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static void destroy(void *self)
{
    shl_spheres *s = self;
    const shoal_allocator *allocator = s->ports->allocator;
    for (uint32_t i = 0; s->scratch && i < s->ports->workers; i++) {
        shl_sphere_scratch *own = &s->scratch[i];
        shl_sphere_cache_finish(&own->side[0], allocator);
        shl_sphere_cache_finish(&own->side[1], allocator);
        shl_array_finish(&own->contacts, allocator);
    }
    shl_free(allocator, s->scratch, s->ports->workers * sizeof *s->scratch);
}

static shoal_status create(void *self, const shl_ports *ports, uint32_t table)
{
    shl_spheres *s = self;
    s->ports = ports;
    s->table = table;
    s->scratch = shl_zalloc(ports->allocator, ports->workers * sizeof *s->scratch);
    return s->scratch ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

static shoal_status begin(void *self, uint32_t queries, bool *certificates)
{
    (void)certificates;
    shl_spheres *s = self;
    s->asked = queries & SHOAL_QUERY_SPHERES;
    s->contact_count = s->total = 0;
    for (uint32_t i = 0; i < s->ports->workers; i++)
        s->scratch[i].side[0].body1 = s->scratch[i].side[1].body1 = 0;
    return SHOAL_OK;
}

static shoal_status jobs(void *self, shl_step_stage stage, shl_graph *graph)
{
    shl_spheres *s = self;
    const uint64_t own = shl_table_bit(s->table, 0);
    const shl_job_desc search[] = {
        {"spheres_plan", shl_spheres_run_plan, .reads = SHL_TABLE_BODIES | SHL_TABLE_BROAD,
         .writes = own},
        {"spheres_count", shl_spheres_run_count, &s->rows, 8, .reads = SHL_READS_VIEWS,
         .opens = SHL_OPENS_VIEWS, .writes = own},
        {"spheres_scan", shl_spheres_run_scan, .writes = own},
        {"spheres_contacts", shl_spheres_run_contacts, &s->rows, 8, .reads = SHL_READS_VIEWS,
         .opens = SHL_OPENS_VIEWS, .writes = own},
        {"spheres_hash", shl_sums_run, &s->sums.rows, 1, .writes = own, .ctx = &s->sums,
         .phase = SHL_PHASE_SORT},
    };
    return stage == SHL_STAGE_SEARCH
               ? SHL_DECLARE(graph, search, .ctx = s, .phase = SHL_PHASE_SPHERES)
               : SHOAL_OK;
}

static uint32_t sums(const void *self, shl_list_sum out[SHL_SUMS_MAX])
{
    const shl_spheres *s = self;
    return shl_sums_total(&s->sums, out);
}

static void end(void *self, const shl_step_end *step)
{
    shl_spheres *s = self;
    s->contact_count = step->good ? s->contact_count : 0;
}

static uint64_t row_count(const void *self, uint32_t query)
{
    (void)query;
    return ((const shl_spheres *)self)->total;
}

const shl_query shl_spheres_query = {
    .name = "spheres",
    .bits = SHOAL_QUERY_SPHERES,
    .pair_bits = SHOAL_QUERY_SPHERES,
    .tables = tables,
    .arrays = {arrays, ARRAYS},
    .self_bytes = sizeof(shl_spheres),
    .sum_tables = 1,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .jobs = jobs,
    .end = end,
    .sums = sums,
    .row_count = row_count,
};
