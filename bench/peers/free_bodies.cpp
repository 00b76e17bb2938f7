// SPDX-License-Identifier: MIT
// Id peers: freely deforming bodies, whole steps of shoal beside Embree, FCL and CGAL.
#include "bench/peers/experiments.h"
#include "bench/peers/verdict.h"

#include <cstring>

static const char hybrid[] = "shoal hybrid, tree order";
static const char bottom_up[] = "shoal bottom-up, tree order";
static const char hybrid_user[] = "shoal hybrid, user order";
static const char bottom_up_user[] = "shoal bottom-up, user order";
static const char first_tree[] = "shoal first contact, tree order";
static const char first_user[] = "shoal first contact, user order";
static const char embree[] = "Embree";
static const char fcl_refit[] = "FCL refit";
static const char cgal_first[] = "CGAL boxes, first contact";

static json_t *row_of(const film &scene, uint32_t threads, const lane &l)
{
    return json_pack("{s:s, s:i, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:I}", "scene",
                     scene.name.c_str(), "threads", (int)threads, "contender", l.name.c_str(),
                     "steps", (int)scene.steps, "repeats", (int)l.repeats, "update_us",
                     l.update_us, "query_us", l.query_us(), "whole_us", l.whole_us, "cpu_us",
                     l.cpu_us, "pairs", (json_int_t)total_pairs(l));
}

static void add_rows(bench_report *report, const film &scene, uint32_t threads,
                     const std::vector<lane> &lanes)
{
    for (const lane &l : lanes) {
        json_t *row = row_of(scene, threads, l);
        const bool compared = l.is_shoal && !l.only_first;
        if (compared)
            json_object_set_new(row, "candidates", json_real(l.candidates));
        if (compared && best(lanes, embree))
            json_object_set_new(row, "embree_ratio",
                                json_real(ratio(lanes, embree, l.name.c_str())));
        if (compared && best(lanes, fcl_refit))
            json_object_set_new(row, "fcl_ratio",
                                json_real(ratio(lanes, fcl_refit, l.name.c_str())));
        bench_row(report, row);
    }
}

// Tries every way to use Embree on a few steps. Those that are not hopeless compete; the others
// are rows of their own, so that anyone can see why they do not.
static void add_embree(bench_report *report, const film &scene, uint32_t threads,
                       std::vector<lane> &lanes)
{
    const film some = excerpt(scene, 4);
    std::vector<lane> tried;
    for (const embree_way &way : embree_ways) {
        std::vector<lane> one;
        one.push_back(
            lane_of(std::string(embree) + " " + way.name, contend_embree(some, way, threads)));
        measure(some.steps, one, 1);
        one[0].who.reset();
        tried.push_back(std::move(one[0]));
    }
    const double limit = 1.5 * best(tried, embree)->whole_us;
    for (size_t i = 0; i < tried.size(); i++) {
        if (tried[i].whole_us > limit)
            bench_row(report, row_of(some, threads, tried[i]));
        else
            lanes.push_back(
                lane_of(tried[i].name, contend_embree(scene, embree_ways[i], threads)));
    }
}

// All contenders of a scene, with as many threads.
static std::vector<lane> compete(bench_report *report, const film &scene, uint32_t threads,
                                 uint32_t repeat, bool first_too)
{
    const uint32_t all = scene.self ? SHOAL_QUERY_SELF : SHOAL_QUERY_PAIRS;
    const auto shoal = [&](const char *name, shoal_strategy s, shoal_order o, uint32_t asked) {
        return lane_of(name, contend_shoal(scene, s, o, threads, asked));
    };
    const shoal_strategy usual = SHOAL_STRATEGY_HYBRID, eager = SHOAL_STRATEGY_BOTTOM_UP;
    std::vector<lane> lanes;
    lanes.push_back(shoal(hybrid, usual, SHOAL_ORDER_TREE, all));
    lanes.push_back(shoal(bottom_up, eager, SHOAL_ORDER_TREE, all));
    add_embree(report, scene, threads, lanes);
    lanes.push_back(shoal(hybrid_user, usual, SHOAL_ORDER_USER, all));
    lanes.push_back(shoal(bottom_up_user, eager, SHOAL_ORDER_USER, all));
    if (threads == 1) // FCL has no threads
        lanes.push_back(lane_of(fcl_refit, contend_fcl(scene)));
    if (first_too) {
        lanes.push_back(shoal(first_tree, usual, SHOAL_ORDER_TREE, SHOAL_QUERY_FIRST));
        lanes.push_back(lane_of(cgal_first, contend_cgal_first(scene)));
        lanes.push_back(shoal(first_user, usual, SHOAL_ORDER_USER, SHOAL_QUERY_FIRST));
    }
    measure(scene.steps, lanes, repeat);
    add_rows(report, scene, threads, lanes);
    bool same = true;
    for (const lane &l : lanes)
        same = same && agrees(lanes[0], l);
    need_yes(report,
             scene.name + ", " + with_threads(threads) +
                 ": all contenders report the same pairs",
             same);
    return lanes;
}

// CGAL judges a few steps: the last, where most pairs are, and two on the way.
static void judge(bench_report *report, const film &scene, const lane &l)
{
    bool same = true;
    for (uint32_t part : {2u, 3u, 4u}) {
        const uint32_t step = scene.steps * part / 4 - 1;
        same = same && cgal_count(scene, step) == l.found[step].pairs;
    }
    need_yes(report, scene.name + ": CGAL counts the same pairs", same);
}

// What a scene must reach; 0: nothing is asked.
struct needs {
    double tree, tree_aim, user, two_threads, eager, fcl, first;
};

static void compare(bench_report *report, const film &scene, uint32_t repeat, const needs &n)
{
    const std::string &s = scene.name;
    const std::vector<lane> one = compete(report, scene, 1, repeat, n.first > 0);
    at_least(report, s + ", tree order: times faster than Embree", ratio(one, embree, hybrid),
             n.tree, n.tree_aim);
    at_least(report, s + ", user order: times faster than Embree",
             ratio(one, embree, hybrid_user), n.user, n.user);
    at_least(report, s + ", bottom-up, tree order: times faster than Embree",
             ratio(one, embree, bottom_up), n.eager, n.eager);
    at_least(report, s + ", tree order: times faster than FCL", ratio(one, fcl_refit, hybrid),
             n.fcl, n.fcl);
    at_least(report, s + ", first contact: times faster than CGAL boxes",
             ratio(one, cgal_first, first_tree), n.first, n.first);
    judge(report, scene, one[0]);
    const std::vector<lane> two = compete(report, scene, 2, repeat, false);
    at_least(report, s + ", two threads, tree order: times faster than Embree with two",
             ratio(two, embree, hybrid), n.two_threads, n.two_threads);
}

shoal_status run_peers(const bench_options *options, bench_report *report)
{
    //                            tree aim user two eager fcl first
    compare(report, film_bumpy_2(5, 1), options->repeat, {10, 20, 8, 9, 6, 30, 3});
    compare(report, film_crossing(), options->repeat, {0, 0, 0, 0, 0, 0, 0});
    compare(report, film_bumpy_2(7, 5), options->repeat, {18, 35, 9, 15, 6, 0, 0});
    compare(report, film_bumpy_27(2), options->repeat, {8, 15, 7, 7, 0, 0, 0});
    compare(report, film_cloth(), options->repeat, {8, 15, 0, 0, 0, 0, 0});
    return SHOAL_OK;
}
