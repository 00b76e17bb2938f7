// SPDX-License-Identifier: MIT
// One case a kernel: the checker compares its bodies, the bench times the very same call.
#ifndef SHL_TESTS_CASES_CASE_H
#define SHL_TESTS_CASES_CASE_H

#include "kernels/kernels.h"

enum { SHL_REF = 0, SHL_NEW = 1 };

typedef struct shl_case {
    const char *name;
    const char *row;                             // what a row is
    uint32_t sizes[12];                          // 0 ends the list
    uint32_t bench_rows;                         // a size worth timing
    void (*setup)(uint32_t rows, uint64_t seed); // odd values included
    void (*run)(const shl_kernels *kernels, uint32_t rows, int which);
    bool (*same)(uint32_t rows); // what SHL_REF and SHL_NEW left behind, byte for byte
} shl_case;

// Ends with NULL.
extern const shl_case *const shl_cases[];

// Deterministic numbers; the state must not be 0.
uint64_t shl_random(uint64_t *state);
double shl_random_unit(uint64_t *state); // [0, 1)

// A coordinate that is usually ordinary and sometimes 0, -0, denormal, huge or equal to
// another.
double shl_random_coordinate(uint64_t *state, bool float32);

// An array that lives until the next call with the same slot; exactly sized, so that the
// address sanitizer sees a read past its end.
void *shl_case_memory(void **slot, size_t bytes);

#endif
