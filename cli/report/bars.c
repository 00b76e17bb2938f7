// SPDX-License-Identifier: MIT
#include "cli/report/bars.h"

#include "cli/report/chart.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 720, LEFT = 250, RIGHT = 640, ROW = 22, TOP = 8 };

const char *const shl_side_names[SHL_SIDES] = {"paper", "literal", "equal care",
                                               "shoal", "peers",   "other"};

shl_side shl_side_of(const char *name)
{
    static const struct {
        const char *begin;
        shl_side side;
    } rows[] = {{"paper", SHL_SIDE_PAPER}, {"literal", SHL_SIDE_LITERAL},
                {"equal", SHL_SIDE_CARE},  {"embree", SHL_SIDE_PEER},
                {"fcl", SHL_SIDE_PEER},    {"cgal", SHL_SIDE_PEER},
                {"shoal", SHL_SIDE_SHOAL}};
    // a paper's strategy within shoal, as the experiments L call it
    static const char *const strategies[] = {"shoal hybrid", "shoal bottom-up",
                                             "shoal top-down"};
    for (size_t i = 0; name && i < sizeof strategies / sizeof *strategies; i++) {
        if (strcmp(name, strategies[i]) == 0)
            return SHL_SIDE_CARE;
    }
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++) {
        if (strncasecmp(name, rows[i].begin, strlen(rows[i].begin)) == 0)
            return rows[i].side;
    }
    return SHL_SIDE_OTHER;
}

static bool shown(const shl_bar *bar)
{
    return bar->value > 0 && isfinite(bar->value);
}

static double x_of(double value, double low, double high)
{
    return LEFT + (RIGHT - LEFT) * (log10(value) - low) / (high - low);
}

// Behind the point: about three that count.
static int digits_of(double value)
{
    const int digits = 2 - (int)floor(log10(value));
    return digits < 0 ? 0 : digits > 9 ? 9 : digits;
}

// A legend of the sides that are there.
static void put_legend(shl_output *out, const shl_bar *bars, size_t count)
{
    for (int side = 0; side < SHL_SIDES; side++) {
        bool there = false;
        for (size_t i = 0; i < count && !there; i++)
            there = shown(&bars[i]) && (int)bars[i].side == side;
        if (there)
            shl_put_text(out, "<i class=\"b%d\"></i>%s", side, shl_side_names[side]);
    }
}

void shl_bars_put(shl_output *out, const char *title, const shl_bar *bars, size_t count)
{
    double least = INFINITY, most = 0;
    int rows = 0;
    for (size_t i = 0; i < count; i++) {
        if (!shown(&bars[i]))
            continue;
        least = fmin(least, bars[i].value);
        most = fmax(most, bars[i].value);
        rows++;
    }
    if (rows < 2)
        return;
    // the shortest bar is seen, too
    const double low = floor(log10(least) - 0.1), high = fmax(ceil(log10(most)), low + 1);
    const int bottom = TOP + ROW * rows;
    shl_put_text(out, "<figure><figcaption>");
    shl_put_escaped(out, title);
    shl_put_text(out, " <small>logarithmic</small><span class=\"legend\">");
    put_legend(out, bars, count);
    shl_put_text(out, "</span></figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH,
                 bottom + 22);
    for (int power = (int)low; power <= (int)high; power++) {
        const double x = x_of(pow(10, power), low, high);
        shl_put_text(out,
                     "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                     "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                     x, x, TOP, bottom, x, bottom + 16, pow(10, power));
    }
    int row = 0;
    for (size_t i = 0; i < count; i++) {
        if (!shown(&bars[i]))
            continue;
        const double x = x_of(bars[i].value, low, high);
        const int y = TOP + ROW * row++;
        shl_put_text(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 6, y + 15);
        shl_put_escaped(out, bars[i].label);
        shl_put_text(out,
                     "</text><rect class=\"s%d area\" x=\"%d\" y=\"%d\" width=\"%.1f\" "
                     "height=\"%d\"/><text x=\"%.1f\" y=\"%d\">%.*f</text>\n",
                     (int)bars[i].side, LEFT, y + 3, x - LEFT, ROW - 6, x + 5, y + 15,
                     digits_of(bars[i].value), bars[i].value);
    }
    shl_put_text(out, "</svg></figure>\n");
}
