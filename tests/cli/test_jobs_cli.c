// SPDX-License-Identifier: MIT
// What the tool shows of the job graph: traces, the graph itself, bindings, scaling,
// list margins.
#include "tool.h"

#include <math.h>
#include <sched.h>

static char text[1 << 20];

TEST a_trace_holds_every_chunk(void)
{
    ASSERT_EQ(0, shoal("run arms-27 -s k=2 --steps 3 -t 2 -q --trace t.json --json"));
    json_error_t error;
    json_t *trace = json_load_file("t.json", 0, &error);
    ASSERT(json_is_array(trace));
    size_t i;
    const json_t *e;
    int steps = 0, walks = 0;
    double step_from = -1, step_to = -1;
    json_array_foreach(trace, i, e)
    {
        const char *name = json_string_value(json_object_get(e, "name"));
        ASSERT(name);
        ASSERT_STR_EQ("X", json_string_value(json_object_get(e, "ph")));
        const double ts = real_of(e, "ts"), dur = real_of(e, "dur");
        const json_t *args = json_object_get(e, "args");
        ASSERT(ts >= 0 && dur >= 0 && json_is_integer(json_object_get(e, "tid")));
        if (strcmp(name, "step") == 0) {
            steps++;
            step_from = ts;
            step_to = ts + dur;
            ASSERT_EQ(steps, json_integer_value(json_object_get(args, "step")));
        } else if (strcmp(name, "motion") != 0) {
            ASSERT(ts >= step_from - 1 &&
                   ts + dur <= step_to + 1); // us, jobs lie in their step
            const json_int_t begin = json_integer_value(json_object_get(args, "begin"));
            ASSERT(json_integer_value(json_object_get(args, "end")) > begin);
            ASSERT(json_is_integer(json_object_get(args, "chunk")));
            ASSERT(real_of(e, "tid") < 2);
            walks += strcmp(name, "overlap_search") == 0;
        }
    }
    ASSERT_EQ(3, steps);
    ASSERT(walks > 3);
    json_decref(trace);
    ASSERT(access("t.json.part", F_OK) != 0);
    ASSERT_EQ(74, shoal("run bumpy-27 -s k=1 --steps 2 -q --trace no/where.json"));
    ASSERT_STR_EQ("shoal run: no/where.json: No such file or directory\n", last.err);
    PASS();
}

TEST the_graph_is_shown(void)
{
    ASSERT_EQ(0, shoal("info --graph"));
    ASSERT(strstr(last.out, " jobs, ") &&
           strstr(last.out, "overlap_search: rows by 1; reads bodies states trees "
                            "overlap_frontier; opens nodes; writes"));
    ASSERT_EQ(0, shoal("info --dot"));
    ASSERT(strncmp(last.out, "digraph jobs {", 14) == 0 && strstr(last.out, "j0 -> j"));
    ASSERT_EQ(64, shoal("info --graph --json"));
    ASSERT_EQ(64, shoal("info --layouts --json"));
    ASSERT_EQ(64, shoal("info --layouts x.obj"));
    PASS();
}

TEST bindings_are_shown(void)
{
    ASSERT_EQ(0, shoal("info --bind none -t 2 --json"));
    json_error_t error;
    json_t *j = json_loads(last.out, 0, &error);
    ASSERT_EQ(2u, json_array_size(json_object_get(j, "bindings")));
    ASSERT(json_is_null(json_array_get(json_object_get(j, "bindings"), 0)));
    json_decref(j);
    cpu_set_t cpus;
    ASSERT_EQ(0, sched_getaffinity(0, sizeof cpus, &cpus));
    if (CPU_COUNT(&cpus) >= 2 && !getenv("OMP_PROC_BIND")) {
        ASSERT_EQ(0, shoal("info --bind cores -t 2"));
        ASSERT(strstr(last.out, "binding    thread 0: CPU ") &&
               strstr(last.out, "thread 1: CPU "));
    }
    ASSERT_EQ(64, shoal("info --bind hard"));
    char args[80], line[80];
    snprintf(args, sizeof args, "run bumpy-2 -s k=1 --steps 1 -q -t %d", CPU_COUNT(&cpus) + 1);
    snprintf(line, sizeof line, "shoal: warning: scene: %d threads on ", CPU_COUNT(&cpus) + 1);
    ASSERT_EQ(0, shoal(args));
    ASSERT(strncmp(last.err, line, strlen(line)) == 0);
    PASS();
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y));
}

