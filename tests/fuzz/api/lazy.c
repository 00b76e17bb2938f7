// SPDX-License-Identifier: MIT
// Bodies whose vertices are functions of a state: poses and coordinates, and maps of nodes.
#include "play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Where their vertices are. ---

static void evaluate_reduced(actor *a)
{
    const shape *s = a->shape;
    const double *turn = a->state, *at = a->state + 9, *q = a->state + 12;
    double far = 0;
    for (size_t v = 0; v < s->vertex_count; v++) {
        double moved[3];
        for (size_t k = 0; k < 3; k++) {
            moved[k] = s->rest[3 * v + k];
            double sum = fabs(moved[k]);
            for (size_t j = 0; j < s->field_count; j++) {
                const double by = (double)s->fields[3 * (j * s->vertex_count + v) + k] * q[j];
                moved[k] = moved[k] + by;
                sum += fabs(by);
            }
            far = fmax(far, sum);
        }
        for (size_t k = 0; k < 3; k++)
            a->xyz[3 * v + k] = ((turn[3 * k] * moved[0] + turn[3 * k + 1] * moved[1]) +
                                 turn[3 * k + 2] * moved[2]) +
                                at[k];
    }
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(at[k]));
    a->bad = !is_finite(a->state, 12 + (size_t)s->field_count);
    a->vague = !a->bad && !(far < 1e298 && most < 1e298);
}

static void evaluate_skinned(actor *a)
{
    const shape *s = a->shape;
    const size_t n = s->node_count;
    double maps[NODES][3][4], far = 0;
    for (size_t j = 0; j < n; j++) {
        const double *x = s->nodes + 3 * j;
        for (size_t k = 0; k < 3; k++) {
            double *g = maps[j][k];
            for (size_t l = 0; l < 3; l++)
                g[l] = a->state[(3 * k + l) * n + j] - (a->affine && k == l ? 1 : 0);
            g[3] = a->state[(9 + k) * n + j];
            if (!a->affine)
                g[3] = g[3] - ((g[0] * x[0] + g[1] * x[1]) + g[2] * x[2]);
            for (size_t l = 0; l < 4; l++)
                far = fmax(far, fabs(g[l]));
        }
    }
    double rest = 1;
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; i++)
        rest = fmax(rest, fabs(s->rest[i]));
    for (size_t v = 0; v < s->vertex_count; v++) {
        const double *p = s->rest + 3 * v;
        for (size_t k = 0; k < 3; k++) {
            double g[4] = {0};
            for (size_t e = s->weight_begin[v]; e < s->weight_begin[v + 1]; e++) {
                for (size_t l = 0; l < 4; l++)
                    g[l] = g[l] + (double)s->weight[e] * maps[s->weight_control[e]][k][l];
            }
            a->xyz[3 * v + k] = p[k] + ((g[0] * p[0] + g[1] * p[1]) + (g[2] * p[2] + g[3]));
        }
    }
    a->bad = !is_finite(a->state, 12 * n);
    a->vague = !a->bad && !(far < 1e298 / rest);
}

void actor_evaluate(actor *a)
{
    if (a->kind == REDUCED)
        evaluate_reduced(a);
    else
        evaluate_skinned(a);
}

// --- States. ---

// A number of a state that is not ordinary.
static double odd_number(draw *d, uint32_t odd, double ordinary)
{
    switch (odd) {
    case LARGE:
        return 1e30 * ordinary;
    case VAST:
        return 1e200 * ordinary;
    case BEYOND:
        return 1e301 * ordinary;
    case TINY:
        return 1e-312 * ordinary;
    case NOT_A_NUMBER:
        return NAN;
    case INFINITE:
        return chance(d, 2) ? INFINITY : -INFINITY;
    default:
        return ordinary;
    }
}

