// SPDX-License-Identifier: MIT
// How workers wait: a hint to the core, or asleep on a word of their own until another worker
// changes it.
#ifndef SHL_RUNTIME_JOBS_PARK_H
#define SHL_RUNTIME_JOBS_PARK_H

#include "runtime/clock.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void shl_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

// Sleeps while *word is `value`; may return early.
static inline void shl_futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static inline void shl_futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

enum { SHL_AWAKE = 0, SHL_SPINNING, SHL_SLEEPING };

typedef struct shl_parking_word {
    _Alignas(64) _Atomic uint32_t state;
} shl_parking_word;

// Workers without work. A worker announces that it will wait, looks for work once more, and
// then revokes or waits; who makes work looks for such workers afterwards. All of that is
// sequentially consistent, so one of the two sees the other.
typedef struct shl_parking {
    _Atomic uint32_t sleepers; // words that are not SHL_AWAKE
    shl_parking_word *words;   // one per worker
} shl_parking;

static inline void shl_park_announce(shl_parking *parking, uint32_t worker)
{
    atomic_fetch_add_explicit(&parking->sleepers, 1, memory_order_seq_cst);
    atomic_store_explicit(&parking->words[worker].state, SHL_SPINNING, memory_order_seq_cst);
}

// Wake a worker. False: it does not wait, or another one has woken it.
static inline bool shl_unpark(shl_parking *parking, uint32_t worker)
{
    _Atomic uint32_t *state = &parking->words[worker].state;
    if (atomic_load_explicit(state, memory_order_seq_cst) == SHL_AWAKE)
        return false;
    const uint32_t was = atomic_exchange_explicit(state, SHL_AWAKE, memory_order_seq_cst);
    if (was == SHL_AWAKE)
        return false;
    atomic_fetch_sub_explicit(&parking->sleepers, 1, memory_order_seq_cst);
    if (was == SHL_SLEEPING)
        shl_futex_wake(state);
    return true;
}

// The worker itself has found work after its announcement.
static inline void shl_park_revoke(shl_parking *parking, uint32_t worker)
{
    (void)shl_unpark(parking, worker);
}

// Spin for up to `spin_ns`, then sleep, until another worker wakes this one.
static inline void shl_park_wait(shl_parking *parking, uint32_t worker, uint64_t spin_ns)
{
    _Atomic uint32_t *state = &parking->words[worker].state;
    const uint64_t begin = spin_ns ? shl_now_ns() : 0;
    while (spin_ns && shl_now_ns() - begin < spin_ns) {
        for (int i = 0; i < 16; i++)
            shl_pause();
        if (atomic_load_explicit(state, memory_order_acquire) == SHL_AWAKE)
            return;
    }
    uint32_t spinning = SHL_SPINNING;
    if (!atomic_compare_exchange_strong_explicit(state, &spinning, SHL_SLEEPING,
                                                 memory_order_seq_cst, memory_order_acquire))
        return;
    while (atomic_load_explicit(state, memory_order_acquire) == SHL_SLEEPING)
        shl_futex_wait(state, SHL_SLEEPING);
}

#endif
