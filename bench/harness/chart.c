// SPDX-License-Identifier: MIT
#include "bench/harness/chart.h"

#include "io/draft.h"
#include "io/plain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { POINTS = 360, LEGEND_ROW = 3 }; // most of a line; names in a row

const char *const bench_colours[BENCH_COLOURS] = {"#4477aa", "#ee8866", "#228833", "#ccbb44",
                                                  "#aa3377", "#66ccee", "#bb5566", "#999999"};

// The drawing area inside the picture, in pixels, and what its edges stand for. Both y axes
// begin at 0.
typedef struct frame {
    int width, height, left, right, top, bottom;
    double x_begin, x_end, y_end[2];
} frame;

static double round_up(double x)
{
    if (!(x > 0 && x < 1e300))
        return 1;
    const double power = pow(10, floor(log10(x)));
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (x <= steps[i] * power)
            return steps[i] * power;
    }
    return 10 * power;
}

static uint32_t points_of(const bench_line *line)
{
    return line->count < POINTS ? line->count : POINTS;
}

// The mean of a column over what a point stands for.
static double mean_at(const bench_line *line, const double *column, uint32_t point)
{
    const uint64_t n = points_of(line), begin = line->count * (uint64_t)point / n;
    const uint64_t end = line->count * ((uint64_t)point + 1) / n;
    double sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum += column[i];
    return sum / (double)(end - begin);
}

static double height_at(const bench_lines *p, uint32_t line, uint32_t point)
{
    double sum = 0;
    for (uint32_t k = p->lines[line].area ? 0 : line; k <= line; k++)
        sum += mean_at(&p->lines[k], p->lines[k].y, point);
    return sum;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The highest point of a line, bars included. One disturbed step must not flatten the others:
// of areas the highest may be cut.
static double top_of(const bench_lines *p, uint32_t line)
{
    const bench_line *l = &p->lines[line];
    const uint32_t n = points_of(l);
    double all[POINTS];
    for (uint32_t i = 0; i < n; i++)
        all[i] = l->high ? mean_at(l, l->high, i) : height_at(p, line, i);
    qsort(all, n, sizeof *all, by_value);
    if (n == 0)
        return 0;
    return l->area ? fmin(all[n - 1], 1.2 * all[n * 98 / 100]) : all[n - 1];
}

static frame frame_of(const bench_lines *p)
{
    frame f = {720,        400 + 18 * (int)((p->count + LEGEND_ROW - 1) / LEGEND_ROW),
               64,         p->right_name ? 652 : 696,
               56,         340,
               p->x_begin, 0,
               {0, 0}};
    if (p->bare)
        f = (frame){720, 260, 58, 710, 12, 226, p->x_begin, 0, {0, 0}};
    for (uint32_t i = 0; i < p->count; i++) {
        const bench_line *line = &p->lines[i];
        double *end = &f.y_end[line->right];
        *end = fmax(*end, top_of(p, i));
        for (uint32_t k = 0; k < line->count; k++)
            f.x_end = fmax(f.x_end, line->x[k]);
    }
    f.x_end = p->x_end > 0 ? p->x_end : round_up(1.04 * f.x_end);
    for (int i = 0; i < 2; i++)
        f.y_end[i] = round_up(f.y_end[i]);
    return f;
}

static double x_at(const frame *f, double x)
{
    const double share = f->x_end > f->x_begin ? (x - f->x_begin) / (f->x_end - f->x_begin) : 0;
    return f->left + (f->right - f->left) * fmin(fmax(share, 0), 1);
}

static double y_at(const frame *f, bool right, double y)
{
    return f->bottom - (f->bottom - f->top) * fmin(fmax(y / f->y_end[right], 0), 1);
}

static void text(FILE *f, double x, double y, const char *anchor, const char *what)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    shl_print_escaped(f, what);
    fprintf(f, "</text>\n");
}

