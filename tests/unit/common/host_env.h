// SPDX-License-Identifier: MIT
// Floating-point environments that a host may have: four ways to round, denormals flushed to
// zero or not, traps on all exceptions or on none. Exception flags are raised in all of them.
#ifndef TESTS_UNIT_COMMON_HOST_ENV_H
#define TESTS_UNIT_COMMON_HOST_ENV_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { HOST_ENVS = 16, HOST_FLUSHES = 0x8040 };

// All of it that a call could change: rounding, flags and traps.
typedef struct host_state {
    uint32_t part[3];
} host_state;

static inline host_state host_state_now(void)
{
#if defined(__x86_64__)
    uint16_t control, status; // of x87; read without a trap on flags that are raised already
    __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(control), "=m"(status));
    return (host_state){{_mm_getcsr(), control, status}};
#else
    return (host_state){{(uint32_t)fegetround(), (uint32_t)fetestexcept(FE_ALL_EXCEPT),
                         (uint32_t)fegetexcept()}};
#endif
}

static inline bool host_state_same(const host_state *a, const host_state *b)
{
    return a->part[0] == b->part[0] && a->part[1] == b->part[1] && a->part[2] == b->part[2];
}

// Without the exception flags, which threads need not inherit.
static inline host_state host_state_control(host_state state)
{
#if defined(__x86_64__)
    state.part[0] &= ~0x3fu;
    state.part[2] = 0;
#else
    state.part[1] = 0;
#endif
    return state;
}

static inline bool host_env_flushes(int env)
{
    return env & 4;
}

// False: this machine does not have it. The environment is then the default one.
static inline bool host_env_enter(int env)
{
    static const int rounds[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetenv(FE_DFL_ENV);
    if (!(env & 8)) // with traps, x87's next instruction would find them, whoever makes it
        feraiseexcept(FE_DIVBYZERO | FE_INEXACT);
    fesetround(rounds[env & 3]);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | FE_DIVBYZERO | FE_INEXACT);
    if (host_env_flushes(env))
        _mm_setcsr(_mm_getcsr() | HOST_FLUSHES);
#else
    if (host_env_flushes(env)) {
        fesetenv(FE_DFL_ENV);
        return false;
    }
#endif
    if (env & 8 && feenableexcept(FE_ALL_EXCEPT) < 0) {
        fesetenv(FE_DFL_ENV);
        return false;
    }
    return true;
}

static inline const char *host_env_name(int env)
{
    static const char *const rounds[4] = {"nearest", "upward", "downward", "toward zero"};
    static char text[80];
    snprintf(text, sizeof text, "rounding %s%s%s", rounds[env & 3],
             host_env_flushes(env) ? ", denormals flushed" : "", env & 8 ? ", traps" : "");
    return text;
}

#endif
