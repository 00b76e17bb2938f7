// SPDX-License-Identifier: MIT
#include "bench/peers/verdict.h"

#include <cstring>

lane lane_of(const std::string &name, std::unique_ptr<contender> who)
{
    lane l;
    l.name = name;
    l.who = std::move(who);
    l.is_shoal = name.compare(0, 5, "shoal") == 0;
    l.only_first = name.find("first contact") != std::string::npos;
    return l;
}

const lane *best(const std::vector<lane> &lanes, const char *name)
{
    const lane *found = nullptr;
    for (const lane &l : lanes) {
        if (l.name.compare(0, strlen(name), name) == 0 &&
            (!found || l.whole_us < found->whole_us))
            found = &l;
    }
    return found;
}

double ratio(const std::vector<lane> &lanes, const char *slow, const char *fast)
{
    const lane *s = best(lanes, slow), *f = best(lanes, fast);
    return s && f ? s->whole_us / f->whole_us : 0;
}

void need_yes(bench_report *report, const std::string &name, bool yes)
{
    bench_gate(report, name.c_str(), yes, 1, 1, BENCH_HIGHER);
}

void at_least(bench_report *report, const std::string &name, double value, double need,
              double aim)
{
    if (need > 0)
        bench_gate(report, name.c_str(), value, need, aim, BENCH_HIGHER);
}

std::string with_threads(uint32_t threads)
{
    return std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}
