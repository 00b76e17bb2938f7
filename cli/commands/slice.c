// SPDX-License-Identifier: MIT
#include "cli/commands/slice.h"

#include <math.h>

enum { WIDTH = 640, SCALE_MAX = 32, GAP = 16, LINES = 12 };

typedef struct panel {
    const shl_slice *slice;
    int right, up;  // axes
    int order;      // 0: the nearest body, 1: the next
    double scale;   // pixels along a cell
    double most;    // the largest distance in it
    double spacing; // of lines of equal distance; 0: none
} panel;

static int right_of(int axis)
{
    return axis == 0 ? 1 : 0;
}

static int up_of(int axis)
{
    return axis == 2 ? 1 : 2;
}

static const shoal_diagram_cell *cell_at(const panel *p, uint32_t right, uint32_t up)
{
    const uint32_t *n = p->slice->grid->cells;
    size_t at[3];
    at[p->slice->axis] = p->slice->at;
    at[p->right] = right;
    at[p->up] = up;
    return &p->slice->cells[(at[2] * n[1] + at[1]) * n[0] + at[0]];
}

shl_slice_size shl_slice_size_of(const shl_slice *s)
{
    const uint32_t width = s->grid->cells[right_of(s->axis)];
    const uint32_t height = s->grid->cells[up_of(s->axis)];
    const uint32_t longer = width > height ? width : height;
    uint32_t scale = (WIDTH + longer - 1) / longer;
    scale = scale > SCALE_MAX ? SCALE_MAX : scale;
    return (shl_slice_size){2 * width * scale + GAP, height * scale, scale};
}

// One, two or five times a power of ten: about so many lines up to `most`.
static double spacing_for(double most)
{
    static const double steps[3] = {2, 5, 10};
    if (!(most > 0 && isfinite(most)))
        return 0;
    const double want = most / LINES, power = pow(10, floor(log10(want)));
    for (int i = 0; i < 3; i++) {
        if (want <= steps[i] * power)
            return steps[i] * power;
    }
    return 10 * power;
}

static panel panel_of(const shl_slice *s, int order)
{
    panel p = {.slice = s,
               .right = right_of(s->axis),
               .up = up_of(s->axis),
               .order = order,
               .scale = shl_slice_size_of(s).scale};
    for (uint32_t up = 0; up < s->grid->cells[p.up]; up++) {
        for (uint32_t right = 0; right < s->grid->cells[p.right]; right++) {
            const shoal_diagram_cell *c = cell_at(&p, right, up);
            if (c->body[order] != SHOAL_NONE)
                p.most = fmax(p.most, (double)c->distance[order]);
        }
    }
    p.spacing = spacing_for(p.most);
    return p;
}

// Colours of one lightness, far apart for neighbours in number.
static void colour_of(uint32_t body, double out[3])
{
    const double hue = 6 * fmod(0.58 + 0.6180339887 * body, 1.0);
    for (int k = 0; k < 3; k++) {
        const double away = fabs(fmod(hue + 6 - 2.0 * k, 6.0) - 3) - 1; // of a colour wheel
        const double full = away < 0 ? 0 : away > 1 ? 1 : away;
        out[k] = 0.30 + 0.62 * full;
    }
}

// Towards grey level `to` by `by`, 0 to 1.
static void mix(double colour[3], double to, double by)
{
    for (int k = 0; k < 3; k++)
        colour[k] += by * (to - colour[k]);
}

// The cell left of or below a place, and how far the place is on the way to the next.
static uint32_t cell_below(double place, uint32_t count, double *on)
{
    const double inside = fmin(fmax(place, 0), count - 1.0);
    const double below = fmin(floor(inside), count > 1 ? count - 2.0 : 0);
    *on = inside - below;
    return (uint32_t)below;
}

// What is nearest at a place between centres of cells.
typedef struct spot {
    uint32_t body[2];
    double distance[2];
} spot;

// By (distance, body), different bodies.
static void offer(spot *s, uint32_t body, double distance)
{
    if (body == SHOAL_NONE || body == s->body[0] || body == s->body[1])
        return;
    for (int i = 0; i < 2; i++) {
        if (distance > s->distance[i] || (distance == s->distance[i] && body > s->body[i]))
            continue;
        const uint32_t other = s->body[i];
        const double far = s->distance[i];
        s->body[i] = body;
        s->distance[i] = distance;
        body = other;
        distance = far;
    }
}

