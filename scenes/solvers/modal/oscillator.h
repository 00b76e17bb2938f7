// SPDX-License-Identifier: MIT
// A damped oscillator under a force that is constant for a step, solved exactly:
//
//     q'' + 2 ratio w q' + w^2 q = f
//
// so that no step is too long for it.
#ifndef SHL_SCENES_SOLVERS_MODAL_OSCILLATOR_H
#define SHL_SCENES_SOLVERS_MODAL_OSCILLATOR_H

#include "scenes/math/portable_math.h"

#include <math.h>

// What a step does:
//   q    becomes  keep q + gain q' + (1 - keep) / w^2 f
//   q'   becomes  -w^2 gain q + rate_keep q' + gain f
typedef struct shl_oscillator {
    double keep, gain, rate_keep;
    double square; // w^2
} shl_oscillator;

// `w` in radians a second, damping ratio in [0, 1).
static inline shl_oscillator shl_oscillator_of(double w, double ratio, double step)
{
    const double damped = w * sqrt(1 - ratio * ratio), fade = shl_exp_of(-ratio * w * step);
    const shl_sincos t = shl_sincos_of(damped * step);
    const double lean = ratio * w / damped * t.sin;
    return (shl_oscillator){fade * (t.cos + lean), fade * t.sin / damped, fade * (t.cos - lean),
                            w * w};
}

static inline void shl_oscillator_step(const shl_oscillator *o, double force, double *q,
                                       double *rate)
{
    const double rest = force / o->square, off = *q - rest, before = *rate;
    *q = rest + o->keep * off + o->gain * before;
    *rate = o->rate_keep * before - o->square * o->gain * off;
}

#endif
