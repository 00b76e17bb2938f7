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

shoal_status shl_graph_dot(const shl_graph *g, shoal_write_fn *write, void *user)
{
    const shl_plan *p = g->plan;
    if (!p)
        return SHOAL_ERR_ARGUMENT;
    const printer out = {write, user};
    put(&out, "digraph jobs {\n    node [shape=box];\n");
    for (uint32_t job = 0; job < p->job_count; job++) {
        put_format(&out, "    j%" PRIu32 " [label=\"", job);
        put_quoted(&out, p->jobs[job].name);
        put(&out, "\\n");
        put_size(&out, &p->jobs[job]);
        put(&out, "\"];\n");
    }
    for (uint32_t job = 0; job < p->job_count; job++) {
        for (uint32_t i = p->nodes[job].succ_begin; i < p->nodes[job].succ_end; i++)
            put_format(&out, "    j%" PRIu32 " -> j%" PRIu32 ";\n", job, p->succ[i]);
    }
    put(&out, "}\n");
    return SHOAL_OK;
}
