// SPDX-License-Identifier: MIT
#include "cli/report/page.h"

#include "cli/report/history.h"
#include "cli/report/html.h"
#include "cli/run/contact_sheet.h"
#include "cli/run/folder.h"
#include "cli/run/pictures.h"
#include "cli/run/run_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
    shl_output *out;
    const shl_folder *folder;
    const json_t *run;
    const shl_history *history;
} page;

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void put_head(const page *p)
{
    shl_output *out = p->out;
    shl_html_head(out, text_of(p->run, "scene"));
    shl_put_text(out, "<p class=\"lead\">A run of shoal ");
    shl_put_escaped(out, text_of(p->run, "version"));
    shl_put_text(out, ", ");
    shl_put_escaped(out, text_of(p->run, "state"));
    shl_put_text(out, " after %.0f of %.0f steps, begun ", number_of(p->run, "steps_done"),
                 number_of(p->run, "steps_wanted"));
    shl_put_escaped(out, text_of(p->run, "started"));
    shl_put_text(out, "</p>\n");
}

static void put_number(const page *p, const char *value, const char *name)
{
    shl_put_text(p->out, "<div><b>");
    shl_put_escaped(p->out, value);
    shl_put_text(p->out, "</b><span>%s</span></div>\n", name);
}

static double mean_of(const shl_history *h, shl_column_id column)
{
    double sum = 0;
    for (uint32_t i = 0; i < h->steps; i++)
        sum += h->column[column][i];
    return h->steps ? sum / h->steps : 0;
}

static double most_of(const shl_history *h, shl_column_id column)
{
    double most = 0;
    for (uint32_t i = 0; i < h->steps; i++)
        most = fmax(most, h->column[column][i]);
    return most;
}

static double least_of(const shl_history *h, shl_column_id column)
{
    double least = h->steps ? INFINITY : 0;
    for (uint32_t i = 0; i < h->steps; i++)
        least = fmin(least, h->column[column][i]);
    return least;
}

static void put_numbers(const page *p)
{
    char text[64];
    shl_put_text(p->out, "<div class=\"numbers\">\n");
    static const char *const counts[][2] = {
        {"bodies", "bodies"}, {"triangles", "triangles"}, {"threads", "threads"}};
    for (int i = 0; i < 3; i++) {
        shl_html_count(number_of(p->run, counts[i][0]), text, sizeof text);
        put_number(p, text, counts[i][1]);
    }
    const shl_history *h = p->history;
    snprintf(text, sizeof text, "%.4g ms", mean_of(h, SHL_COLUMN_WALL));
    put_number(p, text, "a step, in the mean");
    const double met = most_of(h, SHL_COLUMN_PAIRS) + most_of(h, SHL_COLUMN_SELF);
    const bool spheres = shl_history_has(h, SHL_COLUMN_CONTACTS);
    shl_html_count(spheres ? most_of(h, SHL_COLUMN_CONTACTS) : met, text, sizeof text);
    put_number(p, text, spheres ? "contacts, at most" : "triangle pairs, at most");
    const double megabytes = number_of(p->run, "memory_bytes") / 1e6;
    snprintf(text, sizeof text, fabs(megabytes) < 1e9 ? "%.1f MB" : "%.4g MB", megabytes);
    put_number(p, text, "memory of the library");
    put_number(p, text_of(p->run, "hash"), "hash of all results");
    shl_put_text(p->out, "</div>\n");
}

static int put_file(shl_output *out, const char *path)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    FILE *file = fopen(path, "rb");
    if (!file)
        return errno;
    unsigned char three[3];
    for (size_t n; (n = fread(three, 1, 3, file)) > 0;) {
        const uint32_t bits = (uint32_t)three[0] << 16 | (n > 1 ? (uint32_t)three[1] << 8 : 0) |
                              (n > 2 ? three[2] : 0);
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                              n > 1 ? digits[bits >> 6 & 63] : '=',
                              n > 2 ? digits[bits & 63] : '='};
        shl_put_bytes(out, four, 4);
    }
    const int code = ferror(file) ? EIO : 0;
    fclose(file);
    return code;
}

enum { SHOWN = 6 }; // pictures of a page

static int put_pictures(const page *p)
{
    const shl_path folder = shl_folder_path(p->folder, SHL_PICTURES);
    shl_picture_list list;
    int code = shl_picture_list_read(folder.text, &list);
    const size_t shown = list.count < SHOWN ? list.count : SHOWN;
    if (shown)
        shl_put_text(p->out, "<h2>Pictures</h2>\n<div class=\"pictures\">\n");
    for (size_t i = 0; i < shown && code == 0; i++) {
        const char *name = list.names[(i + 1) * list.count / shown - 1];
        char path[PATH_MAX + 40];
        snprintf(path, sizeof path, "%s/%s", folder.text, name);
        const unsigned long step = strtoul(name + 5, NULL, 10);
        shl_put_text(p->out, "<figure><img alt=\"step %lu\" src=\"data:image/png;base64,",
                     step);
        code = put_file(p->out, path);
        shl_put_text(p->out, "\"><figcaption><small>step %lu</small></figcaption></figure>\n",
                     step);
    }
    if (shown)
        shl_put_text(p->out, "</div>\n");
    shl_picture_list_free(&list);
    return code;
}

