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
     {0xf7919d334322890e, 0xe6eb93802a7c07ce, 0xe62973f58bb79a3d, 0x9f87f6c554b07f50}},
    {"arms", {0xafd6f2dacd7ffc7a, 0xc2e77acf4f99e3fd, 0x7e0f9267bb50ed1a, 0xa99cd7671e5c6cea}},
    {"lattice",
     {0xba9028ea6411c907, 0x67dcaab8b5db04fe, 0x638213ac8c2ce943, 0x183dd8959fc1572e}},
    {"many", {0xd644d0c87b01fd8a, 0x23b4e1a3303d5551, 0xfa55890bb3328aa4, 0x33818eb64b9cc74a}},
    {"between_floats",
     {0xac56e5efb7dcc042, 0xeb601a7e8486e1ad, 0xc91476c742144d5d, 0xd489d49b4db95539}},
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
