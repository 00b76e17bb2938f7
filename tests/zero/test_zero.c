// SPDX-License-Identifier: MIT
// Test zero: the same pairs by every way through the library, and those of brute force.
// A covering choice of ways, or with --long or SHOAL_LONG=1 a full product.
#include "run.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 200 };

static bool all_ways;
static way ways[WAYS_MAX];
static uint32_t way_count, kind;

// The full product takes about an hour: SHOAL_WORLDS=0/2 and 1/2 each do every second world.
static uint32_t part = 0, parts = 1;

enum { ROUNDS = 3 };

// The next way of the full product of strategy, instruction set, executor, precision and order,
// gone through a few times while the other factors change by lot. False after the last.
static bool next_way(way *w, uint64_t *lot, int *round)
{
    int i = 0;
    while (i <= ORDER && ++w->value[i] == factor_values[i])
        w->value[i++] = 0;
    for (int k = ORDER + 1; k < FACTORS; k++)
        w->value[k] = (uint8_t)(world_random(lot) % factor_values[k]);
    return i <= ORDER || ++*round < ROUNDS;
}

static void tell(const world *w, const way *how)
{
    printf("\n%s, strategy %d cpu %d executor %d scalar %d order %d hold %d layout %d broad %d "
           "bounds %d queries %#x builder %d arity %d list_margin %d blend %d region %d: %s\n",
           w->name, how->value[STRATEGY], how->value[CPU], how->value[EXECUTOR],
           how->value[SCALAR], how->value[ORDER], how->value[HOLD], how->value[LAYOUT],
           how->value[BROAD], how->value[BOUNDS], way_queries(how->value[QUERIES]),
           how->value[BUILDER], how->value[ARITY], how->value[LIST_MARGIN], how->value[BLEND],
           how->value[REGION], way_fault());
}

// One hash a step and query set, whatever the way.
typedef struct memory {
    bool known[QUERY_SETS];
    uint64_t hash[QUERY_SETS][WORLD_STEPS];
} memory;

static bool try_way(const world *w, const way *how, memory *seen)
{
    uint64_t hash[WORLD_STEPS] = {0};
    if (!way_run(w, how, hash)) {
        tell(w, how);
        return false;
    }
    const uint8_t set = how->value[QUERIES];
    if (!seen->known[set])
        memcpy(seen->hash[set], hash, sizeof hash);
    seen->known[set] = true;
    if (memcmp(seen->hash[set], hash, sizeof hash) == 0)
        return true;
    printf("\n%s: another hash for the same pairs\n", w->name);
    return false;
}

TEST one_world(uint32_t which)
{
    world *w = world_make(which);
    world_find_truth(w);
    memory seen = {0};
    bool good = true;
    if (all_ways) {
        way how = {{0}};
        uint64_t lot = 1 + which;
        int round = 0;
        do
            good = try_way(w, &how, &seen);
        while (good && next_way(&how, &lot, &round));
    } else {
        for (uint32_t i = 0; i < way_count && good; i++)
            good = try_way(w, &ways[i], &seen);
    }
    size_t found = 0;
    for (uint32_t s = 0; s < w->step_count; s++)
        found += w->truth[s].pair_count;
    world_free(w);
    ASSERT(good);
    ASSERTm("a world without contact tests nothing", found > 0);
    PASS();
}

// The covering list itself: every two values of two factors meet in some way.
TEST ways_cover_all_pairs(void)
{
    ASSERT(way_count > 0);
    for (int i = 0; i < FACTORS; i++) {
        for (int k = i + 1; k < FACTORS; k++) {
            for (int x = 0; x < factor_values[i]; x++) {
                for (int y = 0; y < factor_values[k]; y++) {
                    bool met = false;
                    for (uint32_t n = 0; n < way_count; n++)
                        met |= ways[n].value[i] == x && ways[n].value[k] == y;
                    ASSERT(met);
                }
            }
        }
    }
    PASS();
}

SUITE(zero)
{
    RUN_TEST(ways_cover_all_pairs);
    for (kind = part; kind < world_kinds(); kind += parts)
        RUN_TEST1(one_world, kind);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    const char *text = getenv("SHOAL_LONG");
    all_ways = text && *text && strcmp(text, "0") != 0;
    if (argc > 1 && strcmp(argv[1], "--long") == 0) {
        all_ways = true;
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    const char *worlds = getenv("SHOAL_WORLDS");
    if (worlds && (sscanf(worlds, "%u/%u", &part, &parts) != 2 || part >= parts)) {
        fprintf(stderr, "SHOAL_WORLDS=%s is not like 0/2\n", worlds);
        return 64;
    }
    way_count = ways_pairwise(ways, WAYS_MAX);
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(zero);
    GREATEST_MAIN_END();
}
