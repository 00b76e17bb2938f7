// SPDX-License-Identifier: MIT
// Nodes and weights for models of small tests.
#ifndef TESTS_ZERO_SKINNED_H
#define TESTS_ZERO_SKINNED_H

#include "worlds.h"

#include <shoal/shoal.h>

#include <math.h>
#include <stdlib.h>

enum { SKINNED_CONTROLS = 5, SKINNED_VERTICES = 60 };

// Two nodes that share each vertex in one of four ways; both act on some.
typedef struct controls {
    double nodes[6];
    uint32_t begin[SKINNED_VERTICES + 1], node[2 * SKINNED_VERTICES];
    float weight[2 * SKINNED_VERTICES];
} controls;

static inline shoal_skinned_def carry_by_two(uint32_t vertices, controls *c)
{
    shoal_skinned_def def = shoal_skinned_def_default();
    for (uint32_t v = 0; v < vertices; v++) {
        c->begin[v + 1] = 2 * v + 2;
        for (uint32_t i = 0; i < 2; i++) {
            c->node[2 * v + i] = i;
            c->weight[2 * v + i] = 0.25f * (float)(i ? v % 4 : 4 - v % 4);
        }
    }
    def.control_count = 2;
    def.controls = c->nodes;
    def.weight_begin = c->begin;
    def.weight_control = c->node;
    def.weight = c->weight;
    def.weight_count = 2 * (size_t)vertices;
    return def;
}

// Nodes on a line, each vertex between two of them.
static inline shoal_model *carry_along_x(shoal_context *ctx, const world_mesh *mesh)
{
    double nodes[3 * SKINNED_CONTROLS] = {0};
    const size_t n = mesh->vertex_count;
    uint32_t *begin = calloc(n + 1, sizeof *begin), *node = calloc(2 * n, sizeof *node);
    float *weight = calloc(2 * n, sizeof *weight);
    for (int i = 0; i < SKINNED_CONTROLS; i++)
        nodes[3 * i] = -1 + 2.0 * i / (SKINNED_CONTROLS - 1);
    for (size_t v = 0; v < n; v++) {
        const double along = (mesh->rest[3 * v] + 1.5) / 3 * (SKINNED_CONTROLS - 1);
        const uint32_t low = (uint32_t)fmin(fmax(along, 0), SKINNED_CONTROLS - 2);
        const float share = (float)fmin(fmax(along - low, 0), 1);
        begin[v + 1] = (uint32_t)(2 * v + 2);
        node[2 * v] = low;
        node[2 * v + 1] = low + 1;
        weight[2 * v] = 1 - share;
        weight[2 * v + 1] = share;
    }
    shoal_skinned_def skinned = shoal_skinned_def_default();
    skinned.control_count = SKINNED_CONTROLS;
    skinned.controls = nodes;
    skinned.weight_begin = begin;
    skinned.weight_control = node;
    skinned.weight = weight;
    skinned.weight_count = 2 * n;
    shoal_model_def def = shoal_model_def_default();
    def.triangles = mesh->tri;
    def.triangle_count = mesh->triangle_count;
    def.rest = shoal_positions_f64(mesh->rest, mesh->vertex_count);
    def.skinned = &skinned;
    shoal_model *model = NULL;
    if (shoal_model_create(ctx, &def, &model))
        model = NULL;
    free(begin);
    free(node);
    free(weight);
    return model;
}

#endif
