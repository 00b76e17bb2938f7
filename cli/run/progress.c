// SPDX-License-Identifier: MIT
#include "cli/run/progress.h"

#include "cli/run/engine.h"

#include <stdio.h>
#include <unistd.h>

static const double terminal_every_s = 0.1, least_s = 1, most_s = 60; // between lines

shl_progress shl_progress_begin(bool quiet, uint32_t done, uint32_t steps)
{
    const double now = shl_now_s();
    return (shl_progress){quiet, isatty(STDERR_FILENO) == 1, now, now, steps, done, done};
}

static bool due(const shl_progress *p, uint32_t done, double now)
{
    const double since = now - p->last_s;
    if (p->terminal)
        return since > terminal_every_s;
    return since > most_s || (since > least_s && (p->last_step == p->first ||
                                                  done - p->last_step >= p->steps / 10));
}

// Hours only where there are some.
static void write_time(uint64_t seconds, char *to, size_t room)
{
    const uintmax_t s = seconds % 60, m = seconds / 60 % 60, h = seconds / 3600;
    if (h)
        snprintf(to, room, "%ju:%02ju:%02ju", h, m, s);
    else
        snprintf(to, room, "%ju:%02ju", m, s);
}

void shl_progress_step(shl_progress *p, uint32_t done, uint64_t found, const char *what)
{
    const double now = shl_now_s();
    if (p->quiet || done <= p->first || !due(p, done, now))
        return;
    p->last_s = now;
    p->last_step = done;
    const double rate = (done - p->first) / (now - p->begin_s);
    enum { WIDTH = 20 };
    char bar[64] = "", left[32];
    const int full = (int)((uint64_t)WIDTH * done / p->steps);
    write_time((uint64_t)((p->steps - done) / rate + 0.5), left, sizeof left);
    if (p->terminal)
        snprintf(bar, sizeof bar, "[%.*s%.*s] ", full, "####################", WIDTH - full,
                 "                    ");
    fprintf(stderr, "%s%sstep %u of %u  %3.0f %%  %ju %s  %.1f steps/s  %s left%s",
            p->terminal ? "\r" : "", bar, done, p->steps, 100.0 * done / p->steps,
            (uintmax_t)found, what, rate, left, p->terminal ? "\033[K" : "\n");
}

void shl_progress_end(const shl_progress *p)
{
    if (p->terminal && !p->quiet)
        fputs("\r\033[K", stderr);
}
