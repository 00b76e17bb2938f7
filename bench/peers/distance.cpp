// SPDX-License-Identifier: MIT
// Id distance: how far apart two moving bodies are, update included, shoal beside Embree and
// FCL.
#include "bench/peers/experiments.h"
#include "bench/peers/verdict.h"

#include <cmath>

static const char tree_order[] = "shoal, tree order";
static const char user_order[] = "shoal, user order";
static const char embree[] = "Embree";
static const char fcl_rebuild[] = "FCL rebuild";

// The bodies of L1 while they are apart.
static film film_approach()
{
    film out = film_bumpy_2(5, 1);
    out.name = "L1 apart";
    out.steps = 58;
    out.xyz.resize((size_t)out.steps * out.bodies * 3 * out.vertices);
    return out;
}

static void add_rows(bench_report *report, const film &scene, const std::vector<lane> &lanes)
{
    for (const lane &l : lanes)
        bench_row(report, json_pack("{s:s, s:i, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f}",
                                    "scene", scene.name.c_str(), "threads", 1, "contender",
                                    l.name.c_str(), "steps", (int)scene.steps, "repeats",
                                    (int)l.repeats, "update_us", l.update_us, "query_us",
                                    l.query_us(), "whole_us", l.whole_us, "cpu_us", l.cpu_us,
                                    "ratio", ratio(lanes, l.name.c_str(), tree_order)));
}

// The largest difference to the first lane, by what that found.
static double worst(const std::vector<lane> &lanes, const char *name)
{
    double most = 0;
    for (const lane &l : lanes) {
        if (l.name.compare(0, std::string(name).size(), name) != 0)
            continue;
        for (size_t i = 0; i < l.distances.size(); i++) {
            const double truth = lanes[0].distances[i];
            const double off = std::fabs(l.distances[i] - truth) / truth;
            most = off <= most ? most : off; // NaN stays
        }
    }
    return most;
}

shoal_status run_distance(const bench_options *options, bench_report *report)
{
    const film scene = film_approach();
    const auto shoal = [&](const char *name, shoal_order order) {
        return lane_of(
            name, contend_shoal(scene, SHOAL_STRATEGY_HYBRID, order, 1, SHOAL_QUERY_NEAREST));
    };
    std::vector<lane> lanes;
    lanes.push_back(shoal(tree_order, SHOAL_ORDER_TREE));
    lanes.push_back(shoal(user_order, SHOAL_ORDER_USER));
    for (const embree_way &way : embree_ways) {
        if (way.refit && !way.boxes)
            lanes.push_back(lane_of(std::string(embree) + " " + way.name,
                                    contend_embree_distance(scene, way)));
    }
    lanes.push_back(lane_of(fcl_rebuild, contend_fcl_distance(scene)));
    measure(scene.steps, lanes, options->repeat);
    add_rows(report, scene, lanes);
    need_yes(report, "shoal and Embree tell the same distances, bit by bit",
             worst(lanes, user_order) == 0 && worst(lanes, embree) == 0);
    need_yes(report, "FCL tells the same distances, to a millionth",
             worst(lanes, fcl_rebuild) <= 1e-6);
    at_least(report, "distance, tree order: times faster than Embree",
             ratio(lanes, embree, tree_order), 5, 10);
    at_least(report, "distance, tree order: times faster than FCL",
             ratio(lanes, fcl_rebuild, tree_order), 5, 10);
    return SHOAL_OK;
}
