// SPDX-License-Identifier: MIT
#include "cli/dynamics_table.h"

#include <stdio.h>

void shl_dynamics_add(shl_dynamics_table *table, uint32_t step, uint32_t steps,
                      const shl_motion *motion, const shoal_results *found)
{
    // the step at which row `count` is due; the first row is step 1
    const uint64_t due = (uint64_t)steps * table->count / SHL_DYNAMICS_ROWS;
    if (table->count > SHL_DYNAMICS_ROWS || step < due)
        return;
    shl_dynamics_row row = {.step = step, .contacts = found->contact_count};
    if (!shl_motion_look(motion, &row.report))
        return;
    for (size_t i = 0; i < found->contact_count; i++) {
        if (found->contacts[i].depth > row.deepest)
            row.deepest = found->contacts[i].depth;
    }
    table->rows[table->count++] = row;
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

json_t *shl_dynamics_json(const shl_dynamics_table *table)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < table->count; i++) {
        const shl_dynamics_row *r = &table->rows[i];
        if (json_array_append_new(
                list, json_pack("{s:I, s:f, s:I, s:f, s:f, s:f, s:f, s:f}", "step",
                                (json_int_t)r->step, "time_s", r->report.time, "contacts",
                                (json_int_t)r->contacts, "kinetic_j", r->report.kinetic,
                                "energy_j", r->report.energy, "deepest_m", r->deepest,
                                "floor_depth_m", r->report.floor_depth, "mean_speed_m_s",
                                r->report.mean_speed)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
