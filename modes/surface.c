// SPDX-License-Identifier: MIT
#include "modes/surface.h"

#include <math.h>
#include <stdlib.h>

// A place as a share of each of a cube's corners.
typedef struct place {
    uint32_t node[8];
    double share[8];
} place;

// The cube that a point is in, or the nearest one with something inside: every point of the
// surface is in such a cube or next to one, unless it belongs to a part that was left out.
static size_t cube_near(const shl_voxels *v, const double at[3], uint32_t out[3])
{
    const int64_t most = (int64_t)v->count[0] + v->count[1] + v->count[2];
    int64_t own[3];
    for (int k = 0; k < 3; k++)
        own[k] = (int64_t)fmin(v->count[k] - 1.0, fmax(0, floor(at[k])));
    double best = INFINITY;
    for (int64_t ring = 0; ring <= most; ring++) {
        for (int64_t z = own[2] - ring; z <= own[2] + ring; z++) {
            for (int64_t y = own[1] - ring; y <= own[1] + ring; y++) {
                for (int64_t x = own[0] - ring; x <= own[0] + ring; x++) {
                    const int64_t cube[3] = {x, y, z};
                    double square = 0;
                    bool there = true;
                    for (int k = 0; k < 3; k++) {
                        there = there && cube[k] >= 0 && cube[k] < v->count[k];
                        const double d = at[k] - ((double)cube[k] + 0.5);
                        square += d * d;
                    }
                    if (!there || square >= best ||
                        !(v->share[shl_voxel_at(v, (uint32_t)x, (uint32_t)y, (uint32_t)z)] > 0))
                        continue;
                    best = square;
                    for (int k = 0; k < 3; k++)
                        out[k] = (uint32_t)cube[k];
                }
            }
        }
        // one ring more may hold a nearer centre, not two
        if (best < INFINITY && (double)ring > sqrt(best) + 0.5)
            break;
    }
    return shl_voxel_at(v, out[0], out[1], out[2]);
}

static place place_of(const shl_solid *s, const double *point)
{
    const shl_voxels *v = s->voxels;
    double at[3];
    uint32_t cube[3] = {0};
    place out;
    for (int k = 0; k < 3; k++)
        at[k] = (point[k] - v->lo[k]) / v->size;
    cube_near(v, at, cube);
    for (uint32_t c = 0; c < 8; c++) {
        out.share[c] = 1;
        for (int k = 0; k < 3; k++) {
            const double t = at[k] - cube[k]; // a little outside of [0, 1] goes on in line
            out.share[c] *= c >> k & 1 ? t : 1 - t;
        }
        out.node[c] = s->node[shl_corner_at(v, cube[0] + (c & 1), cube[1] + (c >> 1 & 1),
                                            cube[2] + (c >> 2 & 1))] -
                      1;
    }
    return out;
}

shoal_status shl_surface_fields(const shl_solid *s, const shl_modes *modes,
                                const shoal_mesh *mesh, float **fields, double **masses)
{
    const size_t n = mesh->vertex_count;
    double *moved = malloc(3 * n * modes->count * sizeof *moved);
    *fields = malloc(3 * n * modes->count * sizeof **fields);
    *masses = malloc(modes->count * sizeof **masses);
    const bool room = moved && *fields && *masses;
    if (!room) {
        free(*fields);
        free(*masses);
        *fields = NULL;
        *masses = NULL;
    }
    for (size_t v = 0; v < n && room; v++) {
        const place p = place_of(s, mesh->xyz + 3 * v);
        for (size_t j = 0; j < modes->count; j++) {
            double *to = moved + 3 * (j * n + v);
            const double *shape = modes->shape + 3 * j * s->node_count;
            for (size_t k = 0; k < 3; k++) {
                to[k] = 0;
                for (int c = 0; c < 8; c++)
                    to[k] += p.share[c] * shape[3 * (size_t)p.node[c] + k];
            }
        }
    }
    for (size_t j = 0; j < modes->count && room; j++) {
        double square = 0;
        for (size_t v = 0; v < n; v++) {
            const double *u = moved + 3 * (j * n + v);
            square = fmax(square, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        }
        (*masses)[j] = 1 / square; // it was 1 when the largest displacement was this
        for (size_t i = 0; i < 3 * n; i++)
            (*fields)[3 * n * j + i] = (float)(moved[3 * n * j + i] / sqrt(square));
    }
    free(moved);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}
