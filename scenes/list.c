// SPDX-License-Identifier: MIT
// The list of scenes and their parameters.
#include "scenes/play.h"
#include "scenes/plays/actors.h"
#include "scenes/plays/breaking.h"
#include "scenes/plays/elastic_scene.h"
#include "scenes/plays/letters.h"
#include "scenes/plays/skirt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// What `-s` can set, in the order of lists.
typedef enum field {
    FIELD_K,
    FIELD_STEPS,
    FIELD_SEED,
    FIELD_PRECISION,
    FIELD_ORDER,
    FIELD_HOLD,
    FIELD_BUILDER,
    FIELD_ARITY,
    FIELD_BODIES,
    FIELD_COUNTED,
    FIELD_BAYS,
    FIELD_SPHERES,
    FIELD_VERTICES,
    FIELD_NODES,
    FIELD_CONTACT,
    FIELD_BENDING,
    FIELD_COUNT
} field;

#define HAS(f) (1u << FIELD_##f)
#define FREE_FIELDS                                                                            \
    (HAS(K) | HAS(STEPS) | HAS(SEED) | HAS(PRECISION) | HAS(ORDER) | HAS(HOLD) |               \
     HAS(BUILDER) | HAS(ARITY))

#define SOFT_FIELDS (FREE_FIELDS & ~HAS(K))
#define SOFT_QUERIES (SHOAL_QUERY_PAIRS | SHOAL_QUERY_NEAREST | SHOAL_QUERY_NEAREST_TRIANGLES)

typedef struct kind {
    const char *name, *summary;
    shl_scene_params defaults;
    uint32_t fields;      // those it takes
    bool reduced;         // no positions are handed over, and the tree is the default one
    bool floor;           // at height 0
    uint32_t queries;     // 0: pairs
    const shl_play *play; // NULL: scenes/motion.c knows it
} kind;

