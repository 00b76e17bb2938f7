// SPDX-License-Identifier: MIT
// Coherence in time: boxes of a reduced body's upper nodes outlive the step they were made in.
// Each remembers the q it was made for, its reference, and is grown by how far q is from it
// now; it is never made from another such box, so nothing adds up. "bd_update" makes those anew
// that have grown too much, in parallel over bodies; searches only read.
#include "runtime/kinds/reduced/coherence.h"

#include "kernels/round.h"
#include "runtime/scene/steps.h"
#include "runtime/traverse/eval_cache.h"

#include <math.h>
#include <string.h>

static const float growth = 0.05f; // of the largest half of a box, before it is made anew

shoal_status shl_front_reserve(shoal_scene *s, const shl_reduced *m, shl_free_body *b)
{
    if (s->def.coherence == SHOAL_COHERENCE_NONE)
        return SHOAL_OK;
    const size_t nodes = m->block_count < SHL_FRONT_NODES ? m->block_count : SHL_FRONT_NODES,
                 bytes = nodes * sizeof(shl_front_node);
    shoal_status st = shl_array_reserve(&b->front, bytes, 0, &s->allocator);
    if (st == SHOAL_OK)
        st = shl_array_reserve(&b->past,
                               SHL_FRONT_EPOCHS * (m->field_count + (size_t)1) * sizeof(double),
                               0, &s->allocator);
    if (st == SHOAL_OK && nodes) {
        memset(b->front.data, 0, bytes);
        memset(b->past.data, 0, b->past.capacity);
        b->front_count = (uint32_t)nodes;
    }
    return st;
}

// The distance of two q, rounded up.
static float distance(const double *p, const double *q, uint32_t fields)
{
    double sum = 0;
    for (uint32_t j = 0; j < fields; j++)
        sum += (p[j] - q[j]) * (p[j] - q[j]);
    return shl_round_up(sqrt(sum) * (1 + 0x1p-40));
}

void shl_front_prepare(shl_free_body *b)
{
    const uint32_t fields = b->reduced->field_count;
    const double *q = (const double *)b->own.data + 12;
    double *past = b->past.data;
    if (!b->front_count)
        return;
    b->front_epoch += b->front_epoch == UINT32_MAX ? 2 : 1; // 0 is none
    memcpy(past + (size_t)fields * (b->front_epoch % SHL_FRONT_EPOCHS), q, fields * sizeof *q);
    for (size_t at = 0; at < SHL_FRONT_EPOCHS; at++)
        b->away[at] = distance(past + fields * at, q, fields);
}

static bool usable(const shl_free_body *b, const shl_front_node *node)
{
    return node->epoch && b->front_epoch - node->epoch < SHL_FRONT_EPOCHS &&
           b->away[node->epoch % SHL_FRONT_EPOCHS] <= node->limit;
}

bool shl_front_open(const shl_kernels *kernels, const shl_free_body *b, uint32_t node,
                    shl_block *out)
{
    const shl_reduced *m = b->reduced;
    const uint32_t block = m->block_of[node];
    if (block >= b->front_count)
        return false;
    shl_front_node *kept = (shl_front_node *)b->front.data + block;
    if (!usable(b, kept)) {
        atomic_store_explicit(&kept->wanted, true, memory_order_relaxed);
        return false;
    }
    kernels->reduced_move(&kept->boxes, m->delta + (size_t)SHL_LANES * block,
                          b->away[kept->epoch % SHL_FRONT_EPOCHS], b->ready.data,
                          b->tree->count[node], out);
    return true;
}

// How far q may go until some box has grown by its share.
static float limit_of(const shl_block *boxes, const float *delta, uint32_t count)
{
    float limit = 1e30f; // nothing infinite comes near a box
    for (uint32_t lane = 0; lane < count; lane++) {
        float half = 0;
        for (int k = 0; k < 3; k++)
            half = fmaxf(half, 0.5f * (boxes->hi[k][lane] - boxes->lo[k][lane]));
        if (delta[lane] > 0)
            limit = fminf(limit, growth * half / delta[lane]);
    }
    return limit;
}

static void refresh(const shl_kernels *kernels, shl_free_body *b, bool all)
{
    const shl_reduced *m = b->reduced;
    const shl_tree *t = b->tree;
    union {
        shl_reduced_ready ready;
        char room[sizeof(shl_reduced_ready) + SHL_FIELDS_MAX * sizeof(float)];
    } still;
    bool made = false;
    for (uint32_t node = 0, block = 0; block < b->front_count; node++) {
        if (t->leaf[node])
            continue;
        shl_front_node *kept = (shl_front_node *)b->front.data + block;
        const float *delta = m->delta + (size_t)SHL_LANES * block++;
        if (usable(b, kept) ||
            !(all || atomic_load_explicit(&kept->wanted, memory_order_relaxed)))
            continue;
        if (!made)
            shl_reduced_still(b, &still.ready);
        made = true;
        kernels->reduced_open[m->bounds](shl_reduced_block(m, node), m->field_count,
                                         &still.ready, t->count[node], &kept->boxes);
        kept->epoch = b->front_epoch;
        kept->limit = limit_of(&kept->boxes, delta, t->count[node]);
        atomic_store_explicit(&kept->wanted, false, memory_order_relaxed);
    }
}

shoal_status shl_run_bd_update(void *ctx, shl_span rows, uint32_t chunk, uint32_t worker)
{
    (void)chunk;
    (void)worker;
    shoal_scene *s = ctx;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        shl_free_body *b = &shl_bodies(s)[i];
        if (b->joined && b->fresh && b->reduced && !b->wide)
            refresh(&s->ctx->kernels, b, s->def.coherence == SHOAL_COHERENCE_EAGER);
    }
    return SHOAL_OK;
}
