// SPDX-License-Identifier: MIT
// Two brains face each other and are pulled, bent or twisted by formulas, more with each step.
#include "scenes/plays/brain.h"

#include "scenes/math/vec.h"
#include "scenes/plays/elastic_scene.h"
#include "scenes/shapes/sculptures.h"

static const double apart = 3.6;                           // of their centres
static const double pull_width = 0.45;                     // of the bell curve
static const double pull_most = 1.2 * (1.3 + 1 + 0.9) / 3; // 1.2 radii, the mean of the three
static const double pull_from[3] = {1.3, 0, 0};

// A bell curve of displacement along x.
static void pull(double amount, const double p[3], double out[3], double gradient[9])
{
    double square = 0, far[3];
    for (int k = 0; k < 3; k++) {
        far[k] = p[k] - pull_from[k];
        square += far[k] * far[k];
    }
    const double wide = pull_width * pull_width;
    const double u = pull_most * amount * shl_exp_of(-0.5 * square / wide);
    out[0] = p[0] + u;
    for (int k = 0; k < 3; k++)
        gradient[k] -= u * far[k] / wide;
}

// Around an axis along y above it.
static void bend(double amount, const double p[3], double out[3], double gradient[9])
{
    if (!(amount > 1e-9))
        return;
    const double curve = 0.9 * amount, arm = 1 / curve - p[2];
    const shl_sincos t = shl_sincos_of(curve * p[0]);
    out[0] = arm * t.sin;
    out[2] = 1 / curve - arm * t.cos;
    gradient[0] = arm * curve * t.cos;
    gradient[2] = -t.sin;
    gradient[6] = arm * curve * t.sin;
    gradient[8] = t.cos;
}

// Around x, more the farther along it.
static void twist(double amount, const double p[3], double out[3], double gradient[9])
{
    const double rate = 1.2 * amount;
    const shl_sincos t = shl_sincos_of(rate * p[0]);
    out[1] = t.cos * p[1] - t.sin * p[2];
    out[2] = t.sin * p[1] + t.cos * p[2];
    gradient[3] = -rate * out[2];
    gradient[4] = t.cos;
    gradient[5] = -t.sin;
    gradient[6] = rate * out[1];
    gradient[7] = t.sin;
    gradient[8] = t.cos;
}

void shl_brain_deform(shl_brain_motion motion, double amount, const double p[3], double out[3],
                      double gradient[9])
{
    typedef void deform_fn(double, const double *, double *, double *);
    static deform_fn *const ways[] = {pull, bend, twist};
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(out, p, 3 * sizeof *out);
    memcpy(gradient, one, sizeof one);
    ways[motion](amount, p, out, gradient);
}

static void define(const shl_scene_params *params, shl_elastic_def *def)
{
    (void)params;
    def->mls = (shl_mls_def){.density = 1000, .young = 1e4, .poisson = 0.3, .hold = 0.1};
    def->step = 0.01;
}

static void pose(shl_elastic_scene *s, double time)
{
    shl_elastic *soft = &s->soft;
    const double last = (s->params.steps > 1 ? s->params.steps - 1 : 1) * soft->def.step;
    for (uint32_t body = 0; body < soft->def.bodies; body++) {
        // the second looks back at the first
        const double side = body & 1 ? -1 : 1;
        for (size_t i = 0; i < soft->all; i++) {
            const size_t row = body * (size_t)soft->all + i;
            double *y = soft->y + 3 * row, *g = soft->gradient + 9 * row;
            shl_brain_deform((shl_brain_motion)s->params.bending, time / last,
                             soft->mls.rest + 3 * i, y, g);
            for (int k = 0; k < 2; k++) {
                y[k] *= side;
                for (int c = 0; c < 3; c++)
                    g[3 * k + c] *= side;
            }
            y[0] += apart * body;
        }
    }
}

static const shl_driver driver = {shl_mesh_brain, define, NULL, NULL, pose};

const shl_play shl_play_brain = {
    .name = "brain",
    .summary = "two brains are pulled, bent or twisted until they meet",
    .simulator = &shl_posed_simulator,
    .kind = &driver,
    .defaults = {.vertices = 29966, .controls = 225, .bodies = 2, .steps = 100, .seed = 1},
    .takes = SHL_TAKES_STEPS | SHL_TAKES_SEED | SHL_TAKES_VERTICES | SHL_TAKES_CONTROLS |
             SHL_TAKES_BENDING};
