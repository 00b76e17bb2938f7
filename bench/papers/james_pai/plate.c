// SPDX-License-Identifier: MIT
#include "bench/papers/james_pai/plate.h"

#include "bench/papers/james_pai/literal/spheres.h"
#include "scenes/math/portable_math.h"
#include "scenes/models/curtain.h"
#include "scenes/models/modal_plate.h"
#include "scenes/plays/actors.h"
#include "scenes/shapes/bridge.h"
#include "scenes/shapes/chair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t along, across, fields; // along 0: no plate
    int side;
    double ball;
} sizes[BENCH_PLATES] = {
    {"12K, M = 12", 76, 38, 12, 1, 0.05},       {"17.9K, M = 10", 94, 46, 10, 1, 0.05},
    {"240K, M = 10", 365, 163, 10, 1, 0.05},    {"curtain", 0, 0, SHL_CURTAIN_FIELDS, 1, 0.11},
    {"chair", 0, 0, SHL_CHAIR_FIELDS, 2, 0.05}, {"bridge", 0, 0, SHL_BRIDGE_FIELDS, 2, 0.3}};

enum { CURTAIN = 3, CHAIR, BRIDGE };

static shoal_status make_chair(bench_plate *p)
{
    double *shares = NULL;
    shoal_status st = shl_mesh_chair(&p->mesh);
    if (st == SHOAL_OK)
        st = shl_vertex_shares(&p->mesh, &shares);
    if (st == SHOAL_OK)
        st = shl_chair_fields(&p->mesh, shares, &p->fields);
    free(shares);
    return st;
}

static shoal_status read_model(bench_plate *p, uint32_t which)
{
    shoal_model_file file;
    const shoal_status st =
        which == CURTAIN ? shl_curtain_model(NULL, &file) : shl_bridge_model(40, NULL, &file);
    if (st != SHOAL_OK)
        return st;
    p->mesh = (shl_surface){file.rest.xyz, file.rest.triangles, file.rest.vertex_count,
                            file.rest.triangle_count};
    p->fields = file.fields;
    free(file.motion);
    return SHOAL_OK;
}

// The model's own arrays: fields vertex by vertex.
static bool make_rows(bench_plate *p)
{
    const size_t vertices = p->mesh.vertex_count, fields = p->model.field_count;
    p->model.vertex_count = p->mesh.vertex_count;
    p->model.rest = p->mesh.xyz;
    p->model.fields = malloc(3 * vertices * fields * sizeof *p->model.fields);
    if (!p->model.fields)
        return false;
    for (size_t i = 0; i < 3 * vertices; i++)
        p->model.extent = fmax(p->model.extent, fabs(p->mesh.xyz[i]));
    for (size_t j = 0; j < fields; j++) {
        for (size_t i = 0; i < 3 * vertices; i++) {
            const float u = p->fields[3 * j * vertices + i];
            p->model.fields[3 * (i / 3 * fields + j) + i % 3] = u;
            p->model.field_extent[j] = fmax(p->model.field_extent[j], fabs((double)u));
        }
    }
    return true;
}

shoal_status bench_plate_create(uint32_t which, bench_plate *out)
{
    memset(out, 0, sizeof *out);
    out->name = sizes[which].name;
    out->side = sizes[which].side;
    out->ball = sizes[which].ball;
    out->model.field_count = sizes[which].fields;
    shoal_status st = sizes[which].along
                          ? shl_mesh_modal_plate(sizes[which].along, sizes[which].across,
                                                 sizes[which].fields, &out->mesh, &out->fields)
                      : which == CHAIR ? make_chair(out)
                                       : read_model(out, which);
    if (st == SHOAL_OK &&
        !(literal_tree_halved(&out->mesh, out->fields, out->model.field_count, &out->tree) &&
          make_rows(out)))
        st = SHOAL_ERR_MEMORY;
    if (st != SHOAL_OK)
        bench_plate_finish(out);
    return st;
}

void bench_plate_finish(bench_plate *p)
{
    literal_tree_finish(&p->tree);
    shl_surface_finish(&p->mesh);
    free(p->fields);
    free(p->model.fields);
    memset(p, 0, sizeof *p);
}

void bench_plate_sway(const bench_plate *p, double time, double amplitude, double *q)
{
    for (uint32_t j = 0; j < p->model.field_count; j++) {
        const double turns = (j + 1) * time + 0.37 * j;
        const uint32_t pair = j / 2;
        q[j] = amplitude / (1 + pair) * shl_sincos_of(6.283185307179586 * turns).sin;
    }
}

void bench_plate_deform(const bench_plate *p, const double *q, double *xyz)
{
    const size_t vertices = p->mesh.vertex_count, fields = p->model.field_count;
    for (size_t v = 0; v < vertices; v++) {
        const float *u = p->model.fields + 3 * v * fields;
        double d[3] = {p->mesh.xyz[3 * v], p->mesh.xyz[3 * v + 1], p->mesh.xyz[3 * v + 2]};
        for (size_t i = 0; i < 3 * fields; i++)
            d[i % 3] += (double)u[i] * q[i / 3];
        memcpy(xyz + 3 * v, d, sizeof d);
    }
}
