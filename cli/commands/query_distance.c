// SPDX-License-Identifier: MIT
#include "cli/commands/query_distance.h"

#include <math.h>
#include <stdio.h>

size_t shl_distance_least(const shoal_nearest *rows, size_t count, shoal_nearest *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (n == 0 || out[n - 1].body_a != rows[i].body_a)
            out[n++] = rows[i];
        else if (rows[i].distance < out[n - 1].distance)
            out[n - 1] = rows[i];
    }
    return n;
}

void shl_distance_text(const shoal_nearest *rows, size_t count)
{
    printf("# file_a triangle_a file_b triangle_b distance error point_a point_b, "
           "counted from 0\n");
    for (size_t i = 0; i < count; i++) {
        const shoal_nearest *r = &rows[i];
        if (r->body_b == SHOAL_NONE)
            printf("%u none\n", r->body_a);
        else
            printf("%u %u %u %u %.17g %.3g  %.17g %.17g %.17g  %.17g %.17g %.17g\n", r->body_a,
                   r->triangle_a, r->body_b, r->triangle_b, r->distance, r->error,
                   r->point_a[0], r->point_a[1], r->point_a[2], r->point_b[0], r->point_b[1],
                   r->point_b[2]);
    }
}

// JSON has no infinity.
static void print_number(const char *name, double x)
{
    if (isfinite(x))
        printf("\"%s\": %.17g", name, x);
    else
        printf("\"%s\": null", name);
}

void shl_distance_json(const shoal_nearest *rows, size_t count)
{
    printf("[");
    for (size_t i = 0; i < count; i++) {
        const shoal_nearest *r = &rows[i];
        printf("%s\n    {\"file_a\": %u, ", i ? "," : "", r->body_a);
        if (r->body_b == SHOAL_NONE) {
            printf("\"file_b\": null, \"distance\": null}");
            continue;
        }
        printf("\"triangle_a\": %u, \"file_b\": %u, \"triangle_b\": %u, ", r->triangle_a,
               r->body_b, r->triangle_b);
        print_number("distance", r->distance);
        printf(", ");
        print_number("error", r->error);
        printf(", \"point_a\": [%.17g, %.17g, %.17g], \"point_b\": [%.17g, %.17g, %.17g]}",
               r->point_a[0], r->point_a[1], r->point_a[2], r->point_b[0], r->point_b[1],
               r->point_b[2]);
    }
    printf("%s]", count ? "\n  " : "");
}