TEST scaling_adds_up(void)
{
    // whether the machine is quiet enough for the speed-up is not this test's business
    const int code =
        shoal("bench scaling --scene bumpy-2 -t 2,1,2 --repeat 2 --json --csv s.csv"
              " --plot s.svg");
    ASSERT(code == 0 || code == 1);
    json_error_t error;
    json_t *j = json_loads(last.out, 0, &error);
    const json_t *x = json_array_get(json_object_get(j, "experiments"), 0);
    const json_t *rows = json_object_get(x, "rows"), *gates = json_object_get(x, "gates");
    ASSERT_EQ(2u, json_array_size(rows)); // two bodies cannot grow, so there is no weak study
    ASSERT_EQ(2u, json_array_size(gates));
    const json_t *one = json_array_get(rows, 0), *two = json_array_get(rows, 1);
    ASSERT_EQ(1, json_integer_value(json_object_get(one, "threads")));
    ASSERT_EQ(2, json_integer_value(json_object_get(two, "threads")));
    ASSERT(json_is_null(json_object_get(one, "karp_flatt")));
    ASSERT(near(1, real_of(one, "speed_up")));
    const double s = real_of(two, "speed_up");
    ASSERT(near(s, real_of(one, "ms_step") / real_of(two, "ms_step")));
    ASSERT(near(s / 2, real_of(two, "efficiency")));
    ASSERT(near(2 / s - 1, real_of(two, "karp_flatt")));
    const double loop = real_of(two, "compute_speed_up");
    ASSERT(near(s / (loop > 1 ? loop : 1), real_of(two, "relative")));
    ASSERT(real_of(two, "ms_step") > 0);
    ASSERT(real_of(two, "ms_min") <= real_of(two, "ms_median"));
    ASSERT(real_of(two, "ms_median") <= real_of(two, "ms_max"));
    ASSERT(json_equal(json_object_get(one, "hash"), json_object_get(two, "hash")));
    ASSERT(json_is_true(json_object_get(json_array_get(gates, 0), "pass")));
    ASSERT(near(real_of(two, "relative"), real_of(json_array_get(gates, 1), "value")));
    char hash[32];
    snprintf(hash, sizeof hash, ",%s\n", json_string_value(json_object_get(two, "hash")));
    json_decref(j);
    ASSERT(slurp("s.csv", text, sizeof text));
    ASSERT(strncmp(text, "scene,study,threads,", 20) == 0);
    ASSERT(strstr(text, "\nbumpy-2,strong,1,2,40960,") && strstr(text, hash));
    ASSERT(slurp("s.svg", text, sizeof text));
    ASSERT(strncmp(text, "<svg ", 5) == 0 && strstr(text, "compute loop"));
    PASS();
}

TEST scaling_refuses(void)
{
    ASSERT_EQ(64, shoal("bench scaling --scene nope"));
    ASSERT_EQ(74, shoal("bench scaling --scene bumpy-2 -t 1 --repeat 1 --csv no/where.csv"));
    ASSERT_STR_EQ("shoal bench: no/where.csv: No such file or directory\n", last.err);
    PASS();
}

// A scene that hardly moves makes one list, and says so.
TEST lists_are_counted(void)
{
    ASSERT_EQ(0, shoal("run calm-27 -s k=2 --steps 12 -q --list-margin 0.02 --json"));
    json_error_t error;
    json_t *j = json_loads(last.out, 0, &error);
    const json_t *list_margin = json_object_get(j, "list_margin");
    ASSERT(fabs(real_of(list_margin, "list_margin") - 0.02) < 1e-9);
    ASSERT_EQ(11.0, real_of(list_margin, "reused_steps"));
    ASSERT(real_of(json_object_get(list_margin, "near_pairs"), "last") >
           real_of(j, "pairs_last"));
    json_decref(j);
    ASSERT_EQ(0, shoal("run calm-27 -s k=2 --steps 12 -q --list-margin 0.02"));
    ASSERT(strstr(last.out, "list_margin         0.02: 11 of 12 steps"));
    static const char *const bad[] = {"-1", "nan", "inf", "1cm", "''"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[64];
        snprintf(line, sizeof line, "run --list-margin %s", bad[i]);
        ASSERT_EQ(64, shoal(line));
        ASSERT(strstr(last.err, "is not a length"));
    }
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    if (!tool_open())
        return 1;
    RUN_TEST(a_trace_holds_every_chunk);
    RUN_TEST(the_graph_is_shown);
    RUN_TEST(bindings_are_shown);
    RUN_TEST(scaling_adds_up);
    RUN_TEST(scaling_refuses);
    RUN_TEST(lists_are_counted);
    if (!tool_close())
        return 1;
    GREATEST_MAIN_END();
}
