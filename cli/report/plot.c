// SPDX-License-Identifier: MIT
#include "cli/report/plot.h"

#include "io/plain.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// The drawing area inside the picture, in pixels.
enum { WIDTH = 860, HEIGHT = 420, LEFT = 64, RIGHT = 796, TOP = 56, BOTTOM = 340 };

static const char *const names[SHL_PLOT_PHASES] = {"update", "broad phase", "traversal",
                                                   "leaf tests", "sorting"};
static const char *const colours[SHL_PLOT_PHASES] = {"#4477aa", "#66ccee", "#228833", "#ccbb44",
                                                     "#aa3377"};

// The smallest of 1, 2, 5 times a power of ten that is not below x: a round end for an axis.
static double round_up(double x)
{
    const double power = pow(10, floor(log10(x > 0 ? x : 1)));
    const double steps[4] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++) {
        if (x <= steps[i] * power)
            return steps[i] * power;
    }
    return 10 * power;
}

static double total(const shl_plot_step *s)
{
    double sum = 0;
    for (int k = 0; k < SHL_PLOT_PHASES; k++)
        sum += s->ms[k];
    return sum;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The time axis ends at the 99th percentile: one disturbed step must not flatten the rest.
static double time_end(const shl_plot_step *steps, uint32_t count)
{
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted)
        return 1;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = total(&steps[i]);
    qsort(sorted, count, sizeof *sorted, by_value);
    const double end = round_up(1.05 * sorted[(uint64_t)(count - 1) * 99 / 100]);
    free(sorted);
    return end;
}

static double x_of(uint32_t i, uint32_t count)
{
    return LEFT + (RIGHT - LEFT) * (count > 1 ? (double)i / (count - 1) : 0.5);
}

static double y_of(double value, double end)
{
    return BOTTOM - (BOTTOM - TOP) * (value < end ? value / end : 1);
}

static void draw_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    shl_print_escaped(f, text);
    fprintf(f, "</text>\n");
}

static void draw_axes(FILE *f, uint32_t count, double ms_end, double pairs_end)
{
    char text[64];
    for (int i = 0; i <= 4; i++) {
        const double y = BOTTOM - (BOTTOM - TOP) * i / 4.0;
        fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"#dddddd\"/>\n", LEFT, y, RIGHT);
        snprintf(text, sizeof text, "%g", ms_end * i / 4);
        draw_text(f, LEFT - 8, y + 4, "end", text);
        snprintf(text, sizeof text, "%g", pairs_end * i / 4);
        draw_text(f, RIGHT + 8, y + 4, "start", text);
        snprintf(text, sizeof text, "%.0f", 1 + (count - 1) * i / 4.0);
        draw_text(f, LEFT + (RIGHT - LEFT) * i / 4.0, BOTTOM + 20, "middle", text);
    }
    draw_text(f, LEFT, TOP - 12, "start", "ms of work a step");
    draw_text(f, RIGHT, TOP - 12, "end", "pairs");
    draw_text(f, 0.5 * (LEFT + RIGHT), BOTTOM + 40, "middle", "step");
}

static void draw_phases(FILE *f, const shl_plot_step *steps, uint32_t count, double end)
{
    for (int k = 0; k < SHL_PLOT_PHASES; k++) {
        fprintf(f, "<path fill=\"%s\" fill-opacity=\"0.85\" d=\"", colours[k]);
        for (int edge = 1; edge >= 0; edge--) { // upper edge forwards, lower edge back
            for (uint32_t n = 0; n < count; n++) {
                const uint32_t i = edge ? n : count - 1 - n;
                double sum = 0;
                for (int below = 0; below < k + edge; below++)
                    sum += steps[i].ms[below];
                fprintf(f, "%c%.1f %.1f", n == 0 && edge ? 'M' : 'L', x_of(i, count),
                        y_of(sum, end));
            }
        }
        fprintf(f, "Z\"/>\n");
    }
}

static void draw_pairs(FILE *f, const shl_plot_step *steps, uint32_t count, double end)
{
    fprintf(f, "<path fill=\"none\" stroke=\"#222222\" stroke-width=\"1.6\" d=\"");
    for (uint32_t i = 0; i < count; i++)
        fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', x_of(i, count),
                y_of((double)steps[i].pairs, end));
    fprintf(f, "\"/>\n");
}

static void draw_legend(FILE *f)
{
    double x = LEFT;
    for (int k = 0; k <= SHL_PLOT_PHASES; k++) {
        const bool pairs = k == SHL_PLOT_PHASES;
        fprintf(f, "<rect x=\"%.0f\" y=\"%d\" width=\"14\" height=\"%d\" fill=\"%s\"/>\n", x,
                BOTTOM + (pairs ? 60 : 54), pairs ? 2 : 14, pairs ? "#222222" : colours[k]);
        draw_text(f, x + 20, BOTTOM + 66, "start", pairs ? "pairs found" : names[k]);
        x += 122;
    }
}

void shl_plot_write(FILE *f, const char *title, const shl_plot_step *steps, uint32_t count)
{
    double pairs_most = 1;
    for (uint32_t i = 0; i < count; i++)
        pairs_most = (double)steps[i].pairs > pairs_most ? (double)steps[i].pairs : pairs_most;
    const double ms_end = time_end(steps, count), pairs_end = round_up(pairs_most);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_text(f, WIDTH / 2.0, 22, "middle", title);
    draw_axes(f, count, ms_end, pairs_end);
    draw_phases(f, steps, count, ms_end);
    draw_pairs(f, steps, count, pairs_end);
    draw_legend(f);
    fprintf(f, "</svg>\n");
}
