// SPDX-License-Identifier: MIT
// Figures that hang by the tips of their hats on a ring. It closes in until they touch, turns
// to and fro and tilts, so that they lag, fly outwards, fall back and meet.
#include "scenes/math/turn.h"
#include "scenes/math/vec.h"
#include "scenes/plays/elastic_scene.h"
#include "scenes/shapes/sculptures.h"

static const double gravity = 6;
static const double held_above = 1.1; // of a figure's control points at rest, metres

static const double wide = 0.85; // radius of the ring at first
static const double closing = 1; // seconds until it has its own

// How the ring goes, and how hard contacts are. Tuned so that at 2,857 vertices 1 or 5 in 100
// triangles are in a pair, in the mean over steps 100 to 400.
typedef struct ring_motion {
    double radius;     // metres
    double sway, pace; // turns to and fro by this many radians, this many a second
    double tilt;       // of the ring, radians
    double stiffness, damp;
} ring_motion;

static const ring_motion motions[2] = {
    {.radius = 0.46, .sway = 0.4, .pace = 2.0, .tilt = 0.12, .stiffness = 60, .damp = 40},
    {.radius = 0.26, .sway = 0.6, .pace = 2.2, .tilt = 0.25, .stiffness = 20, .damp = 20},
};

static void define(const shl_scene_params *params, shl_elastic_def *def)
{
    def->mls = (shl_mls_def){
        .density = 100, .young = 2.5e4, .poisson = 0.3, .hold = 0.1, .damping = 2e-3};
    def->step = 0.01;
    def->stiffness = motions[params->contact].stiffness;
    def->contact_damp = motions[params->contact].damp;
    def->drag = 0.1;
}

// Where a figure's frame is when held by the ring.
static void frame_of(const shl_elastic_scene *s, uint32_t body, double time, double rotation[9],
                     double at[3])
{
    const ring_motion *m = &motions[s->params.contact];
    const double place = 6.283185307179586 * body / s->soft.def.bodies;
    const double angle = place + m->sway * (1 - shl_sincos_of(m->pace * time).cos);
    const shl_sincos t = shl_sincos_of(angle);
    // the tilt grows from 0, so that the figures begin at rest
    const shl_sincos lean = shl_sincos_of(m->tilt * shl_sincos_of(0.7 * m->pace * time).sin);
    const double gone = fmin(1, time / closing), smooth = gone * gone * (3 - 2 * gone);
    const double radius = wide + smooth * (m->radius - wide);
    const double flat[3] = {radius * t.cos, radius * t.sin, 0};
    // a figure at rest looks along -y, and on the ring outwards
    const double turned[9] = {-t.sin, -t.cos, 0, t.cos, -t.sin, 0, 0, 0, 1};
    const double tilt[9] = {lean.cos, 0, lean.sin, 0, 1, 0, -lean.sin, 0, lean.cos};
    shl_multiply(tilt, turned, rotation);
    shl_apply(tilt, flat, at);
    const double hook[3] = {0, 0, 1.2}; // stays on the ring
    double moved[3];
    shl_apply(rotation, hook, moved);
    shl_add(at, -1, moved);
}

static void begin(shl_elastic_scene *s)
{
    shl_elastic *soft = &s->soft;
    for (uint32_t body = 0; body < soft->def.bodies; body++) {
        double rotation[9], at[3];
        const double still[3] = {0};
        frame_of(s, body, 0, rotation, at);
        shl_elastic_place(soft, body, rotation, at, still);
        for (size_t i = 0; i < soft->all; i++) {
            const size_t row = (size_t)body * soft->all + i;
            soft->tied[row] = soft->mls.rest[3 * i + 2] > held_above;
            soft->push[3 * row + 2] = -gravity;
        }
    }
}

static void drive(shl_elastic_scene *s, double time)
{
    shl_elastic *soft = &s->soft;
    for (uint32_t body = 0; body < soft->def.bodies; body++) {
        double rotation[9], at[3];
        frame_of(s, body, time, rotation, at);
        for (size_t i = 0; i < soft->all; i++) {
            double *target = soft->target + 3 * ((size_t)body * soft->all + i);
            shl_apply(rotation, soft->mls.rest + 3 * i, target);
            shl_add(target, 1, at);
        }
    }
}

static const shl_driver driver = {shl_mesh_figure, define, begin, drive, NULL};

const shl_play shl_play_ring = {
    .name = "ring",
    .summary = "six soft figures hang on a turning ring and swing into each other",
    .simulator = &shl_elastic_simulator,
    .kind = &driver,
    .defaults = {.vertices = 2857, .controls = 115, .bodies = 6, .steps = 400, .seed = 1},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_VERTICES | SHL_TAKES_CONTROLS |
             SHL_TAKES_CONTACT};
