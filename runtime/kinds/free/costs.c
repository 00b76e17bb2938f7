// SPDX-License-Identifier: MIT
// What making boxes costs on this machine: measured once a context, on a tree of nine nodes.
// Only times follow from it, never results.
#include "runtime/clock.h"
#include "runtime/kinds/free/free.h"

#include <string.h>

static const shl_costs fixed[2] = {
    {.range = 0.22f, .listed = 0.45f, .child = 9, .merge = 6, .open = 19},
    {.range = 0.4f, .listed = 0.42f, .child = 15, .merge = 6, .open = 19},
};

static const float mistaken_ns = 10; // a branch that nobody could foresee

enum { VERTICES = 512, LISTED = 16, TURNS = 6, CALLS = 8 };

// A root with eight children, each of `range` vertices of its own and `listed` of others.
typedef struct sample {
    double xyz[3 * VERTICES + 1]; // kernels may read one scalar more than they use
    uint32_t first[9], vertex_begin[9], vertex_end[9], list_begin[10], list[8 * LISTED];
    uint8_t count[9], leaf[9], inner[9];
    shl_tree tree;
    shl_block block, out;
    _Atomic uint32_t stamp;
} sample;

static void shape(sample *s, uint32_t range, uint32_t listed)
{
    s->first[0] = 1;
    s->count[0] = SHL_LANES;
    s->inner[0] = 0xff;
    s->list_begin[0] = s->list_begin[1] = 0;
    for (uint32_t k = 0; k < SHL_LANES; k++) {
        s->vertex_begin[k + 1] = k * (VERTICES - 1) / SHL_LANES;
        s->vertex_end[k + 1] = s->vertex_begin[k + 1] + range;
        s->list_begin[k + 2] = (k + 1) * listed;
        for (uint32_t i = 0; i < listed; i++)
            s->list[k * listed + i] = 7 * k + 29 * i;
    }
    s->tree.vertex_count = VERTICES;
    s->tree.first = s->first;
    s->tree.count = s->count;
    s->tree.leaf = s->leaf;
    s->tree.inner = s->inner;
    s->tree.vertex_begin = s->vertex_begin;
    s->tree.vertex_end = s->vertex_end;
    s->tree.list_begin = s->list_begin;
    s->tree.list = s->list;
}

typedef void call(const shl_kernels *kernels, shoal_scalar scalar, sample *s);

static void open_root(const shl_kernels *kernels, shoal_scalar scalar, sample *s)
{
    kernels->node_open[scalar](&s->tree, s->xyz, 0, 0, &s->block);
}

static void merge_root(const shl_kernels *kernels, shoal_scalar scalar, sample *s)
{
    (void)scalar;
    for (int lane = 0; lane < SHL_LANES; lane++) {
        shl_box box;
        kernels->block_merge(&s->block, &box);
        for (int k = 0; k < 3; k++) {
            s->out.lo[k][lane] = box.lo[k];
            s->out.hi[k][lane] = box.hi[k];
        }
    }
}

static void take_stamp(const shl_kernels *kernels, shoal_scalar scalar, sample *s)
{
    (void)kernels;
    (void)scalar;
    uint32_t seen = atomic_load_explicit(&s->stamp, memory_order_acquire);
    if (atomic_compare_exchange_strong(&s->stamp, &seen, UINT32_MAX))
        atomic_store_explicit(&s->stamp, seen + 1, memory_order_release);
}

// The least of a few tries: whatever disturbs, only adds.
static float best_ns(call *what, const shl_kernels *kernels, shoal_scalar scalar, sample *s)
{
    double best = 1e9;
    for (int turn = 0; turn < TURNS; turn++) {
        const uint64_t start = shl_now_ns();
        for (int i = 0; i < CALLS; i++)
            what(kernels, scalar, s);
        const double spent = (double)(shl_now_ns() - start);
        best = spent < best ? spent : best;
    }
    return (float)(best / CALLS);
}

// What is far from anything seen is a disturbed clock, not a machine.
static float sane(float measured, float usual)
{
    return measured > usual / 32 && measured < usual * 32 ? measured : usual;
}

static shl_costs measure(const shl_kernels *kernels, shoal_scalar scalar)
{
    enum { FEW = 8, MANY = 63, SHORT = 4, LONG = LISTED };
    sample s;
    memset(&s, 0, sizeof s);
    shape(&s, FEW, SHORT);
    const float small = best_ns(open_root, kernels, scalar, &s);
    shape(&s, MANY, SHORT);
    const float wide = best_ns(open_root, kernels, scalar, &s);
    shape(&s, FEW, LONG);
    const float listed = best_ns(open_root, kernels, scalar, &s);
    const shl_costs usual = fixed[scalar];
    shl_costs c;
    c.range = sane((wide - small) / (SHL_LANES * (MANY - FEW)), usual.range);
    c.listed = sane((listed - small) / (SHL_LANES * (LONG - SHORT)), usual.listed);
    c.child = sane(small / SHL_LANES - FEW * c.range - SHORT * c.listed, usual.child);
    c.merge = sane(best_ns(merge_root, kernels, scalar, &s) / SHL_LANES, usual.merge);
    c.open = mistaken_ns + sane(best_ns(take_stamp, kernels, scalar, &s), usual.open);
    return c;
}

const shl_costs *shl_costs_of(shoal_context *ctx)
{
    uint32_t none = 0;
    if (ctx->fixed_costs)
        return fixed;
    if (atomic_compare_exchange_strong(&ctx->costs_state, &none, 1)) {
        for (int scalar = 0; scalar < 2; scalar++)
            ctx->costs[scalar] = measure(&ctx->kernels, (shoal_scalar)scalar);
        atomic_store(&ctx->costs_state, 2);
    }
    // while another thread measures, the fixed ones serve
    return atomic_load(&ctx->costs_state) == 2 ? ctx->costs : fixed;
}
