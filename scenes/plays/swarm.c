// SPDX-License-Identifier: MIT
// Fish that swim in rounds, half of them one way and half the other, beat their tails and
// jostle where they meet.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/elastic_scene.h"
#include "scenes/shapes/sculptures.h"

#include <math.h>

static const double pull = 6, brake = 3;      // towards its place, a second squared; and speed
static const double aim = 14;                 // of head and tail, metres a second squared
static const double beat = 6, beat_pace = 12; // of the tail
static const double round_pace = 0.9;         // radians a second

static void define(const shl_scene_params *params, shl_elastic_def *def)
{
    (void)params;
    def->mls = (shl_mls_def){
        .density = 100, .young = 2e4, .poisson = 0.3, .hold = 0.1, .damping = 2e-3};
    def->step = 0.01;
    def->stiffness = 60;
    def->contact_damp = 20;
    def->drag = 0.5;
}

// Where a fish wants to be, and which way it then looks. Rounds get wider with the number of
// fish; neighbours in number go opposite ways.
static void wish(const shl_elastic_scene *s, uint32_t body, double time, double at[3],
                 double way[3])
{
    const uint32_t bodies = s->soft.def.bodies, lane = body / 2, lanes = (bodies + 1) / 2;
    const double side = body & 1 ? -1 : 1;
    const double radius = 0.55 + 0.11 * lanes + 0.3 * (body & 1);
    const double angle =
        side * round_pace * time + 6.283185307179586 * (lane + 0.5 * (body & 1)) / lanes;
    const shl_sincos t = shl_sincos_of(angle), rise = shl_sincos_of(2.4 * lane + 0.8 * time);
    at[0] = (radius + 0.25 * rise.sin) * t.cos;
    at[1] = (radius + 0.25 * rise.sin) * t.sin;
    at[2] = 0.5 * (lane % 3) - 0.5 + 0.2 * rise.cos;
    way[0] = -side * t.sin;
    way[1] = side * t.cos;
    way[2] = 0;
}

static void begin(shl_elastic_scene *s)
{
    for (uint32_t body = 0; body < s->soft.def.bodies; body++) {
        double at[3], way[3];
        wish(s, body, 0, at, way);
        // x of the fish goes along its way
        const double rotation[9] = {way[0], -way[1], 0, way[1], way[0], 0, 0, 0, 1};
        const double still[3] = {0};
        shl_elastic_place(&s->soft, body, rotation, at, still);
    }
}

// The mean place and velocity of a fish, its axis from tail to head, and its side.
static void feel(const shl_elastic *soft, uint32_t body, double centre[3], double velocity[3],
                 double axis[3], double side[3])
{
    const size_t n = soft->all;
    double count[2] = {0}, ends[2][3] = {{0}}, up[3] = {0, 0, 1};
    memset(centre, 0, 3 * sizeof *centre);
    memset(velocity, 0, 3 * sizeof *velocity);
    for (size_t i = 0; i < n; i++) {
        const double *y = soft->y + 3 * (body * n + i), x = soft->mls.rest[3 * i];
        const int end = x > 0;
        shl_add(centre, 1.0 / (double)n, y);
        shl_add(velocity, 1.0 / (double)n, soft->v + 3 * (body * n + i));
        shl_add(ends[end], 1, y);
        count[end]++;
    }
    double length = 0;
    for (int k = 0; k < 3; k++) {
        axis[k] = ends[1][k] / count[1] - ends[0][k] / count[0];
        length += axis[k] * axis[k];
    }
    for (int k = 0; k < 3 && length > 0; k++)
        axis[k] /= sqrt(length);
    shl_cross(up, axis, side);
    const double wide = sqrt(shl_dot(side, side));
    for (int k = 0; k < 3 && wide > 0; k++)
        side[k] /= wide;
}

static void drive(shl_elastic_scene *s, double time)
{
    shl_elastic *soft = &s->soft;
    for (uint32_t body = 0; body < soft->def.bodies; body++) {
        double at[3], way[3], centre[3], velocity[3], axis[3], side[3], base[3], turn[3];
        wish(s, body, time, at, way);
        feel(soft, body, centre, velocity, axis, side);
        for (int k = 0; k < 3; k++) {
            base[k] = pull * (at[k] - centre[k]) - brake * (velocity[k] - way[k]);
            turn[k] = aim * (way[k] - axis[k]);
        }
        for (size_t i = 0; i < soft->all; i++) {
            const double *rest = soft->mls.rest + 3 * i;
            double *push = soft->push + 3 * (body * (size_t)soft->all + i);
            // a wave from head to tail, larger at the tail
            const double wave = beat * (0.6 - rest[0]) *
                                shl_sincos_of(beat_pace * time + 5 * rest[0] + 1.7 * body).sin;
            for (int k = 0; k < 3; k++)
                push[k] = base[k] + turn[k] * rest[0] * 2 + wave * side[k];
            // upright: what is above is pulled up, what is below down
            push[2] += aim * rest[2];
        }
    }
}

static const shl_driver driver = {shl_mesh_soft_fish, define, begin, drive, NULL};

const shl_play shl_play_fish_24 = {
    .name = "fish-24",
    .summary = "a swarm of soft fish swims in rounds and jostles",
    .simulator = &shl_elastic_simulator,
    .kind = &driver,
    .defaults = {.vertices = 8000, .controls = 96, .bodies = 24, .steps = 400, .seed = 1},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_VERTICES | SHL_TAKES_CONTROLS |
             SHL_TAKES_BODIES};