typedef struct chart_row {
    const char *title, *unit;
    bool stacked;
    struct {
        shl_column_id column;
        const char *name;
    } series[BENCH_COLOURS];
    int count;
} chart_row;

static const chart_row charts[] = {
    {"What met",
     "per step",
     false,
     {{SHL_COLUMN_PAIRS, "pairs"},
      {SHL_COLUMN_SELF, "self-intersections"},
      {SHL_COLUMN_CONTACTS, "contacts"}},
     3},
    {"Where the time went",
     "milliseconds of all threads",
     true,
     {{SHL_COLUMN_GATHER, "vertices"},
      {SHL_COLUMN_REFIT, "boxes"},
      {SHL_COLUMN_BROAD, "broad phase"},
      {SHL_COLUMN_TRAVERSE, "traversal"},
      {SHL_COLUMN_LEAF, "triangle tests"},
      {SHL_COLUMN_CONTACT, "contact spheres"},
      {SHL_COLUMN_DISTANCE, "distances"},
      {SHL_COLUMN_SORT, "sorting"}},
     8},
    {"Fronts: how far the search went",
     "per step",
     false,
     {{SHL_COLUMN_NODE_PAIRS, "pairs of nodes"},
      {SHL_COLUMN_OPENED, "nodes opened below the fronts"},
      {SHL_COLUMN_CANDIDATES, "pairs of triangles"}},
     3},
    {"How well trees fit",
     "1 is as good as new",
     false,
     {{SHL_COLUMN_QUALITY_MEAN, "mean"}, {SHL_COLUMN_QUALITY_WORST, "worst"}},
     2},
};

static void put_charts(const page *p)
{
    const shl_history *h = p->history;
    if (h->steps == 0)
        return;
    shl_put_text(p->out, "<h2>Over the steps</h2>\n");
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) {
        const chart_row *row = &charts[i];
        shl_chart chart = {.title = row->title,
                           .unit = row->unit,
                           .stacked = row->stacked,
                           .first = h->first,
                           .steps = h->steps};
        for (int k = 0; k < row->count; k++) {
            if (!shl_history_has(h, row->series[k].column))
                continue;
            chart.names[chart.series] = row->series[k].name;
            chart.values[chart.series++] = h->column[row->series[k].column];
        }
        if (chart.series)
            shl_chart_put(p->out, &chart);
    }
}

// Over the steps; the row's share of the phases.
static void put_steps(const page *p)
{
    const shl_history *h = p->history;
    static const struct {
        shl_column_id column;
        const char *name;
    } rows[] = {{SHL_COLUMN_WALL, "whole step, as the caller sees it"},
                {SHL_COLUMN_DEFORM, "moving the bodies (not shoal)"}};
    shl_put_text(p->out, "<h2>Time of a step <small>milliseconds</small></h2>\n"
                         "<div class=\"scroll\"><table><tr><th>over the steps</th>"
                         "<th>least</th><th>mean</th><th>most</th></tr>\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shl_put_text(p->out, "<tr><td>%s</td>", rows[i].name);
        shl_html_cell(p->out, least_of(h, rows[i].column));
        shl_html_cell(p->out, mean_of(h, rows[i].column));
        shl_html_cell(p->out, most_of(h, rows[i].column));
        shl_put_text(p->out, "</tr>\n");
    }
    shl_put_text(p->out, "</table></div>\n");
}

