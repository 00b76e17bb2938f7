// SPDX-License-Identifier: MIT
#include "bench/harness/lines_svg.h"

#include "io/draft.h"
#include "io/plain.h"

#include <errno.h>
#include <math.h>

// The drawing area inside the picture, in pixels.
enum { WIDTH = 640, HEIGHT = 480, LEFT = 64, RIGHT = 616, TOP = 48, BOTTOM = 380 };
enum { LEGEND_ROW = 3, LEGEND_WIDE = 190 };

typedef struct axes {
    double x_end, y_end; // both axes begin at 0
} axes;

static double round_up(double x)
{
    const double power = pow(10, floor(log10(x > 0 ? x : 1)));
    const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (x <= steps[i] * power)
            return steps[i] * power;
    }
    return 10 * power;
}

static axes axes_of(const bench_lines *p)
{
    axes f = {0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        const bench_line *line = &p->lines[i];
        for (uint32_t k = 0; k < line->count; k++) {
            const double top = line->high ? line->high[k] : line->y[k];
            f.x_end = line->x[k] > f.x_end ? line->x[k] : f.x_end;
            f.y_end = top > f.y_end ? top : f.y_end;
        }
    }
    f.x_end = p->x_end > 0 ? p->x_end : round_up(1.04 * f.x_end);
    f.y_end = round_up(1.04 * f.y_end);
    return f;
}

static double x_at(const axes *f, double x)
{
    return LEFT + (RIGHT - LEFT) * x / f->x_end;
}

static double y_at(const axes *f, double y)
{
    return BOTTOM - (BOTTOM - TOP) * y / f->y_end;
}

static void text(FILE *f, double x, double y, const char *anchor, const char *what)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    shl_print_escaped(f, what);
    fprintf(f, "</text>\n");
}

static void draw_axes(FILE *f, const bench_lines *p, const axes *frame)
{
    char number[32];
    for (int i = 0; i <= 4; i++) {
        const double x = frame->x_end * i / 4, y = frame->y_end * i / 4;
        fprintf(f, "<path d=\"M%d %.1fH%d\" stroke=\"#dddddd\"/>\n", LEFT, y_at(frame, y),
                RIGHT);
        snprintf(number, sizeof number, "%g", y);
        text(f, LEFT - 8, y_at(frame, y) + 4, "end", number);
        snprintf(number, sizeof number, "%g", x);
        text(f, x_at(frame, x), BOTTOM + 20, "middle", number);
    }
    text(f, LEFT, TOP - 10, "start", p->y_name);
    text(f, 0.5 * (LEFT + RIGHT), BOTTOM + 40, "middle", p->x_name);
}

static void draw_line(FILE *f, const bench_line *line, const axes *frame)
{
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s d=\"", line->colour,
            line->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (uint32_t i = 0; i < line->count; i++)
        fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', x_at(frame, line->x[i]),
                y_at(frame, line->y[i]));
    fprintf(f, "\"/>\n");
    for (uint32_t i = 0; i < line->count && line->low; i++) {
        fprintf(f, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n", x_at(frame, line->x[i]),
                y_at(frame, line->low[i]), y_at(frame, line->high[i]), line->colour);
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                x_at(frame, line->x[i]), y_at(frame, line->y[i]), line->colour);
    }
}

void bench_lines_draw(FILE *f, const bench_lines *p)
{
    const axes frame = axes_of(p);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    text(f, WIDTH / 2.0, 20, "middle", p->title);
    draw_axes(f, p, &frame);
    for (uint32_t i = 0; i < p->count; i++) {
        draw_line(f, &p->lines[i], &frame);
        const uint32_t row = i / LEGEND_ROW;
        const double x = LEFT + LEGEND_WIDE * (i % LEGEND_ROW), y = BOTTOM + 66 + 18 * row;
        fprintf(f, "<path d=\"M%.0f %.0fH%.0f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n", x, y,
                x + 22, p->lines[i].colour,
                p->lines[i].dashed ? " stroke-dasharray=\"6 4\"" : "");
        text(f, x + 28, y + 4, "start", p->lines[i].name);
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
