// SPDX-License-Identifier: MIT
// The floating-point environment of the host, put aside while shoal computes.
//
// A host may round another way, flush denormals to zero, or trap on exceptions; all proofs here
// are for rounding to the nearest, with denormals and without traps. So every public function
// that computes with floating-point numbers, or calls others who might, begins with
// SHL_FLOAT_ENV(host), and so do workers and threads of shoal's own: the default environment
// holds until the function returns, and then the host has its own again, exception flags and
// traps included. tests/unit/runtime/scene/test_float_api.c knows who needs it.
//
// Numbers that come or go through memory are computed inside: the compiler must assume that
// fesetenv() reads and writes it. Arguments and results in registers are integers.
#ifndef SHL_LAYOUTS_FLOAT_ENV_H
#define SHL_LAYOUTS_FLOAT_ENV_H

#include <fenv.h>

static inline void shl_float_env_begin(fenv_t *host)
{
    fegetenv(host);
    fesetenv(FE_DFL_ENV);
}

static inline void shl_float_env_end(const fenv_t *host)
{
    fesetenv(host);
}

// To the end of the scope. Around a parallel region, shl_float_env_end() and _begin() give the
// host its own back: threads that OpenMP makes there are the host's, too, and inherit it.
#define SHL_FLOAT_ENV(host)                                                                    \
    __attribute__((cleanup(shl_float_env_end))) fenv_t host;                                   \
    shl_float_env_begin(&host)

#endif
