// SPDX-License-Identifier: MIT
// shoal-modes: a closed mesh becomes a reduced model, by the vibrations of a solid of its
// shape.
#include "modes/surface.h"
#include "volume/maker.h"

#include <shoal/model_file.h>

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct request {
    const char *mesh, *model;
    uint32_t modes;
    double voxel; // 0: choose
    shl_material material;
} request;

static const char help[] =
    "usage: shoal-modes MESH -o MODEL [options]\n\n"
    "Turn a closed mesh (OBJ, PLY, STL, OFF) into a reduced model: its lowest free vibrations\n"
    "as a solid, by finite elements over cubes.\n\n"
    "options:\n"
    "  -o, --output FILE     the model file to write\n"
    "  -m, --modes N         how many modes, 1 to 64 (10)\n"
    "      --voxel SIZE      side of the cubes in units of the mesh (some thousand cubes)\n"
    "      --young PASCAL    stiffness of the material (1.5e9, as of polypropylene)\n"
    "      --poisson RATIO   0 to 0.49 (0.4)\n"
    "      --density RHO     kilograms a cubic metre (900)\n"
    "  -h, --help            this text\n\n"
    "Meshes are in metres. Parts thinner than a cube come out too stiff.\n";

static bool number(const char *text, double least, double most, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    if (!*text || *end || !(value >= least && value <= most))
        return false;
    *out = value;
    return true;
}

// 0: go on. Else the exit code, or -1: help was given.
static int read_arguments(int count, char **texts, request *r)
{
    static const struct option options[] = {{"output", 1, 0, 'o'},  {"modes", 1, 0, 'm'},
                                            {"voxel", 1, 0, 'v'},   {"young", 1, 0, 'y'},
                                            {"poisson", 1, 0, 'p'}, {"density", 1, 0, 'd'},
                                            {"help", 0, 0, 'h'},    {0}};
    double modes = 10;
    *r = (request){.material = {1.5e9, 0.4, 900}};
    opterr = 0;
    for (int o; (o = getopt_long(count, texts, ":o:m:h", options, NULL)) != -1;) {
        bool good = true;
        switch (o) {
        case 'o':
            r->model = optarg;
            break;
        case 'm':
            good = number(optarg, 1, SHOAL_FIELDS_MAX, &modes) && modes == floor(modes);
            break;
        case 'v':
            good = number(optarg, 1e-12, 1e12, &r->voxel);
            break;
        case 'y':
            good = number(optarg, 1e-3, 1e15, &r->material.young);
            break;
        case 'p':
            good = number(optarg, 0, 0.49, &r->material.poisson);
            break;
        case 'd':
            good = number(optarg, 1e-6, 1e9, &r->material.density);
            break;
        case 'h':
            fputs(help, stdout);
            return -1;
        case ':':
            return shl_maker_usage("shoal-modes", "", texts[optind - 1], " needs a value");
        default:
            return shl_maker_usage("shoal-modes", "unknown option '", texts[optind - 1], "'");
        }
        if (!good)
            return shl_maker_usage("shoal-modes", "'", optarg, "' is out of range");
    }
    r->modes = (uint32_t)modes;
    if (optind + 1 != count)
        return shl_maker_usage(
            "shoal-modes", optind == count ? "no mesh is given" : "one mesh at a time", "", "");
    r->mesh = texts[optind];
    return r->model ? 0 : shl_maker_usage("shoal-modes", "no -o FILE to write to", "", "");
}

static void report(const shl_solid *solid, const shl_modes *modes, const double *masses,
                   const shl_material *material, double seconds)
{
    const shl_voxels *v = solid->voxels;
    printf("%u cubes of %g, %zu unknowns, %.4g kg\n", v->used, v->size,
           3 * (size_t)solid->node_count, v->volume * material->density);
    if (v->dropped)
        printf("left out: parts that hang nowhere, %u cubes\n", v->dropped);
    if (v->thin > 0.5)
        printf("note: %.0f %% of it is thinner than half a cube and comes out too stiff\n",
               100 * v->thin);
    printf("\n  %4s %12s %12s %12s\n", "mode", "hertz", "mass kg", "residual");
    for (uint32_t j = 0; j < modes->count; j++)
        printf("  %4u %12.5g %12.4g %12.2e\n", j + 1, modes->hertz[j], masses[j],
               modes->residual[j]);
    printf("\n  rigid motion    %.2e hertz at most, left out\n", modes->rigid);
    printf("  orthogonality   %.2e at worst\n", modes->cross);
    printf("  time            %.2f s: %.2f factor, %.2f for %u solves\n", seconds,
           modes->factor_s, modes->solve_s, modes->solves);
}

static int write_model(const request *r, const shoal_mesh *mesh, float *fields, double *masses,
                       shl_modes *modes)
{
    shoal_io_error error;
    shoal_model_file file = {.rest = *mesh,
                             .fields = fields,
                             .field_count = modes->count,
                             .frequencies = modes->hertz,
                             .masses = masses};
    const char *name = shl_base_name(r->mesh);
    shl_plain_name(name, strlen(name), file.name, sizeof file.name);
    const shoal_status st = shoal_model_file_write(r->model, &file, &error);
    return st == SHOAL_OK ? 0 : shl_maker_failed("shoal-modes", NULL, st, error.text);
}

static int make_model(const request *r, const shoal_mesh *mesh)
{
    shl_voxels voxels;
    shl_solid solid = {0};
    shl_modes modes = {0};
    shl_volume_error error;
    float *fields = NULL;
    double *masses = NULL;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    shoal_status st = shl_voxels_create(mesh, r->voxel, &voxels, &error);
    if (st != SHOAL_OK)
        return shl_maker_failed("shoal-modes", r->mesh, st, error.text);
    st = shl_solid_create(&voxels, &r->material, &solid);
    if (st == SHOAL_OK) {
        st = shl_modes_find(&solid, &r->material, r->modes, &modes, &error);
        if (st == SHOAL_OK)
            st = shl_surface_fields(&solid, &modes, mesh, &fields, &masses);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    int code = 0;
    if (st != SHOAL_OK)
        code = shl_maker_failed("shoal-modes", r->mesh, st, error.text);
    else
        code = write_model(r, mesh, fields, masses, &modes);
    if (code == 0)
        report(&solid, &modes, masses, &r->material,
               (double)(end.tv_sec - begin.tv_sec) +
                   1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    free(fields);
    free(masses);
    shl_modes_finish(&modes);
    if (solid.node)
        shl_solid_finish(&solid);
    shl_voxels_finish(&voxels);
    return code;
}

int main(int count, char **texts)
{
    shl_maker_begins();
    request r;
    int code = read_arguments(count, texts, &r);
    if (code != 0)
        return shl_maker_ends("shoal-modes", code < 0 ? 0 : code);
    shoal_mesh mesh;
    shoal_io_error error;
    const shoal_status st = shoal_mesh_read(r.mesh, NULL, &mesh, &error);
    if (st != SHOAL_OK)
        return shl_maker_failed("shoal-modes", NULL, shl_maker_input(st), error.text);
    code = make_model(&r, &mesh);
    shoal_mesh_finish(&mesh);
    return shl_maker_ends("shoal-modes", code);
}
