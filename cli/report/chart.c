// SPDX-License-Identifier: MIT
#include "cli/report/chart.h"

#include <errno.h>
#include <stdlib.h>

void shl_figure_put(shl_output *out, const shl_figure *figure)
{
    char *drawing = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&drawing, &size);
    if (f)
        figure->draw(f, figure->what);
    if (!f || fclose(f) != 0) {
        out->code = out->code ? out->code : ENOMEM;
        free(drawing);
        return;
    }
    shl_put_text(out, "<figure><figcaption>");
    shl_put_escaped(out, figure->title);
    shl_put_text(out, " <small>");
    shl_put_escaped(out, figure->unit);
    shl_put_text(out, "</small><span class=\"legend\">");
    for (int k = 0; k < BENCH_COLOURS; k++) {
        if (!figure->names[k])
            continue;
        shl_put_text(out, "<i class=\"b%d\"></i>", k);
        shl_put_escaped(out, figure->names[k]);
    }
    shl_put_text(out, "</span></figcaption>\n");
    shl_put_bytes(out, drawing, size);
    shl_put_text(out, "</figure>\n");
    free(drawing);
}

static void draw(FILE *f, const void *what)
{
    bench_lines_draw(f, what);
}

void shl_chart_put(shl_output *out, const shl_chart *c)
{
    shl_figure figure = {.title = c->title, .unit = c->unit, .draw = draw};
    bench_line lines[BENCH_COLOURS];
    double *x = malloc((c->steps + (size_t)1) * sizeof *x);
    if (!x) {
        out->code = out->code ? out->code : ENOMEM;
        return;
    }
    for (uint32_t i = 0; i < c->steps; i++)
        x[i] = (double)c->first + i;
    for (int k = 0; k < c->series; k++) {
        figure.names[k] = c->names[k];
        lines[k] =
            (bench_line){.count = c->steps, .x = x, .y = c->values[k], .area = c->stacked};
    }
    const bench_lines picture = {.x_name = "step",
                                 .lines = lines,
                                 .count = (uint32_t)c->series,
                                 .x_begin = c->first,
                                 .x_end = (double)c->first + c->steps - 1,
                                 .bare = true};
    figure.what = &picture;
    shl_figure_put(out, &figure);
    free(x);
}
