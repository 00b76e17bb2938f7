// SPDX-License-Identifier: MIT
#include "runtime/jobs/team.h"

#include <omp.h>
#include <stdlib.h>

uint32_t shl_default_workers(uint32_t allowed_cpus)
{
    const char *text = secure_getenv("OMP_NUM_THREADS");
    const int asked = omp_get_max_threads();
    if (text && *text && asked > 0)
        return (uint32_t)asked;
    return allowed_cpus ? allowed_cpus : 1;
}

uint32_t shl_team_cpus(void)
{
    const int cpus = omp_get_num_procs();
    return cpus > 0 ? (uint32_t)cpus : 1;
}
