// SPDX-License-Identifier: MIT
#include "cli/scene_file/dynamics_table.h"

#include "cli/run/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// How many triangles are in a pair, each counted once.
static shoal_status count_touching(const shoal_scene *scene, size_t *out)
{
    const shoal_pairs pairs = shoal_scene_pairs(scene);
    const size_t count = 2 * pairs.count;
    uint64_t *all = malloc((count + 1) * sizeof *all);
    if (!all)
        return SHOAL_ERR_MEMORY;
    for (size_t i = 0; i < pairs.count; i++) {
        const shoal_pair *p = &pairs.rows[i];
        all[2 * i] = (uint64_t)p->body_a << 32 | p->triangle_a;
        all[2 * i + 1] = (uint64_t)p->body_b << 32 | p->triangle_b;
    }
    qsort(all, count, sizeof *all, by_number);
    *out = 0;
    for (size_t i = 0; i < count; i++)
        *out += i == 0 || all[i] != all[i - 1];
    free(all);
    return SHOAL_OK;
}

shoal_status shl_dynamics_add(shl_dynamics_table *table, uint32_t step, uint32_t steps,
                              const shl_motion *motion, const shoal_scene *scene)
{
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    // the step at which row `count` is due; the first row is step 1
    const uint64_t due = (uint64_t)steps * table->count / SHL_DYNAMICS_ROWS;
    if (table->count > SHL_DYNAMICS_ROWS || step < due)
        return SHOAL_OK;
    shl_dynamics_row row = {
        .step = step, .contacts = contacts.count, .pairs = shoal_scene_pairs(scene).count};
    if (!shl_motion_measure(motion, &row.report))
        return SHOAL_OK;
    if (row.report.soft)
        row.contacts = row.report.contacts;
    if (row.report.skinned) {
        size_t touching;
        const shoal_status st = count_touching(scene, &touching);
        if (st != SHOAL_OK)
            return st;
        row.touching = (double)touching / (double)shl_motion_triangle_count(motion);
    }
    for (size_t i = 0; i < contacts.count; i++) {
        if (contacts.rows[i].depth > row.deepest)
            row.deepest = contacts.rows[i].depth;
    }
    table->rows[table->count++] = row;
    return SHOAL_OK;
}

static void print_skinned(const shl_dynamics_table *table)
{
    printf("  %8s %9s %9s %11s %12s %12s %9s %11s %11s\n", "step", "time s", "pairs",
           "touching %", "kinetic J", "elastic J", "stretch %", "speed cm/s", "most cm/s");
    for (uint32_t i = 0; i < table->count; i++) {
        const shl_dynamics_row *r = &table->rows[i];
        printf("  %8u %9.3f %9zu %11.2f %12.4f %12.4f %9.1f %11.2f %11.2f\n", r->step,
               r->report.time, r->pairs, 1e2 * r->touching, r->report.kinetic,
               r->report.energy - r->report.kinetic, 1e2 * r->report.strain,
               1e2 * r->report.mean_speed, 1e2 * r->report.most_speed);
    }
    putchar('\n');
}

static void print_soft(const shl_dynamics_table *table)
{
    printf("  %8s %9s %7s %9s %12s %12s %11s %11s\n", "step", "time s", "bodies", "contacts",
           "kinetic J", "energy J", "closest mm", "speed cm/s");
    for (uint32_t i = 0; i < table->count; i++) {
        const shl_motion_report *r = &table->rows[i].report;
        printf("  %8u %9.3f %7u %9u %12.4f %12.4f %11.3f %11.3f\n", table->rows[i].step,
               r->time, r->bodies, r->contacts, r->kinetic, r->energy, 1e3 * r->closest,
               1e2 * r->mean_speed);
    }
    putchar('\n');
}

void shl_dynamics_print(const shl_dynamics_table *table)
{
    if (!table->count)
        return;
    if (table->rows[0].report.skinned) {
        print_skinned(table);
        return;
    }
    if (table->rows[0].report.soft) {
        print_soft(table);
        return;
    }
    printf("  %8s %9s %9s %12s %12s %11s %11s %11s\n", "step", "time s", "contacts",
           "kinetic J", "energy J", "deepest mm", "floor mm", "speed cm/s");
    for (uint32_t i = 0; i < table->count; i++) {
        const shl_dynamics_row *r = &table->rows[i];
        printf("  %8u %9.3f %9zu %12.4f %12.4f %11.3f %11.3f %11.3f\n", r->step, r->report.time,
               r->contacts, r->report.kinetic, r->report.energy, 1e3 * r->deepest,
               1e3 * r->report.floor_depth, 1e2 * r->report.mean_speed);
    }
    putchar('\n');
}

// What a row says, by the kind of its bodies.
static json_t *row_json(const shl_dynamics_row *r)
{
    const shl_motion_report *m = &r->report;
    if (m->skinned)
        return json_pack("{s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "step",
                         (json_int_t)r->step, "time_s", shl_json_new_number(m->time), "pairs",
                         (json_int_t)r->pairs, "touching", shl_json_new_number(r->touching),
                         "kinetic_j", shl_json_new_number(m->kinetic), "energy_j",
                         shl_json_new_number(m->energy), "stretch",
                         shl_json_new_number(m->strain), "mean_speed_m_s",
                         shl_json_new_number(m->mean_speed), "most_speed_m_s",
                         shl_json_new_number(m->most_speed));
    json_t *out =
        json_pack("{s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "step", (json_int_t)r->step,
                  "time_s", shl_json_new_number(m->time), "contacts", (json_int_t)r->contacts,
                  "kinetic_j", shl_json_new_number(m->kinetic), "energy_j",
                  shl_json_new_number(m->energy), "deepest_m", shl_json_new_number(r->deepest),
                  "floor_depth_m", shl_json_new_number(m->floor_depth), "mean_speed_m_s",
                  shl_json_new_number(m->mean_speed));
    if (out && m->soft &&
        (json_object_set_new(out, "bodies", json_integer(m->bodies)) != 0 ||
         json_object_set_new(out, "closest_m", shl_json_new_number(m->closest)) != 0)) {
        json_decref(out);
        return NULL;
    }
    return out;
}

json_t *shl_dynamics_json(const shl_dynamics_table *table)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < table->count; i++) {
        if (json_array_append_new(list, row_json(&table->rows[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
