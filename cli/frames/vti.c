// SPDX-License-Identifier: MIT
#include "cli/frames/vti.h"

#include "io/bits.h"
#include "io/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct column {
    const char *type, *name;
    int order; // 0: the nearest body, 1: the next
    void (*write)(const shoal_diagram_cell *cell, int order, char *to);
} column;

static void write_body(const shoal_diagram_cell *cell, int order, char *to)
{
    shl_set_bits(to, cell->body[order], 4); // SHOAL_NONE is -1
}

static void write_distance(const shoal_diagram_cell *cell, int order, char *to)
{
    shl_set_f32(to, cell->body[order] == SHOAL_NONE ? NAN : cell->distance[order]);
}

static const column columns[] = {
    {"Int32", "body", 0, write_body},
    {"Float32", "distance", 0, write_distance},
    {"Int32", "second_body", 1, write_body},
    {"Float32", "second_distance", 1, write_distance},
};
enum { COLUMNS = sizeof columns / sizeof *columns, ROWS = 4096 };

static void put_head(shl_output *out, const shoal_grid *g, uint64_t count)
{
    char extent[80];
    snprintf(extent, sizeof extent, "0 %u 0 %u 0 %u", g->cells[0], g->cells[1], g->cells[2]);
    shl_put_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n");
    shl_put_text(out, "<ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" ", extent,
                 g->origin[0], g->origin[1], g->origin[2]);
    shl_put_text(out, "Spacing=\"%.17g %.17g %.17g\">\n", g->cell, g->cell, g->cell);
    shl_put_text(out, "<Piece Extent=\"%s\">\n<CellData Scalars=\"body\">\n", extent);
    for (int i = 0; i < COLUMNS; i++)
        shl_put_text(out,
                     "<DataArray type=\"%s\" Name=\"%s\" format=\"appended\" "
                     "offset=\"%" PRIu64 "\"/>\n",
                     columns[i].type, columns[i].name, (uint64_t)i * (8 + 4 * count));
    shl_put_text(out,
                 "</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_");
}

int shl_vti_write(const char *path, const shoal_grid *grid, const shoal_diagram_cell *cells)
{
    shl_output *out = malloc(sizeof *out);
    if (!out)
        return ENOMEM;
    const uint64_t count = (uint64_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
    shl_output_init(out, path);
    put_head(out, grid, count);
    for (int c = 0; c < COLUMNS && out->code == 0; c++) {
        char rows[4 * ROWS];
        shl_set_bits(rows, 4 * count, 8);
        shl_put_bytes(out, rows, 8);
        for (uint64_t i = 0; i < count && out->code == 0;) {
            size_t n = 0;
            for (; n < ROWS && i < count; n++, i++)
                columns[c].write(&cells[i], columns[c].order, rows + 4 * n);
            shl_put_bytes(out, rows, 4 * n);
        }
    }
    shl_put_text(out, "\n</AppendedData>\n</VTKFile>\n");
    const int code = shl_output_finish(out);
    free(out);
    return code;
}