// A number, short, so that it has room beside the axis.
static void tick(FILE *f, double x, double y, const char *anchor, double value)
{
    char number[32];
    if (value >= 1e6)
        snprintf(number, sizeof number, "%gM", value / 1e6);
    else
        snprintf(number, sizeof number, value >= 1e4 ? "%gk" : "%g",
                 value >= 1e4 ? value / 1e3 : value);
    text(f, x, y, anchor, number);
}

static void grid(FILE *f, double x0, double y0, double x1, double y1)
{
    fprintf(f,
            "<line class=\"grid\" stroke=\"#dddddd\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
            "y2=\"%.1f\"/>\n",
            x0, y0, x1, y1);
}

// HTML knows the names of SVG by itself.
static void begin(FILE *f, int width, int height, bool page)
{
    fprintf(f,
            "<svg %sviewBox=\"0 0 %d %d\" role=\"img\" font-family=\"sans-serif\" "
            "font-size=\"13\" fill=\"#222222\">\n",
            page ? "" : "xmlns=\"http://www.w3.org/2000/svg\" ", width, height);
}

static void draw_axes(FILE *f, const bench_lines *p, const frame *to)
{
    for (int i = 0; i <= 4; i++) {
        const double x = to->x_begin + (to->x_end - to->x_begin) * i / 4;
        const double y = y_at(to, false, to->y_end[0] * i / 4);
        grid(f, to->left, y, to->right, y);
        tick(f, to->left - 6, y + 4, "end", to->y_end[0] * i / 4);
        if (p->right_name)
            tick(f, to->right + 6, y + 4, "start", to->y_end[1] * i / 4);
        char number[32];
        snprintf(number, sizeof number, "%.10g", p->x_begin > 0 ? floor(x) : x); // whole steps
        text(f, x_at(to, x), to->bottom + 18, p->bare && i == 4 ? "end" : "middle", number);
    }
    if (p->bare) {
        fprintf(f, "<text class=\"unit\" x=\"%d\" y=\"%d\" text-anchor=\"end\">", to->right,
                to->height - 2);
        shl_print_escaped(f, p->x_name);
        fprintf(f, "</text>\n");
        return;
    }
    text(f, 0.5 * to->width, 22, "middle", p->title);
    text(f, to->left, to->top - 12, "start", p->y_name);
    if (p->right_name)
        text(f, to->right, to->top - 12, "end", p->right_name);
    text(f, 0.5 * (to->left + to->right), to->bottom + 36, "middle", p->x_name);
}

static const char *colour_of(const bench_lines *p, uint32_t i)
{
    return p->lines[i].colour ? p->lines[i].colour : bench_colours[i % BENCH_COLOURS];
}

static const char *dashes(const bench_line *line)
{
    return line->dashed ? " stroke-dasharray=\"6 4\"" : "";
}

static void draw_line(FILE *f, const bench_lines *p, uint32_t i, const frame *to)
{
    const bench_line *line = &p->lines[i];
    const char *colour = colour_of(p, i);
    const uint32_t n = points_of(line);
    if (n == 0)
        return;
    if (line->area)
        fprintf(f, "<path class=\"s%u area\" fill=\"%s\" d=\"", i, colour);
    else
        fprintf(f,
                "<path class=\"s%u line\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s "
                "d=\"",
                i, colour, dashes(line));
    for (uint32_t k = 0; k < n; k++)
        fprintf(f, "%c%.1f %.1f", k ? 'L' : 'M', x_at(to, mean_at(line, line->x, k)),
                y_at(to, line->right, height_at(p, i, k)));
    for (uint32_t k = n; line->area && k-- > 0;)
        fprintf(f, "L%.1f %.1f", x_at(to, mean_at(line, line->x, k)),
                y_at(to, false, i ? height_at(p, i - 1, k) : 0));
    fprintf(f, "%s\"/>\n", line->area ? "Z" : "");
    for (uint32_t k = 0; k < line->count && line->low; k++) {
        const double x = x_at(to, line->x[k]);
        fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", x,
                y_at(to, line->right, line->low[k]), y_at(to, line->right, line->high[k]),
                colour);
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x,
                y_at(to, line->right, line->y[k]), colour);
    }
}

