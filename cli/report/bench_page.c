// SPDX-License-Identifier: MIT
#include "cli/report/bench_page.h"

#include "cli/report/bars.h"
#include "cli/report/html.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARS_MAX = 200 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_time(const char *key)
{
    return ends_with(key, "_us") || ends_with(key, "_ms") || ends_with(key, "_ns") ||
           ends_with(key, "_s");
}

// "paper_root_us" is "root_us" of the paper.
static const char *plain_key(const char *key, shl_side *side)
{
    static const char *const prefixes[] = {"paper_", "literal_"};
    static const shl_side sides[] = {SHL_SIDE_PAPER, SHL_SIDE_LITERAL};
    for (int i = 0; i < 2; i++) {
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) {
            *side = sides[i];
            return key + strlen(prefixes[i]);
        }
    }
    *side = SHL_SIDE_SHOAL;
    return key;
}

static bool same_keys(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    if (json_object_size(a) != json_object_size(b))
        return false;
    json_object_foreach((json_t *)a, key, value)
    {
        if (!json_object_get(b, key))
            return false;
    }
    return true;
}

static const char *contender_of(const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "contender"));
    return name ? name : json_string_value(json_object_get(row, "method"));
}

static void put_value(shl_output *out, const json_t *value)
{
    if (json_is_integer(value))
        shl_put_text(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        shl_put_text(out, fabs(json_real_value(value)) >= 1e4 ? "%.0f" : "%.4g",
                     json_real_value(value));
    else if (json_is_boolean(value))
        shl_put_text(out, "%s", json_is_true(value) ? "yes" : "no");
    else if (json_is_string(value))
        shl_put_escaped(out, json_string_value(value));
    for (size_t i = 0; i < json_array_size(value); i++) {
        shl_put_text(out, "%s", i ? " / " : "");
        put_value(out, json_array_get(value, i));
    }
}

// Rows from `begin` on that have the same keys; the first of the others is returned.
static size_t run_of(const json_t *rows, size_t begin)
{
    size_t end = begin + 1;
    while (end < json_array_size(rows) &&
           same_keys(json_array_get(rows, begin), json_array_get(rows, end)))
        end++;
    return end;
}

static void put_table(shl_output *out, const json_t *rows, size_t begin, size_t end)
{
    const json_t *first = json_array_get(rows, begin);
    const char *key;
    json_t *value;
    shl_put_text(out, "<div class=\"scroll\"><table><tr>");
    json_object_foreach((json_t *)first, key, value)
    {
        shl_side side;
        (void)plain_key(key, &side);
        shl_put_text(out, "<th>");
        if (side != SHL_SIDE_SHOAL)
            shl_put_text(out, "<i class=\"dot b%d\"></i>", (int)side);
        shl_put_escaped(out, key);
        shl_put_text(out, "</th>");
    }
    shl_put_text(out, "</tr>\n");
    for (size_t i = begin; i < end; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *who = contender_of(row);
        shl_put_text(out, "<tr>");
        json_object_foreach((json_t *)first, key, value)
        {
            const json_t *cell = json_object_get(row, key);
            shl_put_text(out, json_is_string(cell) ? "<td class=\"word\">" : "<td>");
            if (who && json_string_value(cell) == who)
                shl_put_text(out, "<i class=\"dot b%d\"></i>", (int)shl_side_of(who));
            put_value(out, cell);
            shl_put_text(out, "</td>");
        }
        shl_put_text(out, "</tr>\n");
    }
    shl_put_text(out, "</table></div>\n");
}

// What tells a row from its neighbours: words and whole numbers that differ.
static void label_of(const json_t *rows, size_t begin, size_t end, size_t index, char *to,
                     size_t room)
{
    const json_t *row = json_array_get(rows, index);
    const char *key;
    json_t *value;
    size_t used = 0;
    to[0] = '\0';
    json_object_foreach((json_t *)row, key, value)
    {
        bool differs = false;
        if (!json_is_string(value) && !json_is_integer(value))
            continue;
        for (size_t i = begin; i < end && !differs; i++)
            differs = !json_equal(value, json_object_get(json_array_get(rows, i), key));
        if (!differs || used + 2 >= room)
            continue;
        const char *gap = used ? ", " : "";
        if (json_is_string(value))
            used +=
                (size_t)snprintf(to + used, room - used, "%s%s", gap, json_string_value(value));
        else
            used += (size_t)snprintf(to + used, room - used, "%s%" JSON_INTEGER_FORMAT " %s",
                                     gap, json_integer_value(value), key);
    }
    shl_plain_mask(to); // it may be cut within a character
}

// Contenders by one time, all in one drawing.
static void put_contenders(shl_output *out, const json_t *rows, size_t begin, size_t end)
{
    static const char *const first_choice[] = {"whole_us", "total_us", "step_us", "whole_ms"};
    const json_t *first = json_array_get(rows, begin);
    const char *key, *measure = NULL;
    json_t *value;
    bench_bar *bars = calloc(BARS_MAX, sizeof *bars);
    size_t count = 0;
    for (int i = 0; i < 4 && !measure; i++)
        measure = json_object_get(first, first_choice[i]) ? first_choice[i] : NULL;
    json_object_foreach((json_t *)first, key, value)
    {
        if (!measure && is_time(key))
            measure = key;
    }
    for (size_t i = begin; bars && measure && i < end && count < BARS_MAX; i++) {
        const json_t *row = json_array_get(rows, i);
        bench_bar *bar = &bars[count++];
        bar->colour = shl_side_of(contender_of(row));
        bar->value = json_number_value(json_object_get(row, measure));
        label_of(rows, begin, end, i, bar->label, sizeof bar->label);
    }
    if (!bars)
        out->code = out->code ? out->code : ENOMEM;
    if (bars && measure)
        shl_bars_put(out, measure, bars, count);
    free(bars);
}

// A time that the paper or the literal method has too, row by row.
static void put_against(shl_output *out, const json_t *rows, size_t begin, size_t end,
                        const char *measure)
{
    static const char *const prefixes[] = {"paper_", "literal_", ""};
    static const shl_side sides[] = {SHL_SIDE_PAPER, SHL_SIDE_LITERAL, SHL_SIDE_SHOAL};
    bench_bar *bars = calloc(BARS_MAX, sizeof *bars);
    size_t count = 0;
    for (size_t i = begin; bars && i < end; i++) {
        for (int k = 0; k < 3 && count < BARS_MAX; k++) {
            char key[96];
            const int n = snprintf(key, sizeof key, "%s%s", prefixes[k], measure);
            const json_t *value = json_object_get(json_array_get(rows, i), key);
            if (n >= (int)sizeof key || !json_is_number(value))
                continue;
            bars[count].colour = sides[k];
            bars[count].value = json_number_value(value);
            label_of(rows, begin, end, i, bars[count].label, sizeof bars->label);
            count++;
        }
    }
    if (!bars)
        out->code = out->code ? out->code : ENOMEM;
    else
        shl_bars_put(out, measure, bars, count);
    free(bars);
}

static void put_rows(shl_output *out, const json_t *rows)
{
    for (size_t begin = 0, end; begin < json_array_size(rows); begin = end) {
        const json_t *first = json_array_get(rows, begin);
        const char *key;
        json_t *value;
        end = run_of(rows, begin);
        if (contender_of(first))
            put_contenders(out, rows, begin, end);
        json_object_foreach((json_t *)first, key, value)
        {
            shl_side side;
            const char *plain = plain_key(key, &side);
            if (side != SHL_SIDE_SHOAL && json_is_number(json_object_get(first, plain)))
                put_against(out, rows, begin, end, plain);
        }
        put_table(out, rows, begin, end);
    }
}

static void put_gates(shl_output *out, const json_t *gates)
{
    if (json_array_size(gates) == 0)
        return;
    shl_put_text(out, "<div class=\"scroll\"><table><tr><th>gate</th><th>value</th><th>need"
                      "</th><th>aim</th><th></th></tr>\n");
    for (size_t i = 0; i < json_array_size(gates); i++) {
        const json_t *gate = json_array_get(gates, i);
        const bool pass = json_is_true(json_object_get(gate, "pass"));
        const bool lower = strcmp(text_of(gate, "better"), "lower") == 0;
        shl_put_text(out, "<tr><td>");
        shl_put_escaped(out, text_of(gate, "name"));
        shl_put_text(out,
                     "</td><td>%.4g</td><td>%s %.4g</td><td>%.4g</td><td class=\"%s\">%s</td>"
                     "</tr>\n",
                     json_number_value(json_object_get(gate, "value")),
                     lower ? "at most" : "at least",
                     json_number_value(json_object_get(gate, "need")),
                     json_number_value(json_object_get(gate, "aim")), pass ? "good" : "bad",
                     pass ? "holds" : "does not hold");
    }
    shl_put_text(out, "</table></div>\n");
}

static void put_experiment(shl_output *out, const json_t *experiment)
{
    shl_put_text(out, "<h2>");
    shl_put_escaped(out, text_of(experiment, "id"));
    if (*text_of(experiment, "summary")) {
        shl_put_text(out, " <small>");
        shl_put_escaped(out, text_of(experiment, "summary"));
        shl_put_text(out, "</small>");
    }
    shl_put_text(out, "</h2>\n");
    put_gates(out, json_object_get(experiment, "gates"));
    put_rows(out, json_object_get(experiment, "rows"));
}

int shl_bench_page_write(const char *path, const json_t *bench, const json_t *command)
{
    shl_output *out = malloc(sizeof *out);
    if (!out)
        return ENOMEM;
    const json_t *experiments = json_object_get(bench, "experiments");
    const json_t *machine = json_object_get(bench, "machine");
    shl_output_init(out, path);
    if (out->code == 0) {
        shl_html_head(out, "Experiments");
        shl_put_text(out, "<p class=\"lead\">Contenders took turns in one process; only ratios "
                          "within an experiment count.</p>\n<p class=\"legend left\">");
        for (int side = 0; side < SHL_SIDE_OTHER; side++)
            shl_put_text(out, "<i class=\"b%d\"></i>%s", side, shl_side_names[side]);
        shl_put_text(out, "</p>\n");
        for (size_t i = 0; i < json_array_size(experiments); i++)
            put_experiment(out, json_array_get(experiments, i));
        shl_put_text(out, "<h2>Machine</h2>\n<div class=\"scroll\"><table>\n");
        shl_html_row(out, "CPU", "%s", text_of(machine, "cpu"));
        shl_html_row(out, "instructions", "%s", text_of(machine, "body"));
        shl_html_row(out, "compiler", "%s", text_of(machine, "compiler"));
        shl_html_row(out, "shoal", "%s", text_of(machine, "version"));
        shl_put_text(out, "</table></div>\n");
        shl_html_command(out, command);
        shl_put_text(out, "</body></html>\n");
    }
    const int code = shl_output_finish(out);
    free(out);
    return code;
}