// Rotation, translation and q, as they are kept in an actor.
static void draw_reduced(draw *d, actor *a, bool calm, double *out)
{
    const uint32_t fields = a->shape->field_count, odd = draw_oddity(d, calm);
    const bool on = calm && is_tame(a);
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    wander(d, a, calm);
    if (chance(d, 2))
        turn_of(d, turn);
    const double size = chance(d, 3) ? 1 : 0.1, by = chance(d, 2) ? 1e-3 : 0.05;
    for (uint32_t e = 0; e < 12 + fields; e++) {
        const double fresh = e < 9 ? turn[e] : e < 12 ? a->at[e - 9] : size * unit(d);
        out[e] = on ? a->state[e] + (e < 9 ? 0 : by * unit(d)) : fresh;
    }
    const uint32_t where = below(d, 12 + fields);
    if (odd && (where >= 9 || odd == NOT_A_NUMBER || odd == INFINITE))
        out[where] = odd_number(d, odd, out[where]);
}

// 12 numbers a node: a displacement and its gradient, or an affine map.
static void draw_points(draw *d, actor *a, bool calm, bool affine, double *out)
{
    const uint32_t odd = draw_oddity(d, calm);
    const size_t n = a->shape->node_count;
    const bool on = calm && is_tame(a) && a->affine == affine;
    const double wild = chance(d, 4) ? 1 : 0.05, by = chance(d, 2) ? 1e-3 : 0.05;
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    wander(d, a, calm);
    if (chance(d, 2))
        turn_of(d, turn);
    for (size_t j = 0; j < n; j++) {
        double map[12];
        for (size_t e = 0; e < 9; e++)
            map[e] = turn[e] + wild * unit(d) - (!affine && e % 4 == 0 ? 1 : 0);
        for (size_t k = 0; k < 3; k++) {
            map[9 + k] = a->at[k] + wild * unit(d);
            for (size_t l = 0; l < 3 && !affine; l++)
                map[9 + k] += map[3 * k + l] * a->shape->nodes[3 * j + l];
        }
        for (size_t e = 0; e < 12; e++)
            out[e * n + j] = on ? a->state[e * n + j] + (e < 9 ? 0 : by * unit(d)) : map[e];
    }
    const uint32_t where = below(d, (uint32_t)(12 * n));
    out[where] = odd_number(d, odd, out[where]);
}

// --- Calls. ---

shoal_status spoil(draw *d, const stage *s, shoal_body *id)
{
    if (!chance(d, 8))
        return SHOAL_OK;
    *id = s->stale_count ? s->stale[0] : (shoal_body){0};
    return s->stale_count ? SHOAL_ERR_STALE : SHOAL_ERR_ARGUMENT;
}

bool was_taken(const char *call, shoal_status got, shoal_status want, bool *good)
{
    if (want == SHOAL_OK)
        return went_well(call, got, good);
    *good = got == want ||
            fault("%s: %s, not %s", call, shoal_status_text(got), shoal_status_text(want));
    return false;
}

