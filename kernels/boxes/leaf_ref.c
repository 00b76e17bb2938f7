// SPDX-License-Identifier: MIT
#include "kernels/boxes/leaf.h"

// In the very operations that vector code uses; NaN, which is infinity times 0, becomes 0.
static uint16_t step_of(float x, float origin, float scale)
{
    float at = (x - origin) * scale;
    at = at > 0 ? at : 0;
    at = at < (float)SHL_GRID_MAX ? at : (float)SHL_GRID_MAX;
    return (uint16_t)at;
}

void shl_leaf_open_ref(const shl_tree *tree, const float *xyz, uint32_t leaf,
                       const shl_lattice *grid, shl_leaf_tris *out)
{
    const uint32_t last = tree->count[leaf] - 1u;
    out->first = tree->first[leaf];
    for (uint32_t lane = 0; lane < SHL_LANES; lane++) {
        const shl_tri *tri = &tree->tri[out->first + (lane < last ? lane : last)];
        for (int i = 0; i < 3; i++) {
            out->vertex[i][lane] = tri->v[i];
            for (int k = 0; k < 3; k++)
                out->corner[i][k][lane] = xyz[3 * (size_t)tri->v[i] + (size_t)k];
        }
        for (int k = 0; k < 3; k++) {
            const float p = out->corner[0][k][lane], q = out->corner[1][k][lane];
            const float r = out->corner[2][k][lane];
            const float pq_lo = p < q ? p : q, pq_hi = p > q ? p : q;
            const float lo = pq_lo < r ? pq_lo : r, hi = pq_hi > r ? pq_hi : r;
            out->box[k][0][lane] = step_of(lo, grid->origin[k], grid->scale[k]);
            out->box[k][1][lane] = step_of(hi, grid->origin[k], grid->scale[k]);
            if (lane > last) {
                out->box[k][0][lane] = SHL_GRID_MAX + 1;
                out->box[k][1][lane] = 0;
            }
        }
    }
}

static bool overlap(const shl_leaf_tris *a, uint32_t i, const shl_leaf_tris *b, uint32_t j)
{
    for (int k = 0; k < 3; k++) {
        if (a->box[k][0][i] > b->box[k][1][j] || b->box[k][0][j] > a->box[k][1][i])
            return false;
    }
    return true;
}

static bool kin(const shl_leaf_tris *a, uint32_t i, const shl_leaf_tris *b, uint32_t j)
{
    bool any = false;
    for (int x = 0; x < 3; x++) {
        for (int y = 0; y < 3; y++)
            any |= a->vertex[x][i] == b->vertex[y][j];
    }
    return any;
}

uint32_t shl_leaf_pairs_ref(const shl_leaf_tris *a, const shl_leaf_tris *b, uint32_t kind,
                            shl_tri_columns *out, uint32_t count)
{
    for (uint32_t i = 0; i < SHL_LANES; i++) {
        for (uint32_t j = kind & SHL_LEAF_SELF ? i + 1 : 0; j < SHL_LANES; j++) {
            if (!overlap(a, i, b, j) || (kind & SHL_LEAF_NONADJACENT && kin(a, i, b, j)))
                continue;
            for (int c = 0; c < 9; c++) {
                out->corner[0][c / 3][c % 3][count] = a->corner[c / 3][c % 3][i];
                out->corner[1][c / 3][c % 3][count] = b->corner[c / 3][c % 3][j];
            }
            out->row[count++] = (shl_tri_pair){a->first + i, b->first + j};
        }
    }
    return count;
}

uint32_t shl_tri_columns_ref(const shl_tri_columns *columns, uint32_t count,
                             const shl_tri_side *a, const shl_tri_side *b, shl_tri_pair *out,
                             uint64_t *exact_count)
{
    return shl_tri_overlap_ref(a, b, columns->row, count, out, exact_count);
}
