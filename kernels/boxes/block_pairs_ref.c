// SPDX-License-Identifier: MIT
#include "kernels/boxes/block_pairs.h"

static shl_box lane_box(const shl_block *b, uint32_t lane)
{
    return (shl_box){{b->lo[0][lane], b->lo[1][lane], b->lo[2][lane]},
                     {b->hi[0][lane], b->hi[1][lane], b->hi[2][lane]}};
}

// The overlap of two boxes; false if there is none.
static bool meet(const shl_box *a, const shl_box *b, shl_box *out)
{
    bool any = true;
    for (int k = 0; k < 3; k++) {
        out->lo[k] = a->lo[k] > b->lo[k] ? a->lo[k] : b->lo[k];
        out->hi[k] = a->hi[k] < b->hi[k] ? a->hi[k] : b->hi[k];
        any = any && out->lo[k] <= out->hi[k];
    }
    return any;
}

// Box of each pair of lanes that overlap inside `clip`, in order; returns how many.
static uint32_t lane_pairs(const shl_block *a, const shl_block *b, const shl_box *clip,
                           bool self, uint8_t lanes[SHL_BLOCK_PAIRS_MAX][2],
                           shl_box boxes[SHL_BLOCK_PAIRS_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SHL_LANES; i++) {
        const shl_box box_a = lane_box(a, i);
        shl_box unused;
        if (!meet(&box_a, clip, &unused))
            continue;
        for (uint32_t j = self ? i + 1 : 0; j < SHL_LANES; j++) {
            const shl_box box_b = lane_box(b, j);
            if (!meet(&box_b, clip, &unused) || !meet(&box_a, &box_b, &boxes[count]))
                continue;
            lanes[count][0] = (uint8_t)i;
            lanes[count][1] = (uint8_t)j;
            count++;
        }
    }
    return count;
}

uint64_t shl_block_mask_ref(const shl_block *a, const shl_block *b)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < SHL_BLOCK_PAIRS_MAX; i++) {
        const shl_box box_a = lane_box(a, i / SHL_LANES), box_b = lane_box(b, i % SHL_LANES);
        shl_box unused;
        all |= (uint64_t)meet(&box_a, &box_b, &unused) << i;
    }
    return all;
}

uint32_t shl_block_pairs_ref(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                             shl_node_pair *out)
{
    uint8_t lanes[SHL_BLOCK_PAIRS_MAX][2];
    shl_box boxes[SHL_BLOCK_PAIRS_MAX];
    const uint32_t count = lane_pairs(a.block, b.block, clip, self, lanes, boxes);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (shl_node_pair){a.first + lanes[i][0], b.first + lanes[i][1], boxes[i]};
    return count;
}

uint32_t shl_block_tris_ref(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                            shl_tri_pair *out)
{
    uint8_t lanes[SHL_BLOCK_PAIRS_MAX][2];
    shl_box boxes[SHL_BLOCK_PAIRS_MAX];
    const uint32_t count = lane_pairs(a.block, b.block, clip, self, lanes, boxes);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (shl_tri_pair){a.first + lanes[i][0], b.first + lanes[i][1]};
    return count;
}

static bool are_adjacent(const shl_tri *x, const shl_tri *y)
{
    bool any = false;
    for (int i = 0; i < 9; i++)
        any |= x->v[i / 3] == y->v[i % 3];
    return any;
}

uint32_t shl_block_nonadjacent_ref(shl_lanes a, shl_lanes b, const shl_box *clip, bool self,
                                   const shl_tri *tri, uint32_t rows, shl_tri_pair *out)
{
    (void)rows; // lanes without a triangle are empty
    const uint32_t count = shl_block_tris_ref(a, b, clip, self, out);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!are_adjacent(&tri[out[i].a], &tri[out[i].b]))
            out[kept++] = out[i];
    }
    return kept;
}

uint32_t shl_block_clip_ref(shl_lanes a, uint32_t b, const shl_box *clip, shl_node_pair *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SHL_LANES; i++) {
        const shl_box box = lane_box(a.block, i);
        shl_box both;
        if (meet(&box, clip, &both))
            out[count++] = (shl_node_pair){a.first + i, b, both};
    }
    return count;
}
