// SPDX-License-Identifier: MIT
#include "bench/scaling/busy.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void burn(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    for (volatile uint64_t i = 0;; i++)
        ;
}

bool bench_hogs_start(bench_hogs *h, uint32_t count)
{
    *h = (bench_hogs){.ids = calloc(count ? count : 1, sizeof *h->ids)};
    const pid_t self = getpid();
    while (h->ids && h->count < count) {
        const pid_t id = fork();
        if (id == 0)
            burn(self);
        if (id < 0)
            break;
        h->ids[h->count++] = id;
    }
    if (h->ids && h->count == count)
        return true;
    bench_hogs_stop(h);
    return false;
}

void bench_hogs_stop(bench_hogs *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        kill(h->ids[i], SIGKILL);
        waitpid(h->ids[i], NULL, 0);
    }
    free(h->ids);
    *h = (bench_hogs){0};
}
