// SPDX-License-Identifier: MIT
#ifndef BENCH_HARNESS_PLAIN_PASS_H
#define BENCH_HARNESS_PLAIN_PASS_H

#include <stddef.h>

// The floor of every update: minimum and maximum of all vertices, nothing else. As fast as this
// CPU's vectors go.
void bench_plain_pass(const float *xyz, size_t vertices, float box[6]);

#endif
