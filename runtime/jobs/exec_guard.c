// SPDX-License-Identifier: MIT
// Serial, under mprotect: before each job, tables that it did not declare become inaccessible
// and those it only reads read-only. A job that touches more than it said is a fault at the
// very instruction, instead of a race that some day gives a wrong pair. The library handles no
// signal; who wants the name of the job asks shl_graph_current_job() in a handler of its own.
#include "runtime/jobs/plan.h"

#include <sys/mman.h>
#include <unistd.h>

enum { READ_WRITE = PROT_READ | PROT_WRITE };

// An extent in whole pages, and what may be done with it.
typedef struct guarded {
    shl_extent extent;
    int access;
} guarded;

void shl_extents_add(shl_extents *x, shl_extent extent)
{
    if (!extent.data || !extent.bytes || x->status != SHOAL_OK)
        return;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)extent.data, end = begin + extent.bytes;
    if (extent.kind == SHL_EXTENT_FOREIGN) {
        begin = (begin + page - 1) / page * page;
        end = end / page * page;
        if (begin >= end)
            return;
    } else {
        if (begin % page) { // other tables may live in the same page
            x->status = SHOAL_ERR_ARGUMENT;
            return;
        }
        end = (end + page - 1) / page * page;
    }
    extent.data = (char *)extent.data + (begin - (uintptr_t)extent.data);
    extent.bytes = end - begin;
    const guarded row = {extent, READ_WRITE};
    x->status = shl_array_append(&x->rows, x->count, &row, sizeof row, x->allocator);
    x->count += x->status == SHOAL_OK;
}

static bool set_access(guarded *d, int access)
{
    if (d->access == access)
        return true;
    if (mprotect(d->extent.data, d->extent.bytes, access) != 0)
        return false;
    d->access = access;
    return true;
}

static void open_all(shl_extents *x)
{
    for (size_t i = 0; i < x->count; i++)
        (void)set_access((guarded *)x->rows.data + i, READ_WRITE);
    x->count = 0;
}

static int wanted(const shl_job_desc *job, const shl_extent *extent)
{
    const uint64_t bit = UINT64_C(1) << extent->table;
    if ((job->writes | job->opens) & bit)
        return READ_WRITE;
    return job->reads & bit ? PROT_READ : PROT_NONE;
}

// Lists what there is now and closes what the job must not touch.
static shoal_status close_for(shl_graph *g, const shl_job_desc *job)
{
    shl_extents *x = &g->extents;
    open_all(x);
    x->allocator = g->allocator;
    x->status = SHOAL_OK;
    if (g->list_tables)
        g->list_tables(g->list_ctx, x);
    for (size_t i = 0; i < x->count && x->status == SHOAL_OK; i++) {
        guarded *d = (guarded *)x->rows.data + i;
        if (!set_access(d, wanted(job, &d->extent)))
            x->status = SHOAL_ERR_LIMIT; // each change of access splits a mapping
    }
    return x->status;
}

shoal_status shl_exec_guard(shl_graph *g, shl_plan *p)
{
    shl_worker *w = &p->workers[0];
    shoal_status st = SHOAL_OK;
    shl_worker_begin(p, w);
    for (uint32_t job = 0; job < p->job_count && w->fail_key == SHL_NO_FAILURE; job++) {
        const shl_job_desc *desc = &p->jobs[job];
        const uint32_t rows = desc->rows ? *desc->rows : 1;
        const uint32_t chunks = shl_chunk_count(rows, desc->grain);
        if (chunks == 0)
            continue;
        st = close_for(g, desc);
        if (st != SHOAL_OK)
            break;
        atomic_store_explicit(&p->current, job, memory_order_relaxed);
        const uint64_t begin = shl_stretch_begin(p);
        uint32_t chunk = 0;
        for (; chunk < chunks && w->fail_key == SHL_NO_FAILURE; chunk++)
            shl_worker_call(p, w, job, shl_chunk_rows(rows, desc->grain, chunk));
        shl_stretch_end(p, w, job, begin, chunk);
        atomic_store_explicit(&p->current, SHL_NO_JOB, memory_order_relaxed);
    }
    open_all(&g->extents);
    shl_worker_end(w);
    return st;
}
