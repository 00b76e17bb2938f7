// SPDX-License-Identifier: MIT
#include "runtime/jobs/pace.h"

#include "runtime/jobs/graph.h"

enum {
    PATIENCE_NS = 50000,        // waking a thread takes about as long
    PATIENCE_BUSY_NS = 1000000, // a thread that lost its CPU gets it back after some of these
    SPIN_BUSY_NS = 2000,
    TRIAL_STEPS = 3,
    HOLD_MIN = 16,
    HOLD_MAX = 1024,
};

static const double decay = 15.0 / 16; // of what older steps count
static const double busy_at = 1.1;     // wall over CPU time; 1.00 to 1.02 on a quiet machine
static const double gain_min = 1.1;    // by which another team must be faster

void shl_pace_init(shl_pace *p, uint32_t threads, bool fixed)
{
    *p = (shl_pace){.threads = threads,
                    .fixed = fixed,
                    .team = threads,
                    .hold = SHL_PACE_STEPS,
                    .hold_next = HOLD_MIN};
}

bool shl_pace_busy(const shl_pace *p)
{
    return p->wall_ns > busy_at * p->cpu_ns;
}

shl_pace_step shl_pace_next(const shl_pace *p)
{
    if (p->fixed)
        return (shl_pace_step){p->threads, 0, SHL_SPIN_NS};
    uint64_t work = 0;
    for (uint32_t i = 0; i < SHL_PACE_STEPS; i++)
        work = p->work_ns[i] > work ? p->work_ns[i] : work;
    const bool busy = shl_pace_busy(p);
    const uint64_t patience = busy ? PATIENCE_BUSY_NS : PATIENCE_NS;
    return (shl_pace_step){.workers = p->trial ? p->trial : p->team,
                           .patience_ns = work >= 2 * patience ? 0 : patience,
                           .spin_ns = busy ? SPIN_BUSY_NS : SHL_SPIN_NS};
}

// Which team to try, if any. One that takes longer than a free CPU would need for the same work
// waits for its own threads, which any smaller team but one would do, too.
static uint32_t next_trial(const shl_pace *p, bool called)
{
    if (p->team > 1 && called && p->wall_ns > p->cpu_ns)
        return 1;
    const uint32_t twice = 2 * p->team < p->threads ? 2 * p->team : p->threads;
    return p->team < p->threads ? twice : 0;
}

static void end_trial(shl_pace *p)
{
    // time a unit of work takes
    const double before = p->wall_ns / p->cpu_ns;
    const double now = p->trial_wall_ns / p->trial_cpu_ns;
    const bool better = now * gain_min < before;
    p->hold_next = better                        ? HOLD_MIN
                   : 2 * p->hold_next < HOLD_MAX ? 2 * p->hold_next
                                                 : HOLD_MAX;
    p->hold = p->hold_next;
    if (better) {
        p->team = p->trial;
        p->wall_ns = p->trial_wall_ns;
        p->cpu_ns = p->trial_cpu_ns;
    }
    p->trial = 0;
}

bool shl_pace_note(shl_pace *p, uint64_t wall_ns, uint64_t cpu_ns, bool called)
{
    p->work_ns[p->steps++ % SHL_PACE_STEPS] = cpu_ns;
    if (p->trial) {
        p->trial_wall_ns += (double)wall_ns;
        p->trial_cpu_ns += (double)cpu_ns;
        if (--p->trial_left == 0)
            end_trial(p);
    } else {
        p->wall_ns = decay * p->wall_ns + (double)wall_ns;
        p->cpu_ns = decay * p->cpu_ns + (double)cpu_ns;
        p->hold -= p->hold > 0;
        if (p->team < p->threads && !shl_pace_busy(p) && p->hold > HOLD_MIN)
            p->hold = p->hold_next = HOLD_MIN; // the others have gone
        if (!p->fixed && p->hold == 0 && (called || p->team < p->threads)) {
            p->trial = next_trial(p, called);
            p->trial_left = TRIAL_STEPS;
            p->trial_wall_ns = p->trial_cpu_ns = 0;
        }
    }
    if (p->team == p->threads || p->told)
        return false;
    p->told = true;
    return true;
}
