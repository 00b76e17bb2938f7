// SPDX-License-Identifier: MIT
// How the bridge sways, exactly: its centre line is a curve of unchanged length, and sections
// are carried along it rigidly.
#include "scenes/math/vec.h"
#include "scenes/models/pca.h"
#include "scenes/shapes/bridge.h"

#include <stdio.h>
#include <stdlib.h>

enum { SNAPSHOTS = 200, WAVES = 3, CUTS = 400 }; // cuts: of the line, to integrate along it

static const double pi = 3.141592653589793;

// Slopes of the line sideways and upwards and its twist, in radians, at most; each wave has
// half of the one before.
static const double sideways = 0.08, upwards = 0.04, twist = 0.2;

// Where a section is: a place on the line, and its axes.
typedef struct station {
    double at[3], axes[3][3]; // along, across, up
} station;

typedef struct sway {
    const shl_surface *rest;
    double length;
    double shares[SNAPSHOTS][3][WAVES]; // sideways, upwards, twist
    station (*lines)[CUTS + 1];         // [SNAPSHOTS]
} sway;

static void unit(double v[3])
{
    const double size = sqrt(shl_dot(v, v));
    for (int k = 0; k < 3; k++)
        v[k] /= size;
}

// The axes at a share s of the length.
static void turn_section(const sway *w, uint32_t snapshot, double s, double axes[3][3])
{
    double slope[2] = {0}, angle = 0;
    for (int k = 0; k < WAVES; k++) {
        const shl_sincos t = shl_sincos_of((k + 1) * pi * s);
        slope[0] += w->shares[snapshot][0][k] * t.cos;
        slope[1] += w->shares[snapshot][1][k] * t.cos;
        angle += w->shares[snapshot][2][k] * t.sin;
    }
    double along[3] = {1, slope[0], slope[1]}, across[3] = {0, 1, 0}, up[3];
    unit(along);
    shl_add(across, -along[1], along);
    unit(across);
    shl_cross(along, across, up);
    const shl_sincos t = shl_sincos_of(angle);
    for (int k = 0; k < 3; k++) {
        axes[0][k] = along[k];
        axes[1][k] = t.cos * across[k] + t.sin * up[k];
        axes[2][k] = t.cos * up[k] - t.sin * across[k];
    }
}

// The line begins in the middle and goes both ways; its ends then come down to where they were.
static void bend_line(const sway *w, uint32_t snapshot)
{
    station *line = w->lines[snapshot];
    const double cut = w->length / CUTS;
    for (int i = 0; i <= CUTS; i++)
        turn_section(w, snapshot, (double)i / CUTS, line[i].axes);
    memset(line[CUTS / 2].at, 0, sizeof line->at);
    for (int i = CUTS / 2; i < CUTS; i++) {
        memcpy(line[i + 1].at, line[i].at, sizeof line->at);
        shl_add(line[i + 1].at, 0.5 * cut, line[i].axes[0]);
        shl_add(line[i + 1].at, 0.5 * cut, line[i + 1].axes[0]);
    }
    for (int i = CUTS / 2; i > 0; i--) {
        memcpy(line[i - 1].at, line[i].at, sizeof line->at);
        shl_add(line[i - 1].at, -0.5 * cut, line[i].axes[0]);
        shl_add(line[i - 1].at, -0.5 * cut, line[i - 1].axes[0]);
    }
    double off[3];
    for (int k = 0; k < 3; k++)
        off[k] = 0.5 * (line[0].at[k] + line[CUTS].at[k]);
    for (int i = 0; i <= CUTS; i++)
        shl_add(line[i].at, -1, off);
}

static void read_snapshot(const void *ctx, uint32_t frame, uint32_t begin, uint32_t end,
                          double *to)
{
    const sway *w = ctx;
    for (uint32_t v = begin / 3; v < end / 3; v++, to += 3) {
        const double *p = w->rest->xyz + 3 * (size_t)v;
        const double place = fmin(fmax((p[0] / w->length + 0.5) * CUTS, 0), CUTS);
        const int cut = place < CUTS ? (int)place : CUTS - 1;
        const station *a = &w->lines[frame][cut], *b = a + 1;
        const double share = place - cut, over = p[2] - shl_bridge_deck;
        const double beyond = p[0] - (place / CUTS - 0.5) * w->length;
        for (int k = 0; k < 3; k++) {
            const double at = a->at[k] + share * (b->at[k] - a->at[k]);
            const double along = a->axes[0][k] + share * (b->axes[0][k] - a->axes[0][k]);
            const double across = a->axes[1][k] + share * (b->axes[1][k] - a->axes[1][k]);
            const double up = a->axes[2][k] + share * (b->axes[2][k] - a->axes[2][k]);
            to[k] = at + beyond * along + p[1] * across + over * up;
        }
        to[2] += shl_bridge_deck;
    }
}

static void choose_shares(sway *w)
{
    static const double most[3] = {sideways, upwards, twist};
    uint64_t seed = 1;
    for (int s = 0; s < SNAPSHOTS; s++) {
        for (int way = 0; way < 3; way++) {
            for (int k = 0; k < WAVES; k++)
                w->shares[s][way][k] = most[way] / (1 << k) * shl_random_signed(&seed);
        }
    }
}

shoal_status shl_bridge_make(uint32_t bays, shoal_model_file *out)
{
    *out = (shoal_model_file){0};
    shl_surface rest;
    shoal_status st = shl_mesh_bridge(bays, &rest);
    if (st != SHOAL_OK)
        return st;
    sway *w = malloc(sizeof *w);
    shl_pca found = {0};
    st = SHOAL_ERR_MEMORY;
    if (w) {
        w->rest = &rest;
        w->length = shl_bridge_bay * bays;
        w->lines = malloc(SNAPSHOTS * sizeof *w->lines);
        choose_shares(w);
        for (uint32_t s = 0; s < SNAPSHOTS && w->lines; s++)
            bend_line(w, s);
        const shl_snapshots snapshots = {SNAPSHOTS, 3 * rest.vertex_count, read_snapshot, w};
        if (w->lines)
            st = shl_pca_create(&snapshots, SHL_BRIDGE_FIELDS, &found);
        free(w->lines);
    }
    free(w);
    if (st == SHOAL_OK) {
        out->rest = (shoal_mesh){.xyz = found.mean,
                                 .triangles = rest.triangles,
                                 .vertex_count = rest.vertex_count,
                                 .triangle_count = rest.triangle_count};
        out->fields = found.fields;
        out->field_count = SHL_BRIDGE_FIELDS;
        found.mean = NULL;
        found.fields = NULL;
        rest.triangles = NULL;
    }
    shl_pca_finish(&found);
    shl_surface_finish(&rest);
    return st;
}

shoal_status shl_bridge_model(uint32_t bays, shl_say_fn *say, shoal_model_file *out)
{
    char name[32];
    snprintf(name, sizeof name, "bridge-1-%u", bays);
    const shl_recipe recipe = {name, shl_bridge_make, bays};
    return shl_cached_model(&recipe, say, out);
}
