// SPDX-License-Identifier: MIT
// Results against brute force that shares no code with the library, and against a scene made
// anew from the same state, on one thread, with the portable kernels and without shortcuts.
#include "play.h"

#include "tests/oracle/mesh_oracle.h"

#include <math.h>
#include <shoal/study.h>
#include <stdlib.h>
#include <string.h>

// Pairs of all bodies; more than any small scene has.
enum { PAIRS = 1 << 18 };
typedef struct pair_list {
    shoal_pair pairs[PAIRS];
    size_t count;
} pair_list;
static pair_list found;

static bool bad_bodies_are_true(const stage *s, const shoal_scene *scene)
{
    const shoal_body_numbers found_bad = shoal_scene_bad_bodies(scene);
    size_t at = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const actor *a = &s->actors[i];
        const bool listed = at < found_bad.count && found_bad.rows[at] == i;
        at += listed;
        if (a->used && a->set && a->vague)
            continue;
        if (listed != (a->used && a->set && a->bad))
            return fault("body %u is %sin the list of bad bodies", i, listed ? "" : "not ");
    }
    return at == found_bad.count || fault("%zu bad bodies", found_bad.count);
}

static bool same_list(const char *what, const shoal_pair *got, size_t got_count,
                      const shoal_pair *want, size_t want_count)
{
    for (size_t i = 0; i < got_count && i < want_count; i++) {
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            return fault("%s %zu of %zu: got (%u %u, %u %u), want (%u %u, %u %u)", what, i,
                         want_count, got[i].body_a, got[i].triangle_a, got[i].body_b,
                         got[i].triangle_b, want[i].body_a, want[i].triangle_a, want[i].body_b,
                         want[i].triangle_b);
    }
    return got_count == want_count ||
           fault("%s: got %zu, want %zu", what, got_count, want_count);
}

static bool hits_are_true(const shoal_scene *scene, const shoal_pair *pairs, size_t pair_count)
{
    const shoal_pairs first = shoal_scene_first_pairs(scene);
    size_t bodies = 0;
    bool met[BODIES][BODIES] = {{false}};
    for (size_t i = 0; i < pair_count; i++) {
        bool *cell = &met[pairs[i].body_a][pairs[i].body_b];
        bodies += !*cell;
        *cell = true;
    }
    if (first.count != bodies)
        return fault("hits: got %zu, want %zu", first.count, bodies);
    for (size_t i = 0; i < bodies; i++) {
        const shoal_pair *h = &first.rows[i];
        if (i && (h[-1].body_a > h->body_a ||
                  (h[-1].body_a == h->body_a && h[-1].body_b >= h->body_b)))
            return fault("hit %zu is out of order", i);
        size_t k = 0;
        while (k < pair_count && memcmp(h, &pairs[k], sizeof *h) != 0)
            k++;
        if (k == pair_count)
            return fault("hit %zu: (%u %u, %u %u) do not meet", i, h->body_a, h->triangle_a,
                         h->body_b, h->triangle_b);
    }
    return true;
}

static void push(uint32_t a, uint32_t i, uint32_t b, uint32_t k)
{
    if (found.count == PAIRS)
        abort();
    found.pairs[found.count++] = (shoal_pair){a, i, b, k};
}

static void find_between(const stage *s, const shoal_scene *scene)
{
    found.count = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        const actor *x = &s->actors[a];
        for (uint32_t i = 0; takes_part(x, scene) && i < x->shape->triangle_count; i++) {
            double corners[9], others[9];
            corners_of(x, i, corners);
            for (uint32_t b = a + 1; b < BODIES; b++) {
                const actor *y = &s->actors[b];
                const bool meet = takes_part(y, scene) && actors_meet(x, y);
                for (uint32_t k = 0; meet && k < y->shape->triangle_count; k++) {
                    corners_of(y, k, others);
                    if (triangles_meet(corners, others))
                        push(a, i, b, k);
                }
            }
        }
    }
}

