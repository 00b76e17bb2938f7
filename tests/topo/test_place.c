// SPDX-License-Identifier: MIT
// Where workers sit on machines we do not own: synthetic topologies, expected seats as text.
#include "greatest.h"
#include "runtime/jobs/plan.h"
#include "runtime/place/place.h"

#include <hwloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 512, TEXT_MAX = 1 << 15 };

// A machine, the CPUs of it that the process may use ("" is all), and workers.
typedef struct question {
    char machine[128], allowed[64];
    uint32_t workers;
} question;

typedef struct answer {
    char text[TEXT_MAX];
    size_t length;
} answer;

__attribute__((format(printf, 2, 3))) static void say(answer *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(a->text + a->length, sizeof a->text - a->length, format, args);
    va_end(args);
    a->length += (size_t)n;
}

static bool place(const question *q, answer *out)
{
    static shl_seat seats[WORKERS_MAX];
    hwloc_topology_t t;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (hwloc_topology_init(&t) || hwloc_topology_set_synthetic(t, q->machine) ||
        hwloc_topology_load(t) || q->workers > WORKERS_MAX)
        return false;
    hwloc_bitmap_copy(allowed, hwloc_topology_get_topology_cpuset(t));
    if (*q->allowed && hwloc_bitmap_list_sscanf(allowed, q->allowed))
        return false;
    const bool fits = shl_place_seats(t, allowed, q->workers, seats);
    say(out, "machine %s\nallowed %s\nworkers %u\ncores %u\nauto %s\n", q->machine,
        *q->allowed ? q->allowed : "all", q->workers, shl_place_cores(t, allowed),
        shl_place_auto(t, allowed, q->workers) ? "binds" : "does not bind");
    if (!fits)
        say(out, "no seats\n");
    for (uint32_t i = 0; i < q->workers && fits; i++)
        say(out, "worker %u: cpu %d core %d numa %d%s\n", i, seats[i].at.cpu, seats[i].at.core,
            seats[i].at.numa, seats[i].whole_core ? ", whole core" : "");
    say(out, "\n");
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(t);
    return true;
}

// The questions stand in the fixture itself, so that a new machine is one edit.
static bool next_question(const char **text, question *q)
{
    const char *at = strstr(*text, "machine ");
    if (!at)
        return false;
    *q = (question){0};
    const bool good = sscanf(at, "machine %127[^\n]\nallowed %63[^\n]\nworkers %u", q->machine,
                             q->allowed, &q->workers) == 3;
    if (strcmp(q->allowed, "all") == 0)
        q->allowed[0] = '\0';
    *text = at + 1;
    return good;
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, TEXT_MAX);
    if (f && text && fread(text, 1, TEXT_MAX - 1, f) == 0)
        text[0] = '\0';
    if (f)
        fclose(f);
    return text;
}

TEST seats_are_as_written(const char *path)
{
    static answer got;
    got.length = 0;
    char *want = read_file(path);
    ASSERT(want && *want);
    const char *at = want;
    question q;
    uint32_t asked = 0;
    for (; next_question(&at, &q); asked++)
        ASSERT(place(&q, &got));
    ASSERT(asked > 0);
    if (strcmp(want, got.text) != 0) {
        size_t i = 0;
        while (want[i] && want[i] == got.text[i])
            i++;
        printf("\n%s differs at byte %zu; it would be:\n%s", path, i, got.text);
    }
    const bool same = strcmp(want, got.text) == 0;
    free(want);
    ASSERT(same);
    PASS();
}

static uint32_t count_on(const shl_seat *seats, uint32_t n, int32_t core)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += seats[i].at.core == core;
    return count;
}

// What holds on every machine: no CPU twice, no two on a core while another is empty, all
// allowed, in ascending order of cores.
TEST seats_are_fair(const char *machine, const char *list)
{
    hwloc_topology_t t;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    ASSERT(!hwloc_topology_init(&t) && !hwloc_topology_set_synthetic(t, machine) &&
           !hwloc_topology_load(t));
    hwloc_bitmap_copy(allowed, hwloc_topology_get_topology_cpuset(t));
    if (list)
        ASSERT_EQ(0, hwloc_bitmap_list_sscanf(allowed, list));
    const uint32_t cpus = (uint32_t)hwloc_bitmap_weight(allowed);
    const uint32_t cores = shl_place_cores(t, allowed);
    ASSERT(cpus < WORKERS_MAX);
    for (uint32_t workers = 1; workers <= cpus; workers++) {
        static shl_seat seats[WORKERS_MAX];
        ASSERT(shl_place_seats(t, allowed, workers, seats));
        for (uint32_t i = 0; i < workers; i++) {
            ASSERT(hwloc_bitmap_isset(allowed, (unsigned)seats[i].at.cpu));
            ASSERT(seats[i].at.numa >= 0);
            for (uint32_t k = 0; k < i; k++)
                ASSERT(seats[i].at.cpu != seats[k].at.cpu);
            ASSERT(i == 0 || seats[i].at.core >= seats[i - 1].at.core);
            ASSERT(workers > cores || count_on(seats, workers, seats[i].at.core) == 1);
            ASSERT_EQ(count_on(seats, workers, seats[i].at.core) == 1, seats[i].whole_core);
        }
    }
    shl_seat more[WORKERS_MAX];
    ASSERT_FALSE(shl_place_seats(t, allowed, cpus + 1, more));
    ASSERT_EQ(-1, more[0].at.cpu);
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(t);
    PASS();
}

