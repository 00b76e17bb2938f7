// SPDX-License-Identifier: MIT
// shoal-controls: a closed mesh becomes a skinned model, for simulations without a mesh.
#include "volume/controls.h"
#include "volume/maker.h"

#include <shoal/model_file.h>

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTROLS_MAX = 20000, NEIGHBOURS = 14 };

typedef struct request {
    const char *mesh, *model;
    double controls, seed, density;
} request;

static const char help[] =
    "usage: shoal-controls MESH -o MODEL [options]\n\n"
    "Turn a closed mesh (OBJ, PLY, STL, OFF) into a skinned model: control points spread\n"
    "through its volume, and for each vertex the weights of those around it.\n\n"
    "options:\n"
    "  -o, --output FILE     the model file to write\n"
    "  -n, --controls N      how many control points, 1 to 20000, met to 3 in 100 (200)\n"
    "      --seed S          of their places, 0 to 2^31 (1)\n"
    "      --density RHO     kilograms per cubic metre, for their masses (1000)\n"
    "  -h, --help            this text\n\n"
    "Points so deep inside that no vertex sees them are left out; their mass goes to others.\n";

static bool number(const char *text, double least, double most, bool whole, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    if (!*text || *end || !(value >= least && value <= most) ||
        (whole && value != floor(value)))
        return false;
    *out = value;
    return true;
}

// 0: go on. Else the exit code, or -1: help was given.
static int read_arguments(int count, char **texts, request *r)
{
    static const struct option options[] = {{"output", 1, 0, 'o'}, {"controls", 1, 0, 'n'},
                                            {"seed", 1, 0, 's'},   {"density", 1, 0, 'd'},
                                            {"help", 0, 0, 'h'},   {0}};
    *r = (request){.controls = 200, .seed = 1, .density = 1000};
    opterr = 0;
    for (int o; (o = getopt_long(count, texts, ":o:n:h", options, NULL)) != -1;) {
        bool good = true;
        switch (o) {
        case 'o':
            r->model = optarg;
            break;
        case 'n':
            good = number(optarg, 1, CONTROLS_MAX, true, &r->controls);
            break;
        case 's':
            good = number(optarg, 0, 2147483648.0, true, &r->seed);
            break;
        case 'd':
            good = number(optarg, 1e-6, 1e9, false, &r->density);
            break;
        case 'h':
            fputs(help, stdout);
            return -1;
        case ':':
            return shl_maker_usage("shoal-controls", "", texts[optind - 1], " needs a value");
        default:
            return shl_maker_usage("shoal-controls", "unknown option '", texts[optind - 1],
                                   "'");
        }
        if (!good)
            return shl_maker_usage("shoal-controls", "'", optarg, "' is out of range");
    }
    if (optind + 1 != count)
        return shl_maker_usage("shoal-controls",
                               optind == count ? "no mesh is given" : "one mesh at a time", "",
                               "");
    r->mesh = texts[optind];
    return r->model ? 0 : shl_maker_usage("shoal-controls", "no -o FILE to write to", "", "");
}

// Masses of the control points, with those of the core, which go to the nearest; and radii
// within which each has fourteen neighbours, or all.
static void weigh(const shl_controls *n, double density, double *mass, double *radius)
{
    uint32_t near[NEIGHBOURS + 2];
    double square[NEIGHBOURS + 2];
    for (uint32_t i = 0; i < NEIGHBOURS + 2; i++)
        near[i] = i;
    for (size_t i = 0; i < n->count; i++) {
        mass[i] = density * n->volume[i];
        const uint32_t found =
            shl_nearest_points(n->xyz, n->count, n->xyz + 3 * i, NEIGHBOURS + 2, near, square);
        const double far = sqrt(square[found - 1]);
        radius[i] = far > 0 ? far : n->spacing;
    }
    for (size_t i = n->count; i < (size_t)n->count + n->core; i++) {
        (void)shl_nearest_points(n->xyz, n->count, n->xyz + 3 * i, NEIGHBOURS + 2, near,
                                 square);
        mass[near[0]] += density * n->volume[i];
    }
}

static void report(const request *r, const shl_controls *n)
{
    double volume = 0, seen = 0;
    for (size_t i = 0; i < (size_t)n->count + n->core; i++)
        volume += n->volume[i];
    for (size_t v = 0; v < n->vertex_count; v++)
        seen += n->weight_begin[v + 1] - n->weight_begin[v];
    printf("%u control points, %.4g apart; %u vertices, each sees %.1f\n", n->count, n->spacing,
           n->vertex_count, seen / n->vertex_count);
    if (n->core)
        printf("left out: %u points that no vertex sees\n", n->core);
    printf("volume %.4g, %.4g kg\n", volume, volume * r->density);
}

static int write_model(const request *r, const shoal_mesh *mesh, shl_controls *n)
{
    double *mass = malloc(n->count * sizeof *mass), *radius = malloc(n->count * sizeof *radius);
    int code =
        mass && radius ? 0 : shl_maker_failed("shoal-controls", NULL, SHOAL_ERR_MEMORY, NULL);
    if (code == 0) {
        weigh(n, r->density, mass, radius);
        shoal_io_error error;
        shoal_model_file file = {.rest = *mesh,
                                 .control_count = n->count,
                                 .controls = n->xyz,
                                 .weight_begin = n->weight_begin,
                                 .weight_control = n->weight_control,
                                 .weight = n->weight,
                                 .weight_count = n->weight_begin[mesh->vertex_count],
                                 .radii = radius,
                                 .control_masses = mass};
        const char *name = shl_base_name(r->mesh);
        shl_plain_name(name, strlen(name), file.name, sizeof file.name);
        const shoal_status st = shoal_model_file_write(r->model, &file, &error);
        if (st != SHOAL_OK)
            code = shl_maker_failed("shoal-controls", NULL, st, error.text);
    }
    free(mass);
    free(radius);
    return code;
}

int main(int count, char **texts)
{
    shl_maker_begins();
    request r;
    int code = read_arguments(count, texts, &r);
    if (code != 0)
        return shl_maker_ends("shoal-controls", code < 0 ? 0 : code);
    shoal_mesh mesh;
    shoal_io_error error;
    shoal_status st = shoal_mesh_read(r.mesh, NULL, &mesh, &error);
    if (st != SHOAL_OK)
        return shl_maker_failed("shoal-controls", NULL, shl_maker_input(st), error.text);
    shl_controls controls;
    shl_volume_error why;
    st = shl_controls_create(&mesh, (uint32_t)r.controls, (uint64_t)r.seed, &controls, &why);
    code = st == SHOAL_OK ? write_model(&r, &mesh, &controls)
                          : shl_maker_failed("shoal-controls", r.mesh, st, why.text);
    if (code == 0)
        report(&r, &controls);
    shl_controls_finish(&controls);
    shoal_mesh_finish(&mesh);
    return shl_maker_ends("shoal-controls", code);
}
