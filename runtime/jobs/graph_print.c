// SPDX-License-Identifier: MIT
// A compiled graph as text and as DOT.
#include "runtime/jobs/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct printer {
    shoal_write_fn *write;
    void *user;
} printer;

static void put(const printer *out, const char *text)
{
    out->write(out->user, text, strlen(text));
}

// For numbers: never longer than the buffer.
__attribute__((format(printf, 2, 3))) static void put_format(const printer *out,
                                                             const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(out, text);
}

static void put_tables(const printer *out, const shl_graph *g, const char *label,
                       uint64_t tables)
{
    if (!tables)
        return;
    put(out, label);
    for (; tables; tables &= tables - 1) {
        const int table = __builtin_ctzll(tables);
        put(out, " ");
        if (g->tables && g->tables[table])
            put(out, g->tables[table]);
        else
            put_format(out, "%d", table);
    }
}

static void put_size(const printer *out, const shl_job_desc *desc)
{
    if (!desc->rows)
        put(out, "once");
    else if (desc->grain == 0)
        put(out, "rows");
    else
        put_format(out, "rows by %" PRIu32, desc->grain);
}

shoal_status shl_graph_text(const shl_graph *g, shoal_write_fn *write, void *user)
{
    const shl_plan *p = g->plan;
    if (!p)
        return SHOAL_ERR_ARGUMENT;
    const printer out = {write, user};
    put_format(&out, "%" PRIu32 " jobs, %" PRIu32 " edges, %" PRIu32 " roots\n", p->job_count,
               p->edge_count, p->root_count);
    for (uint32_t job = 0; job < p->job_count; job++) {
        const shl_job_desc *desc = &p->jobs[job];
        put_format(&out, "%" PRIu32 " ", job);
        put(&out, desc->name);
        put(&out, ": ");
        put_size(&out, desc);
        put_tables(&out, g, "; reads", desc->reads);
        put_tables(&out, g, "; opens", desc->opens);
        put_tables(&out, g, "; writes", desc->writes);
        const uint32_t begin = p->nodes[job].succ_begin;
        const uint32_t end = p->nodes[job].succ_end;
        put(&out, begin < end ? "; then" : "");
        for (uint32_t i = begin; i < end; i++)
            put_format(&out, " %" PRIu32, p->succ[i]);
        put(&out, "\n");
    }
    return SHOAL_OK;
}

static void put_quoted(const printer *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            put(out, "\\");
        out->write(out->user, text, 1);
    }
}

// --- DOT. A chain of jobs is one box, named by its first job. ---

static size_t module_length(const char *name)
{
    return strcspn(name, "_");
}

static bool same_module(const char *a, const char *b)
{
    const size_t length = module_length(a);
    return length == module_length(b) && memcmp(a, b, length) == 0;
}

static bool same_stage(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

// The job that follows in the same box, or SHL_NO_JOB: the only successor, of which this is the
// only predecessor.
static uint32_t next_of(const shl_plan *p, uint32_t job)
{
    const shl_node *n = &p->nodes[job];
    if (n->succ_end - n->succ_begin != 1)
        return SHL_NO_JOB;
    const uint32_t next = p->succ[n->succ_begin];
    const shl_job_desc *a = &p->jobs[job], *b = &p->jobs[next];
    return p->gates[next].pred_count == 1 && same_module(a->name, b->name) &&
                   same_stage(a->stage, b->stage)
               ? next
               : SHL_NO_JOB;
}

static bool is_first(const shl_plan *p, uint32_t job)
{
    for (uint32_t i = 0; i < job; i++) {
        if (next_of(p, i) == job)
            return false;
    }
    return true;
}

// Modules have the colours in the order of their first jobs.
static const char *colour_of(const shl_plan *p, uint32_t job)
{
    static const char *const colours[] = {"#cfe8cf", "#f6d9c4", "#f7efc0", "#cfe0f3", "#e4d3ee",
                                          "#d5ecec", "#f4cfd8", "#e0e0e0", "#ffffff"};
    uint32_t module = 0;
    for (uint32_t i = 0; !same_module(p->jobs[i].name, p->jobs[job].name); i++) {
        uint32_t before = 0;
        while (!same_module(p->jobs[before].name, p->jobs[i].name))
            before++;
        module += before == i;
    }
    return colours[module % (sizeof colours / sizeof *colours)];
}

static void put_box(const printer *out, const shl_plan *p, uint32_t first)
{
    put_format(out, "        j%" PRIu32 " [fillcolor=\"%s\", label=\"", first,
               colour_of(p, first));
    for (uint32_t job = first; job != SHL_NO_JOB; job = next_of(p, job)) {
        put_quoted(out, p->jobs[job].name);
        put(out, ": ");
        put_size(out, &p->jobs[job]);
        put(out, "\\l");
    }
    put(out, "\"];\n");
}

static void put_boxes(const printer *out, const shl_plan *p)
{
    for (uint32_t job = 0; job < p->job_count; job++) {
        const char *stage = p->jobs[job].stage;
        if (job == 0 || !same_stage(stage, p->jobs[job - 1].stage)) {
            put(out, job == 0 ? "" : "    }\n");
            put_format(out, "    subgraph %s%" PRIu32 " {\n", stage ? "cluster" : "s", job);
            put(out, stage ? "        label=\"" : "");
            put_quoted(out, stage ? stage : "");
            put(out, stage ? "\";\n" : "");
        }
        if (is_first(p, job))
            put_box(out, p, job);
    }
    put(out, p->job_count ? "    }\n" : "");
}

static void put_edges(const printer *out, const shl_plan *p)
{
    for (uint32_t first = 0; first < p->job_count; first++) {
        if (!is_first(p, first))
            continue;
        uint32_t last = first;
        while (next_of(p, last) != SHL_NO_JOB)
            last = next_of(p, last);
        for (uint32_t i = p->nodes[last].succ_begin; i < p->nodes[last].succ_end; i++)
            put_format(out, "    j%" PRIu32 " -> j%" PRIu32 ";\n", first, p->succ[i]);
    }
}

shoal_status shl_graph_dot(const shl_graph *g, shoal_write_fn *write, void *user)
{
    const shl_plan *p = g->plan;
    if (!p)
        return SHOAL_ERR_ARGUMENT;
    const printer out = {write, user};
    put(&out,
        "digraph jobs {\n"
        "    graph [fontname=\"sans-serif\", fontsize=13, labeljust=l, color=\"#888888\"];\n"
        "    node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=11];\n");
    put_boxes(&out, p);
    put_edges(&out, p);
    put(&out, "}\n");
    return SHOAL_OK;
}
