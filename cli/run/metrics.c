// SPDX-License-Identifier: MIT
#include "cli/run/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static double deepest(const shoal_scene *scene)
{
    const shoal_sphere_contacts contacts = shoal_scene_sphere_contacts(scene);
    double depth = 0;
    for (size_t i = 0; i < contacts.count; i++)
        depth = contacts.rows[i].depth > depth ? contacts.rows[i].depth : depth;
    return depth;
}

// A line being written. Longer than any is a failure, not a cut line.
typedef struct metrics_line {
    char text[1536];
    size_t used;
} metrics_line;

__attribute__((format(printf, 2, 3))) static void add(metrics_line *line, const char *format,
                                                      ...)
{
    va_list list;
    va_start(list, format);
    if (line->used < sizeof line->text) {
        const int n =
            vsnprintf(line->text + line->used, sizeof line->text - line->used, format, list);
        line->used = n < 0 ? sizeof line->text : line->used + (size_t)n;
    }
    va_end(list);
}

void shl_metrics_put(shl_stream *stream, uint32_t step, const shoal_scene *scene,
                     const shoal_stats *s, double deform_s)
{
    metrics_line line = {.used = 0};
    add(&line,
        "{\"step\":%u,\"hash\":\"%016" PRIx64 "\",\"pairs\":%zu,"
        "\"hits\":%zu,\"self_pairs\":%zu,\"contacts\":%zu,\"deepest\":%.17g,"
        "\"bad_bodies\":%zu,\"measured\":{",
        step, shoal_scene_hash(scene), shoal_scene_pairs(scene).count,
        shoal_scene_first_pairs(scene).count, shoal_scene_self_pairs(scene).count,
        shoal_scene_sphere_contacts(scene).count, deepest(scene),
        shoal_scene_bad_bodies(scene).count);
    const struct {
        const char *name;
        double seconds;
    } times[] = {{"wall", s->wall_s},
                 {"deform", deform_s},
                 {"gather", shoal_scene_seconds(scene, SHOAL_PHASE_GATHER)},
                 {"refit", shoal_scene_seconds(scene, SHOAL_PHASE_REFIT)},
                 {"rebuild", shoal_scene_seconds(scene, SHOAL_PHASE_REBUILD)},
                 {"broad", shoal_scene_seconds(scene, SHOAL_PHASE_BROAD)},
                 {"traverse", shoal_scene_seconds(scene, SHOAL_PHASE_TRAVERSE)},
                 {"leaf", shoal_scene_seconds(scene, SHOAL_PHASE_LEAF)},
                 {"contact", shoal_scene_seconds(scene, SHOAL_PHASE_CONTACT)},
                 {"distance", shoal_scene_seconds(scene, SHOAL_PHASE_DISTANCE) +
                                  shoal_scene_seconds(scene, SHOAL_PHASE_GRID)},
                 {"sort", shoal_scene_seconds(scene, SHOAL_PHASE_SORT)}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        add(&line, "\"%s_ms\":%.6g,", times[i].name, 1e3 * times[i].seconds);
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"body_pairs", s->body_pairs},
                  {"node_pairs", s->node_pairs},
                  {"opened_nodes", s->opened_nodes},
                  {"evaluated_vertices", s->evaluated_vertices},
                  {"candidates", s->candidates},
                  {"exact_tests", s->exact_tests},
                  {"near_pairs", s->near_pairs},
                  {"rebuilds", s->rebuilds},
                  {"allocations", s->allocations},
                  {"bytes", s->bytes},
                  {"workers", s->workers}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        add(&line, "\"%s\":%" PRIu64 ",", counts[i].name, counts[i].count);
    add(&line, "\"quality_worst\":%.6g,\"quality_mean\":%.6g}}\n", s->quality_worst,
        s->quality_mean);
    if (line.used < sizeof line.text)
        shl_stream_put(stream, line.text, line.used);
    else if (stream->code == 0)
        stream->code = EOVERFLOW;
}

shl_plot_step shl_metrics_plot(const shoal_scene *scene)
{
    return (shl_plot_step){
        {1e3 * (shoal_scene_seconds(scene, SHOAL_PHASE_GATHER) +
                shoal_scene_seconds(scene, SHOAL_PHASE_REFIT) +
                shoal_scene_seconds(scene, SHOAL_PHASE_REBUILD)),
         1e3 * shoal_scene_seconds(scene, SHOAL_PHASE_BROAD),
         1e3 * shoal_scene_seconds(scene, SHOAL_PHASE_TRAVERSE),
         1e3 * (shoal_scene_seconds(scene, SHOAL_PHASE_LEAF) +
                shoal_scene_seconds(scene, SHOAL_PHASE_CONTACT)),
         1e3 * shoal_scene_seconds(scene, SHOAL_PHASE_SORT)},
        shoal_scene_pairs(scene).count + shoal_scene_first_pairs(scene).count +
            shoal_scene_self_pairs(scene).count + shoal_scene_sphere_contacts(scene).count};
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

// What a file calls a count.
static uint64_t whole(double count)
{
    return count > 0 && count < 0x1p63 ? (uint64_t)count : 0;
}

static bool read_line(const char *line, uint32_t step, shl_plot_step *out)
{
    json_error_t why;
    json_t *row = json_loads(line, 0, &why);
    const json_t *m = json_object_get(row, "measured");
    const bool good = m && json_integer_value(json_object_get(row, "step")) == step;
    if (good)
        *out = (shl_plot_step){
            {number(m, "gather_ms") + number(m, "refit_ms") + number(m, "rebuild_ms"),
             number(m, "broad_ms"), number(m, "traverse_ms"),
             number(m, "leaf_ms") + number(m, "contact_ms"), number(m, "sort_ms")},
            whole(number(row, "pairs") + number(row, "hits") + number(row, "self_pairs") +
                  number(row, "contacts"))};
    json_decref(row);
    return good;
}

bool shl_metrics_read(const char *path, uint32_t count, shl_plot_step *out)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool good = file != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = getline(&line, &room, file) > 0 && read_line(line, i + 1, &out[i]);
    free(line);
    if (file)
        fclose(file);
    return good;
}