// Of each phase the thread that had least to do, their mean, and the one with most.
static void put_phases(const page *p)
{
    static const char *const rows[][2] = {{"gather", "vertices to tree order"},
                                          {"refit", "boxes of the upper nodes"},
                                          {"rebuild", "trees built anew"},
                                          {"broad", "broad phase"},
                                          {"traverse", "traversal"},
                                          {"leaf", "triangle tests"},
                                          {"contacts", "contact spheres"},
                                          {"distance", "distances"},
                                          {"sort", "sorting and hash"},
                                          {"waiting", "waiting, and all else"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    const json_t *threads = json_object_get(json_object_get(p->run, "time"), "per_thread");
    const json_t *phases = json_object_get(threads, "ms");
    double ms[ROWS][3], sum = 0;
    if (!phases)
        return;
    for (size_t i = 0; i < ROWS; i++) {
        const json_t *phase = json_object_get(phases, rows[i][0]);
        for (size_t k = 0; k < 3; k++)
            ms[i][k] = json_number_value(json_array_get(phase, k));
        sum += ms[i][1];
    }
    shl_put_text(p->out, "<div class=\"scroll\"><table><tr><th>a step, per thread</th><th>min"
                         "</th><th>avg</th><th>max</th><th>share</th></tr>\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (!(ms[i][2] > 0))
            continue;
        shl_put_text(p->out, "<tr><td>%s</td>", rows[i][1]);
        for (int k = 0; k < 3; k++)
            shl_html_cell(p->out, ms[i][k]);
        shl_put_text(p->out, "<td>%.1f %%</td></tr>\n", sum > 0 ? 100 * ms[i][1] / sum : 0);
    }
    shl_put_text(p->out,
                 "</table></div>\n<p><small>Of %.0f threads the one with the least to "
                 "do, their mean, and the one with the most, over %.0f steps.</small>"
                 "</p>\n",
                 number_of(threads, "threads"), number_of(threads, "steps"));
}

static void put_machine(const page *p)
{
    const json_t *machine = json_object_get(p->run, "machine");
    const json_t *build = json_object_get(p->run, "build"),
                 *gpu = json_object_get(p->run, "gpu");
    shl_put_text(p->out, "<h2>Machine</h2>\n<div class=\"scroll\"><table>\n");
    shl_html_row(p->out, "CPU", "%s", text_of(machine, "cpu"));
    shl_html_row(p->out, "allowed", "%.0f of %.0f CPUs, %.0f cores, %.0f memory domains",
                 number_of(machine, "allowed_cpus"), number_of(machine, "cpus"),
                 number_of(machine, "cores"), number_of(machine, "numa_nodes"));
    shl_html_row(p->out, "instructions", "%s", text_of(p->run, "cpu"));
    shl_html_row(p->out, "executor", "%s, strategy %s, broad phase %s",
                 text_of(p->run, "executor"), text_of(p->run, "strategy"),
                 text_of(p->run, "broad"));
    shl_html_row(p->out, "compiler", "%s", text_of(build, "compiler"));
    shl_html_row(p->out, "commit", "%s", text_of(build, "commit"));
    shl_html_row(p->out, "GPU", "%s",
                 *text_of(gpu, "device") ? text_of(gpu, "device") : text_of(gpu, "reason"));
    shl_put_text(p->out, "</table></div>\n");
}

static void put_again(const page *p)
{
    shl_html_command(p->out, json_object_get(p->run, "command"));
    shl_put_text(p->out, "<p>The hash of all results must come out as <code>");
    shl_put_escaped(p->out, text_of(p->run, "hash"));
    shl_put_text(p->out, "</code>, on any machine and with any number of threads.</p>\n"
                         "</body></html>\n");
}

static int say_failure(const char *command, const char *path, int code)
{
    char text[PATH_MAX];
    shl_say("%s: %s: %s", command, path, shl_write_reason(path, code, text));
    return code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

static int write_page(const char *command, const page *p, const char *path)
{
    shl_output_init(p->out, path);
    if (p->out->code == 0) {
        put_head(p);
        put_numbers(p);
        const int code = put_pictures(p);
        if (code && p->out->code == 0)
            p->out->code = code;
        put_charts(p);
        put_steps(p);
        put_phases(p);
        put_machine(p);
        put_again(p);
    }
    const int code = shl_output_finish(p->out);
    return code ? say_failure(command, path, code) : SHL_EXIT_OK;
}

int shl_report_write(const char *command, const char *folder_path)
{
    shl_folder folder = {.resume = true};
    if (!shl_folder_name(folder_path, &folder)) {
        shl_say("%s: %s: %s", command, folder_path, strerror(ENAMETOOLONG));
        return SHL_EXIT_INPUT;
    }
    json_t *run = shl_run_json_read(&folder);
    if (!run) {
        shl_say("%s: %s: there is no " SHL_RUN_JSON " of a run in it", command, folder_path);
        return SHL_EXIT_INPUT;
    }
    const shl_path metrics = shl_folder_path(&folder, SHL_METRICS);
    const shl_path path = shl_folder_path(&folder, SHL_REPORT);
    shl_history history;
    uint32_t line;
    int code = shl_history_read(metrics.text, &history, &line);
    shl_output *out = malloc(sizeof *out);
    if (code == EILSEQ) {
        shl_say("%s: %s:%u: this is no step of a run", command, metrics.text, line);
        code = SHL_EXIT_INPUT;
    } else if (code || !out) {
        code = say_failure(command, metrics.text, code ? code : ENOMEM);
    } else {
        const page p = {out, &folder, run, &history};
        code = write_page(command, &p, path.text);
        shl_history_free(&history);
    }
    free(out);
    json_decref(run);
    return code;
}
