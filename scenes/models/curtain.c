// SPDX-License-Identifier: MIT
// The cloth is solved by constraints on distances (extended position-based dynamics, Macklin et
// al. 2016, with one pass in each of many short steps).
#include "scenes/models/curtain.h"

#include "scenes/math/vec.h"
#include "scenes/models/pca.h"

#include <stdlib.h>

enum {
    ACROSS = SHL_CURTAIN_ACROSS,
    DOWN = SHL_CURTAIN_DOWN,
    COUNT = ACROSS * DOWN,
    QUADS = (ACROSS - 1) * (DOWN - 1),
    WARM_UP = 60, // frames until it hangs
    SHORT = 24,   // steps of a frame
    FOLDS = 5
};

const double shl_curtain_frame = 1.0 / 30, shl_curtain_top = 2.2;

// Metres, kilograms of a particle, seconds.
static const double cell = 0.02, fold = 0.06, gathered = 0.8, mass = 3e-4;
static const double gravity = 9.81, air = 0.6, drag = 0.35;
static const double pi = 3.141592653589793;

typedef struct spring {
    uint32_t a, b;
    double length, softness; // metres a newton
} spring;

typedef struct cloth {
    double (*at)[3], (*before)[3], (*speed)[3]; // [COUNT]
    spring *springs;
    uint32_t spring_count;
    uint32_t *triangles; // [3 * 2 * QUADS]
    double time;
    uint64_t random;
    double gust, gust_goal;
} cloth;

static uint32_t particle(uint32_t x, uint32_t y)
{
    return y * ACROSS + x;
}

static void tie(cloth *c, uint32_t a, uint32_t b, double length, double softness)
{
    c->springs[c->spring_count++] = (spring){a, b, length, softness};
}

// Along threads, across cells, and over two cells, which resists bending.
static void tie_all(cloth *c)
{
    const double shear = 1.4142135623730951 * cell;
    for (uint32_t y = 0; y < DOWN; y++) {
        for (uint32_t x = 0; x < ACROSS; x++) {
            const uint32_t p = particle(x, y);
            const bool right = x + 1 < ACROSS, below = y + 1 < DOWN;
            if (right)
                tie(c, p, p + 1, cell, 1e-6);
            if (below)
                tie(c, p, p + ACROSS, cell, 1e-7);
            if (right && below) {
                tie(c, p, p + ACROSS + 1, shear, 1e-3);
                tie(c, p + 1, p + ACROSS, shear, 1e-3);
            }
            if (x + 2 < ACROSS)
                tie(c, p, p + 2, 2 * cell, 5e-2);
            if (y + 2 < DOWN)
                tie(c, p, p + 2 * ACROSS, 2 * cell, 5e-2);
        }
    }
}

// Gathered in folds at the top, and hanging straight down.
static void hang(cloth *c)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t row = i / ACROSS;
        const double s = (double)(i % ACROSS) / (ACROSS - 1);
        c->at[i][0] = gathered * cell * (ACROSS - 1) * (s - 0.5);
        c->at[i][1] = fold * shl_sincos_of(2 * pi * FOLDS * s).sin;
        c->at[i][2] = shl_curtain_top - cell * row;
    }
    for (uint32_t i = 0; i < QUADS; i++) {
        const uint32_t p = particle(i % (ACROSS - 1), i / (ACROSS - 1));
        const uint32_t corners[6] = {p, p + ACROSS, p + 1, p + 1, p + ACROSS, p + ACROSS + 1};
        memcpy(c->triangles + 6 * (size_t)i, corners, sizeof corners);
    }
}

// Gusts come and go; where the wind blows most wanders over the cloth.
static void blow(cloth *c, double h)
{
    c->gust += 2.5 * h * (c->gust_goal - c->gust);
    const shl_sincos side = shl_sincos_of(2.1 * c->time), high = shl_sincos_of(1.3 * c->time);
    for (size_t t = 0; t < 2 * (size_t)QUADS; t++) {
        const uint32_t *v = c->triangles + 3 * t;
        double e[3], f[3], n[3], speed[3] = {0}, middle[3] = {0};
        for (int k = 0; k < 3; k++) {
            e[k] = c->at[v[1]][k] - c->at[v[0]][k];
            f[k] = c->at[v[2]][k] - c->at[v[0]][k];
            for (int corner = 0; corner < 3; corner++) {
                speed[k] += c->speed[v[corner]][k] / 3;
                middle[k] += c->at[v[corner]][k] / 3;
            }
        }
        shl_cross(e, f, n);
        const double size = sqrt(shl_dot(n, n));
        const double where = 0.6 + 0.5 * side.sin * middle[0] + 0.35 * high.sin * middle[2];
        const double wind[3] = {0.5 * side.cos - speed[0], c->gust * where - speed[1],
                                -speed[2]};
        if (!(size > 0))
            continue;
        // pressure along the normal: density, area, square of the speed through the cloth
        const double through = shl_dot(wind, n) / size;
        const double push = air * 0.5 * size * through * fabs(through);
        for (int corner = 0; corner < 3; corner++)
            shl_add(c->speed[v[corner]], h * push / (3 * mass * size), n);
    }
}

