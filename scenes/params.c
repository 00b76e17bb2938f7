// SPDX-License-Identifier: MIT
// The parameters of scenes: how their values are written, and where they are kept.
#include "scenes/play.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 5 };

// A number within bounds, or one of a few words, and the member that holds it.
typedef struct rule {
    const char *key, *summary;
    size_t at, size;
    uint64_t least, most;
    const char *words[WORDS];
    bool power_of_2;
    bool may_lack; // or the word "none", which is 0; a number n is then kept as n + 1
} rule;

#define MEMBER(m) .at = offsetof(shl_scene_params, m), .size = sizeof((shl_scene_params *)0)->m

enum { RULES = 16 };

// In the order of the bits SHL_TAKES_.
static const rule rules[RULES] = {
    {MEMBER(k), .key = "k", .summary = "0 to 9: ~20 * 4^k triangles, beams 72 * 4^k",
     .most = 9},
    {MEMBER(steps), .key = "steps", .summary = "steps to run, 1 to 1000000000", .least = 1,
     .most = 1000000000},
    {MEMBER(seed), .key = "seed", .summary = "of noise, spins and phases, 0 to 2^64 - 1",
     .most = UINT64_MAX},
    {MEMBER(precision), .key = "precision", .summary = "f32 or f64: type of the positions",
     .most = 1, .words = {"f32", "f64"}},
    {MEMBER(order), .key = "order", .summary = "tree or user: vertex order of the positions",
     .most = 1, .words = {"user", "tree"}},
    {MEMBER(hold), .key = "hold",
     .summary = "borrow or copy: how the positions are handed over", .most = 1,
     .words = {"copy", "borrow"}},
    {MEMBER(builder), .key = "builder",
     .summary = "area, centre, mean, connectivity or poses: how trees are made", .most = 4,
     .words = {"area", "centre", "mean", "connectivity", "poses"}},
    {MEMBER(arity), .key = "arity", .summary = "2, 4 or 8: most children of a node", .least = 2,
     .most = 8, .power_of_2 = true},
    {MEMBER(bodies), .key = "bodies", .summary = "bodies in the lattice or pile, 1 to 100000",
     .least = 1, .most = 100000},
    {MEMBER(bodies), .key = "count", .summary = "chairs, fish or balls, 1 to 100000",
     .least = 1, .most = 100000},
    {MEMBER(bays), .key = "bays",
     .summary = "length of the bridge, 1 to 1000: ~6,000 triangles a bay", .least = 1,
     .most = 1000},
    {MEMBER(spheres), .key = "spheres",
     .summary = "none, or 0 to 12: ~2^spheres contact spheres a body",
     .most = SHOAL_SPHERE_LEVEL_MAX, .may_lack = true},
    {MEMBER(vertices), .key = "vertices", .summary = "of a body, about; 500 to 1000000",
     .least = 500, .most = 1000000},
    {MEMBER(controls), .key = "controls",
     .summary = "control points of a body, about; 30 to 5000", .least = 30, .most = 5000},
    {MEMBER(contact), .key = "contact", .summary = "small or large: how hard they swing",
     .most = 1, .words = {"small", "large"}},
    {MEMBER(bending), .key = "motion", .summary = "pull, bend or twist: what is done to them",
     .most = 2, .words = {"pull", "bend", "twist"}},
};

static uint64_t get(const shl_scene_params *params, const rule *r)
{
    uint32_t small;
    uint64_t large;
    const char *from = (const char *)params + r->at;
    memcpy(&small, from, sizeof small);
    if (r->size == sizeof small)
        return small;
    memcpy(&large, from, sizeof large);
    return large;
}

static void put(shl_scene_params *params, const rule *r, uint64_t value)
{
    const uint32_t small = (uint32_t)value;
    if (r->size == sizeof small)
        memcpy((char *)params + r->at, &small, sizeof small);
    else
        memcpy((char *)params + r->at, &value, sizeof value);
}

// The parameters of a scene, in order.
static uint32_t rules_of(shl_scene_id scene, const rule *out[RULES])
{
    uint32_t n = 0;
    for (int i = 0; i < RULES; i++) {
        if (shl_scene_play(scene)->takes & 1u << i)
            out[n++] = &rules[i];
    }
    return n;
}

shl_scene_param shl_scene_param_at(shl_scene_id scene, const shl_scene_params *params,
                                   uint32_t index)
{
    shl_scene_param out = {0};
    const rule *all[RULES];
    if (index >= rules_of(scene, all))
        return out;
    const rule *r = all[index];
    const uint64_t value = get(params, r);
    out.key = r->key;
    out.summary = r->summary;
    out.number = !r->words[0] && !(r->may_lack && value == 0);
    if (out.number)
        snprintf(out.text, sizeof out.text, "%" PRIu64, value - r->may_lack);
    else
        snprintf(out.text, sizeof out.text, "%s", r->may_lack ? "none" : r->words[value]);
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
    const rule *all[RULES];
    const uint32_t count = rules_of(scene, all);
    for (uint32_t i = 0; i < count; i++) {
        const rule *r = all[i];
        if (strcmp(r->key, key) != 0)
            continue;
        uint64_t number = 0;
        bool good = false;
        if (r->words[0]) {
            for (; number <= r->most && !good; number += !good)
                good = strcmp(r->words[number], value) == 0;
        } else if (r->may_lack && strcmp(value, "none") == 0) {
            good = true;
        } else {
            good = parse(value, &number) && number >= r->least && number <= r->most &&
                   !(r->power_of_2 && number & (number - 1));
            number += r->may_lack;
        }
        if (good)
            put(params, r, number);
        else
            snprintf(error->text, sizeof error->text, "%s is %s", key, r->summary);
        return good;
    }
    size_t used = (size_t)snprintf(error->text, sizeof error->text,
                                   "%s has no such parameter, only", shl_scene_name(scene));
    for (uint32_t i = 0; i < count && used < sizeof error->text; i++)
        used +=
            (size_t)snprintf(error->text + used, sizeof error->text - used, " %s", all[i]->key);
    return false;
}
