// SPDX-License-Identifier: MIT
#include "cli/report/page.h"

#include "cli/report/chart.h"
#include "cli/report/history.h"
#include "cli/run/folder.h"
#include "cli/run/pictures.h"
#include "cli/run/run_json.h"
#include "cli/run/sheet.h"

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

static const char style[] =
    ":root{--paper:#fff;--ink:#1b1f24;--soft:#5c6570;--line:#dde2e8;--panel:#f5f7f9}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e8ecf0;--soft:#9aa5b1;"
    "--line:#2c343d;--panel:#1b2128}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:1rem;"
    "font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}\n"
    "h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem}\n"
    "p.lead{color:var(--soft);margin:.2rem 0 1rem}small{color:var(--soft);font-weight:normal}\n"
    ".numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.5rem}\n"
    ".numbers div{background:var(--panel);border-radius:8px;padding:.6rem .8rem}"
    ".numbers b{display:block;font-size:1.25rem;overflow-wrap:anywhere}"
    ".numbers span{color:var(--soft);font-size:.85rem}"
    ".numbers div:last-child{grid-column:span 2}\n"
    ".pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(16rem,1fr));gap:.6rem}"
    ".pictures figure{margin:0}.pictures img{width:100%;border-radius:8px;display:block}\n"
    "figure{margin:0 0 1.2rem}figcaption{font-size:.95rem;font-weight:600}"
    "svg{width:100%;height:auto;display:block}svg text{font:11px system-ui,sans-serif;"
    "fill:var(--soft)}.grid{stroke:var(--line)}\n"
    ".legend{font-weight:normal;font-size:.85rem;color:var(--soft);float:right}"
    ".legend i{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin:0 .3em 0 "
    ".8em}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}"
    "td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "font-variant-numeric:tabular-nums}td:first-child,th:first-child{text-align:left}\n"
    "pre{background:var(--panel);border-radius:8px;padding:.8rem;overflow-x:auto}\n"
    ".line{fill:none;stroke-width:1.6}\n";

static const char *const colours[SHL_CHART_SERIES] = {
    "#4477aa", "#ee8866", "#228833", "#ccbb44", "#aa3377", "#66ccee", "#bb5566", "#999999"};

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
    shl_put_text(out,
                 "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    shl_put_escaped(out, text_of(p->run, "scene"));
    shl_put_text(out, " - shoal</title>\n<style>");
    shl_put_bytes(out, style, sizeof style - 1);
    for (int k = 0; k < SHL_CHART_SERIES; k++)
        shl_put_text(out, ".s%d.line{stroke:%s}.s%d.area{fill:%s}.b%d{background:%s}\n", k,
                     colours[k], k, colours[k], k, colours[k]);
    shl_put_text(out, "</style></head><body>\n<h1>");
    shl_put_escaped(out, text_of(p->run, "scene"));
    shl_put_text(out, "</h1>\n<p class=\"lead\">A run of shoal %s, ",
                 text_of(p->run, "version"));
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
        snprintf(text, sizeof text, "%.0f", number_of(p->run, counts[i][0]));
        put_number(p, text, counts[i][1]);
    }
    const shl_history *h = p->history;
    snprintf(text, sizeof text, "%.4g ms", mean_of(h, SHL_COLUMN_WALL));
    put_number(p, text, "a step, in the mean");
    const double met = most_of(h, SHL_COLUMN_PAIRS) + most_of(h, SHL_COLUMN_SELF);
    const bool spheres = shl_history_has(h, SHL_COLUMN_CONTACTS);
    snprintf(text, sizeof text, "%.0f", spheres ? most_of(h, SHL_COLUMN_CONTACTS) : met);
    put_number(p, text, spheres ? "contacts, at most" : "triangle pairs, at most");
    snprintf(text, sizeof text, "%.1f MB", number_of(p->run, "memory_bytes") / 1e6);
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
    } series[SHL_CHART_SERIES];
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
    {"How far the search went",
     "nodes below the fronts, and triangle pairs tested",
     false,
     {{SHL_COLUMN_OPENED, "nodes opened"}, {SHL_COLUMN_CANDIDATES, "pairs tested"}},
     2},
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

