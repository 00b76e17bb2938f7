// SPDX-License-Identifier: MIT
#include "bench/peers/measure.h"

extern "C" {
#include "bench/harness/bench.h"
}

#include <cmath>
#include <cstdio>
#include <sched.h>

double now_s()
{
    return bench_now_s();
}

double contender::distance() const
{
    return NAN;
}

// Seconds of repeats for one scene and number of threads; there are ten of these
// with free bodies.
static const double patience_s = 7;

void deform_floats(const float *from, size_t count, float *to)
{
    // a factor the compiler cannot know keeps this loop from becoming a call of memcpy
    static volatile float unknown = 1;
    const float one = unknown;
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] * one;
}

static cpu_set_t starting_set()
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_ZERO(&set);
    return set;
}

static const cpu_set_t all_cpus = starting_set();

void free_affinity()
{
    if (CPU_COUNT(&all_cpus) > 0 && sched_setaffinity(0, sizeof all_cpus, &all_cpus) != 0)
        fprintf(stderr, "peers: the calling thread keeps its CPUs\n");
}

static tally count(const std::vector<shoal_pair> &pairs)
{
    tally t;
    t.pairs = pairs.size();
    for (const shoal_pair &p : pairs) {
        uint64_t h = 0;
        for (uint32_t part : {p.body_a, p.triangle_a, p.body_b, p.triangle_b}) {
            h = (h ^ part) * 0x9e3779b97f4a7c15u;
            h ^= h >> 29;
        }
        t.sum += h;
    }
    return t;
}

static void settle()
{
    bench_settle();
    free_affinity();
}

static void warm_up(uint32_t steps, lane &l)
{
    settle();
    std::vector<shoal_pair> pairs;
    l.found.clear();
    l.distances.clear();
    l.candidates = 0;
    for (uint32_t step = 0; step < steps; step++) {
        l.who->deform(step);
        l.who->step();
        pairs.clear();
        l.who->pairs(pairs);
        l.found.push_back(count(pairs));
        l.distances.push_back(l.who->distance());
        l.candidates += (double)l.who->candidates_decided() / steps;
    }
}

struct sample : step_time {
    double cpu_s;
};

static void run(uint32_t steps, lane &l, std::vector<sample> &samples)
{
    settle();
    for (uint32_t step = 0; step < steps; step++) {
        l.who->deform(step);
        const double begin = bench_cpu_s();
        const step_time t = l.who->step();
        samples.push_back({t, bench_cpu_s() - begin});
    }
    l.repeats++;
}

// samples[repeat * steps + step]
static void sum_up(uint32_t steps, const std::vector<sample> &samples, lane &l)
{
    std::vector<double> values(l.repeats);
    const auto mean_us = [&](auto part) {
        double sum = 0;
        for (size_t step = 0; step < steps; step++) {
            for (size_t i = 0; i < l.repeats; i++)
                values[i] = part(samples[i * steps + step]);
            sum += bench_median(values.data(), values.size());
        }
        return 1e6 * sum / steps;
    };
    l.update_us = mean_us([](const sample &s) { return s.update_s; });
    l.whole_us = mean_us([](const sample &s) { return s.whole_s; });
    l.cpu_us = mean_us([](const sample &s) { return s.cpu_s; });
    for (uint32_t p = 0; p < PARTS; p++)
        l.part_us[p] = mean_us([p](const sample &s) { return s.part_s[p]; });
}

void measure(uint32_t steps, std::vector<lane> &lanes, uint32_t repeat)
{
    std::vector<std::vector<sample>> samples(lanes.size());
    for (lane &l : lanes)
        warm_up(steps, l);
    const double begin = now_s();
    for (uint32_t i = 0; i < repeat && (i < 3 || now_s() - begin < patience_s); i++) {
        for (size_t j = 0; j < lanes.size(); j++)
            run(steps, lanes[j], samples[j]);
    }
    for (size_t j = 0; j < lanes.size(); j++)
        sum_up(steps, samples[j], lanes[j]);
}

bool agrees(const lane &first, const lane &other)
{
    if (first.found.size() != other.found.size())
        return false;
    for (size_t i = 0; i < first.found.size(); i++) {
        const bool same = other.only_first
                              ? (first.found[i].pairs > 0) == (other.found[i].pairs > 0)
                              : first.found[i] == other.found[i];
        if (!same)
            return false;
    }
    return true;
}

size_t total_pairs(const lane &l)
{
    size_t sum = 0;
    for (const tally &t : l.found)
        sum += t.pairs;
    return sum;
}

film excerpt(const film &scene, uint32_t steps)
{
    film out;
    out.name = scene.name;
    out.bodies = scene.bodies;
    out.vertices = scene.vertices;
    out.steps = steps;
    out.triangles = scene.triangles;
    out.self = scene.self;
    const size_t floats = (size_t)scene.bodies * 3 * scene.vertices;
    for (uint32_t i = 0; i < steps; i++) {
        const float *from = scene.at((2 * i + 1) * scene.steps / (2 * steps), 0);
        out.xyz.insert(out.xyz.end(), from, from + floats);
    }
    return out;
}
