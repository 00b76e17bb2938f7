// SPDX-License-Identifier: MIT
#include "cli/commands/query_voronoi.h"

#include "cli/commands/slice.h"
#include "cli/frames/png_file.h"
#include "cli/frames/vti.h"
#include "cli/run/folder.h"
#include "io/draft.h"
#include "io/plain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { RESOLUTION = 128, RESOLUTION_MAX = 4096, SLICES_MAX = 64 };

const shl_option shl_voronoi_options[] = {
    {"output", 'o', "DIR", "with --voronoi: where to; default voronoi", false},
    {"slices", 0, "N", "with --voronoi: pictures along each axis, 0 to 64; default 1", false},
    {0},
};

typedef struct diagram {
    const shl_args *args;
    const char *folder;
    shoal_grid grid;
    size_t count; // of cells
    shoal_diagram_cell *cells;
    uint32_t slices;
    double seconds;
    uint64_t hash;
} diagram;

static int failed(const char *path, int code)
{
    char text[PATH_MAX];
    shl_say("%s: %s", path, shl_write_reason(path, code, text));
    return code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

// More than the machine has would not fail here, but bring everything to a halt later.
static int reserve(diagram *d)
{
    const uint32_t *n = d->grid.cells;
    d->count = (size_t)n[0] * n[1] * n[2];
    const double bytes = (double)d->count * sizeof *d->cells;
    const double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    d->cells = bytes < there ? malloc(d->count * sizeof *d->cells) : NULL;
    if (d->cells)
        return SHL_EXIT_OK;
    shl_say(
        "shoal query: a grid of %u x %u x %u cells needs %.3g GB; a lower --grid needs less",
        n[0], n[1], n[2], 1e-9 * bytes);
    return SHL_EXIT_MEMORY;
}

static int write_slice(const diagram *d, int axis, uint32_t number)
{
    const uint32_t along = d->grid.cells[axis];
    const shl_slice slice = {
        .grid = &d->grid,
        .cells = d->cells,
        .axis = axis,
        .at = (uint32_t)((2 * number + 1) * (uint64_t)along / (2 * (uint64_t)d->slices))};
    const shl_slice_size size = shl_slice_size_of(&slice);
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%c-%04u.png", d->folder, "xyz"[axis], slice.at) >=
        PATH_MAX)
        return failed(d->folder, ENAMETOOLONG);
    uint8_t *rgb = malloc(3 * (size_t)size.width * size.height);
    if (!rgb)
        return failed(path, ENOMEM);
    shl_slice_draw(&slice, rgb);
    const int code = shl_png_write(path, size.width, size.height, rgb);
    free(rgb);
    return code ? failed(path, code) : SHL_EXIT_OK;
}

static int write_files(const diagram *d)
{
    if (mkdir(d->folder, 0777) != 0 && errno != EEXIST)
        return failed(d->folder, errno);
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/diagram.vti", d->folder) >= PATH_MAX)
        return failed(d->folder, ENAMETOOLONG);
    const int wrong = shl_vti_write(path, &d->grid, d->cells);
    int code = wrong ? failed(path, wrong) : SHL_EXIT_OK;
    for (uint32_t i = 0; i < 3 * d->slices && code == SHL_EXIT_OK; i++)
        code = write_slice(d, (int)(i / d->slices), i % d->slices);
    return code;
}

static int tell(const diagram *d)
{
    const shoal_grid *g = &d->grid;
    if (shl_args_has(d->args, "json"))
        return shl_json_print(json_pack(
            "{s:s, s:o, s:[I,I,I], s:f, s:[f,f,f], s:o, s:I, s:f, s:s}", "query", "voronoi",
            "folder", shl_json_new_text(d->folder), "cells", (json_int_t)g->cells[0],
            (json_int_t)g->cells[1], (json_int_t)g->cells[2], "cell", g->cell, "origin",
            g->origin[0], g->origin[1], g->origin[2], "hash", shl_json_hash(d->hash), "slices",
            3 * (json_int_t)d->slices, "diagram_s", d->seconds, "version", shoal_version()));
    printf("grid      %u x %u x %u cells of %g\n", g->cells[0], g->cells[1], g->cells[2],
           g->cell);
    printf("hash      %016llx\n", (unsigned long long)d->hash);
    printf("time      %.3f s\n", d->seconds);
    shl_line(stdout, "written   %s/diagram.vti and %u slices", d->folder, 3 * d->slices);
    return SHL_EXIT_OK;
}

static int make(diagram *d, const shl_engine *engine)
{
    const uint32_t set = engine->def.grid_resolution;
    shoal_status st = shoal_scene_grid(engine->scene, set ? set : RESOLUTION, &d->grid);
    if (st != SHOAL_OK)
        return shl_engine_failed(engine, st);
    int code = reserve(d);
    if (code != SHL_EXIT_OK)
        return code;
    const double start = shl_now_s();
    st = shoal_scene_diagram(engine->scene, &d->grid, d->cells);
    if (st != SHOAL_OK)
        return shl_engine_failed(engine, st);
    d->seconds = shl_now_s() - start;
    d->hash = XXH3_64bits(d->cells, d->count * sizeof *d->cells);
    code = write_files(d);
    return code == SHL_EXIT_OK ? tell(d) : code;
}

int shl_voronoi_write(const shl_args *args, const shl_engine *engine)
{
    diagram d = {.args = args, .folder = "voronoi", .slices = 1};
    if (shl_args_has(args, "output"))
        d.folder = shl_args_get(args, "output");
    if (!shl_args_number(args, "slices", 0, SLICES_MAX, &d.slices))
        return SHL_EXIT_USAGE;
    if (engine->def.grid_resolution > RESOLUTION_MAX)
        return shl_usage_error(args->command, "--voronoi has at most --grid %d",
                               RESOLUTION_MAX);
    const int code = make(&d, engine);
    free(d.cells);
    return code;
}
