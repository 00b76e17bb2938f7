// SPDX-License-Identifier: MIT
// Bodies come and go, change their models, and are told where they may be.
#include "play.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

actor *actor_any(stage *s, draw *d)
{
    const uint32_t from = below(d, BODIES);
    for (uint32_t i = 0; i < BODIES; i++) {
        actor *a = &s->actors[(from + i) % BODIES];
        if (a->used)
            return a;
    }
    return NULL;
}

void corners_of(const actor *a, uint32_t triangle, double out[9])
{
    for (size_t i = 0; i < 9; i++)
        out[i] = a->xyz[3 * (size_t)a->shape->tri[3 * triangle + i / 3] + i % 3];
}

bool takes_part(const actor *a, const shoal_scene *scene)
{
    const shoal_body_numbers bad = shoal_scene_bad_bodies(scene);
    if (!a->used || !a->set)
        return false;
    if (!a->vague)
        return !a->bad;
    for (size_t i = 0; i < bad.count; i++) {
        if (bad.rows[i] == a->id.index1 - 1)
            return false;
    }
    return true;
}

// What a body no longer needs, once the library has let go of it.
static void forget_state(actor *a)
{
    free(a->memory);
    a->memory = NULL;
    a->set = a->bad = a->vague = false;
}

void actor_drop(stage *s, actor *a)
{
    forget_state(a);
    s->stale[s->stale_count++ % STALE_IDS] = a->id;
    shape *of = a->shape;
    for (uint32_t i = 0; i < BODIES; i++)
        s->actors[i].apart &= (uint16_t) ~(1u << (a->id.index1 - 1));
    memset(a, 0, sizeof *a);
    of->bodies--;
    shape_release(of);
}

// --- Coming and going. ---

static shoal_status add(stage *s, kind k, shoal_model *model, shoal_body *out)
{
    return k == FREE      ? TRY(shoal_scene_add_free, s->scene, model, out)
           : k == REDUCED ? TRY(shoal_scene_add_reduced, s->scene, model, out)
                          : TRY(shoal_scene_add_skinned, s->scene, model, out);
}

bool do_add(play *p, draw *d, stage *s)
{
    shape *of = shape_held(p, d);
    uint32_t there = 0;
    for (uint32_t i = 0; i < BODIES; i++)
        there += s->actors[i].used;
    if (!of || there == BODIES)
        return true;
    kind k = (kind)below(d, 3);
    if (s->theme == LISTS && k == REDUCED && !chance(d, 12))
        k = of->carried ? POINTS : FREE; // reduced bodies make lists useless
    if (s->theme == SPHERES && chance(d, 2))
        k = REDUCED;
    k = shape_suits(of, k) ? k : FREE;
    arm(d);
    bool good = true;
    shoal_body id = {7, 7};
    const shoal_status st = add(s, k, of->model, &id);
    if (!went_well("add", st, &good))
        return good && ((!id.index1 && !id.generation) ||
                        fault("the id of a body that was not added is not null"));
    if (id.index1 == 0 || id.index1 > BODIES || s->actors[id.index1 - 1].used)
        return fault("a new body has the number %u", id.index1 - 1);
    for (uint32_t i = 0; i < STALE_IDS && i < s->stale_count; i++) {
        if (s->stale[i].index1 == id.index1 && s->stale[i].generation == id.generation)
            return fault("the id of body %u was given before", id.index1 - 1);
    }
    actor *a = &s->actors[id.index1 - 1];
    *a =
        (actor){.used = true, .kind = k, .id = id, .shape = of, .group = 1, .mask = UINT32_MAX};
    for (int i = 0; i < 3; i++)
        a->at[i] = unit(d);
    of->bodies++;
    count("kind", kind_names[k], 1);
    say("  body %u: %s of shape %d", id.index1 - 1, kind_names[k], (int)(of - p->shapes));
    return chance(d, 6) || set_state(s, d, a, true);
}

bool do_remove(play *p, draw *d, stage *s)
{
    (void)p;
    actor *a = actor_any(s, d);
    if (!a)
        return true;
    const shoal_status st = TRY(shoal_scene_remove, s->scene, a->id);
    if (st != SHOAL_OK)
        return fault("shoal_scene_remove: %s", shoal_status_text(st));
    actor_drop(s, a);
    return true;
}

bool do_replace(play *p, draw *d, stage *s)
{
    actor *a = actor_any(s, d);
    shape *to = shape_held(p, d);
    if (!a || !to)
        return true;
    const views before = views_of(s->scene);
    const bool suits = shape_suits(to, a->kind);
    if (suits)
        arm(d);
    const shoal_status st = TRY(shoal_scene_replace_model, s->scene, a->id, to->model);
    const views after = views_of(s->scene);
    if (st != SHOAL_OK && memcmp(&before, &after, sizeof before) != 0)
        return fault("a model that was not replaced changed the results");
    if (!suits)
        return st == SHOAL_ERR_ARGUMENT || fault("a model that does not suit a body replaces");
    bool good = true;
    if (!went_well("shoal_scene_replace_model", st, &good))
        return good;
    shape *from = a->shape;
    to->bodies++;
    from->bodies--;
    a->shape = to;
    forget_state(a);
    shape_release(from);
    count("event", "model replaced", 1);
    return chance(d, 3) || set_state(s, d, a, true);
}

// --- Loose boxes. ---

