// SPDX-License-Identifier: MIT
#include "cli/run/totals.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_type {
    REAL,
    COUNT,
    NUMBER,
    SERIES
} field_type; // double, uint64_t, uint32_t, three

static const struct {
    const char *name;
    size_t at;
    field_type type;
} fields[] = {
#define FIELD(name, type)                                                                      \
    {                                                                                          \
#name, offsetof(shl_run_totals, name), type                                            \
    }
    FIELD(steps, NUMBER),
    FIELD(elapsed_s, REAL),
    FIELD(deform_s, REAL),
    FIELD(shoal_s, REAL),
    FIELD(rebuild_s, REAL),
    FIELD(gather_s, REAL),
    FIELD(refit_s, REAL),
    FIELD(broad_s, REAL),
    FIELD(traverse_s, REAL),
    FIELD(leaf_s, REAL),
    FIELD(sort_s, REAL),
    FIELD(contact_s, REAL),
    FIELD(worker_s, REAL),
    FIELD(distance_s, REAL),
    FIELD(body_pairs, SERIES),
    FIELD(node_pairs, SERIES),
    FIELD(opened_nodes, SERIES),
    FIELD(candidates, SERIES),
    FIELD(exact_tests, SERIES),
    FIELD(pairs, SERIES),
    FIELD(self_pairs, SERIES),
    FIELD(contacts, SERIES),
    FIELD(deepest, REAL),
    FIELD(bad_bodies, SERIES),
    FIELD(rebuilds, COUNT),
    FIELD(quality_worst, REAL),
    FIELD(near_pairs, SERIES),
    FIELD(reused_steps, NUMBER),
    FIELD(late_allocations, COUNT),
    FIELD(bytes_most, COUNT),
    FIELD(hash, COUNT),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };
static const double real_most = 1e300; // so that sums stay finite: JSON knows no others

// Counts as text of hexadecimal digits, since JSON integers end at 2^63.
static json_t *count_json(uint64_t count)
{
    return json_sprintf("%" PRIx64, count);
}

static bool count_of(const json_t *value, uint64_t *out)
{
    const char *text = json_string_value(value);
    if (!text || !*text || strlen(text) > 16 ||
        strspn(text, "0123456789abcdef") != strlen(text))
        return false;
    *out = strtoull(text, NULL, 16);
    return true;
}

static json_t *value_json(const void *at, field_type type)
{
    if (type == REAL)
        return json_real(*(const double *)at);
    if (type == COUNT)
        return count_json(*(const uint64_t *)at);
    if (type == NUMBER)
        return json_integer(*(const uint32_t *)at);
    const shl_series *s = at;
    return json_pack("[o, o, o]", count_json(s->total), count_json(s->most),
                     count_json(s->last));
}

static bool value_of(const json_t *value, void *to, field_type type)
{
    if (type == REAL) {
        const double number = json_number_value(value);
        *(double *)to = number;
        return json_is_number(value) && number >= 0 && number <= real_most;
    }
    if (type == COUNT)
        return count_of(value, to);
    if (type == NUMBER) {
        const json_int_t number = json_integer_value(value);
        *(uint32_t *)to = (uint32_t)number;
        return json_is_integer(value) && number >= 0 && number <= UINT32_MAX;
    }
    shl_series *s = to;
    return json_array_size(value) == 3 && count_of(json_array_get(value, 0), &s->total) &&
           count_of(json_array_get(value, 1), &s->most) &&
           count_of(json_array_get(value, 2), &s->last);
}

enum { NUMBERS = 6 }; // of a row, besides its step and contacts

static json_t *rows_json(const shl_dynamics_table *table)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < table->count; i++) {
        const shl_dynamics_row *r = &table->rows[i];
        const double numbers[] = {r->deepest,           r->report.time,
                                  r->report.kinetic,    r->report.energy,
                                  r->report.mean_speed, r->report.floor_depth};
        json_t *row = json_pack("[I, I]", (json_int_t)r->step, (json_int_t)r->contacts);
        for (int k = 0; k < NUMBERS; k++)
            json_array_append_new(row, shl_json_new_number(numbers[k]));
        json_array_append_new(list, row);
    }
    if (list && json_array_size(list) == table->count)
        return list;
    json_decref(list);
    return NULL;
}

static bool rows_of(const json_t *list, shl_dynamics_table *out)
{
    *out = (shl_dynamics_table){0};
    if (!json_is_array(list) || json_array_size(list) > SHL_DYNAMICS_ROWS + 1)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        shl_dynamics_row *r = &out->rows[out->count++];
        double *const numbers[] = {&r->deepest,           &r->report.time,
                                   &r->report.kinetic,    &r->report.energy,
                                   &r->report.mean_speed, &r->report.floor_depth};
        const json_t *row = json_array_get(list, i);
        const json_int_t step = json_integer_value(json_array_get(row, 0));
        const json_int_t contacts = json_integer_value(json_array_get(row, 1));
        if (json_array_size(row) != 2 + NUMBERS || step < 0 || step > UINT32_MAX ||
            contacts < 0)
            return false;
        for (size_t k = 0; k < NUMBERS; k++) {
            const json_t *number = json_array_get(row, 2 + k);
            if (!json_is_number(number) && !json_is_null(number))
                return false;
            *numbers[k] = json_is_null(number) ? NAN : json_number_value(number);
        }
        r->step = (uint32_t)step;
        r->contacts = (size_t)contacts;
    }
    return true;
}

json_t *shl_totals_save(const shl_run_result *run)
{
    json_t *out = json_object();
    bool good = out != NULL;
    for (int i = 0; i < FIELDS; i++)
        good &= json_object_set_new(
                    out, fields[i].name,
                    value_json((const char *)&run->totals + fields[i].at, fields[i].type)) == 0;
    good &= json_object_set_new(out, "dynamics", rows_json(&run->dynamics)) == 0;
    if (good)
        return out;
    json_decref(out);
    return NULL;
}

bool shl_totals_restore(const json_t *object, shl_run_result *run)
{
    shl_run_totals totals = {0};
    shl_dynamics_table rows;
    for (int i = 0; i < FIELDS; i++) {
        if (!value_of(json_object_get(object, fields[i].name), (char *)&totals + fields[i].at,
                      fields[i].type))
            return false;
    }
    if (!rows_of(json_object_get(object, "dynamics"), &rows))
        return false;
    run->totals = totals;
    run->dynamics = rows;
    return true;
}
