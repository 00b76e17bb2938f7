// SPDX-License-Identifier: MIT
// From tables read and written to edges, and from edges to a plan.
#include "runtime/jobs/plan.h"

#include <string.h>
#include <unistd.h>

enum {
    TABLES = 64,
    REDUCE_MAX =
        1024, // implied edges are dropped up to this many jobs: 128 KiB of ancestor bits
    DEFAULT_WORKERS = 16,
    LINE_WORDS = 8,      // 64-bit words in a cache line
    LINES_MAX = 1 << 14, // up to so many, every slice's cursor gets a line of its own
};

#define NONE UINT32_MAX

// Cuts one block into aligned arrays; with no block it only counts.
typedef struct carver {
    char *block;
    size_t used;
} carver;

static void *carve(carver *c, size_t count, size_t size)
{
    void *part = c->block ? c->block + c->used : NULL;
    c->used += (count * size + SHL_ALIGN - 1) / SHL_ALIGN * SHL_ALIGN;
    return part;
}

// Jobs that access a table in the same way, one after the other in the declaration, are a
// group: readers run side by side, so do openers, and each writer is a group of its own. A
// group waits for the one before it.
typedef enum table_use { NEVER, READ, OPEN, WRITE } table_use;

typedef struct member {
    uint32_t job;
    uint32_t before; // the one before it in the group, or NONE
} member;

typedef struct group {
    table_use use;
    uint32_t last; // member, or NONE
    uint32_t size;
} group;

typedef struct table_groups {
    group now, past;
} table_groups;

static table_use use_of(const shl_job_desc *job, uint64_t bit)
{
    return job->writes & bit ? WRITE : job->opens & bit ? OPEN : READ;
}

static uint64_t tables_of(const shl_job_desc *job)
{
    return job->reads | job->opens | job->writes;
}

// The job's access joins the table's group or begins the next one.
static void enter_group(table_groups *t, table_use use)
{
    if (t->now.use == use && use != WRITE)
        return;
    t->past = t->now;
    t->now = (group){use, NONE, 0};
}

// What is known while jobs are walked in declaration order.
typedef struct scan {
    const shl_job_desc *jobs;
    uint32_t job_count;
    uint32_t explicit_count;
    uint32_t member_max; // bits set in all masks
    uint32_t pred_max;   // no graph has more edges than this
    uint32_t words;      // of an ancestor row; 0: edges are not reduced

    uint32_t *explicit_first; // [job_count + 1] rows of explicit_from
    uint32_t *explicit_from;  // [explicit_count] grouped by target
    uint32_t *pred_first;     // [job_count + 1] rows of preds
    uint32_t *preds;          // [pred_max]
    uint32_t *stamp;          // [job_count] last job that took this one as predecessor
    member *members;          // [member_max]
    uint64_t *ancestors;      // [job_count + 1][words], the last row is scratch

    uint32_t pred_count;
    uint32_t member_count;
    table_groups tables[TABLES];
} scan;

static void lay_out_scan(scan *s, carver *c)
{
    const size_t jobs = s->job_count;
    s->explicit_first = carve(c, jobs + 1, sizeof *s->explicit_first);
    s->explicit_from = carve(c, s->explicit_count, sizeof *s->explicit_from);
    s->pred_first = carve(c, jobs + 1, sizeof *s->pred_first);
    s->preds = carve(c, s->pred_max, sizeof *s->preds);
    s->stamp = carve(c, jobs, sizeof *s->stamp);
    s->members = carve(c, s->member_max, sizeof *s->members);
    s->ancestors = carve(c, (jobs + 1) * s->words, sizeof *s->ancestors);
}

// Group the explicit edges by target.
static void sort_explicit(scan *s, const shl_edge *edges)
{
    uint32_t *first = s->explicit_first;
    memset(first, 0, (s->job_count + (size_t)1) * sizeof *first);
    for (uint32_t i = 0; i < s->explicit_count; i++)
        first[edges[i].to]++;
    uint32_t sum = 0;
    for (uint32_t job = 0; job <= s->job_count; job++) {
        sum += first[job];
        first[job] = sum; // the group's end; filling from behind turns it into its begin
    }
    for (uint32_t i = s->explicit_count; i-- > 0;)
        s->explicit_from[--first[edges[i].to]] = edges[i].from;
}

static void add_pred(scan *s, uint32_t from, uint32_t to)
{
    if (from == NONE || from == to || s->stamp[from] == to)
        return;
    s->stamp[from] = to;
    s->preds[s->pred_count++] = from;
}