static void keep_lengths(cloth *c, double h)
{
    for (uint32_t i = 0; i < c->spring_count; i++) {
        const spring *s = &c->springs[i];
        const double wa = s->a < ACROSS ? 0 : 1 / mass, wb = s->b < ACROSS ? 0 : 1 / mass;
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = c->at[s->b][k] - c->at[s->a][k];
        const double length = sqrt(shl_dot(d, d));
        if (!(wa + wb > 0) || !(length > 0))
            continue;
        const double move = (length - s->length) / (wa + wb + s->softness / (h * h)) / length;
        shl_add(c->at[s->a], wa * move, d);
        shl_add(c->at[s->b], -wb * move, d);
    }
}

static void short_step(cloth *c, double h)
{
    blow(c, h);
    memcpy(c->before, c->at, COUNT * sizeof *c->at);
    for (uint32_t i = ACROSS; i < COUNT; i++) { // the top row is pinned
        c->speed[i][2] -= h * gravity;
        shl_add(c->at[i], h, c->speed[i]);
    }
    keep_lengths(c, h);
    for (uint32_t i = ACROSS; i < COUNT; i++) {
        for (int k = 0; k < 3; k++)
            c->speed[i][k] = (1 - drag * h) * (c->at[i][k] - c->before[i][k]) / h;
    }
    c->time += h;
}

// One frame; `wind` is how strong gusts are, in metres a second.
static void frame(cloth *c, uint32_t number, double wind)
{
    if (number % 12 == 0) {
        const double draw = shl_random_signed(&c->random);
        c->gust_goal = wind * (0.45 + 0.9 * draw);
    }
    for (int i = 0; i < SHORT; i++)
        short_step(c, shl_curtain_frame / SHORT);
}

typedef double (*recorded)[COUNT][3];

static void read_frame(const void *ctx, uint32_t number, uint32_t begin, uint32_t end,
                       double *to)
{
    const double *film = ctx; // [frames][COUNT][3]
    memcpy(to, film + (size_t)number * 3 * COUNT + begin, (end - begin) * sizeof *to);
}

static void record(cloth *c, recorded film)
{
    hang(c);
    tie_all(c);
    for (uint32_t f = 0; f < WARM_UP; f++)
        frame(c, f, 0);
    for (uint32_t f = 0; f < SHL_CURTAIN_FRAMES; f++) {
        frame(c, f, 4.5);
        memcpy(film[f], c->at, COUNT * sizeof *c->at);
    }
}

shoal_status shl_curtain_make(shoal_model_file *out)
{
    *out = (shoal_model_file){0};
    cloth c = {.at = calloc(COUNT, sizeof *c.at),
               .before = calloc(COUNT, sizeof *c.before),
               .speed = calloc(COUNT, sizeof *c.speed),
               .springs = calloc(6 * (size_t)COUNT, sizeof *c.springs),
               .triangles = calloc(2 * (size_t)QUADS, 3 * sizeof *c.triangles),
               .random = 7};
    recorded film = calloc(SHL_CURTAIN_FRAMES, sizeof *film);
    shl_pca found = {0};
    shoal_status st = SHOAL_ERR_MEMORY;
    if (c.at && c.before && c.speed && c.springs && c.triangles && film) {
        record(&c, film);
        const shl_snapshots snapshots = {SHL_CURTAIN_FRAMES, 3 * COUNT, read_frame, film};
        st = shl_pca_create(&snapshots, SHL_CURTAIN_FIELDS, &found);
    }
    free(c.at);
    free(c.before);
    free(c.speed);
    free(c.springs);
    free(film);
    if (st != SHOAL_OK) {
        free(c.triangles);
        return st;
    }
    *out = (shoal_model_file){.rest = {.xyz = found.mean,
                                       .triangles = c.triangles,
                                       .vertex_count = COUNT,
                                       .triangle_count = 2 * QUADS},
                              .fields = found.fields,
                              .field_count = SHL_CURTAIN_FIELDS,
                              .motion = found.q,
                              .frame_count = SHL_CURTAIN_FRAMES};
    return SHOAL_OK;
}

static shoal_status make(uint32_t size, shoal_model_file *out)
{
    (void)size;
    return shl_curtain_make(out);
}

shoal_status shl_curtain_model(shl_say_fn *say, shoal_model_file *out)
{
    const shl_recipe recipe = {"curtain-1", make, 0};
    return shl_cached_model(&recipe, say, out);
}
