// SPDX-License-Identifier: MIT
#include "cli/run/pictures.h"

#include "cli/png_file.h"
#include "cli/run/sheet.h"

#include <errno.h>
#include <shoal/picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const shl_option shl_picture_options[] = {
    {"frames", 0, "N", "pictures of the run, evenly over its steps; default 5, 0 for none",
     false},
    {"boxes", 0, "PERCENT", "draw boxes of the trees, so deep, by how tight they are", false},
    {0},
};

enum { WIDTH = 1280, HEIGHT = 720, FRAMES = 5, FRAMES_MAX = 100000 };

int shl_pictures_init(shl_pictures *p, const shl_args *args, const shl_folder *folder,
                      bool floor, uint32_t steps)
{
    *p = (shl_pictures){.wanted = FRAMES,
                        .steps = steps,
                        .floor = floor,
                        .width = WIDTH,
                        .height = HEIGHT,
                        .boxes = shl_args_has(args, "boxes"),
                        .folder = folder};
    if (!shl_args_number(args, "frames", 0, FRAMES_MAX, &p->wanted) ||
        !shl_args_number(args, "boxes", 0, 100, &p->level))
        return SHL_EXIT_USAGE;
    const char *gpu = getenv("SHOAL_GPU");
    if (gpu && strcmp(gpu, "off") == 0)
        p->wanted = 0;
    return SHL_EXIT_OK;
}

void shl_pictures_finish(shl_pictures *p)
{
    free(p->rgb);
    p->rgb = NULL;
}

// Picture i of n is of step ceil(steps i / n), so that the last one is of the last step.
static bool due(const shl_pictures *p, uint32_t step)
{
    const uint64_t n = p->wanted;
    return n && (step * n) / p->steps > ((step - 1) * n) / p->steps;
}

static int cannot_write(const char *path, int code)
{
    shl_say("shoal run: %s: %s", path, strerror(code));
    return code == ENOMEM ? SHL_EXIT_MEMORY : SHL_EXIT_IO;
}

static int make_folder(const shl_pictures *p)
{
    const shl_path path = shl_folder_path(p->folder, SHL_PICTURES);
    return mkdir(path.text, 0777) == 0 || errno == EEXIST ? SHL_EXIT_OK
                                                          : cannot_write(path.text, errno);
}

int shl_pictures_step(shl_pictures *p, uint32_t step, const shl_engine *engine)
{
    if (!due(p, step) || p->none)
        return SHL_EXIT_OK;
    shoal_picture_def def = shoal_picture_def_default(engine->scene);
    def.width = p->width;
    def.height = p->height;
    if (p->floor)
        def.floor = 0;
    if (p->boxes) {
        def.show = SHOAL_SHOW_BOXES;
        def.level = p->level / 100.0;
    }
    if (!p->rgb)
        p->rgb = malloc(3 * (size_t)p->width * p->height);
    if (!p->rgb)
        return cannot_write("a picture", ENOMEM);
    if (shoal_scene_picture(engine->scene, &def, p->rgb) != SHOAL_OK) {
        p->none = true;
        shl_say("shoal: warning: %s", engine->said);
        return SHL_EXIT_OK;
    }
    int code = make_folder(p);
    if (code != SHL_EXIT_OK)
        return code;
    char name[64];
    snprintf(name, sizeof name, SHL_PICTURES "/step-%06u.png", step);
    const shl_path path = shl_folder_path(p->folder, name);
    code = shl_png_write(path.text, p->width, p->height, p->rgb);
    return code ? cannot_write(path.text, code) : SHL_EXIT_OK;
}

int shl_pictures_end(shl_pictures *p)
{
    if (p->none || p->wanted < 2)
        return SHL_EXIT_OK;
    const shl_path folder = shl_folder_path(p->folder, SHL_PICTURES);
    const shl_path sheet = shl_folder_path(p->folder, SHL_PICTURES "/sheet.png");
    const int code = shl_sheet_write(folder.text, sheet.text);
    return code ? cannot_write(sheet.text, code) : SHL_EXIT_OK;
}
