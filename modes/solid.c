// SPDX-License-Identifier: MIT
#include "modes/solid.h"

#include "modes/brick.h"

#include <stdlib.h>
#include <string.h>

static void corners_of(const shl_voxels *v, size_t cube, size_t out[8])
{
    const uint32_t x = (uint32_t)(cube % v->count[0]);
    const uint32_t y = (uint32_t)(cube / v->count[0] % v->count[1]);
    const uint32_t z = (uint32_t)(cube / v->count[0] / v->count[1]);
    for (uint32_t c = 0; c < 8; c++)
        out[c] = shl_corner_at(v, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2 & 1));
}

static size_t cubes_of(const shl_voxels *v)
{
    return (size_t)v->count[0] * v->count[1] * v->count[2];
}

static void number_nodes(shl_solid *s)
{
    for (size_t cube = 0; cube < cubes_of(s->voxels); cube++) {
        size_t corners[8];
        if (!(s->voxels->share[cube] > 0))
            continue;
        corners_of(s->voxels, cube, corners);
        for (int c = 0; c < 8; c++) {
            if (!s->node[corners[c]])
                s->node[corners[c]] = ++s->node_count;
        }
    }
}

// What a cube adds to a matrix, where it is full and its side and material are 1.
typedef double brick_matrix[SHL_BRICK][SHL_BRICK];

// The upper halves of all cubes' matrices, as triplets that are then summed.
static cholmod_sparse *assemble(shl_solid *s, const brick_matrix brick, double scale)
{
    const size_t rows = 3 * (size_t)s->node_count;
    const size_t most = (size_t)s->voxels->used * (SHL_BRICK * (SHL_BRICK + 1) / 2);
    cholmod_triplet *t =
        cholmod_allocate_triplet(rows, rows, most, 1, CHOLMOD_REAL, &s->common);
    if (!t)
        return NULL;
    int *from = t->i, *to = t->j;
    double *value = t->x;
    for (size_t cube = 0; cube < cubes_of(s->voxels); cube++) {
        const double share = (double)s->voxels->share[cube];
        size_t corners[8];
        if (!(share > 0))
            continue;
        corners_of(s->voxels, cube, corners);
        for (int i = 0; i < SHL_BRICK; i++) {
            const int row = 3 * ((int)s->node[corners[i / 3]] - 1) + i % 3;
            for (int j = 0; j < SHL_BRICK; j++) {
                const int column = 3 * ((int)s->node[corners[j / 3]] - 1) + j % 3;
                if (row > column || brick[i][j] == 0)
                    continue;
                from[t->nnz] = row;
                to[t->nnz] = column;
                value[t->nnz++] = share * scale * brick[i][j];
            }
        }
    }
    cholmod_sparse *out = cholmod_triplet_to_sparse(t, t->nnz, &s->common);
    cholmod_free_triplet(&t, &s->common);
    return out;
}

static bool assemble_both(shl_solid *s, const shl_material *m)
{
    const double size = s->voxels->size;
    brick_matrix stiffness, mass = {{0}};
    shl_brick_stiffness(m->poisson, stiffness);
    for (int i = 0; i < SHL_BRICK; i++) {
        for (int other = 0; other < 8; other++)
            mass[i][3 * other + i % 3] = shl_brick_mass(i / 3, other);
    }
    s->stiffness = assemble(s, (const double(*)[SHL_BRICK])stiffness, size * m->young);
    s->mass = assemble(s, (const double(*)[SHL_BRICK])mass, size * size * size * m->density);
    return s->stiffness && s->mass;
}

shoal_status shl_solid_create(const shl_voxels *v, const shl_material *material, shl_solid *out)
{
    memset(out, 0, sizeof *out);
    out->voxels = v;
    cholmod_start(&out->common);
    out->common.print = 0;
    const size_t corners = (size_t)(v->count[0] + 1) * (v->count[1] + 1) * (v->count[2] + 1);
    out->node = calloc(corners, sizeof *out->node);
    bool room = out->node != NULL;
    if (room) {
        number_nodes(out);
        room = assemble_both(out, material);
    }
    if (!room)
        shl_solid_finish(out);
    return room ? SHOAL_OK : SHOAL_ERR_MEMORY;
}

void shl_solid_finish(shl_solid *s)
{
    free(s->node);
    cholmod_free_sparse(&s->stiffness, &s->common);
    cholmod_free_sparse(&s->mass, &s->common);
    cholmod_finish(&s->common);
    memset(s, 0, sizeof *s);
}