// A cell knows two bodies; others are at least as far as the second.
static double distance_of(const shoal_diagram_cell *c, uint32_t body)
{
    const int last = c->body[1] != SHOAL_NONE;
    return (double)c->distance[c->body[0] == body ? 0 : last];
}

// Right and up in pixels.
static spot look(const panel *p, double right, double up)
{
    const uint32_t *n = p->slice->grid->cells;
    const shoal_diagram_cell *c[4];
    double x, y;
    const uint32_t i = cell_below(right / p->scale - 0.5, n[p->right], &x);
    const uint32_t j = cell_below(up / p->scale - 0.5, n[p->up], &y);
    const double weight[4] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
    for (uint32_t k = 0; k < 4; k++)
        c[k] = weight[k] > 0 ? cell_at(p, i + (k & 1), j + (k >> 1)) : NULL;
    spot found = {{SHOAL_NONE, SHOAL_NONE}, {INFINITY, INFINITY}};
    for (int k = 0; k < 8; k++) {
        const uint32_t body = c[k / 2] ? c[k / 2]->body[k % 2] : SHOAL_NONE;
        double sum = 0;
        for (int m = 0; m < 4 && body != SHOAL_NONE; m++)
            sum += c[m] ? weight[m] * distance_of(c[m], body) : 0;
        offer(&found, body, sum);
    }
    return found;
}

// How dark a line of equal distance is here, 0 to 1: lines are as wide where distances change
// slowly.
static double line_at(const panel *p, double right, double up, double far)
{
    const double step = 0.5, on_x = look(p, right + step, up).distance[p->order],
                 on_y = look(p, right, up + step).distance[p->order];
    const double slope = hypot(on_x - far, on_y - far) / step; // a pixel
    const double turns = far / p->spacing, off = fabs(turns - nearbyint(turns)) * p->spacing;
    return slope > 0 ? fmin(fmax(1.4 - off / slope, 0), 1) : 0;
}

static void pixel(const panel *p, uint32_t x, uint32_t y, double colour[3])
{
    const double right = x + 0.5, up = y + 0.5, side = p->slice->grid->cell;
    const spot here = look(p, right, up);
    const uint32_t scale = (uint32_t)p->scale;
    const shoal_diagram_cell *cell = cell_at(p, x / scale, y / scale);
    colour[0] = colour[1] = colour[2] = 0.88;
    if (here.body[p->order] == SHOAL_NONE)
        return;
    colour_of(here.body[p->order], colour);
    const double far = here.distance[p->order];
    mix(colour, 1, p->most > 0 ? 0.15 + 0.55 * fmin(far / p->most, 1) : 0.15);
    if (p->spacing > 0)
        mix(colour, 0, 0.22 * line_at(p, right, up, far));
    const spot beside = look(p, right + 1, up), above = look(p, right, up + 1);
    for (int order = 0; order <= p->order; order++) {
        if (beside.body[order] != here.body[order] || above.body[order] != here.body[order])
            mix(colour, 0, 0.35);
    }
    if ((double)cell->distance[0] <= 0.5 * side) {
        colour_of(cell->body[0], colour);
        mix(colour, 0, 0.62);
    }
}

static void draw_panel(const panel *p, shl_slice_size size, uint8_t *rgb)
{
    const uint32_t width = (size.width - GAP) / 2;
    const uint32_t first = p->order ? width + GAP : 0;
    for (uint32_t y = 0; y < size.height; y++) {
        uint8_t *row = rgb + 3 * ((size_t)(size.height - 1 - y) * size.width + first);
        for (uint32_t x = 0; x < width; x++) {
            double colour[3];
            pixel(p, x, y, colour);
            for (int k = 0; k < 3; k++)
                row[3 * x + (uint32_t)k] = (uint8_t)lrint(255 * colour[k]);
        }
    }
}

void shl_slice_draw(const shl_slice *slice, uint8_t *rgb)
{
    const shl_slice_size size = shl_slice_size_of(slice);
    for (size_t i = 0; i < 3 * (size_t)size.width * size.height; i++)
        rgb[i] = 255;
    panel first = panel_of(slice, 0), second = panel_of(slice, 1);
    second.spacing = first.spacing;
    draw_panel(&first, size, rgb);
    draw_panel(&second, size, rgb);
}