static void draw_legend(FILE *f, const bench_lines *p, const frame *to)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const double x = to->left + 210.0 * (i % LEGEND_ROW);
        const double y = to->bottom + 60 + 18.0 * (i / LEGEND_ROW);
        fprintf(f, "<path d=\"M%.0f %.0fH%.0f\" stroke=\"%s\" stroke-width=\"%d\"%s/>\n", x, y,
                x + 22, colour_of(p, i), p->lines[i].area ? 12 : 2, dashes(&p->lines[i]));
        text(f, x + 28, y + 4, "start", p->lines[i].name);
    }
}

void bench_lines_draw(FILE *f, const bench_lines *p)
{
    const frame to = frame_of(p);
    begin(f, to.width, to.height, p->bare);
    if (!p->bare)
        fprintf(f, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", to.width,
                to.height);
    draw_axes(f, p, &to);
    for (uint32_t i = 0; i < p->count; i++)
        draw_line(f, p, i, &to);
    if (!p->bare)
        draw_legend(f, p, &to);
    fprintf(f, "</svg>\n");
}

static bool shown(const bench_bar *bar)
{
    return bar->value > 0 && isfinite(bar->value);
}

uint32_t bench_bars_shown(const bench_bar *bars, size_t count)
{
    uint32_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += shown(&bars[i]);
    return rows;
}

// Behind the point: about three that count.
static int digits_of(double value)
{
    const int digits = 2 - (int)floor(log10(value));
    return digits < 0 ? 0 : digits > 9 ? 9 : digits;
}

void bench_bars_draw(FILE *f, const bench_bar *bars, size_t count)
{
    enum { WIDTH = 720, LEFT = 250, RIGHT = 640, ROW = 22, TOP = 8 };
    const int bottom = TOP + ROW * (int)bench_bars_shown(bars, count);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = shown(&bars[i]) ? fmin(least, bars[i].value) : least;
        most = shown(&bars[i]) ? fmax(most, bars[i].value) : most;
    }
    // the shortest bar is seen, too
    const double low = floor(log10(least) - 0.1), high = fmax(ceil(log10(most)), low + 1);
    begin(f, WIDTH, bottom + 22, true);
    for (int power = (int)low; power <= (int)high; power++) {
        const double x = LEFT + (RIGHT - LEFT) * (power - low) / (high - low);
        grid(f, x, TOP, x, bottom);
        tick(f, x, bottom + 16, "middle", pow(10, power));
    }
    int y = TOP;
    for (size_t i = 0; i < count; i++) {
        const bench_bar *bar = &bars[i];
        if (!shown(bar))
            continue;
        const double length = (RIGHT - LEFT) * (log10(bar->value) - low) / (high - low);
        char value[64];
        snprintf(value, sizeof value, "%.*f", digits_of(bar->value), bar->value);
        text(f, LEFT - 6, y + 15, "end", bar->label);
        fprintf(f,
                "<rect class=\"s%u area\" fill=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" "
                "height=\"%d\"/>\n",
                bar->colour, bench_colours[bar->colour % BENCH_COLOURS], LEFT, y + 3, length,
                ROW - 6);
        text(f, LEFT + length + 5, y + 15, "start", value);
        y += ROW;
    }
    fprintf(f, "</svg>\n");
}

bool bench_file_write(const char *path, bench_draw_fn *draw, const void *what)
{
    shl_draft draft;
    bool good = shl_draft_open(&draft, path);
    if (good) {
        draw(draft.file, what);
        good = shl_draft_close(&draft, true);
    }
    char text[PATH_MAX];
    if (!good)
        shl_line(stderr, "shoal bench: %s: %s", path, shl_write_reason(path, errno, text));
    return good;
}