// Which worker begins with a chunk of a job on so many workers.
static uint32_t owner_of(uint32_t chunks, uint32_t workers, uint32_t chunk)
{
    const shl_range range = {.chunks = chunks, .slices = workers};
    uint32_t worker = 0;
    while (worker + 1 < workers && shl_slice_begin(&range, worker + 1) <= chunk)
        worker++;
    return worker;
}

// A large machine, one worker a core: chunks are dealt out evenly, those of one memory node lie
// together, and of two jobs over the same rows a share is on the same node, so that memory that
// one touched first is near the other.
TEST chunks_lie_with_their_memory(const char *machine, uint32_t nodes, uint32_t workers)
{
    static shl_seat seats[WORKERS_MAX];
    hwloc_topology_t t;
    ASSERT(!hwloc_topology_init(&t) && !hwloc_topology_set_synthetic(t, machine) &&
           !hwloc_topology_load(t));
    const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(t);
    ASSERT_EQ(workers, shl_place_cores(t, all));
    ASSERT(shl_place_seats(t, all, workers, seats));
    static const uint32_t counts[] = {1, 7, 127, 128, 129, 1000, 4096, 100003};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const uint32_t chunks = counts[c];
        uint32_t share[WORKERS_MAX] = {0}, on_node[64] = {0}, apart = 0;
        int32_t last = 0;
        for (uint32_t i = 0; i < chunks; i++) {
            const uint32_t worker = owner_of(chunks, workers, i);
            const int32_t node = seats[worker].at.numa;
            ASSERT(node >= last && (uint32_t)node < nodes);
            last = node;
            share[worker]++;
            on_node[node]++;
            // four chunks of a finer job over the same rows
            for (uint32_t k = 4 * i; k < 4 * i + 4; k++)
                apart += seats[owner_of(4 * chunks, workers, k)].at.numa != node;
        }
        for (uint32_t i = 0; i < workers; i++)
            ASSERT(share[i] == chunks / workers || share[i] == chunks / workers + 1);
        for (uint32_t i = 0; i < nodes && chunks >= workers; i++)
            ASSERT(on_node[i] >= chunks / nodes - workers / nodes &&
                   on_node[i] <= chunks / nodes + workers / nodes);
        ASSERT(apart <= 4 * nodes); // at the borders
    }
    hwloc_topology_destroy(t);
    PASS();
}

TEST crowded_cores_are_found(void)
{
    const shl_place four = {.allowed_cores = 4};
    shl_seat seats[3] = {{{0, 0, 0}, false}, {{2, 1, 0}, false}, {{3, 1, 0}, false}};
    shl_binder b = {.place = &four, .workers = 3, .seats = seats};
    uint32_t x = 0, y = 0;
    ASSERT(shl_binder_crowded(&b, &x, &y));
    ASSERT_EQ(1u, x);
    ASSERT_EQ(2u, y);
    seats[2].at.core = 3;
    ASSERT_FALSE(shl_binder_crowded(&b, &x, &y));
    seats[0].at = seats[1].at = shl_unbound; // who is not bound sits nowhere
    ASSERT_FALSE(shl_binder_crowded(&b, &x, &y));
    const shl_place two = {.allowed_cores = 2};
    b.place = &two;
    seats[2].at.core = seats[1].at.core = 0; // three on two cores: nobody's fault
    ASSERT_FALSE(shl_binder_crowded(&b, &x, &y));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    const char *path = getenv("SHOAL_SEATS");
    if (!path) {
        fputs("SHOAL_SEATS must name the fixture\n", stderr);
        return 1;
    }
    GREATEST_MAIN_BEGIN();
    RUN_TEST1(seats_are_as_written, path);
    RUN_TESTp(seats_are_fair, "pack:2 numa:2 core:8 pu:2", NULL);
    RUN_TESTp(seats_are_fair, "pack:2 numa:1 core:3 pu:1", NULL);
    RUN_TESTp(seats_are_fair, "pack:2 numa:2 core:4 pu:2", "1,3-7,9,12-20,30");
    RUN_TESTp(seats_are_fair, "numa:1 core:6 pu:4", "0,4-5,8-10,12-15");
    RUN_TESTp(seats_are_fair, "pu:5", NULL);
    RUN_TESTp(seats_are_fair, "pack:2 core:64 pu:1", NULL);
    RUN_TESTp(seats_are_fair, "pack:8 core:16 pu:1", NULL);
    RUN_TESTp(chunks_lie_with_their_memory, "pack:2 numa:1 core:64 pu:1", 2, 128);
    RUN_TESTp(chunks_lie_with_their_memory, "pack:8 numa:1 core:16 pu:1", 8, 128);
    RUN_TEST(crowded_cores_are_found);
    GREATEST_MAIN_END();
}
