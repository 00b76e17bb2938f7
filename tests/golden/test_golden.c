// SPDX-License-Identifier: MIT
// Hashes written down once: other compilers, flags and machines must give the same, and so must
// every later version. SHOAL_GOLDEN=print prints values.inc as it would be now; any other value
// is a list of words, as in `overlap,query`, and plays only rows whose names hold one of them.
#include "golden.h"
#include "scenes/scene.h"

#include "greatest.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t hash;
} recorded[] = {
#include "values.inc"
};
enum { RECORDED = sizeof recorded / sizeof *recorded };

// Bits of the worlds' positions, to tell a generator that differs from an answer that does.
static const uint64_t recorded_positions = 0x5ed3398502c3209f;

void golden_add(const golden_row *row, const shoal_scene *scene, golden_sum *out)
{
    const shoal_stats stats = shoal_scene_stats(scene);
    out->hash = out->hash * 31 + shoal_scene_hash(scene);
    out->found += shoal_scene_pairs(scene).count + shoal_scene_first_pairs(scene).count +
                  shoal_scene_self_pairs(scene).count +
                  shoal_scene_sphere_contacts(scene).count + shoal_scene_nearest(scene).count +
                  shoal_scene_within(scene).count + shoal_scene_nearest_triangles(scene).count +
                  shoal_scene_nearest_self(scene).count;
    out->used += row->use ? row->use(&stats) : 1;
}

bool golden_play(const golden_row *row, const golden_way *way, golden_sum *out)
{
    *out = (golden_sum){0};
    shoal_context_def cd = shoal_context_def_default();
    cd.cpu = way->cpu;
    cd.fixed_costs = true;
    shoal_scene_def sd = shoal_scene_def_default();
    sd.executor = way->executor;
    sd.threads = way->threads;
    sd.broad = row->broad;
    sd.coherence = row->coherence;
    sd.distance_engine = row->engine;
    sd.grid_resolution = row->resolution;
    sd.list_margin = row->list_margin;
    sd.within = row->within;
    if (row->strategy1)
        sd.strategy = (shoal_strategy)(row->strategy1 - 1);
    if (row->rebuild_ratio > 0)
        sd.rebuild_ratio = row->rebuild_ratio;
    shoal_context *ctx = NULL;
    shoal_scene *scene = NULL;
    bool good = !shoal_context_create(&cd, &ctx) && !shoal_scene_create(ctx, &sd, &scene);
    good = good && (row->world ? golden_play_world : golden_play_scene)(row, ctx, scene, out);
    shoal_scene_destroy(scene);
    shoal_context_destroy(ctx);
    return good;
}

static uint64_t positions_of(world *w, uint64_t h)
{
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
    return h;
}

TEST positions_are_the_same_bits(void)
{
    uint64_t h = 1;
    for (uint32_t kind = 0; kind < world_kinds(); kind++) {
        world *w = world_make(kind);
        h = positions_of(w, h);
        world_free(w);
    }
    ASSERT_EQ_FMT(recorded_positions, h, "0x%" PRIx64);
    PASS();
}

TEST every_scene_has_a_row(void)
{
    for (int id = 0; id < SHL_SCENE_COUNT; id++) {
        bool found = false;
        for (size_t i = 0; i < golden_row_count; i++)
            found = found || (golden_rows[i].scene &&
                              !strcmp(golden_rows[i].scene, shl_scene_name((shl_scene_id)id)));
        ASSERTm(shl_scene_name((shl_scene_id)id), found);
    }
    ASSERT_EQ_FMT(golden_row_count, (size_t)RECORDED, "%zu");
    PASS();
}

TEST hash_is_the_recorded_one(const golden_row *row, const golden_way *way)
{
    golden_sum sum;
    ASSERTm(row->name, golden_play(row, way, &sum));
    ASSERTm(row->name, sum.found > 0 && sum.used > 0);
    for (int i = 0; i < RECORDED; i++) {
        if (strcmp(recorded[i].name, row->name) == 0) {
            ASSERT_EQ_FMTm(row->name, recorded[i].hash, sum.hash, "0x%016" PRIx64);
            PASS();
        }
    }
    FAILm("no value is recorded");
}

static const golden_way ways[] = {{SHOAL_CPU_BEST, SHOAL_EXECUTOR_OMP, 2},
                                  {SHOAL_CPU_REF, SHOAL_EXECUTOR_SERIAL, 1}};

// Whether the name holds one of the words, which commas part.
static bool names_one_of(const char *name, const char *words)
{
    char word[64];
    int length;
    for (; sscanf(words, "%63[^,]%n", word, &length) == 1; words += words[0] == ',') {
        if (strstr(name, word))
            return true;
        words += length;
    }
    return false;
}

SUITE(golden)
{
    RUN_TEST(positions_are_the_same_bits);
    RUN_TEST(every_scene_has_a_row);
    const char *part = getenv("SHOAL_GOLDEN");
    for (size_t i = 0; i < golden_row_count; i++) {
        if (part && !names_one_of(golden_rows[i].name, part))
            continue;
        for (int k = 0; k < (golden_rows[i].scene ? 1 : 2); k++)
            RUN_TESTp(hash_is_the_recorded_one, &golden_rows[i], &ways[k]);
    }
}

static int print_values(void)
{
    printf("// SPDX-License-Identifier: MIT\n// Made by SHOAL_GOLDEN=print test_golden.\n");
    for (size_t i = 0; i < golden_row_count; i++) {
        golden_sum sum;
        if (!golden_play(&golden_rows[i], &ways[0], &sum))
            return 1;
        printf("{\"%s\", 0x%016" PRIx64 "},\n", golden_rows[i].name, sum.hash);
    }
    return 0;
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
    const char *wish = getenv("SHOAL_GOLDEN");
    if (wish && strcmp(wish, "print") == 0)
        return print_values();
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(golden);
    GREATEST_MAIN_END();
}
