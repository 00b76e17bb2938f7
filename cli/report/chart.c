// SPDX-License-Identifier: MIT
#include "cli/report/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Of the picture, and of the drawing area in it.
enum {
    WIDTH = 720,
    HEIGHT = 260,
    LEFT = 58,
    RIGHT = 710,
    TOP = 12,
    BOTTOM = 226,
    POINTS = 360
};

// The smallest of 1, 2, 5 times a power of ten that is not below x.
static double round_up(double x)
{
    if (!(x > 0 && x < 1e300))
        return 1;
    const double power = pow(10, floor(log10(x)));
    for (int k = 0; k < 3; k++) {
        static const double ends[3] = {1, 2, 5};
        if (x <= ends[k] * power)
            return ends[k] * power;
    }
    return 10 * power;
}

static uint32_t points_of(const shl_chart *c)
{
    return c->steps < POINTS ? c->steps : POINTS;
}

// The mean of a series over the steps of a point.
static double value_at(const shl_chart *c, int series, uint32_t point)
{
    const uint64_t n = points_of(c), begin = c->steps * (uint64_t)point / n;
    const uint64_t end = c->steps * ((uint64_t)point + 1) / n;
    double sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum += c->values[series][i];
    return sum / (double)(end - begin);
}

static double height_at(const shl_chart *c, int series, uint32_t point)
{
    double sum = 0;
    for (int k = c->stacked ? 0 : series; k <= series; k++)
        sum += value_at(c, k, point);
    return sum;
}

static double x_of(const shl_chart *c, uint32_t point)
{
    const uint32_t n = points_of(c);
    return LEFT + (RIGHT - LEFT) * (n > 1 ? (double)point / (n - 1) : 0.5);
}

static double y_of(double value, double end)
{
    return BOTTOM - (BOTTOM - TOP) * fmin(fmax(value / end, 0), 1);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double axis_end(const shl_chart *c)
{
    double all[POINTS];
    const uint32_t n = points_of(c);
    for (uint32_t i = 0; i < n; i++) {
        all[i] = 0;
        for (int k = 0; k < c->series; k++)
            all[i] = fmax(all[i], height_at(c, k, i));
    }
    qsort(all, n, sizeof *all, by_value);
    // one disturbed step must not flatten the times of the others
    return round_up(c->stacked ? fmin(all[n - 1], 1.2 * all[n * 98 / 100]) : all[n - 1]);
}

// Short, so that it has room beside the axis.
static void write_tick(double value, char *to, size_t room)
{
    if (value >= 1e6)
        snprintf(to, room, "%gM", value / 1e6);
    else if (value >= 1e4)
        snprintf(to, room, "%gk", value / 1e3);
    else
        snprintf(to, room, "%g", value);
}

static void put_axes(shl_output *out, const shl_chart *c, double end)
{
    for (int i = 0; i <= 4; i++) {
        const double y = y_of(end * i / 4, end);
        char tick[32];
        write_tick(end * i / 4, tick, sizeof tick);
        shl_put_text(out,
                     "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                     LEFT, RIGHT, y, y, LEFT - 6, y + 4, tick);
    }
    for (int i = 0; i <= 4; i++) {
        const uint32_t step = c->first + (uint32_t)((c->steps - 1) * (uint64_t)i / 4);
        shl_put_text(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%u</text>\n",
                     LEFT + (RIGHT - LEFT) * i / 4.0, BOTTOM + 18,
                     i == 0   ? "start"
                     : i == 4 ? "end"
                              : "middle",
                     step);
    }
}

static void put_series(shl_output *out, const shl_chart *c, int k, double end)
{
    const uint32_t n = points_of(c);
    shl_put_text(out, "<path class=\"%s s%d\" d=\"M", c->stacked ? "area" : "line", k);
    for (uint32_t i = 0; i < n; i++)
        shl_put_text(out, "%s%.1f %.1f", i ? "L" : "", x_of(c, i),
                     y_of(height_at(c, k, i), end));
    for (uint32_t i = n; c->stacked && i-- > 0;)
        shl_put_text(out, "L%.1f %.1f", x_of(c, i), y_of(k ? height_at(c, k - 1, i) : 0, end));
    shl_put_text(out, "%s\"/>\n", c->stacked ? "Z" : "");
}

void shl_chart_put(shl_output *out, const shl_chart *c)
{
    shl_put_text(out, "<figure><figcaption>");
    shl_put_escaped(out, c->title);
    shl_put_text(out, " <small>");
    shl_put_escaped(out, c->unit);
    shl_put_text(out, "</small><span class=\"legend\">");
    for (int k = 0; k < c->series; k++) {
        shl_put_text(out, "<i class=\"b%d\"></i>", k);
        shl_put_escaped(out, c->names[k]);
    }
    shl_put_text(out, "</span></figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH,
                 HEIGHT);
    const double end = axis_end(c);
    put_axes(out, c, end);
    for (int k = c->series; k-- > 0;)
        put_series(out, c, k, end);
    shl_put_text(out,
                 "<text class=\"unit\" x=\"%d\" y=\"%d\" "
                 "text-anchor=\"end\">step</text></svg></figure>\n",
                 RIGHT, HEIGHT - 2);
}