static bool within_one_meet(const actor *x, uint32_t i, uint32_t k, bool adjacent)
{
    double corners[9], others[9];
    int in_a[3], in_b[3];
    const uint32_t *tri = x->shape->tri;
    const int shared =
        oracle_shared_corners(tri + 3 * (size_t)i, tri + 3 * (size_t)k, in_a, in_b);
    if (shared && !adjacent)
        return false;
    corners_of(x, i, corners);
    corners_of(x, k, others);
    return shared ? neighbours_meet(corners, others, shared, in_a, in_b)
                  : triangles_meet(corners, others);
}

static void find_within(const stage *s, const shoal_scene *scene, bool adjacent)
{
    found.count = 0;
    for (uint32_t a = 0; a < BODIES; a++) {
        const actor *x = &s->actors[a];
        for (uint32_t i = 0; takes_part(x, scene) && i < x->shape->triangle_count; i++) {
            for (uint32_t k = i + 1; k < x->shape->triangle_count; k++) {
                if (within_one_meet(x, i, k, adjacent))
                    push(a, i, a, k);
            }
        }
    }
}

static bool between_bodies(const stage *s, uint32_t queries, const shoal_scene *scene)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    found.count = 0;
    if (queries & (SHOAL_QUERY_PAIRS | SHOAL_QUERY_FIRST | SHOAL_QUERY_SPHERES))
        find_between(s, scene);
    if (!same_list("pair", pairs.rows, pairs.count, found.pairs,
                   queries & SHOAL_QUERY_PAIRS ? found.count : 0))
        return false;
    if (queries & SHOAL_QUERY_FIRST ? !hits_are_true(scene, found.pairs, found.count)
                                    : shoal_scene_first_pairs(scene).count > 0)
        return fault("hits");
    if (queries & SHOAL_QUERY_SPHERES ? !contacts_are_true(s, scene, found.pairs, found.count)
                                      : shoal_scene_sphere_contacts(scene).count > 0)
        return fault("contacts");
    return true;
}

static bool within_bodies(const stage *s, uint32_t queries, const shoal_scene *scene)
{
    const shoal_pairs found_self = shoal_scene_self_pairs(scene);
    found.count = 0;
    if (queries & (SHOAL_QUERY_SELF | SHOAL_QUERY_SELF_ADJACENT))
        find_within(s, scene, queries & SHOAL_QUERY_SELF_ADJACENT);
    return same_list("self pair", found_self.rows, found_self.count, found.pairs, found.count);
}

// --- A scene made anew. ---

static bool set_fresh(shoal_scene *scene, shoal_body id, const actor *a, bool as_free)
{
    if (as_free || a->kind == FREE) {
        const shoal_positions view = shoal_positions_f64(a->xyz, a->shape->vertex_count);
        return shoal_scene_set_positions(scene, id, &view) == SHOAL_OK;
    }
    if (a->kind == REDUCED) {
        const shoal_reduced_state state = {.bodies = &id,
                                           .count = 1,
                                           .stride = 1,
                                           .rotation = a->state,
                                           .translation = a->state + 9,
                                           .q = a->state + 12,
                                           .field_count = a->shape->field_count};
        return shoal_scene_set_reduced(scene, &state) == SHOAL_OK;
    }
    const size_t n = a->shape->node_count;
    shoal_skinned_state state = {.bodies = &id, .count = 1, .row_count = n, .stride = n};
    *(a->affine ? &state.A : &state.J) = a->state;
    *(a->affine ? &state.t : &state.u) = a->state + 9 * n;
    return shoal_scene_set_skinned(scene, &state) == SHOAL_OK;
}

