// SPDX-License-Identifier: MIT
// Hashes written down once: other compilers, flags and machines must give the same.
#include "run.h"

#include "greatest.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *world;
    uint64_t hash[WORLD_STEPS]; // of all queries together
} golden[] = {
    {"spheres",
     {0xc1a7482e8fbde3a8, 0x10b4d033e5d5a6df, 0x05202f2b9aa63780, 0x181f114c19ca2ad3}},
    {"arms", {0x598899db71b59541, 0x9a51d99cfba57db2, 0xfa75507e7c019cf4, 0x02841afe80dcddea}},
    {"lattice",
     {0xc8a76537dd02df21, 0x23c69fcc7f1dde11, 0x80fa479007fb4be9, 0x297854aa8f494da1}},
    {"many", {0x2827ab053c8ee917, 0x63aa6307c172cfc9, 0x2fc31159c79e522d, 0x5188227fe3e90f58}},
    {"between_floats",
     {0xf346a45d2de3bc85, 0x54537cd2fbd31807, 0x2f12282291b2bcab, 0xffc8e8f7d5f3b551}},
};

// Bits of the positions themselves, to tell a generator that differs from an answer that does.
static const uint64_t golden_positions = 0xbacb0972d8bb2b2b;

static world *world_named(const char *name)
{
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        if (strcmp(world_name(kind), name) == 0)
            return world_make(kind);
    }
    return NULL;
}

TEST positions_are_the_same_bits(void)
{
    uint64_t h = 1;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        world *w = world_named(golden[i].world);
        for (uint32_t s = 0; s < w->step_count; s++) {
            for (uint32_t b = 0; b < w->body_count; b++) {
                for (size_t k = 0; k < 3 * (size_t)w->mesh[b].vertex_count; k++) {
                    uint64_t bits;
                    memcpy(&bits, &w->xyz[s][b][k], sizeof bits);
                    h = (h ^ bits) * 0x100000001b3u;
                    h ^= h >> 31;
                }
            }
        }
        world_free(w);
    }
    ASSERT_EQ_FMT(golden_positions, h, "0x%" PRIx64);
    PASS();
}

TEST hash_is_the_written_one(size_t row)
{
    world *w = world_named(golden[row].world);
    world_find_truth(w);
    for (int cpu = 0; cpu < 3; cpu++) {
        const way how = {{[CPU] = (uint8_t)cpu, [EXECUTOR] = 2, [QUERIES] = QUERY_SETS - 1}};
        uint64_t hash[WORLD_STEPS] = {0};
        if (!way_run(w, &how, hash))
            FAILm(way_fault());
        for (uint32_t s = 0; s < WORLD_STEPS; s++)
            ASSERT_EQ_FMT(golden[row].hash[s], hash[s], "0x%" PRIx64);
    }
    world_free(w);
    PASS();
}

SUITE(golden_hashes)
{
    RUN_TEST(positions_are_the_same_bits);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        RUN_TESTp(hash_is_the_written_one, i);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(golden_hashes);
    GREATEST_MAIN_END();
}
