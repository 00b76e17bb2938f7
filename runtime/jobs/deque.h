// SPDX-License-Identifier: MIT
// The work-stealing deque of Chase and Lev (2005) for a bounded number of tokens.
//
// The owner puts and pops at the bottom, thieves steal at the top. Nothing is ever put more
// often than the capacity in one run, so there is neither growth nor wrap-around: an index
// names one token until the owner pops it. All orders are on the variables themselves, without
// fences, so that ThreadSanitizer sees them.
#ifndef SHL_RUNTIME_JOBS_DEQUE_H
#define SHL_RUNTIME_JOBS_DEQUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct shl_deque {
    _Alignas(64) _Atomic int64_t top;    // moved by thieves
    _Alignas(64) _Atomic int64_t bottom; // moved by the owner
    _Atomic uint64_t *tokens;            // [capacity]
} shl_deque;

static inline void shl_deque_reset(shl_deque *d)
{
    atomic_store_explicit(&d->top, 0, memory_order_relaxed);
    atomic_store_explicit(&d->bottom, 0, memory_order_relaxed);
}

// Owner: write a token `ahead` places above the bottom; shl_deque_publish() shows it.
static inline void shl_deque_put(shl_deque *d, uint32_t ahead, uint64_t token)
{
    const int64_t bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    atomic_store_explicit(&d->tokens[bottom + ahead], token, memory_order_relaxed);
}

// Owner: show `count` tokens. Sequentially consistent: the owner next looks for sleepers, and a
// sleeper that has announced itself looks here; one of the two must see the other.
static inline void shl_deque_publish(shl_deque *d, uint32_t count)
{
    const int64_t bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    atomic_store_explicit(&d->bottom, bottom + count, memory_order_seq_cst);
}

// Owner: take the newest token.
static inline bool shl_deque_pop(shl_deque *d, uint64_t *token)
{
    const int64_t last = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
    // top only grows, so an empty deque is seen without the expensive store
    if (last < atomic_load_explicit(&d->top, memory_order_relaxed))
        return false;
    atomic_store_explicit(&d->bottom, last, memory_order_seq_cst);
    int64_t top = atomic_load_explicit(&d->top, memory_order_seq_cst);
    if (top < last) {
        *token = atomic_load_explicit(&d->tokens[last], memory_order_relaxed);
        return true;
    }
    bool won = false;
    if (top == last) { // the only one left: race the thieves for it
        *token = atomic_load_explicit(&d->tokens[last], memory_order_relaxed);
        won = atomic_compare_exchange_strong_explicit(
            &d->top, &top, last + 1, memory_order_seq_cst, memory_order_relaxed);
    }
    atomic_store_explicit(&d->bottom, last + 1, memory_order_release);
    return won;
}

// Any thread: take the oldest token. May fail although there is one, when another was faster.
static inline bool shl_deque_steal(shl_deque *d, uint64_t *token)
{
    int64_t top = atomic_load_explicit(&d->top, memory_order_seq_cst);
    if (top >= atomic_load_explicit(&d->bottom, memory_order_seq_cst))
        return false;
    *token = atomic_load_explicit(&d->tokens[top], memory_order_relaxed);
    return atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

static inline bool shl_deque_empty(shl_deque *d)
{
    const int64_t top = atomic_load_explicit(&d->top, memory_order_seq_cst);
    return top >= atomic_load_explicit(&d->bottom, memory_order_seq_cst);
}

#endif