static void put_phases(const page *p)
{
    const shl_history *h = p->history;
    static const struct {
        shl_column_id column;
        const char *name;
    } rows[] = {{SHL_COLUMN_WALL, "whole step, as the caller sees it"},
                {SHL_COLUMN_DEFORM, "moving the bodies (not shoal)"},
                {SHL_COLUMN_GATHER, "vertices to tree order"},
                {SHL_COLUMN_REFIT, "boxes of the upper nodes"},
                {SHL_COLUMN_REBUILD, "trees built anew"},
                {SHL_COLUMN_BROAD, "broad phase"},
                {SHL_COLUMN_TRAVERSE, "traversal"},
                {SHL_COLUMN_LEAF, "triangle tests"},
                {SHL_COLUMN_CONTACT, "contact spheres"},
                {SHL_COLUMN_DISTANCE, "distances"},
                {SHL_COLUMN_SORT, "sorting and hash"}};
    shl_put_text(p->out, "<h2>Time of a step <small>milliseconds; phases are summed over "
                         "threads</small></h2>\n<div class=\"scroll\"><table><tr><th>phase</th>"
                         "<th>least</th><th>mean</th><th>most</th><th>share</th></tr>\n");
    double sum = 0;
    for (size_t i = 2; i < sizeof rows / sizeof *rows; i++)
        sum += mean_of(h, rows[i].column);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double mean = mean_of(h, rows[i].column);
        if (mean == 0)
            continue;
        shl_put_text(p->out, "<tr><td>%s</td><td>%.4g</td><td>%.4g</td><td>%.4g</td><td>",
                     rows[i].name, least_of(h, rows[i].column), mean,
                     most_of(h, rows[i].column));
        if (i > 1 && sum > 0)
            shl_put_text(p->out, "%.1f %%", 100 * mean / sum);
        shl_put_text(p->out, "</td></tr>\n");
    }
    shl_put_text(p->out, "</table></div>\n");
}

static void put_row(const page *p, const char *name, const char *value)
{
    if (!*value)
        return;
    shl_put_text(p->out, "<tr><td>%s</td><td>", name);
    shl_put_escaped(p->out, value);
    shl_put_text(p->out, "</td></tr>\n");
}

static void put_machine(const page *p)
{
    const json_t *machine = json_object_get(p->run, "machine");
    const json_t *build = json_object_get(p->run, "build"),
                 *gpu = json_object_get(p->run, "gpu");
    char text[160];
    shl_put_text(p->out, "<h2>Machine</h2>\n<div class=\"scroll\"><table>\n");
    put_row(p, "CPU", text_of(machine, "cpu"));
    snprintf(text, sizeof text, "%.0f of %.0f CPUs, %.0f cores, %.0f memory domains",
             number_of(machine, "allowed_cpus"), number_of(machine, "cpus"),
             number_of(machine, "cores"), number_of(machine, "numa_nodes"));
    put_row(p, "allowed", text);
    put_row(p, "instructions", text_of(p->run, "cpu"));
    snprintf(text, sizeof text, "%s, strategy %s, broad phase %s", text_of(p->run, "executor"),
             text_of(p->run, "strategy"), text_of(p->run, "broad"));
    put_row(p, "executor", text);
    put_row(p, "compiler", text_of(build, "compiler"));
    put_row(p, "commit", text_of(build, "commit"));
    put_row(p, "GPU",
            *text_of(gpu, "device") ? text_of(gpu, "device") : text_of(gpu, "reason"));
    shl_put_text(p->out, "</table></div>\n");
}

// A word as a shell takes it.
static void put_word(shl_output *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+";
    const bool quote = !*word || word[strspn(word, plain)];
    if (quote)
        shl_put_escaped(out, "'");
    shl_put_escaped(out, word);
    if (quote)
        shl_put_escaped(out, "'");
}

static void put_again(const page *p)
{
    const json_t *command = json_object_get(p->run, "command"), *word;
    size_t i;
    shl_put_text(p->out, "<h2>How to do it again</h2>\n<pre>");
    json_array_foreach(command, i, word)
    {
        const char *text = json_string_value(word);
        if (!text || strncmp(text, "--output", 8) == 0)
            continue;
        shl_put_text(p->out, "%s", i ? " " : "");
        put_word(p->out, text);
    }
    shl_put_text(p->out, "</pre>\n<p>The hash of all results must come out as <code>");
    shl_put_escaped(p->out, text_of(p->run, "hash"));
    shl_put_text(p->out, "</code>, on any machine and with any number of threads.</p>\n"
                         "</body></html>\n");
}

static int say_failure(const char *command, const char *path, int code)
{
    shl_say("%s: %s: %s", command, path, strerror(code));
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
        put_phases(p);
        put_machine(p);
        put_again(p);
    }
    const int code = shl_output_finish(p->out, path);
    return code ? say_failure(command, path, code) : SHL_EXIT_OK;
}

int shl_report_write(const char *command, const char *folder_path)
{
    shl_folder folder = {.resume = true};
    if (strlen(folder_path) >= sizeof folder.path - 64) {
        shl_say("%s: %s: %s", command, folder_path, strerror(ENAMETOOLONG));
        return SHL_EXIT_INPUT;
    }
    snprintf(folder.path, sizeof folder.path, "%s", folder_path);
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
