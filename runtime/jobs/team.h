// SPDX-License-Identifier: MIT
#ifndef SHL_RUNTIME_JOBS_TEAM_H
#define SHL_RUNTIME_JOBS_TEAM_H

#include <stdint.h>

// Workers when the user names no number: OMP_NUM_THREADS if set, else `allowed_cpus`.
uint32_t shl_default_workers(uint32_t allowed_cpus);

// CPUs of the process as OpenMP found them, before it bound any thread.
uint32_t shl_team_cpus(void);

#endif