bool set_reduced(stage *s, draw *d, actor *const *named, uint32_t many, bool calm)
{
    const uint32_t fields = named[0]->shape->field_count;
    static double states[BODIES + 1][12 + FIELDS];
    shoal_body ids[BODIES + 2];
    const shoal_status want = spoil(d, s, &ids[many]);
    const uint32_t total = many + (want != SHOAL_OK);
    const bool records = chance(d, 3); // or an array for each number
    const size_t gap = chance(d, 3) ? 2 : 0;
    const size_t stride = records ? 1 : total + gap, step = records ? 12 + fields + gap : 1;
    const bool none[3] = {chance(d, 12), chance(d, 12), chance(d, 12)};
    static const uint32_t first[3] = {0, 9, 12};
    double *tables[3], *record = take(((total - 1) * step + 12 + fields) * sizeof(double));
    for (uint32_t t = 0; t < 3; t++) {
        const uint32_t entries = t == 0 ? 9 : t == 1 ? 3 : fields;
        // the last entry ends the array
        tables[t] = records
                        ? record + first[t]
                        : take((entries ? (entries - 1) * stride + total : 0) * sizeof(double));
        for (uint32_t e = 0; e < entries; e++)
            tables[t][e * stride + (total - 1) * step] = e % 4 == 0; // of the body too many
    }
    count("layout", records ? "records" : "per number", 1);
    for (uint32_t i = 0; i < many; i++) {
        ids[i] = named[i]->id;
        draw_reduced(d, named[i], calm, states[i]);
        for (uint32_t e = 0; e < 12 + fields; e++) {
            const uint32_t t = e < 9 ? 0 : e < 12 ? 1 : 2;
            tables[t][(e - first[t]) * stride + i * step] = states[i][e];
            if (none[t])
                states[i][e] = e < 9 && e % 4 == 0;
        }
    }
    const shoal_reduced_state state = {.bodies = ids,
                                       .count = total,
                                       .stride = stride,
                                       .rotation = none[0] ? NULL : tables[0],
                                       .translation = none[1] ? NULL : tables[1],
                                       .q = none[2] ? NULL : tables[2],
                                       .field_count = fields,
                                       .body_stride = chance(d, 2) && !records ? 0 : step};
    bool good = true;
    const shoal_status st = TRY(shoal_scene_set_reduced, s->scene, &state);
    if (was_taken("shoal_scene_set_reduced", st, want, &good)) {
        for (uint32_t i = 0; i < many; i++) {
            memcpy(named[i]->state, states[i], (12 + fields) * sizeof **states);
            named[i]->set = true;
            actor_evaluate(named[i]);
        }
    }
    for (int t = 0; t < 3 && !records; t++)
        free(tables[t]);
    free(record);
    return good;
}

bool set_skinned(stage *s, draw *d, actor *const *named, uint32_t many, bool calm)
{
    static double states[BODIES + 1][12 * NODES];
    shoal_body ids[BODIES + 2];
    const shoal_status want = spoil(d, s, &ids[many]);
    size_t rows = want != SHOAL_OK, row = 0;
    for (uint32_t i = 0; i < many; i++)
        rows += named[i]->shape->node_count;
    const bool records = chance(d, 3);
    const size_t gap = chance(d, 3) ? 3 : 0;
    const size_t stride = records ? 1 : rows + gap, step = records ? 12 + gap : 1;
    const bool affine = chance(d, 8) ? chance(d, 2) : named[0]->affine;
    const bool none[2] = {chance(d, 12) && !affine, chance(d, 12)};
    double *record = take(((rows - 1) * step + 12) * sizeof(double));
    double *tables[2] = {records ? record : take((8 * stride + rows) * sizeof(double)),
                         records ? record + 9 : take((2 * stride + rows) * sizeof(double))};
    for (uint32_t i = 0; i < many; i++) {
        const size_t n = named[i]->shape->node_count;
        ids[i] = named[i]->id;
        draw_points(d, named[i], calm, affine, states[i]);
        for (size_t at = 0; at < 12 * n; at++) {
            const size_t e = at / n, j = at % n;
            tables[e >= 9][(e < 9 ? e : e - 9) * stride + (row + j) * step] = states[i][at];
            if (none[e >= 9])
                states[i][at] = 0;
        }
        row += n;
    }
    shoal_skinned_state state = {.bodies = ids,
                                 .count = many + (want != SHOAL_OK),
                                 .row_count = rows,
                                 .stride = stride,
                                 .row_stride = step};
    *(affine ? &state.A : &state.J) = none[0] ? NULL : tables[0];
    *(affine ? &state.t : &state.u) = none[1] ? NULL : tables[1];
    bool good = true;
    const shoal_status st = TRY(shoal_scene_set_skinned, s->scene, &state);
    if (was_taken("shoal_scene_set_skinned", st, want, &good)) {
        for (uint32_t i = 0; i < many; i++) {
            memcpy(named[i]->state, states[i], sizeof states[i]);
            named[i]->affine = affine;
            named[i]->set = true;
            actor_evaluate(named[i]);
        }
    }
    for (int t = 0; t < 2 && !records; t++)
        free(tables[t]);
    free(record);
    return good;
}
