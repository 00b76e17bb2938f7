// SPDX-License-Identifier: MIT
#include "cli/report/html.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    ".scroll{overflow-x:auto;margin-bottom:1rem}table{border-collapse:collapse;width:100%;font-"
    "size:.92rem}"
    "td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "font-variant-numeric:tabular-nums}td:first-child,th:first-child{text-align:left}\n"
    "pre{background:var(--panel);border-radius:8px;padding:.8rem;overflow-x:auto}\n"
    ".line{fill:none;stroke-width:1.6}\n"
    // drawings shrink on a phone, their letters must not
    "@media(max-width:40rem){svg text{font-size:20px}.unit{display:none}.line{stroke-width:3}"
    "td,th{padding:.25rem .3rem}table{font-size:.85rem}}\n"
    ".good{color:#228833}.bad{color:#cc3311;font-weight:600}"
    "@media(prefers-color-scheme:dark){.good{color:#66bb77}.bad{color:#ee7755}}\n"
    "td.word{text-align:left}.legend.left{float:none}.dot{display:inline-block;width:.6em;"
    "height:.6em;border-radius:50%;margin-right:.4em}\n";

void shl_html_head(shl_output *out, const char *title)
{
    shl_put_text(out,
                 "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    shl_put_escaped(out, title);
    shl_put_text(out, " - shoal</title>\n<style>");
    shl_put_bytes(out, style, sizeof style - 1);
    for (int k = 0; k < BENCH_COLOURS; k++)
        shl_put_text(out, ".s%d.line{stroke:%s}.s%d.area{fill:%s}.b%d{background:%s}\n", k,
                     bench_colours[k], k, bench_colours[k], k, bench_colours[k]);
    shl_put_text(out, "</style></head><body>\n<h1>");
    shl_put_escaped(out, title);
    shl_put_text(out, "</h1>\n");
}

void shl_html_cell(shl_output *out, double value)
{
    const double size = fabs(value);
    shl_put_text(out, "<td>%.*f</td>", size >= 1000 ? 0 : size >= 10 ? 2 : 4, value);
}

void shl_html_count(double count, char *to, size_t room)
{
    char digits[32];
    if (!(fabs(count) < 1e15)) { // no count that any run has
        snprintf(to, room, "%.4g", count);
        return;
    }
    const int n = snprintf(digits, sizeof digits, "%.0f", count);
    size_t used = 0;
    for (int i = 0; i < n && used + 2 < room; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
            to[used++] = ',';
        to[used++] = digits[i];
    }
    to[used] = '\0';
}

void shl_html_row(shl_output *out, const char *name, const char *format, ...)
{
    char *value = NULL;
    va_list list;
    va_start(list, format);
    const bool room = vasprintf(&value, format, list) >= 0;
    va_end(list);
    if (!room) {
        out->code = out->code ? out->code : ENOMEM;
        return;
    }
    if (*value) {
        shl_put_text(out, "<tr><td>%s</td><td>", name);
        shl_put_escaped(out, value);
        shl_put_text(out, "</td></tr>\n");
    }
    free(value);
}

// The inside of a shell's quotes, of which a quote is no part.
static void put_quoted(shl_output *out, const char *text)
{
    char *copy = strdup(text), *rest = copy;
    if (!copy)
        out->code = out->code ? out->code : ENOMEM;
    for (char *part; (part = strsep(&rest, "'"));) {
        shl_put_escaped(out, part);
        shl_put_escaped(out, rest ? "'\\''" : "");
    }
    free(copy);
}

void shl_html_command(shl_output *out, const json_t *command)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+";
    const json_t *word;
    size_t i;
    shl_put_text(out, "<h2>How to do it again</h2>\n<pre>");
    json_array_foreach(command, i, word)
    {
        const char *text = json_string_value(word);
        if (!text || strncmp(text, "--output", 8) == 0)
            continue;
        const bool quote = !*text || text[strspn(text, plain)];
        shl_put_text(out, "%s", i ? " " : "");
        shl_put_escaped(out, quote ? "'" : ""); // as a shell takes it
        put_quoted(out, text);
        shl_put_escaped(out, quote ? "'" : "");
    }
    shl_put_text(out, "</pre>\n");
}