static void add_hazards(scan *s, uint32_t job)
{
    const shl_job_desc *desc = &s->jobs[job];
    for (uint64_t bits = tables_of(desc); bits; bits &= bits - 1) {
        table_groups *t = &s->tables[__builtin_ctzll(bits)];
        enter_group(t, use_of(desc, bits & -bits));
        for (uint32_t m = t->past.last; m != NONE; m = s->members[m].before)
            add_pred(s, s->members[m].job, job);
        s->members[s->member_count] = (member){job, t->now.last};
        t->now.last = s->member_count++;
    }
}

// Drop predecessors that another one already waits for. Later jobs are looked at first, since
// only they can have earlier ones as ancestors.
static void reduce(scan *s, uint32_t job)
{
    const size_t words = s->words;
    uint64_t *wanted = &s->ancestors[s->job_count * words];
    uint64_t *mine = &s->ancestors[job * words];
    memset(wanted, 0, words * sizeof *wanted);
    memset(mine, 0, words * sizeof *mine);
    for (uint32_t i = s->pred_first[job]; i < s->pred_count; i++)
        wanted[s->preds[i] / 64] |= UINT64_C(1) << s->preds[i] % 64;
    s->pred_count = s->pred_first[job];
    for (size_t word = words; word-- > 0;) {
        while (wanted[word]) {
            const uint32_t bit = 63 - (uint32_t)__builtin_clzll(wanted[word]);
            const uint32_t from = (uint32_t)word * 64 + bit;
            wanted[word] ^= UINT64_C(1) << bit;
            if (mine[word] >> bit & 1)
                continue;
            s->preds[s->pred_count++] = from;
            mine[word] |= UINT64_C(1) << bit;
            for (size_t i = 0; i <= word; i++)
                mine[i] |= s->ancestors[from * words + i];
        }
    }
}

static void find_preds(scan *s)
{
    memset(s->stamp, 0xff, s->job_count * sizeof *s->stamp);
    for (int i = 0; i < TABLES; i++)
        s->tables[i] = (table_groups){{NEVER, NONE, 0}, {NEVER, NONE, 0}};
    for (uint32_t job = 0; job < s->job_count; job++) {
        s->pred_first[job] = s->pred_count;
        for (uint32_t i = s->explicit_first[job]; i < s->explicit_first[job + 1]; i++)
            add_pred(s, s->explicit_from[i], job);
        add_hazards(s, job);
        if (s->words)
            reduce(s, job);
    }
    s->pred_first[s->job_count] = s->pred_count;
}

// Bounds for the scratch arrays.
static shoal_status measure(scan *s, const shl_graph *g)
{
    table_groups tables[TABLES] = {{{NEVER, NONE, 0}, {NEVER, NONE, 0}}};
    uint64_t members = 0, preds = g->edge_count;
    for (uint32_t job = 0; job < s->job_count; job++) {
        for (uint64_t bits = tables_of(&s->jobs[job]); bits; bits &= bits - 1) {
            table_groups *t = &tables[__builtin_ctzll(bits)];
            enter_group(t, use_of(&s->jobs[job], bits & -bits));
            t->now.size++;
            members++;
            preds += t->past.size;
        }
    }
    if (preds >= NONE)
        return SHOAL_ERR_LIMIT;
    s->member_max = (uint32_t)members;
    s->pred_max = (uint32_t)preds;
    s->explicit_count = g->edge_count;
    s->words = s->job_count <= REDUCE_MAX ? (s->job_count + 63) / 64 : 0;
    return SHOAL_OK;
}

static void lay_out_plan(shl_plan *p, carver *c)
{
    carve(c, 1, sizeof *p); // the plan itself comes first
    const size_t jobs = p->job_count;
    p->nodes = carve(c, jobs, sizeof *p->nodes);
    p->gates = carve(c, jobs, sizeof *p->gates);
    p->succ = carve(c, p->edge_count, sizeof *p->succ);
    p->roots = carve(c, p->root_count, sizeof *p->roots);
    p->times = carve(c, p->has_times ? jobs : 0, sizeof *p->times);
    p->ranges = carve(c, p->range_count, sizeof *p->ranges);
    for (uint32_t i = 0; i < p->range_count; i++) {
        const size_t words = (size_t)p->workers_max * p->slice_stride;
        _Atomic uint64_t *next = carve(c, words, sizeof *next);
        if (c->block)
            p->ranges[i].next = next;
    }
    p->workers = carve(c, p->workers_max, sizeof *p->workers);
    p->own.words = carve(c, p->workers_max, sizeof *p->own.words);
    for (uint32_t i = 0; i < p->workers_max; i++) {
        _Atomic uint64_t *tokens = carve(c, p->token_max, sizeof *tokens);
        shl_tally *tally = p->has_times ? carve(c, jobs, sizeof *tally) : NULL;
        if (!c->block)
            continue;
        p->workers[i] = (shl_worker){.index = i, .tally = tally};
        p->workers[i].deque.tokens = tokens;
        atomic_init(&p->own.words[i].state, SHL_AWAKE);
    }
}