static bool fill_fresh(play *p, shoal_scene *scene, const stage *s, bool as_free)
{
    shoal_body ids[BODIES], pairs[2][BODIES * BODIES];
    size_t n = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        const actor *a = &s->actors[i];
        const bool there = a->used && a->set;
        shoal_model *model = there ? shape_plain(p, a->shape) : p->filler;
        shoal_body id;
        const kind k = there && !as_free ? a->kind : FREE;
        if (!model ||
            (k == FREE      ? shoal_scene_add_free(scene, model, &id)
             : k == REDUCED ? shoal_scene_add_reduced(scene, model, &id)
                            : shoal_scene_add_skinned(scene, model, &id)) ||
            id.index1 != i + 1 || (there && !set_fresh(scene, id, a, as_free)))
            return false;
        ids[i] = id;
        if (a->used && (shoal_scene_set_filter(scene, id, a->group, a->mask) ||
                        shoal_scene_set_static(scene, id, a->still)))
            return false;
        for (uint32_t m = 0; m < i && a->used; m++) {
            if (!(a->apart >> m & 1))
                continue;
            pairs[0][n] = id;
            pairs[1][n++] = ids[m];
        }
    }
    return shoal_scene_set_excluded(scene, pairs[0], pairs[1], n) == SHOAL_OK;
}

bool fresh_scene_agrees(play *p, draw *d, const stage *s, uint32_t queries,
                        const shoal_scene *stepped)
{
    const uint64_t found_hash = shoal_scene_hash(stepped);
    // all bodies are as good as free ones, but for spheres, and where vertices are no numbers
    bool as_free = !(queries & SHOAL_QUERY_SPHERES) && chance(d, 2);
    for (uint32_t i = 0; i < BODIES; i++) {
        const actor *a = &s->actors[i];
        as_free = as_free && !(a->used && a->set && a->kind != FREE && (a->bad || a->vague));
    }
    shoal_scene_def def = shoal_scene_def_default();
    def.executor = SHOAL_EXECUTOR_SERIAL;
    def.threads = 1;
    def.strategy = SHOAL_STRATEGY_BOTTOM_UP;
    def.broad = SHOAL_BROAD_BRUTE;
    def.distance_engine = SHOAL_DISTANCE_PLAIN;
    def.within = s->def.within;
    shoal_scene *scene = NULL;
    bool good = shoal_scene_create(p->reference, &def, &scene) == SHOAL_OK &&
                fill_fresh(p, scene, s, as_free) &&
                shoal_scene_step(scene, queries) == SHOAL_OK;
    if (!good) {
        fault("a scene made anew does not work");
    } else {
        const shoal_pairs fresh_pairs = shoal_scene_pairs(scene);
        const shoal_pairs fresh_self = shoal_scene_self_pairs(scene);
        const shoal_pairs fresh_first = shoal_scene_first_pairs(scene);
        const shoal_sphere_contacts fresh_contacts = shoal_scene_sphere_contacts(scene);
        const shoal_nearest_rows fresh_nearest = shoal_scene_nearest(scene);
        const shoal_nearest_rows fresh_within = shoal_scene_within(scene);
        const shoal_body_numbers fresh_bad = shoal_scene_bad_bodies(scene);
        const uint64_t fresh_hash = shoal_scene_hash(scene);
        good =
            fresh_hash == found_hash ||
            fault("hash: %016llx, a scene made anew%s has %016llx; pairs %zu %zu, self %zu "
                  "%zu, hits %zu %zu, contacts %zu %zu, nearest %zu %zu, within %zu %zu, bad "
                  "%zu %zu",
                  (unsigned long long)found_hash, as_free ? " of free bodies" : "",
                  (unsigned long long)fresh_hash, shoal_scene_pairs(stepped).count,
                  fresh_pairs.count, shoal_scene_self_pairs(stepped).count, fresh_self.count,
                  shoal_scene_first_pairs(stepped).count, fresh_first.count,
                  shoal_scene_sphere_contacts(stepped).count, fresh_contacts.count,
                  shoal_scene_nearest(stepped).count, fresh_nearest.count,
                  shoal_scene_within(stepped).count, fresh_within.count,
                  shoal_scene_bad_bodies(stepped).count, fresh_bad.count);
    }
    shoal_scene_destroy(scene);
    count("event", "scenes made anew", 1);
    return good;
}

bool results_are_true(play *p, draw *d, const stage *s, uint32_t queries)
{
    return bad_bodies_are_true(s, s->scene) && between_bodies(s, queries, s->scene) &&
           within_bodies(s, queries, s->scene) && distances_are_true(s, queries, s->scene) &&
           fresh_scene_agrees(p, d, s, queries, s->scene);
}
