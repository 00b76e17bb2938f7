// SPDX-License-Identifier: MIT
// Id reduced: a thousand modal bodies, shoal's reduced ones beside Embree refitting the trees
// of all their deformed vertices.
#include "bench/peers/experiments.h"
#include "bench/peers/memory.h"
#include "bench/peers/plates.h"
#include "bench/peers/verdict.h"

namespace
{

const char shoal[] = "shoal reduced", embree_f64[] = "Embree refit";

struct setting {
    plates (*make)(uint32_t steps);
    uint32_t steps;
    double need, aim;                 // times faster than Embree
    size_t shoal_bytes, embree_bytes; // what they hold
};

setting settings[] = {{plates_sparse, 6, 20, 100, 0, 0}, {plates_dense, 3, 6, 12, 0, 0}};

enum { THREADS = 2, FEW = 100 };

const char *const part_names[PARTS] = {"vertices_us", "nodes_us",     "broad_us",
                                       "traverse_us", "triangles_us", "sort_us"};

json_t *row_of(const plates &scene, uint32_t threads, const lane &l)
{
    json_t *row =
        json_pack("{s:s, s:i, s:s, s:i, s:i, s:i, s:f, s:f}", "scene", scene.name.c_str(),
                  "threads", (int)threads, "contender", l.name.c_str(), "bodies",
                  (int)scene.bodies, "steps", (int)l.found.size(), "repeats", (int)l.repeats,
                  "whole_us", l.whole_us, "cpu_us", l.cpu_us);
    for (uint32_t p = 0; p < PARTS; p++)
        json_object_set_new(row, part_names[p], json_real(l.part_us[p]));
    json_object_set_new(row, "pairs", json_integer((json_int_t)total_pairs(l)));
    return row;
}

lane lane_with(const std::string &name, std::unique_ptr<plates_contender> who, uint32_t threads)
{
    who->use(threads);
    return lane_of(name, std::move(who));
}

std::string embree_name(const embree_way &way)
{
    return std::string("Embree ") + way.name;
}

// Tries every way to refit on a tenth of the bodies; the best takes part.
embree_way choose(bench_report *report, const plates &scene)
{
    const plates few = fewer(scene, FEW);
    std::vector<embree_way> ways;
    std::vector<lane> lanes;
    for (const embree_way &way : embree_ways) {
        if (!way.refit)
            continue;
        ways.push_back(way);
        lanes.push_back(lane_with(embree_name(way), contend_embree_plates(few, way, false), 1));
    }
    measure(few.steps, lanes, 3);
    for (const lane &l : lanes)
        bench_row(report, row_of(few, 1, l));
    return ways[(size_t)(best(lanes, embree_f64) - lanes.data())];
}

// Contenders with as many threads, and what they make of the gates.
void compete(bench_report *report, const setting &s, const plates &scene,
             std::vector<lane> &lanes, uint32_t threads, uint32_t repeat)
{
    for (lane &l : lanes) {
        static_cast<plates_contender *>(l.who.get())->use(threads);
        l.repeats = 0;
    }
    measure(scene.steps, lanes, repeat);
    const std::string where = scene.name + ", " + with_threads(threads);
    for (const lane &l : lanes) {
        json_t *row = row_of(scene, threads, l);
        if (!l.is_shoal)
            json_object_set_new(row, "ratio", json_real(l.whole_us / lanes[0].whole_us));
        bench_row(report, row);
    }
    at_least(report, where + ": times faster than Embree refit",
             ratio(lanes, embree_f64, shoal), s.need, s.aim);
    need_yes(report, where + ": the same pairs as Embree refit", agrees(lanes[0], lanes[1]));
}

void weigh(bench_report *report, const setting &s, const plates &scene)
{
    const double mine = 1e-6 * (double)s.shoal_bytes, theirs = 1e-6 * (double)s.embree_bytes;
    bench_row(report, json_pack("{s:s, s:i, s:s, s:f}", "scene", scene.name.c_str(), "threads",
                                THREADS, "contender", shoal, "memory_mb", mine));
    bench_row(report, json_pack("{s:s, s:i, s:s, s:f, s:f}", "scene", scene.name.c_str(),
                                "threads", THREADS, "contender", embree_f64, "memory_mb",
                                theirs, "ratio", theirs / mine));
    at_least(report, scene.name + ": times less memory than Embree refit", theirs / mine, 20,
             20);
}

} // namespace

// Of the ways to use Embree the one that keeps no boxes of its own is the leanest.
void weigh_plates()
{
    const auto with_all = [](std::unique_ptr<plates_contender> who) {
        who->use(THREADS);
        return who;
    };
    for (setting &s : settings) {
        const plates scene = s.make(3);
        s.shoal_bytes =
            resident_growth([&] { return with_all(contend_shoal_plates(scene)); }, scene.steps);
        s.embree_bytes = resident_growth(
            [&] { return with_all(contend_embree_plates(scene, embree_ways[0], false)); },
            scene.steps);
    }
}

shoal_status run_reduced(const bench_options *options, bench_report *report)
{
    for (const setting &s : settings) {
        const plates scene = s.make(s.steps);
        const embree_way way = choose(report, scene);
        std::vector<lane> lanes;
        lanes.push_back(lane_of(shoal, contend_shoal_plates(scene)));
        lanes.push_back(lane_of(embree_name(way), contend_embree_plates(scene, way, false)));
        lanes.push_back(
            lane_of("float32: " + embree_name(way), contend_embree_plates(scene, way, true)));
        for (uint32_t threads = 1; threads <= THREADS; threads++)
            compete(report, s, scene, lanes, threads, options->repeat);
        weigh(report, s, scene);
    }
    return SHOAL_OK;
}