static void fill_successors(shl_plan *p, const scan *s)
{
    for (uint32_t i = 0; i < s->pred_count; i++)
        p->nodes[s->preds[i]].succ_end++; // counts here, places below
    uint32_t sum = 0;
    for (uint32_t job = 0; job < p->job_count; job++) {
        sum += p->nodes[job].succ_end;
        p->nodes[job].succ_begin = p->nodes[job].succ_end = sum;
    }
    // filling each list from behind moves its begin into place
    for (uint32_t job = p->job_count; job-- > 0;) {
        for (uint32_t i = s->pred_first[job]; i < s->pred_first[job + 1]; i++)
            p->succ[--p->nodes[s->preds[i]].succ_begin] = job;
    }
}

static void fill(shl_plan *p, const scan *s)
{
    uint32_t roots = 0;
    uint32_t ranges = 0;
    for (uint32_t job = 0; job < p->job_count; job++) {
        const shl_job_desc *desc = &p->jobs[job];
        const uint32_t preds = s->pred_first[job + 1] - s->pred_first[job];
        p->nodes[job] = (shl_node){.run = desc->run, .ctx = desc->ctx, .range = SHL_NO_RANGE};
        p->gates[job] = (shl_gate){preds, preds};
        if (desc->rows) {
            p->nodes[job].range = ranges;
            shl_range *range = &p->ranges[ranges++];
            *range = (shl_range){
                .next = range->next, .slices = 1, .grain = desc->grain, .rows = desc->rows};
        }
        if (preds == 0)
            p->roots[roots++] = job;
    }
    fill_successors(p, s);
    if (p->has_times)
        memset(p->times, 0, p->job_count * sizeof *p->times);
}

static uint32_t default_workers(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus > DEFAULT_WORKERS ? (uint32_t)cpus : DEFAULT_WORKERS;
}

static shl_plan *make_plan(const shl_graph *g, const scan *s)
{
    shl_plan plan = {
        .jobs = s->jobs,
        .job_count = s->job_count,
        .edge_count = s->pred_count,
        .workers_max = g->workers_max ? g->workers_max : default_workers(),
        .has_times = g->timing,
        .allocator = g->allocator,
        .team = 1,
    };
    atomic_init(&plan.current, SHL_NO_JOB);
    for (uint32_t job = 0; job < s->job_count; job++) {
        plan.root_count += s->pred_first[job] == s->pred_first[job + 1];
        plan.range_count += s->jobs[job].rows != NULL;
    }
    const uint64_t cursors = (uint64_t)plan.range_count * plan.workers_max;
    plan.slice_stride = cursors <= LINES_MAX ? LINE_WORDS : 1;
    // each job is put once to start it; each worker passes on at most two shares of a range
    plan.token_max = plan.job_count + 2 * (uint64_t)plan.range_count;
    carver c = {0};
    lay_out_plan(&plan, &c);
    plan.bytes = c.used;
    shl_plan *p = shl_alloc(g->allocator, plan.bytes);
    if (!p)
        return NULL;
    *p = plan;
    c = (carver){.block = (char *)p};
    lay_out_plan(p, &c);
    fill(p, s);
    return p;
}

shoal_status shl_graph_compile(shl_graph *g)
{
    if (g->status != SHOAL_OK)
        return g->status;
    scan s = {.jobs = g->jobs.data, .job_count = g->job_count};
    const shoal_status st = measure(&s, g);
    if (st != SHOAL_OK)
        return st;
    carver c = {0};
    lay_out_scan(&s, &c);
    const size_t bytes = c.used;
    char *block = shl_alloc(g->allocator, bytes);
    if (!block)
        return SHOAL_ERR_MEMORY;
    c = (carver){.block = block};
    lay_out_scan(&s, &c);
    sort_explicit(&s, g->edges.data);
    find_preds(&s);
    shl_plan *p = make_plan(g, &s);
    shl_free(g->allocator, block, bytes);
    if (!p)
        return SHOAL_ERR_MEMORY;
    shl_plan_free(g->plan, g->allocator);
    g->plan = p;
    return SHOAL_OK;
}