static const kind kinds[SHL_SCENE_COUNT] = {
    [SHL_SCENE_BUMPY_2] =
        {.name = "bumpy-2",
         .summary = "two bumpy spheres sink into each other; they meet at step 60",
         .defaults =
             {.k = 5, .bodies = 2, .steps = 200, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = FREE_FIELDS},
    [SHL_SCENE_BUMPY_27] =
        {.name = "bumpy-27",
         .summary = "a lattice of bumpy spheres heads for its centre, spins, bounces",
         .defaults =
             {.k = 4, .bodies = 27, .steps = 200, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = FREE_FIELDS | HAS(BODIES)},
    [SHL_SCENE_ARMS_27] =
        {.name = "arms-27",
         .summary = "the same with bodies that wave seven long arms",
         .defaults =
             {.k = 4, .bodies = 27, .steps = 200, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = FREE_FIELDS | HAS(BODIES)},
    [SHL_SCENE_PLATES] =
        {.name = "plates",
         .summary = "a pile of folded plates that sink into their neighbours and ripple",
         .defaults =
             {.k = 5, .bodies = 100, .steps = 40, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = FREE_FIELDS | HAS(BODIES)},
    [SHL_SCENE_TANGLE] =
        {.name = "tangle",
         .summary = "clouds of patches, stirred until no tree built at rest fits them",
         .defaults =
             {.k = 5, .bodies = 4, .steps = 400, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = FREE_FIELDS | HAS(BODIES)},
    [SHL_SCENE_BEAMS] =
        {.name = "beams",
         .summary = "reduced bodies: folded plates of ten modes swing, spin and bend",
         .defaults = {.k = 3, .bodies = 64, .steps = 200, .seed = 1, .arity = 8},
         .fields = HAS(K) | HAS(STEPS) | HAS(SEED) | HAS(BODIES) | HAS(SPHERES),
         .reduced = true},
    [SHL_SCENE_CALM_27] =
        {.name = "calm-27",
         .summary = "bumpy spheres packed so that they touch, trembling in their places",
         .defaults =
             {.k = 4, .bodies = 27, .steps = 200, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = FREE_FIELDS | HAS(BODIES)},
    [SHL_SCENE_CHAIRS] =
        {.name = "chairs",
         .summary = "flexible chairs fall on a floor, tumble and come to rest",
         .defaults = {.bodies = 30, .steps = 2000, .seed = 1, .arity = 8, .spheres = 11},
         .fields = HAS(STEPS) | HAS(SEED) | HAS(COUNTED) | HAS(SPHERES),
         .floor = true,
         .reduced = true},
    [SHL_SCENE_LETTERS_BOWL] =
        {.name = "letters-bowl",
         .summary = "soft letters fall into a bowl and come to rest on each other",
         .defaults = {.bodies = 10, .steps = 500, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = SOFT_FIELDS | HAS(BODIES),
         .queries = SOFT_QUERIES,
         .play = &shl_play_letters_bowl},
    [SHL_SCENE_LETTERS_RAMP] =
        {.name = "letters-ramp",
         .summary = "soft letters pour through a funnel and slide down a ramp",
         .defaults =
             {.bodies = 200, .steps = 800, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = SOFT_FIELDS | HAS(BODIES),
         .queries = SOFT_QUERIES,
         .play = &shl_play_letters_ramp},
    [SHL_SCENE_SKIRT] =
        {.name = "skirt",
         .summary = "a skirt of cloth swings around a capsule that sways and turns",
         .defaults = {.bodies = 2, .steps = 600, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = SOFT_FIELDS & ~HAS(SEED),
         .queries = SOFT_QUERIES | SHOAL_QUERY_NEAREST_SELF,
         .play = &shl_play_skirt},
    [SHL_SCENE_BREAKING] =
        {.name = "breaking",
         .summary = "blocks fall on a floor and on each other and break into pieces",
         .defaults = {.bodies = 10, .steps = 300, .seed = 1, .order = 1, .hold = 1, .arity = 8},
         .fields = SOFT_FIELDS | HAS(BODIES),
         .queries = SOFT_QUERIES,
         .play = &shl_play_breaking},
    [SHL_SCENE_FISH_BRIDGE] =
        {.name = "fish-bridge",
         .summary = "fish fall on a bridge that sways, flop and slide",
         .defaults =
             {.bodies = 12000, .steps = 800, .seed = 1, .arity = 8, .spheres = 8, .bays = 40},
         .fields = HAS(STEPS) | HAS(SEED) | HAS(COUNTED) | HAS(BAYS) | HAS(SPHERES),
         .floor = true,
         .reduced = true,
         .play = &shl_fish_bridge_play},
    [SHL_SCENE_CURTAIN] =
        {.name = "curtain",
         .summary = "balls are thrown at a curtain in gusty wind",
         // steps: as long as the recorded 110 frames
         .defaults = {.bodies = 1, .steps = 1467, .seed = 1, .arity = 8, .spheres = 7},
         .fields = HAS(STEPS) | HAS(SEED) | HAS(COUNTED) | HAS(SPHERES),
         .floor = true,
         .reduced = true,
         .play = &shl_curtain_play},
    [SHL_SCENE_RING] =
        {.name = "ring",
         .summary = "six soft figures hang on a turning ring and swing into each other",
         .defaults = {.vertices = 2857, .nodes = 115, .bodies = 6, .steps = 400, .seed = 1},
         .fields = HAS(STEPS) | HAS(SEED) | HAS(VERTICES) | HAS(NODES) | HAS(CONTACT),
         .play = &shl_ring_play},
    [SHL_SCENE_FISH_24] =
        {.name = "fish-24",
         .summary = "a swarm of soft fish swims in rounds and jostles",
         .defaults = {.vertices = 8000, .nodes = 96, .bodies = 24, .steps = 400, .seed = 1},
         .fields = HAS(STEPS) | HAS(SEED) | HAS(VERTICES) | HAS(NODES) | HAS(BODIES),
         .play = &shl_swarm_play},
    [SHL_SCENE_BRAIN] =
        {.name = "brain",
         .summary = "two brains are pulled, bent or twisted until they meet",
         .defaults = {.vertices = 29966, .nodes = 225, .bodies = 2, .steps = 100, .seed = 1},
         .fields = HAS(STEPS) | HAS(SEED) | HAS(VERTICES) | HAS(NODES) | HAS(BENDING),
         .play = &shl_brain_play},
};

enum { WORDS = 5 };

// A number within bounds, or one of a few words.
typedef struct field_rule {
    const char *key, *summary;
    uint64_t least, most;
    const char *words[WORDS];
    bool power_of_2;
    bool may_lack; // or the word "none", which is 0; a number n is then kept as n + 1
} field_rule;

static const field_rule rules[FIELD_COUNT] = {
    [FIELD_K] = {.key = "k",
                 .summary = "0 to 9: ~20 * 4^k triangles, beams 72 * 4^k",
                 .most = 9},
    [FIELD_STEPS] = {.key = "steps",
                     .summary = "steps to run, 1 to 1000000000",
                     .least = 1,
                     .most = 1000000000},
    [FIELD_SEED] = {.key = "seed",
                    .summary = "of noise, spins and phases, 0 to 2^64 - 1",
                    .most = UINT64_MAX},
    [FIELD_PRECISION] = {.key = "precision",
                         .summary = "f32 or f64: type of the positions",
                         .most = 1,
                         .words = {"f32", "f64"}},
    [FIELD_ORDER] = {.key = "order",
                     .summary = "tree or user: vertex order of the positions",
                     .most = 1,
                     .words = {"user", "tree"}},
    [FIELD_HOLD] = {.key = "hold",
                    .summary = "borrow or copy: how the positions are handed over",
                    .most = 1,
                    .words = {"copy", "borrow"}},
    [FIELD_BUILDER] = {.key = "builder",
                       .summary =
                           "area, centre, mean, connectivity or poses: how trees are made",
                       .most = 4,
                       .words = {"area", "centre", "mean", "connectivity", "poses"}},
    [FIELD_ARITY] = {.key = "arity",
                     .summary = "2, 4 or 8: most children of a node",
                     .least = 2,
                     .most = 8,
                     .power_of_2 = true},
    [FIELD_BODIES] = {.key = "bodies",
                      .summary = "bodies in the lattice or pile, 1 to 100000",
                      .least = 1,
                      .most = 100000},
    [FIELD_COUNTED] = {.key = "count",
                       .summary = "chairs, fish or balls, 1 to 100000",
                       .least = 1,
                       .most = 100000},
    [FIELD_BAYS] = {.key = "bays",
                    .summary = "length of the bridge, 1 to 1000: ~6,000 triangles a bay",
                    .least = 1,
                    .most = 1000},
    [FIELD_SPHERES] = {.key = "spheres",
                       .summary = "none, or 0 to 12: ~2^spheres contact spheres a body",
                       .most = SHOAL_SPHERE_LEVEL_MAX,
                       .may_lack = true},
    [FIELD_VERTICES] = {.key = "vertices",
                        .summary = "of a body, about; 500 to 1000000",
                        .least = 500,
                        .most = 1000000},
    [FIELD_NODES] = {.key = "nodes",
                     .summary = "that carry a body, about; 30 to 5000",
                     .least = 30,
                     .most = 5000},
    [FIELD_CONTACT] = {.key = "contact",
                       .summary = "small or large: how hard they swing",
                       .most = 1,
                       .words = {"small", "large"}},
    [FIELD_BENDING] = {.key = "motion",
                       .summary = "pull, bend or twist: what is done to them",
                       .most = 2,
                       .words = {"pull", "bend", "twist"}},
};

static uint64_t get(const shl_scene_params *p, field f)
{
    switch (f) {
    case FIELD_K:
        return p->k;
    case FIELD_STEPS:
        return p->steps;
    case FIELD_SEED:
        return p->seed;
    case FIELD_PRECISION:
        return p->precision;
    case FIELD_ORDER:
        return p->order;
    case FIELD_HOLD:
        return p->hold;
    case FIELD_BUILDER:
        return p->builder;
    case FIELD_ARITY:
        return p->arity;
    case FIELD_SPHERES:
        return p->spheres;
    case FIELD_BAYS:
        return p->bays;
    case FIELD_VERTICES:
        return p->vertices;
    case FIELD_NODES:
        return p->nodes;
    case FIELD_CONTACT:
        return p->contact;
    case FIELD_BENDING:
        return p->bending;
    default:
        return p->bodies;
    }
}

static void put(shl_scene_params *p, field f, uint64_t value)
{
    switch (f) {
    case FIELD_K:
        p->k = (uint32_t)value;
        break;
    case FIELD_STEPS:
        p->steps = (uint32_t)value;
        break;
    case FIELD_SEED:
        p->seed = value;
        break;
    case FIELD_PRECISION:
        p->precision = (shoal_scalar)value;
        break;
    case FIELD_ORDER:
        p->order = (shoal_order)value;
        break;
    case FIELD_HOLD:
        p->hold = (shoal_hold)value;
        break;
    case FIELD_BUILDER:
        p->builder = (shoal_builder)value;
        break;
    case FIELD_ARITY:
        p->arity = (uint32_t)value;
        break;
    case FIELD_SPHERES:
        p->spheres = (uint32_t)value;
        break;
    case FIELD_BAYS:
        p->bays = (uint32_t)value;
        break;
    case FIELD_VERTICES:
        p->vertices = (uint32_t)value;
        break;
    case FIELD_NODES:
        p->nodes = (uint32_t)value;
        break;
    case FIELD_CONTACT:
        p->contact = (uint32_t)value;
        break;
    case FIELD_BENDING:
        p->bending = (uint32_t)value;
        break;
    default:
        p->bodies = (uint32_t)value;
        break;
    }
}

const char *shl_scene_name(shl_scene_id scene)
{
    return kinds[scene].name;
}

const char *shl_scene_summary(shl_scene_id scene)
{
    return kinds[scene].summary;
}

bool shl_scene_find(const char *name, shl_scene_id *out)
{
    for (int i = 0; i < SHL_SCENE_COUNT; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *out = (shl_scene_id)i;
            return true;
        }
    }
    return false;
}

bool shl_scene_is_reduced(shl_scene_id scene)
{
    return kinds[scene].reduced;
}

uint32_t shl_scene_queries(shl_scene_id scene)
{
    return kinds[scene].queries ? kinds[scene].queries : SHOAL_QUERY_PAIRS;
}

bool shl_scene_floor(shl_scene_id scene)
{
    return kinds[scene].floor;
}

const shl_play *shl_scene_play(shl_scene_id scene)
{
    return kinds[scene].play;
}

shl_scene_params shl_scene_defaults(shl_scene_id scene)
{
    return kinds[scene].defaults;
}

// The fields of a scene, in order.
static uint32_t fields_of(shl_scene_id scene, field out[FIELD_COUNT])
{
    uint32_t n = 0;
    for (int f = 0; f < FIELD_COUNT; f++) {
        if (kinds[scene].fields & 1u << f)
            out[n++] = (field)f;
    }
    return n;
}

shl_scene_param shl_scene_param_at(shl_scene_id scene, const shl_scene_params *params,
                                   uint32_t index)
{
    shl_scene_param out = {0};
    field fields[FIELD_COUNT];
    if (index >= fields_of(scene, fields))
        return out;
    const field_rule *rule = &rules[fields[index]];
    const uint64_t value = get(params, fields[index]);
    out.key = rule->key;
    out.summary = rule->summary;
    out.number = !rule->words[0] && !(rule->may_lack && value == 0);
    if (out.number)
        snprintf(out.text, sizeof out.text, "%" PRIu64, value - rule->may_lack);
    else
        snprintf(out.text, sizeof out.text, "%s", rule->may_lack ? "none" : rule->words[value]);
    return out;
}

// Decimal digits and nothing else.
static bool parse(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool shl_scene_set(shl_scene_id scene, shl_scene_params *params, const char *key,
                   const char *value, shl_setting_error *error)
{
    field fields[FIELD_COUNT];
    const uint32_t count = fields_of(scene, fields);
    for (uint32_t i = 0; i < count; i++) {
        const field_rule *rule = &rules[fields[i]];
        if (strcmp(rule->key, key) != 0)
            continue;
        uint64_t number = 0;
        bool good = false;
        if (rule->words[0]) {
            for (; number <= rule->most && !good; number += !good)
                good = strcmp(rule->words[number], value) == 0;
        } else if (rule->may_lack && strcmp(value, "none") == 0) {
            good = true;
        } else {
            good = parse(value, &number) && number >= rule->least && number <= rule->most &&
                   !(rule->power_of_2 && number & (number - 1));
            number += rule->may_lack;
        }
        if (good)
            put(params, fields[i], number);
        else
            snprintf(error->text, sizeof error->text, "%s is %s", key, rule->summary);
        return good;
    }
    size_t used = (size_t)snprintf(error->text, sizeof error->text,
                                   "%s has no such parameter, only", kinds[scene].name);
    for (uint32_t i = 0; i < count && used < sizeof error->text; i++)
        used += (size_t)snprintf(error->text + used, sizeof error->text - used, " %s",
                                 rules[fields[i]].key);
    return false;
}
