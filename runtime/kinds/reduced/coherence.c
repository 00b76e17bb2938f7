// SPDX-License-Identifier: MIT
// Coherence in time: boxes of a reduced body's upper nodes outlive the step they were made in.
// Each remembers the q it was made for, its reference, and is grown by how far q is from it
// now; it is never made from another such box, so nothing adds up. When a body moves, those
// that have grown too much are made anew; searches only read.
#include "runtime/kinds/reduced/coherence.h"

#include "kernels/round.h"

#include <math.h>
#include <string.h>

static const float growth = 0.05f; // of the largest half of a box, before it is made anew

shoal_status shl_coherence_reserve(shl_reduced_body *b, const shoal_allocator *allocator)
{
    const shl_reduced *m = b->model;
    const size_t nodes =
        m->block_count < SHL_COHERENCE_NODES ? m->block_count : SHL_COHERENCE_NODES;
    const size_t past = SHL_COHERENCE_EPOCHS * (m->field_count + (size_t)1);
    if (!nodes)
        return SHOAL_OK;
    const size_t bytes = nodes * sizeof(shl_coherent_node) + sizeof(shl_coherence) +
                         past * sizeof(double) + m->node_count;
    const shoal_status st = shl_array_reserve(&b->kept, bytes, 0, allocator);
    if (st != SHOAL_OK)
        return st;
    shl_coherent_node *kept = memset(b->kept.data, 0, bytes);
    shl_coherence *c = (shl_coherence *)(kept + nodes);
    c->nodes = kept;
    c->past = (double *)(c + 1);
    c->visited = (_Atomic uint8_t *)(c->past + past);
    c->count = (uint32_t)nodes;
    b->coherence = c;
    b->visited = c->visited;
    return SHOAL_OK;
}

// The distance of two q, rounded up.
static float distance(const double *p, const double *q, uint32_t fields)
{
    double sum = 0;
    for (uint32_t j = 0; j < fields; j++)
        sum += (p[j] - q[j]) * (p[j] - q[j]);
    return shl_round_up(sqrt(sum) * (1 + 0x1p-40));
}

void shl_coherence_update(const shl_reduced_body *b)
{
    shl_coherence *c = b->coherence;
    const uint32_t fields = b->model->field_count;
    const double *q = (const double *)b->state.data + 12;
    if (!c)
        return;
    c->epoch += c->epoch == UINT32_MAX ? 2 : 1; // 0 is none
    memcpy(c->past + (size_t)fields * (c->epoch % SHL_COHERENCE_EPOCHS), q, fields * sizeof *q);
    for (size_t at = 0; at < SHL_COHERENCE_EPOCHS; at++)
        c->away[at] = distance(c->past + fields * at, q, fields);
}

static bool usable(const shl_coherence *c, const shl_coherent_node *node)
{
    return node->epoch && c->epoch - node->epoch < SHL_COHERENCE_EPOCHS &&
           c->away[node->epoch % SHL_COHERENCE_EPOCHS] <= node->limit;
}

bool shl_coherence_open(const shl_kernels *kernels, const shl_reduced_body *b, uint32_t node,
                        shl_block *out)
{
    const shl_coherence *c = b->coherence;
    const uint32_t block = b->model->block_of[node];
    const shl_coherent_node *kept = &c->nodes[block];
    if (!usable(c, kept))
        return false;
    kernels->reduced_move(&kept->boxes, b->model->delta + (size_t)SHL_LANES * block,
                          c->away[kept->epoch % SHL_COHERENCE_EPOCHS], b->ready.data,
                          b->tree->count[node], out);
    return true;
}

// How far q may go until some box has grown by what it may.
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

void shl_coherence_refresh(const shl_kernels *kernels, const shl_reduced_body *b, bool all)
{
    const shl_reduced *m = b->model;
    const shl_tree *t = b->tree;
    const shl_coherence *c = b->coherence;
    union {
        shl_reduced_ready ready;
        char room[sizeof(shl_reduced_ready) + SHL_FIELDS_MAX * sizeof(float)];
    } still;
    bool made = false;
    for (uint32_t node = 0, block = 0; c && block < c->count; node++) {
        if (t->leaf[node])
            continue;
        shl_coherent_node *kept = &c->nodes[block];
        const float *delta = m->delta + (size_t)SHL_LANES * block++;
        if (usable(c, kept) ||
            !(all || atomic_load_explicit(&c->visited[node], memory_order_relaxed)))
            continue;
        if (!made)
            shl_reduced_still(b, &still.ready);
        made = true;
        kernels->reduced_open[m->bounds](shl_reduced_block(m, node), m->field_count,
                                         &still.ready, t->count[node], &kept->boxes);
        kept->epoch = c->epoch;
        kept->limit = limit_of(&kept->boxes, delta, t->count[node]);
        atomic_store_explicit(&c->visited[node], 0, memory_order_relaxed);
    }
}