bool do_fat(play *p, draw *d, stage *s)
{
    (void)p;
    const actor *a = actor_any(s, d);
    if (!a)
        return true;
    float lo[3], hi[3];
    const double by = chance(d, 3) ? -0.05 : 0.02 + 0.3 * fabs(unit(d));
    for (size_t k = 0; k < 3; k++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t v = 0; v < a->shape->vertex_count && a->set; v++) {
            least = fmin(least, a->xyz[3 * v + k]);
            most = fmax(most, a->xyz[3 * v + k]);
        }
        const double grow = by * (most - least);
        lo[k] = (float)(least - grow);
        hi[k] = (float)(most + grow);
        if (!(lo[k] <= hi[k])) { // no place yet, or one that is not finite
            lo[k] = -1;
            hi[k] = 1;
        }
    }
    if (chance(d, 12))
        lo[below(d, 3)] = -INFINITY;
    const bool take_back = chance(d, 5);
    const shoal_status st = TRY(shoal_scene_set_fat_box, s->scene, a->id, take_back ? NULL : lo,
                                take_back ? NULL : hi);
    return st == SHOAL_OK || fault("shoal_scene_set_fat_box: %s", shoal_status_text(st));
}

// --- Scenes. ---

static const char *const executors[] = {"omp", "serial", "loops", "guard"};
static const char *const strategies[] = {"hybrid", "bottom up", "top down", "optimal", "auto"};
static const char *const broads[] = {"auto", "brute", "sweep", "tree", "incremental"};
static const char *const coherences[] = {"none", "lazy", "eager"};
static const char *const engines[] = {"auto", "trees", "grid", "plain"};

shoal_scene_def draw_scene_def(draw *d)
{
    shoal_scene_def def;
    USE(shoal_scene_def_init)(&def, sizeof def);
    // the graph is what is most used, and what hosts can run
    def.executor = chance(d, 2) ? SHOAL_EXECUTOR_OMP : (shoal_executor)below(d, 4);
    def.threads = 1 + below(d, 3);
    def.strategy = (shoal_strategy)below(d, 5);
    def.broad = (shoal_broad)below(d, 5);
    def.bind = (shoal_bind)below(d, 3);
    def.rebuild_ratio = chance(d, 2) ? 0.5 : chance(d, 2) ? 1.3 : 0;
    static const double list_margins[] = {1e-3, 0.05, 2, 1e-320, 1e30};
    def.list_margin = chance(d, 2) ? 0 : list_margins[below(d, 5)];
    static const double withins[] = {0, 0.1, 0.5, INFINITY, 1e-300};
    def.within = withins[below(d, 5)];
    def.distance_engine = (shoal_distance_engine)below(d, 4);
    static const uint32_t resolutions[] = {1, 2, 7, 20, 64, 65536};
    def.grid_resolution = chance(d, 2) ? 0 : resolutions[below(d, 6)];
    def.coherence = (shoal_coherence)below(d, 3);
    return def;
}

void stage_end(stage *s)
{
    if (!s->scene)
        return;
    USE(shoal_scene_destroy)(s->scene);
    for (uint32_t i = 0; i < BODIES; i++) {
        if (s->actors[i].used)
            actor_drop(s, &s->actors[i]);
    }
    memset(s, 0, sizeof *s);
}

// A new scene in the place of the old one, which stays if there is no memory.
bool do_scene(play *p, draw *d, uint32_t at)
{
    const theme mostly = (theme)below(d, THEMES);
    shoal_scene_def def = draw_scene_def(d);
    if (mostly == LISTS)
        def.list_margin = chance(d, 2) ? 0.2 : 1;
    stage *s = &p->stages[at];
    if (s->scene)
        arm(d);
    bool good = true;
    shoal_scene *scene = (shoal_scene *)p; // must be overwritten
    const long before = memory_blocks();
    const shoal_status st = TRY(shoal_scene_create, p->ctx, &def, &scene);
    if (!went_well("shoal_scene_create", st, &good)) {
        if (good && scene)
            good = fault("a scene that was not made is not NULL");
        return good &&
               (memory_blocks() == before ||
                fault("a scene that was not made left %ld blocks", memory_blocks() - before));
    }
    stage_end(s);
    s->scene = scene;
    s->def = def;
    s->theme = mostly;
    s->queries = 1 + below(d, 15);
    const bool alone =
        def.executor == SHOAL_EXECUTOR_SERIAL || def.executor == SHOAL_EXECUTOR_GUARD;
    s->threads = alone ? 1 : def.threads;
    count("executor", executors[def.executor], 1);
    count("strategy", strategies[def.strategy], 1);
    count("broad", broads[def.broad], 1);
    count("coherence", coherences[def.coherence], 1);
    count("engine", engines[def.distance_engine], 1);
    static const char *const themes[THEMES] = {"anything", "lists", "distances", "spheres"};
    count("theme", themes[mostly], 1);
    say("  scene %u: %s, %s, %u threads, %s, broad %s, rebuild %g, list_margin %g, within %g, "
        "%s %u, "
        "coherence %s",
        at, themes[mostly], executors[def.executor], def.threads, strategies[def.strategy],
        broads[def.broad], def.rebuild_ratio, def.list_margin, def.within,
        engines[def.distance_engine], def.grid_resolution, coherences[def.coherence]);
    for (uint32_t i = 2 + below(d, 4); i > 0 && good; i--)
        good = do_add(p, d, s);
    return good;
}
