// SPDX-License-Identifier: MIT
// Triangle pairs made to break predicates, from a seed; about half of them intersect.
#ifndef TESTS_ORACLE_TRI_CASES_H
#define TESTS_ORACLE_TRI_CASES_H

#include <stdbool.h>
#include <stdint.h>

// The pair of this seed: always the same finite numbers, on every machine.
// Consecutive seeds walk through all families, so n seeds hold n / tri_case_families() of each.
// float32_ok tells that all 18 numbers are floats.
void tri_case(uint64_t seed, double a[9], double b[9], bool *float32_ok);

uint32_t tri_case_families(void);
uint32_t tri_case_family(uint64_t seed);
const char *tri_case_family_name(uint32_t family);

#endif
